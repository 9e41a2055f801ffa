/* atom and red: PTX ISA, "Parallel Synchronization and Communication Instructions". First each thread on
 * memory of its own: the old value, then what is left behind; then many threads on the same. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptx_support.h"

/* ---- one operation: memory holds %a, the operand is %b (and %c for cas) */

static uint64_t float_sum(const number_format *f, uint64_t a, uint64_t b) {
  return number_round(f, (long double)odd_sum(number_value(f, a), number_value(f, b)), ROUND_NEAREST);
}
static uint64_t add(const ptx_case *c) {
  const value_type *t = c->type;
  const number_format *f = ptx_format(t);
  if (f == NULL) return ptx_cut(t, c->a + c->b);
  if (t->class == VALUE_F64) return double_bits(as_double(c->a) + as_double(c->b));
  const unsigned width = 1 + f->mantissa + f->exponent;
  uint64_t sum = 0;
  for (unsigned k = 0; k < t->bits; k += width) {
    const uint64_t mask = (UINT64_C(1) << width) - 1;
    sum |= float_sum(f, c->a >> k & mask, c->b >> k & mask) << k;
  }
  return sum;
}

/* ?1 is the operation. */
static uint64_t left_behind(const ptx_case *c) {
  const char *op = c->choice[0];
  const __int128 a = ptx_integer(c->type, c->a), b = ptx_integer(c->type, c->b);
  if (strcmp(op, "and") == 0) return c->a & c->b;
  if (strcmp(op, "or") == 0) return c->a | c->b;
  if (strcmp(op, "xor") == 0) return c->a ^ c->b;
  if (strcmp(op, "exch") == 0) return c->b;
  if (strcmp(op, "cas") == 0) return c->a == c->b ? c->c : c->a;
  if (strcmp(op, "min") == 0) return a < b ? c->a : c->b;
  if (strcmp(op, "max") == 0) return a > b ? c->a : c->b;
  if (strcmp(op, "inc") == 0) return c->a >= c->b ? 0 : c->a + 1;
  if (strcmp(op, "dec") == 0) return c->a == 0 || c->a > c->b ? c->b : c->a - 1;
  return add(c);
}
static uint64_t old(const ptx_case *c) {
  return c->a;
}

/* Which NaN a sum is, and what becomes of subnormals of f32 in global memory, is left open. */
static bool loosely(const ptx_case *c, uint64_t got, uint64_t wanted) {
  const number_format *f = ptx_format(c->type);
  const unsigned width = 1 + f->mantissa + f->exponent;
  for (unsigned k = 0; k < c->type->bits; k += width) {
    const uint64_t mask = UINT64_MAX >> (64 - width), g = got >> k & mask, w = wanted >> k & mask;
    if (g != w && !(number_is_nan(f, g) && number_is_nan(f, w))) return false;
  }
  return true;
}
static bool subnormal(const ptx_case *c) {
  return c->type->class == VALUE_F32 &&
         (number_flush(&F32, c->a) != c->a || number_flush(&F32, c->b) != c->b ||
          number_flush(&F32, add(c)) != add(c));
}

#define PUT(space, at) "st." space ".$b [" at "], %a; "
#define GET(space, at) " ld." space ".$b %d, [" at "];"
#define ATOM(space, at, rest) PUT(space, at) "atom." space rest
#define RED(space, at, rest) PUT(space, at) "red." space rest GET(space, at)
#define KEEP "{ .reg .$b %y; "
#define BITWISE "b32 b64"
#define ORDERED "u32 s32 u64 s64"
#define ADDED "u32 s32 u64"

