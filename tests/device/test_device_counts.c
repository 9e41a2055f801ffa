/* Counts in device memory: every algorithm does with them what it does with the same counts from the
 * host. A call is captured once for as many items as there may be, and replayed with other counts. */
#include <jig/jig.h>
#include <stdlib.h>

#include "device_count_memory.h"
#include "gpu.h"
#include "numbers.h"
#include "reduce_support.h"
#include "seed.h"
#include "suite.h"

/* Of one tile, of blocks that are all resident, and of more. */
static const uint64_t limits[] = {777, 20011, 150001};

/* What the call comes to with these counts from the host. */
static char *outputs_with(const device_count_case *test, device_count_call c, uint64_t count,
                          uint64_t second_count) {
  size_t bytes = 0;
  c.count_in = c.second_count_in = NULL;
  c.count = count;
  c.second_count = second_count;
  device_count_poison(&c);
  OK(test->call(NULL, NULL, &bytes, &c, NULL));
  void *storage = gpu_alloc(bytes, 0);
  OK(test->call(NULL, storage, &bytes, &c, NULL));
  char *outputs = device_count_outputs(&c);
  gpu_free(storage);
  return outputs;
}

static void check_replay(const device_count_case *test, const device_count_call *c, CUgraphExec exec,
                         CUstream stream, const uint64_t counts[2]) {
  const uint64_t limit = c->count, count = counts[0] < limit ? counts[0] : limit;
  const uint64_t second = counts[1] < c->second_count ? counts[1] : c->second_count;
  char *wanted = outputs_with(test, *c, count, second);
  device_count_poison(c);
  gpu_write((void *)(uintptr_t)c->count_in, counts, 2 * sizeof counts[0]);
  gpu_replay(exec, stream);
  device_count_expect(c, wanted, device_count_outputs(c), "%s: %llu and %llu of %llu", test->name,
                      (unsigned long long)counts[0], (unsigned long long)counts[1],
                      (unsigned long long)limit);
  free(wanted);
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
    device_count_call c = device_count_new(limits[l], limits[l]);
    for (const device_count_case *test = cases; test->name != NULL; ++test)
      if (test_turn((unsigned long)(test - cases))) check_case(test, c);
    device_count_free(&c);
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
