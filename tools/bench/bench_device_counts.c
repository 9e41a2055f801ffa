/* What it costs to take the number of items from device memory. The peers, in cub_device_counts.cu, have
 * it from the host; CUB takes no other. */
#include <stdio.h>

#include "cases.h"
#include "gpu.h"

typedef union counted_args {
  jig_reduce_args reduce;
  jig_scan_args scan;
  jig_select_args select;
  jig_radix_sort_args radix_sort;
} counted_args;

_Static_assert(sizeof(counted_args) <= BENCH_ARGS_SIZE, "data->args is too small");

static void fill(const bench_case *c, const bench_data *data, uint64_t seed) {
  char count[128];
  (void)c;
  (void)snprintf(
      count, sizeof count,
      "typedef unsigned long long item; inline item make(uint64_t, uint64_t) { return %lluull; }",
      (unsigned long long)data->n);
  gpu_fill(data->in[0], data->n,
           "typedef unsigned item; inline item make(uint64_t r, uint64_t) { return item(r >> 32); }",
           seed);
  gpu_fill(data->in[1], 1, count, seed);
}

/* ---- the calls: items in the first input, their number in the second */

#define ITEMS jig_pointer(data->in[0], JIG_U32)
#define RESULTS jig_pointer(data->out[0], JIG_U32)

static void arrange_reduce(const bench_case *c, const bench_data *data) {
  (void)c;
  ((counted_args *)data->args)->reduce = (jig_reduce_args){
      .in = ITEMS, .out = RESULTS, .num_items = data->n, .op = JIG_PLUS, .num_items_in = data->in[1]};
}

static void arrange_scan(const bench_case *c, const bench_data *data) {
  (void)c;
  ((counted_args *)data->args)->scan = (jig_scan_args){.in = ITEMS,
                                                       .out = RESULTS,
                                                       .num_items = data->n,
                                                       .mode = JIG_SCAN_EXCLUSIVE,
                                                       .num_items_in = data->in[1]};
}

static void arrange_select(const bench_case *c, const bench_data *data) {
  (void)c;
  ((counted_args *)data->args)->select =
      (jig_select_args){.in = ITEMS,
                        .out = RESULTS,
                        .num_selected_out = jig_pointer(data->out[1], JIG_I32),
                        .num_items = data->n,
                        .op = jig_op_source("return x < 0x80000000u;"),
                        .num_items_in = data->in[1]};
}

static void arrange_radix_sort(const bench_case *c, const bench_data *data) {
  (void)c;
  ((counted_args *)data->args)->radix_sort = (jig_radix_sort_args){
      .keys_in = ITEMS, .keys_out = RESULTS, .num_items = data->n, .num_items_in = data->in[1]};
}

#define CALL(algorithm_)                                                                         \
  static jig_status call_##algorithm_(const bench_data *data, jig_engine *engine, void *temp,    \
                                      size_t *temp_bytes, CUstream stream) {                     \
    return jig_##algorithm_(engine, temp, temp_bytes, &((counted_args *)data->args)->algorithm_, \
                            stream);                                                             \
  }                                                                                              \
  static jig_status spec_##algorithm_(const bench_data *data, char **text) {                     \
    return jig_##algorithm_##_spec(&((counted_args *)data->args)->algorithm_, text);             \
  }
CALL(reduce)
CALL(scan)
CALL(select)
CALL(radix_sort)

static uint64_t moved_by_select(const bench_case *c, uint64_t n) {
  (void)c;
  return n * 4 + n / 2 * 4;
}

#define CASE(algorithm_, ...)                                                                            \
  {                                                                                                      \
    .algorithm = #algorithm_, .type = "u32", .variant = "counted", .in = {{4, 0}, {0, 8}}, .fill = fill, \
    .arrange = arrange_##algorithm_, .call = call_##algorithm_, .spec = spec_##algorithm_, __VA_ARGS__   \
  }

static const bench_case cases[] = {
    CASE(reduce, .out = {{0, 4}}),
    CASE(scan, .out = {{4, 0}}),
    CASE(select, .out = {{4, 0, .counted_by = 2}, {0, 4, NOT_COUNTED}}, .bytes = moved_by_select),
    CASE(radix_sort, .out = {{4, 0}}),
};

const bench_family bench_device_counts = {cases, sizeof cases / sizeof cases[0]};
