#include "run_rows.h"

#include <string.h>

#define CALL(name)                                                                                    \
  static jig_status call_##name(jig_engine *engine, void *temp, size_t *temp_bytes, const void *args,        \
                         CUstream stream) {                                                           \
    return jig_##name(engine, temp, temp_bytes, args, stream);                                        \
  }
CALL(reduce)
CALL(arg_reduce)
CALL(scan)
CALL(scan_by_key)
CALL(segmented_scan)
CALL(reduce_by_key)
CALL(run_length_encode)
CALL(non_trivial_runs)
CALL(select)
CALL(unique)
CALL(partition)
CALL(three_way_partition)
CALL(radix_sort)
CALL(segmented_sort)
CALL(merge_sort)
CALL(merge)
CALL(top_k)
CALL(segmented_top_k)
CALL(nth_element)
CALL(copy)
CALL(adjacent_difference)
CALL(memcpy_batched)
CALL(copy_batched)
CALL(transform)
CALL(for_each)
CALL(bulk)
CALL(histogram)
CALL(segmented_reduce)
CALL(segmented_arg_reduce)
CALL(find_if)
CALL(binary_search)
CALL(min_max)
CALL(set_operation)
CALL(is_sorted)
CALL(reverse)
#undef CALL

#define ROW(name_) .name = #name_, .call = call_##name_
#define ITEMS(slot) {slot, NULL, "num_items"}
#define SEGMENTS(slot) {slot, NULL, "num_segments"}
#define RANGES(slot) {slot, NULL, "num_ranges"}
#define FIRST(slot) {slot, NULL, "first_num_items"}
#define SECOND(slot) {slot, NULL, "second_num_items"}
#define OUT(slot_, extent_) {.slot = (slot_), .extent = (extent_)}
/* As many as item 0 of another output says. */
#define COUNTED(slot_, extent_, counted_) {.slot = (slot_), .extent = (extent_), .counted = (counted_)}

