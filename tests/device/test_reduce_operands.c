/* What operators are given: items and folds of items, and nothing else. All carry a mark that changes
 * from call to call, so that neither memory nor registers nor what an earlier call left there passes for
 * one. */
#include <jig/jig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "numbers.h"
#include "reduce_support.h"
#include "suite.h"

/* Around lanes, warps, runs, rows of 512 threads and several of them, with one block and with many. */
static const size_t sizes[] = {1,     2,     3,     7,     15,    16,     17,     31,     32,     33,
                               63,    64,    65,    127,   129,   255,    257,    511,    512,    513,
                               1023,  1025,  2047,  2048,  2049,  2050,   4095,   4096,   4097,   6145,
                               8191,  8192,  8193,  12289, 16383, 16384,  16385,  16401,  20000,  32767,
                               32769, 40001, 65537, 70003, 99999, 100001, 131071, 131073, 262147, 300007};
enum { MAX_ITEMS = 300007 };

/* The operator's state: where invalid operands are counted, and what valid ones carry. */
typedef struct watch {
  uint32_t *invalid;
  uint32_t mark, unused;
} watch;
static const char watch_definition[] = "struct watch { uint32_t *invalid; uint32_t mark, unused; };";

static jig_op watched(jig_op op, const watch *w) {
  return jig_op_with_state(op, w, jig_struct("watch", watch_definition, sizeof *w, _Alignof(watch)));
}

static uint32_t *new_counter(void) {
  const uint32_t none = 0;
  return gpu_copy(&none, sizeof none, 0);
}

static uint32_t count_of(const uint32_t *counter) {
  uint32_t count;
  gpu_read(&count, counter, sizeof count);
  return count;
}

/* ---- sums of marked items */

/* A kind of item: words of which the first is the mark and the others are summed, or a number with the
 * mark in its upper half. */
typedef struct layout {
  jig_type type;
  const char *body;
  size_t max_items;
} layout;

#define WORDS_BODY                                                                    \
  "if (a.w[0] != state.mark || b.w[0] != state.mark) atomicAdd(state.invalid, 1u);\n" \
  "for (unsigned i = 1; i < sizeof a.w / sizeof a.w[0]; ++i) a.w[i] += b.w[i];\n"     \
  "return a;"
#define NUMBER_BODY(bits)                           \
  "if (a >> " #bits " != state.mark || b >> " #bits \
  " != state.mark) atomicAdd(state.invalid, 1u);\n" \
  "const uint32_t ones = (1u << " #bits             \
  ") - 1;\n"                                        \
  "return (a & ~ones) | ((a + b) & ones);"

static layout words_layout(size_t words, const char *definition, size_t max_items) {
  return (layout){jig_struct("item", definition, 4 * words, 4), WORDS_BODY, max_items};
}

static uint32_t value_at(size_t i) {
  return (uint32_t)i * 2654435761u >> 7;
}

/* A mark that fits the items and has not been used for long. */
static uint32_t new_mark(const layout *l) {
  static uint32_t marks;
  ++marks;
  if (l->type.kind == JIG_KIND_STRUCT) return 0x5eed0000u + marks;
  return l->type.size == 4 ? 0x8000u + marks % 0x7fff : 1 + marks * 37 % 255;
}

static void put_item(const layout *l, void *items, size_t i, uint32_t mark, uint32_t value) {
  uint32_t words[64];
  words[0] = mark;
  for (size_t w = 1; w < COUNT_OF(words); ++w) words[w] = value;
  if (l->type.kind != JIG_KIND_STRUCT) {
    const unsigned half = 4 * l->type.size;
    words[0] = mark << half | (value & ((1u << half) - 1));
  }
  memcpy((char *)items + i * l->type.size, words, l->type.size);
}

typedef struct trial {
  const layout *l;
  size_t count, offset;
  bool commutative, with_init;
  const char *source; /* for messages */
} trial;

static void check_result(const trial *t, const void *got, const void *wanted, uint32_t *invalid) {
  const uint32_t seen = count_of(invalid);
  const size_t size = t->l->type.size;
  ck_assert_msg(seen == 0 && memcmp(got, wanted, size) == 0,
                "%zu items of %zu bytes, %s at offset %zu, %s operator%s: %u times it was given what is "
                "no item; the result is %s, not %s",
                t->count, size, t->source, t->offset, t->commutative ? "a commutative" : "an ordered",
                t->with_init ? " with init" : "", seen, bits_of(got, size), bits_of(wanted, size));
}

/* Folds `in`, whose items are those of put_item() with this mark and the values of value_at(). */
static void run_trial(const trial *t, jig_iter in, watch w) {
  unsigned char got[256], wanted[256], init[256];
  uint32_t sum = t->with_init ? 77 : 0;
  for (size_t i = 0; i < t->count; ++i) sum += value_at(i);
  put_item(t->l, init, 0, w.mark, 77);
  put_item(t->l, wanted, 0, w.mark, sum);
  jig_reduce_args args = {.in = in,
                          .num_items = t->count,
                          .op = watched(jig_op_source(t->l->body), &w),
                          .init = t->with_init ? init : NULL,
                          .accum_type = t->l->type};
  if (t->commutative) args.op = jig_op_commutative(args.op);
  reduce_to_host(args, t->l->type, got);
  check_result(t, got, wanted, w.invalid);
}

