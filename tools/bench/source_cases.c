#include "source_cases.h"

#include <stdio.h>
#include <string.h>

#include "engine/prewarm.h"
#include "gpu.h"

/* ---- inputs: what an item is made of, of random bits r, its index i and the number of items N */

#define RANDOM "r >> 40"
#define RUNS "i / 8"
#define IN_ORDER "i * 1024 / N" /* by what COMPARE looks at */
#define OFFSETS "i * 256"
#define FLOATS_BELOW_2 "(r >> 41) | 0x3f800000"

static void fill(const bench_case *c, const bench_data *data, uint64_t seed) {
  const char *const *made = c->own;
  for (int k = 0; k < 2; ++k) {
    char source[256];
    (void)snprintf(source, sizeof source,
                   "#define N %lluull\ntypedef unsigned item;\n"
                   "inline item make(uint64_t r, uint64_t i) { return item(%s); }",
                   (unsigned long long)data->n, made[k]);
    gpu_fill(data->in[k], data->n, source, seed + (uint64_t)k);
  }
}

/* ---- calls */

static jig_iter items(void *at) {
  return jig_pointer(at, JIG_U32);
}
static jig_iter count(void *at) {
  return jig_pointer(at, JIG_I64);
}

#define SOURCE_CALL(name, algorithm, ...)                                                              \
  static void arrange_##name(const bench_case *c, const bench_data *data) {                            \
    void *const *in = data->in, *const *out = data->out;                                               \
    (void)c;                                                                                           \
    *(jig_##algorithm##_args *)data->args = (jig_##algorithm##_args){__VA_ARGS__};                     \
  }                                                                                                    \
  static jig_status call_##name(const bench_data *data, jig_engine *engine, void *temp, size_t *bytes, \
                                CUstream stream) {                                                     \
    return jig_##algorithm(engine, temp, bytes, data->args, stream);                                   \
  }                                                                                                    \
  static jig_status spec_##name(const bench_data *data, char **text) {                                 \
    return jig_##algorithm##_spec(data->args, text);                                                   \
  }

#define ALL .num_items = data->n
#define SEGMENTS                                                                                        \
  .begin_offsets = jig_pointer(in[1], JIG_I32), .end_offsets = jig_pointer((char *)in[1] + 4, JIG_I32), \
  .num_segments = data->n / 256 - 1
#define TWO_INPUTS                                                                          \
  .first_keys_in = items(in[0]), .second_keys_in = items(in[1]), .keys_out = items(out[0]), \
  .first_num_items = data->n, .second_num_items = data->n
#define FOLD .op = jig_op_source("return a > b ? a : b;")
#define TEST jig_op_source("return x % 3 == 1;")
#define COMPARE .compare = jig_op_source("return a % 1024 < b % 1024;")

SOURCE_CALL(reduce, reduce, .in = items(in[0]), .out = items(out[0]), ALL, FOLD)
SOURCE_CALL(scan, scan, .in = items(in[0]), .out = items(out[0]), ALL, FOLD)
SOURCE_CALL(segmented_reduce, segmented_reduce, .in = items(in[0]), .out = items(out[0]), SEGMENTS, FOLD)
SOURCE_CALL(segmented_scan, segmented_scan, .in = items(in[0]), .out = items(out[0]), SEGMENTS, FOLD)
SOURCE_CALL(reduce_by_key, reduce_by_key, .keys_in = items(in[0]), .values_in = items(in[1]),
            .unique_out = items(out[0]), .aggregates_out = items(out[1]), .num_runs_out = count(out[2]),
            ALL, FOLD)
SOURCE_CALL(scan_by_key, scan_by_key, .keys_in = items(in[0]), .values_in = items(in[1]),
            .values_out = items(out[0]), ALL, FOLD)
SOURCE_CALL(select, select, .in = items(in[0]), .out = items(out[0]), .num_selected_out = count(out[2]),
            ALL, .op = TEST)
SOURCE_CALL(partition, partition, .in = items(in[0]), .out = items(out[0]),
            .num_selected_out = count(out[2]), ALL, .op = TEST)
SOURCE_CALL(three_way, three_way_partition, .in = items(in[0]), .first_out = items(out[0]),
            .second_out = items(out[1]), .unselected_out = items(out[3]),
            .num_selected_out = count(out[2]), ALL, .first_op = TEST,
            .second_op = jig_op_source("return x > 99;"))
SOURCE_CALL(unique, unique, .in = items(in[0]), .out = items(out[0]), .num_selected_out = count(out[2]),
            ALL, .equality = jig_op_source("return a % 7 == b % 7;"))
