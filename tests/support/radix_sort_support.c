#include "radix_sort_support.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "numbers.h"
#include "program_support.h"
#include "reduce_support.h"
#include "sort_support.h"

/* ---- calls */

void run_radix_sort(jig_engine *engine, const jig_radix_sort_args *args) {
  size_t bytes = 0;
  OK(jig_radix_sort(engine, NULL, &bytes, args, NULL));
  ck_assert_uint_ge(bytes, 1);
  void *storage = gpu_alloc(bytes, 0);
  OK(jig_radix_sort(engine, storage, &bytes, args, NULL));
  GPU(gpu()->cuStreamSynchronize(NULL));
  gpu_free(storage);
}

jig_engine *engine_with_option(const char *option) {
  const jig_engine_config config = {.compile_options = &option, .compile_option_count = 1};
  jig_engine *engine = NULL;
  OK(jig_engine_create(&engine, &config));
  return engine;
}

radix_sort_marks radix_sort_marks_of(jig_type key, jig_type value) {
  jig_radix_sort_args args = {.keys_in = jig_pointer(NULL, key), .keys_out = jig_pointer(NULL, key)};
  char *text = NULL;
  if (value.kind != JIG_KIND_NONE) args.values_in = args.values_out = jig_pointer(NULL, value);
  OK(jig_radix_sort_spec(&args, &text));
  const program p = program_here(text);
  const radix_sort_tile_tuning block = radix_sort_tile_tuning_of(&p.kernels[RADIX_SORT_BLOCK].tuning);
  const radix_sort_pass_tuning pass = radix_sort_pass_tuning_of(&p.kernels[RADIX_SORT_PASS].tuning);
  const size_t threads = (size_t)pass.threads, rows = (size_t)pass.rows;
  const size_t blocks = (size_t)p.multiprocessors * (size_t)pass.min_blocks;
  return (radix_sort_marks){.alone = (size_t)block.threads * (size_t)block.rows,
                            .tile = threads * rows,
                            .resident = threads * rows * blocks,
                            .blocks = p.kernels[RADIX_SORT_CLUSTER].max_cluster};
}

/* ---- keys */

/* The key at a place in ascending order, of `count`: as bits of the size that it has. */
static void put_rising(jig_type type, void *keys, size_t i, size_t place) {
  if (is_floating(type.kind))
    put_float(type.kind, keys, i, (double)place - 100);
  else
    put_integer(type.kind, keys, i, (int128)place);
}

/* Every eighth floating-point number is a zero, of either sign. */
static void put_bits(jig_type type, char *keys, size_t i, uint64_t *seed) {
  const uint64_t bits[2] = {next_random(seed), next_random(seed)}, choice = next_random(seed) >> 32;
  const size_t end = (i + 1) * type.size;
  if (type.kind == JIG_KIND_BOOL) {
    keys[i] = choice & 1;
  } else if (is_floating(type.kind) && choice % 8 == 0) {
    memset(keys + end - type.size, 0, type.size);
    keys[end - 1] = choice & 8 ? (char)0x80 : 0;
  } else {
    memcpy(keys + end - type.size, (const char *)bits + 16 - type.size, type.size);
  }
}

static void put_copy(jig_type type, char *keys, size_t to, size_t from) {
  memcpy(keys + to * type.size, keys + from * type.size, type.size);
}

void *keys_of(jig_type type, key_pattern pattern, size_t count, uint64_t seed) {
  char *keys = malloc(count * type.size + 1);
  for (size_t i = 0; i < count; ++i) {
    const uint64_t r = next_random(&seed) >> 20;
    const bool is_near = pattern == KEYS_NEARLY_SORTED && r % 50 != 0;
    if (pattern == KEYS_SORTED || is_near)
      put_rising(type, keys, i, i);
    else if (pattern == KEYS_REVERSED)
      put_rising(type, keys, i, count - i);
    else
      put_bits(type, keys, i, &seed);
    const bool copies_first = pattern == KEYS_EQUAL || (pattern == KEYS_ODD_LAST && i + 1 < count) ||
                              (pattern == KEYS_MOSTLY_ONE && r % 3 != 0);
    if (pattern == KEYS_FEW && i >= 4) put_copy(type, keys, i, r % 4);
    if ((copies_first || pattern == KEYS_ONE_DIGIT) && i > 0) put_copy(type, keys, i, 0);
    if (pattern == KEYS_ONE_DIGIT && type.kind != JIG_KIND_BOOL)
      keys[i * type.size + type.size / 2] = (char)r;
  }
  return keys;
}

const char *key_pattern_name(key_pattern pattern) {
  static const char *const names[KEY_PATTERNS] = {"random",   "few",        "equal",
                                                  "sorted",   "reversed",   "nearly sorted",
                                                  "odd last", "mostly one", "one digit"};
  return names[pattern];
}

