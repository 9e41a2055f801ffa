#include "spec/mentions.h"

#include "spec/spelling.h"

/* Whether what follows this name may be a type's. */
static bool comes_before_type(const token *t) {
  static const char *const names[] = {
      "const",  "volatile", "struct",   "class",    "union",  "enum",      "typename",     "static",
      "inline", "return",   "sizeof",   "alignof",  "new",    "typedef",   "constexpr",    "mutable",
      "public", "private",  "virtual",  "explicit", "extern", "protected", "thread_local", "using",
      "else",   "do",       "operator", "throw",    "case",   "friend"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
    if (token_is(t, names[i])) return true;
  return cxx_past_spelling(t->begin, "__") != NULL; /* __device__, __restrict__ */
}

/* Whether what follows a type's name may follow this one; the end of a macro may. */
static bool is_followed_by_name(const token *next) {
  return next->kind == TOKEN_NAME || next->kind == TOKEN_LINE_END || token_is(next, "*") ||
         token_is(next, "&") || token_is(next, "::") || token_is(next, "<") || token_is(next, ">");
}

/* Whether a name is that of a variable or member, going by the two tokens before it and the next one. */
static bool is_variable(const token before[2], const token *next) {
  const token *last = &before[1];
  const bool ends =
      token_is(next, ";") || token_is(next, "=") || (next->kind == TOKEN_OPEN && next->closer == ']');
  if (last->kind == TOKEN_NAME) return !comes_before_type(last) && !is_followed_by_name(next);
  if (token_is(last, ".") || (token_is(&before[0], "-") && token_is(last, ">"))) return true;
  if (token_is(last, "*") || token_is(last, "&"))
    return ends || token_is(next, ",") || next->kind == TOKEN_CLOSE;
  return token_is(last, ",") && ends;
}

token mention_next(mention_reader *r) {
  for (;;) {
    const token t = r->ahead;
    if (t.kind == TOKEN_END && r->begun) return t;
    r->ahead = token_next(&r->tokens);
    const bool mentions = r->begun && t.kind == TOKEN_NAME && !is_variable(r->before, &r->ahead);
    r->before[0] = r->before[1];
    r->before[1] = t;
    r->begun = true;
    if (mentions) return t;
  }
}
