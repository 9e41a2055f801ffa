/* Text into tokens. */
#include <stdlib.h>
#include <string.h>

#include "ptx/parser.h"

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static bool starts_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '%';
}

/* % only starts a name. */
static bool continues_name(char c) {
  return is_digit(c) || (c != '%' && starts_name(c));
}

/* The digit's value, or 99. */
static unsigned digit_of(char c) {
  if (is_digit(c)) return (unsigned)(c - '0');
  if (c >= 'a' && c <= 'f') return (unsigned)(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') return (unsigned)(c - 'A' + 10);
  return 99;
}

void ptx_skip_line(ptx_parser *p) {
  while (*p->at != '\0' && *p->at != '\n') ++p->at;
}

static void skip_comment(ptx_parser *p) {
  const char *start = p->at;
  unsigned line = p->line;
  for (p->at += 2; !(p->at[0] == '*' && p->at[1] == '/'); ++p->at) {
    if (*p->at == '\0') ptx_fail_at(p, start, line, "a comment does not end");
    if (*p->at == '\n') ++p->line;
  }
  p->at += 2;
}

/* White space, comments, and the # lines a preprocessor leaves. */
static void skip_blanks(ptx_parser *p) {
  for (;; ++p->at) {
    while (p->at[0] == '/' && p->at[1] == '*') skip_comment(p);
    if (*p->at == '#' || (p->at[0] == '/' && p->at[1] == '/')) ptx_skip_line(p);
    if (*p->at == '\n') {
      ++p->line;
    } else if (*p->at != ' ' && *p->at != '\t' && *p->at != '\r' && *p->at != '\f' && *p->at != '\v') {
      return;
    }
  }
}

static void bad_number(ptx_parser *p) {
  while (continues_name(*p->at)) ++p->at;
  ptx_fail_at(p, p->token.start, p->token.line, "bad number '%.*s'", (int)(p->at - p->token.start),
              p->token.start);
}

/* 0f and 8, or 0d and 16 hexadecimal digits. */
static void lex_float_bits(ptx_parser *p, int digits) {
  ptx_constant *number = &p->token.number;
  uint64_t bits = 0;
  int count = 0;
  for (p->at += 2; count < digits && digit_of(*p->at) < 16; ++p->at, ++count)
    bits = bits << 4 | digit_of(*p->at);
  if (count < digits) bad_number(p);
  number->is_float = true;
  number->is_f32 = digits == 8;
  if (number->is_f32) {
    float single;
    number->f32_bits = (uint32_t)bits;
    memcpy(&single, &number->f32_bits, sizeof single);
    number->real = (double)single;
  } else {
    double real;
    memcpy(&real, &bits, sizeof real);
    *number = ptx_constant_of_real(real);
  }
}

/* The length of a decimal number with a fraction or an exponent; 0 if it has neither. */
static size_t decimal_length(const char *at) {
  const char *end = at;
  bool is_float = false;
  while (is_digit(*end)) ++end;
  if (*end == '\0') return 0;
  bool has_exponent =
      (end[1] == 'e' || end[1] == 'E') && (is_digit(end[2]) || end[2] == '-' || end[2] == '+');
  if (*end == '.' && (!starts_name(end[1]) || has_exponent)) {
    is_float = true;
    do ++end;
    while (is_digit(*end));
  }
  if (*end == 'e' || *end == 'E') {
    const char *digits = end + 1 + (end[1] == '-' || end[1] == '+');
    if (!is_digit(*digits)) return 0;
    is_float = true;
    for (end = digits; is_digit(*end);) ++end;
  }
  return is_float ? (size_t)(end - at) : 0;
}

static void lex_decimal(ptx_parser *p, size_t length) {
  char digits[128];
  if (length >= sizeof digits) bad_number(p);
  memcpy(digits, p->at, length);
  digits[length] = '\0';
  p->at += length;
  p->token.number = ptx_constant_of_real(strtod(digits, NULL));
}

static void lex_integer(ptx_parser *p) {
  ptx_constant *number = &p->token.number;
  unsigned base = 10;
  uint64_t value = 0;
  if (*p->at == '0') {
    char prefix = p->at[1];
    base = prefix == 'x' || prefix == 'X' ? 16 : prefix == 'b' || prefix == 'B' ? 2 : 8;
    p->at += base == 8 ? 0 : 2;
    if (digit_of(*p->at) >= base) bad_number(p);
  }
  for (; digit_of(*p->at) < base; ++p->at) {
    unsigned digit = digit_of(*p->at);
    if (value > (UINT64_MAX - digit) / base) bad_number(p);
    value = value * base + digit;
  }
  number->is_unsigned = value > INT64_MAX;
  if (*p->at == 'U' || *p->at == 'u') {
    number->is_unsigned = true;
    ++p->at;
  }
  number->integer = (int64_t)value;
}

static void lex_number(ptx_parser *p) {
  p->token.kind = TOKEN_NUMBER;
  p->token.number = (ptx_constant){0};
  char prefix = p->at[0] == '0' ? p->at[1] : '\0';
  size_t decimal = decimal_length(p->at);
  if (prefix == 'f' || prefix == 'F') {
    lex_float_bits(p, 8);
  } else if (prefix == 'd' || prefix == 'D') {
    lex_float_bits(p, 16);
  } else if (decimal != 0) {
    lex_decimal(p, decimal);
  } else {
    lex_integer(p);
  }
  if (continues_name(*p->at)) bad_number(p);
}

/* After a dot: names may begin with digits, and :: joins them, as in .L2::128B. */
static void lex_dotted(ptx_parser *p) {
  const char *start = p->at;
  for (;;) {
    while (continues_name(*p->at)) ++p->at;
    if (p->at[0] != ':' || p->at[1] != ':' || !continues_name(p->at[2])) break;
    p->at += 2;
  }
  p->token.kind = TOKEN_DOT;
  p->token.name = ptx_intern(p, start, (size_t)(p->at - start));
}

static char lex_escape(ptx_parser *p) {
  static const char from[] = "abfnrtv", to[] = "\a\b\f\n\r\t\v";
  const char *found = strchr(from, *p->at);
  if (*p->at == 'x' && digit_of(p->at[1]) < 16) {
    unsigned value = 0;
    for (int i = 0; i < 2 && digit_of(p->at[1]) < 16; ++i) value = value << 4 | digit_of(*++p->at);
    return (char)value;
  }
  if (digit_of(*p->at) < 8) {
    unsigned value = digit_of(*p->at);
    for (int i = 0; i < 2 && digit_of(p->at[1]) < 8; ++i) value = value << 3 | digit_of(*++p->at);
    return (char)value;
  }
  return found != NULL && *p->at != '\0' ? to[found - from] : *p->at;
}

static void lex_string(ptx_parser *p) {
  const char *end = ++p->at;
  while (*end != '"' && *end != '\n' && *end != '\0') end += end[0] == '\\' && end[1] != '\0' ? 2 : 1;
  if (*end != '"') ptx_fail_at(p, p->token.start, p->token.line, "a string does not end");
  char *value = ptx_new(p, (size_t)(end - p->at) + 1, 1);
  size_t length = 0;
  for (; p->at < end; ++p->at) {
    if (*p->at == '\n') ++p->line; /* after a backslash */
    if (*p->at == '\\') {
      ++p->at;
      value[length++] = lex_escape(p);
    } else {
      value[length++] = *p->at;
    }
  }
  p->at = end + 1;
  p->token.kind = TOKEN_STRING;
  p->token.name = value;
  p->token.length = length;
}

static void lex_mark(ptx_parser *p) {
  static const char pairs[][3] = {"<<", ">>", "<=", ">=", "==", "!=", "&&", "||"};
  p->token.kind = TOKEN_MARK;
  p->token.mark = (unsigned char)*p->at;
  for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; ++i)
    if (p->at[0] == pairs[i][0] && p->at[1] == pairs[i][1]) {
      p->token.mark = MARK2(pairs[i][0], pairs[i][1]);
      ++p->at;
      break;
    }
  ++p->at;
}

