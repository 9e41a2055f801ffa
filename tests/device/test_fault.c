/* After a kernel has failed nothing runs in its context any more: calls say so, and not that they failed
 * at what they were about to do. A program of its own, since its context is lost. */
#include <jig/jig.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "reduce_support.h"
#include "suite.h"

/* A text that a failing call must have, and one that it must not have. */
static void says(jig_status status, const char *part, const char *but_not) {
  ck_assert_int_eq(status, JIG_ERROR_CUDA);
  ck_assert_int_ne(jig_last_driver_error(), CUDA_SUCCESS);
  ck_assert_msg(strstr(jig_last_error(), part) != NULL, "%s", jig_last_error());
  ck_assert_msg(strstr(jig_last_error(), but_not) == NULL, "%s", jig_last_error());
}

START_TEST(earlier_work_is_blamed) {
  enum { COUNT = 1000 };
  static const char earlier[] = "earlier work in this context failed";
  jig_engine *engine = NULL;
  setenv("JIG_DEBUG_SYNC", "0", 1); /* which the config overrules */
  OK(jig_engine_create(&engine, &(jig_engine_config){.debug_sync = JIG_SWITCH_ON}));
  unsetenv("JIG_DEBUG_SYNC");
  int32_t *items = gpu_alloc(COUNT * 4, 0), *out = gpu_alloc(4, 0);
  void *storage = gpu_alloc(1 << 20, 0);
  gpu_fill(items, 0, COUNT * 4);
  jig_reduce_args args = {
      .in = jig_pointer(items, JIG_I32), .out = jig_pointer(out, JIG_I32), .num_items = COUNT};
  size_t bytes = 0;
  OK(jig_reduce(NULL, NULL, &bytes, &args, NULL));
  ck_assert_int_eq(jig_last_driver_error(), CUDA_SUCCESS);
  args.op = jig_op_source("return a + *(const volatile int *)(size_t)(8 + 4 * (b & 1));");
  bytes = 1 << 20;
  says(jig_reduce(engine, storage, &bytes, &args, NULL),
       "jig_reduce: waiting for the kernel: CUDA_ERROR_", earlier);
  ck_assert_int_eq(jig_last_driver_error(), CUDA_ERROR_ILLEGAL_ADDRESS);
  /* A call whose program is loaded, one whose program is not, and one that allocates. */
  args.op = JIG_PLUS;
  says(jig_reduce(NULL, storage, &bytes, &args, NULL), earlier, "waiting");
  args.op = JIG_MAX;
  says(jig_reduce(NULL, NULL, &bytes, &args, NULL), earlier, "waiting");
  args.op = JIG_PLUS;
  says(jig_reduce(NULL, NULL, NULL, &args, NULL), earlier, "waiting");
  /* What does not come from the driver is nothing of its. */
  args.num_items = UINT64_MAX;
  FAILS(jig_reduce(NULL, storage, &bytes, &args, NULL), JIG_ERROR_INVALID_ARGUMENT, "num_items");
  ck_assert_int_eq(jig_last_driver_error(), CUDA_SUCCESS);
  jig_engine_destroy(engine);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {SUITE_TEST(earlier_work_is_blamed)};
  /* The software GPU is to behave as a GPU does: its report of the bad access is what is meant here. */
  setenv("JIG_SOFTGPU_EXIT", "0", 1);
  setenv("JIG_SOFTGPU_LOG", "/dev/null", 1);
  return SUITE_RUN("device/fault", tests, true);
}
