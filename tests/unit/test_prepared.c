/* Prepared calls without a GPU: what is refused and how, memory that is short, threads, forks, and that
 * every algorithm can be prepared. */
#include <dlfcn.h>
#include <jig/jig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithm/call.h"
#include "device_count_cases.h"
#include "engine_support.h"
#include "jit/algorithm.h"
#include "numbers.h"
#include "reduce_support.h"
#include "suite.h"

/* Places far apart. */
static void *at(unsigned place) {
  return (void *)((uintptr_t)(place + 1) << 40);
}

static jig_reduce_args sum(void) {
  return (jig_reduce_args){
      .in = jig_pointer(at(0), JIG_F32), .out = jig_pointer(at(1), JIG_F32), .num_items = 1 << 20};
}

static jig_engine *begin(void) {
  engine_setup();
  return engine_with((jig_engine_config){.background = JIG_SWITCH_OFF});
}

static void end(jig_engine *engine) {
  jig_engine_destroy(engine);
  engine_teardown();
}

#define FAILS_SO(call, part) FAILS(call, JIG_ERROR_INVALID_ARGUMENT, part)

/* ---- the table */

START_TEST(every_algorithm_has_steps) {
  for (size_t i = 0; algorithm_table[i] != NULL; ++i) {
    const call_steps *steps = call_table[i];
    ck_assert_ptr_nonnull(steps);
    ck_assert_ptr_eq(steps->args, algorithm_table[i]->args);
    ck_assert_str_eq(steps->name + strlen("jig_"), algorithm_table[i]->schema.algorithm);
    ck_assert_uint_ge(steps->bound_size, sizeof(spec));
  }
}
END_TEST

/* ---- what is refused */

START_TEST(wrong_preparations_are_refused) {
  jig_engine *engine = begin();
  const jig_reduce_args args = sum();
  jig_reduce_args wrong = args;
  jig_prepared *p = (jig_prepared *)at(0);
  FAILS_SO(jig_prepare(engine, "reduce", &args, sizeof args, NULL), "jig_prepare: prepared: the pointer");
  FAILS_SO(jig_prepare(engine, NULL, &args, sizeof args, &p), "jig_prepare: algorithm: the pointer");
  ck_assert_ptr_null(p);
  FAILS_SO(jig_prepare(engine, "jig_reduce", &args, sizeof args, &p),
           "jig_prepare: algorithm: there is no 'jig_reduce'");
  FAILS_SO(jig_prepare(engine, "reduce", &args, sizeof args - 8, &p),
           "jig_prepare: args_size: 1216; jig_reduce_args has 1224 bytes");
  FAILS_SO(JIG_PREPARE(engine, reduce, NULL, &p), "jig_reduce: args: the pointer is NULL");
  wrong.reserved[0] = 1;
  FAILS_SO(JIG_PREPARE(engine, reduce, &wrong, &p), "jig_reduce: args: reserved is not zero");
  wrong = args;
  wrong.in.kind = JIG_ITER_NONE;
  FAILS_SO(JIG_PREPARE(engine, reduce, &wrong, &p), "jig_reduce: in: no iterator is given");
  wrong = args;
  wrong.num_items = UINT64_MAX;
  FAILS_SO(JIG_PREPARE(engine, reduce, &wrong, &p), "jig_reduce: num_items: ");
  ck_assert_ptr_null(p);
  jig_prepared_free(NULL);
  end(engine);
}
END_TEST

static jig_prepared *prepare_sum(jig_engine *engine) {
  const jig_reduce_args args = sum();
  jig_prepared *p;
  OK(JIG_PREPARE(engine, reduce, &args, &p));
  return p;
}

