#include "count_cases.h"

#include "numbers.h"

/* Places far apart, where as much as there may be has room. */
static jig_iter at(unsigned place, jig_type type) {
  return jig_pointer((void *)((uintptr_t)(place + 1) << 52), type);
}

static jig_iter index_of(jig_type type) {
  return jig_counting(NULL, type);
}

static jig_type wide(void) {
  return jig_opaque(256, 16);
}

/* ---- reduce and scan */

static jig_status reduce_bytes(jig_engine *e, void *storage, size_t *bytes, uint64_t n, uint64_t m) {
  (void)m;
  const jig_reduce_args args = {.in = at(0, JIG_U8), .out = at(1, JIG_U8), .num_items = n};
  return jig_reduce(e, storage, bytes, &args, NULL);
}

static jig_status reduce_wide(jig_engine *e, void *storage, size_t *bytes, uint64_t n, uint64_t m) {
  (void)m;
  const jig_reduce_args args = {
      .in = at(0, wide()), .out = at(1, wide()), .num_items = n, .op = jig_op_source("return a;")};
  return jig_reduce(e, storage, bytes, &args, NULL);
}

static jig_status reduce_strided(jig_engine *e, void *storage, size_t *bytes, uint64_t n, uint64_t m) {
  (void)m;
  const jig_reduce_args args = {.in = jig_strided((void *)((uintptr_t)1 << 63), -4100, JIG_F32),
                                .out = at(1, JIG_F32),
                                .num_items = n};
  return jig_reduce(e, storage, bytes, &args, NULL);
}

static jig_status reduce_indices(jig_engine *e, void *storage, size_t *bytes, uint64_t n, uint64_t m) {
  (void)m;
  const jig_reduce_args args = {.in = index_of(JIG_U64), .out = at(1, JIG_U64), .num_items = n};
  return jig_reduce(e, storage, bytes, &args, NULL);
}

static jig_status arg_reduce(jig_engine *e, void *storage, size_t *bytes, uint64_t n, uint64_t m) {
  (void)m;
  const jig_arg_reduce_args args = {.in = at(0, JIG_F32), .index_out = at(1, JIG_I64), .num_items = n};
  return jig_arg_reduce(e, storage, bytes, &args, NULL);
}

static jig_status scan(jig_engine *e, void *storage, size_t *bytes, uint64_t n, uint64_t m) {
  (void)m;
  const jig_scan_args args = {.in = at(0, JIG_U16), .out = at(1, JIG_U32), .num_items = n};
  return jig_scan(e, storage, bytes, &args, NULL);
}

static jig_status scan_indices(jig_engine *e, void *storage, size_t *bytes, uint64_t n, uint64_t m) {
  (void)m;
  const jig_scan_args args = {.in = index_of(JIG_U64), .out = jig_discard(JIG_U64), .num_items = n};
  return jig_scan(e, storage, bytes, &args, NULL);
}

static jig_status scan_wide(jig_engine *e, void *storage, size_t *bytes, uint64_t n, uint64_t m) {
  (void)m;
  const jig_scan_args args = {
      .in = at(0, wide()), .out = at(1, wide()), .num_items = n, .op = jig_op_source("return a;")};
  return jig_scan(e, storage, bytes, &args, NULL);
}

static jig_status segmented_scan(jig_engine *e, void *storage, size_t *bytes, uint64_t n, uint64_t m) {
  (void)m;
  const jig_segmented_scan_args args = {.in = at(0, JIG_I32),
                                        .out = at(1, JIG_I32),
                                        .begin_offsets = at(2, JIG_U32),
                                        .end_offsets = at(3, JIG_I64),
                                        .num_segments = n};
  return jig_segmented_scan(e, storage, bytes, &args, NULL);
}

static jig_status scan_by_key(jig_engine *e, void *storage, size_t *bytes, uint64_t n, uint64_t m) {
  (void)m;
  const jig_scan_by_key_args args = {.keys_in = at(0, JIG_I32),
                                     .values_in = at(1, JIG_F64),
                                     .values_out = at(2, JIG_F64),
                                     .num_items = n};
  return jig_scan_by_key(e, storage, bytes, &args, NULL);
}

static jig_status reduce_by_key(jig_engine *e, void *storage, size_t *bytes, uint64_t n, uint64_t m) {
  (void)m;
  const jig_reduce_by_key_args args = {.keys_in = at(0, JIG_I32),
                                       .values_in = at(1, JIG_F32),
                                       .unique_out = at(2, JIG_I32),
                                       .aggregates_out = at(3, JIG_F32),
                                       .num_runs_out = at(4, JIG_U64),
                                       .num_items = n};
  return jig_reduce_by_key(e, storage, bytes, &args, NULL);
}

