#include "jit/own_macros.h"

#include <string.h>

#include "spec/name.h"
#include "spec/source.h"
#include "spec/spelling.h"
#include "spec/tokens.h"

/* For each macro that a text defines, on which condition what becomes of it, or of the name of jig's that
 * says that it was there before. */
static void write_each(text *out, const char *source, const char *condition, const char *then) {
  token_reader reader = {.at = source};
  for (token t; (t = token_next(&reader)).kind != TOKEN_END;) {
    if (t.kind != TOKEN_HASH) continue;
    const token directive = token_next(&reader);
    if (!token_is(&directive, "define")) continue;
    const token name = token_next(&reader);
    const int length = (int)(name.end - name.begin);
    if (name.kind == TOKEN_NAME)
      text_format(out, "#%s%.*s\n#%s%.*s\n#endif\n", condition, length, name.begin, then, length,
                  name.begin);
  }
}

/* The next macro that a text seems to define, from *at on; NULL: there is none. It is looked for as fast
 * as can be, as headers may be many and long. */
static const char *next_defined(const char **at, size_t *length) {
  static const char define[] = "define";
  while ((*at = strstr(*at, define)) != NULL) {
    const char *behind = *at += strlen(define), *name = cxx_past_space(cxx_past_splices(behind));
    for (*length = 0; cxx_is_name_char(name[*length]);) ++*length;
    if (name > behind && *length > 0) return name;
  }
  return NULL;
}

static bool has_parameters(const char *name, size_t length) {
  return name[length] == '(';
}

/* What a macro of that name would do to jig's lines; NULL: it is let be. */
static const char *why_refused(const char *name, size_t length) {
  if (name_is_of_type(name, length) && !has_parameters(name, length))
    return "it would change types of jig's own";
  return name_is_keyword(name, length) ? "it would change a keyword that jig's own lines have" : NULL;
}

void own_macros_refuse(text *out, const char *shown, const char *source) {
  const char *at = source;
  size_t length;
  for (const char *name, *why; (name = next_defined(&at, &length)) != NULL;) {
    if ((why = why_refused(name, length)) == NULL) continue;
    text_format(out, "#ifdef %.*s\n#line %d \"%s\"\n", (int)length, name,
                source_place_of(source, name).line, shown);
    text_format(out,
                "#error cannot keep the macro \"%.*s\": %s; #undef it behind what needs it\n"
                "#endif\n#line 1 \"jig program\"\n",
                (int)length, name, why);
  }
}

void own_macros_note(text *out, const char *shown, const char *source) {
  const char *at = source;
  size_t length;
  for (const char *name; (name = next_defined(&at, &length)) != NULL;) {
    if (has_parameters(name, length) || !name_is_hidden(name, length)) continue;
    text_format(out, "#if 0\n#line %d \"%s\"\n#define %.*s\n#line 1 \"jig program\"\n#endif\n",
                source_place_of(source, name).line, shown, (int)length, name);
  }
}

void own_macros_begin(text *out, const char *source) {
  write_each(out, source, "ifdef ", "define jig_had_");
}

void own_macros_end(text *out, const char *source) {
  write_each(out, source, "ifndef jig_had_", "undef ");
  write_each(out, source, "ifdef jig_had_", "undef jig_had_");
}
