#include "strict_support.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/driver.h"
#include "numbers.h"
#include "seed.h"
#include "store_support.h"

/* ---- data */

static void *must(size_t size) {
  void *memory = calloc(size + 1, 1);
  ck_assert_ptr_nonnull(memory);
  return memory;
}

static strict_call fill(uint64_t n) {
  const uint64_t segments = (n + STRICT_SEGMENT - 1) / STRICT_SEGMENT;
  uint32_t *keys = must(n * 4), *values = must(n * 4), *runs = must(n * 4);
  uint8_t *flags = must(n), *wide = must(n * STRICT_WIDE);
  int64_t *offsets = must((segments + 1) * 8);
  uint64_t seed = 7;
  for (uint64_t i = 0; i < n; ++i) {
    keys[i] = (uint32_t)(next_random(&seed) % 1000);
    values[i] = (uint32_t)i;
    runs[i] = (uint32_t)(i / STRICT_RUN);
    flags[i] = i % 3 == 0;
    memcpy(wide + i * STRICT_WIDE, &values[i], 4);
  }
  for (uint64_t s = 0; s <= segments; ++s) offsets[s] = (int64_t)(s < segments ? s * STRICT_SEGMENT : n);
  strict_call t = {.n = n,
                   .segments = segments,
                   .keys = keys,
                   .values = values,
                   .runs = runs,
                   .flags = flags,
                   .offsets = offsets,
                   .d_keys = gpu_copy(keys, n * 4, 0),
                   .d_values = gpu_copy(values, n * 4, 0),
                   .d_runs = gpu_copy(runs, n * 4, 0),
                   .d_flags = gpu_copy(flags, n, 0),
                   .d_offsets = gpu_copy(offsets, (segments + 1) * 8, 0),
                   .d_wide = gpu_copy(wide, n * STRICT_WIDE, 0),
                   .d_count = gpu_alloc(16, 0),
                   .host = must((n + 1) * STRICT_WIDE)};
  for (int k = 0; k < STRICT_OUTPUTS; ++k) t.out[k] = gpu_alloc((n + 2) * STRICT_WIDE, 0);
  free(wide);
  return t;
}

static void empty(strict_call *t) {
  void *const on_device[] = {t->d_keys,    t->d_values, t->d_runs, t->d_flags,
                             t->d_offsets, t->d_wide,   t->d_count};
  for (size_t i = 0; i < COUNT_OF(on_device); ++i) gpu_free(on_device[i]);
  for (int k = 0; k < STRICT_OUTPUTS; ++k) gpu_free(t->out[k]);
  const void *const here[] = {t->keys, t->values, t->runs, t->flags, t->offsets, t->host};
  for (size_t i = 0; i < COUNT_OF(here); ++i) free((void *)(uintptr_t)here[i]);
}

const void *strict_read(const strict_call *t, const void *device, size_t bytes) {
  gpu_read(t->host, device, bytes);
  return t->host;
}

uint64_t strict_count(const strict_call *t, int which) {
  uint64_t counts[2];
  gpu_read(counts, t->d_count, sizeof counts);
  return counts[which];
}

/* ---- engines */

static jig_engine *engine_in(const char *cache, jig_build_mode mode) {
  jig_engine *engine = NULL;
  const jig_engine_config config = {.cache_dir = cache, .cache_path = "", .build = mode};
  OK(jig_engine_create(&engine, &config));
  return engine;
}

/* Machine code, or PTX where the driver takes only that: what a call of the usual kind leaves, of which
 * PTX was the last resort. */
static char arch[32];
static int note_arch(void *user, const jig_cache_entry *found) {
  (void)user;
  if (strncmp(arch, "compute_", 8) != 0) (void)snprintf(arch, sizeof arch, "%s", found->arch);
  return 0;
}

static void find_arch(void) {
  const jig_reduce_args args = {.in = jig_counting(NULL, JIG_I32), .out = jig_discard(JIG_I32)};
  size_t bytes = 0;
  scratch_setup();
  jig_engine *engine = engine_in(scratch_path("cache"), JIG_BUILD_ON_DEMAND);
  OK(jig_reduce(engine, NULL, &bytes, &args, NULL));
  OK(jig_cache_walk(engine, note_arch, NULL));
  jig_engine_destroy(engine);
  scratch_teardown();
}

/* ---- a case */

/* One item is none, a tile, some tiles, and more than a single wave of blocks has. */
enum { COUNTS = 5 };
static void make_data(strict_call data[COUNTS]) {
  int devices;
  const uint64_t processors = (unsigned)driver_devices(&devices)->multiprocessors;
  const uint64_t counts[COUNTS] = {0, 1, 1000, 30000, processors << 16};
  for (int i = 0; i < COUNTS; ++i) data[i] = fill(counts[i]);
}

static void check_case(const strict_case *c, const strict_call data[COUNTS], const char *target) {
  strict_call asked = {.text = NULL};
  jig_engine_stats stats;
  c->make(&asked);
  scratch_setup();
  jig_engine *engine = engine_in(scratch_path("cache"), JIG_BUILD_ON_DEMAND);
  OK(jig_prewarm(engine, asked.text, target, NULL));
  jig_engine_destroy(engine);
  jig_free(asked.text);
  engine = engine_in(scratch_path("cache"), JIG_BUILD_NEVER);
  for (int i = 0; i < COUNTS; ++i) {
    strict_call t = data[i];
    t.engine = engine;
    c->make(&t);
  }
  OK(jig_engine_get_stats(engine, &stats));
  ck_assert_msg(stats.misses == 0 && stats.failed_builds == 0 && stats.disk_hits > 0, "%s", c->name);
  jig_engine_destroy(engine);
  scratch_teardown();
}

void check_strict_of(const strict_case *cases, size_t count, const char *target) {
  strict_call data[COUNTS];
  make_data(data);
  for (size_t i = 0; i < count; ++i)
    if (count == 1 || test_turn(i)) check_case(&cases[i], data, target);
  for (int i = 0; i < COUNTS; ++i) empty(&data[i]);
}

void check_strict(const strict_case *cases, size_t count) {
  if (arch[0] == '\0') find_arch();
  check_strict_of(cases, count, arch);
}
