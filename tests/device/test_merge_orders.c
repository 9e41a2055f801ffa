/* Merge of inputs that are not in order, or by operators that are no strict weak orders: what comes out
 * is made of the inputs' items all the same, values with their keys; nothing else is read or written, and
 * operators are shown nothing but items. */
#include <jig/jig.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "merge_sort_support.h"
#include "numbers.h"
#include "phases.h"
#include "policy/merge.h"
#include "program_support.h"
#include "reduce_support.h"
#include "sort_support.h"
#include "suite.h"

typedef struct merge_case {
  jig_type key, value; /* value of kind NONE: there are none */
  jig_op op;           /* of kind NONE: JIG_LESS */
  size_t counts[2];
  size_t offset; /* of all arrays off their alignment, in items */
  const char *name;
} merge_case;

static jig_merge_args args_of(const merge_case *c, void *const in[2], void *const values_in[2], void *out,
                              void *values_out) {
  jig_merge_args args = {.first_keys_in = jig_pointer(in[0], c->key),
                         .second_keys_in = jig_pointer(in[1], c->key),
                         .keys_out = jig_pointer(out, c->key),
                         .first_num_items = c->counts[0],
                         .second_num_items = c->counts[1],
                         .compare = c->op};
  if (c->value.kind == JIG_KIND_NONE) return args;
  args.first_values_in = jig_pointer(values_in[0], c->value);
  args.second_values_in = jig_pointer(values_in[1], c->value);
  args.values_out = jig_pointer(values_out, c->value);
  return args;
}

static void run_merge(const jig_merge_args *args) {
  RUN_PHASES(jig_merge, args, 0);
}

/* In items: the tiles of a small merge, and from how many on tiles are large. */
typedef struct marks {
  size_t tile, large_from;
} marks;

static marks marks_of(const merge_case *c) {
  void *const none[2] = {NULL};
  const jig_merge_args args = args_of(c, none, none, NULL, NULL);
  char *text = NULL;
  OK(jig_merge_spec(&args, &text));
  const program p = program_here(text);
  const merge_tuning small = merge_tuning_of(&p.kernels[MERGE_SMALL].tuning);
  const size_t tile = (size_t)small.threads * (size_t)small.items;
  return (marks){tile, (size_t)p.multiprocessors * 16384 + 1};
}

static void check_keys(const merge_case *c, const char *keys) {
  const size_t first = c->counts[0], count = first + c->counts[1];
  const size_t size = c->key.size, value_size = c->value.size;
  char *values = calloc(count + 1, value_size + 1);
  for (size_t i = 0; i < count; ++i)
    memcpy(values + i * value_size, &i, value_size < sizeof i ? value_size : sizeof i);
  void *in[] = {gpu_copy(keys, first * size, c->offset * size),
                gpu_copy(keys + first * size, (count - first) * size, 0)};
  void *values_in[] = {gpu_copy(values, first * value_size, 0),
                       gpu_copy(values + first * value_size, (count - first) * value_size, 0)};
  void *out = gpu_alloc(count * size, c->offset * size), *values_out = gpu_alloc(count * value_size, 0);
  const jig_merge_args args = args_of(c, in, values_in, out, values_out);
  run_merge(&args);
  char what[160];
  (void)snprintf(what, sizeof what, "%s: %zu and %zu keys of %u bytes, values of %u", c->name,
                 c->counts[0], c->counts[1], c->key.size, c->value.size);
  check_only_items(out, keys, size, values_out, values, value_size, count, what);
  check_kept(in[0], keys, first * size, what);
  check_kept(in[1], keys + first * size, (count - first) * size, what);
  void *device[] = {in[0], in[1], values_in[0], values_in[1], out, values_out};
  for (size_t i = 0; i < COUNT_OF(device); ++i) gpu_free(device[i]);
  free(values);
}

/* Of random keys, or of what a pattern makes in both inputs together. */
static void check_case(merge_case c) {
  const size_t count = c.counts[0] + c.counts[1];
  char *keys = c.key.kind == JIG_KIND_STRUCT ? hostile_items(c.key, count, 7 + count)
                                             : (char *)random_bytes(count * c.key.size, 7 + count);
  check_keys(&c, keys);
  free(keys);
}

/* ---- inputs that are not in order */

