#include "jit/exact_text.h"

#include <string.h>

#include "spec/tokens.h"

/* What may stand before a bracket: nothing else is called. */
static bool may_be_called(const token *name) {
  static const char *const known[] = {
      "if",       "for",      "while",   "switch",    "return",     "sizeof",   "alignof",  "min",
      "max",      "abs",      "bool",    "char",      "short",      "int",      "long",     "unsigned",
      "int8_t",   "int16_t",  "int32_t", "int64_t",   "uint8_t",    "uint16_t", "uint32_t", "uint64_t",
      "__popc",   "__popcll", "__clz",   "__clzll",   "__ffs",      "__ffsll",  "__brev",   "__brevll",
      "__umulhi", "__mulhi",  "size_t",  "__mul64hi", "__umul64hi", "float",    "double"};
  for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i)
    if (token_is(name, known[i])) return true;
  return false;
}

/* Vectors, numbers of 16 bits and fewer, whose operators are functions, and what no compiler looks into.
 */
static bool is_unknown(const token *name) {
  static const char *const begins[] = {"float", "double", "half", "__half", "f16", "bf16", "__nv"};
  if (token_is(name, "float") || token_is(name, "double")) return false;
  for (size_t i = 0; i < sizeof begins / sizeof begins[0]; ++i)
    if (strncmp(name->begin, begins[i], strlen(begins[i])) == 0) return true;
  return false;
}

/* Of what is there once for a program, and another time for the one that takes its place; or that is not
 * C++. */
static bool is_hidden(const token *name) {
  static const char *const known[] = {"static",      "extern", "__device__", "__shared__", "__constant__",
                                      "__managed__", "asm",    "__asm",      "__asm__"};
  for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i)
    if (token_is(name, known[i])) return true;
  return false;
}

/* Not 1e3, nor 0x1p3, but 0x1e3. */
static bool is_whole(const token *number) {
  const bool is_hex = number->begin[0] == '0' && (number->begin[1] == 'x' || number->begin[1] == 'X');
  const char *exponents = is_hex ? "pP" : "eE";
  for (const char *c = number->begin; c < number->end; ++c)
    if (strchr(exponents, *c) != NULL) return false;
  return true;
}

/* Of two tokens. Those of "1." and ".5" are a number and a point; behind '>' a template's function is
 * called, perhaps. */
static exact_text text_of(const token *before, const token *t) {
  exact_text one = {0};
  switch (t->kind) {
    case TOKEN_NAME:
      one.has_floats = token_is(t, "float") || token_is(t, "double");
      one.is_hidden = is_hidden(t);
      one.is_unknown = one.is_hidden || is_unknown(t);
      break;
    case TOKEN_NUMBER:
      one.has_floats = !is_whole(t) || token_is(before, ".");
      break;
    case TOKEN_OPEN:
      one.is_unknown = *t->begin == '(' &&
                       (before->kind == TOKEN_NAME ? !may_be_called(before) : token_is(before, ">"));
      break;
    case TOKEN_PUNCTUATION:
      one.has_floats = before->kind == TOKEN_NUMBER && token_is(t, ".");
      one.has_products = token_is(t, "*") || token_is(t, "/");
      break;
    default:
      one.is_unknown = one.is_hidden = t->kind != TOKEN_CLOSE;
  }
  return one;
}

void exact_text_add(exact_text *all, exact_text one) {
  all->has_floats |= one.has_floats;
  all->has_products |= one.has_products;
  all->is_unknown |= one.is_unknown;
  all->is_hidden |= one.is_hidden;
}

exact_text exact_text_read(const char *source) {
  token_reader reader = {.at = source};
  token before = {.kind = TOKEN_END};
  const bool has_divided = strchr(source, '\\') != NULL; /* names, perhaps */
  exact_text all = {.is_unknown = has_divided, .is_hidden = has_divided};
  for (token t; (t = token_next(&reader)).kind != TOKEN_END; before = t)
    exact_text_add(&all, text_of(&before, &t));
  return all;
}