START_TEST(wrong_moves_are_refused) {
  jig_engine *engine = begin();
  jig_prepared *p = prepare_sum(engine);
  FAILS_SO(jig_prepared_set_pointer(NULL, "in", at(0)),
           "jig_prepared_set_pointer: prepared: the pointer");
  FAILS_SO(jig_prepared_set_pointer(p, NULL, at(0)), "jig_prepared_set_pointer: argument: the pointer");
  FAILS_SO(jig_prepared_set_pointer(p, "i", at(0)), "argument: jig_reduce_args has no 'i'");
  FAILS_SO(jig_prepared_set_pointer(p, "inn", at(0)), "argument: jig_reduce_args has no 'inn'");
  FAILS_SO(jig_prepared_set_pointer(p, "", at(0)), "argument: jig_reduce_args has no ''");
  FAILS_SO(jig_prepared_set_pointer(p, "reserved", at(0)), "argument: jig_reduce_args has no 'reserved'");
  FAILS_SO(jig_prepared_set_pointer(p, "in[0]", at(0)), "in[0]: it is no array");
  FAILS_SO(jig_prepared_set_pointer(p, "num_items", at(0)), "num_items: it has no pointer");
  FAILS_SO(jig_prepared_set_pointer(p, "op", at(0)), "op: the operator has no state");
  FAILS_SO(jig_prepared_set_pointer(p, "init", at(0)), "init: it was NULL when the call was prepared");
  FAILS_SO(jig_prepared_set_pointer(p, "init_in", at(0)), "init_in: the iterator has no pointer");
  OK(jig_prepared_set_pointer(p, "init", NULL));
  FAILS_SO(jig_prepared_set_count(p, "in", 1), "jig_prepared_set_count: in: it is no count");
  FAILS_SO(jig_prepared_set_count(p, "nan", 1), "jig_prepared_set_count: nan: it is no count");
  FAILS_SO(jig_prepared_set_iter(p, "in", NULL), "jig_prepared_set_iter: iter: the pointer");
  const jig_iter same = jig_pointer(at(2), JIG_F32), other = jig_pointer(at(2), JIG_I32),
                 computed = jig_counting(NULL, JIG_F32);
  FAILS_SO(jig_prepared_set_iter(p, "num_items", &same), "num_items: it is no iterator");
  FAILS_SO(jig_prepared_set_iter(p, "in", &other), "in: it differs from the one that was prepared");
  FAILS_SO(jig_prepared_set_iter(p, "in", &computed), "in: it differs from the one that was prepared");
  jig_iter newer = same;
  newer.op.reserved[1] = 1;
  FAILS_SO(jig_prepared_set_iter(p, "in", &newer), "in: reserved is not zero");
  OK(jig_prepared_set_iter(p, "in", &same));
  FAILS_SO(jig_prepared_launch(NULL, NULL, NULL, NULL), "jig_prepared_launch: prepared: the pointer");
  jig_prepared_free(p);
  end(engine);
}
END_TEST

START_TEST(arrays_are_moved_by_their_elements) {
  jig_engine *engine = begin();
  const float lower = 0, upper = 1;
  const jig_histogram_args args = {.samples = jig_pointer(at(0), JIG_F32),
                                   .counts = {at(1)},
                                   .num_bins = {10},
                                   .lower = {&lower},
                                   .upper = {&upper},
                                   .num_row_pixels = 100};
  const jig_iter in[] = {jig_pointer(at(0), JIG_F32), jig_counting(NULL, JIG_U64)};
  const jig_transform_args both = {.in = in,
                                   .num_inputs = 2,
                                   .out = jig_pointer(at(1), JIG_F32),
                                   .num_items = 100,
                                   .op = jig_op_source("return a + b;")};
  jig_prepared *p;
  OK(JIG_PREPARE(engine, histogram, &args, &p));
  OK(jig_prepared_set_pointer(p, "counts[0]", at(2)));
  FAILS_SO(jig_prepared_set_pointer(p, "counts", at(2)), "counts: which of them is missing");
  FAILS_SO(jig_prepared_set_pointer(p, "counts[", at(2)), "counts[: which of them is missing");
  FAILS_SO(jig_prepared_set_pointer(p, "counts[0", at(2)), "counts[0: which of them is missing");
  FAILS_SO(jig_prepared_set_pointer(p, "counts[-1]", at(2)), "counts[-1]: which of them is missing");
  FAILS_SO(jig_prepared_set_pointer(p, "counts[4]", at(2)), "counts[4]: there are not so many");
  FAILS_SO(jig_prepared_set_pointer(p, "counts[1]", at(2)), "counts[1]: it was NULL");
  FAILS_SO(jig_prepared_set_pointer(p, "counts[0]", NULL), "counts[0]: the pointer is NULL");
  jig_prepared_free(p);
  OK(JIG_PREPARE(engine, transform, &both, &p));
  OK(jig_prepared_set_pointer(p, "in[0]", at(2)));
  OK(jig_prepared_set_iter(p, "in[1]", &in[1]));
  FAILS_SO(jig_prepared_set_pointer(p, "in[1]", at(2)), "in[1]: the iterator has no pointer");
  FAILS_SO(jig_prepared_set_iter(p, "in[0]", &in[1]), "in[0]: it differs");
  FAILS_SO(jig_prepared_set_iter(p, "in[2]", &in[0]), "in[2]: there are not so many");
  FAILS_SO(jig_prepared_set_iter(p, "in", &in[0]), "in: which of them is missing");
  jig_prepared_free(p);
  end(engine);
}
END_TEST