START_TEST(sizes) {
  merge_case c = {.key = JIG_U32, .name = "random keys"};
  const marks m = marks_of(&c);
  const size_t counts[] = {0, 1, 2, 33, m.tile - 1, m.tile, m.tile + 1, 5 * m.tile + 3, 33 * m.tile};
  for (size_t i = 0; i < COUNT_OF(counts); ++i)
    for (size_t k = 0; k < COUNT_OF(counts); ++k) {
      c.counts[0] = counts[i];
      c.counts[1] = counts[k];
      c.offset = (i + k) % 2;
      check_case(c);
    }
}
END_TEST

/* Few tiles, many, and large ones, for which there is a launch that searches. */
START_TEST(patterns) {
  for (int p = 0; p < ORDER_PATTERNS; ++p) {
    merge_case c = {.key = JIG_I32, .name = "patterns"};
    const marks m = marks_of(&c);
    ck_assert_uint_lt(m.tile, m.large_from);
    const size_t counts[] = {20 * m.tile, m.large_from - 1, m.large_from + 9999};
    for (size_t i = 0; i < COUNT_OF(counts); ++i) {
      c.counts[0] = counts[i] / (2 + (size_t)p % 3);
      c.counts[1] = counts[i] - c.counts[0];
      uint32_t *ranks = ranks_of((order_pattern)p, counts[i], 77);
      char *keys = items_of_ranks(c.key, ranks, counts[i]);
      c.op = p % 2 ? (jig_op)JIG_GREATER : (jig_op)JIG_ZERO;
      check_keys(&c, keys);
      free(keys);
      free(ranks);
    }
  }
}
END_TEST

/* The first input in order and the second one not, and the other way round; and one swap in all. */
START_TEST(nearly_in_order) {
  for (int which = 0; which < 3; ++which) {
    merge_case c = {.key = JIG_U64, .value = JIG_U32, .name = "nearly in order"};
    const marks m = marks_of(&c);
    const size_t counts[] = {40 * m.tile, m.large_from + 1};
    for (size_t i = 0; i < COUNT_OF(counts); ++i) {
      uint64_t *keys = malloc(counts[i] * sizeof *keys), seed = 5;
      c.counts[0] = c.counts[1] = counts[i] / 2;
      for (size_t k = 0; k < counts[i]; ++k) {
        const bool is_second = k >= c.counts[0];
        keys[k] = which == (int)is_second ? next_random(&seed) >> 30 : k * 5000;
      }
      if (which == 2) keys[c.counts[0] / 3] = 1u << 31;
      check_keys(&c, (char *)keys);
      free(keys);
    }
  }
}
END_TEST

START_TEST(every_type) {
  const jig_type values[] = {JIG_ZERO, JIG_U32, JIG_ZERO, jig_opaque(24, 8), jig_opaque(3, 1)};
  int i = 0;
  for (const jig_type_kind *kind = all_kinds; *kind != JIG_KIND_NONE; ++kind, ++i) {
    if (*kind == JIG_KIND_BOOL) continue; /* random bytes are none */
    check_case((merge_case){.key = type_of(*kind),
                            .value = values[i % 5],
                            .counts = {3000, 2500 + (size_t)i},
                            .name = jig_type_name(&(jig_type){.kind = *kind})});
  }
}
END_TEST

/* ---- operators */

START_TEST(every_operator) {
  for (size_t o = 0; o < HOSTILE_OPS; ++o) {
    merge_case c = {.key = JIG_U32, .op = hostile_op(o, JIG_U32), .name = hostile_name(o)};
    const marks m = marks_of(&c);
    const size_t counts[][2] = {{1, 1},
                                {500, 1000},
                                {m.tile, m.tile},
                                {9 * m.tile, 30 * m.tile + 1},
                                {m.large_from / 2, m.large_from / 2 + 5}};
    for (size_t i = 0; i < COUNT_OF(counts); ++i) {
      memcpy(c.counts, counts[i], sizeof c.counts);
      check_case(c);
    }
  }
}
END_TEST

/* One that does not even say the same of the same two keys everywhere. */
START_TEST(undecided) {
  merge_case c = {.key = JIG_U32, .value = JIG_U32, .op = undecided_op, .name = "undecided"};
  const marks m = marks_of(&c);
  const size_t counts[][2] = {{500, 400}, {m.tile, 20 * m.tile}, {m.large_from / 2, m.large_from}};
  for (size_t i = 0; i < COUNT_OF(counts); ++i) {
    memcpy(c.counts, counts[i], sizeof c.counts);
    check_case(c);
  }
}
END_TEST