/* Every operation in a space: its old value, what atom leaves behind, and red. */
#define INTEGER_ROWS(space, at)                                                                          \
  PTX_ROW(ATOM(space, at, ".?1.$ %d, [" at "], %b;"), "$ $ $", BITWISE, "and or xor exch", old),         \
      PTX_ROW(KEEP ATOM(space, at, ".?1.$ %y, [" at "], %b;") GET(space, at) "}", "$ $ $", BITWISE,      \
              "and or xor exch", left_behind),                                                           \
      PTX_ROW(RED(space, at, ".?1.$ [" at "], %b;"), "$ $ $", BITWISE, "and or xor", left_behind),       \
      PTX_ROW(ATOM(space, at, ".?1.$ %d, [" at "], %b;"), "$ $ $", ORDERED, "min max", old),             \
      PTX_ROW(KEEP ATOM(space, at, ".?1.$ %y, [" at "], %b;") GET(space, at) "}", "$ $ $", ORDERED,      \
              "min max", left_behind),                                                                   \
      PTX_ROW(RED(space, at, ".?1.$ [" at "], %b;"), "$ $ $", ORDERED, "min max", left_behind),          \
      PTX_ROW(ATOM(space, at, ".?1.$ %d, [" at "], %b;"), "$ $ $", ADDED, "add", old),                   \
      PTX_ROW(KEEP ATOM(space, at, ".?1.$ %y, [" at "], %b;") GET(space, at) "}", "$ $ $", ADDED, "add", \
              left_behind),                                                                              \
      PTX_ROW(RED(space, at, ".?1.$ [" at "], %b;"), "$ $ $", ADDED, "add", left_behind),                \
      PTX_ROW(ATOM(space, at, ".?1.$ %d, [" at "], %b;"), "$ $ $", "u32", "inc dec", old),               \
      PTX_ROW(KEEP ATOM(space, at, ".?1.$ %y, [" at "], %b;") GET(space, at) "}", "$ $ $", "u32",        \
              "inc dec", left_behind),                                                                   \
      PTX_ROW(RED(space, at, ".?1.$ [" at "], %b;"), "$ $ $", "u32", "inc dec", left_behind),            \
      PTX_ROW(ATOM(space, at, ".?1.$ %d, [" at "], %b, %c;"), "$ $ $ $", "b16 b32 b64", "cas", old),     \
      PTX_ROW(KEEP ATOM(space, at, ".?1.$ %y, [" at "], %b, %c;") GET(space, at) "}", "$ $ $ $",         \
              "b16 b32 b64", "cas", left_behind)

START_TEST(integers_in_global_memory) {
  static const ptx_row rows[] = {INTEGER_ROWS("global", "%ps+8")};
  PTX_ROWS("integers_in_global_memory", rows);
}
END_TEST

START_TEST(integers_in_shared_memory) {
  static const ptx_row rows[] = {INTEGER_ROWS("shared", "%ss"),
                                 INTEGER_ROWS("shared::cluster", "%ss+16")};
  PTX_ROWS("integers_in_shared_memory", rows);
}
END_TEST

/* By generic addresses, and with every order and scope. */
#define GLOBAL_Y "{ .reg .b64 %y; .reg .$b %x; cvta.global.u64 %y, %ps; st.$b [%y], %a; "
#define SHARED_Y \
  "{ .reg .b64 %y; .reg .$b %x; cvt.u64.u32 %y, %ss; cvta.shared.u64 %y, %y; st.$b [%y], %a; "

START_TEST(orders_and_scopes) {
  static const ptx_row rows[] = {
      PTX_ROW(GLOBAL_Y "atom?2?3.?1.$ %x, [%y], %b; ld.$b %d, [%y]; }", "$ $ $", ADDED,
              "add | - .relaxed .acquire .release .acq_rel | - .cta .cluster .gpu .sys", left_behind),
      PTX_ROW(SHARED_Y "atom?2?3.?1.$ %x, [%y], %b; ld.$b %d, [%y]; }", "$ $ $", BITWISE,
              "exch xor | - .relaxed .acquire .release .acq_rel | - .cta .cluster", left_behind),
      PTX_ROW(GLOBAL_Y "red?2?3.?1.$ [%y], %b; ld.$b %d, [%y]; }", "$ $ $", ORDERED,
              "max | - .relaxed .release | - .cta .gpu .sys", left_behind),
      PTX_ROW(SHARED_Y "red?2?3.?1.$ [%y], %b; ld.$b %d, [%y]; }", "$ $ $", ADDED,
              "add | - .relaxed .release | - .cta", left_behind),
      PTX_ROW(GLOBAL_Y "atom?2?3.?1.$ %x, [%y], %b, %c; ld.$b %d, [%y]; }", "$ $ $ $", "b16 b32 b64",
              "cas | .acq_rel .relaxed | .gpu .sys", left_behind),
      PTX_ROW(GLOBAL_Y "atom?2?3.global.?1.$ %x, [%ps], %b, %c; ld.$b %d, [%y]; }", "$ $ $ $",
              "b16 b32 b64", "cas | .acquire .release | .cta", left_behind),
      PTX_ROW(GLOBAL_Y "atom.global.?1.$ _, [%ps], %b; ld.$b %d, [%y]; }", "$ $ $", "u32", "add inc",
              left_behind),
      PTX_ROW(GLOBAL_Y "createpolicy.fractional.L2::evict_last.b64 %w0, 1.0;"
                       " atom.global.?1.L2::cache_hint.$ %x, [%ps], %b, %w0; ld.$b %d, [%y]; }",
              "$ $ $", "u32", "add", left_behind),
  };
  PTX_ROWS("orders_and_scopes", rows);
}
END_TEST