static jig_status run_length_encode(jig_engine *e, void *storage, size_t *bytes, uint64_t n, uint64_t m) {
  (void)m;
  const jig_run_length_encode_args args = {.in = at(0, JIG_U128),
                                           .unique_out = at(1, JIG_U128),
                                           .lengths_out = at(2, JIG_U64),
                                           .num_runs_out = at(3, JIG_U64),
                                           .num_items = n};
  return jig_run_length_encode(e, storage, bytes, &args, NULL);
}

static jig_status non_trivial_runs(jig_engine *e, void *storage, size_t *bytes, uint64_t n, uint64_t m) {
  (void)m;
  const jig_non_trivial_runs_args args = {.in = index_of(JIG_U8),
                                          .offsets_out = at(1, JIG_U64),
                                          .lengths_out = at(2, JIG_U64),
                                          .num_runs_out = at(3, JIG_U64),
                                          .num_items = n};
  return jig_non_trivial_runs(e, storage, bytes, &args, NULL);
}

/* ---- select and its kin */

static jig_status select_if(jig_engine *e, void *storage, size_t *bytes, uint64_t n, uint64_t m) {
  (void)m;
  const jig_select_args args = {.in = at(0, JIG_U8),
                                .out = at(1, JIG_U8),
                                .num_selected_out = at(2, JIG_U64),
                                .num_items = n,
                                .op = jig_op_source("return x > 1;")};
  return jig_select(e, storage, bytes, &args, NULL);
}

static jig_status select_flagged(jig_engine *e, void *storage, size_t *bytes, uint64_t n, uint64_t m) {
  (void)m;
  const jig_select_args args = {.in = index_of(JIG_U64),
                                .flags = at(0, JIG_U16),
                                .out = at(1, JIG_U64),
                                .num_selected_out = at(2, JIG_U64),
                                .num_items = n};
  return jig_select(e, storage, bytes, &args, NULL);
}

/* Too large for registers: a kernel of its own gathers them. */
static jig_status select_large(jig_engine *e, void *storage, size_t *bytes, uint64_t n, uint64_t m) {
  (void)m;
  const jig_select_args args = {.in = at(0, jig_opaque(504, 8)),
                                .flags = at(1, JIG_U8),
                                .out = at(2, jig_opaque(504, 8)),
                                .num_selected_out = at(3, JIG_U64),
                                .num_items = n};
  return jig_select(e, storage, bytes, &args, NULL);
}

static jig_status unique_by_key(jig_engine *e, void *storage, size_t *bytes, uint64_t n, uint64_t m) {
  (void)m;
  const jig_unique_args args = {.in = at(0, JIG_U32),
                                .out = at(1, JIG_U32),
                                .values_in = at(2, wide()),
                                .values_out = at(3, wide()),
                                .num_selected_out = at(4, JIG_U64),
                                .num_items = n};
  return jig_unique(e, storage, bytes, &args, NULL);
}

static jig_status partition(jig_engine *e, void *storage, size_t *bytes, uint64_t n, uint64_t m) {
  (void)m;
  const jig_partition_args args = {.in = index_of(JIG_U32),
                                   .out = at(1, JIG_U64),
                                   .num_selected_out = at(2, JIG_U64),
                                   .num_items = n,
                                   .op = jig_op_source("return x > 1;")};
  return jig_partition(e, storage, bytes, &args, NULL);
}

static jig_status three_way_partition(jig_engine *e, void *storage, size_t *bytes, uint64_t n,
                                      uint64_t m) {
  (void)m;
  const jig_three_way_partition_args args = {.in = at(0, JIG_F32),
                                             .first_out = at(1, JIG_F32),
                                             .second_out = at(2, JIG_F32),
                                             .unselected_out = at(3, JIG_F32),
                                             .num_selected_out = at(4, JIG_U64),
                                             .num_items = n,
                                             .first_op = jig_op_source("return x > 1;"),
                                             .second_op = jig_op_source("return x < -1;")};
  return jig_three_way_partition(e, storage, bytes, &args, NULL);
}

/* ---- sorts, merge and top-k */

static jig_status radix_sort_bytes(jig_engine *e, void *storage, size_t *bytes, uint64_t n, uint64_t m) {
  (void)m;
  const jig_radix_sort_args args = {.keys_in = at(0, JIG_U8), .keys_out = at(1, JIG_U8), .num_items = n};
  return jig_radix_sort(e, storage, bytes, &args, NULL);
}

