/* Cases of items of 24, 504 and 4096 bytes: selected, sorted beside keys, sorted by an order of their
 * own. The peers are in cub_wide_items.cu. n counts items. */
#include "cases.h"
#include "gpu.h"

typedef struct item_type {
  size_t size;
  const char *definition, *fill;
} item_type;

#define WIDE(words)                                          \
  {                                                          \
    4 * (words), "struct wide { unsigned x[" #words "]; };", \
        "struct item { unsigned x[" #words                   \
        "]; }; inline item make(uint64_t r, uint64_t) {"     \
        "  item it; for (int k = 0; k < " #words             \
        "; ++k) it.x[k] = unsigned(r >> 32) * (2u * k + 1);" \
        "  return it; }"                                     \
  }
static const item_type b24 = WIDE(6), b504 = WIDE(126), b4096 = WIDE(1024);

static const char random_u32[] =
    "typedef unsigned item; inline item make(uint64_t r, uint64_t) { return item(r >> 32); }";

static const item_type *items_of(const bench_case *c) {
  return c->own;
}

static jig_type type_of(const bench_case *c) {
  return jig_struct("wide", items_of(c)->definition, items_of(c)->size, 4);
}

static void fill_items(const bench_case *c, const bench_data *data, uint64_t seed) {
  gpu_fill(data->in[0], data->n, items_of(c)->fill, seed);
}

static void fill_pairs(const bench_case *c, const bench_data *data, uint64_t seed) {
  fill_items(c, data, seed);
  gpu_fill(data->in[1], data->n, random_u32, seed + 1);
}

/* ---- select: half of the items */

static void arrange_select(const bench_case *c, const bench_data *data) {
  const jig_type type = type_of(c);
  *(jig_select_args *)data->args =
      (jig_select_args){.in = jig_pointer(data->in[0], type),
                        .out = jig_pointer(data->out[0], type),
                        .num_selected_out = jig_pointer(data->out[1], JIG_I32),
                        .num_items = data->n,
                        .op = jig_op_source("return x.x[0] < 0x80000000u;")};
}

static jig_status call_select(const bench_data *data, jig_engine *engine, void *temp, size_t *temp_bytes,
                              CUstream stream) {
  return jig_select(engine, temp, temp_bytes, data->args, stream);
}

static jig_status select_spec(const bench_data *data, char **text) {
  return jig_select_spec(data->args, text);
}

/* The first word of all items, all of the half that is kept, twice. */
static uint64_t select_bytes(const bench_case *c, uint64_t n) {
  return n * items_of(c)->size + n * 2;
}

/* ---- radix sort of u32 keys with such values */

static void arrange_pairs(const bench_case *c, const bench_data *data) {
  const jig_type type = type_of(c);
  *(jig_radix_sort_args *)data->args =
      (jig_radix_sort_args){.keys_in = jig_pointer(data->in[1], JIG_U32),
                            .keys_out = jig_pointer(data->out[1], JIG_U32),
                            .values_in = jig_pointer(data->in[0], type),
                            .values_out = jig_pointer(data->out[0], type),
                            .num_items = data->n};
}

static jig_status call_pairs(const bench_data *data, jig_engine *engine, void *temp, size_t *temp_bytes,
                             CUstream stream) {
  return jig_radix_sort(engine, temp, temp_bytes, data->args, stream);
}

static jig_status pairs_spec(const bench_data *data, char **text) {
  return jig_radix_sort_spec(data->args, text);
}

/* ---- merge sort by the first word */

static void arrange_merge(const bench_case *c, const bench_data *data) {
  const jig_type type = type_of(c);
  *(jig_merge_sort_args *)data->args =
      (jig_merge_sort_args){.keys_in = jig_pointer(data->in[0], type),
                            .keys_out = jig_pointer(data->out[0], type),
                            .num_items = data->n,
                            .compare = jig_op_source("return a.x[0] < b.x[0];")};
}

static jig_status call_merge(const bench_data *data, jig_engine *engine, void *temp, size_t *temp_bytes,
                             CUstream stream) {
  return jig_merge_sort(engine, temp, temp_bytes, data->args, stream);
}

static jig_status merge_spec(const bench_data *data, char **text) {
  return jig_merge_sort_spec(data->args, text);
}

_Static_assert(sizeof(jig_select_args) <= BENCH_ARGS_SIZE, "data->args is too small");
_Static_assert(sizeof(jig_radix_sort_args) <= BENCH_ARGS_SIZE, "data->args is too small");
_Static_assert(sizeof(jig_merge_sort_args) <= BENCH_ARGS_SIZE, "data->args is too small");

/* ---- the table */

#define WIDE_CASES(items_, size)                                                            \
  {.algorithm = "wide_items",                                                               \
   .type = #items_,                                                                         \
   .variant = "select_50",                                                                  \
   .in = {{size, 0}},                                                                       \
   .out = {{.per_item = size, .counted_by = 2}, {0, 4}},                                    \
   .fill = fill_items,                                                                      \
   .arrange = arrange_select,                                                               \
   .call = call_select,                                                                     \
   .spec = select_spec,                                                                     \
   .bytes = select_bytes,                                                                   \
   .own = &items_},                                                                         \
      {.algorithm = "wide_items",                                                           \
       .type = #items_,                                                                     \
       .variant = "radix_sort_values",                                                      \
       .in = {{size, 0}, {4, 0}},                                                           \
       .out = {{size, 0}, {4, 0}},                                                          \
       .fill = fill_pairs,                                                                  \
       .arrange = arrange_pairs,                                                            \
       .call = call_pairs,                                                                  \
       .spec = pairs_spec,                                                                  \
       .own = &items_},                                                                     \
  {                                                                                         \
    .algorithm = "wide_items", .type = #items_, .variant = "merge_sort", .in = {{size, 0}}, \
    .out = {{size, 0}}, .fill = fill_items, .arrange = arrange_merge, .call = call_merge,   \
    .spec = merge_spec, .own = &items_                                                      \
  }

static const bench_case cases[] = {WIDE_CASES(b24, 24), WIDE_CASES(b504, 504), WIDE_CASES(b4096, 4096)};

const bench_family bench_wide_items = {cases, sizeof cases / sizeof cases[0]};
