/* Constant expressions: as in C, in 64 bits, with and without sign, or in double. */
#include <string.h>

#include "ptx/parser.h"

ptx_constant ptx_constant_of_real(double real) {
  ptx_constant result = {.is_float = true, .real = real};
  float single = (float)real;
  memcpy(&result.f32_bits, &single, sizeof single);
  return result;
}

static ptx_constant integer_of(int64_t value) {
  return (ptx_constant){.integer = value};
}

static double real_of(ptx_constant c) {
  return c.is_float ? c.real : c.is_unsigned ? (double)(uint64_t)c.integer : (double)c.integer;
}

static bool is_true(ptx_constant c) {
  return c.is_float ? c.real != 0 : c.integer != 0;
}

/* Binding power, 0 for what is no binary operator. */
static int precedence_of(const ptx_token *token) {
  static const struct {
    int mark, precedence;
  } operators[] = {{MARK2('|', '|'), 1},
                   {MARK2('&', '&'), 2},
                   {'|', 3},
                   {'^', 4},
                   {'&', 5},
                   {MARK2('=', '='), 6},
                   {MARK2('!', '='), 6},
                   {'<', 7},
                   {MARK2('<', '='), 7},
                   {'>', 7},
                   {MARK2('>', '='), 7},
                   {MARK2('<', '<'), 8},
                   {MARK2('>', '>'), 8},
                   {'+', 9},
                   {'-', 9},
                   {'*', 10},
                   {'/', 10},
                   {'%', 10}};
  if (token->kind != TOKEN_MARK) return 0;
  for (size_t i = 0; i < sizeof operators / sizeof operators[0]; ++i)
    if (operators[i].mark == token->mark) return operators[i].precedence;
  return 0;
}

static ptx_constant compute_real(ptx_parser *p, int mark, double a, double b) {
  switch (mark) {
    case MARK2('|', '|'):
      return integer_of(a != 0 || b != 0);
    case MARK2('&', '&'):
      return integer_of(a != 0 && b != 0);
    case MARK2('=', '='):
      return integer_of(a == b);
    case MARK2('!', '='):
      return integer_of(a != b);
    case '<':
      return integer_of(a < b);
    case MARK2('<', '='):
      return integer_of(a <= b);
    case '>':
      return integer_of(a > b);
    case MARK2('>', '='):
      return integer_of(a >= b);
    case '+':
      return ptx_constant_of_real(a + b);
    case '-':
      return ptx_constant_of_real(a - b);
    case '*':
      return ptx_constant_of_real(a * b);
    case '/':
      return ptx_constant_of_real(a / b);
    default:
      ptx_fail(p, "an operator that floating-point numbers do not have");
  }
}

static ptx_constant compute_shift(int mark, ptx_constant a, ptx_constant b) {
  uint64_t count = (uint64_t)b.integer, value = (uint64_t)a.integer;
  bool is_negative = !a.is_unsigned && a.integer < 0;
  if (mark == MARK2('<', '<')) {
    value = count < 64 ? value << count : 0;
  } else {
    uint64_t fill = is_negative ? UINT64_MAX : 0;
    value = count == 0 ? value : count < 64 ? value >> count | fill << (64 - count) : fill;
  }
  a.integer = (int64_t)value;
  return a;
}

static ptx_constant compute_division(ptx_parser *p, int mark, ptx_constant a, ptx_constant b) {
  ptx_constant result = {.is_unsigned = a.is_unsigned || b.is_unsigned};
  bool quotient = mark == '/';
  if (b.integer == 0) ptx_fail(p, "a division by zero");
  if (result.is_unsigned) {
    uint64_t x = (uint64_t)a.integer, y = (uint64_t)b.integer;
    result.integer = (int64_t)(quotient ? x / y : x % y);
  } else if (b.integer == -1) { /* the smallest number has no positive counterpart */
    result.integer = quotient ? (int64_t)(0 - (uint64_t)a.integer) : 0;
  } else {
    result.integer = quotient ? a.integer / b.integer : a.integer % b.integer;
  }
  return result;
}

static ptx_constant compute_integer(ptx_parser *p, int mark, ptx_constant a, ptx_constant b) {
  uint64_t x = (uint64_t)a.integer, y = (uint64_t)b.integer, result = 0;
  bool is_unsigned = a.is_unsigned || b.is_unsigned;
  bool less = is_unsigned ? x < y : a.integer < b.integer;
  switch (mark) {
    case MARK2('<', '<'):
    case MARK2('>', '>'):
      return compute_shift(mark, a, b);
    case '/':
    case '%':
      return compute_division(p, mark, a, b);
    case MARK2('|', '|'):
      return integer_of(x != 0 || y != 0);
    case MARK2('&', '&'):
      return integer_of(x != 0 && y != 0);
    case MARK2('=', '='):
      return integer_of(x == y);
    case MARK2('!', '='):
      return integer_of(x != y);
    case '<':
      return integer_of(less);
    case MARK2('<', '='):
      return integer_of(less || x == y);
    case '>':
      return integer_of(!less && x != y);
    case MARK2('>', '='):
      return integer_of(!less);
    case '|':
      result = x | y;
      break;
    case '^':
      result = x ^ y;
      break;
    case '&':
      result = x & y;
      break;
    case '+':
      result = x + y;
      break;
    case '-':
      result = x - y;
      break;
    default:
      result = x * y;
      break;
  }
  return (ptx_constant){.integer = (int64_t)result, .is_unsigned = is_unsigned};
}