static void check_stored(const layout *l, size_t count, size_t offset, uint32_t *invalid) {
  const watch w = {.invalid = invalid, .mark = new_mark(l)};
  void *host = malloc(count * l->type.size);
  for (size_t i = 0; i < count; ++i) put_item(l, host, i, w.mark, value_at(i));
  void *device = gpu_copy(host, count * l->type.size, offset);
  for (int commutative = 0; commutative < 2; ++commutative) {
    const trial t = {l, count, offset, commutative, count % 3 == 0, "stored"};
    run_trial(&t, jig_pointer(device, l->type), w);
  }
  gpu_free(device);
  free(host);
}

static void check_layout(const layout *l) {
  uint32_t *invalid = new_counter();
  for (size_t s = 0; s < COUNT_OF(sizes) && sizes[s] <= l->max_items; ++s) {
    check_stored(l, sizes[s], 0, invalid);
    check_stored(l, sizes[s], l->type.align, invalid); /* no vector loads */
  }
  gpu_free(invalid);
}

START_TEST(operators_over_numbers_see_items_only) {
  const layout narrow = {JIG_U16, NUMBER_BODY(8), MAX_ITEMS},
               wide = {JIG_U32, NUMBER_BODY(16), MAX_ITEMS};
  check_layout(&narrow);
  check_layout(&wide);
}
END_TEST

START_TEST(operators_over_structs_see_items_only) {
  const layout layouts[] = {
      words_layout(2, "struct item { uint32_t w[2]; };", MAX_ITEMS),
      words_layout(3, "struct item { uint32_t w[3]; };", 100001),
      words_layout(4, "struct item { uint32_t w[4]; };", MAX_ITEMS),
      words_layout(16, "struct item { uint32_t w[16]; };", 40001),
      words_layout(64, "struct item { uint32_t w[64]; };", 8193),
  };
  for (size_t i = 0; i < COUNT_OF(layouts); ++i) check_layout(&layouts[i]);
}
END_TEST

START_TEST(operators_over_generated_items_see_items_only) {
  const layout l = words_layout(2, "struct item { uint32_t w[2]; };", MAX_ITEMS);
  uint32_t *invalid = new_counter();
  const jig_iter places = jig_counting(NULL, JIG_U32);
  for (size_t s = 0; s < COUNT_OF(sizes); ++s) {
    for (int commutative = 0; commutative < 2; ++commutative) {
      const watch w = {.invalid = invalid, .mark = new_mark(&l)};
      const jig_op make = jig_op_source(
          "item i;\ni.w[0] = state.mark;\ni.w[1] = x * 2654435761u >> 7;\n"
          "return i;");
      const trial t = {&l, sizes[s], 0, commutative, s % 2 == 1, "generated"};
      run_trial(&t, jig_iter_transform(&places, watched(make, &w), l.type), w);
    }
  }
  gpu_free(invalid);
}
END_TEST

/* ---- a loop that ends only if the operands are what they should be */

static uint32_t gcd(uint32_t a, uint32_t b) {
  return b == 0 ? a : gcd(b, a % b);
}

/* By subtraction: without the way out it would never end with a zero. */
static const char gcd_body[] =
    "if (a == 0 || b == 0) {\n"
    "  atomicAdd(state.invalid, 1u);\n"
    "  return a | b;\n"
    "}\n"
    "while (a != b) {\n"
    "  if (a > b) a -= b;\n"
    "  else b -= a;\n"
    "}\n"
    "return a;";

static void check_gcd(const uint32_t *host, size_t count, size_t offset, uint32_t *invalid) {
  uint32_t wanted = host[0], got;
  for (size_t i = 1; i < count; ++i) wanted = gcd(wanted, host[i]);
  uint32_t *device = gpu_copy(host, count * sizeof *host, offset);
  const watch w = {.invalid = invalid};
  jig_reduce_args args = {
      .in = jig_pointer(device, JIG_U32), .num_items = count, .op = watched(jig_op_source(gcd_body), &w)};
  for (int commutative = 0; commutative < 2; ++commutative) {
    if (commutative) args.op = jig_op_commutative(args.op);
    reduce_to_host(args, JIG_U32, &got);
    const uint32_t zeros = count_of(invalid);
    ck_assert_msg(zeros == 0 && got == wanted,
                  "gcd of %zu u32 at offset %zu, %s: %u, not %u; it was given a zero %u times", count,
                  offset, commutative ? "commutative" : "ordered", got, wanted, zeros);
  }
  gpu_free(device);
}

START_TEST(gcd_never_meets_a_zero) {
  uint32_t *host = malloc(MAX_ITEMS * sizeof *host), *invalid = new_counter();
  uint64_t seed = 40;
  /* Multiples of 30, and the first ones of more: the result falls as items come in. */
  for (size_t i = 0; i < MAX_ITEMS; ++i) {
    const uint32_t factor = i < 40 ? 64 : i < 3000 ? 8 : 1;
    host[i] = 30 * factor * (1 + (uint32_t)(next_random(&seed) % 100));
  }
  for (size_t s = 0; s < COUNT_OF(sizes); ++s) {
    check_gcd(host, sizes[s], 0, invalid);
    check_gcd(host, sizes[s], 4, invalid);
  }
  gpu_free(invalid);
  free(host);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(operators_over_numbers_see_items_only),
      SUITE_TEST(operators_over_structs_see_items_only),
      SUITE_TEST(operators_over_generated_items_see_items_only),
      SUITE_TEST(gcd_never_meets_a_zero),
  };
  return SUITE_RUN("device/reduce_operands", tests, true);
}