/* ---- floating-point sums */

/* Devices differ in the NaNs of f64, by which the results cannot be compared between them. */
#define FLOAT_ROW(text, types, choices, model, varies) \
  { text, "$ $ $", types, choices, model, loosely, subnormal, NULL, varies, NULL }
#define FLOAT_ROWS(space, at)                                                                          \
  FLOAT_ROW(ATOM(space, at, ".?1.$ %d, [" at "], %b;"), "f32 f64", "add", old, false),                 \
      FLOAT_ROW(KEEP ATOM(space, at, ".?1.$ %y, [" at "], %b;") GET(space, at) "}", "f32 f64", "add",  \
                left_behind, true),                                                                    \
      FLOAT_ROW(RED(space, at, ".?1.$ [" at "], %b;"), "f32 f64", "add", left_behind, true),           \
      FLOAT_ROW(KEEP ATOM(space, at, ".?1.noftz.$ %y, [" at "], %b;") GET(space, at) "}",              \
                "f16 f16x2 bf16 bf16x2", "add", left_behind, false),                                   \
      FLOAT_ROW(ATOM(space, at, ".?1.noftz.$ %d, [" at "], %b;"), "f16 f16x2 bf16 bf16x2", "add", old, \
                false),                                                                                \
      FLOAT_ROW(RED(space, at, ".?1.noftz.$ [" at "], %b;"), "f16 f16x2 bf16 bf16x2", "add",           \
                left_behind, false)

START_TEST(floating_point_sums) {
  static const ptx_row rows[] = {FLOAT_ROWS("global", "%ps"), FLOAT_ROWS("shared", "%ss")};
  PTX_ROWS("floating_point_sums", rows);
}
END_TEST

/* Vectors are sums element by element; f32 operands are whole registers, two of them here. */
static uint64_t add_pairs(const ptx_case *c) {
  const uint64_t low = float_sum(&F32, c->a & UINT32_MAX, c->b & UINT32_MAX);
  return low | float_sum(&F32, c->a >> 32, c->b >> 32) << 32;
}
static bool not_normal(const ptx_case *c) {
  for (unsigned k = 0; k < 64; k += 32) {
    const uint64_t a = c->a >> k & UINT32_MAX, b = c->b >> k & UINT32_MAX,
                   sum = add_pairs(c) >> k & UINT32_MAX;
    if (number_flush(&F32, a) != a || number_flush(&F32, b) != b || number_flush(&F32, sum) != sum ||
        number_is_nan(&F32, sum))
      return true;
  }
  return false;
}
static const number_format *format_of(const ptx_case *c) {
  return strstr(c->text, "bf16") != NULL ? &BF16 : &F16;
}
static uint64_t add_halves(const ptx_case *c) {
  const number_format *f = format_of(c);
  uint64_t sum = 0;
  for (unsigned k = 0; k < 64; k += 16) sum |= float_sum(f, c->a >> k & 0xffff, c->b >> k & 0xffff) << k;
  return sum;
}
static bool nan_halves(const ptx_case *c) {
  const number_format *f = format_of(c);
  for (unsigned k = 0; k < 64; k += 16) {
    const uint64_t a = c->a >> k & 0xffff, b = c->b >> k & 0xffff;
    if (number_is_nan(f, a) || number_is_nan(f, b) || number_is_nan(f, float_sum(f, a, b))) return true;
  }
  return false;
}
static uint64_t order_halves(const ptx_case *c) {
  const number_format *f = format_of(c);
  uint64_t result = 0;
  for (unsigned k = 0; k < 64; k += 16) {
    const uint64_t a = c->a >> k & 0xffff, b = c->b >> k & 0xffff;
    const double x = number_value(f, a), y = number_value(f, b);
    const bool a_is_less = x < y || (x == y && signbit(x) != 0);
    result |= (a_is_less == (c->choice[1][1] == 'i') ? a : b) << k;
  }
  return result;
}
#define VECTOR_ROW(text, choices, model, skips) \
  { text, "b64 b64 b64", NULL, choices, model, NULL, skips, "8.1", false, NULL }
