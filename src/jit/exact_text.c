#include "jit/exact_text.h"

#include <string.h>

#include "spec/tokens.h"

static bool is_among(const token *name, const char *const *known, size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (token_is(name, known[i])) return true;
  return false;
}
#define IS_AMONG(name, known) is_among(name, known, sizeof known / sizeof known[0])

/* Functions of floating-point numbers that neither multiply nor add, as far as the compiler sees. */
static bool is_float_function(const token *name) {
  static const char *const known[] = {"sqrtf", "fabsf", "fminf", "fmaxf", "floorf", "ceilf", "truncf",
                                      "sqrt",  "fabs",  "fmin",  "fmax",  "floor",  "ceil",  "trunc"};
  return IS_AMONG(name, known);
}

/* What may stand before a bracket: nothing else is called. */
static bool may_be_called(const token *name) {
  static const char *const known[] = {
      "if",       "for",      "while",   "switch",    "return",     "sizeof",   "alignof",  "min",
      "max",      "abs",      "bool",    "char",      "short",      "int",      "long",     "unsigned",
      "int8_t",   "int16_t",  "int32_t", "int64_t",   "uint8_t",    "uint16_t", "uint32_t", "uint64_t",
      "__popc",   "__popcll", "__clz",   "__clzll",   "__ffs",      "__ffsll",  "__brev",   "__brevll",
      "__umulhi", "__mulhi",  "size_t",  "__mul64hi", "__umul64hi", "float",    "double"};
  return IS_AMONG(name, known) || is_float_function(name);
}

/* Of what is there once for a program, and another time for the one that takes its place; or that is not
 * C++. */
static bool is_hidden(const token *name) {
  static const char *const known[] = {"static",     "extern",       "namespace",   "__device__",
                                      "__shared__", "__constant__", "__managed__", "asm",
                                      "__asm",      "__asm__"};
  return IS_AMONG(name, known);
}

/* Vectors, numbers of 16 bits and fewer, whose operators are functions, and what no compiler looks into.
 */
static bool is_unknown(const token *name) {
  static const char *const begins[] = {"float", "double", "half", "__half", "f16", "bf16", "__nv"};
  if (token_is(name, "float") || token_is(name, "double")) return false;
  for (size_t i = 0; i < sizeof begins / sizeof begins[0]; ++i)
    if (strncmp(name->begin, begins[i], strlen(begins[i])) == 0) return true;
  return is_hidden(name);
}

static bool begins_loop(const token *name) {
  static const char *const known[] = {"for", "while", "do", "goto"};
  return IS_AMONG(name, known);
}

/* Not 1e3, nor 0x1p3, but 0x1e3. */
static bool is_whole(const token *number) {
  const bool is_hex = number->begin[0] == '0' && (number->begin[1] == 'x' || number->begin[1] == 'X');
  const char *exponents = is_hex ? "pP" : "eE";
  for (const char *c = number->begin; c < number->end; ++c)
    if (strchr(exponents, *c) != NULL) return false;
  return true;
}

/* Behind what is no name and closes nothing, a lambda begins. */
static void read_bracket(const token *before, const token *t, exact_text *one) {
  if (*t->begin == '(')
    one->is_unknown = before->kind == TOKEN_NAME ? !may_be_called(before) : token_is(before, ">");
  else if (*t->begin == '[')
    one->repeats = before->kind != TOKEN_NAME && before->kind != TOKEN_CLOSE;
}

/* Of two tokens. Those of "1." and ".5" are a number and a point; behind '>' a template's function is
 * called, perhaps. */
static exact_text text_of(const token *before, const token *t) {
  exact_text one = {0};
  switch (t->kind) {
    case TOKEN_NAME:
      one.is_unknown = is_unknown(t);
      one.has_floats = token_is(t, "float") || token_is(t, "double") || is_float_function(t);
      one.repeats = begins_loop(t);
      break;
    case TOKEN_NUMBER:
      one.has_floats = !is_whole(t) || token_is(before, ".");
      break;
    case TOKEN_OPEN:
      read_bracket(before, t, &one);
      break;
    case TOKEN_PUNCTUATION:
      one.has_floats = before->kind == TOKEN_NUMBER && token_is(t, ".");
      one.products = token_is(t, "*") || token_is(t, "/");
      break;
    default:
      one.is_unknown = t->kind != TOKEN_CLOSE;
  }
  return one;
}

void exact_text_add(exact_text *all, exact_text one) {
  all->has_floats |= one.has_floats;
  all->products += one.products;
  all->repeats |= one.repeats;
  all->is_unknown |= one.is_unknown;
}

exact_text exact_text_read(const char *source) {
  token_reader reader = {.at = source};
  token before = {.kind = TOKEN_END};
  exact_text all = {.is_unknown = strchr(source, '\\') != NULL}; /* it may divide a name */
  for (token t; (t = token_next(&reader)).kind != TOKEN_END; before = t)
    exact_text_add(&all, text_of(&before, &t));
  return all;
}

/* Whether anything is declared that has no braces at its end: variables, above all. */
static bool declares_others(const char *definition) {
  token_reader reader = {.at = definition};
  token before = {.kind = TOKEN_END};
  int depth = 0;
  for (token t; (t = token_next(&reader)).kind != TOKEN_END; before = t) {
    depth += (t.kind == TOKEN_OPEN) - (t.kind == TOKEN_CLOSE);
    if (depth == 0 && token_is(&t, ";") && !(before.kind == TOKEN_CLOSE && before.closer == '}'))
      return true;
  }
  return false;
}

exact_text exact_text_read_definition(const char *definition) {
  exact_text all = exact_text_read(definition);
  all.is_unknown |= declares_others(definition);
  return all;
}