void ptx_next(ptx_parser *p) {
  skip_blanks(p);
  p->token.start = p->at;
  p->token.line = p->line;
  p->token.mark = 0;
  char c = *p->at;
  if (c == '\0') {
    p->token.kind = TOKEN_END;
  } else if (starts_name(c) && !(c == '%' && !continues_name(p->at[1]))) {
    do ++p->at;
    while (continues_name(*p->at));
    p->token.kind = TOKEN_WORD;
    p->token.name = ptx_intern(p, p->token.start, (size_t)(p->at - p->token.start));
  } else if (c == '.' && continues_name(p->at[1])) {
    ++p->at;
    lex_dotted(p);
  } else if (is_digit(c)) {
    lex_number(p);
  } else if (c == '"') {
    lex_string(p);
  } else {
    lex_mark(p);
  }
  p->token.end = p->at;
}

bool ptx_is(const ptx_parser *p, int mark) {
  return p->token.kind == TOKEN_MARK && p->token.mark == mark;
}

bool ptx_is_dot(const ptx_parser *p, const char *name) {
  return p->token.kind == TOKEN_DOT && strcmp(p->token.name, name) == 0;
}

bool ptx_accept(ptx_parser *p, int mark) {
  if (!ptx_is(p, mark)) return false;
  ptx_next(p);
  return true;
}

void ptx_expect(ptx_parser *p, int mark) {
  char wanted[] = {'\'', (char)mark, '\'', '\0'};
  if (!ptx_accept(p, mark)) ptx_unexpected(p, wanted);
}

const char *ptx_expect_word(ptx_parser *p, const char *what) {
  if (p->token.kind != TOKEN_WORD) ptx_unexpected(p, what);
  const char *name = p->token.name;
  ptx_next(p);
  return name;
}

void ptx_skip_group(ptx_parser *p, int open, int close) {
  const char *start = p->token.start;
  unsigned line = p->token.line;
  size_t depth = 0;
  do {
    if (p->token.kind == TOKEN_END) ptx_fail_at(p, start, line, "'%c' is not closed", open);
    if (ptx_is(p, open)) ++depth;
    if (ptx_is(p, close)) --depth;
    ptx_next(p);
  } while (depth > 0);
}
