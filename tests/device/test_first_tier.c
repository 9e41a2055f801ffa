/* The first tier: calls whose kernels were linked with their operator have the results and the temp
 * storage of those that were compiled for it, which take their place later on. */
#include <jig/jig.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/engine.h"
#include "engine_support.h"
#include "first_tier_support.h"
#include "gpu.h"
#include "numbers.h"
#include "reduce_support.h"
#include "spec/canonical.h"
#include "store_support.h"
#include "suite.h"

#define PAIR "struct pair { unsigned m, c; };"
#define TRIPLE "struct triple { unsigned long long sum, last; unsigned count, largest; };"

/* Operators that are associative, and of structs not commutative; and others over such items, of which
 * nothing but the kernels is the same. */
typedef struct op_case {
  const char *name, *definition;
  uint32_t size, align;
  const char *op, *other;
} op_case;
static const op_case cases[] = {
    {"u32", NULL, 4, 4, "return a + b;", "return a ^ b;"},
    {"u64", NULL, 8, 8, "return a > b ? a : b;", "return a & b;"},
    {"pair", PAIR, 8, 4, "pair r; r.m = a.m * b.m; r.c = a.c * b.m + b.c; return r;", "return b;"},
    {"triple", TRIPLE, 24, 8,
     "triple r; r.sum = a.sum + b.sum; r.last = b.last; r.count = a.count + b.count;"
     "r.largest = max(a.largest, b.largest); return r;",
     "return a;"},
};

/* A call, by either algorithm. */
typedef struct fold {
  const op_case *of;
  bool scans;
  void *in, *out;
  size_t n;
} fold;

static jig_type item_type(const op_case *c) {
  return c->definition != NULL ? jig_struct(c->name, c->definition, c->size, c->align)
                               : jig_type_from_name(c->name);
}

static jig_scan_args scan_args(const fold *f, const char *op) {
  const jig_type type = item_type(f->of);
  return (jig_scan_args){.in = jig_pointer(f->in, type),
                         .out = jig_pointer(f->out, type),
                         .num_items = f->n,
                         .op = jig_op_source(op)};
}

static jig_reduce_args reduce_args(const fold *f, const char *op) {
  const jig_type type = item_type(f->of);
  return (jig_reduce_args){.in = jig_pointer(f->in, type),
                           .out = jig_pointer(f->out, type),
                           .num_items = f->n,
                           .op = jig_op_source(op)};
}

/* With no bytes, jig allocates temp storage itself. */
static void call(jig_engine *engine, const fold *f, void *temp, size_t *bytes, CUstream stream) {
  const jig_scan_args scan = scan_args(f, f->of->op);
  const jig_reduce_args reduce = reduce_args(f, f->of->op);
  if (f->scans)
    OK(jig_scan(engine, temp, bytes, &scan, stream));
  else
    OK(jig_reduce(engine, temp, bytes, &reduce, stream));
}

static size_t out_bytes(const fold *f) {
  return (f->scans ? f->n : 1) * f->of->size;
}

/* What a call stores, malloc'ed, and how much temp storage it asks for. */
static unsigned char *results(jig_engine *engine, const fold *f, size_t *temp_bytes) {
  unsigned char *got = malloc(out_bytes(f));
  *temp_bytes = 0;
  call(engine, f, NULL, temp_bytes, NULL);
  void *temp = gpu_alloc(*temp_bytes, 0);
  gpu_fill(f->out, 0xcd, out_bytes(f));
  call(engine, f, temp, temp_bytes, NULL);
  gpu_read(got, f->out, out_bytes(f));
  gpu_free(temp);
  return got;
}

static void prewarm_other(const fold *f) {
  const jig_scan_args scan = scan_args(f, f->of->other);
  const jig_reduce_args reduce = reduce_args(f, f->of->other);
  char *text;
  if (f->scans)
    OK(jig_scan_spec(&scan, &text));
  else
    OK(jig_reduce_spec(&reduce, &text));
  prewarm_for_device(text);
}