/* Of an intersection nobody looks at the second values, whatever they are. */
START_TEST(what_no_kernel_reads_need_not_be_sound) {
  jig_engine *engine = begin();
  const jig_iter keys = jig_pointer(at(0), JIG_U32),
                 baseless = jig_iter_transform(NULL, jig_op_source("return x;"), JIG_U32),
                 based = jig_iter_transform(&keys, jig_op_source("return x;"), JIG_U32);
  const jig_set_operation_args args = {.first_keys_in = keys,
                                       .second_keys_in = jig_pointer(at(1), JIG_U32),
                                       .keys_out = jig_pointer(at(2), JIG_U32),
                                       .second_values_in = baseless,
                                       .num_items_out = jig_pointer(at(3), JIG_U64),
                                       .first_num_items = 10,
                                       .second_num_items = 10,
                                       .mode = JIG_SET_INTERSECTION};
  jig_prepared *p;
  size_t bytes;
  OK(JIG_PREPARE(engine, set_operation, &args, &p));
  FAILS_SO(jig_prepared_set_iter(p, "second_values_in", &based), "second_values_in: it differs");
  FAILS_SO(jig_prepared_set_iter(p, "second_values_in", &baseless), "second_values_in: it differs");
  OK(jig_prepared_launch(p, NULL, &bytes, NULL));
  OK(jig_prepared_launch(p, at(5), &bytes, NULL));
  jig_prepared_free(p);
  end(engine);
}
END_TEST

/* A launch looks at pointers and counts as an ordinary call does. */
START_TEST(launches_check_what_they_use) {
  jig_engine *engine = begin();
  jig_prepared *p = prepare_sum(engine);
  size_t bytes = 0, one = 1;
  OK(jig_prepared_launch(p, NULL, &bytes, NULL));
  OK(jig_prepared_launch(p, at(5), &bytes, NULL));
  FAILS(jig_prepared_launch(p, at(5), &one, NULL), JIG_ERROR_TEMP_STORAGE_TOO_SMALL, "jig_reduce: ");
  OK(jig_prepared_set_pointer(p, "in", NULL));
  FAILS_SO(jig_prepared_launch(p, at(5), &bytes, NULL), "jig_reduce: in: the pointer is NULL");
  OK(jig_prepared_set_pointer(p, "in", (char *)at(0) + 1));
  FAILS_SO(jig_prepared_launch(p, at(5), &bytes, NULL), "jig_reduce: in: pointer ");
  OK(jig_prepared_set_pointer(p, "in", at(5)));
  FAILS_SO(jig_prepared_launch(p, at(5), &bytes, NULL), "jig_reduce: in overlaps d_temp_storage");
  OK(jig_prepared_set_pointer(p, "in", at(0)));
  OK(jig_prepared_set_count(p, "num_items", UINT64_MAX));
  FAILS_SO(jig_prepared_launch(p, NULL, &bytes, NULL), "jig_reduce: num_items: ");
  OK(jig_prepared_set_count(p, "num_items", 1000));
  OK(jig_prepared_launch(p, at(5), &bytes, NULL));
  jig_prepared_free(p);
  end(engine);
}
END_TEST

/* ---- every algorithm: prepared, asked and launched as often as the ordinary call, and freed */

static unsigned long *counter(const char *name) {
  void *opened = dlopen(getenv("JIG_DRIVER"), RTLD_NOW);
  unsigned long *found = opened != NULL ? dlsym(opened, name) : NULL;
  ck_assert_ptr_nonnull(found);
  return found;
}

typedef struct preparation {
  jig_engine *engine;
  const char *test;
  unsigned long enqueued, queries; /* by the ordinary call */
} preparation;

