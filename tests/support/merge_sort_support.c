#include "merge_sort_support.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "numbers.h"
#include "program_support.h"
#include "reduce_support.h"
#include "sort_support.h"

/* ---- calls */

void run_merge_sort(const jig_merge_sort_args *args) {
  size_t bytes = 0;
  OK(jig_merge_sort(NULL, NULL, &bytes, args, NULL));
  ck_assert_uint_ge(bytes, 1);
  void *storage = gpu_alloc(bytes, 0);
  OK(jig_merge_sort(NULL, storage, &bytes, args, NULL));
  GPU(gpu()->cuStreamSynchronize(NULL));
  gpu_free(storage);
}

static size_t tile_of(const policy *p) {
  return (size_t)policy_threads(p) * (size_t)merge_sort_block_tuning_of(p).items;
}

static bool is_large(const program *p, size_t count) {
  return merge_sort_plan_of(p, count).block == MERGE_SORT_LARGE_BLOCK;
}
static bool is_by_four(const program *p, size_t count) {
  return merge_sort_pass_of(p, count, merge_sort_plan_of(p, count).run).ways == 4;
}
static bool has_brackets(const program *p, size_t count) {
  const merge_sort_plan plan = merge_sort_plan_of(p, count);
  uint64_t run = plan.run;
  for (int i = 0; i < plan.passes; ++i) {
    const merge_sort_pass pass = merge_sort_pass_of(p, count, run);
    if (pass.bracket > 0) return true;
    run *= pass.ways;
  }
  return false;
}

/* The least number of items of which a plan is so. */
static size_t first_that(bool (*is)(const program *p, size_t count), const program *p) {
  size_t low = 0, high = (size_t)1 << 32;
  while (low + 1 < high) {
    const size_t middle = low + (high - low) / 2;
    if (is(p, middle))
      high = middle;
    else
      low = middle;
  }
  return high;
}

merge_sort_marks merge_sort_marks_of(const jig_merge_sort_args *args) {
  char *text = NULL;
  OK(jig_merge_sort_spec(args, &text));
  const program p = program_here(text);
  const policy *merge4 = &p.kernels[MERGE_SORT_MERGE4].tuning;
  return (merge_sort_marks){.small_tile = tile_of(&p.kernels[MERGE_SORT_SMALL_BLOCK].tuning),
                            .merge_tile = tile_of(&p.kernels[MERGE_SORT_MERGE].tuning),
                            .large_tile = tile_of(&p.kernels[MERGE_SORT_LARGE_BLOCK].tuning),
                            .merge4_tile = (size_t)policy_value(merge4, "tile_items", 0),
                            .large_from = first_that(is_large, &p),
                            .four_from = first_that(is_by_four, &p),
                            .brackets_from = first_that(has_brackets, &p)};
}

/* ---- keys */

uint32_t *ranks_of(order_pattern pattern, size_t count, uint64_t seed) {
  uint32_t *ranks = malloc((count + 1) * sizeof *ranks);
  for (size_t i = 0; i < count; ++i) {
    const uint64_t r = next_random(&seed) >> 20;
    const uint32_t random = (uint32_t)r >> 1, place = (uint32_t)i;
    switch (pattern) {
      case ORDER_FEW:
        ranks[i] = random % 4;
        break;
      case ORDER_EQUAL:
        ranks[i] = 5;
        break;
      case ORDER_SORTED:
        ranks[i] = place;
        break;
      case ORDER_REVERSED:
        ranks[i] = (uint32_t)(count - i);
        break;
      case ORDER_NEARLY_SORTED:
        ranks[i] = r % 50 == 0 ? random % (uint32_t)count : place;
        break;
      case ORDER_ODD_LAST:
        ranks[i] = i + 1 == count ? 4 : 5;
        break;
      case ORDER_SAWTOOTH:
        ranks[i] = place % 1000;
        break;
      default:
        ranks[i] = random;
    }
  }
  return ranks;
}

void *items_of_ranks(jig_type type, const uint32_t *ranks, size_t count) {
  char *items = calloc(count + 1, type.size);
  for (size_t i = 0; i < count; ++i) {
    if (is_floating(type.kind))
      put_float(type.kind, items, i, (double)ranks[i] - 1000);
    else
      put_integer(type.kind, items, i, type.kind == JIG_KIND_BOOL ? ranks[i] % 2 : (int128)ranks[i] - 2);
  }
  return items;
}

/* ---- the host's side */

#define ORDER_OF_INTEGERS(kind)                                                                  \
  static int order_##kind(const void *a, const void *b) {                                        \
    const int128 x = get_integer(JIG_KIND_##kind, a, 0), y = get_integer(JIG_KIND_##kind, b, 0); \
    return x == y ? 0 : x < y ? -1 : 1;                                                          \
  }
#define ORDER_OF_FLOATS(kind)                                                                \
  static int order_##kind(const void *a, const void *b) {                                    \
    const double x = get_float(JIG_KIND_##kind, a, 0), y = get_float(JIG_KIND_##kind, b, 0); \
    return isnan(x) || isnan(y) ? !!isnan(x) - !!isnan(y) : x == y ? 0 : x < y ? -1 : 1;     \
  }
