/* Counts in device memory: every algorithm does with them what it does with the same counts from the
 * host. A call is captured once for as many items as there may be, and replayed with other counts. */
#include <jig/jig.h>
#include <stdlib.h>

#include "device_count_cases.h"
#include "gpu.h"
#include "numbers.h"
#include "reduce_support.h"
#include "seed.h"
#include "suite.h"

/* Of one tile, of blocks that are all resident, and of more. */
static const uint64_t limits[] = {777, 20011, 150001};

static int less_words(const void *a, const void *b) {
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

static size_t output_bytes(uint64_t limit) {
  return 8 * limit + 8;
}

/* Arrays of so many items; keys have runs of 1 to 16. */
static device_count_call make_call(uint64_t limit) {
  const size_t bytes = limit * sizeof(uint32_t);
  uint32_t *items = malloc(bytes + sizeof(uint32_t)), key = 0;
  uint64_t seed = limit;
  device_count_call c = {.limit = limit, .count = limit, .second_count = limit / 3};
  for (uint64_t i = 0; i < limit; ++i) items[i] = (uint32_t)(next_random(&seed) >> 40);
  c.words = gpu_copy(items, bytes, 0);
  qsort(items, limit, sizeof items[0], less_words);
  c.sorted = gpu_copy(items, bytes, 0);
  for (uint64_t i = 0; i < limit; ++i)
    items[i] = (i > 0 ? items[i - 1] : 3) + (next_random(&seed) % 64 == 0 ? 40 : 0);
  c.other_sorted = gpu_copy(items, bytes, 0);
  for (uint64_t i = 0; i < limit; ++i) items[i] = key += next_random(&seed) % 8 == 0;
  c.keys = gpu_copy(items, bytes, 0);
  /* Segments of one item, but for a long one. */
  for (uint64_t i = 0; i <= limit; ++i)
    items[i] = (uint32_t)(i == 0 ? 0 : i + limit / 5 > limit ? limit : i + limit / 5);
  c.offsets = gpu_copy(items, bytes + sizeof(uint32_t), 0);
  for (uint64_t i = 0; i < limit; ++i) ((uint8_t *)items)[i] = next_random(&seed) % 2 == 0;
  c.flags = gpu_copy(items, limit, 0);
  for (int k = 0; k < DEVICE_COUNT_OUTPUTS; ++k) c.outputs[k] = gpu_alloc(output_bytes(limit), 0);
  free(items);
  return c;
}

static void free_call(device_count_call *c) {
  void *const all[] = {c->words, c->sorted, c->other_sorted, c->keys, c->offsets, c->flags};
  for (size_t i = 0; i < COUNT_OF(all); ++i) gpu_free(all[i]);
  for (int k = 0; k < DEVICE_COUNT_OUTPUTS; ++k) gpu_free(c->outputs[k]);
}

static void poison_outputs(const device_count_call *c, uint64_t limit) {
  for (int k = 0; k < DEVICE_COUNT_OUTPUTS; ++k) gpu_fill(c->outputs[k], 0x5a, output_bytes(limit));
}

static char *read_outputs(const device_count_call *c, uint64_t limit) {
  char *all = malloc(DEVICE_COUNT_OUTPUTS * output_bytes(limit));
  for (int k = 0; k < DEVICE_COUNT_OUTPUTS; ++k)
    gpu_read(all + (size_t)k * output_bytes(limit), c->outputs[k], output_bytes(limit));
  return all;
}

/* What the call comes to with these counts from the host. */
static char *outputs_with(const device_count_case *test, device_count_call c, uint64_t limit,
                          uint64_t count, uint64_t second_count) {
  size_t bytes = 0;
  c.count_in = c.second_count_in = NULL;
  c.count = count;
  c.second_count = second_count;
  poison_outputs(&c, limit);
  OK(test->call(NULL, NULL, &bytes, &c, NULL));
  void *storage = gpu_alloc(bytes, 0);
  OK(test->call(NULL, storage, &bytes, &c, NULL));
  char *outputs = read_outputs(&c, limit);
  gpu_free(storage);
  return outputs;
}

static void check_replay(const device_count_case *test, const device_count_call *c, CUgraphExec exec,
                         CUstream stream, const uint64_t counts[2]) {
  const uint64_t limit = c->count, count = counts[0] < limit ? counts[0] : limit;
  const uint64_t second = counts[1] < c->second_count ? counts[1] : c->second_count;
  char *wanted = outputs_with(test, *c, limit, count, second);
  poison_outputs(c, limit);
  gpu_write((void *)(uintptr_t)c->count_in, counts, 2 * sizeof counts[0]);
  gpu_replay(exec, stream);
  char *got = read_outputs(c, limit);
  const size_t size = DEVICE_COUNT_OUTPUTS * output_bytes(limit);
  size_t i = 0;
  while (i < size && got[i] == wanted[i]) ++i;
  ck_assert_msg(i == size, "%s: %llu and %llu of %llu: byte %zu of output %zu", test->name,
                (unsigned long long)counts[0], (unsigned long long)counts[1], (unsigned long long)limit,
                i % output_bytes(limit), i / output_bytes(limit));
  free(wanted);
  free(got);
}

static void check_case(const device_count_case *test, device_count_call c) {
  const uint64_t limit = c.count;
  const uint64_t replays[][2] = {
      {limit, limit},     {0, 0},         {1, 0},         {0, 5},
      {limit / 2, limit}, {limit - 1, 1}, {limit + 9, 7}, {limit / 50 / 4 * 4, limit / 7},
  };
  uint64_t *counts = gpu_alloc(2 * sizeof counts[0], 0);
  CUstream stream;
  size_t bytes = 0;
  c.count_in = counts;
  c.second_count_in = counts + 1;
  GPU(gpu()->cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  OK(test->call(NULL, NULL, &bytes, &c, stream));
  void *storage = gpu_alloc(bytes, 0);
  gpu_begin_capture(stream);
  OK(test->call(NULL, storage, &bytes, &c, stream));
  CUgraphExec exec = gpu_end_capture(stream);
  for (size_t i = 0; i < COUNT_OF(replays); ++i) check_replay(test, &c, exec, stream, replays[i]);
  GPU(gpu()->cuGraphExecDestroy(exec));
  GPU(gpu()->cuStreamDestroy(stream));
  gpu_free(storage);
  gpu_free(counts);
}

/* Every other one: compiling them, with and without a count in device memory, is what takes long. */
static void check_cases(const device_count_case *cases) {
  for (size_t l = 0; l < COUNT_OF(limits); ++l) {
    device_count_call c = make_call(limits[l]);
    for (const device_count_case *test = cases; test->name != NULL; ++test)
      if (test_turn((unsigned long)(test - cases))) check_case(test, c);
    free_call(&c);
  }
}

START_TEST(folds) {
  check_cases(device_count_folds);
}
END_TEST

START_TEST(selections) {
  check_cases(device_count_selections);
}
END_TEST

START_TEST(items) {
  check_cases(device_count_items);
}
END_TEST

START_TEST(sorts) {
  check_cases(device_count_sorts);
}
END_TEST

START_TEST(segments) {
  check_cases(device_count_segments);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(folds), SUITE_TEST(selections), SUITE_TEST(items),
      SUITE_TEST(sorts), SUITE_TEST(segments),
  };
  return SUITE_RUN("device/device_counts", tests, true);
}
