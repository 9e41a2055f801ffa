/* The first tier of every algorithm that takes an operator from source, and of iterators that have one:
 * linked kernels store what compiled ones do, with as much temp storage, and so do those that take their
 * place. */
#include <jig/jig.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine_support.h"
#include "first_tier_support.h"
#include "gpu.h"
#include "numbers.h"
#include "reduce_support.h"
#include "seed.h"
#include "store_support.h"
#include "suite.h"

/* ---- what calls have */

#define HIT "struct hit { float key; unsigned id; };"

/* Device memory. Few keys in random order, with runs of equal ones; two inputs in order; structs, of a
 * float; floats, NaNs and zeros of both signs among them; where segments begin. */
typedef struct inputs {
  void *keys, *first, *second, *hits, *floats, *offsets;
  size_t n, segments;
} inputs;

enum { OUTPUTS = 3 };
typedef struct outputs {
  unsigned char *at[OUTPUTS]; /* each with room for 2 n items of 8 bytes */
  unsigned char *all;
  size_t bytes;
} outputs;

static jig_type hit_type(void) {
  return jig_struct("hit", HIT, 8, 4);
}
static jig_iter keys(const void *items) {
  return jig_pointer((void *)items, JIG_U32);
}
static jig_iter floats(const void *items) {
  return jig_pointer((void *)items, JIG_F32);
}
static jig_iter hits(const void *items) {
  return jig_pointer((void *)items, hit_type());
}

/* ---- the calls, by an operator; with no stream, their specs */

typedef struct request {
  jig_engine *engine;
  const inputs *in;
  const outputs *out;
  const char *op;
  void *temp;
  size_t *bytes;
  char **spec; /* NULL: the call is made */
} request;

#define CALL(name, algorithm, ...)                                                       \
  static jig_status name(const request *r) {                                             \
    const inputs *in = r->in;                                                            \
    unsigned char *const *out = r->out->at;                                              \
    const jig_op op = jig_op_source(r->op);                                              \
    const jig_##algorithm##_args args = {__VA_ARGS__};                                   \
    (void)in;                                                                            \
    return r->spec != NULL ? jig_##algorithm##_spec(&args, r->spec)                      \
                           : jig_##algorithm(r->engine, r->temp, r->bytes, &args, NULL); \
  }

#define COUNT(k) jig_pointer(out[k], JIG_I64)
#define SEGMENTS                                      \
  .begin_offsets = jig_pointer(in->offsets, JIG_I32), \
  .end_offsets = jig_pointer((int32_t *)in->offsets + 1, JIG_I32), .num_segments = in->segments
#define TWO_INPUTS                                                                                \
  .first_keys_in = keys(in->first), .second_keys_in = keys(in->second), .keys_out = keys(out[0]), \
  .first_num_items = in->n, .second_num_items = in->n

CALL(call_select, select, .in = keys(in->keys), .out = keys(out[0]), .num_selected_out = COUNT(1),
     .num_items = in->n, .op = op)
CALL(call_partition, partition, .in = hits(in->hits), .out = hits(out[0]), .num_selected_out = COUNT(1),
     .num_items = in->n, .op = op)
CALL(call_three_way, three_way_partition, .in = keys(in->keys), .first_out = keys(out[0]),
     .second_out = keys(out[1]), .unselected_out = keys(out[2]),
     .num_selected_out = jig_pointer(out[0] + in->n * 8, JIG_I64), .num_items = in->n, .first_op = op,
     .second_op = jig_op_source("return x & 1;"))
CALL(call_unique, unique, .in = hits(in->hits), .out = hits(out[0]), .num_selected_out = COUNT(1),
     .num_items = in->n, .equality = op)
CALL(call_find, find_if, .in = keys(in->keys), .out = COUNT(0), .num_items = in->n, .predicate = op)
CALL(call_is_sorted, is_sorted, .in = keys(in->first), .out = COUNT(0), .num_items = in->n, .compare = op,
     .mode = JIG_SORTED_UNTIL)
CALL(call_sort, merge_sort, .keys_in = hits(in->hits), .keys_out = hits(out[0]),
     .values_in = keys(in->keys), .values_out = keys(out[1]), .num_items = in->n, .compare = op)
CALL(call_merge, merge, TWO_INPUTS, .compare = op)
CALL(call_set, set_operation, TWO_INPUTS, .num_items_out = COUNT(1), .compare = op,
     .mode = JIG_SET_INTERSECTION)