/* Calls until one does not find in memory what it takes, as something else takes its place. */
static void call_until_replaced(jig_engine *engine, const fold *f) {
  enum { MOST_MS = 300000 };
  for (int ms = 0; ms < MOST_MS; ++ms) {
    size_t bytes = 0;
    const uint64_t before = stats_of(engine).memory_hits;
    call(engine, f, NULL, &bytes, NULL);
    if (stats_of(engine).memory_hits == before) return;
    (void)usleep(1000);
  }
  ck_abort_msg("nothing has replaced what was linked");
}

/* ---- results */

static fold make_fold(const op_case *c, bool scans, size_t n) {
  fold f = {.of = c, .scans = scans, .n = n};
  uint32_t *words = malloc(n * c->size);
  for (size_t i = 0; i < n * c->size / sizeof *words; ++i)
    words[i] = (uint32_t)(i * 2654435761u) ^ (uint32_t)i;
  f.in = gpu_copy(words, n * c->size, 0);
  f.out = gpu_alloc(out_bytes(&f), 0);
  free(words);
  return f;
}

static void check_same(jig_engine *engine, const fold *f, const unsigned char *wanted,
                       size_t wanted_temp) {
  size_t temp;
  unsigned char *got = results(engine, f, &temp);
  ck_assert_msg(memcmp(got, wanted, out_bytes(f)) == 0, "%s of %zu %s", f->scans ? "scan" : "reduce",
                f->n, f->of->name);
  ck_assert_uint_eq(temp, wanted_temp);
  free(got);
}