SOURCE_CALL(find_if, find_if, .in = items(in[0]), .out = count(out[2]), ALL, .predicate = TEST)
SOURCE_CALL(is_sorted, is_sorted, .in = items(in[0]), .out = count(out[2]), ALL, COMPARE)
SOURCE_CALL(merge_sort, merge_sort, .keys_in = items(in[0]), .keys_out = items(out[0]), ALL, COMPARE)
SOURCE_CALL(merge, merge, TWO_INPUTS, COMPARE)
SOURCE_CALL(set_union, set_operation, TWO_INPUTS, .num_items_out = count(out[2]), COMPARE)
SOURCE_CALL(lower_bound, binary_search, .in = items(in[0]), .needles_in = items(in[1]),
            .out = count(out[3]), ALL, .num_needles = data->n, COMPARE)
SOURCE_CALL(min_max, min_max, .in = items(in[0]), .min_out = items(out[0]), .max_out = items(out[1]), ALL,
            COMPARE)
SOURCE_CALL(adjacent_difference, adjacent_difference, .in = items(in[0]), .out = items(out[0]), ALL,
            .op = jig_op_source("return a ^ b;"))

/* Borrowed by the arguments, which are those of one call at a time. */
static jig_iter factors[2], sums;
static const jig_iter *factors_of(void *const *in) {
  for (int k = 0; k < 2; ++k) factors[k] = jig_pointer(in[k], JIG_F32);
  return factors;
}
static const jig_iter *items_of(void *const *in) {
  sums = items(in[0]);
  return &sums;
}
SOURCE_CALL(transform, transform, .in = factors_of(in), .num_inputs = 2,
            .out = jig_pointer(out[0], JIG_F32), ALL, .op = jig_op_source("return sqrtf(a * b + 1);"))
SOURCE_CALL(transform_reduce, reduce,
            .in = jig_iter_transform(items_of(in), jig_op_source("return x % 3 == 1;"), JIG_U32),
            .out = items(out[0]), ALL, .op = JIG_PLUS)

#define SOURCE_CASE(name, first, second)                                                      \
  {                                                                                           \
    .algorithm = #name, .type = "u32", .variant = "source_linked", .in = {{4, 0}, {4, 0}},    \
    .out = {{8, 0}, {8, 0}, {0, 16}, {8, 0}}, .arrange = arrange_##name, .call = call_##name, \
    .spec = spec_##name, .fill = fill, .own = (const char *const[]) {                         \
      first, second                                                                           \
    }                                                                                         \
  }

const bench_case source_cases[] = {
    SOURCE_CASE(reduce, RANDOM, RANDOM),
    SOURCE_CASE(transform_reduce, RANDOM, RANDOM),
    SOURCE_CASE(scan, RANDOM, RANDOM),
    SOURCE_CASE(min_max, RANDOM, RANDOM),
    SOURCE_CASE(segmented_reduce, RANDOM, OFFSETS),
    SOURCE_CASE(segmented_scan, RANDOM, OFFSETS),
    SOURCE_CASE(reduce_by_key, RUNS, RANDOM),
    SOURCE_CASE(scan_by_key, RUNS, RANDOM),
    SOURCE_CASE(select, RANDOM, RANDOM),
    SOURCE_CASE(partition, RANDOM, RANDOM),
    SOURCE_CASE(three_way, RANDOM, RANDOM),
    SOURCE_CASE(unique, RUNS, RANDOM),
    SOURCE_CASE(find_if, "3 * (r >> 40)", RANDOM), /* none is found */
    SOURCE_CASE(is_sorted, IN_ORDER, RANDOM),
    SOURCE_CASE(merge_sort, RANDOM, RANDOM),
    SOURCE_CASE(merge, IN_ORDER, IN_ORDER),
    SOURCE_CASE(set_union, IN_ORDER, IN_ORDER),
    SOURCE_CASE(lower_bound, IN_ORDER, RANDOM),
    SOURCE_CASE(adjacent_difference, RANDOM, RANDOM),
    SOURCE_CASE(transform, FLOATS_BELOW_2, FLOATS_BELOW_2),
    {0},
};

const bench_case *source_case_find(const char *name) {
  char own[CASE_NAME_SIZE];
  for (const bench_case *c = source_cases; c->algorithm != NULL; ++c) {
    case_name(c, own);
    if (strcmp(own, name) == 0) return c;
  }
  return NULL;
}

void source_case_prepare(const bench_case *c, const char *cache, const char *arch) {
  case_prewarm(c, cache, arch, prewarm_first_tier);
}
