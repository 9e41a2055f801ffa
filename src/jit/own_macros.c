#include "jit/own_macros.h"

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

/* What a struct's text, a header or an option has defined stays. */
void own_macros_begin(text *out, const char *source) {
  write_each(out, source, "ifdef ", "define jig_had_");
}

void own_macros_end(text *out, const char *source) {
  write_each(out, source, "ifndef jig_had_", "undef ");
  write_each(out, source, "ifdef jig_had_", "undef jig_had_");
}