static jig_radix_sort_args radix_sort_pairs_args(uint64_t n) {
  return (jig_radix_sort_args){.keys_in = at(0, JIG_F64),
                               .keys_out = at(1, JIG_F64),
                               .values_in = at(2, jig_opaque(40, 8)),
                               .values_out = at(3, jig_opaque(40, 8)),
                               .num_items = n};
}

static jig_status radix_sort_pairs(jig_engine *e, void *storage, size_t *bytes, uint64_t n, uint64_t m) {
  (void)m;
  jig_radix_sort_args args = radix_sort_pairs_args(n);
  args.begin_bit = 3;
  return jig_radix_sort(e, storage, bytes, &args, NULL);
}

static jig_status radix_sort_buffers(jig_engine *e, void *storage, size_t *bytes, uint64_t n,
                                     uint64_t m) {
  int selector = 0;
  (void)m;
  jig_radix_sort_args args = radix_sort_pairs_args(n);
  args.selector = &selector;
  return jig_radix_sort(e, storage, bytes, &args, NULL);
}

static jig_radix_sort_args radix_sort_rows_args(uint64_t n) {
  const jig_type row = jig_struct("row", "struct row { unsigned u[25]; };", 100, 4);
  return (jig_radix_sort_args){
      .keys_in = at(0, row), .keys_out = at(1, row), .num_items = n, .decomposer = "x.u[0], x.u[1]"};
}

static jig_status radix_sort_rows(jig_engine *e, void *storage, size_t *bytes, uint64_t n, uint64_t m) {
  (void)m;
  const jig_radix_sort_args args = radix_sort_rows_args(n);
  return jig_radix_sort(e, storage, bytes, &args, NULL);
}

static jig_status radix_sort_rows_in_buffers(jig_engine *e, void *storage, size_t *bytes, uint64_t n,
                                             uint64_t m) {
  int selector = 0;
  (void)m;
  jig_radix_sort_args args = radix_sort_rows_args(n);
  args.selector = &selector;
  return jig_radix_sort(e, storage, bytes, &args, NULL);
}

static jig_status segmented_sort(jig_engine *e, void *storage, size_t *bytes, uint64_t n, uint64_t m) {
  const jig_segmented_sort_args args = {.keys_in = at(0, JIG_U32),
                                        .keys_out = at(1, JIG_U32),
                                        .values_in = at(2, JIG_U64),
                                        .values_out = at(3, JIG_U64),
                                        .num_items = n,
                                        .num_segments = m,
                                        .begin_offsets = at(4, JIG_U32),
                                        .end_offsets = index_of(JIG_U64)};
  return jig_segmented_sort(e, storage, bytes, &args, NULL);
}

static jig_status segmented_sort_indices(jig_engine *e, void *storage, size_t *bytes, uint64_t n,
                                         uint64_t m) {
  const jig_segmented_sort_args args = {.keys_in = at(0, JIG_U8),
                                        .keys_out = at(1, JIG_U8),
                                        .num_items = n,
                                        .num_segments = m,
                                        .begin_offsets = index_of(JIG_U64),
                                        .end_offsets = index_of(JIG_U64)};
  return jig_segmented_sort(e, storage, bytes, &args, NULL);
}

static jig_status merge_sort(jig_engine *e, void *storage, size_t *bytes, uint64_t n, uint64_t m) {
  (void)m;
  const jig_merge_sort_args args = {
      .keys_in = at(0, JIG_U32), .keys_out = at(1, JIG_U32), .num_items = n};
  return jig_merge_sort(e, storage, bytes, &args, NULL);
}

static jig_status merge_sort_large(jig_engine *e, void *storage, size_t *bytes, uint64_t n, uint64_t m) {
  (void)m;
  const jig_type large = jig_struct("large", "struct large { int key[126]; };", 504, 4);
  const jig_merge_sort_args args = {.keys_in = at(0, large),
                                    .keys_out = at(1, large),
                                    .num_items = n,
                                    .compare = jig_op_source("return a.key[0] < b.key[0];")};
  return jig_merge_sort(e, storage, bytes, &args, NULL);
}

/* In place, so that values are copied. */
static jig_status merge_sort_pairs(jig_engine *e, void *storage, size_t *bytes, uint64_t n, uint64_t m) {
  (void)m;
  const jig_merge_sort_args args = {.keys_in = at(0, JIG_U8),
                                    .keys_out = at(0, JIG_U8),
                                    .values_in = at(1, wide()),
                                    .values_out = at(1, wide()),
                                    .num_items = n};
  return jig_merge_sort(e, storage, bytes, &args, NULL);
}