#define WORDS "mov.b64 {%r2, %r3}, %b; st.global.b64 [%ps], %a; "
#define HALVES "mov.b64 {%h4, %h5, %h6, %h7}, %b; st.global.b64 [%ps], %a; "

START_TEST(vectors_of_sums) {
  static const ptx_row rows[] = {
      VECTOR_ROW(WORDS "atom.global.add.v2.f32 {%r0, %r1}, [%ps], {%r2, %r3}; mov.b64 %d, {%r0, %r1};",
                 NULL, old, not_normal),
      VECTOR_ROW(WORDS "atom.global.add.v2.f32 {%r0, %r1}, [%ps], {%r2, %r3}; ld.global.b64 %d, [%ps];",
                 NULL, add_pairs, not_normal),
      VECTOR_ROW(WORDS "red.global.add.v2.f32 [%ps], {%r2, %r3}; ld.global.b64 %d, [%ps];", NULL,
                 add_pairs, not_normal),
      VECTOR_ROW("mov.b64 {%r2, %r3}, %b; st.global.v2.b64 [%ps], {%b, %a};"
                 " red.global.add.v4.f32 [%ps], {%r2, %r3, %r2, %r3}; ld.global.b64 %d, [%ps+8];",
                 NULL, add_pairs, not_normal),
      VECTOR_ROW(HALVES "atom.global.add.noftz.v4.?1 {%h0, %h1, %h2, %h3}, [%ps], {%h4, %h5, %h6, %h7};"
                        " ld.global.b64 %d, [%ps];",
                 "f16 bf16", add_halves, nan_halves),
      VECTOR_ROW(HALVES
                 "red.global.add.noftz.v4.?1 [%ps], {%h4, %h5, %h6, %h7}; ld.global.b64 %d, [%ps];",
                 "f16 bf16", add_halves, nan_halves),
      VECTOR_ROW(WORDS "red.global.add.noftz.v2.?1 [%ps], {%r2, %r3}; ld.global.b64 %d, [%ps];",
                 "f16x2 bf16x2", add_halves, nan_halves),
      VECTOR_ROW(HALVES
                 "red.global.v4.?1.add.noftz [%ps], {%h4, %h5, %h6, %h7}; ld.global.b64 %d, [%ps];",
                 "f16", add_halves, nan_halves),
      VECTOR_ROW(HALVES
                 "st.global.b64 [%ps+8], %b; red.global.add.noftz.v8.?1 [%ps], {%h4, %h5, %h6, %h7,"
                 " %h4, %h5, %h6, %h7}; ld.global.b64 %d, [%ps];",
                 "f16 bf16", add_halves, nan_halves),
      VECTOR_ROW(WORDS
                 "atom.global.add.noftz.v2.?1 {%r0, %r1}, [%ps], {%r2, %r3}; mov.b64 %d, {%r0, %r1};",
                 "f16x2 bf16x2", old, nan_halves),
      VECTOR_ROW(HALVES "atom.global.?2.noftz.v4.?1 {%h0, %h1, %h2, %h3}, [%ps], {%h4, %h5, %h6, %h7};"
                        " ld.global.b64 %d, [%ps];",
                 "f16 bf16 | min max", order_halves, nan_halves),
      VECTOR_ROW(WORDS "red.global.?2.noftz.v2.?1 [%ps], {%r2, %r3}; ld.global.b64 %d, [%ps];",
                 "f16x2 bf16x2 | min max", order_halves, nan_halves),
  };
  PTX_ROWS("vectors_of_sums", rows);
}
END_TEST

/* ---- 128 bits */

static uint64_t mixed(uint64_t low, uint64_t high) {
  return low ^ (high << 5 | high >> 59);
}
static uint64_t wide_old(const ptx_case *c) {
  return mixed(c->a, c->b);
}
static uint64_t wide_new(const ptx_case *c) {
  return mixed(c->b, c->c);
}
#define WIDE                                                                                         \
  "{ .reg .b128 %x, %y, %z; mov.b128 %x, {%a, %b}; mov.b128 %y, {%b, %c}; st.?1.v2.b64 [%?2], {%a, " \
  "%b}; "
