/* Counts in device memory: chains of calls in one graph, in which each takes how many items the one
 * before has left; what is refused; strict mode. */
#include <jig/jig.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "numbers.h"
#include "phases.h"
#include "strict_support.h"
#include "suite.h"

/* ---- a chain: select, sort, lengths of runs, and how many items the longest run has */

enum { MOST = 60000, SMALL = 4096 };

typedef struct chain {
  uint32_t *in, *selected, *sorted, *unique, *lengths, *longest;
  uint64_t *num_items, *num_selected, *num_runs;
  void *storage[4];
  size_t bytes[4];
} chain;

static jig_iter words(uint32_t *at) {
  return jig_pointer(at, JIG_U32);
}

/* Both phases of the four calls look alike; the size query of each goes by the most that there may be. */
static void run_chain(chain *c, bool only_sizes, CUstream stream) {
  void *none[4] = {NULL, NULL, NULL, NULL}, **storage = only_sizes ? none : c->storage;
  const jig_select_args select = {.in = words(c->in),
                                  .out = words(c->selected),
                                  .num_selected_out = jig_pointer(c->num_selected, JIG_U64),
                                  .num_items = MOST,
                                  .op = jig_op_source("return x % 5 != 0;"),
                                  .num_items_in = c->num_items};
  const jig_radix_sort_args sort = {.keys_in = words(c->selected),
                                    .keys_out = words(c->sorted),
                                    .num_items = MOST,
                                    .num_items_in = c->num_selected};
  const jig_run_length_encode_args runs = {.in = words(c->sorted),
                                           .unique_out = words(c->unique),
                                           .lengths_out = words(c->lengths),
                                           .num_runs_out = jig_pointer(c->num_runs, JIG_U64),
                                           .num_items = MOST,
                                           .num_items_in = c->num_selected};
  const jig_reduce_args longest = {.in = words(c->lengths),
                                   .out = words(c->longest),
                                   .num_items = MOST,
                                   .op = JIG_MAX,
                                   .num_items_in = c->num_runs};
  OK(jig_select(NULL, storage[0], &c->bytes[0], &select, stream));
  OK(jig_radix_sort(NULL, storage[1], &c->bytes[1], &sort, stream));
  OK(jig_run_length_encode(NULL, storage[2], &c->bytes[2], &runs, stream));
  OK(jig_reduce(NULL, storage[3], &c->bytes[3], &longest, stream));
}