/* ---- the host's side */

uint128 ordered_key_bits(jig_type key, jig_sort_order order, const void *keys, size_t i) {
  const uint128 sign = (uint128)1 << (8 * key.size - 1), all = sign | (sign - 1);
  uint128 bits = 0;
  memcpy(&bits, (const char *)keys + i * key.size, key.size);
  if (is_floating(key.kind)) {
    if (bits == sign) bits = 0;
    bits = bits & sign ? ~bits & all : bits | sign;
  } else if (is_signed(key.kind)) {
    bits ^= sign;
  }
  return order == JIG_SORT_DESCENDING ? ~bits & all : bits;
}

static uint128 ordered_bits(const sort_case *c, size_t i) {
  const int width = 8 * (int)c->key.size, end = c->end_bit != 0 ? c->end_bit : width;
  uint128 bits = ordered_key_bits(c->key, c->order, c->keys, i);
  if (end < width) bits &= ((uint128)1 << end) - 1;
  return c->begin_bit < width ? bits >> c->begin_bit : 0;
}

/* A key, by the bits that it is ordered by, and where it was. */
typedef struct ordered_key {
  uint128 bits;
  size_t index;
} ordered_key;

static int compare(const void *a, const void *b) {
  const ordered_key *x = a, *y = b;
  if (x->bits != y->bits) return x->bits < y->bits ? -1 : 1;
  return x->index < y->index ? -1 : 1;
}

void sort_on_host(const sort_case *c, size_t first, size_t count, size_t *order) {
  ordered_key *keys = malloc((count + 1) * sizeof *keys);
  for (size_t i = 0; i < count; ++i) keys[i] = (ordered_key){ordered_bits(c, first + i), first + i};
  qsort(keys, count, sizeof *keys, compare);
  for (size_t i = 0; i < count; ++i) order[i] = keys[i].index;
  free(keys);
}

/* Compares what a sort wrote with the same items in the order of the host's. */
static void settle(const void *device, const void *items, size_t size, const size_t *order,
                   const sort_case *c, const char *of) {
  char what[256];
  void *wanted = permuted(items, size, order, c->count);
  (void)snprintf(what, sizeof what, "%s: %zu %s by %s, %s, bits %d to %d", c->what, c->count, of,
                 jig_type_name(&c->key), c->order == JIG_SORT_DESCENDING ? "descending" : "ascending",
                 c->begin_bit, c->end_bit);
  check_sorted(device, wanted, size, c->count, what);
  free(wanted);
}

jig_iter sort_input(const void *memory, jig_type type, bool iterates) {
  return iterates ? jig_strided(memory, type.size, type) : jig_pointer(memory, type);
}

void check_radix_sort(const sort_case *c) {
  size_t *order = malloc((c->count + 1) * sizeof *order);
  sort_on_host(c, 0, c->count, order);
  const bool has_values = c->value.kind != JIG_KIND_NONE;
  const size_t key_bytes = c->count * c->key.size, value_bytes = c->count * c->value.size;
  unsigned char *values = random_bytes(value_bytes, 99);
  void *in = gpu_copy(c->keys, key_bytes, c->offset * c->key.size);
  void *out = gpu_alloc(key_bytes, c->offset * c->key.size);
  void *values_in = gpu_copy(values, value_bytes, c->offset * c->value.size);
  void *values_out = gpu_alloc(value_bytes, c->offset * c->value.size);
  int selector = -1;
  jig_radix_sort_args args = {.keys_in = sort_input(in, c->key, c->iterates_keys),
                              .keys_out = jig_pointer(out, c->key),
                              .num_items = c->count,
                              .order = c->order,
                              .begin_bit = c->begin_bit,
                              .end_bit = c->end_bit,
                              .selector = c->has_buffers ? &selector : NULL};
  if (has_values) args.values_in = sort_input(values_in, c->value, c->iterates_values);
  if (has_values) args.values_out = jig_pointer(values_out, c->value);
  run_radix_sort(c->engine, &args);
  if (c->has_buffers) ck_assert_msg(selector == 0 || selector == 1, "%s: selector %d", c->what, selector);
  settle(selector == 0 ? in : out, c->keys, c->key.size, order, c, "keys");
  if (has_values)
    settle(selector == 0 ? values_in : values_out, values, c->value.size, order, c, "values");
  if (!c->has_buffers) check_kept(in, c->keys, key_bytes, c->what);
  gpu_free(in);
  gpu_free(out);
  gpu_free(values_in);
  gpu_free(values_out);
  free(values);
  free(order);
}

void check_radix_sort_of(sort_case c, key_pattern pattern) {
  void *keys = keys_of(c.key, pattern, c.count, 17 + c.count);
  c.keys = keys;
  c.what = key_pattern_name(pattern);
  check_radix_sort(&c);
  free(keys);
}