static jig_status merge_sort_indices(jig_engine *e, void *storage, size_t *bytes, uint64_t n,
                                     uint64_t m) {
  (void)m;
  const jig_merge_sort_args args = {
      .keys_in = index_of(JIG_I64), .keys_out = jig_discard(JIG_I64), .num_items = n};
  return jig_merge_sort(e, storage, bytes, &args, NULL);
}

static jig_status merge(jig_engine *e, void *storage, size_t *bytes, uint64_t n, uint64_t m) {
  const jig_merge_args args = {.first_keys_in = at(0, JIG_U32),
                               .second_keys_in = at(1, JIG_U32),
                               .keys_out = at(2, JIG_U32),
                               .first_num_items = n,
                               .second_num_items = m};
  return jig_merge(e, storage, bytes, &args, NULL);
}

static jig_status merge_indices(jig_engine *e, void *storage, size_t *bytes, uint64_t n, uint64_t m) {
  const jig_merge_args args = {.first_keys_in = index_of(JIG_U64),
                               .second_keys_in = index_of(JIG_U64),
                               .keys_out = jig_discard(JIG_U64),
                               .first_num_items = n,
                               .second_num_items = m};
  return jig_merge(e, storage, bytes, &args, NULL);
}

static jig_status top_k(jig_engine *e, void *storage, size_t *bytes, uint64_t n, uint64_t m) {
  const jig_top_k_args args = {.keys_in = at(0, JIG_F32),
                               .keys_out = at(1, JIG_F32),
                               .values_in = at(2, JIG_U64),
                               .values_out = at(3, JIG_U64),
                               .num_items = n,
                               .k = m};
  return jig_top_k(e, storage, bytes, &args, NULL);
}

static jig_status top_k_sorted(jig_engine *e, void *storage, size_t *bytes, uint64_t n, uint64_t m) {
  const jig_top_k_args args = {
      .keys_in = at(0, JIG_U8), .keys_out = at(1, JIG_U8), .num_items = n, .k = m, .is_sorted = 1};
  return jig_top_k(e, storage, bytes, &args, NULL);
}

static jig_status top_k_indices(jig_engine *e, void *storage, size_t *bytes, uint64_t n, uint64_t m) {
  const jig_top_k_args args = {.keys_in = index_of(JIG_I32),
                               .keys_out = jig_discard(JIG_I32),
                               .num_items = n,
                               .k = m,
                               .is_sorted = 1};
  return jig_top_k(e, storage, bytes, &args, NULL);
}

static jig_status segmented_top_k(jig_engine *e, void *storage, size_t *bytes, uint64_t n, uint64_t m) {
  const jig_segmented_top_k_args args = {.keys_in = at(0, JIG_U32),
                                         .keys_out = at(1, JIG_U32),
                                         .num_items = n,
                                         .num_segments = m,
                                         .k = 1,
                                         .begin_offsets = at(4, JIG_U32),
                                         .end_offsets = index_of(JIG_U64)};
  return jig_segmented_top_k(e, storage, bytes, &args, NULL);
}

static jig_status nth_element(jig_engine *e, void *storage, size_t *bytes, uint64_t n, uint64_t m) {
  const jig_nth_element_args args = {.in = at(0, JIG_F32), .out = at(1, JIG_F32), .num_items = n};
  (void)m;
  return jig_nth_element(e, storage, bytes, &args, NULL);
}

static jig_status histogram(jig_engine *e, void *storage, size_t *bytes, uint64_t n, uint64_t m) {
  static const int32_t lower = 0, upper = 1000;
  const jig_histogram_args args = {.samples = at(0, JIG_U16),
                                   .level_type = JIG_I32,
                                   .counts = {at(1, JIG_U32).pointer},
                                   .num_bins = {100},
                                   .lower = {&lower},
                                   .upper = {&upper},
                                   .num_row_pixels = n,
                                   .num_rows = 1};
  (void)m;
  return jig_histogram(e, storage, bytes, &args, NULL);
}

static jig_status find_if(jig_engine *e, void *storage, size_t *bytes, uint64_t n, uint64_t m) {
  const jig_find_if_args args = {.in = at(0, JIG_F32), .out = at(1, JIG_U64), .num_items = n};
  (void)m;
  return jig_find_if(e, storage, bytes, &args, NULL);
}

static jig_status min_max(jig_engine *e, void *storage, size_t *bytes, uint64_t n, uint64_t m) {
  const jig_min_max_args args = {
      .in = at(0, JIG_F64), .min_out = at(1, JIG_F64), .max_index_out = at(2, JIG_U64), .num_items = n};
  (void)m;
  return jig_min_max(e, storage, bytes, &args, NULL);
}

