#include "run_rows.h"

#include <string.h>

#define CALL(name)                                                                                    \
  static jig_status call_##name(jig_engine *engine, void *temp, size_t *temp_bytes, const void *args, \
                                CUstream stream) {                                                    \
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

#define IN_KEY_ORDER "the values, in the order of their keys"
#define FOLDED_IN_CHUNKS                                                                             \
  "Each chunk is folded with what those before it made, in order, and the init once. Sums of "       \
  "floating-point numbers are the same every time, but they depend on the chunks: what determinism " \
  "promises holds within a chunk."
#define SORTED_IN_CHUNKS                                                                         \
  "Chunks are sorted into runs in temporary files in $TMPDIR, otherwise /tmp, and the runs are " \
  "merged: the result is the same, equal keys in the order of the input."
#define ROW(name_) .name = #name_, .call = call_##name_
#define ITEMS(slot) \
  { slot, NULL, "num_items" }
#define SEGMENTS(slot) \
  { slot, NULL, "num_segments" }
#define RANGES(slot) \
  { slot, NULL, "num_ranges" }
#define FIRST(slot) \
  { slot, NULL, "first_num_items" }
#define SECOND(slot) \
  { slot, NULL, "second_num_items" }
#define OUT(slot_, extent_) \
  { .slot = (slot_), .extent = (extent_) }
/* As many as item 0 of another output says. */
#define COUNTED(slot_, extent_, counted_) \
  { .slot = (slot_), .extent = (extent_), .counted = (counted_) }

static const run_row rows[] = {
    {ROW(reduce), .chunks = FOLDED_IN_CHUNKS, .summary = "Folds all items into one.",
     .spec = "--type f32 --op max", .inputs = {ITEMS("in"), {"init_in", NULL, NULL}},
     .outputs = {OUT("out", EXTENT_ONE)}, .example = "reduce --op max prices.npy"},
    {ROW(arg_reduce), .summary = "Finds the smallest or largest item and its index.",
     .spec = "--type f32 --op max", .inputs = {ITEMS("in")},
     .outputs = {OUT("value_out", EXTENT_ONE), OUT("index_out", EXTENT_ONE)},
     .example = "arg_reduce --op max prices.npy"},
    {ROW(scan), .chunks = FOLDED_IN_CHUNKS,
     .summary = "Replaces every item by the fold of all up to it, or of all before it.",
     .spec = "--type u64 --exclusive", .inputs = {ITEMS("in"), {"init", NULL, NULL}},
     .outputs = {OUT("out", EXTENT_ITEMS)}, .example = "scan --exclusive sizes.npy --out offsets.npy"},
    {ROW(scan_by_key), .summary = "Scans every run of equal neighbouring keys by itself.",
     .spec = "--type f32 --key-type i32",
     .inputs = {ITEMS("keys_in"), ITEMS("values_in"), {"init", NULL, NULL}},
     .outputs = {OUT("values_out", EXTENT_ITEMS)},
     .example = "scan_by_key --keys days.npy --values rain.npy --out sums.npy"},
    {ROW(segmented_scan), .summary = "Scans every segment of the items by itself.", .spec = "--type f32",
     .inputs = {{"in", NULL, NULL},
                SEGMENTS("begin_offsets"),
                SEGMENTS("end_offsets"),
                SEGMENTS("out_offsets"),
                {"init", NULL, NULL}},
     .outputs = {{.slot = "out", .extent = EXTENT_INPUT, .in_part = true}},
     .example = "segmented_scan values.npy --offsets rows.npy --out sums.npy"},
    {ROW(reduce_by_key), .summary = "Folds the items of every run of equal neighbouring keys into one.",
     .spec = "--type f32 --key-type i32", .inputs = {ITEMS("keys_in"), ITEMS("values_in")},
     .outputs = {{"unique_out", "keys", NULL, EXTENT_ITEMS, "num_runs_out", 0, false, NULL},
                 COUNTED("aggregates_out", EXTENT_ITEMS, "num_runs_out"),
                 OUT("num_runs_out", EXTENT_ONE)},
     .example =
         "reduce_by_key --keys days.npy --values rain.npy --out keys=d.npy --out aggregates=sums.npy"},
    {ROW(run_length_encode),
     .summary = "Finds the first item and the length of every run of equal neighbours.",
     .spec = "--type i32", .inputs = {ITEMS("in")},
     .outputs = {{"unique_out", "keys", NULL, EXTENT_ITEMS, "num_runs_out", 0, false, NULL},
                 {"lengths_out", "counts", NULL, EXTENT_ITEMS, "num_runs_out", 0, false, NULL},
                 OUT("num_runs_out", EXTENT_ONE)},
     .example = "run_length_encode k.npy --out keys=a.npy --out counts=c.npy"},
    {ROW(non_trivial_runs),
     .summary = "Finds where runs of two and more equal neighbours begin, and how long they are.",
     .spec = "--type i32", .inputs = {ITEMS("in")},
     .outputs = {COUNTED("offsets_out", EXTENT_ITEMS, "num_runs_out"),
                 COUNTED("lengths_out", EXTENT_ITEMS, "num_runs_out"), OUT("num_runs_out", EXTENT_ONE)},
     .example = "non_trivial_runs k.npy --out offsets=o.npy --out lengths=l.npy"},
    {ROW(select), .chunks = "What is kept of each chunk goes behind what was kept before.",
     .summary = "Keeps the items that pass a test, or whose flags do.",
     .spec = "--type f32 --op-source 'return x > 0;'", .inputs = {ITEMS("in"), ITEMS("flags")},
     .outputs = {COUNTED("out", EXTENT_ITEMS, "num_selected_out"),
                 {.slot = "num_selected_out", .also = "count", .extent = EXTENT_ONE}},
     .example = "select --op-source 'return x > 0;' a.npy --out positive.npy"},
    {ROW(unique), .summary = "Keeps the first item of every run of equal neighbours.",
     .spec = "--type i32", .inputs = {ITEMS("in"), ITEMS("values_in")},
     .outputs = {{"out", "keys", NULL, EXTENT_ITEMS, "num_selected_out", 0, false, NULL},
                 COUNTED("values_out", EXTENT_ITEMS, "num_selected_out"),
                 {.slot = "num_selected_out", .also = "count", .extent = EXTENT_ONE}},
     .example = "unique sorted.npy --out distinct.npy"},
    {ROW(partition),
     .summary = "Puts the items that pass a test, or whose flags do, in front of the others.",
     .spec = "--type f32 --op-source 'return x > 0;'", .inputs = {ITEMS("in"), ITEMS("flags")},
     .outputs = {COUNTED("out", EXTENT_ITEMS, "num_selected_out"),
                 {"unselected_out", NULL, NULL, EXTENT_ITEMS, "num_selected_out", WHICH_REST, false,
                  NULL},
                 {.slot = "num_selected_out", .also = "count", .extent = EXTENT_ONE}},
     .example = "partition --op-source 'return x > 0;' a.npy --out out=p.npy --out unselected=rest.npy"},
    {ROW(three_way_partition),
     .summary = "Puts the items of two classes, and the others, into three outputs.",
     .spec = "--type f32 --op-source 'return x < 0;' --second-op-source 'return x > 9;'",
     .inputs = {ITEMS("in")},
     .outputs = {COUNTED("first_out", EXTENT_ITEMS, "num_selected_out"),
                 {"second_out", NULL, NULL, EXTENT_ITEMS, "num_selected_out", 1, false, NULL},
                 {"unselected_out", NULL, NULL, EXTENT_ITEMS, "num_selected_out", WHICH_REST, false,
                  NULL},
                 {.slot = "num_selected_out", .also = "counts", .extent = EXTENT_TWO}},
     .example =
         "three_way_partition --op-source 'return x < 0;' --second-op-source 'return x > 9;' a.npy"},
    {ROW(radix_sort), .chunks = SORTED_IN_CHUNKS,
     .summary = "Sorts keys, with or without values, by their bits; stable.",
     .spec = "--type f32 --values u32",
     .inputs = {{"keys_in", "key", "num_items"}, {"values_in", "value", "num_items"}},
     .outputs = {{.slot = "keys_out", .type = "key", .extent = EXTENT_ITEMS, .help = "the keys in order"},
                 {.slot = "values_out", .type = "value", .extent = EXTENT_ITEMS, .help = IN_KEY_ORDER}},
     .example = "radix_sort --descending a.npy --out sorted.npy"},
    {ROW(segmented_sort), .summary = "Sorts every segment of the keys by itself; stable.",
     .spec = "--type f32",
     .inputs = {{"keys_in", "key", "num_items"},
                {"values_in", "value", "num_items"},
                SEGMENTS("begin_offsets"),
                SEGMENTS("end_offsets")},
     .outputs = {{.slot = "keys_out",
                  .type = "key",
                  .extent = EXTENT_ITEMS,
                  .in_part = true,
                  .help = "the keys of every segment in order"},
                 {.slot = "values_out",
                  .type = "value",
                  .extent = EXTENT_ITEMS,
                  .in_part = true,
                  .help = IN_KEY_ORDER}},
     .example = "segmented_sort a.npy --offsets rows.npy --out sorted.npy"},
    {ROW(merge_sort), .chunks = SORTED_IN_CHUNKS,
     .summary = "Sorts keys, with or without values, by any order; stable.",
     .spec = "--type f32 --op greater", .inputs = {ITEMS("keys_in"), ITEMS("values_in")},
     .outputs = {OUT("keys_out", EXTENT_ITEMS), OUT("values_out", EXTENT_ITEMS)},
     .example = "merge_sort --op-source 'return a.d < b.d;' hits.npy --out sorted.npy"},
    {ROW(merge), .summary = "Makes one output in order of two inputs that are in order.",
     .spec = "--type f32",
     .inputs = {FIRST("first_keys_in"), SECOND("second_keys_in"), FIRST("first_values_in"),
                SECOND("second_values_in")},
     .outputs = {OUT("keys_out", EXTENT_BOTH), OUT("values_out", EXTENT_BOTH)},
     .example = "merge a.npy b.npy --out both.npy"},
    {ROW(top_k), .summary = "Finds the k largest or smallest keys.",
     .spec = "--type f32 --values u32 --sorted", .inputs = {ITEMS("keys_in"), ITEMS("values_in")},
     .outputs = {OUT("keys_out", EXTENT_K), OUT("values_out", EXTENT_K)},
     .example = "top_k --k 10 --sorted a.npy"},
    {ROW(segmented_top_k), .summary = "Finds the k largest or smallest keys of every segment.",
     .spec = "--type f32",
     .inputs = {ITEMS("keys_in"), ITEMS("values_in"), SEGMENTS("begin_offsets"), SEGMENTS("end_offsets")},
     .outputs = {{.slot = "keys_out", .extent = EXTENT_SEGMENTS_K, .in_part = true},
                 {.slot = "values_out", .extent = EXTENT_SEGMENTS_K, .in_part = true}},
     .example = "segmented_top_k --k 3 --segment-size 100 --sorted matrix.npy"},
    {ROW(nth_element), .summary = "Finds the item that would be at some place if all were sorted.",
     .spec = "--type f32 nth_out=f32", .inputs = {ITEMS("in"), ITEMS("values_in")},
     .outputs = {OUT("nth_out", EXTENT_ONE), OUT("out", EXTENT_ITEMS), OUT("values_out", EXTENT_ITEMS)},
     .example = "nth_element --nth 500 a.npy"},
    {ROW(copy), .summary = "Copies and converts items from any iterator.",
     .spec = "--type f32 --out-type f64", .inputs = {ITEMS("in")}, .outputs = {OUT("out", EXTENT_ITEMS)},
     .example = "copy in='permutation(@values.npy, @indices.npy)' --out gathered.npy"},
    {ROW(adjacent_difference), .summary = "Takes the difference of every item and its neighbour.",
     .spec = "--type f32", .inputs = {ITEMS("in")}, .outputs = {OUT("out", EXTENT_ITEMS)},
     .example = "adjacent_difference a.npy --out differences.npy"},
    {ROW(memcpy_batched), .summary = "Copies many buffers at once.", .spec = "",
     .outputs = {{.slot = "out", .extent = EXTENT_BUFFERS, .help = "all of them"}}, .takes_buffers = true,
     .example = "memcpy_batched a.bin b.bin c.bin --out all.bin"},
    {ROW(copy_batched), .summary = "Copies many ranges of items at once.", .spec = "--type f32",
     .inputs = {{"in", NULL, NULL}, RANGES("in_offsets"), RANGES("out_offsets"), RANGES("sizes")},
     .outputs = {{.slot = "out", .extent = EXTENT_RANGES, .in_part = true}},
     .example = "copy_batched a.npy from.npy to.npy sizes.npy --out b.npy"},
    {ROW(transform), .summary = "Stores what a function makes of items.",
     .spec = "--type f32 --transform 'return x * x;'", .inputs = {ITEMS("in"), ITEMS("stencil")},
     .outputs = {{.slot = "out", .extent = EXTENT_ITEMS, .in_part = true}},
     .example = "transform --transform 'return x * x;' a.npy --out squares.npy"},
    {ROW(for_each), .summary = "Calls a function for every item, which may change it.",
     .spec = "--type f32 --op-source 'x *= 2;'", .inputs = {ITEMS("in")},
     .outputs = {{.slot = "in", .extent = EXTENT_ITEMS, .help = "the items, as they are then"}},
     .example = "for_each --op-source 'x *= 2;' a.npy --out b.npy"},
    {ROW(bulk), .summary = "Calls a function for every index.", .spec = "--op-source '(void)i;'",
     .outputs = {{.slot = "out",
                  .extent = EXTENT_ITEMS,
                  .in_part = true,
                  .help = "items of --type; operators know them as state.out[...]"}},
     .has_array = true, .example = "bulk --count 10 --type f32 --op-source 'state.out[i] = i * 0.5f;'"},
    {ROW(histogram), .chunks = "The counts of chunks are added up.",
     .summary = "Counts how many samples are in each of many bins.", .spec = "--type u8 level=i32",
     .inputs = {{"samples", NULL, "num_row_pixels"}},
     .outputs = {{.slot = "counts",
                  .type = "counter",
                  .extent = EXTENT_BINS,
                  .help = "a count for each bin of each channel"}},
     .example = "histogram --bins 256 --lower 0 --upper 256 image.npy"},
    {ROW(segmented_reduce), .summary = "Folds all items of every segment into one.", .spec = "--type f32",
     .inputs = {{"in", NULL, NULL},
                SEGMENTS("begin_offsets"),
                SEGMENTS("end_offsets"),
                {"init_in", NULL, NULL}},
     .outputs = {OUT("out", EXTENT_SEGMENTS)},
     .example = "segmented_reduce values.npy --offsets rows.npy --out sums.npy"},
    {ROW(segmented_arg_reduce),
     .summary = "Finds the smallest or largest item of every segment and its index there.",
     .spec = "--type f32 --op max",
     .inputs = {{"in", NULL, NULL}, SEGMENTS("begin_offsets"), SEGMENTS("end_offsets")},
     .outputs = {OUT("value_out", EXTENT_SEGMENTS), OUT("index_out", EXTENT_SEGMENTS)},
     .example = "segmented_arg_reduce --op max --segment-size 100 matrix.npy"},
    {ROW(find_if), .summary = "Finds the first item that passes a test, or whether any or all do.",
     .spec = "--type f32 --op-source 'return x > 100;'", .inputs = {ITEMS("in")},
     .outputs = {OUT("out", EXTENT_ONE)}, .example = "find_if --op-source 'return x > 100;' a.npy"},
    {ROW(binary_search), .summary = "Finds the places of needles among items that are in order.",
     .spec = "--type f32", .inputs = {ITEMS("in"), {"needles_in", NULL, "num_needles"}},
     .outputs = {OUT("out", EXTENT_NEEDLES), OUT("upper_out", EXTENT_NEEDLES)},
     .example = "binary_search sorted.npy --needles n.npy --out places.npy"},
    {ROW(min_max),
     .summary = "Finds the smallest and the largest item at once, with or without their indices.",
     .spec = "--type f32", .inputs = {ITEMS("in")},
     .outputs = {OUT("min_out", EXTENT_ONE), OUT("max_out", EXTENT_ONE), OUT("min_index_out", EXTENT_ONE),
                 OUT("max_index_out", EXTENT_ONE)},
     .example = "min_max a.npy"},
    {ROW(set_operation),
     .summary = "Makes the union, intersection or difference of two inputs that are in order.",
     .spec = "mode=intersection --type i32",
     .inputs = {FIRST("first_keys_in"), SECOND("second_keys_in"), FIRST("first_values_in"),
                SECOND("second_values_in")},
     .outputs = {COUNTED("keys_out", EXTENT_BOTH, "num_items_out"),
                 COUNTED("values_out", EXTENT_BOTH, "num_items_out"),
                 {.slot = "num_items_out", .also = "count", .extent = EXTENT_ONE}},
     .example = "set_operation mode=intersection a.npy b.npy --out both.npy"},
    {ROW(is_sorted), .summary = "Finds whether items are in order, or up to where.", .spec = "--type f32",
     .inputs = {ITEMS("in")}, .outputs = {OUT("out", EXTENT_ONE)}, .example = "is_sorted a.npy"},
    {ROW(reverse), .summary = "Stores items from the last to the first.", .spec = "--type f32",
     .inputs = {ITEMS("in")}, .outputs = {OUT("out", EXTENT_ITEMS)},
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