CALL(call_search, binary_search, .in = keys(in->first), .needles_in = keys(in->keys), .out = COUNT(0),
     .num_items = in->n, .num_needles = in->n, .compare = op)
CALL(call_differences, adjacent_difference, .in = keys(in->keys), .out = keys(out[0]), .num_items = in->n,
     .op = op)
CALL(call_runs, run_length_encode, .in = keys(in->keys), .unique_out = keys(out[0]),
     .lengths_out = keys(out[1]), .num_runs_out = COUNT(2), .num_items = in->n, .equality = op)
CALL(call_long_runs, non_trivial_runs, .in = keys(in->keys), .offsets_out = keys(out[0]),
     .lengths_out = keys(out[1]), .num_runs_out = COUNT(2), .num_items = in->n, .equality = op)
CALL(call_reduce_by_key, reduce_by_key, .keys_in = keys(in->first), .unique_out = keys(out[0]),
     .values_in = keys(in->keys), .aggregates_out = keys(out[1]), .num_runs_out = COUNT(2),
     .num_items = in->n, .op = op)
CALL(call_scan_by_key, scan_by_key, .keys_in = keys(in->first), .values_in = keys(in->keys),
     .values_out = keys(out[0]), .num_items = in->n, .op = op)
CALL(call_segmented_reduce, segmented_reduce, .in = keys(in->keys), .out = keys(out[0]), SEGMENTS,
     .op = op)
CALL(call_segmented_scan, segmented_scan, .in = keys(in->keys), .out = keys(out[0]), SEGMENTS, .op = op)
CALL(call_arg_reduce, arg_reduce, .in = hits(in->hits), .value_out = hits(out[0]), .index_out = COUNT(1),
     .num_items = in->n, .compare = op)
CALL(call_segmented_arg_reduce, segmented_arg_reduce, .in = hits(in->hits), .value_out = hits(out[0]),
     .index_out = COUNT(1), SEGMENTS, .compare = op)
CALL(call_min_max, min_max, .in = hits(in->hits), .min_out = hits(out[0]), .max_out = hits(out[1]),
     .num_items = in->n, .compare = op)
CALL(call_exclusive_scan, scan, .in = keys(in->keys), .out = keys(out[0]), .num_items = in->n, .op = op,
     .init = &(uint32_t){7}, .init_type = jig_type_from_name("u32"), .mode = JIG_SCAN_EXCLUSIVE)

/* Of floats. */
CALL(call_fold_floats, reduce, .in = floats(in->floats), .out = floats(out[0]), .num_items = in->n,
     .op = op)
CALL(call_select_floats, select, .in = floats(in->floats), .out = floats(out[0]),
     .num_selected_out = COUNT(1), .num_items = in->n, .op = op)
CALL(call_sort_floats, merge_sort, .keys_in = floats(in->floats), .keys_out = floats(out[0]),
     .num_items = in->n, .compare = op)

/* By operators of iterators. */
#define MADE(base, type) jig_iter_transform((jig_iter[]){base}, op, jig_type_from_name(type))
CALL(call_transform, transform, .in = (jig_iter[]){floats(in->floats), floats(in->floats)},
     .num_inputs = 2, .out = floats(out[0]), .num_items = in->n, .op = op)
CALL(call_transform_if, transform, .in = (jig_iter[]){hits(in->hits)}, .num_inputs = 1,
     .out = keys(out[0]), .num_items = in->n, .op = op,
     .predicate = jig_op_source("return x.key < 0.5f;"))
CALL(call_count, reduce, .in = MADE(keys(in->keys), "bool"), .out = COUNT(0), .num_items = in->n,
     .op = JIG_PLUS, .accum_type = jig_type_from_name("u64"))
CALL(call_transform_reduce, reduce, .in = MADE(keys(in->keys), "i32"),
     .out = jig_pointer(out[0], JIG_I32), .num_items = in->n, .op = JIG_PLUS)
CALL(call_scan_made, scan, .in = MADE(keys(in->keys), "u32"),
     .out = jig_transform_output((jig_iter[]){keys(out[0])}, jig_op_source("return x ^ 5;"), JIG_U32),
     .num_items = in->n, .op = jig_op_source("return a > b ? a : b;"))
CALL(call_reversed, copy, .in = MADE(jig_iter_reverse((jig_iter[]){keys(in->keys)}, in->n), "u32"),
     .out = keys(out[0]), .num_items = in->n)
