#include "source_cases.h"

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
#define SEGMENTS                                                                            \
  .begin_offsets = jig_pointer(in[1], JIG_I32), .end_offsets = jig_pointer(in[1], JIG_I32), \
  .num_segments = data->n / 256
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

#define SOURCE_CASE(name)                                                                     \
  {                                                                                           \
    .algorithm = #name, .type = "u32", .variant = "source_linked", .in = {{4, 0}, {4, 0}},    \
    .out = {{8, 0}, {8, 0}, {0, 16}, {8, 0}}, .arrange = arrange_##name, .call = call_##name, \
    .spec = spec_##name                                                                       \
  }

const bench_case source_cases[] = {
    SOURCE_CASE(reduce),
    SOURCE_CASE(scan),
    SOURCE_CASE(min_max),
    SOURCE_CASE(segmented_reduce),
    SOURCE_CASE(segmented_scan),
    SOURCE_CASE(reduce_by_key),
    SOURCE_CASE(scan_by_key),
    SOURCE_CASE(select),
    SOURCE_CASE(partition),
    SOURCE_CASE(three_way),
    SOURCE_CASE(unique),
    SOURCE_CASE(find_if),
    SOURCE_CASE(is_sorted),
    SOURCE_CASE(merge_sort),
    SOURCE_CASE(merge),
    SOURCE_CASE(set_union),
    SOURCE_CASE(lower_bound),
    SOURCE_CASE(adjacent_difference),
    {0},
};
