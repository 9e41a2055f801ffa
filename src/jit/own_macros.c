#include "jit/own_macros.h"

#include <stdbool.h>

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

/* Names of types that jig's program has behind all texts, and that would be other types by a macro. */
static bool is_type_of_jig(const token *name) {
  return token_is(name, "bool") || token_is(name, "float") || token_is(name, "double");
}

void own_macros_refuse(text *out, const char *shown, const char *source) {
  token_reader reader = {.at = source};
  for (token t; (t = token_next(&reader)).kind != TOKEN_END;) {
    if (t.kind != TOKEN_HASH) continue;
    const token directive = token_next(&reader);
    if (!token_is(&directive, "define")) continue;
    const token name = token_next(&reader);
    if (name.kind != TOKEN_NAME || !is_type_of_jig(&name)) continue;
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