static const run_row rows[] = {
    {ROW(reduce),
     .inputs = {ITEMS("in"), {"init_in", NULL, NULL}},
     .outputs = {OUT("out", EXTENT_ONE)},
     .example = "reduce --op max prices.npy"},
    {ROW(arg_reduce),
     .inputs = {ITEMS("in")},
     .outputs = {OUT("value_out", EXTENT_ONE), OUT("index_out", EXTENT_ONE)},
     .example = "arg_reduce --op max prices.npy"},
    {ROW(scan),
     .inputs = {ITEMS("in"), {"init", NULL, NULL}},
     .outputs = {OUT("out", EXTENT_ITEMS)},
     .example = "scan --exclusive sizes.npy --out offsets.npy"},
    {ROW(scan_by_key),
     .inputs = {ITEMS("keys_in"), ITEMS("values_in"), {"init", NULL, NULL}},
     .outputs = {OUT("values_out", EXTENT_ITEMS)},
     .example = "scan_by_key --keys days.npy --values rain.npy --out sums.npy"},
    {ROW(segmented_scan),
     .inputs = {{"in", NULL, NULL}, SEGMENTS("begin_offsets"), SEGMENTS("end_offsets"),
                SEGMENTS("out_offsets"), {"init", NULL, NULL}},
     .outputs = {{.slot = "out", .extent = EXTENT_INPUT, .in_part = true}},
     .example = "segmented_scan values.npy --offsets rows.npy --out sums.npy"},
    {ROW(reduce_by_key),
     .inputs = {ITEMS("keys_in"), ITEMS("values_in")},
     .outputs = {{"unique_out", "keys", NULL, EXTENT_ITEMS, "num_runs_out", 0, false},
                 COUNTED("aggregates_out", EXTENT_ITEMS, "num_runs_out"),
                 OUT("num_runs_out", EXTENT_ONE)},
     .example = "reduce_by_key --keys days.npy --values rain.npy --out keys=d.npy --out aggregates=sums.npy"},
    {ROW(run_length_encode),
     .inputs = {ITEMS("in")},
     .outputs = {{"unique_out", "keys", NULL, EXTENT_ITEMS, "num_runs_out", 0, false},
                 {"lengths_out", "counts", NULL, EXTENT_ITEMS, "num_runs_out", 0, false},
                 OUT("num_runs_out", EXTENT_ONE)},
     .example = "run_length_encode k.npy --out keys=a.npy --out counts=c.npy"},
    {ROW(non_trivial_runs),
     .inputs = {ITEMS("in")},
     .outputs = {COUNTED("offsets_out", EXTENT_ITEMS, "num_runs_out"),
                 COUNTED("lengths_out", EXTENT_ITEMS, "num_runs_out"), OUT("num_runs_out", EXTENT_ONE)},
     .example = "non_trivial_runs k.npy --out offsets=o.npy --out lengths=l.npy"},
    {ROW(select),
     .inputs = {ITEMS("in"), ITEMS("flags")},
     .outputs = {COUNTED("out", EXTENT_ITEMS, "num_selected_out"),
                 {.slot = "num_selected_out", .also = "count", .extent = EXTENT_ONE}},
     .example = "select --op-source 'return x > 0;' a.npy --out positive.npy"},
    {ROW(unique),
     .inputs = {ITEMS("in"), ITEMS("values_in")},
     .outputs = {{"out", "keys", NULL, EXTENT_ITEMS, "num_selected_out", 0, false},
                 COUNTED("values_out", EXTENT_ITEMS, "num_selected_out"),
                 {.slot = "num_selected_out", .also = "count", .extent = EXTENT_ONE}},
     .example = "unique sorted.npy --out distinct.npy"},
    {ROW(partition),
     .inputs = {ITEMS("in"), ITEMS("flags")},
     .outputs = {COUNTED("out", EXTENT_ITEMS, "num_selected_out"),
                 {"unselected_out", NULL, NULL, EXTENT_ITEMS, "num_selected_out", WHICH_REST, false},
                 {.slot = "num_selected_out", .also = "count", .extent = EXTENT_ONE}},
     .example = "partition --op-source 'return x > 0;' a.npy --out out=p.npy --out unselected=rest.npy"},
    {ROW(three_way_partition),
     .inputs = {ITEMS("in")},
     .outputs = {COUNTED("first_out", EXTENT_ITEMS, "num_selected_out"),
                 {"second_out", NULL, NULL, EXTENT_ITEMS, "num_selected_out", 1, false},
                 {"unselected_out", NULL, NULL, EXTENT_ITEMS, "num_selected_out", WHICH_REST, false},
                 {.slot = "num_selected_out", .also = "counts", .extent = EXTENT_TWO}},
     .example = "three_way_partition --op-source 'return x < 0;' --second-op-source 'return x > 9;' a.npy"},
    {ROW(radix_sort),
     .inputs = {{"keys_in", "key", "num_items"}, {"values_in", "value", "num_items"}},
     .outputs = {{.slot = "keys_out", .type = "key", .extent = EXTENT_ITEMS},
                 {.slot = "values_out", .type = "value", .extent = EXTENT_ITEMS}},
     .example = "radix_sort --descending a.npy --out sorted.npy"},
    {ROW(segmented_sort),
     .inputs = {{"keys_in", "key", "num_items"}, {"values_in", "value", "num_items"},
                SEGMENTS("begin_offsets"), SEGMENTS("end_offsets")},
     .outputs = {{.slot = "keys_out", .type = "key", .extent = EXTENT_ITEMS, .in_part = true},
                 {.slot = "values_out", .type = "value", .extent = EXTENT_ITEMS, .in_part = true}},
     .example = "segmented_sort a.npy --offsets rows.npy --out sorted.npy"},
    {ROW(merge_sort),
     .inputs = {ITEMS("keys_in"), ITEMS("values_in")},
     .outputs = {OUT("keys_out", EXTENT_ITEMS), OUT("values_out", EXTENT_ITEMS)},
     .example = "merge_sort --op-source 'return a.d < b.d;' hits.npy --out sorted.npy"},
    {ROW(merge),
     .inputs = {FIRST("first_keys_in"), SECOND("second_keys_in"), FIRST("first_values_in"),
                SECOND("second_values_in")},
     .outputs = {OUT("keys_out", EXTENT_BOTH), OUT("values_out", EXTENT_BOTH)},
     .example = "merge a.npy b.npy --out both.npy"},
    {ROW(top_k),
     .inputs = {ITEMS("keys_in"), ITEMS("values_in")},
     .outputs = {OUT("keys_out", EXTENT_K), OUT("values_out", EXTENT_K)},
     .example = "top_k --k 10 --sorted a.npy"},
    {ROW(segmented_top_k),
     .inputs = {ITEMS("keys_in"), ITEMS("values_in"), SEGMENTS("begin_offsets"), SEGMENTS("end_offsets")},
     .outputs = {{.slot = "keys_out", .extent = EXTENT_SEGMENTS_K, .in_part = true},
                 {.slot = "values_out", .extent = EXTENT_SEGMENTS_K, .in_part = true}},
     .example = "segmented_top_k --k 3 --segment-size 100 --sorted matrix.npy"},
    {ROW(nth_element),
     .inputs = {ITEMS("in"), ITEMS("values_in")},
     .outputs = {OUT("nth_out", EXTENT_ONE), OUT("out", EXTENT_ITEMS), OUT("values_out", EXTENT_ITEMS)},
     .example = "nth_element --nth 500 a.npy"},
    {ROW(copy),
     .inputs = {ITEMS("in")},
     .outputs = {OUT("out", EXTENT_ITEMS)},
     .example = "copy in='permutation(@values.npy, @indices.npy)' --out gathered.npy"},
    {ROW(adjacent_difference),
     .inputs = {ITEMS("in")},
     .outputs = {OUT("out", EXTENT_ITEMS)},
     .example = "adjacent_difference a.npy --out differences.npy"},
    {ROW(memcpy_batched),
     .outputs = {OUT("out", EXTENT_BUFFERS)},
     .takes_buffers = true,
     .example = "memcpy_batched a.bin b.bin c.bin --out all.bin"},
    {ROW(copy_batched),
     .inputs = {{"in", NULL, NULL}, RANGES("in_offsets"), RANGES("out_offsets"), RANGES("sizes")},
     .outputs = {{.slot = "out", .extent = EXTENT_RANGES, .in_part = true}},
     .example = "copy_batched a.npy from.npy to.npy sizes.npy --out b.npy"},
    {ROW(transform),
     .inputs = {ITEMS("in"), ITEMS("stencil")},
     .outputs = {{.slot = "out", .extent = EXTENT_ITEMS, .in_part = true}},
     .example = "transform --transform 'return x * x;' a.npy --out squares.npy"},
    {ROW(for_each),
     .inputs = {ITEMS("in")},
     .outputs = {OUT("in", EXTENT_ITEMS)},
     .example = "for_each --op-source 'x *= 2;' a.npy --out b.npy"},
    {ROW(bulk),
     .outputs = {{.slot = "out", .extent = EXTENT_ITEMS, .in_part = true}},
     .has_array = true,
     .example = "bulk --count 10 --type f32 --op-source 'state.out[i] = i * 0.5f;'"},
    {ROW(histogram),
     .inputs = {{"samples", NULL, "num_row_pixels"}},
     .outputs = {{.slot = "counts", .type = "counter", .extent = EXTENT_BINS}},
     .example = "histogram --bins 256 --lower 0 --upper 256 image.npy"},
    {ROW(segmented_reduce),
     .inputs = {{"in", NULL, NULL}, SEGMENTS("begin_offsets"), SEGMENTS("end_offsets"),
                {"init_in", NULL, NULL}},
     .outputs = {OUT("out", EXTENT_SEGMENTS)},
     .example = "segmented_reduce values.npy --offsets rows.npy --out sums.npy"},
    {ROW(segmented_arg_reduce),
     .inputs = {{"in", NULL, NULL}, SEGMENTS("begin_offsets"), SEGMENTS("end_offsets")},
     .outputs = {OUT("value_out", EXTENT_SEGMENTS), OUT("index_out", EXTENT_SEGMENTS)},
     .example = "segmented_arg_reduce --op max --segment-size 100 matrix.npy"},
    {ROW(find_if),
     .inputs = {ITEMS("in")},
     .outputs = {OUT("out", EXTENT_ONE)},
     .example = "find_if --op-source 'return x > 100;' a.npy"},
    {ROW(binary_search),
     .inputs = {ITEMS("in"), {"needles_in", NULL, "num_needles"}},
     .outputs = {OUT("out", EXTENT_NEEDLES), OUT("upper_out", EXTENT_NEEDLES)},
     .example = "binary_search sorted.npy --needles n.npy --out places.npy"},
    {ROW(min_max),
     .inputs = {ITEMS("in")},
     .outputs = {OUT("min_out", EXTENT_ONE), OUT("max_out", EXTENT_ONE), OUT("min_index_out", EXTENT_ONE),
                 OUT("max_index_out", EXTENT_ONE)},
     .example = "min_max a.npy"},
    {ROW(set_operation),
     .inputs = {FIRST("first_keys_in"), SECOND("second_keys_in"), FIRST("first_values_in"),
                SECOND("second_values_in")},
     .outputs = {COUNTED("keys_out", EXTENT_BOTH, "num_items_out"),
                 COUNTED("values_out", EXTENT_BOTH, "num_items_out"),
                 {.slot = "num_items_out", .also = "count", .extent = EXTENT_ONE}},
     .example = "set_operation mode=intersection a.npy b.npy --out both.npy"},
    {ROW(is_sorted),
     .inputs = {ITEMS("in")},
     .outputs = {OUT("out", EXTENT_ONE)},
     .example = "is_sorted a.npy"},
    {ROW(reverse),
     .inputs = {ITEMS("in")},
     .outputs = {OUT("out", EXTENT_ITEMS)},
     .example = "reverse a.npy --out b.npy"},
};