static int less_words(const void *a, const void *b) {
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

/* What the chain leaves of so many items, on the CPU. */
static void check_chain(const chain *c, const uint32_t *items, uint64_t count) {
  uint32_t *kept = malloc((count + 1) * 4), *unique = malloc((count + 1) * 4),
           *lengths = malloc((count + 1) * 4);
  uint32_t *got = malloc((count + 1) * 4), longest = 0, longest_got;
  uint64_t selected = 0, runs = 0, numbers[2];
  for (uint64_t i = 0; i < count; ++i)
    if (items[i] % 5 != 0) kept[selected++] = items[i];
  qsort(kept, selected, 4, less_words);
  for (uint64_t i = 0; i < selected; ++i) {
    if (i == 0 || kept[i] != kept[i - 1]) unique[runs] = kept[i], lengths[runs++] = 0;
    ++lengths[runs - 1];
    if (lengths[runs - 1] > longest) longest = lengths[runs - 1];
  }
  gpu_read(&numbers[0], c->num_selected, 8);
  gpu_read(&numbers[1], c->num_runs, 8);
  ck_assert_uint_eq(numbers[0], selected);
  ck_assert_uint_eq(numbers[1], runs);
  gpu_read(got, c->sorted, selected * 4);
  ck_assert_int_eq(memcmp(got, kept, selected * 4), 0);
  gpu_read(got, c->unique, runs * 4);
  ck_assert_int_eq(memcmp(got, unique, runs * 4), 0);
  gpu_read(got, c->lengths, runs * 4);
  ck_assert_int_eq(memcmp(got, lengths, runs * 4), 0);
  gpu_read(&longest_got, c->longest, 4);
  ck_assert_uint_eq(longest_got, longest); /* of no runs 0, the least number there is */
  free(kept);
  free(unique);
  free(lengths);
  free(got);
}

static chain make_chain(void) {
  chain c;
  uint32_t **const arrays[] = {&c.in, &c.selected, &c.sorted, &c.unique, &c.lengths};
  memset(&c, 0, sizeof c);
  for (size_t i = 0; i < COUNT_OF(arrays); ++i) *arrays[i] = gpu_alloc(MOST * 4, 0);
  c.longest = gpu_alloc(4, 0);
  c.num_items = gpu_alloc(8, 0);
  c.num_selected = gpu_alloc(8, 0);
  c.num_runs = gpu_alloc(8, 0);
  run_chain(&c, true, NULL);
  for (int i = 0; i < 4; ++i) c.storage[i] = gpu_alloc(c.bytes[i], 0);
  return c;
}

static void free_chain(chain *c) {
  void *const all[] = {c->in,         c->selected,   c->sorted,       c->unique,   c->lengths,
                       c->longest,    c->num_items,  c->num_selected, c->num_runs, c->storage[0],
                       c->storage[1], c->storage[2], c->storage[3]};
  for (size_t i = 0; i < COUNT_OF(all); ++i) gpu_free(all[i]);
}

START_TEST(a_chain_is_replayed_over_other_lengths) {
  static const uint64_t counts[] = {MOST, 0, 1, 5, SMALL, 33333, MOST - 1, 2 * MOST, 12};
  uint32_t *items = malloc(MOST * 4);
  uint64_t seed = 3;
  CUstream stream;
  chain c = make_chain();
  GPU(gpu()->cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  gpu_begin_capture(stream);
  run_chain(&c, false, stream);
  CUgraphExec exec = gpu_end_capture(stream);
  for (size_t i = 0; i < COUNT_OF(counts); ++i) {
    /* Few different ones, many, and such as are all the same or all left out. */
    const uint32_t different = i % 4 == 3 ? 1 : i % 2 == 0 ? 1000 : 1u << 30, shift = i % 8 == 7 ? 1 : 0;
    for (uint32_t k = 0; k < MOST; ++k)
      items[k] = (uint32_t)(next_random(&seed) >> 20) % different + shift;
    gpu_write(c.in, items, MOST * 4);
    gpu_write(c.num_items, &counts[i], 8);
    gpu_replay(exec, stream);
    check_chain(&c, items, counts[i] < MOST ? counts[i] : MOST);
  }
  GPU(gpu()->cuGraphExecDestroy(exec));
  GPU(gpu()->cuStreamDestroy(stream));
  free_chain(&c);
  free(items);
}
END_TEST

/* ---- in place: the number that a call reads lies beside the one that it writes */

START_TEST(other_numbers_may_lie_beside) {
  uint32_t numbers[SMALL];
  uint64_t counts[2] = {1000, 77};
  for (uint32_t i = 0; i < SMALL; ++i) numbers[i] = i;
  uint32_t *in = gpu_copy(numbers, sizeof numbers, 0);
  uint64_t *both = gpu_copy(counts, sizeof counts, 0);
  const jig_select_args args = {.in = words(in),
                                .out = words(in),
                                .num_selected_out = jig_pointer(both + 1, JIG_U64),
                                .num_items = SMALL,
                                .op = jig_op_source("return x % 2 == 0;"),
                                .num_items_in = both};
  RUN_PHASES(jig_select, &args, 0);
  gpu_read(counts, both, sizeof counts);
  ck_assert_uint_eq(counts[0], 1000);
  ck_assert_uint_eq(counts[1], 500);
  gpu_read(numbers, in, sizeof numbers);
  for (uint32_t i = 0; i < SMALL; ++i) ck_assert_uint_eq(numbers[i], i < 500 ? 2 * i : i);
  gpu_free(in);
  gpu_free(both);
}
END_TEST

/* ---- what is refused */

START_TEST(places_of_counts) {
  uint32_t *in = gpu_alloc(SMALL * 4, 0), *out = gpu_alloc(SMALL * 4, 0);
  uint64_t *count = gpu_alloc(16, 0);
  size_t bytes = 0;
  jig_scan_args args = {.in = words(in), .out = words(out), .num_items = SMALL};
  args.num_items_in = (const uint64_t *)(const void *)((const char *)count + 4);
  OK(jig_scan(NULL, NULL, &bytes, &args, NULL)); /* which looks at no pointers */
  void *storage = gpu_alloc(bytes + 8, 0);
  FAILS(jig_scan(NULL, storage, &bytes, &args, NULL), JIG_ERROR_INVALID_ARGUMENT,
        "is not aligned to the 8 bytes of u64");
  args.num_items_in = storage;
  FAILS(jig_scan(NULL, storage, &bytes, &args, NULL), JIG_ERROR_INVALID_ARGUMENT,
        "jig_scan: num_items_in overlaps d_temp_storage");
  args.num_items_in = (const uint64_t *)(const void *)out;
  FAILS(jig_scan(NULL, storage, &bytes, &args, NULL), JIG_ERROR_INVALID_ARGUMENT,
        "jig_scan: out overlaps num_items_in");
  gpu_free(storage);

  jig_select_args select = {.in = words(in),
                            .out = words(out),
                            .num_selected_out = jig_pointer(count, JIG_U64),
                            .num_items = SMALL,
                            .op = jig_op_source("return x > 0;"),
                            .num_items_in = count};
  OK(jig_select(NULL, NULL, &bytes, &select, NULL));
  storage = gpu_alloc(bytes, 0);
  FAILS(jig_select(NULL, storage, &bytes, &select, NULL), JIG_ERROR_INVALID_ARGUMENT,
        "jig_select: num_selected_out overlaps num_items_in");
  gpu_free(storage);

  jig_top_k_args top = {.keys_in = words(in), .keys_out = words(out), .num_items = SMALL, .k = 5};
  top.num_items_in = (const uint64_t *)(const void *)((const char *)count + 4);
  OK(jig_top_k(NULL, NULL, &bytes, &top, NULL));
  storage = gpu_alloc(bytes, 0);
  FAILS(jig_top_k(NULL, storage, &bytes, &top, NULL), JIG_ERROR_INVALID_ARGUMENT,
        "jig_top_k: num_items_in: pointer");
  gpu_free(storage);

  jig_binary_search_args search = {
      .in = words(in), .needles_in = words(in), .out = words(out), .num_items = SMALL};
  search.num_needles_in = (const uint64_t *)(const void *)((const char *)count + 4);
  FAILS(jig_binary_search(NULL, NULL, NULL, &search, NULL), JIG_ERROR_INVALID_ARGUMENT,
        "jig_binary_search: num_needles_in: pointer");
  gpu_free(in);
  gpu_free(out);
  gpu_free(count);
}
END_TEST

#define IS_WITHIN(function, output, count, ...)                                \
  do {                                                                         \
    const function##_args args = {__VA_ARGS__};                                \
    FAILS(function(NULL, NULL, NULL, &args, NULL), JIG_ERROR_INVALID_ARGUMENT, \
          #function ": " output " overlaps " count);                           \
  } while (0)

START_TEST(counts_within_outputs) {
  uint32_t *in = gpu_alloc(SMALL * 4, 0), *out = gpu_alloc(SMALL * 4 + 8, 0),
           *other = gpu_alloc(SMALL * 4, 0);
  const uint64_t *within = (const uint64_t *)(const void *)(out + SMALL - 2), *behind = within + 1;
  const jig_iter input = words(in), output = words(out), beside = words(other);
  const jig_iter written = jig_pointer(other, JIG_U64);
#define ITEMS .num_items = SMALL, .num_items_in = within
  IS_WITHIN(jig_copy, "out", "num_items_in", .in = input, .out = output, ITEMS);
  IS_WITHIN(jig_reverse, "out", "num_items_in", .in = input, .out = output, ITEMS);
  IS_WITHIN(jig_transform, "out", "num_items_in", .in = &input, .num_inputs = 1, .out = output, ITEMS);
  IS_WITHIN(jig_scan, "out", "num_items_in", .in = input, .out = output, ITEMS);
  IS_WITHIN(jig_scan_by_key, "values_out", "num_items_in", .keys_in = input, .values_in = input,
            .values_out = output, ITEMS);
  IS_WITHIN(jig_adjacent_difference, "out", "num_items_in", .in = input, .out = output, ITEMS);
  IS_WITHIN(jig_partition, "out", "num_items_in", .in = input, .out = output, .num_selected_out = written,
            .op = jig_op_source("return x > 0;"), ITEMS);
  IS_WITHIN(jig_radix_sort, "keys_out", "num_items_in", .keys_in = input, .keys_out = output, ITEMS);
  IS_WITHIN(jig_merge_sort, "values_out", "num_items_in", .keys_in = input, .keys_out = beside,
            .values_in = input, .values_out = output, ITEMS);
  IS_WITHIN(jig_nth_element, "out", "num_items_in", .in = input, .out = output, .nth = 5, ITEMS);
  IS_WITHIN(jig_top_k, "keys_out", "num_items_in", .keys_in = input, .keys_out = output, .k = SMALL,
            ITEMS);
  IS_WITHIN(jig_binary_search, "out", "num_items_in", .in = input, .needles_in = input, .out = output,
            .num_items = SMALL, .num_needles = SMALL, .num_items_in = within);
  IS_WITHIN(jig_merge, "keys_out", "second_num_items_in", .first_keys_in = input, .second_keys_in = input,
            .keys_out = output, .first_num_items = SMALL / 2, .second_num_items = SMALL / 2,
            .second_num_items_in = within);
  IS_WITHIN(jig_segmented_reduce, "out", "num_segments_in", .in = input, .out = output,
            .num_segments = SMALL, .segment_size = 1, .num_segments_in = within);
  const uint32_t lower = 0, upper = SMALL;
  IS_WITHIN(jig_histogram, "counts[0]", "num_row_pixels_in", .samples = input, .counts = {out},
            .num_bins = {SMALL}, .lower = {&lower}, .upper = {&upper}, .num_row_pixels = SMALL,
            .num_rows = 1, .num_row_pixels_in = within);
  const jig_op operator= jig_op_source("(void)x;");
  IS_WITHIN(jig_for_each, "in", "num_items_in", .in = output, .op = operator, ITEMS);
  gpu_fill(out + SMALL - 2, 0, 8);
  const jig_for_each_args copies = {.in = output, .op = operator, .mode = JIG_FOR_EACH_COPY, ITEMS};
  OK(jig_for_each(NULL, NULL, NULL, &copies, NULL));
  const jig_copy_args fits = {.in = input, .out = output, .num_items = SMALL, .num_items_in = behind};
  gpu_fill(out + SMALL, 0, 8);
  OK(jig_copy(NULL, NULL, NULL, &fits, NULL));
  gpu_free(in);
  gpu_free(out);
  gpu_free(other);
}
END_TEST

START_TEST(places_of_counts_of_prepared_calls) {
  uint32_t *in = gpu_alloc(SMALL * 4, 0);
  uint64_t *count = gpu_alloc(16, 0);
  size_t bytes = 0;
  jig_prepared *scan = NULL;
  const jig_scan_args args = {
      .in = words(in), .out = words(in), .num_items = SMALL, .num_items_in = count};
  OK(jig_prepare(NULL, "scan", &args, sizeof args, &scan));
  OK(jig_prepared_set_count(scan, "num_items", 0));
  OK(jig_prepared_launch(scan, NULL, NULL, NULL));
  OK(jig_prepared_set_pointer(scan, "num_items_in", (const char *)count + 4));
  OK(jig_prepared_launch(scan, NULL, &bytes, NULL));
  FAILS(jig_prepared_launch(scan, NULL, NULL, NULL), JIG_ERROR_INVALID_ARGUMENT,
        "jig_scan: num_items_in: pointer");
  jig_prepared_free(scan);
  gpu_free(in);
  gpu_free(count);
}
END_TEST

START_TEST(counts_that_the_host_has_to_know) {
  const uint64_t extents[] = {3, 4}, *count = (const uint64_t *)(uintptr_t)4096;
  size_t bytes = 0;
  const jig_bulk_args bulk = {
      .op = jig_op_source("(void)i;"), .extents = extents, .rank = 2, .num_items_in = count};
  FAILS(jig_bulk(NULL, NULL, &bytes, &bulk, NULL), JIG_ERROR_INVALID_ARGUMENT,
        "jig_bulk: num_items_in: extents");
  const jig_histogram_args histogram = {.samples = jig_counting(NULL, JIG_U8),
                                        .num_bins = {4},
                                        .num_row_pixels = 5,
                                        .num_rows = 2,
                                        .num_row_pixels_in = count};
  FAILS(jig_histogram(NULL, NULL, &bytes, &histogram, NULL), JIG_ERROR_INVALID_ARGUMENT,
        "jig_histogram: num_row_pixels_in: there is more than one row");
}
END_TEST

/* ---- strict mode */

/* Half of the items, or all of them; where the number is told is the same place for both. */
static const uint64_t *half_of(const strict_call *t) {
  const uint64_t half = t->n / 2;
  if (t->engine != NULL) gpu_write(t->d_count, &half, 8);
  return t->engine != NULL ? t->d_count : (const uint64_t *)(uintptr_t)4096;
}

static void reduce_counted(strict_call *t) {
  const jig_reduce_args args = {.in = jig_pointer(t->d_values, JIG_U32),
                                .out = jig_pointer(t->out[0], JIG_U64),
                                .num_items = t->n,
                                .num_items_in = half_of(t)};
  STRICT(t, jig_reduce, args);
  const uint64_t half = t->n / 2, sum = half * (half - 1) / 2;
  ck_assert_int_eq(memcmp(strict_read(t, t->out[0], 8), half > 0 ? &sum : &(uint64_t){0}, 8), 0);
}

static void sorted_top_k_counted(strict_call *t) {
  const jig_top_k_args args = {.keys_in = jig_pointer(t->d_values, JIG_U32),
                               .keys_out = jig_pointer(t->out[0], JIG_U32),
                               .num_items = t->n,
                               .k = 900,
                               .is_sorted = 1,
                               .num_items_in = half_of(t)};
  STRICT(t, jig_top_k, args);
  const uint64_t half = t->n / 2, k = half < 900 ? half : 900;
  const uint32_t *got = strict_read(t, t->out[0], k * 4);
  for (uint64_t i = 0; i < k; ++i) ck_assert_uint_eq(got[i], half - 1 - i);
}

START_TEST(strict_mode) {
  static const strict_case cases[] = {STRICT_CASE(reduce_counted), STRICT_CASE(sorted_top_k_counted)};
  check_strict(cases, COUNT_OF(cases));
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(a_chain_is_replayed_over_other_lengths),
      SUITE_TEST(other_numbers_may_lie_beside),
      SUITE_TEST(places_of_counts),
      SUITE_TEST(counts_within_outputs),
      SUITE_TEST(places_of_counts_of_prepared_calls),
      SUITE_TEST(counts_that_the_host_has_to_know),
      SUITE_TEST(strict_mode),
  };
  return SUITE_RUN("device/device_count_calls", tests, true);
}
