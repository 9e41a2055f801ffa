/* Prepared calls: every algorithm does by one what it does by an ordinary call, bit for bit, with other
 * pointers and counts than it was prepared with, in streams and in graphs. */
#include <jig/jig.h>
#include <stdlib.h>
#include <string.h>

#include "device_count_memory.h"
#include "gpu.h"
#include "jit/algorithm.h"
#include "numbers.h"
#include "prepared_support.h"
#include "reduce_support.h"
#include "seed.h"
#include "suite.h"

/* A prepared call, and what it works on. */
static void free_call(jig_prepared *prepared, void *storage, void *in, void *out) {
  jig_prepared_free(prepared);
  gpu_free(storage);
  gpu_free(in);
  gpu_free(out);
}

/* ---- every algorithm */

static const device_count_case *const groups[] = {device_count_folds, device_count_selections,
                                                  device_count_items, device_count_sorts,
                                                  device_count_segments};

/* One case, its prepared call, and what an ordinary one comes to. */
typedef struct trial {
  const device_count_case *test;
  const device_count_call *c;
  const char *function;
  jig_prepared *prepared;
  CUgraphExec exec; /* NULL: none yet */
  void *storage;    /* enough for both */
  size_t bytes;
  CUstream stream;
  char *wanted;
  bool by_pointer;
} trial;

static void expect(const trial *t, const char *how) {
  device_count_expect(t->c, t->wanted, device_count_outputs(t->c), "%s, %s: %llu items", t->test->name,
                      how, (unsigned long long)t->c->count);
}

static void ordinary(trial *t) {
  device_count_call c = *t->c;
  c.take = NULL;
  device_count_poison(&c);
  OK(t->test->call(NULL, t->storage, &t->bytes, &c, t->stream));
  t->wanted = device_count_outputs(&c);
}

static jig_status prepare(void *user, const char *function, const void *args, size_t size) {
  trial *t = user;
  t->function = function;
  OK(jig_prepare(NULL, function + strlen("jig_"), args, size, &t->prepared));
  return JIG_SUCCESS;
}

static size_t size_of(const trial *t) {
  size_t bytes = 0;
  OK(jig_prepared_launch(t->prepared, NULL, &bytes, t->stream));
  return bytes;
}

/* Values that iterators have in host memory are there as long as the case is in its call. */
static jig_status launch_there(void *user, const char *function, const void *args, size_t size) {
  trial *t = user;
  size_t bytes;
  (void)size;
  ck_assert_str_eq(function, t->function);
  move_prepared(t->prepared, function, args, t->by_pointer);
  bytes = size_of(t);
  ck_assert_uint_le(bytes, t->bytes);
  for (int again = 0; again < 2; ++again) { /* with nothing changed the second time */
    device_count_poison(t->c);
    OK(jig_prepared_launch(t->prepared, t->storage, &bytes, t->stream));
    expect(t, again ? "again" : "moved");
  }
  device_count_poison(t->c);
  gpu_begin_capture(t->stream);
  OK(jig_prepared_launch(t->prepared, t->storage, &bytes, t->stream));
  CUgraphExec exec = gpu_end_capture(t->stream);
  gpu_replay(exec, t->stream);
  expect(t, "captured");
  GPU(gpu()->cuGraphExecDestroy(exec));
  return JIG_SUCCESS;
}

static jig_status replay_there(void *user, const char *function, const void *args, size_t size) {
  trial *t = user;
  (void)size;
  move_prepared(t->prepared, function, args, t->by_pointer);
  if (t->exec == NULL) {
    CUgraph graph;
    OK(jig_prepared_graph(t->prepared, t->storage, &t->bytes, &graph));
    GPU(gpu()->cuGraphInstantiateWithFlags(&t->exec, graph, 0));
    GPU(gpu()->cuGraphDestroy(graph));
  } else {
    OK(jig_prepared_update(t->prepared, t->storage, &t->bytes, t->exec));
  }
  device_count_poison(t->c);
  gpu_replay(t->exec, t->stream);
  expect(t, "in a graph");
  gpu_replay(t->exec, t->stream);
  expect(t, "in a graph, again");
  return JIG_SUCCESS;
}

static void go(trial *t, const device_count_call *c,
               jig_status (*take)(void *, const char *, const void *, size_t)) {
  device_count_call taken = *c;
  taken.take = take;
  taken.user = t;
  t->c = c;
  if (take != prepare) ordinary(t);
  OK(t->test->call(NULL, NULL, NULL, &taken, NULL));
  free(t->wanted);
  t->wanted = NULL;
}

