/* Counts in device memory: every algorithm does with them what it does with the same counts from the
 * host. A call is captured once for as many items as there may be, and replayed with other counts. */
#include <jig/jig.h>
#include <stdlib.h>
#include <string.h>

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
static void check_limit(const device_count_case *cases, uint64_t limit) {
  device_count_call c = device_count_new(limit, limit);
  for (const device_count_case *test = cases; test->name != NULL; ++test)
    if (test_turn((unsigned long)(test - cases))) check_case(test, c);
  device_count_free(&c);
}
static void check_cases(const device_count_case *cases) {
  for (size_t l = 0; l < COUNT_OF(limits); ++l) check_limit(cases, limits[l]);
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
  check_limit(device_count_segments, 5003); /* some thousand are a way of their own */
}
END_TEST

/* ---- where a count lies: what is refused, however many there may be */

static void is_refused(const device_count_case *test, const device_count_call *c, void *storage,
                       size_t bytes, const char *problem) {
  const jig_status status = test->call(NULL, storage, &bytes, c, NULL);
  const char *message = jig_last_error(), *argument = strstr(message, "num_");
  const bool is_named = argument != NULL && strstr(argument, "_in") != NULL;
  ck_assert_msg(status == JIG_ERROR_INVALID_ARGUMENT && is_named && strstr(message, problem) != NULL,
                "%s of %llu and %llu: %s, '%s'", test->name, (unsigned long long)c->count,
                (unsigned long long)c->second_count, jig_status_name(status), message);
}

static bool has_two_counts(const device_count_case *test) {
  static const char *const names[] = {"merge", "binary_search", "set_union", "set_intersection"};
  bool has = false;
  for (size_t i = 0; i < COUNT_OF(names); ++i) has = has || strcmp(test->name, names[i]) == 0;
  return has;
}

static void check_places(const device_count_case *test, device_count_call c, uint64_t *counts) {
  const uint64_t *const misaligned = (const uint64_t *)(const void *)((const char *)counts + 4);
  size_t bytes = 0;
  c.count_in = counts;
  c.second_count_in = counts + 1;
  OK(test->call(NULL, NULL, &bytes, &c, NULL));
  const size_t whole = bytes < 16 ? 16 : bytes;
  void *storage = gpu_alloc(whole, 0);
  c.count_in = misaligned;
  is_refused(test, &c, storage, whole, "is not aligned to the 8 bytes of u64");
  c.count_in = storage;
  is_refused(test, &c, storage, whole, "overlaps d_temp_storage");
  c.count_in = counts;
  if (has_two_counts(test)) {
    c.second_count_in = misaligned;
    is_refused(test, &c, storage, whole, "is not aligned to the 8 bytes of u64");
    c.second_count_in = counts + 1;
  }
  OK(test->call(NULL, storage, &bytes, &c, NULL));
  gpu_free(storage);
}

START_TEST(places) {
  static const device_count_case *const tables[] = {device_count_folds, device_count_selections,
                                                    device_count_items, device_count_sorts,
                                                    device_count_segments};
  static const uint64_t most[] = {0, 777};
  uint64_t *counts = gpu_alloc(2 * sizeof counts[0], 0);
  for (size_t m = 0; m < COUNT_OF(most); ++m) {
    device_count_call c = device_count_new(limits[0], limits[0]);
    c.count = c.second_count = most[m];
    for (size_t t = 0; t < COUNT_OF(tables); ++t)
      for (const device_count_case *test = tables[t]; test->name != NULL; ++test)
        if (test_turn((unsigned long)(test - tables[t]))) check_places(test, c, counts);
    device_count_free(&c);
  }
  gpu_free(counts);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(folds), SUITE_TEST(selections), SUITE_TEST(items),
      SUITE_TEST(sorts), SUITE_TEST(segments),   SUITE_TEST(places),
  };
  return SUITE_RUN("device/device_counts", tests, true);
}