static jig_status binary_search(jig_engine *e, void *storage, size_t *bytes, uint64_t n, uint64_t m) {
  const jig_binary_search_args args = {.in = at(0, JIG_F32),
                                       .needles_in = at(1, JIG_F32),
                                       .out = at(2, JIG_U64),
                                       .num_items = n,
                                       .num_needles = m};
  return jig_binary_search(e, storage, bytes, &args, NULL);
}

static jig_status set_operation(jig_engine *e, void *storage, size_t *bytes, uint64_t n, uint64_t m) {
  const jig_set_operation_args args = {.first_keys_in = at(0, JIG_F32),
                                       .second_keys_in = at(1, JIG_F32),
                                       .keys_out = at(2, JIG_F32),
                                       .num_items_out = at(3, JIG_U64),
                                       .first_num_items = n,
                                       .second_num_items = m};
  return jig_set_operation(e, storage, bytes, &args, NULL);
}

static jig_status is_sorted(jig_engine *e, void *storage, size_t *bytes, uint64_t n, uint64_t m) {
  const jig_is_sorted_args args = {.in = at(0, JIG_F32), .out = at(1, JIG_U64), .num_items = n};
  (void)m;
  return jig_is_sorted(e, storage, bytes, &args, NULL);
}

static jig_status reverse(jig_engine *e, void *storage, size_t *bytes, uint64_t n, uint64_t m) {
  const jig_reverse_args args = {.in = at(0, JIG_F32), .out = at(1, JIG_F32), .num_items = n};
  (void)m;
  return jig_reverse(e, storage, bytes, &args, NULL);
}

/* ---- copies, transforms and calls for each item */

static jig_status copy(jig_engine *e, void *storage, size_t *bytes, uint64_t n, uint64_t m) {
  (void)m;
  const jig_copy_args args = {.in = at(0, JIG_U8), .out = at(1, JIG_U16), .num_items = n};
  return jig_copy(e, storage, bytes, &args, NULL);
}

static jig_status copy_wide(jig_engine *e, void *storage, size_t *bytes, uint64_t n, uint64_t m) {
  (void)m;
  const jig_copy_args args = {.in = at(0, wide()), .out = at(1, wide()), .num_items = n};
  return jig_copy(e, storage, bytes, &args, NULL);
}

static jig_status adjacent_difference(jig_engine *e, void *storage, size_t *bytes, uint64_t n,
                                      uint64_t m) {
  (void)m;
  const jig_adjacent_difference_args args = {.in = at(0, JIG_F64), .out = at(1, JIG_F64), .num_items = n};
  return jig_adjacent_difference(e, storage, bytes, &args, NULL);
}

static jig_status memcpy_batched(jig_engine *e, void *storage, size_t *bytes, uint64_t n, uint64_t m) {
  (void)m;
  const jig_memcpy_batched_args args = {.sources = at(0, JIG_U64),
                                        .destinations = at(1, JIG_U64),
                                        .sizes = at(2, JIG_U32),
                                        .num_buffers = n};
  return jig_memcpy_batched(e, storage, bytes, &args, NULL);
}

static jig_status copy_batched(jig_engine *e, void *storage, size_t *bytes, uint64_t n, uint64_t m) {
  (void)m;
  const jig_copy_batched_args args = {.in = at(0, JIG_F32),
                                      .out = at(1, JIG_F32),
                                      .in_offsets = index_of(JIG_U64),
                                      .out_offsets = at(2, JIG_U32),
                                      .sizes = at(3, JIG_I16),
                                      .num_ranges = n};
  return jig_copy_batched(e, storage, bytes, &args, NULL);
}

static jig_status transform(jig_engine *e, void *storage, size_t *bytes, uint64_t n, uint64_t m) {
  const jig_iter in[] = {at(0, JIG_F32), at(1, JIG_U64)};
  const jig_transform_args args = {.in = in,
                                   .num_inputs = 2,
                                   .out = at(2, JIG_F32),
                                   .num_items = n,
                                   .op = jig_op_source("return a + b;")};
  (void)m;
  return jig_transform(e, storage, bytes, &args, NULL);
}

static jig_status transform_by_stencil(jig_engine *e, void *storage, size_t *bytes, uint64_t n,
                                       uint64_t m) {
  const jig_iter in = index_of(JIG_U64);
  const jig_transform_args args = {.in = &in,
                                   .num_inputs = 1,
                                   .out = jig_discard(JIG_U64),
                                   .num_items = n,
                                   .predicate = jig_op_source("return x > 3;"),
                                   .stencil = at(0, wide())};
  (void)m;
  return jig_transform(e, storage, bytes, &args, NULL);
}