#define FOLD " shl.b64 %w2, %w1, 5; shr.u64 %w3, %w1, 59; or.b64 %w2, %w2, %w3; xor.b64 %d, %w0, %w2; }"
#define WIDE_OLD "mov.b128 {%w0, %w1}, %z;" FOLD
#define WIDE_NEW "ld.?1.v2.b64 {%w0, %w1}, [%?2];" FOLD
#define WIDE_ROW(text, choices, model) \
  { text, "b64 b64 b64 b64", NULL, choices, model, NULL, NULL, "8.3", false, NULL }

START_TEST(sixteen_bytes) {
  static const ptx_row rows[] = {
      WIDE_ROW(WIDE "atom.?1.exch.b128 %z, [%?2], %y; " WIDE_OLD, "global | ps", wide_old),
      WIDE_ROW(WIDE "atom.?1.exch.b128 %z, [%?2], %y; " WIDE_NEW, "shared | ss", wide_new),
      WIDE_ROW(WIDE "atom.?1.cas.b128 %z, [%?2], %x, %y; " WIDE_NEW, "global | ps", wide_new),
      WIDE_ROW(WIDE "atom.?1.cas.b128 %z, [%?2], %x, %y; " WIDE_OLD, "shared | ss", wide_old),
      /* compared with something else, nothing is stored */
      WIDE_ROW(WIDE "not.b64 %w0, %b; mov.b128 %z, {%a, %w0}; atom.acq_rel.gpu.?1.cas.b128 %z, [%?2], "
                    "%z, %y; " WIDE_NEW,
               "global | ps", wide_old),
  };
  PTX_ROWS("sixteen_bytes", rows);
}
END_TEST

/* ---- many threads */

enum { BLOCKS = 5, THREADS = 96, ALL = BLOCKS * THREADS };