CALL(call_gather, copy,
     .in = jig_permutation((jig_iter[]){keys(in->keys)},
                           (jig_iter[]){jig_iter_source(op, jig_type_from_name("i32"))}),
     .out = keys(out[0]), .num_items = in->n)

#define LESS "return a < b;", "return b < a;"
#define BY_KEY "return a.key < b.key;", "return b.id < a.id;"
#define FOLD "return a > b ? a : b;", "return a & b;"

static const struct call_case {
  const char *name;
  jig_status (*call)(const request *r);
  const char *op, *other; /* of these, the cache has a kernel for the other one */
} cases[] = {
    {"select", call_select, "return x % 3 == 0;", "return x;"},
    {"partition", call_partition, "return x.key < 0.5f;", "return x.id;"},
    {"three-way partition", call_three_way, "return x < 40;", "return x > 9;"},
    {"unique", call_unique, "return a.key == b.key;", "return a.id == b.id;"},
    {"find", call_find, "return x == 77;", "return x;"},
    {"is sorted", call_is_sorted, LESS},
    {"merge sort", call_sort, BY_KEY},
    {"merge", call_merge, LESS},
    {"intersection", call_set, LESS},
    {"binary search", call_search, LESS},
    {"differences", call_differences, "return a - b;", "return a ^ b;"},
    {"run lengths", call_runs, "return a / 2 == b / 2;", "return a == b;"},
    {"non-trivial runs", call_long_runs, "return a / 2 == b / 2;", "return a == b;"},
    {"reduce by key", call_reduce_by_key, FOLD},
    {"scan by key", call_scan_by_key, FOLD},
    {"segmented reduce", call_segmented_reduce, FOLD},
    {"segmented scan", call_segmented_scan, FOLD},
    {"arg-reduce", call_arg_reduce, BY_KEY},
    {"segmented arg-reduce", call_segmented_arg_reduce, BY_KEY},
    {"min and max", call_min_max, BY_KEY},
    {"exclusive scan", call_exclusive_scan, FOLD},
    {"maximum of floats", call_fold_floats, "return a > b ? a : b;", "return a + b;"},
    {"select of floats", call_select_floats, "return x > 0.25f;", "return x < 0;"},
    {"sort of floats", call_sort_floats, "return abs(b) < abs(a);", "return a < b;"},
    {"transform", call_transform, "return sqrtf(a * b + 0.3f);", "return a;"},
    {"transform of some", call_transform_if, "return x.id + 1;", "return x.id;"},
    {"count", call_count, "return x % 7 == 3;", "return x;"},
    {"transform and reduce", call_transform_reduce, "return (int32_t)x - 50;", "return 1;"},
    {"transform, scan and transform", call_scan_made, "return x / 2;", "return x;"},
    {"transform of reversed items", call_reversed, "return x * 2 + 1;", "return x;"},
    {"gather", call_gather, "return i / 3;", "return i;"},
};

/* ---- data */

static void *copy_of(const void *items, size_t bytes, void *to_free) {
  void *copy = gpu_copy(items, bytes, 0);
  free(to_free);
  return copy;
}

static inputs make_inputs(size_t n) {
  enum { SEGMENT = 300 };
  inputs in = {.n = n, .segments = n / SEGMENT};
  uint32_t *key = malloc(n * sizeof *key), *first = malloc(n * sizeof *first),
           *second = malloc(n * sizeof *second);
  float *number = malloc(n * sizeof *number);
  static const float rare[] = {NAN, 0.0f, -0.0f, INFINITY};
  struct {
    float key;
    uint32_t id;
  } *hit = malloc(n * sizeof *hit);
  int32_t *offset = malloc((in.segments + 1) * sizeof *offset);
  for (size_t i = 0; i < n; ++i) {
    key[i] = ((uint32_t)(i / 3) * 2654435761u >> 7) % 101;
    first[i] = (uint32_t)(i / 5 * 3);
    second[i] = (uint32_t)(i / 2);
    hit[i].key = (float)((uint32_t)(i / 2) * 2654435761u >> 20) / 4096.0f;
    hit[i].id = (uint32_t)i / 4;
    number[i] = i % 97 < COUNT_OF(rare) ? rare[i % 97] : hit[i].key - 0.3f;
  }
  for (size_t s = 0; s <= in.segments; ++s) offset[s] = (int32_t)(s * SEGMENT);
  in.keys = copy_of(key, n * sizeof *key, key);
  in.first = copy_of(first, n * sizeof *first, first);
  in.second = copy_of(second, n * sizeof *second, second);
  in.hits = copy_of(hit, n * sizeof *hit, hit);
  in.floats = copy_of(number, n * sizeof *number, number);
  in.offsets = copy_of(offset, (in.segments + 1) * sizeof *offset, offset);
  return in;
}

