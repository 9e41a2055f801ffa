#include "jit/own_macros.h"

#include <string.h>

#include "spec/source.h"
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

bool own_macro_is_type(const char *name, size_t length) {
  static const char *const types[] = {"bool", "float", "double"};
  bool is_type = false;
  for (size_t i = 0; i < sizeof types / sizeof types[0]; ++i)
    is_type = is_type || (strlen(types[i]) == length && memcmp(types[i], name, length) == 0);
  return is_type;
}

void own_macros_refuse(text *out, const char *shown, const char *source) {
  token_reader reader = {.at = source};
  for (token t; (t = token_next(&reader)).kind != TOKEN_END;) {
    if (t.kind != TOKEN_HASH) continue;
    const token directive = token_next(&reader);
    if (!token_is(&directive, "define")) continue;
    const token name = token_next(&reader);
    if (name.kind != TOKEN_NAME || !own_macro_is_type(name.begin, (size_t)(name.end - name.begin)))
      continue;
    const int length = (int)(name.end - name.begin), line = source_place_of(source, t.begin).line;
    text_format(out, "#ifdef %.*s\n#line %d \"%s\"\n", length, name.begin, line, shown);
    text_format(out,
                "#error cannot keep the macro \"%.*s\": it would change types of jig's own; #undef it "
                "behind what needs it\n#endif\n#line 1 \"jig program\"\n",
                length, name.begin);
  }
}

/* What a struct's text, a header or an option has defined stays. */
void own_macros_begin(text *out, const char *source) {
  write_each(out, source, "ifdef ", "define jig_had_");
}

void own_macros_end(text *out, const char *source) {
  write_each(out, source, "ifndef jig_had_", "undef ");
  write_each(out, source, "ifdef jig_had_", "undef jig_had_");
}