static jig_status prepare_and_launch(void *user, const char *function, const void *args, size_t size) {
  preparation *t = user;
  const unsigned long *enqueued = counter("bare_enqueued"), *queries = counter("bare_queries");
  jig_prepared *p;
  size_t bytes;
  OK(jig_prepare(t->engine, function + strlen("jig_"), args, size, &p));
  OK(jig_prepared_launch(p, NULL, &bytes, NULL));
  for (int i = 0; i < 2; ++i) {
    const unsigned long before = *enqueued, asked = *queries;
    OK(jig_prepared_launch(p, at(100), &bytes, NULL));
    ck_assert_msg(*enqueued - before == t->enqueued, "%s", t->test);
    ck_assert_msg(*queries - asked == t->queries, "%s", t->test);
  }
  jig_prepared_free(p);
  return JIG_SUCCESS;
}

static void try_case(const device_count_case *test, preparation t) {
  device_count_call c = {.words = at(0),
                         .keys = at(1),
                         .sorted = at(2),
                         .other_sorted = at(3),
                         .offsets = at(4),
                         .flags = at(5),
                         .outputs = {at(6), at(7), at(8), at(9)},
                         .limit = 5000,
                         .count = 5000,
                         .second_count = 1000};
  const unsigned long *enqueued = counter("bare_enqueued"), *queries = counter("bare_queries");
  size_t bytes;
  t.test = test->name;
  OK(test->call(t.engine, NULL, &bytes, &c, NULL));
  const unsigned long before = *enqueued, asked = *queries;
  OK(test->call(t.engine, at(100), &bytes, &c, NULL));
  t.enqueued = *enqueued - before;
  t.queries = *queries - asked;
  c.take = prepare_and_launch;
  c.user = &t;
  OK(test->call(t.engine, NULL, NULL, &c, NULL));
}

START_TEST(every_algorithm_is_prepared) {
  static const device_count_case *const groups[] = {device_count_folds, device_count_selections,
                                                    device_count_items, device_count_sorts,
                                                    device_count_segments};
  jig_engine *engine = begin();
  for (size_t g = 0; g < COUNT_OF(groups); ++g)
    for (const device_count_case *test = groups[g]; test->name != NULL; ++test)
      try_case(test, (preparation){.engine = engine});
  end(engine);
}
END_TEST

/* ---- surroundings */

/* By an engine that may not compile, from what another one has left in the cache. */
START_TEST(strict_engines_find_it_in_the_cache) {
  jig_engine *engine = begin();
  jig_engine *strict = engine_with((jig_engine_config){.build = JIG_BUILD_NEVER});
  const jig_reduce_args args = sum();
  jig_prepared *p = NULL;
  size_t bytes;
  FAILS(JIG_PREPARE(strict, reduce, &args, &p), JIG_ERROR_NOT_BUILT, "the cache has no program");
  ck_assert_ptr_null(p);
  jig_prepared_free(prepare_sum(engine));
  OK(JIG_PREPARE(strict, reduce, &args, &p));
  OK(jig_prepared_launch(p, NULL, &bytes, NULL));
  OK(jig_prepared_launch(p, at(5), &bytes, NULL));
  jig_engine_destroy(strict);
  jig_prepared_free(p); /* later than its engine */
  end(engine);
}
END_TEST

/* More items take another kernel, which is built then. */
START_TEST(other_counts_build_what_they_take) {
  jig_engine *engine = begin();
  const jig_scan_args args = {
      .in = jig_pointer(at(0), JIG_F32), .out = jig_pointer(at(1), JIG_F32), .num_items = 10};
  jig_prepared *p;
  size_t few, many;
  OK(JIG_PREPARE(engine, scan, &args, &p));
  OK(jig_prepared_launch(p, NULL, &few, NULL));
  const uint64_t kernels = stats_of(engine).kernels;
  OK(jig_prepared_set_count(p, "num_items", 1 << 28));
  OK(jig_prepared_launch(p, NULL, &many, NULL));
  ck_assert_uint_gt(stats_of(engine).kernels, kernels);
  ck_assert_uint_gt(many, few);
  OK(jig_prepared_launch(p, at(5), &many, NULL));
  FAILS(jig_prepared_launch(p, at(5), &few, NULL), JIG_ERROR_TEMP_STORAGE_TOO_SMALL, "jig_scan: ");
  ck_assert_uint_eq(atomic_load(&engine->misplanned), 0);
  jig_prepared_free(p);
  end(engine);
}
END_TEST

