#include "device_count_cases.h"

#include <stdbool.h>

#define CASE(name_)                                                                                     \
  static jig_status name_(jig_engine *engine, void *storage, size_t *bytes, const device_count_call *c, \
                          CUstream stream)

/* The call, or its spec, or what somebody makes of its args. */
#define DO(function)                                                   \
  (c->spec != NULL   ? function##_spec(&args, c->spec)                 \
   : c->take != NULL ? c->take(c->user, #function, &args, sizeof args) \
                     : function(engine, storage, bytes, &args, stream))

static jig_iter words(const uint32_t *at) {
  return jig_pointer(at, JIG_U32);
}

static jig_iter longs(const uint32_t *at) {
  return jig_pointer(at, JIG_U64);
}

static jig_op ordered(void) {
  return jig_op_source(
      "return b == 0xffffffffu ? a : b;"); /* the last one; no identity, keeps the order */
}

static jig_op commutes(void) {
  return jig_op_commutative(jig_op_source("return a ^ b;"));
}

/* ---- folds */

static jig_status reduce_by(jig_engine *engine, void *storage, size_t *bytes, const device_count_call *c,
                            CUstream stream, jig_op op, const void *init) {
  const jig_reduce_args args = {.in = words(c->words),
                                .out = words(c->outputs[0]),
                                .num_items = c->count,
                                .op = op,
                                .init = init,
                                .num_items_in = c->count_in};
  return DO(jig_reduce);
}
CASE(reduce_sum) {
  return reduce_by(engine, storage, bytes, c, stream, JIG_PLUS, NULL);
}
CASE(reduce_ordered) {
  return reduce_by(engine, storage, bytes, c, stream, ordered(), NULL);
}
CASE(reduce_commutative) {
  return reduce_by(engine, storage, bytes, c, stream, commutes(), NULL);
}
CASE(reduce_ordered_init) {
  static const uint32_t init = 5;
  return reduce_by(engine, storage, bytes, c, stream, ordered(), &init);
}

CASE(arg_reduce) {
  const jig_arg_reduce_args args = {.in = words(c->words),
                                    .value_out = words(c->outputs[0]),
                                    .index_out = longs(c->outputs[1]),
                                    .num_items = c->count,
                                    .num_items_in = c->count_in};
  return DO(jig_arg_reduce);
}
CASE(arg_reduce_by_order) {
  const jig_arg_reduce_args args = {.in = words(c->words),
                                    .value_out = words(c->outputs[0]),
                                    .index_out = longs(c->outputs[1]),
                                    .num_items = c->count,
                                    .compare = jig_op_source("return a % 1000 < b % 1000;"),
                                    .num_items_in = c->count_in};
  return DO(jig_arg_reduce);
}

CASE(min_max) {
  const jig_min_max_args args = {.in = words(c->words),
                                 .min_out = words(c->outputs[0]),
                                 .max_out = words(c->outputs[1]),
                                 .num_items = c->count,
                                 .num_items_in = c->count_in};
  return DO(jig_min_max);
}
CASE(min_max_indices) {
  const jig_min_max_args args = {.in = words(c->words),
                                 .min_index_out = longs(c->outputs[0]),
                                 .max_index_out = longs(c->outputs[1]),
                                 .num_items = c->count,
                                 .compare = jig_op_source("return a % 1000 < b % 1000;"),
                                 .num_items_in = c->count_in};
  return DO(jig_min_max);
}

static jig_status scan_by(jig_engine *engine, void *storage, size_t *bytes, const device_count_call *c,
                          CUstream stream, jig_iter in, jig_op op, jig_scan_mode mode) {
  const jig_scan_args args = {.in = in,
                              .out = words(c->outputs[0]),
                              .num_items = c->count,
                              .op = op,
                              .mode = mode,
                              .num_items_in = c->count_in};
  return DO(jig_scan);
}
CASE(scan_sum) {
  return scan_by(engine, storage, bytes, c, stream, words(c->words), JIG_PLUS, JIG_SCAN_EXCLUSIVE);
}
CASE(scan_ordered) {
  return scan_by(engine, storage, bytes, c, stream, words(c->words), ordered(), JIG_SCAN_INCLUSIVE);
}
CASE(scan_iterator) { /* by look-back */
  return scan_by(engine, storage, bytes, c, stream, jig_counting(NULL, JIG_U32), ordered(),
                 JIG_SCAN_INCLUSIVE);
}

static jig_status scan_by_key_by(jig_engine *engine, void *storage, size_t *bytes,
                                 const device_count_call *c, CUstream stream, jig_iter in, jig_op op) {
  const jig_scan_by_key_args args = {.keys_in = words(c->keys),
                                     .values_in = in,
                                     .values_out = words(c->outputs[0]),
                                     .num_items = c->count,
                                     .op = op,
                                     .num_items_in = c->count_in};
  return DO(jig_scan_by_key);
}
CASE(scan_by_key) {
  return scan_by_key_by(engine, storage, bytes, c, stream, words(c->words), JIG_PLUS);
}
CASE(scan_by_key_iterator) {
  return scan_by_key_by(engine, storage, bytes, c, stream, jig_counting(NULL, JIG_U32), ordered());
}

static jig_status reduce_by_key_by(jig_engine *engine, void *storage, size_t *bytes,
                                   const device_count_call *c, CUstream stream, jig_iter in, jig_op op) {
  const jig_reduce_by_key_args args = {.keys_in = words(c->keys),
                                       .unique_out = words(c->outputs[0]),
                                       .values_in = in,
                                       .aggregates_out = words(c->outputs[1]),
                                       .num_runs_out = longs(c->outputs[2]),
                                       .num_items = c->count,
                                       .op = op,
                                       .num_items_in = c->count_in};
  return DO(jig_reduce_by_key);
}
CASE(reduce_by_key) {
  return reduce_by_key_by(engine, storage, bytes, c, stream, words(c->words), JIG_PLUS);
}
CASE(reduce_by_key_iterator) {
  return reduce_by_key_by(engine, storage, bytes, c, stream, jig_counting(NULL, JIG_U32), ordered());
}

static jig_status run_lengths_of(jig_engine *engine, void *storage, size_t *bytes,
                                 const device_count_call *c, CUstream stream, jig_iter in) {
  const jig_run_length_encode_args args = {.in = in,
                                           .unique_out = words(c->outputs[0]),
                                           .lengths_out = words(c->outputs[1]),
                                           .num_runs_out = longs(c->outputs[2]),
                                           .num_items = c->count,
                                           .num_items_in = c->count_in};
  return DO(jig_run_length_encode);
}
CASE(run_length_encode) {
  return run_lengths_of(engine, storage, bytes, c, stream, words(c->keys));
}
CASE(run_length_iterator) {
  return run_lengths_of(engine, storage, bytes, c, stream,
                        jig_iter_source(jig_op_source("return i / 5;"), JIG_U32));
}

CASE(non_trivial_runs) {
  const jig_non_trivial_runs_args args = {.in = words(c->keys),
                                          .offsets_out = words(c->outputs[0]),
                                          .lengths_out = words(c->outputs[1]),
                                          .num_runs_out = longs(c->outputs[2]),
                                          .num_items = c->count,
                                          .num_items_in = c->count_in};
  return DO(jig_non_trivial_runs);
}

const device_count_case device_count_folds[] = {
    {"reduce", reduce_sum},
    {"reduce_ordered", reduce_ordered},
    {"reduce_commutative", reduce_commutative},
    {"reduce_ordered_init", reduce_ordered_init},
    {"arg_reduce", arg_reduce},
    {"arg_reduce_by_order", arg_reduce_by_order},
    {"min_max", min_max},
    {"min_max_indices", min_max_indices},
    {"scan", scan_sum},
    {"scan_ordered", scan_ordered},
    {"scan_iterator", scan_iterator},
    {"scan_by_key", scan_by_key},
    {"scan_by_key_iterator", scan_by_key_iterator},
    {"reduce_by_key", reduce_by_key},
    {"reduce_by_key_iterator", reduce_by_key_iterator},
    {"run_length_encode", run_length_encode},
    {"run_length_iterator", run_length_iterator},
    {"non_trivial_runs", non_trivial_runs},
    {NULL, NULL},
};

/* ---- select and its kin */

static jig_status select_of(jig_engine *engine, void *storage, size_t *bytes, const device_count_call *c,
                            CUstream stream, jig_iter in, bool flagged) {
  const jig_select_args args = {.in = in,
                                .flags = flagged ? jig_pointer(c->flags, JIG_U8) : (jig_iter)JIG_ZERO,
                                .out = words(c->outputs[0]),
                                .num_selected_out = longs(c->outputs[1]),
                                .num_items = c->count,
                                .op = flagged ? (jig_op)JIG_ZERO : jig_op_source("return x % 3 == 0;"),
                                .num_items_in = c->count_in};
  return DO(jig_select);
}
CASE(select_if) {
  return select_of(engine, storage, bytes, c, stream, words(c->words), false);
}
CASE(select_flagged) {
  return select_of(engine, storage, bytes, c, stream, words(c->words), true);
}
CASE(select_iterator) {
  return select_of(engine, storage, bytes, c, stream, jig_counting(NULL, JIG_U32), false);
}

static jig_status unique_of(jig_engine *engine, void *storage, size_t *bytes, const device_count_call *c,
                            CUstream stream, jig_iter in) {
  const jig_unique_args args = {.in = in,
                                .out = words(c->outputs[0]),
                                .values_in = words(c->words),
                                .values_out = words(c->outputs[1]),
                                .num_selected_out = longs(c->outputs[2]),
                                .num_items = c->count,
                                .num_items_in = c->count_in};
  return DO(jig_unique);
}
CASE(unique) {
  return unique_of(engine, storage, bytes, c, stream, words(c->keys));
}
CASE(unique_iterator) {
  return unique_of(engine, storage, bytes, c, stream,
                   jig_iter_source(jig_op_source("return i / 5;"), JIG_U32));
}

CASE(partition) {
  const jig_partition_args args = {.in = words(c->words),
                                   .out = words(c->outputs[0]),
                                   .num_selected_out = longs(c->outputs[1]),
                                   .num_items = c->count,
                                   .op = jig_op_source("return x % 3 == 0;"),
                                   .num_items_in = c->count_in};
  return DO(jig_partition);
}

CASE(three_way_partition) {
  const jig_three_way_partition_args args = {.in = words(c->words),
                                             .first_out = words(c->outputs[0]),
                                             .second_out = words(c->outputs[1]),
                                             .unselected_out = words(c->outputs[2]),
                                             .num_selected_out = longs(c->outputs[3]),
                                             .num_items = c->count,
                                             .first_op = jig_op_source("return x % 3 == 0;"),
                                             .second_op = jig_op_source("return x % 3 == 1;"),
                                             .num_items_in = c->count_in};
  return DO(jig_three_way_partition);
}

static jig_status set_operation(jig_engine *engine, void *storage, size_t *bytes,
                                const device_count_call *c, CUstream stream, jig_set_mode mode) {
  const jig_set_operation_args args = {.first_keys_in = words(c->sorted),
                                       .second_keys_in = words(c->other_sorted),
                                       .keys_out = words(c->outputs[0]),
                                       .num_items_out = longs(c->outputs[1]),
                                       .first_num_items = c->count,
                                       .second_num_items = c->second_count,
                                       .mode = mode,
                                       .first_num_items_in = c->count_in,
                                       .second_num_items_in = c->second_count_in};
  return DO(jig_set_operation);
}
CASE(set_union) {
  return set_operation(engine, storage, bytes, c, stream, JIG_SET_UNION);
}
CASE(set_intersection) {
  return set_operation(engine, storage, bytes, c, stream, JIG_SET_INTERSECTION);
}

const device_count_case device_count_selections[] = {
    {"select", select_if},
    {"select_flagged", select_flagged},
    {"select_iterator", select_iterator},
    {"unique", unique},
    {"unique_iterator", unique_iterator},
    {"partition", partition},
    {"three_way_partition", three_way_partition},
    {"set_union", set_union},
    {"set_intersection", set_intersection},
    {NULL, NULL},
};

/* ---- item by item */

CASE(copy) {
  const jig_copy_args args = {.in = words(c->words),
                              .out = words(c->outputs[0]),
                              .num_items = c->count,
                              .num_items_in = c->count_in};
  return DO(jig_copy);
}
CASE(copy_triples) { /* the kernel copies words, of which an item has several */
  const jig_type triple = jig_opaque(3, 1);
  const jig_copy_args args = {.in = jig_pointer(c->words, triple),
                              .out = jig_pointer(c->outputs[0], triple),
                              .num_items = c->count,
                              .num_items_in = c->count_in};
  return DO(jig_copy);
}
CASE(copy_converted) {
  const jig_copy_args args = {.in = words(c->words),
                              .out = jig_pointer(c->outputs[0], JIG_U8),
                              .num_items = c->count,
                              .num_items_in = c->count_in};
  return DO(jig_copy);
}

CASE(reverse) {
  const jig_reverse_args args = {.in = words(c->words),
                                 .out = words(c->outputs[0]),
                                 .num_items = c->count,
                                 .num_items_in = c->count_in};
  return DO(jig_reverse);
}
CASE(reverse_bytes) {
  const jig_reverse_args args = {.in = jig_pointer(c->words, JIG_U8),
                                 .out = jig_pointer(c->outputs[0], JIG_U8),
                                 .num_items = c->count,
                                 .num_items_in = c->count_in};
  return DO(jig_reverse);
}

CASE(transform) {
  const jig_iter in[] = {words(c->words), words(c->keys)};
  const jig_transform_args args = {.in = in,
                                   .num_inputs = 2,
                                   .out = words(c->outputs[0]),
                                   .num_items = c->count,
                                   .op = jig_op_source("return a - b;"),
                                   .num_items_in = c->count_in};
  return DO(jig_transform);
}
CASE(transform_if) {
  const jig_iter in = words(c->words);
  const jig_transform_args args = {.in = &in,
                                   .num_inputs = 1,
                                   .out = words(c->outputs[0]),
                                   .num_items = c->count,
                                   .op = jig_op_source("return x + 1;"),
                                   .stencil = jig_pointer(c->flags, JIG_U8),
                                   .num_items_in = c->count_in};
  return DO(jig_transform);
}

CASE(bulk) {
  const jig_bulk_args args = {
      .num_items = c->count,
      .op = jig_op_with_state(jig_op_source("unsigned *to = (unsigned *)state; to[i] = 3 * unsigned(i);"),
                              &c->outputs[0], JIG_U64),
      .num_items_in = c->count_in};
  return DO(jig_bulk);
}
static jig_status for_each_in(jig_engine *engine, void *storage, size_t *bytes,
                              const device_count_call *c, CUstream stream, jig_for_each_mode mode) {
  const char *store = "unsigned *to = (unsigned *)state; to[x] = x + 7;";
  const jig_iter in = mode == JIG_FOR_EACH_COPY ? jig_counting(NULL, JIG_U32) : words(c->offsets);
  const jig_for_each_args args = {.in = in,
                                  .num_items = c->count,
                                  .op = jig_op_with_state(jig_op_source(store), &c->outputs[0], JIG_U64),
                                  .mode = mode,
                                  .num_items_in = c->count_in};
  return DO(jig_for_each);
}
CASE(for_each_copy) {
  return for_each_in(engine, storage, bytes, c, stream, JIG_FOR_EACH_COPY);
}
CASE(for_each_reference) {
  return for_each_in(engine, storage, bytes, c, stream, JIG_FOR_EACH_REFERENCE);
}

static jig_status difference(jig_engine *engine, void *storage, size_t *bytes, const device_count_call *c,
                             CUstream stream, jig_difference_direction direction) {
  const jig_adjacent_difference_args args = {.in = words(c->words),
                                             .out = words(c->outputs[0]),
                                             .num_items = c->count,
                                             .direction = direction,
                                             .num_items_in = c->count_in};
  return DO(jig_adjacent_difference);
}
CASE(difference_left) {
  return difference(engine, storage, bytes, c, stream, JIG_DIFFERENCE_LEFT);
}
CASE(difference_right) {
  return difference(engine, storage, bytes, c, stream, JIG_DIFFERENCE_RIGHT);
}

static jig_status histogram_of(jig_engine *engine, void *storage, size_t *bytes,
                               const device_count_call *c, CUstream stream, jig_type sample,
                               unsigned channels) {
  const uint32_t lower = 0, upper = 256;
  const jig_histogram_args args = {.samples = jig_pointer(c->words, sample),
                                   .level_type = JIG_U32,
                                   .counts = {c->outputs[0], c->outputs[1], c->outputs[2], c->outputs[3]},
                                   .num_bins = {100, 100, 100, 100},
                                   .lower = {&lower, &lower, &lower, &lower},
                                   .upper = {&upper, &upper, &upper, &upper},
                                   .num_row_pixels = c->count,
                                   .num_rows = 1,
                                   .num_channels = channels,
                                   .num_row_pixels_in = c->count_in};
  return DO(jig_histogram);
}
CASE(histogram) {
  return histogram_of(engine, storage, bytes, c, stream, JIG_U32, 1);
}
CASE(histogram_pixels) {
  return histogram_of(engine, storage, bytes, c, stream, JIG_U8, 3);
}

/* ---- search */

static jig_status find_in(jig_engine *engine, void *storage, size_t *bytes, const device_count_call *c,
                          CUstream stream, const char *predicate) {
  const jig_find_if_args args = {.in = jig_counting(NULL, JIG_U32),
                                 .out = longs(c->outputs[0]),
                                 .num_items = c->count,
                                 .predicate = jig_op_source(predicate),
                                 .num_items_in = c->count_in};
  return DO(jig_find_if);
}
CASE(find_some) {
  return find_in(engine, storage, bytes, c, stream, "return x == 60000;");
}
CASE(find_nothing) {
  return find_in(engine, storage, bytes, c, stream, "return x == 0xffffffffu;");
}

CASE(is_sorted_until) {
  const jig_is_sorted_args args = {.in = words(c->sorted),
                                   .out = longs(c->outputs[0]),
                                   .num_items = c->count,
                                   .mode = JIG_SORTED_UNTIL,
                                   .num_items_in = c->count_in};
  return DO(jig_is_sorted);
}

CASE(binary_search) {
  const jig_binary_search_args args = {.in = words(c->sorted),
                                       .needles_in = words(c->words),
                                       .out = words(c->outputs[0]),
                                       .upper_out = words(c->outputs[1]),
                                       .num_items = c->count,
                                       .num_needles = c->second_count,
                                       .bound = JIG_BOUND_EQUAL_RANGE,
                                       .num_items_in = c->count_in,
                                       .num_needles_in = c->second_count_in};
  return DO(jig_binary_search);
}

const device_count_case device_count_items[] = {
    {"copy", copy},
    {"copy_triples", copy_triples},
    {"copy_converted", copy_converted},
    {"reverse", reverse},
    {"reverse_bytes", reverse_bytes},
    {"transform", transform},
    {"transform_if", transform_if},
    {"bulk", bulk},
    {"for_each_copy", for_each_copy},
    {"for_each_reference", for_each_reference},
    {"difference_left", difference_left},
    {"difference_right", difference_right},
    {"histogram", histogram},
    {"histogram_pixels", histogram_pixels},
    {"find_some", find_some},
    {"find_nothing", find_nothing},
    {"is_sorted_until", is_sorted_until},
    {"binary_search", binary_search},
    {NULL, NULL},
};

/* ---- sorts */

CASE(merge) {
  const jig_merge_args args = {.first_keys_in = words(c->sorted),
                               .second_keys_in = words(c->other_sorted),
                               .keys_out = words(c->outputs[0]),
                               .first_num_items = c->count,
                               .second_num_items = c->second_count,
                               .first_num_items_in = c->count_in,
                               .second_num_items_in = c->second_count_in};
  return DO(jig_merge);
}

static jig_status radix_sort_of(jig_engine *engine, void *storage, size_t *bytes,
                                const device_count_call *c, CUstream stream, jig_type key,
                                jig_iter values) {
  const jig_radix_sort_args args = {
      .keys_in = jig_pointer(c->words, key),
      .keys_out = jig_pointer(c->outputs[0], key),
      .values_in = values,
      .values_out = values.kind != JIG_ITER_NONE ? words(c->outputs[1]) : (jig_iter)JIG_ZERO,
      .num_items = c->count,
      .num_items_in = c->count_in};
  return DO(jig_radix_sort);
}
CASE(radix_sort) {
  return radix_sort_of(engine, storage, bytes, c, stream, JIG_U32, (jig_iter)JIG_ZERO);
}
CASE(radix_sort_bytes) { /* which are only counted */
  return radix_sort_of(engine, storage, bytes, c, stream, JIG_U8, (jig_iter)JIG_ZERO);
}
CASE(radix_sort_pairs) {
  return radix_sort_of(engine, storage, bytes, c, stream, JIG_U32, words(c->keys));
}
CASE(radix_argsort) {
  return radix_sort_of(engine, storage, bytes, c, stream, JIG_F32, jig_counting(NULL, JIG_U32));
}

static jig_status merge_sort_by(jig_engine *engine, void *storage, size_t *bytes,
                                const device_count_call *c, CUstream stream, jig_op compare,
                                bool has_values) {
  const jig_merge_sort_args args = {.keys_in = words(c->words),
                                    .keys_out = words(c->outputs[0]),
                                    .values_in = has_values ? words(c->keys) : (jig_iter)JIG_ZERO,
                                    .values_out = has_values ? words(c->outputs[1]) : (jig_iter)JIG_ZERO,
                                    .num_items = c->count,
                                    .compare = compare,
                                    .num_items_in = c->count_in};
  return DO(jig_merge_sort);
}
CASE(merge_sort) {
  return merge_sort_by(engine, storage, bytes, c, stream, JIG_LESS, true);
}
CASE(merge_sort_by_order) { /* which is not known to be one */
  return merge_sort_by(engine, storage, bytes, c, stream, jig_op_source("return a % 4096 < b % 4096;"),
                       false);
}

static jig_status top_k_of(jig_engine *engine, void *storage, size_t *bytes, const device_count_call *c,
                           CUstream stream, uint64_t k, jig_iter values) {
  const jig_top_k_args args = {
      .keys_in = words(c->words),
      .keys_out = words(c->outputs[0]),
      .values_in = values,
      .values_out = values.kind != JIG_ITER_NONE ? words(c->outputs[1]) : (jig_iter)JIG_ZERO,
      .num_items = c->count,
      .k = k,
      .is_sorted = 1,
      .num_items_in = c->count_in};
  return DO(jig_top_k);
}
CASE(nth_element) {
  const jig_nth_element_args args = {.in = words(c->words),
                                     .out = words(c->outputs[0]),
                                     .nth_out = words(c->outputs[1]),
                                     .num_items = c->count_in == NULL && c->count <= 700 ? 0 : c->count,
                                     .nth = 700, /* of less nothing is written */
                                     .num_items_in = c->count_in};
  return DO(jig_nth_element);
}
CASE(top_k) {
  return top_k_of(engine, storage, bytes, c, stream, 50, (jig_iter)JIG_ZERO);
}
CASE(top_k_many) {
  return top_k_of(engine, storage, bytes, c, stream, c->limit / 3, jig_counting(NULL, JIG_U32));
}

const device_count_case device_count_sorts[] = {
    {"merge", merge},
    {"radix_sort", radix_sort},
    {"radix_sort_bytes", radix_sort_bytes},
    {"radix_sort_pairs", radix_sort_pairs},
    {"radix_argsort", radix_argsort},
    {"merge_sort", merge_sort},
    {"merge_sort_by_order", merge_sort_by_order},
    {"nth_element", nth_element},
    {"top_k", top_k},
    {"top_k_many", top_k_many},
    {NULL, NULL},
};

/* ---- segments and buffers */

static jig_status segmented_reduce_of(jig_engine *engine, void *storage, size_t *bytes,
                                      const device_count_call *c, CUstream stream, jig_iter ends,
                                      uint64_t segment_size) {
  const jig_segmented_reduce_args args = {
      .in = words(c->words),
      .out = words(c->outputs[0]),
      .begin_offsets = segment_size > 0 ? (jig_iter)JIG_ZERO : words(c->offsets),
      .end_offsets = segment_size > 0 ? (jig_iter)JIG_ZERO : ends,
      .num_segments = c->count,
      .segment_size = segment_size,
      .num_segments_in = c->count_in};
  return DO(jig_segmented_reduce);
}
CASE(segmented_reduce) {
  return segmented_reduce_of(engine, storage, bytes, c, stream, words(c->offsets + 1), 0);
}
CASE(segmented_reduce_apart) { /* begins and ends are two arrays */
  const jig_iter base = words(c->offsets + 1);
  const jig_iter ends = jig_iter_transform(&base, jig_op_source("return x;"), JIG_U32);
  return segmented_reduce_of(engine, storage, bytes, c, stream, ends, 0);
}
CASE(segmented_reduce_sized) {
  return segmented_reduce_of(engine, storage, bytes, c, stream, (jig_iter)JIG_ZERO, 1);
}

static jig_status segmented_scan_of(jig_engine *engine, void *storage, size_t *bytes,
                                    const device_count_call *c, CUstream stream, jig_iter ends) {
  const jig_segmented_scan_args args = {.in = words(c->words),
                                        .out = words(c->outputs[0]),
                                        .begin_offsets = words(c->offsets),
                                        .end_offsets = ends,
                                        .num_segments = c->count,
                                        .num_segments_in = c->count_in};
  return DO(jig_segmented_scan);
}
CASE(segmented_scan) {
  return segmented_scan_of(engine, storage, bytes, c, stream, words(c->offsets + 1));
}
CASE(segmented_scan_apart) {
  const jig_iter base = words(c->offsets + 1);
  return segmented_scan_of(engine, storage, bytes, c, stream,
                           jig_iter_transform(&base, jig_op_source("return x;"), JIG_U32));
}

static jig_status segmented_top_k_of(jig_engine *engine, void *storage, size_t *bytes,
                                     const device_count_call *c, CUstream stream, uint64_t segment_size) {
  const bool is_sized = segment_size > 0;
  const jig_segmented_top_k_args args = {
      .keys_in = words(c->words),
      .keys_out = words(c->outputs[0]),
      .num_items = c->limit,
      .begin_offsets = is_sized ? (jig_iter)JIG_ZERO : words(c->offsets),
      .end_offsets = is_sized ? (jig_iter)JIG_ZERO : words(c->offsets + 1),
      .num_segments = c->count,
      .segment_size = segment_size,
      .k = 1,
      .is_sorted = 1,
      .num_segments_in = c->count_in};
  return DO(jig_segmented_top_k);
}
CASE(segmented_top_k) {
  return segmented_top_k_of(engine, storage, bytes, c, stream, 0);
}
CASE(segmented_top_k_sized) {
  return segmented_top_k_of(engine, storage, bytes, c, stream, 1);
}

CASE(segmented_arg_reduce) {
  const jig_segmented_arg_reduce_args args = {.in = words(c->words),
                                              .value_out = words(c->outputs[0]),
                                              .index_out = words(c->outputs[1]),
                                              .begin_offsets = words(c->offsets),
                                              .end_offsets = words(c->offsets + 1),
                                              .num_segments = c->count,
                                              .num_segments_in = c->count_in};
  return DO(jig_segmented_arg_reduce);
}

CASE(segmented_sort) {
  const jig_segmented_sort_args args = {.keys_in = words(c->words),
                                        .keys_out = words(c->outputs[0]),
                                        .values_in = words(c->keys),
                                        .values_out = words(c->outputs[1]),
                                        .num_items = c->limit,
                                        .begin_offsets = words(c->offsets),
                                        .end_offsets = words(c->offsets + 1),
                                        .num_segments = c->count,
                                        .num_segments_in = c->count_in};
  return DO(jig_segmented_sort);
}

CASE(copy_batched) {
  const jig_iter base = words(c->offsets + 1);
  const jig_copy_batched_args args = {
      .in = words(c->words),
      .out = words(c->outputs[0]),
      .in_offsets = words(c->offsets),
      .out_offsets = words(c->offsets),
      .sizes = jig_iter_transform(&base, jig_op_source("return x % 7 == 1;"), JIG_U32),
      .num_ranges = c->count,
      .num_ranges_in = c->count_in};
  return DO(jig_copy_batched);
}

CASE(memcpy_batched) {
  const uint64_t from = (uint64_t)(uintptr_t)c->words, to = (uint64_t)(uintptr_t)c->outputs[0], step = 4;
  const jig_memcpy_batched_args args = {.sources = jig_counting_by(&from, &step, JIG_U64),
                                        .destinations = jig_counting_by(&to, &step, JIG_U64),
                                        .sizes = jig_iter_source(jig_op_source("return i % 3;"), JIG_U32),
                                        .num_buffers = c->count,
                                        .num_buffers_in = c->count_in};
  return DO(jig_memcpy_batched);
}

const device_count_case device_count_segments[] = {
    {"segmented_reduce", segmented_reduce},
    {"segmented_reduce_apart", segmented_reduce_apart},
    {"segmented_reduce_sized", segmented_reduce_sized},
    {"segmented_arg_reduce", segmented_arg_reduce},
    {"segmented_scan", segmented_scan},
    {"segmented_scan_apart", segmented_scan_apart},
    {"segmented_top_k", segmented_top_k},
    {"segmented_top_k_sized", segmented_top_k_sized},
    {"segmented_sort", segmented_sort},
    {"copy_batched", copy_batched},
    {"memcpy_batched", memcpy_batched},
    {NULL, NULL},
};
