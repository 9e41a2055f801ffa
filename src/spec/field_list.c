#include "spec/field_list.h"

#include <stdbool.h>

#include "spec/source.h"
#include "spec/tokens.h"
#include "util/error.h"

/* The next token, without directives. */
static token next_token(token_reader *reader) {
  token t = token_next(reader);
  while (t.kind == TOKEN_HASH) {
    while (t.kind != TOKEN_LINE_END) t = token_next(reader);
    t = token_next(reader);
  }
  return t;
}

/* Past the bracket that closes one; whether there are commas between them, and none of a template's. */
static bool skip_brackets(token_reader *reader) {
  bool has_comma = false, has_template = false;
  for (int depth = 1; depth > 0;) {
    const token t = next_token(reader);
    if (t.kind == TOKEN_END) return false;
    depth += (t.kind == TOKEN_OPEN) - (t.kind == TOKEN_CLOSE);
    has_comma = has_comma || (depth == 1 && token_is(&t, ","));
    has_template = has_template || (depth == 1 && token_is(&t, "<"));
  }
  return has_comma && !has_template;
}

static jig_status check_brackets(const char *list, const char *what, const char *name) {
  token_reader reader = {.at = list};
  bool begins = true; /* an expression */
  for (token t; (t = next_token(&reader)).kind != TOKEN_END;) {
    const bool is_braced = begins && t.kind == TOKEN_OPEN && t.closer == '}';
    const bool is_list = t.kind == TOKEN_OPEN && skip_brackets(&reader) && begins && t.closer == ')';
    token_reader ahead = reader;
    const token next = next_token(&ahead);
    const bool ends = next.kind == TOKEN_END || token_is(&next, ",");
    if (is_braced || (is_list && ends))
      return source_refuse(list, t.begin, what, name,
                           "fields in brackets would be one field; write them without");
    begins = token_is(&t, ",");
  }
  return JIG_SUCCESS;
}

jig_status field_list_check(const char *list, const char *what, const char *name) {
  token_reader reader = {.at = list};
  if (next_token(&reader).kind == TOKEN_END)
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: the list of fields is empty", what);
  return check_brackets(list, what, name);
}