static jig_prepared *inherited;

static bool is_refused_in_a_child(void) {
  size_t bytes;
  return jig_prepared_launch(inherited, NULL, &bytes, NULL) == JIG_ERROR_FORKED;
}

START_TEST(children_cannot_launch) {
  jig_engine *engine = begin();
  inherited = prepare_sum(engine);
  ck_assert(is_true_in_a_child(is_refused_in_a_child));
  jig_prepared_free(inherited);
  end(engine);
}
END_TEST

static void launch_often(void *user, int number) {
  jig_engine *engine = user;
  jig_prepared *p = prepare_sum(engine);
  size_t bytes;
  OK(jig_prepared_launch(p, NULL, &bytes, NULL));
  for (unsigned i = 0; i < 200; ++i) {
    OK(jig_prepared_set_pointer(p, "in", at(10 + (unsigned)number)));
    OK(jig_prepared_set_count(p, "num_items", i));
    OK(jig_prepared_launch(p, at(100 + (unsigned)number), &bytes, NULL));
  }
  jig_prepared_free(p);
}

START_TEST(threads_have_one_each) {
  jig_engine *engine = begin();
  run_together(8, launch_often, engine);
  ck_assert_uint_eq(stats_of(engine).misses, 1);
  end(engine);
}
END_TEST

/* ---- memory that is short */

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
/* The allocation of that number fails, counted down from here; 0: none. */
static int fails_in;

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
static bool is_to_fail(void) {
  return fails_in > 0 && --fails_in == 0;
}
void *malloc(size_t size) {
  return is_to_fail() ? NULL : __libc_malloc(size);
}
void *calloc(size_t count, size_t size) {
  return is_to_fail() ? NULL : __libc_calloc(count, size);
}

START_TEST(every_allocation_may_fail) {
  enum { ALLOCATIONS = 3 };
  jig_engine *engine = begin();
  const jig_reduce_args args = sum();
  jig_prepared *p = prepare_sum(engine); /* the program is there then */
  jig_prepared_free(p);
  for (int n = 1; n <= ALLOCATIONS; ++n) {
    fails_in = n;
    const jig_status status = JIG_PREPARE(engine, reduce, &args, &p);
    ck_assert_int_eq(fails_in, 0);
    FAILS(status, JIG_ERROR_OUT_OF_MEMORY, "a prepared call");
    ck_assert_ptr_null(p);
  }
  fails_in = ALLOCATIONS + 1;
  OK(JIG_PREPARE(engine, reduce, &args, &p));
  size_t bytes;
  fails_in = 1;
  OK(jig_prepared_launch(p, NULL, &bytes, NULL));
  OK(jig_prepared_set_count(p, "num_items", 10));
  OK(jig_prepared_launch(p, at(5), &bytes, NULL));
  ck_assert_int_eq(fails_in, 1); /* none of these allocates */
  fails_in = 0;
  jig_prepared_free(p);
  end(engine);
}
END_TEST
#define MEMORY_TESTS SUITE_TEST(every_allocation_may_fail)
#else
#define MEMORY_TESTS
#endif

int main(void) {
  static const suite_test tests[] = {SUITE_TEST(every_algorithm_has_steps),
                                     SUITE_TEST(wrong_preparations_are_refused),
                                     SUITE_TEST(wrong_moves_are_refused),
                                     SUITE_TEST(arrays_are_moved_by_their_elements),
                                     SUITE_TEST(what_no_kernel_reads_need_not_be_sound),
                                     SUITE_TEST(launches_check_what_they_use),
                                     SUITE_TEST(every_algorithm_is_prepared),
                                     SUITE_TEST(strict_engines_find_it_in_the_cache),
                                     SUITE_TEST(other_counts_build_what_they_take),
                                     SUITE_TEST(children_cannot_launch),
                                     SUITE_TEST(threads_have_one_each),
                                     MEMORY_TESTS};
  if (!fakes_open_with("unit/prepared", "tests/unit/bare_cuda.c")) return EXIT_SUCCESS;
  const int code = SUITE_RUN("unit/prepared", tests, false);
  fakes_close();
  return code;
}