static jig_status for_each(jig_engine *e, void *storage, size_t *bytes, uint64_t n, uint64_t m) {
  (void)m;
  const jig_for_each_args args = {.in = at(0, JIG_U16), .num_items = n, .op = jig_op_source("x += 1;")};
  return jig_for_each(e, storage, bytes, &args, NULL);
}

static jig_status for_each_index(jig_engine *e, void *storage, size_t *bytes, uint64_t n, uint64_t m) {
  (void)m;
  const jig_for_each_args args = {.in = index_of(JIG_U8),
                                  .num_items = n,
                                  .mode = JIG_FOR_EACH_COPY,
                                  .op = jig_op_source("if (x > 200) __trap();")};
  return jig_for_each(e, storage, bytes, &args, NULL);
}

static jig_status bulk(jig_engine *e, void *storage, size_t *bytes, uint64_t n, uint64_t m) {
  (void)m;
  const jig_bulk_args args = {.num_items = n, .op = jig_op_source("if (i > 200) __trap();")};
  return jig_bulk(e, storage, bytes, &args, NULL);
}

static jig_status bulk_in_extents(jig_engine *e, void *storage, size_t *bytes, uint64_t n, uint64_t m) {
  const uint64_t extents[] = {4, n};
  const jig_bulk_args args = {
      .op = jig_op_source("if (at[1] > 200) __trap();"), .extents = extents, .rank = 2};
  (void)m;
  return jig_bulk(e, storage, bytes, &args, NULL);
}

/* ---- segments */

static jig_status segmented_reduce(jig_engine *e, void *storage, size_t *bytes, uint64_t n, uint64_t m) {
  (void)m;
  const jig_segmented_reduce_args args = {.in = at(0, JIG_F32),
                                          .out = at(1, JIG_F64),
                                          .begin_offsets = at(2, JIG_U32),
                                          .end_offsets = at(3, JIG_I16),
                                          .num_segments = n};
  return jig_segmented_reduce(e, storage, bytes, &args, NULL);
}

static jig_status segmented_reduce_rows(jig_engine *e, void *storage, size_t *bytes, uint64_t n,
                                        uint64_t m) {
  const jig_segmented_reduce_args args = {
      .in = at(0, JIG_U8), .out = at(1, JIG_U32), .num_segments = n, .segment_size = m};
  return jig_segmented_reduce(e, storage, bytes, &args, NULL);
}

static jig_status segmented_arg_reduce(jig_engine *e, void *storage, size_t *bytes, uint64_t n,
                                       uint64_t m) {
  (void)m;
  const jig_segmented_arg_reduce_args args = {.in = at(0, JIG_F32),
                                              .value_out = at(1, JIG_F32),
                                              .index_out = at(2, JIG_U64),
                                              .begin_offsets = at(3, JIG_U32),
                                              .end_offsets = index_of(JIG_U64),
                                              .num_segments = n};
  return jig_segmented_arg_reduce(e, storage, bytes, &args, NULL);
}

static jig_status segmented_arg_reduce_rows(jig_engine *e, void *storage, size_t *bytes, uint64_t n,
                                            uint64_t m) {
  const jig_segmented_arg_reduce_args args = {
      .in = at(0, JIG_F64), .index_out = at(1, JIG_U32), .num_segments = n, .segment_size = m};
  return jig_segmented_arg_reduce(e, storage, bytes, &args, NULL);
}

static jig_status segmented_top_k_rows(jig_engine *e, void *storage, size_t *bytes, uint64_t n,
                                       uint64_t m) {
  const jig_segmented_top_k_args args = {.keys_in = at(0, JIG_U16),
                                         .keys_out = at(1, JIG_U16),
                                         .num_segments = n,
                                         .k = 7,
                                         .segment_size = m};
  return jig_segmented_top_k(e, storage, bytes, &args, NULL);
}

enum { K_ROW_ITEMS = 100000 };
static jig_status segmented_top_k_of_rows(jig_engine *e, void *storage, size_t *bytes, uint64_t n,
                                          uint64_t m) {
  const jig_segmented_top_k_args args = {.keys_in = at(0, JIG_U16),
                                         .keys_out = at(1, JIG_U16),
                                         .num_segments = n,
                                         .k = m,
                                         .segment_size = K_ROW_ITEMS,
                                         .is_sorted = 1};
  return jig_segmented_top_k(e, storage, bytes, &args, NULL);
}