static void free_inputs(const inputs *in) {
  void *const all[] = {in->keys, in->first, in->second, in->hits, in->floats, in->offsets};
  for (size_t i = 0; i < COUNT_OF(all); ++i) gpu_free(all[i]);
}

static outputs make_outputs(size_t n) {
  outputs out = {.bytes = OUTPUTS * 2 * n * 8};
  out.all = gpu_alloc(out.bytes, 0);
  for (size_t k = 0; k < OUTPUTS; ++k) out.at[k] = out.all + k * 2 * n * 8;
  return out;
}

/* ---- checks */

/* What a call stores, malloc'ed, and how much temp storage it asks for. */
static unsigned char *results(const struct call_case *c, request r, size_t *temp_bytes) {
  unsigned char *got = malloc(r.out->bytes);
  *temp_bytes = 0;
  r.bytes = temp_bytes;
  OK(c->call(&r));
  r.temp = gpu_alloc(*temp_bytes, 0);
  gpu_fill(r.out->all, 0xcd, r.out->bytes);
  OK(c->call(&r));
  gpu_read(got, r.out->all, r.out->bytes);
  gpu_free(r.temp);
  return got;
}

static void prewarm_other(const struct call_case *c, request r) {
  char *spec;
  r.op = c->other;
  r.spec = &spec;
  OK(c->call(&r));
  prewarm_for_device(spec);
}

/* Waits until all that was linked has been compiled, too. */
static void wait_for_compiled(jig_engine *engine, uint64_t linked) {
  enum { MOST_MS = 300000 };
  for (int ms = 0; stats_of(engine).background_kernels < linked; ++ms) {
    ck_assert_msg(ms < MOST_MS, "nothing has replaced what was linked");
    (void)usleep(1000);
  }
}

static void check_call(const struct call_case *c, const inputs *in) {
  const outputs out = make_outputs(in->n);
  request r = {.in = in, .out = &out, .op = c->op};
  size_t wanted_temp, temp;
  r.engine = engine_in("", JIG_SWITCH_OFF);
  unsigned char *wanted = results(c, r, &wanted_temp);
  ck_assert_uint_eq(stats_of(r.engine).linked_kernels, 0);
  jig_engine_destroy(r.engine);

  scratch_setup();
  prewarm_other(c, r);
  r.engine = engine_in(scratch_path("cache"), JIG_SWITCH_ON);
  for (int k = 0; k < 2; ++k) {
    unsigned char *got = results(c, r, &temp);
    const jig_engine_stats stats = stats_of(r.engine);
    const uint64_t linked = stats.linked_kernels;
    ck_assert_msg(memcmp(got, wanted, out.bytes) == 0, "%s of %zu, %s", c->name, in->n,
                  k == 0 ? "linked" : "compiled");
    ck_assert_msg(temp == wanted_temp, "%s", c->name);
    ck_assert_msg(linked > 0 && stats.kernels - stats.background_kernels == linked, "%s: %d linked",
                  c->name, (int)linked);
    free(got);
    wait_for_compiled(r.engine, linked);
  }
  jig_engine_destroy(r.engine);
  scratch_teardown();
  free(wanted);
  gpu_free(out.all);
}

/* On the software GPU every other one, from one on that turns differ by. */
static void check_calls(size_t n, size_t turn) {
  const inputs in = make_inputs(n);
  for (size_t i = 0; i < COUNT_OF(cases); ++i)
    if (!gpu_is_software() || test_turn(i + turn)) check_call(&cases[i], &in);
  free_inputs(&in);
}

START_TEST(few_items) {
  check_calls(2000, 0);
}
END_TEST

START_TEST(many_items) {
  check_calls(gpu_is_software() ? 100000 : (size_t)1 << 20, 1);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {SUITE_TEST(few_items), SUITE_TEST(many_items)};
  return SUITE_RUN("device/first_tier_calls", tests, true);
}