static void check_case(const device_count_case *test, const device_count_call calls[3]) {
  trial t = {.test = test, .bytes = 16 << 20};
  t.storage = gpu_alloc(t.bytes, 0);
  GPU(gpu()->cuStreamCreate(&t.stream, CU_STREAM_NON_BLOCKING));
  go(&t, &calls[0], prepare);
  for (int i = 0; i < 3; ++i) {
    t.by_pointer = i % 2 == 0;
    go(&t, &calls[(i + 1) % 3], launch_there);
  }
  /* Of other memory and some fewer items, and back; of as many blocks in a cluster. */
  device_count_call fewer = calls[1];
  fewer.count -= fewer.count / 50;
  go(&t, &calls[2], replay_there);
  go(&t, &fewer, replay_there);
  go(&t, &calls[2], replay_there);
  GPU(gpu()->cuGraphExecDestroy(t.exec));
  GPU(gpu()->cuStreamDestroy(t.stream));
  jig_prepared_free(t.prepared);
  gpu_free(t.storage);
}

static bool is_of(const device_count_case *test, const device_count_call *c, const char *wanted);

/* The first case of an algorithm, or another one; NULL if it has none. */
static const device_count_case *case_of(const char *wanted, const device_count_call *c, bool another) {
  const device_count_case *found = NULL;
  for (size_t g = 0; g < COUNT_OF(groups); ++g) {
    for (const device_count_case *test = groups[g]; test->name != NULL; ++test) {
      if (!is_of(test, c, wanted)) continue;
      if (found != NULL && another) return test;
      if (found == NULL) found = test;
    }
  }
  return found;
}

static jig_status compare_name(void *user, const char *function, const void *args, size_t size) {
  (void)args;
  (void)size;
  return strcmp(function + strlen("jig_"), user) == 0 ? JIG_SUCCESS : JIG_ERROR_UNSUPPORTED;
}

static bool is_of(const device_count_case *test, const device_count_call *c, const char *wanted) {
  device_count_call taken = *c;
  taken.take = compare_name;
  taken.user = (void *)(uintptr_t)wanted;
  return test->call(NULL, NULL, NULL, &taken, NULL) == JIG_SUCCESS;
}

/* Rows of the table, a part of them. Every other algorithm with its second case, if it has one. */
static void check_rows(size_t part, size_t parts) {
  device_count_call calls[] = {device_count_new(777, 1), device_count_new(20011, 2),
                               device_count_new(20400, 3)};
  for (size_t i = 0; algorithm_table[i] != NULL; ++i) {
    const char *name = algorithm_table[i]->schema.algorithm;
    if (i % parts != part) continue;
    const device_count_case *test = case_of(name, calls, test_turn((unsigned long)i));
    ck_assert_msg(test != NULL, "%s: no case in support/device_count_cases.c", name);
    check_case(test, calls);
  }
  for (size_t i = 0; i < COUNT_OF(calls); ++i) device_count_free(&calls[i]);
}

START_TEST(every_algorithm_a) {
  check_rows(0, 3);
}
END_TEST
START_TEST(every_algorithm_b) {
  check_rows(1, 3);
}
END_TEST
START_TEST(every_algorithm_c) {
  check_rows(2, 3);
}
END_TEST

/* ---- graphs */