static int compare_words(const void *a, const void *b) {
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

/* Each thread gets another number. */
static void check_numbers(const char *what, uint32_t *numbers, size_t count) {
  uint32_t *wanted = malloc(count * sizeof *wanted);
  for (uint32_t i = 0; i < count; ++i) wanted[i] = i;
  qsort(numbers, count, sizeof *numbers, compare_words);
  ptx_same(what, numbers, wanted, count);
  free(wanted);
}

#define COUNTER ".global .u32 counter;\n.global .u32 lock;\n.global .u32 guarded;\n"

START_TEST(numbers_are_given_out_once) {
  static const struct {
    const char *name, *text;
  } programs[] = {
      {"add", "atom.global.add.u32 %r0, [counter], 1;\n"},
      {"inc", "atom.global.inc.u32 %r0, [counter], 0xffff;\n"},
      {"generic", "mov.u64 %w0, counter;\ncvta.global.u64 %w0, %w0;\natom.add.u32 %r0, [%w0], 1;\n"},
      {"cas",
       "ld.relaxed.gpu.global.u32 %r0, [counter];\nagain:\nadd.u32 %r1, %r0, 1;\nmov.u32 %r2, %r0;\n"
       "atom.global.cas.b32 %r0, [counter], %r2, %r1;\nsetp.ne.u32 %p0, %r0, %r2;\n@%p0 bra again;\n"},
      {"divergent",
       "and.b32 %r1, %t, 3;\nsetp.eq.u32 %p0, %r1, 0;\n@%p0 bra one;\natom.global.add.u32 %r0, "
       "[counter], 1;\n"
       "bra both;\none:\natom.global.add.u32 %r0, [counter], 1;\nboth:\n"},
      /* a lock around plain accesses; threads of a warp take turns */
      {"lock",
       "mov.u32 %r3, 0;\nagain:\nsetp.ne.u32 %p1, %r3, 0;\n@%p1 bra out;\n"
       "atom.acquire.gpu.global.cas.b32 %r1, [lock], 0, 1;\nsetp.ne.u32 %p0, %r1, 0;\n@%p0 bra again;\n"
       "ld.global.u32 %r0, [guarded];\nadd.u32 %r2, %r0, 1;\nst.global.u32 [guarded], %r2;\n"
       "mov.u32 %r3, 1;\natom.release.gpu.global.exch.b32 %r1, [lock], 0;\nbra again;\nout:\n"},
  };
  for (size_t i = 0; i < COUNT_OF(programs); ++i) {
    char text[4096];
    uint32_t out[ALL];
    (void)snprintf(text, sizeof text, "%s%sst.global.u32 [%%po], %%r0;\n%s",
                   PTX_HEADER("8.0") COUNTER PTX_ENTRY, programs[i].text, PTX_END);
    const ptx_program p = {.test = "numbers_are_given_out_once",
                           .name = programs[i].name,
                           .text = text,
                           .blocks = BLOCKS,
                           .threads = THREADS,
                           .out = out,
                           .out_bytes = sizeof out,
                           .varies = true};
    if (ptx_run(&p)) check_numbers(p.name, out, ALL);
  }
  ptx_end();
}
END_TEST

START_TEST(threads_of_a_block_share) {
  static const char text[] = PTX_HEADER("8.0") PTX_ENTRY
      ".shared .align 8 .b8 s[64];\nsetp.lt.u32 %p0, %t, 16;\nshl.b32 %r0, %t, 2;\nmov.u32 %r1, s;\n"
      "add.u32 %r0, %r0, %r1;\n@%p0 st.shared.u32 [%r0], 0;\nbar.sync 0;\n"
      "add.u32 %r2, %t, 1;\nmul.lo.u32 %r3, %t, 0x9e3779b1;\n"
      "atom.shared.add.u32 %r4, [s], 1;\nst.global.u32 [%po], %r4;\n"
      "red.shared.max.u32 [s+4], %r2;\nred.shared.or.b32 [s+8], %r2;\nred.shared.xor.b32 [s+12], %r3;\n"
      "cvt.u64.u32 %w0, %r3;\nmul.lo.u64 %w0, %w0, %w0;\nred.shared.add.u64 [s+16], %w0;\n"
      "atom.shared.inc.u32 %r5, [s+24], 10;\nnot.b32 %r6, %r2;\nred.shared.min.s32 [s+28], %r6;\n"
      "bar.sync 0;\n@!%p0 bra done;\nld.shared.u32 %r7, [%r0];\n"
      "mad.lo.u32 %r8, %cta, 16, %t;\nmad.wide.u32 %w1, %r8, 4, %in;\nmov.u32 %r9, %nctaid.x;\n"
      "mov.u32 %r10, %ntid.x;\nmul.lo.u32 %r9, %r9, %r10;\nadd.u32 %r9, %r9, %r8;\n"
      "mad.wide.u32 %w1, %r9, 4, %out;\nst.global.u32 [%w1], %r7;\ndone:\n" PTX_END;
  uint32_t out[ALL + 16 * BLOCKS], wanted[16] = {THREADS, THREADS, 0};
  uint64_t squares = 0;
  for (uint32_t t = 0; t < THREADS; ++t) {
    const uint32_t mixed_up = t * 0x9e3779b1U;
    wanted[2] |= t + 1;
    wanted[3] ^= mixed_up;
    squares += (uint64_t)mixed_up * mixed_up;
  }
  memcpy(&wanted[4], &squares, sizeof squares);
  wanted[6] = THREADS % 11;
  wanted[7] = ~(uint32_t)THREADS;
  const ptx_program p = {.test = "threads_of_a_block_share",
                         .name = "all",
                         .text = text,
                         .blocks = BLOCKS,
                         .threads = THREADS,
                         .out = out,
                         .out_bytes = sizeof out,
                         .varies = true};
  if (ptx_run(&p)) {
    for (size_t b = 0; b < BLOCKS; ++b) {
      check_numbers("atom.shared.add", out + b * THREADS, THREADS);
      ptx_same("shared memory", out + ALL + 16 * b, wanted, 16);
    }
  }
  ptx_end();
}
END_TEST

int main(void) {
  static const suite_test tests[] = {SUITE_TEST(integers_in_global_memory),
                                     SUITE_TEST(integers_in_shared_memory),
                                     SUITE_TEST(orders_and_scopes),
                                     SUITE_TEST(floating_point_sums),
                                     SUITE_TEST(vectors_of_sums),
                                     SUITE_TEST(sixteen_bytes),
                                     SUITE_TEST(numbers_are_given_out_once),
                                     SUITE_TEST(threads_of_a_block_share)};
  return PTX_SUITE_RUN("ptx/atomic", tests);
}