#define ITEMS \
  { "num_items", NULL }
#define SEGMENTS \
  { "num_segments", NULL }
#define SEGMENTED \
  { "num_items", "num_segments" }
#define MERGED \
  { "first_num_items", "second_num_items" }
#define SEARCHED \
  { "num_items", "num_needles" }
#define CHOSEN \
  { "num_items", "k" }

/* Of segments of one size, the second count. */
#define ROWS \
  { "num_segments", "segment_size" }
#define MOST_ROWS ((uint64_t)1 << 18)

const count_case count_cases[] = {
    {"reduce u8", "jig_reduce", ITEMS, {1}, {63}, 0, reduce_bytes},
    {"reduce 256 bytes", "jig_reduce", ITEMS, {256}, {63}, 0, reduce_wide},
    {"reduce strided", "jig_reduce", ITEMS, {4100}, {63}, 0, reduce_strided},
    {"reduce indices", "jig_reduce", ITEMS, {0}, {63}, 0, reduce_indices},
    {"arg_reduce", "jig_arg_reduce", ITEMS, {4}, {63}, 0, arg_reduce},
    {"scan", "jig_scan", ITEMS, {4}, {48}, 0, scan},
    {"scan indices", "jig_scan", ITEMS, {0}, {48}, 0, scan_indices},
    {"scan 256 bytes", "jig_scan", ITEMS, {256}, {48}, 0, scan_wide},
    {"segmented_scan", "jig_segmented_scan", SEGMENTS, {8}, {42}, 0, segmented_scan},
    {"scan_by_key", "jig_scan_by_key", ITEMS, {8}, {48}, 0, scan_by_key},
    {"reduce_by_key", "jig_reduce_by_key", ITEMS, {4}, {48}, 0, reduce_by_key},
    {"run_length_encode", "jig_run_length_encode", ITEMS, {16}, {48}, 0, run_length_encode},
    {"non_trivial_runs", "jig_non_trivial_runs", ITEMS, {0}, {48}, 0, non_trivial_runs},
    {"select", "jig_select", ITEMS, {1}, {48}, 0, select_if},
    {"select flagged", "jig_select", ITEMS, {2}, {48}, 0, select_flagged},
    {"select 504 bytes", "jig_select", ITEMS, {504}, {48}, 8, select_large},
    {"unique by key", "jig_unique", ITEMS, {256}, {48}, 0, unique_by_key},
    {"partition", "jig_partition", ITEMS, {8}, {48}, 0, partition},
    {"three_way_partition", "jig_three_way_partition", ITEMS, {4}, {48}, 0, three_way_partition},
    {"radix_sort u8", "jig_radix_sort", ITEMS, {1}, {47}, 0, radix_sort_bytes},
    {"radix_sort pairs", "jig_radix_sort", ITEMS, {40}, {47}, 16, radix_sort_pairs},
    {"radix_sort buffers", "jig_radix_sort", ITEMS, {40}, {47}, 16, radix_sort_buffers},
    {"radix_sort rows", "jig_radix_sort", ITEMS, {100}, {40}, 32, radix_sort_rows},
    {"radix_sort rows buffers", "jig_radix_sort", ITEMS, {100}, {40}, 8, radix_sort_rows_in_buffers},
    {"segmented_sort", "jig_segmented_sort", SEGMENTED, {8, 4}, {44, 48}, 12, segmented_sort},
    {"segmented_sort indices",
     "jig_segmented_sort",
     SEGMENTED,
     {1, 0},
     {44, 48},
     0,
     segmented_sort_indices},
    {"merge_sort", "jig_merge_sort", ITEMS, {4}, {48}, 4, merge_sort},
    {"merge_sort 504 bytes", "jig_merge_sort", ITEMS, {504}, {48}, 2 * 8, merge_sort_large},
    {"merge_sort pairs", "jig_merge_sort", ITEMS, {256}, {48}, 2 * 12 + 256, merge_sort_pairs},
    {"merge_sort indices", "jig_merge_sort", ITEMS, {0}, {48}, 2 * 8, merge_sort_indices},
    {"merge", "jig_merge", MERGED, {4, 4}, {48, 48}, 0, merge},
    {"merge indices", "jig_merge", MERGED, {0, 0}, {48, 48}, 0, merge_indices},
    {"top_k", "jig_top_k", CHOSEN, {8, 8}, {63, 63}, 0, top_k},
    {"top_k sorted", "jig_top_k", CHOSEN, {1, 1}, {63, 63}, 0, top_k_sorted},
    {"top_k indices", "jig_top_k", CHOSEN, {0, 0}, {63, 63}, 0, top_k_indices},
    {"segmented_top_k", "jig_segmented_top_k", SEGMENTED, {4, 4}, {63, 63}, 0, segmented_top_k},
    {"nth_element", "jig_nth_element", ITEMS, {4}, {48}, 0, nth_element},
    {"histogram", "jig_histogram", {"num_row_pixels", NULL}, {2}, {63}, 0, histogram},
    {"find_if", "jig_find_if", ITEMS, {4}, {63}, 0, find_if},
    {"min_max", "jig_min_max", ITEMS, {8}, {63}, 0, min_max},
    {"set_operation", "jig_set_operation", MERGED, {4, 4}, {48, 48}, 0, set_operation},
    {"is_sorted", "jig_is_sorted", ITEMS, {4}, {63}, 0, is_sorted},
    {"reverse", "jig_reverse", ITEMS, {4}, {43}, 0, reverse},
    {"binary_search", "jig_binary_search", SEARCHED, {4, 8}, {63, 63}, 0, binary_search},
    {"copy", "jig_copy", ITEMS, {2}, {44}, 0, copy},
    {"copy 256 bytes", "jig_copy", ITEMS, {256}, {44}, 0, copy_wide, (uint64_t)1 << 34},
    {"adjacent_difference", "jig_adjacent_difference", ITEMS, {8}, {48}, 0, adjacent_difference},
    {"memcpy_batched", "jig_memcpy_batched", {"num_buffers", NULL}, {8}, {48}, 16, memcpy_batched},
    {"copy_batched", "jig_copy_batched", {"num_ranges", NULL}, {4}, {48}, 16, copy_batched},
    {"transform", "jig_transform", ITEMS, {8}, {48}, 0, transform},
    {"transform by a stencil", "jig_transform", ITEMS, {256}, {48}, 0, transform_by_stencil},
    {"for_each", "jig_for_each", ITEMS, {2}, {48}, 0, for_each},
    {"for_each index", "jig_for_each", ITEMS, {0}, {48}, 0, for_each_index},
    {"bulk", "jig_bulk", ITEMS, {0}, {48}, 0, bulk},
    {"bulk in extents", "jig_bulk", {"extents", NULL}, {0}, {48}, 0, bulk_in_extents},
    {"segmented_reduce", "jig_segmented_reduce", SEGMENTS, {8}, {63}, 8, segmented_reduce},
    {"segmented_reduce rows",
     "jig_segmented_reduce",
     ROWS,
     {4, 1},
     {63, 63},
     0,
     segmented_reduce_rows,
     MOST_ROWS,
     UINT64_MAX},
    {"segmented_arg_reduce", "jig_segmented_arg_reduce", SEGMENTS, {8}, {63}, 8, segmented_arg_reduce},
    {"segmented_arg_reduce rows",
     "jig_segmented_arg_reduce",
     ROWS,
     {4, 8},
     {63, 63},
     0,
     segmented_arg_reduce_rows,
     MOST_ROWS,
     UINT64_MAX},
    {"segmented_top_k rows",
     "jig_segmented_top_k",
     ROWS,
     {14, 2},
     {63, 63},
     0,
     segmented_top_k_rows,
     MOST_ROWS,
     UINT64_MAX},
    {"segmented_top_k of rows",
     "jig_segmented_top_k",
     {"num_segments", "k"},
     {2 * K_ROW_ITEMS, 2},
     {63, 63},
     0,
     segmented_top_k_of_rows,
     MOST_ROWS,
     K_ROW_ITEMS},
    {NULL, NULL, ITEMS, {0}, {0}, 0, NULL},
};

void counts_near_powers(uint64_t counts[COUNTS_NEAR_POWERS]) {
  size_t count = 0;
  for (uint64_t n = 0; n <= 100; ++n) counts[count++] = n;
  for (unsigned shift = 7; shift < 64; ++shift)
    for (int off = -1; off <= 1; ++off) counts[count++] = ((uint64_t)1 << shift) + (uint64_t)(int64_t)off;
  counts[count++] = UINT64_MAX;
}

uint64_t random_count(uint64_t *seed, uint64_t near) {
  const uint64_t bits = next_random(seed), off = next_random(seed) % 17;
  const uint64_t power = (uint64_t)1 << (bits >> 8) % 64;
  switch (bits % 4) {
    case 0:
      return power - 8 + off;
    case 1:
      return near - 8 + off;
    default:
      return power + next_random(seed) % power;
  }
}
