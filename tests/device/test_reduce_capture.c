/* Calls captured into graphs: replayed with other items each time, and with blocks that come late. */
#include <jig/jig.h>
#include <stdlib.h>

#include "gpu.h"
#include "numbers.h"
#include "reduce_support.h"
#include "suite.h"

/* Different at every place, and in every round: all items change, and so does the sum of any of them. */
static void fill_round(uint32_t *items, size_t count, uint32_t round) {
  for (size_t i = 0; i < count; ++i) items[i] = (uint32_t)i * 2654435761u + round * 0x9e3779b9u;
}

static uint32_t sum_of(const uint32_t *items, size_t count) {
  uint32_t sum = 0;
  for (size_t i = 0; i < count; ++i) sum += items[i];
  return sum;
}

static size_t least_of(const uint32_t *items, size_t count) {
  size_t least = 0;
  for (size_t i = 1; i < count; ++i) least = items[i] < items[least] ? i : least;
  return least;
}

/* ---- graphs */

static CUstream begin_capture(void) {
  CUstream stream;
  GPU(gpu()->cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  gpu_begin_capture(stream);
  return stream;
}

/* Replays once over these items, with the outputs overwritten beforehand. */
static void replay(CUgraphExec exec, CUstream stream, void *device, const uint32_t *items, size_t count,
                   uint64_t *out, uint64_t results[2]) {
  GPU(gpu()->cuMemcpyHtoDAsync((CUdeviceptr)(uintptr_t)device, items, count * sizeof *items, stream));
  GPU(gpu()->cuMemsetD8Async((CUdeviceptr)(uintptr_t)out, 0xee, 16, stream));
  gpu_replay(exec, stream);
  gpu_read(results, out, 16);
}

/* ---- one call in a graph: what the blocks handed to the last one is still in the temp storage when the
 * next replay starts, with the same tag, unless it was retired. The last block asks for it first. */

/* Passes items on, slowly in every block but the last. */
static const char slow_body[] =
    "if (blockIdx.x + 1 < gridDim.x) {\n"
    "  const long long until = clock64() + 1500;\n"
    "  while (clock64() < until) {}\n"
    "}\n"
    "return x;";

typedef enum which { SUM, SUM_IN_ORDER, LEAST, WHICH_COUNT } which;
static const char *const which_names[] = {"sum", "sum in order", "arg-min"};

static jig_status enqueue(which w, void *storage, size_t *bytes, const void *items, size_t count,
                          uint64_t *out, CUstream stream) {
  const jig_iter in = jig_pointer(items, JIG_U32);
  const jig_iter slow = jig_iter_transform(&in, jig_op_source(slow_body), JIG_U32);
  if (w == LEAST) {
    const jig_arg_reduce_args args = {.in = slow,
                                      .value_out = jig_pointer(&out[0], JIG_U32),
                                      .index_out = jig_pointer(&out[1], JIG_I64),
                                      .num_items = count};
    return jig_arg_reduce(NULL, storage, bytes, &args, stream);
  }
  const jig_reduce_args args = {.in = slow,
                                .out = jig_pointer(&out[0], JIG_U32),
                                .num_items = count,
                                .op = w == SUM ? JIG_PLUS : jig_op_source("return a + b;")};
  return jig_reduce(NULL, storage, bytes, &args, stream);
}

static void check_round(which w, const uint32_t *items, size_t count, uint32_t round,
                        const uint64_t results[2]) {
  const uint32_t got = (uint32_t)results[0];
  if (w == LEAST) {
    const size_t least = least_of(items, count);
    ck_assert_msg(results[1] == least && got == items[least],
                  "replay %u of the %s of %zu u32 is %u at %lld, not %u at %zu", round, which_names[w],
                  count, got, (long long)results[1], items[least], least);
  } else {
    const uint32_t sum = sum_of(items, count);
    ck_assert_msg(got == sum, "replay %u of the %s of %zu u32 is %u, not %u", round, which_names[w],
                  count, got, sum);
  }
}

static void replay_one_call(which w, size_t count) {
  enum { REPLAYS = 12 };
  uint32_t *items = malloc(count * sizeof *items);
  uint64_t *out = gpu_alloc(16, 0), results[2];
  void *device = gpu_alloc(count * sizeof *items, 0);
  size_t bytes = 0;
  OK(enqueue(w, NULL, &bytes, device, count, out, NULL));
  void *storage = gpu_alloc(bytes, 0);
  CUstream stream = begin_capture();
  OK(enqueue(w, storage, &bytes, device, count, out, stream));
  CUgraphExec exec = gpu_end_capture(stream);
  for (uint32_t round = 0; round < REPLAYS; ++round) {
    fill_round(items, count, round);
    replay(exec, stream, device, items, count, out, results);
    check_round(w, items, count, round, results);
  }
  GPU(gpu()->cuGraphExecDestroy(exec));
  GPU(gpu()->cuStreamDestroy(stream));
  gpu_free(storage);
  gpu_free(device);
  gpu_free(out);
  free(items);
}

START_TEST(no_replay_finds_what_the_one_before_left) {
  /* Three blocks, some, and as many as there may be. */
  static const size_t counts[] = {20000, 300007, 2500001};
  for (which w = SUM; w < WHICH_COUNT; ++w) {
    for (size_t c = 0; c < COUNT_OF(counts); ++c) replay_one_call(w, counts[c]);
  }
}
END_TEST

/* ---- several calls in a graph */

START_TEST(captured_calls_share_storage_in_stream_order) {
  enum { COUNT = 700000, REPLAYS = 100 };
  uint32_t *items = malloc(COUNT * sizeof *items), *device = gpu_alloc(COUNT * sizeof *items, 0);
  uint64_t *out = gpu_alloc(16, 0), results[2];
  jig_reduce_args sum = {
      .in = jig_pointer(device, JIG_U32), .out = jig_pointer(&out[0], JIG_U32), .num_items = COUNT};
  jig_reduce_args least = {
      .in = sum.in, .out = jig_pointer(&out[1], JIG_U32), .num_items = COUNT, .op = JIG_MIN};
  size_t bytes = 0;
  OK(jig_reduce(NULL, NULL, &bytes, &sum, NULL));
  OK(jig_reduce(NULL, NULL, &bytes, &least, NULL));
  void *storage = gpu_alloc(bytes, 0);
  CUstream stream = begin_capture();
  OK(jig_reduce(NULL, storage, &bytes, &sum, stream));
  OK(jig_reduce(NULL, storage, &bytes, &least, stream));
  CUgraphExec exec = gpu_end_capture(stream);
  for (uint32_t round = 0; round < REPLAYS; ++round) {
    fill_round(items, COUNT, round);
    replay(exec, stream, device, items, COUNT, out, results);
    check_round(SUM, items, COUNT, round, results);
    ck_assert_msg((uint32_t)results[1] == items[least_of(items, COUNT)], "replay %u: the least is %u",
                  round, (uint32_t)results[1]);
  }
  GPU(gpu()->cuGraphExecDestroy(exec));
  GPU(gpu()->cuStreamDestroy(stream));
  gpu_free(storage);
  gpu_free(device);
  gpu_free(out);
  free(items);
}
END_TEST

START_TEST(capture_never_builds) {
  uint32_t *device = gpu_alloc(64, 0);
  jig_engine *engine; /* nothing is in its memory */
  OK(jig_engine_create(&engine, NULL));
  jig_reduce_args args = {.in = jig_pointer(device, JIG_U32),
                          .out = jig_pointer(device, JIG_U32),
                          .num_items = 16,
                          .op = JIG_BIT_XOR};
  size_t bytes = 4096;
  void *storage = gpu_alloc(bytes, 0);
  CUgraph graph;
  CUstream stream = begin_capture();
  FAILS(jig_reduce(engine, storage, &bytes, &args, stream), JIG_ERROR_NOT_BUILT, "captured");
  FAILS(jig_reduce(engine, NULL, &bytes, &args, stream), JIG_ERROR_NOT_BUILT, "captured");
  CUstreamCaptureStatus capture;
  GPU(gpu()->cuStreamIsCapturing(stream, &capture));
  ck_assert_int_eq(capture, CU_STREAM_CAPTURE_STATUS_ACTIVE);
  GPU(gpu()->cuStreamEndCapture(stream, &graph));
  GPU(gpu()->cuGraphDestroy(graph));
  OK(jig_reduce(engine, NULL, &bytes, &args, stream)); /* and afterwards all is well */
  GPU(gpu()->cuStreamDestroy(stream));
  jig_engine_destroy(engine);
  gpu_free(storage);
  gpu_free(device);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(no_replay_finds_what_the_one_before_left),
      SUITE_TEST(captured_calls_share_storage_in_stream_order),
      SUITE_TEST(capture_never_builds),
  };
  return SUITE_RUN("device/reduce_capture", tests, true);
}
