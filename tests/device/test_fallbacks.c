/* Older drivers and newer GPUs than the compiler knows: entry points that are missing, code that is
 * refused. */
#include <jig/jig.h>
#include <string.h>

#include "gpu.h"
#include "numbers.h"
#include "reduce_support.h"
#include "store_support.h"
#include "suite.h"

static driver *table(void) {
  return (driver *)(uintptr_t)gpu();
}

static void check_a_sum(jig_engine *engine) {
  enum { COUNT = 300000 };
  static int32_t host[COUNT];
  int32_t *out = gpu_alloc(4, 0), sum = 0, result;
  fill_random(JIG_KIND_I32, host, COUNT, 17);
  for (size_t i = 0; i < COUNT; ++i) sum = (int32_t)((uint32_t)sum + (uint32_t)host[i]);
  void *device = gpu_copy(host, sizeof host, 0);
  for (int i = 0; i < 3; ++i) {
    OK(jig_reduce_sum(engine, NULL, NULL, jig_pointer(device, JIG_I32), jig_pointer(out, JIG_I32), COUNT,
                      NULL));
    gpu_read(&result, out, 4);
    ck_assert_int_eq(result, sum);
  }
  gpu_free(device);
  gpu_free(out);
}

static jig_engine *new_engine(void) {
  jig_engine *engine;
  OK(jig_engine_create(&engine, NULL));
  return engine;
}

START_TEST(drivers_without_libraries_use_modules) {
  const driver whole = *gpu();
  table()->cuLibraryLoadData = NULL;
  table()->has_libraries = false;
  jig_engine *engine = new_engine();
  check_a_sum(engine);
  jig_engine_destroy(engine);
  *table() = whole;
}
END_TEST

START_TEST(drivers_without_launch_attributes_do_without) {
  const driver whole = *gpu();
  table()->cuLaunchKernelEx = NULL;
  jig_engine *engine = new_engine();
  check_a_sum(engine);
  jig_engine_destroy(engine);
  *table() = whole;
}
END_TEST

/* A driver that takes PTX only. */
static __typeof__(cuLibraryLoadData) *real_load;
static int refused;
static CUresult load_ptx_only(CUlibrary *library, const void *code, CUjit_option *jit, void **jit_values,
                              unsigned jit_count, CUlibraryOption *options, void **values,
                              unsigned count) {
  if (memcmp(code, "\177ELF", 4) == 0) {
    ++refused;
    return CUDA_ERROR_NO_BINARY_FOR_GPU;
  }
  return real_load(library, code, jit, jit_values, jit_count, options, values, count);
}

START_TEST(refused_machine_code_is_replaced_by_ptx) {
  const driver whole = *gpu();
  real_load = whole.cuLibraryLoadData;
  table()->cuLibraryLoadData = load_ptx_only;
  table()->takes_ptx_only = false;
  jig_engine *engine = new_engine();
  check_a_sum(engine);
  ck_assert_int_ge(refused, 1);
  int before = refused;
  int32_t *some = gpu_alloc(16, 0);
  size_t bytes = 0; /* the engine remembers: no cubin is tried for the next program */
  const jig_reduce_args args = {
      .in = jig_pointer(some, JIG_I32), .out = jig_pointer(some, JIG_I32), .op = JIG_BIT_OR};
  OK(jig_reduce(engine, NULL, &bytes, &args, NULL));
  ck_assert_int_eq(refused, before);
  gpu_free(some);
  jig_engine_destroy(engine);
  *table() = whole;
}
END_TEST

START_TEST(no_machine_code_is_made_for_a_driver_that_takes_none) {
  const driver whole = *gpu();
  real_load = whole.cuLibraryLoadData;
  refused = 0;
  table()->cuLibraryLoadData = load_ptx_only;
  table()->takes_ptx_only = true;
  jig_engine *engine = new_engine();
  check_a_sum(engine);
  ck_assert_int_eq(refused, 0);
  jig_engine_destroy(engine);
  *table() = whole;
}
END_TEST

/* The first machine code is bad, and no other. Whether the driver takes any is noted. */
static bool takes_machine_code;
static CUresult load_but_the_first(CUlibrary *library, const void *code, CUjit_option *jit,
                                   void **jit_values, unsigned jit_count, CUlibraryOption *options,
                                   void **values, unsigned count) {
  if (refused++ == 0) return CUDA_ERROR_INVALID_IMAGE;
  CUresult result = real_load(library, code, jit, jit_values, jit_count, options, values, count);
  if (result == CUDA_SUCCESS) takes_machine_code = memcmp(code, "\177ELF", 4) == 0;
  return result;
}

/* The faults in the cache that are met. */
static uint64_t sum_with(const jig_engine_config *config) {
  jig_engine *engine;
  jig_engine_stats stats;
  OK(jig_engine_create(&engine, config));
  check_a_sum(engine);
  OK(jig_engine_get_stats(engine, &stats));
  jig_engine_destroy(engine);
  return stats.faults;
}

START_TEST(a_bad_cached_program_is_replaced) {
  scratch_setup();
  const driver whole = *gpu();
  table()->takes_ptx_only = false;
  const jig_engine_config config = {.cache_dir = scratch_path("cache"), .cache_path = ""};
  ck_assert_uint_eq(sum_with(&config), 0); /* it is in the cache now */
  real_load = whole.cuLibraryLoadData;
  refused = 0;
  table()->cuLibraryLoadData = load_but_the_first;
  const uint64_t faults = sum_with(&config);
  /* Made afresh; where only PTX is taken, that is in the cache, too, and comes first. */
  ck_assert_uint_eq(faults, takes_machine_code);
  ck_assert_int_eq(refused, 2); /* the bad one and the one in its place */
  *table() = whole;
  scratch_teardown();
}
END_TEST

/* What the driver refuses once, it refuses from the cache, too: nothing is compiled for that again. */
START_TEST(ptx_is_cached_beside_refused_machine_code) {
  scratch_setup();
  const driver whole = *gpu();
  jig_engine_config config = {.cache_dir = scratch_path("cache"), .cache_path = ""};
  real_load = whole.cuLibraryLoadData;
  table()->cuLibraryLoadData = load_ptx_only;
  ck_assert_uint_eq(sum_with(&config), 0);
  config.build = JIG_BUILD_NEVER;
  ck_assert_uint_eq(sum_with(&config), 0);
  *table() = whole;
  scratch_teardown();
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(drivers_without_libraries_use_modules),
      SUITE_TEST(drivers_without_launch_attributes_do_without),
      SUITE_TEST(refused_machine_code_is_replaced_by_ptx),
      SUITE_TEST(no_machine_code_is_made_for_a_driver_that_takes_none),
      SUITE_TEST(a_bad_cached_program_is_replaced),
      SUITE_TEST(ptx_is_cached_beside_refused_machine_code),
  };
  return SUITE_RUN("device/fallbacks", tests, true);
}