static ptx_constant negative(ptx_constant c) {
  if (c.is_float) {
    c.real = -c.real;
    c.f32_bits ^= (uint32_t)1 << 31;
  } else {
    c.integer = (int64_t)(0 - (uint64_t)c.integer);
  }
  return c;
}

static ptx_constant unary(ptx_parser *p);

/* (.s64) or (.u64), after the opening parenthesis, and what is cast. */
static ptx_constant cast(ptx_parser *p) {
  bool is_unsigned = ptx_is_dot(p, "u64");
  if (!is_unsigned && !ptx_is_dot(p, "s64")) ptx_unexpected(p, ".s64 or .u64");
  ptx_next(p);
  ptx_expect(p, ')');
  ptx_constant c = unary(p);
  if (c.is_float) {
    bool fits = is_unsigned ? c.real > -1 && c.real < 0x1p64 : c.real >= -0x1p63 && c.real < 0x1p63;
    if (!fits) ptx_fail(p, "a number too large to be cast");
    c = integer_of(is_unsigned ? (int64_t)(uint64_t)c.real : (int64_t)c.real);
  }
  c.is_unsigned = is_unsigned;
  return c;
}

static ptx_constant primary(ptx_parser *p) {
  ptx_constant c = {0};
  if (p->token.kind == TOKEN_NUMBER) {
    c = p->token.number;
    ptx_next(p);
  } else if (p->token.kind == TOKEN_WORD && strcmp(p->token.name, "WARP_SZ") == 0) {
    c.integer = 32;
    ptx_next(p);
  } else if (ptx_accept(p, '(')) {
    if (p->token.kind == TOKEN_DOT) return cast(p);
    c = ptx_constant_expression(p);
    ptx_expect(p, ')');
  } else {
    ptx_unexpected(p, "a constant");
  }
  return c;
}

static ptx_constant unary(ptx_parser *p) {
  ptx_constant c;
  ptx_enter(p);
  if (ptx_accept(p, '-')) {
    c = negative(unary(p));
  } else if (ptx_accept(p, '+')) {
    c = unary(p);
  } else if (ptx_accept(p, '!')) {
    c = integer_of(!is_true(unary(p)));
  } else if (ptx_accept(p, '~')) {
    c = unary(p);
    if (c.is_float) ptx_fail(p, "~ of a floating-point number");
    c.integer = ~c.integer;
  } else {
    c = primary(p);
  }
  ptx_leave(p);
  return c;
}

/* Operators that bind at least as tightly as `least`. */
static ptx_constant binary(ptx_parser *p, int least) {
  ptx_constant left = unary(p);
  for (int precedence; (precedence = precedence_of(&p->token)) >= least;) {
    int mark = p->token.mark;
    ptx_next(p);
    ptx_constant right = binary(p, precedence + 1);
    left = left.is_float || right.is_float ? compute_real(p, mark, real_of(left), real_of(right))
                                           : compute_integer(p, mark, left, right);
  }
  return left;
}

ptx_constant ptx_constant_expression(ptx_parser *p) {
  ptx_enter(p);
  ptx_constant result = binary(p, 1);
  if (ptx_accept(p, '?')) {
    ptx_constant yes = ptx_constant_expression(p);
    ptx_expect(p, ':');
    ptx_constant no = ptx_constant_expression(p);
    result = is_true(result) ? yes : no;
  }
  ptx_leave(p);
  return result;
}

int64_t ptx_integer_expression(ptx_parser *p) {
  ptx_constant c = ptx_constant_expression(p);
  if (c.is_float) ptx_fail(p, "a floating-point number where an integer belongs");
  return c.integer;
}

uint64_t ptx_number(ptx_parser *p, uint64_t most) {
  const char *start = p->token.start;
  unsigned line = p->token.line;
  ptx_constant c = ptx_constant_expression(p);
  if (c.is_float || (!c.is_unsigned && c.integer < 0) || (uint64_t)c.integer > most)
    ptx_fail_at(p, start, line, "a number that is not in 0..%llu", (unsigned long long)most);
  return (uint64_t)c.integer;
}
