/* Calls that are captured with another count than the size query had, so that they need another kernel:
 * they wait until it is built, and load it, whatever may not be done during the capture otherwise. */
#include <jig/jig.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "gpu.h"
#include "numbers.h"
#include "reduce_support.h"
#include "suite.h"

enum { SMALL = 100 };

static size_t large(void) {
  return gpu_is_software() ? (size_t)1 << 20 : (size_t)1 << 25;
}

/* An engine that has nothing but a program with its kernel for small inputs, or for large ones. */
static jig_engine *engine_that_has(const jig_scan_args *args, size_t count, CUstream stream) {
  const jig_engine_config config = {.cache_dir = "", .cache_path = "", .background = JIG_SWITCH_ON};
  jig_scan_args few = *args;
  jig_engine *engine = NULL;
  size_t bytes = 0;
  few.num_items = count;
  OK(jig_engine_create(&engine, &config));
  OK(jig_scan(engine, NULL, &bytes, &few, stream));
  return engine;
}

static uint64_t memory_hits(jig_engine *engine) {
  jig_engine_stats stats;
  OK(jig_engine_get_stats(engine, &stats));
  return stats.memory_hits;
}

static void check_sums(const uint32_t *out, size_t count) {
  uint32_t *got = malloc(count * sizeof *got);
  gpu_read(got, out, count * sizeof *got);
  for (size_t i = 0; i < count; ++i) ck_assert_uint_eq(got[i], (uint32_t)(i + 1));
  free(got);
}

/* Captures a call that the engine has no kernel for, and replays it. */
static void capture_and_replay(CUstreamCaptureMode mode, size_t had, size_t wanted) {
  uint32_t *out = gpu_alloc(wanted * sizeof *out, 0);
  CUstream stream;
  size_t bytes = (size_t)64 << 20;
  void *storage = gpu_alloc(bytes, 0);
  const uint32_t one = 1;
  const jig_scan_args args = {
      .in = jig_constant(&one, JIG_U32), .out = jig_pointer(out, JIG_U32), .num_items = wanted};
  GPU(gpu()->cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  jig_engine *engine = engine_that_has(&args, had, stream);
  GPU(gpu()->cuStreamBeginCapture(stream, mode));
  OK(jig_scan(engine, storage, &bytes, &args, stream));
  ck_assert_uint_eq(memory_hits(engine), 0);
  OK(jig_scan(engine, storage, &bytes, &args, stream));
  ck_assert_uint_eq(memory_hits(engine), 1);
  CUgraphExec exec = gpu_end_capture(stream);
  gpu_replay(exec, stream);
  check_sums(out, wanted);
  GPU(gpu()->cuGraphExecDestroy(exec));
  GPU(gpu()->cuStreamDestroy(stream));
  jig_engine_destroy(engine);
  gpu_free(storage);
  gpu_free(out);
}

START_TEST(captured_calls_get_other_kernels) {
  static const CUstreamCaptureMode modes[] = {
      CU_STREAM_CAPTURE_MODE_GLOBAL, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL, CU_STREAM_CAPTURE_MODE_RELAXED};
  for (size_t i = 0; i < COUNT_OF(modes); ++i) capture_and_replay(modes[i], SMALL, large());
  capture_and_replay(CU_STREAM_CAPTURE_MODE_GLOBAL, large(), SMALL);
}
END_TEST

/* Programs are built and loaded while somebody captures what has nothing to do with them. */
START_TEST(captures_go_on_beside_a_build) {
  const uint32_t one = 1;
  uint32_t *out = gpu_alloc(large() * sizeof *out, 0);
  CUstream captured, stream;
  jig_scan_args args = {
      .in = jig_constant(&one, JIG_U32), .out = jig_pointer(out, JIG_U32), .num_items = large()};
  size_t bytes = 0;
  GPU(gpu()->cuStreamCreate(&captured, CU_STREAM_NON_BLOCKING));
  GPU(gpu()->cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  GPU(gpu()->cuStreamBeginCapture(captured, CU_STREAM_CAPTURE_MODE_GLOBAL));
  jig_engine *engine = engine_that_has(&args, SMALL, stream);
  OK(jig_scan(engine, NULL, &bytes, &args, stream));
  args.num_items = SMALL;
  OK(jig_scan(engine, NULL, &bytes, &args, stream));
  GPU(gpu()->cuGraphExecDestroy(gpu_end_capture(captured)));
  jig_engine_destroy(engine);
  GPU(gpu()->cuStreamDestroy(captured));
  GPU(gpu()->cuStreamDestroy(stream));
  gpu_free(out);
}
END_TEST

/* ---- the end of a process, with the compiler that there is */

/* A first call, and nothing else: the kernel for large inputs is being compiled. */
static int call_and_leave(const char *after_ms) {
  const uint32_t one = 1;
  if (!gpu_open()) return EXIT_FAILURE;
  const jig_engine_config config = {.cache_dir = "", .cache_path = "", .background = JIG_SWITCH_ON};
  const jig_scan_args args = {
      .in = jig_constant(&one, JIG_U32), .out = jig_pointer(NULL, JIG_U32), .num_items = SMALL};
  jig_engine *engine = NULL;
  size_t bytes = 0;
  if (jig_engine_create(&engine, &config) != JIG_SUCCESS) return EXIT_FAILURE;
  if (jig_scan(engine, NULL, &bytes, &args, NULL) != JIG_SUCCESS) return EXIT_FAILURE;
  (void)usleep((useconds_t)atoi(after_ms) * 1000);
  gpu_close();
  return EXIT_SUCCESS;
}

START_TEST(processes_end_while_the_compiler_runs) {
  static const char *const moments[] = {"0", "1", "10", "30", "60", "100"};
  for (size_t i = 0; i < COUNT_OF(moments); ++i)
    ck_assert_int_eq(suite_run_itself(moments[i]), EXIT_SUCCESS);
}
END_TEST

int main(int argc, char **argv) {
  if (argc > 1) return call_and_leave(argv[1]);
  static const suite_test tests[] = {
      SUITE_TEST(captured_calls_get_other_kernels),
      SUITE_TEST(captures_go_on_beside_a_build),
      SUITE_TEST(processes_end_while_the_compiler_runs),
  };
  return SUITE_RUN("device/kernels", tests, true);
}