START_TEST(graphs_of_other_kernels_are_refused) {
  enum { FEW = 1000, MANY = 400000 };
  uint32_t *in = gpu_alloc(MANY * sizeof *in, 0), *out = gpu_alloc(MANY * sizeof *out, 0);
  uint32_t result[FEW];
  const jig_scan_args args = {
      .in = jig_pointer(in, JIG_U32), .out = jig_pointer(out, JIG_U32), .num_items = MANY};
  jig_prepared *prepared;
  CUgraph graph;
  CUgraphExec exec;
  CUstream stream;
  size_t bytes;
  gpu_fill(in, 1, MANY * sizeof *in);
  GPU(gpu()->cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  OK(JIG_PREPARE(NULL, scan, &args, &prepared));
  OK(jig_prepared_launch(prepared, NULL, &bytes, stream));
  void *storage = gpu_alloc(bytes, 0);
  OK(jig_prepared_set_count(prepared, "num_items", FEW));
  OK(jig_prepared_graph(prepared, storage, &bytes, &graph));
  GPU(gpu()->cuGraphInstantiateWithFlags(&exec, graph, 0));
  OK(jig_prepared_set_count(prepared, "num_items", 0));
  FAILS(jig_prepared_update(prepared, storage, &bytes, exec), JIG_ERROR_UNSUPPORTED,
        "jig_prepared_update: graph: its kernels are not those that these counts take");
  size_t small = 1;
  OK(jig_prepared_set_count(prepared, "num_items", MANY));
  FAILS(jig_prepared_update(prepared, storage, &small, exec), JIG_ERROR_TEMP_STORAGE_TOO_SMALL,
        "jig_scan: *temp_storage_bytes is 1");
  FAILS(jig_prepared_graph(prepared, storage, &small, &graph), JIG_ERROR_TEMP_STORAGE_TOO_SMALL,
        "jig_scan: *temp_storage_bytes is 1");
  ck_assert_ptr_null(graph);
  FAILS(jig_prepared_graph(prepared, NULL, &bytes, &graph), JIG_ERROR_INVALID_ARGUMENT, "d_temp_storage");
  FAILS(jig_prepared_graph(prepared, storage, &bytes, NULL), JIG_ERROR_INVALID_ARGUMENT, "graph");
  FAILS(jig_prepared_update(prepared, storage, NULL, exec), JIG_ERROR_INVALID_ARGUMENT,
        "temp_storage_bytes");
  FAILS(jig_prepared_update(prepared, storage, &bytes, NULL), JIG_ERROR_INVALID_ARGUMENT, "graph");
  gpu_replay(exec, stream); /* as it was */
  gpu_read(result, out, sizeof result);
  for (uint32_t i = 0; i < FEW; ++i) ck_assert_uint_eq(result[i], (i + 1) * 0x01010101u);
  GPU(gpu()->cuGraphExecDestroy(exec));
  GPU(gpu()->cuStreamDestroy(stream));
  free_call(prepared, storage, in, out);
}
END_TEST

/* The driver takes an update that leaves clusters as large as they were. */
START_TEST(graphs_of_other_clusters_are_refused) {
  enum { FEW = 6000, MANY = 20000 };
  uint32_t *in = gpu_alloc(MANY * sizeof *in, 0), *out = gpu_alloc(MANY * sizeof *out, 0);
  const jig_scan_args args = {
      .in = jig_pointer(in, JIG_U32), .out = jig_pointer(out, JIG_U32), .num_items = MANY};
  int has_clusters;
  CUdevice device;
  jig_prepared *prepared;
  size_t bytes = 1 << 20;
  void *storage = gpu_alloc(bytes, 0);
  CUgraph graph;
  CUgraphExec exec;
  GPU(gpu()->cuCtxGetDevice(&device));
  GPU(gpu()->cuDeviceGetAttribute(&has_clusters, CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH, device));
  OK(JIG_PREPARE(NULL, scan, &args, &prepared));
  OK(jig_prepared_graph(prepared, storage, &bytes, &graph));
  GPU(gpu()->cuGraphInstantiateWithFlags(&exec, graph, 0));
  GPU(gpu()->cuGraphDestroy(graph));
  OK(jig_prepared_set_count(prepared, "num_items", MANY - 7));
  OK(jig_prepared_update(prepared, storage, &bytes, exec));
  OK(jig_prepared_set_count(prepared, "num_items", FEW));
  if (has_clusters)
    FAILS(jig_prepared_update(prepared, storage, &bytes, exec), JIG_ERROR_UNSUPPORTED,
          "jig_prepared_update: graph: its kernels are not those that these counts take");
  GPU(gpu()->cuGraphExecDestroy(exec));
  OK(jig_prepared_graph(prepared, storage, &bytes, &graph));
  GPU(gpu()->cuGraphInstantiateWithFlags(&exec, graph, 0));
  GPU(gpu()->cuGraphDestroy(graph));
  OK(jig_prepared_update(prepared, storage, &bytes, exec));
  GPU(gpu()->cuGraphExecDestroy(exec));
  free_call(prepared, storage, in, out);
}
END_TEST

/* ---- what is read at each launch, and what is not */

START_TEST(values_are_read_at_each_launch) {
  enum { COUNT = 5000 };
  uint32_t *out = gpu_alloc(sizeof *out, 0);
  uint32_t start = 1, init = 3, result;
  char body[] = "return x * state;";
  uint32_t factor = 2;
  jig_prepared *prepared;
  size_t bytes = 1 << 20;
  void *storage = gpu_alloc(bytes, 0);
  {
    jig_iter base = jig_counting(&start, JIG_U32);
    const jig_op op = jig_op_with_state(jig_op_source(body), &factor, JIG_U32);
    const jig_reduce_args args = {.in = jig_iter_transform(&base, op, JIG_U32),
                                  .out = jig_pointer(out, JIG_U32),
                                  .num_items = COUNT,
                                  .init = &init};
    OK(JIG_PREPARE(NULL, reduce, &args, &prepared));
    memset(body, 'x', sizeof body - 1); /* which are copied */
    memset(&base, 0xff, sizeof base);
  }
  for (uint32_t k = 0; k < 3; ++k) {
    start = 1 + k;
    init = 7 * k;
    factor = 2 + k;
    OK(jig_prepared_launch(prepared, storage, &bytes, NULL));
    gpu_read(&result, out, sizeof result);
    ck_assert_uint_eq(result, init + factor * (COUNT * start + COUNT * (COUNT - 1) / 2));
  }
  jig_prepared_free(prepared);
  gpu_free(storage);
  gpu_free(out);
}
END_TEST

/* A program is built while another stream is captured: what is prepared is given none. */
START_TEST(captures_of_other_streams_make_no_difference) {
  const uint32_t items[] = {5, 6, 7};
  uint32_t *in = gpu_copy(items, sizeof items, 0), *out = gpu_alloc(sizeof *out, 0), result;
  const jig_reduce_args args = {.in = jig_pointer(in, JIG_U32),
                                .out = jig_pointer(out, JIG_U32),
                                .num_items = COUNT_OF(items),
                                .op = jig_op_source("return b == 12345 ? a : b; /* nobody else's */")};
  jig_prepared *prepared;
  size_t bytes = 1 << 20;
  void *storage = gpu_alloc(bytes, 0);
  CUstream stream;
  GPU(gpu()->cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  gpu_begin_capture(stream);
  OK(JIG_PREPARE(NULL, reduce, &args, &prepared));
  OK(jig_prepared_launch(prepared, storage, &bytes, stream));
  CUgraphExec exec = gpu_end_capture(stream);
  gpu_replay(exec, stream);
  gpu_read(&result, out, sizeof result);
  ck_assert_uint_eq(result, 7);
  GPU(gpu()->cuGraphExecDestroy(exec));
  GPU(gpu()->cuStreamDestroy(stream));
  free_call(prepared, storage, in, out);
}
END_TEST

/* Items that are copied to temp storage first, as they are too large to be held, are copied each time. */
START_TEST(what_is_in_place_is_copied_each_time) {
  enum { COUNT = 300, WORDS = 126 };
  static uint32_t items[COUNT][WORDS], got[COUNT][WORDS];
  uint8_t flags[COUNT];
  for (int i = 0; i < COUNT; ++i) flags[i] = i % 3 == 0;
  void *in = gpu_alloc(sizeof items, 0), *d_flags = gpu_copy(flags, sizeof flags, 0);
  uint64_t *selected = gpu_alloc(sizeof *selected, 0);
  const jig_type type = jig_opaque(sizeof items[0], 8);
  const jig_select_args args = {.in = jig_pointer(in, type),
                                .flags = jig_pointer(d_flags, JIG_U8),
                                .out = jig_pointer(in, type),
                                .num_selected_out = jig_pointer(selected, JIG_U64),
                                .num_items = COUNT};
  jig_prepared *prepared;
  size_t bytes;
  OK(JIG_PREPARE(NULL, select, &args, &prepared));
  OK(jig_prepared_launch(prepared, NULL, &bytes, NULL));
  void *storage = gpu_alloc(bytes, 0);
  for (uint32_t round = 0; round < 3; ++round) {
    for (uint32_t i = 0; i < COUNT; ++i)
      for (uint32_t k = 0; k < WORDS; ++k) items[i][k] = round << 24 ^ i << 8 ^ k;
    gpu_write(in, items, sizeof items);
    gpu_fill(storage, 0x5a, bytes);
    OK(jig_prepared_launch(prepared, storage, &bytes, NULL));
    gpu_read(got, in, sizeof got);
    for (uint32_t i = 0; i < COUNT / 3; ++i)
      ck_assert_msg(memcmp(got[i], items[3 * i], sizeof got[i]) == 0, "round %u, item %u", round, i);
  }
  jig_prepared_free(prepared);
  gpu_free(storage);
  gpu_free(selected);
  gpu_free(d_flags);
  gpu_free(in);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(every_algorithm_a),
      SUITE_TEST(every_algorithm_b),
      SUITE_TEST(every_algorithm_c),
      SUITE_TEST(graphs_of_other_kernels_are_refused),
      SUITE_TEST(graphs_of_other_clusters_are_refused),
      SUITE_TEST(values_are_read_at_each_launch),
      SUITE_TEST(captures_of_other_streams_make_no_difference),
      SUITE_TEST(what_is_in_place_is_copied_each_time),
  };
  return SUITE_RUN("device/prepared", tests, true);
}