const run_row *run_row_named(const char *name) {
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i)
    if (strcmp(rows[i].name, name) == 0) return &rows[i];
  return NULL;
}

const algorithm *run_algorithm_of(const run_row *row) {
  const algorithm *const *a = algorithm_table;
  while (strcmp((*a)->schema.algorithm, row->name) != 0) ++a;
  return *a;
}

const struct_field *run_field(const algorithm *a, const char *name) {
  for (size_t i = 0; i < a->args->field_count; ++i)
    if (strcmp(a->args->fields[i].name, name) == 0) return &a->args->fields[i];
  return NULL;
}

/* "keys" of "keys_out". */
static bool is_name_of(const char *slot, const char *suffix, const char *name, size_t length) {
  if (strncmp(slot, name, length) != 0) return false;
  return slot[length] == '\0' || strcmp(slot + length, suffix) == 0;
}

const run_input *run_input_named(const run_row *row, const char *name, size_t length) {
  for (const run_input *i = row->inputs; i->slot != NULL; ++i)
    if (is_name_of(i->slot, "_in", name, length)) return i;
  return NULL;
}

const run_output *run_output_named(const run_row *row, const char *name, size_t length) {
  for (const run_output *o = row->outputs; o->slot != NULL; ++o) {
    if (is_name_of(o->slot, "_out", name, length)) return o;
    if (o->also != NULL && strlen(o->also) == length && strncmp(o->also, name, length) == 0) return o;
  }
  return NULL;
}