START_TEST(records_of_every_size) {
  static const size_t ops[] = {0, HOSTILE_RANDOM, HOSTILE_NEARLY};
  const jig_type keys[] = {hostile_type(8), hostile_type(12), hostile_type(64), hostile_type(256),
                           hostile_type(8)};
  const jig_type values[] = {JIG_ZERO, JIG_U8, JIG_ZERO, JIG_ZERO, jig_opaque(40, 8)};
  for (size_t i = 0; i < COUNT_OF(keys); ++i) {
    for (size_t k = 0; k < COUNT_OF(ops); ++k) {
      merge_case c = {.key = keys[i],
                      .value = values[i],
                      .op = hostile_op(ops[k], keys[i]),
                      .counts = {1500, 4000},
                      .name = hostile_name(ops[k])};
      check_case(c);
      const marks m = marks_of(&c);
      c.counts[0] = m.large_from / 3;
      c.counts[1] = m.large_from - c.counts[0];
      if (k == i % 3) check_case(c);
    }
  }
}
END_TEST

/* ---- NaNs: last in each input, they are last in the output; elsewhere, they are not lost */

START_TEST(nans_last) {
  merge_case c = {.key = JIG_F32, .value = JIG_U32, .name = "NaNs"};
  const marks m = marks_of(&c);
  const size_t counts[] = {10, 3000, m.large_from + 50};
  for (size_t i = 0; i < COUNT_OF(counts); ++i) {
    for (int falls = 0; falls < 2; ++falls) {
      const size_t n = counts[i];
      float *keys = malloc(2 * n * sizeof *keys), *got = malloc(2 * n * sizeof *got);
      uint32_t *values = malloc(2 * n * sizeof *values);
      for (size_t k = 0; k < 2 * n; ++k) {
        const size_t place = k % n, numbers = k < n ? n - n / 10 : n - n / 3;
        const float number = (float)(place / 2);
        keys[k] = place >= numbers ? NAN : falls ? -number : number;
        values[k] = (uint32_t)k;
      }
      void *in[] = {gpu_copy(keys, n * 4, 0), gpu_copy(keys + n, n * 4, 0)};
      void *values_in[] = {gpu_copy(values, n * 4, 0), gpu_copy(values + n, n * 4, 0)};
      void *out = gpu_alloc(2 * n * 4, 0), *values_out = gpu_alloc(2 * n * 4, 0);
      c.counts[0] = c.counts[1] = n;
      c.op = falls ? (jig_op)JIG_GREATER : (jig_op)JIG_ZERO;
      const jig_merge_args args = args_of(&c, in, values_in, out, values_out);
      run_merge(&args);
      gpu_read(got, out, 2 * n * 4);
      gpu_read(values, values_out, 2 * n * 4);
      for (size_t k = 1; k < 2 * n; ++k) {
        const float before = falls ? -got[k - 1] : got[k - 1], x = falls ? -got[k] : got[k];
        const bool rises = isnan(x) ? !isnan(before) : before < x;
        ck_assert_msg(rises || ((isnan(x) || before == x) && values[k - 1] < values[k]),
                      "%zu keys each: item %zu, %g with %u behind %g with %u", n, k, (double)x, values[k],
                      (double)before, values[k - 1]);
      }
      void *device[] = {in[0], in[1], values_in[0], values_in[1], out, values_out};
      for (size_t d = 0; d < COUNT_OF(device); ++d) gpu_free(device[d]);
      free(keys);
      free(got);
      free(values);
    }
  }
}
END_TEST

START_TEST(nans_anywhere) {
  for (int i = 0; i < 6; ++i) {
    merge_case c = {.key = i % 2 ? JIG_F64 : JIG_F16, .name = "NaNs anywhere", .counts = {2000, 9000}};
    if (i >= 4) c.counts[1] = marks_of(&c).large_from;
    check_case(c); /* of all bits */
  }
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(sizes),      SUITE_TEST(patterns),       SUITE_TEST(nearly_in_order),
      SUITE_TEST(every_type), SUITE_TEST(every_operator), SUITE_TEST(records_of_every_size),
      SUITE_TEST(nans_last),  SUITE_TEST(nans_anywhere),  SUITE_TEST(undecided),
  };
  return SUITE_RUN("device/merge_orders", tests, true);
}