ORDER_OF_INTEGERS(I8)
ORDER_OF_INTEGERS(I16)
ORDER_OF_INTEGERS(I32)
ORDER_OF_INTEGERS(I64)
ORDER_OF_INTEGERS(I128)
ORDER_OF_INTEGERS(U8)
ORDER_OF_INTEGERS(U16)
ORDER_OF_INTEGERS(U32)
ORDER_OF_INTEGERS(U64)
ORDER_OF_INTEGERS(BOOL)
ORDER_OF_FLOATS(F16)
ORDER_OF_FLOATS(BF16)
ORDER_OF_FLOATS(F32)
ORDER_OF_FLOATS(F64)
static int order_U128(const void *a, const void *b) {
  const uint128 x = (uint128)get_integer(JIG_KIND_U128, a, 0),
                y = (uint128)get_integer(JIG_KIND_U128, b, 0);
  return x == y ? 0 : x < y ? -1 : 1;
}

key_order order_of_kind(jig_type_kind kind) {
#define ROW(name) [JIG_KIND_##name] = order_##name
  static const key_order orders[] = {ROW(I8),  ROW(I16),  ROW(I32), ROW(I64), ROW(I128),
                                     ROW(U8),  ROW(U16),  ROW(U32), ROW(U64), ROW(U128),
                                     ROW(F16), ROW(BF16), ROW(F32), ROW(F64), ROW(BOOL)};
#undef ROW
  return orders[kind];
}

/* By merging, bottom up. */
size_t *stable_order(const void *keys, size_t size, size_t count, key_order order) {
  size_t *from = malloc((count + 1) * sizeof *from), *to = malloc((count + 1) * sizeof *to);
  for (size_t i = 0; i < count; ++i) from[i] = i;
  for (size_t run = 1; run < count; run *= 2) {
    for (size_t begin = 0; begin < count; begin += 2 * run) {
      const size_t middle = begin + run < count ? begin + run : count;
      const size_t end = middle + run < count ? middle + run : count;
      size_t a = begin, b = middle;
      for (size_t i = begin; i < end; ++i) {
        const bool takes_b = b < end && (a == middle || order((const char *)keys + from[b] * size,
                                                              (const char *)keys + from[a] * size) < 0);
        to[i] = from[takes_b ? b++ : a++];
      }
    }
    size_t *swapped = from;
    from = to;
    to = swapped;
  }
  free(to);
  return from;
}

/* Compares what a sort wrote with the same items in the order of the host's. */
static void settle(const merge_sort_case *c, const void *device, const void *items, size_t size,
                   const size_t *order, const char *of) {
  char what[256];
  void *wanted = permuted(items, size, order, c->count);
  (void)snprintf(what, sizeof what, "%s: %zu %s by %s%s", c->what, c->count, of, jig_type_name(&c->key),
                 c->in_place ? ", in place" : "");
  check_sorted(device, wanted, size, c->count, what);
  free(wanted);
}

void sort_each(void *items, size_t size, const size_t counts[2], key_order order) {
  char *part = items;
  for (int k = 0; k < 2; ++k) {
    size_t *places = stable_order(part, size, counts[k], order);
    void *sorted = permuted(part, size, places, counts[k]);
    memcpy(part, sorted, counts[k] * size);
    part += counts[k] * size;
    free(places);
    free(sorted);
  }
}

void check_merge_sort(const merge_sort_case *c) {
  size_t *order = stable_order(c->keys, c->key.size, c->count, c->order);
  const bool has_values = c->value.kind != JIG_KIND_NONE;
  const size_t key_bytes = c->count * c->key.size, value_bytes = c->count * c->value.size;
  unsigned char *values = random_bytes(value_bytes, 99);
  void *in = gpu_copy(c->keys, key_bytes, c->offset * c->key.size);
  void *out = c->in_place ? in : gpu_alloc(key_bytes, c->offset * c->key.size);
  void *values_in = gpu_copy(values, value_bytes, c->offset * c->value.size);
  void *values_out = c->in_place ? values_in : gpu_alloc(value_bytes, c->offset * c->value.size);
  jig_merge_sort_args args = {.keys_in = jig_pointer(in, c->key),
                              .keys_out = jig_pointer(out, c->key),
                              .num_items = c->count,
                              .compare = c->op};
  if (has_values) args.values_in = jig_pointer(values_in, c->value);
  if (has_values) args.values_out = jig_pointer(values_out, c->value);
  run_merge_sort(&args);
  settle(c, out, c->keys, c->key.size, order, "keys");
  if (has_values) settle(c, values_out, values, c->value.size, order, "values");
  if (!c->in_place) {
    check_kept(in, c->keys, key_bytes, c->what);
    check_kept(values_in, values, value_bytes, c->what);
    gpu_free(out);
    gpu_free(values_out);
  }
  gpu_free(in);
  gpu_free(values_in);
  free(values);
  free(order);
}