static void check_fold(const op_case *c, bool scans, size_t n) {
  size_t temp_bytes = 0;
  fold f = make_fold(c, scans, n);
  jig_engine *plain = engine_in("", JIG_SWITCH_OFF);
  unsigned char *wanted = results(plain, &f, &temp_bytes);
  ck_assert_uint_eq(stats_of(plain).linked_kernels, 0);
  jig_engine_destroy(plain);

  scratch_setup();
  prewarm_other(&f);
  jig_engine *linked = engine_in(scratch_path("cache"), JIG_SWITCH_ON);
  CUstream stream;
  GPU(gpu()->cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  check_same(linked, &f, wanted, temp_bytes);
  ck_assert_uint_eq(stats_of(linked).linked_kernels, 1);

  void *temp = gpu_alloc(temp_bytes, 0);
  size_t bytes = temp_bytes;
  gpu_begin_capture(stream);
  call(linked, &f, temp, &bytes, stream);
  CUgraphExec exec = gpu_end_capture(stream);
  if (stats_of(linked).background_kernels == 0) call_until_replaced(linked, &f);
  check_same(linked, &f, wanted, temp_bytes);
  ck_assert_uint_eq(stats_of(linked).linked_kernels, 1);
  ck_assert_uint_ge(stats_of(linked).background_kernels, 1);

  unsigned char *got = malloc(out_bytes(&f));
  gpu_fill(f.out, 0xcd, out_bytes(&f));
  gpu_replay(exec, stream);
  gpu_read(got, f.out, out_bytes(&f));
  ck_assert_mem_eq(got, wanted, out_bytes(&f));
  free(got);
  GPU(gpu()->cuGraphExecDestroy(exec));
  GPU(gpu()->cuStreamDestroy(stream));
  jig_engine_destroy(linked);
  scratch_teardown();
  gpu_free(temp);
  gpu_free(f.in);
  gpu_free(f.out);
  free(wanted);
}

/* Each type and algorithm with one of the kernels for few items and for many, by turns. */
START_TEST(linked_kernels_do_the_same) {
  const size_t large = gpu_is_software() ? 300000 : (size_t)1 << 21;
  for (size_t i = 0; i < COUNT_OF(cases); ++i) {
    for (int scans = 0; scans < 2; ++scans)
      check_fold(&cases[i], scans != 0, (i / 2 + (size_t)scans) % 2 == 0 ? 1000 : large);
  }
}
END_TEST

/* ---- what goes on at the same time */

enum { THREADS = 3, MOST_CALLS = 30000 };

/* An engine that has linked the kernel of a fold, in a cache of its own until scratch_teardown(). */
static jig_engine *engine_that_linked(const fold *f) {
  size_t bytes = 0;
  scratch_setup();
  prewarm_other(f);
  jig_engine *engine = engine_in(scratch_path("cache"), JIG_SWITCH_ON);
  call(engine, f, NULL, &bytes, NULL);
  ck_assert_uint_eq(stats_of(engine).linked_kernels, 1);
  return engine;
}

typedef struct caller {
  pthread_t thread;
  CUcontext context;
  jig_engine *engine;
  fold f; /* with results of its own */
  uint64_t calls;
} caller;

/* Until the background has made its kernel, and some more. */
static void *call_for_long(void *argument) {
  enum { MORE = 5 };
  caller *c = argument;
  CUstream stream;
  GPU(gpu()->cuCtxSetCurrent(c->context));
  GPU(gpu()->cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  for (int more = 0; more < MORE && c->calls < MOST_CALLS; ++c->calls) {
    more += stats_of(c->engine).background_kernels > 0;
    call(c->engine, &c->f, NULL, NULL, stream);
    GPU(gpu()->cuStreamSynchronize(stream));
    (void)usleep(3000); /* the background has a low priority */
  }
  GPU(gpu()->cuStreamDestroy(stream));
  return NULL;
}

START_TEST(threads_call_while_kernels_are_replaced) {
  caller callers[THREADS];
  fold f = make_fold(&cases[3], true, 1000);
  size_t bytes;
  jig_engine *engine = engine_that_linked(&f);
  unsigned char *wanted = results(engine, &f, &bytes), *got = malloc(out_bytes(&f));
  for (int i = 0; i < THREADS; ++i) {
    callers[i] = (caller){.engine = engine, .f = f};
    callers[i].f.out = gpu_alloc(out_bytes(&f), 0);
    GPU(gpu()->cuCtxGetCurrent(&callers[i].context));
  }
  for (int i = 0; i < THREADS; ++i)
    ck_assert_int_eq(pthread_create(&callers[i].thread, NULL, call_for_long, &callers[i]), 0);
  for (int i = 0; i < THREADS; ++i) {
    ck_assert_int_eq(pthread_join(callers[i].thread, NULL), 0);
    ck_assert_uint_lt(callers[i].calls, MOST_CALLS);
    gpu_read(got, callers[i].f.out, out_bytes(&f));
    ck_assert_mem_eq(got, wanted, out_bytes(&f));
    gpu_free(callers[i].f.out);
  }
  ck_assert_uint_eq(stats_of(engine).linked_kernels, 1);
  jig_engine_destroy(engine);
  scratch_teardown();
  free(wanted);
  free(got);
  gpu_free(f.in);
  gpu_free(f.out);
}
END_TEST

START_TEST(engines_end_while_a_kernel_is_to_be_replaced) {
  op_case c = cases[2];
  fold f = make_fold(&c, true, 1000);
  scratch_setup();
  prewarm_other(&f);
  for (int ms = 0; ms < 64; ms = 2 * ms + 1) {
    char body[64]; /* none is in the cache */
    (void)snprintf(body, sizeof body, "pair r = b; r.m += %d; return r;", ms);
    c.op = body;
    size_t bytes = 0;
    jig_engine *engine = engine_in(scratch_path("cache"), JIG_SWITCH_ON);
    call(engine, &f, NULL, &bytes, NULL);
    ck_assert_uint_eq(stats_of(engine).linked_kernels, 1);
    (void)usleep((useconds_t)ms * 1000);
    jig_engine_destroy(engine);
  }
  scratch_teardown();
  gpu_free(f.in);
  gpu_free(f.out);
}
END_TEST

/* What was linked is replaced by a captured call, too, which loads what the background has made. */
static void capture_what_replaces(const fold *f, const unsigned char *wanted, CUstreamCaptureMode mode) {
  size_t bytes;
  CUstream stream;
  unsigned char *got = malloc(out_bytes(f));
  jig_engine *engine = engine_that_linked(f);
  free(results(engine, f, &bytes));
  void *temp = gpu_alloc(bytes, 0);
  GPU(gpu()->cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  while (stats_of(engine).background_kernels == 0) (void)usleep(1000);
  (void)usleep(100000); /* it is counted before it is handed over */
  const uint64_t before = stats_of(engine).memory_hits;
  GPU(gpu()->cuStreamBeginCapture(stream, mode));
  for (int i = 0; i < 2; ++i) call(engine, f, temp, &bytes, stream);
  CUgraphExec exec = gpu_end_capture(stream);
  ck_assert_uint_eq(stats_of(engine).memory_hits, before + 1);
  gpu_fill(f->out, 0xcd, out_bytes(f));
  gpu_replay(exec, stream);
  gpu_read(got, f->out, out_bytes(f));
  ck_assert_mem_eq(got, wanted, out_bytes(f));
  GPU(gpu()->cuGraphExecDestroy(exec));
  GPU(gpu()->cuStreamDestroy(stream));
  gpu_free(temp);
  jig_engine_destroy(engine);
  scratch_teardown();
  free(got);
}

START_TEST(captured_calls_replace_what_was_linked) {
  static const CUstreamCaptureMode modes[] = {
      CU_STREAM_CAPTURE_MODE_GLOBAL, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL, CU_STREAM_CAPTURE_MODE_RELAXED};
  size_t bytes;
  fold f = make_fold(&cases[2], false, 1000);
  jig_engine *plain = engine_in("", JIG_SWITCH_OFF);
  unsigned char *wanted = results(plain, &f, &bytes);
  jig_engine_destroy(plain);
  for (size_t i = 0; i < COUNT_OF(modes); ++i) capture_what_replaces(&f, wanted, modes[i]);
  free(wanted);
  gpu_free(f.in);
  gpu_free(f.out);
}
END_TEST

/* ---- processes */

static jig_engine *inherited;
static fold inherited_fold;

/* Its parent's engine is of no use to it, and does no harm. */
static bool a_child_ends(void) {
  const jig_reduce_args args = reduce_args(&inherited_fold, inherited_fold.of->op);
  size_t bytes = 0;
  const bool forked = jig_reduce(inherited, NULL, &bytes, &args, NULL) == JIG_ERROR_FORKED;
  jig_engine_destroy(inherited);
  return forked;
}

/* While what is to replace a linked kernel is compiled, or is there and is not loaded. */
START_TEST(a_process_forks_before_a_kernel_is_replaced) {
  size_t bytes = 0;
  inherited_fold = make_fold(&cases[3], false, 1000);
  for (int is_built = 0; is_built < 2; ++is_built) {
    inherited = engine_that_linked(&inherited_fold);
    while (is_built && stats_of(inherited).background_kernels == 0) (void)usleep(1000);
    for (int i = 0; i < 3; ++i) ck_assert(is_true_in_a_child(a_child_ends));
    unsigned char *before = results(inherited, &inherited_fold, &bytes);
    if (!is_built) call_until_replaced(inherited, &inherited_fold);
    check_same(inherited, &inherited_fold, before, bytes);
    ck_assert_uint_ge(stats_of(inherited).background_kernels, 1);
    free(before);
    jig_engine_destroy(inherited);
    scratch_teardown();
  }
  gpu_free(inherited_fold.in);
  gpu_free(inherited_fold.out);
}
END_TEST

/* What is resident in two contexts is not replaced: a capture in the other one would have to load. */
START_TEST(what_several_contexts_have_stays) {
  CUcontext first, second;
  int count;
  size_t bytes = 0;
  if (driver_devices(&count) == NULL || count < 2) {
    puts("skipped: device/first_tier: what_several_contexts_have_stays (one GPU)");
    return;
  }
  fold f = make_fold(&cases[0], false, 100);
  GPU(gpu()->cuCtxGetCurrent(&first));
  GPU(gpu()->cuDevicePrimaryCtxRetain(&second, 1));
  jig_engine *engine = engine_that_linked(&f);
  GPU(gpu()->cuCtxSetCurrent(second));
  call(engine, &f, NULL, &bytes, NULL);
  while (stats_of(engine).background_kernels == 0) (void)usleep(1000);
  const uint64_t before = stats_of(engine).memory_hits;
  for (int i = 0; i < 2; ++i) {
    GPU(gpu()->cuCtxSetCurrent(i == 0 ? second : first));
    call(engine, &f, NULL, &bytes, NULL);
  }
  ck_assert_uint_eq(stats_of(engine).memory_hits, before + 2);
  jig_engine_destroy(engine);
  scratch_teardown();
  GPU(gpu()->cuDevicePrimaryCtxRelease(1));
  gpu_free(f.in);
  gpu_free(f.out);
}
END_TEST

/* ---- what cannot be replaced yet, or at all */

/* The key that the cache has a fold's only kernel by. */
static hash128 key_of(jig_engine *engine, const fold *f) {
  const jig_reduce_args args = reduce_args(f, f->of->op);
  const device_info *device;
  build_settings settings = engine->build;
  parsed_spec parsed;
  artifact a;
  char *spec_text;
  settings.never = true;
  OK(jig_reduce_spec(&args, &spec_text));
  OK(spec_parse(spec_text, algorithm_schema, &parsed));
  OK(driver_current_device(&device));
  const arch target = arch_of_sm(device->sm, gpu_is_software());
  FAILS(build_kernel(&settings, &parsed.s, algorithm_kernel(&parsed.s, 0, target.sm), &target, &a),
        JIG_ERROR_NOT_BUILT, "building is not allowed");
  parsed_spec_free(&parsed);
  jig_free(spec_text);
  return a.key;
}

static void count_refusals(void *count, jig_log_level level, const char *line) {
  (void)level;
  *(atomic_int *)count += strstr(line, "another process is building it") != NULL;
}

/* A fold whose operator another one's kernels are there for, and how often it is refused. */
static fold begin_refusals(const op_case *of, atomic_int *refusals) {
  const fold f = make_fold(of, false, 1000);
  scratch_setup();
  prewarm_other(&f);
  OK(jig_set_log(count_refusals, refusals, JIG_LOG_INFO));
  return f;
}

static void end_refusals(const fold *f) {
  OK(jig_set_log(NULL, NULL, JIG_LOG_NONE));
  scratch_teardown();
  gpu_free(f->in);
  gpu_free(f->out);
}

static void await_count(const atomic_int *count, int wanted) {
  for (int ms = 0; ms < 60000 && *count < wanted; ++ms) (void)usleep(1000);
  ck_assert_int_ge(*count, wanted);
}

/* Another process, which this one is itself as far as locks go, is at it for a while. */
START_TEST(what_another_process_builds_replaces_kernels_later) {
  enum { LOOKS = 3 };
  static atomic_int looks;
  size_t bytes = 0;
  fold f = begin_refusals(&cases[0], &looks);
  for (int i = 0; i < 2; ++i) { /* one that ends meanwhile */
    jig_engine *engine = engine_in(scratch_path("cache"), JIG_SWITCH_ON);
    const hash128 key = key_of(engine, &f);
    const store_lock lock = store_lock_key(engine->build.cache, key, 0);
    ck_assert_int_ge(lock.fd, 0);
    looks = 0;
    call(engine, &f, NULL, &bytes, NULL);
    await_count(&looks, i == 0 ? 1 : LOOKS);
    ck_assert_uint_eq(stats_of(engine).linked_kernels, 1);
    ck_assert_uint_eq(stats_of(engine).background_kernels, 0);
    store_unlock_key(engine->build.cache, key, lock);
    if (i > 0) call_until_replaced(engine, &f);
    ck_assert_uint_eq(stats_of(engine).background_kernels, (uint64_t)i);
    jig_engine_destroy(engine);
  }
  end_refusals(&f);
}
END_TEST

/* Nobody holds the lock that calls take, but that of other backgrounds is held. */
START_TEST(what_another_process_leaves_in_the_cache_replaces_kernels) {
  static atomic_int looks;
  size_t bytes = 0;
  fold f = begin_refusals(&cases[1], &looks);
  jig_engine *engine = engine_in(scratch_path("cache"), JIG_SWITCH_ON);
  hash128 key = key_of(engine, &f);
  key.low = ~key.low;
  const store_lock lock = store_lock_key(engine->build.cache, key, 0);
  call(engine, &f, NULL, &bytes, NULL);
  await_count(&looks, 1);
  jig_engine *other = engine_in(scratch_path("cache"), JIG_SWITCH_OFF);
  call(other, &f, NULL, &bytes, NULL);
  ck_assert_uint_eq(stats_of(other).linked_kernels, 0);
  jig_engine_destroy(other);
  call_until_replaced(engine, &f);
  ck_assert_uint_eq(stats_of(engine).linked_kernels, 1);
  ck_assert_uint_eq(stats_of(engine).background_kernels, 0);
  store_unlock_key(engine->build.cache, key, lock);
  jig_engine_destroy(engine);
  end_refusals(&f);
}
END_TEST

/* What this program is as another process, which ends while it waits for others. */
static int wait_and_leave(const char *cache) {
  static atomic_int looks;
  size_t bytes = 0;
  if (!gpu_open()) return EXIT_FAILURE;
  fold f = make_fold(&cases[0], false, 1000);
  OK(jig_set_log(count_refusals, &looks, JIG_LOG_INFO));
  jig_engine *engine = engine_in(cache, JIG_SWITCH_ON);
  const store_lock lock = store_lock_key(engine->build.cache, key_of(engine, &f), 0);
  call(engine, &f, NULL, &bytes, NULL);
  await_count(&looks, 1);
  gpu_free(f.in);
  gpu_free(f.out);
  gpu_close();
  return lock.fd >= 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

START_TEST(a_process_ends_while_another_one_builds) {
  const fold f = {.of = &cases[0], .scans = false, .n = 1000};
  scratch_setup();
  prewarm_other(&f);
  for (int i = 0; i < 3; ++i) ck_assert_int_eq(suite_run_itself(scratch_path("cache")), EXIT_SUCCESS);
  scratch_teardown();
}
END_TEST

static atomic_int loads;

static CUresult library_is_too_large(CUlibrary *library, const void *code, CUjit_option *jit_options,
                                     void **jit_values, unsigned jit_count, CUlibraryOption *options,
                                     void **values, unsigned count) {
  (void)library, (void)code, (void)jit_options, (void)jit_values, (void)jit_count;
  (void)options, (void)values, (void)count;
  ++loads;
  return CUDA_ERROR_OUT_OF_MEMORY;
}

static CUresult module_is_too_large(CUmodule *module, const void *code) {
  (void)module, (void)code;
  ++loads;
  return CUDA_ERROR_OUT_OF_MEMORY;
}

START_TEST(what_cannot_be_loaded_is_not_tried_again) {
  enum { CALLS = 30 };
  fold f = make_fold(&cases[0], false, 1000);
  size_t temp_bytes = 0;
  driver *table = (driver *)(uintptr_t)gpu();
  const driver before = *table;
  jig_engine *engine = engine_that_linked(&f);
  table->cuLibraryLoadData = library_is_too_large;
  table->cuModuleLoadData = module_is_too_large;
  while (stats_of(engine).background_kernels == 0) (void)usleep(1000);
  unsigned char *wanted = results(engine, &f, &temp_bytes);
  for (int i = 0; i < CALLS; ++i) {
    check_same(engine, &f, wanted, temp_bytes);
    (void)usleep(5000); /* for the background */
  }
  *table = before;
  check_same(engine, &f, wanted, temp_bytes);
  ck_assert_int_eq(loads, 1);
  ck_assert_uint_eq(stats_of(engine).failed_builds, 1);
  jig_engine_destroy(engine);
  scratch_teardown();
  free(wanted);
  gpu_free(f.in);
  gpu_free(f.out);
}
END_TEST

/* ---- what is linked */

static uint64_t linked_by(const char *cache, const op_case *c, bool scans) {
  size_t bytes = 0;
  fold f = make_fold(c, scans, 100);
  jig_engine *engine = engine_in(cache, JIG_SWITCH_ON);
  call(engine, &f, NULL, &bytes, NULL);
  const uint64_t linked = stats_of(engine).linked_kernels;
  jig_engine_destroy(engine);
  gpu_free(f.in);
  gpu_free(f.out);
  return linked;
}

START_TEST(only_exact_operators_are_linked) {
  static const op_case others[] = {
      {"f32", NULL, 4, 4, "return a * b;", "return a + b;"},
      {"u32", NULL, 4, 4, "return unsigned(a * 0.5f) + b;", "return a ^ b;"},
      {"mean", "struct mean { float sum; unsigned count; };", 8, 4, "a.count *= b.count; return a;",
       "return b;"},
      {"f16", NULL, 2, 2, "return a + b;", "return a;"},
  };
  for (size_t i = 0; i < COUNT_OF(others); ++i) {
    scratch_setup();
    const fold f = {.of = &others[i], .scans = false, .n = 100};
    prewarm_other(&f);
    ck_assert_msg(linked_by(scratch_path("cache"), &others[i], false) == 0, "%s", others[i].op);
    scratch_teardown();
  }
}
END_TEST

/* The background of the first engine leaves kernels for the second one's operator. */
START_TEST(the_cache_fills_itself) {
  enum { MOST_MS = 300000 };
  const op_case *c = &cases[2];
  op_case other = *c;
  uint64_t linked = 0;
  other.op = c->other;
  scratch_setup();
  jig_engine *engine = engine_in(scratch_path("cache"), JIG_SWITCH_ON);
  fold f = make_fold(c, false, 100);
  size_t bytes = 0;
  call(engine, &f, NULL, &bytes, NULL);
  ck_assert_uint_eq(stats_of(engine).linked_kernels, 0);
  /* Each look compiles an operator of its own, as what is compiled for one is there the next time. */
  for (int i = 0; i < 200 && linked == 0; ++i) {
    char body[64];
    (void)snprintf(body, sizeof body, "pair r = b; r.m += %d; return r;", i);
    other.op = body;
    linked = linked_by(scratch_path("cache"), &other, false);
    (void)usleep(100000);
  }
  ck_assert_uint_eq(linked, 1);
  jig_engine_destroy(engine);
  scratch_teardown();
  gpu_free(f.in);
  gpu_free(f.out);
}
END_TEST

int main(int argc, char **argv) {
  if (argc > 1) return wait_and_leave(argv[1]);
  (void)setenv("JIG_SOFTGPU_DEVICES", "2", 0);
  static const suite_test tests[] = {
      SUITE_TEST(linked_kernels_do_the_same),
      SUITE_TEST(threads_call_while_kernels_are_replaced),
      SUITE_TEST(engines_end_while_a_kernel_is_to_be_replaced),
      SUITE_TEST(captured_calls_replace_what_was_linked),
      SUITE_TEST(a_process_forks_before_a_kernel_is_replaced),
      SUITE_TEST(what_several_contexts_have_stays),
      SUITE_TEST(what_another_process_builds_replaces_kernels_later),
      SUITE_TEST(what_another_process_leaves_in_the_cache_replaces_kernels),
      SUITE_TEST(a_process_ends_while_another_one_builds),
      SUITE_TEST(what_cannot_be_loaded_is_not_tried_again),
      SUITE_TEST(only_exact_operators_are_linked),
      SUITE_TEST(the_cache_fills_itself),
  };
  return SUITE_RUN("device/first_tier", tests, true);
}
