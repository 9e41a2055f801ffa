/* Cases of jig_segmented_sort(). The peers are in cub_segmented_sort.cu: of "sort" DeviceSegmentedSort,
 * of "radix" DeviceSegmentedRadixSort. */
#include <stdlib.h>

#include "cases.h"
#include "gpu.h"
#include "lengths.h"

/* ---- data */

static const char random_u16[] =
    "typedef unsigned short item; inline item make(uint64_t r, uint64_t) { return item(r >> 48); }";
static const char random_u32[] =
    "typedef unsigned item; inline item make(uint64_t r, uint64_t) { return item(r >> 32); }";
static const char indices_u32[] =
    "typedef unsigned item; inline item make(uint64_t, uint64_t i) { return item(i); }";
static const char random_u64[] =
    "typedef unsigned long long item; inline item make(uint64_t r, uint64_t) { return r; }";

/* Each of `average` items has a random place at which one segment ends and the next begins; but the first
 * one begins at 0, and the last one has the rest. So lengths are 1 to 2 * average - 1. */
#define OFFSETS(average)                                            \
  "typedef unsigned item; inline item make(uint64_t r, uint64_t i)" \
  "{ return i == 0 ? 0 : item(i * " #average " - (r >> 16) % " #average "); }"

typedef struct own {
  const char *keys, *values; /* values: of the keys' type; NULL if there are none */
  const char *offsets;
  uint64_t average; /* 0: lengths are 1 to LONGEST, as many of 1 to 2 as of 1000 to 2000 */
  bool counts;      /* values are indices, which only the peer has an array of */
} own;

static const own *own_of(const bench_case *c) {
  return c->own;
}

enum { LONGEST = 65536 };

static uint64_t length_of(const void *unused, uint64_t count, uint64_t n, uint64_t *state) {
  (void)unused, (void)count, (void)n;
  return logarithmic_length(state, LONGEST);
}

static uint64_t segments_of(const bench_case *c, uint64_t n) {
  if (own_of(c)->average == 0) return cut_segments(length_of, NULL, n, NULL);
  const uint64_t whole = n / own_of(c)->average;
  return whole > 0 ? whole : 1;
}

static void write_cuts(uint32_t *offsets, uint64_t segments, uint64_t n) {
  uint32_t *borders = calloc(segments + 1, sizeof *borders);
  if (borders == NULL) die("out of memory");
  (void)cut_segments(length_of, NULL, n, borders + 1);
  gpu_write(offsets, borders, (segments + 1) * sizeof *borders);
  free(borders);
}

static void fill(const bench_case *c, const bench_data *data, uint64_t seed) {
  const own *o = own_of(c);
  const uint64_t segments = segments_of(c, data->n);
  const uint32_t end = (uint32_t)data->n;
  gpu_fill(data->in[0], data->n, o->keys, seed);
  if (o->values != NULL) gpu_fill(data->in[2], data->n, o->values, seed + 2);
  if (o->average == 0) {
    write_cuts(data->in[1], segments, data->n);
    return;
  }
  gpu_fill(data->in[1], segments, o->offsets, seed + 1);
  gpu_write((char *)data->in[1] + segments * sizeof end, &end, sizeof end);
}

static uint64_t moved_bytes(const bench_case *c, uint64_t n) {
  uint64_t items = 0;
  for (int i = 0; i < BENCH_ARRAYS; ++i) items += c->out[i].per_item;
  return 2 * n * items + segments_of(c, n) * 4;
}

/* ---- the calls */

_Static_assert(sizeof(jig_segmented_sort_args) <= BENCH_ARGS_SIZE, "data->args is too small");

static void arrange(const bench_case *c, const bench_data *data) {
  const own *o = own_of(c);
  const jig_type key = jig_type_from_name(c->type);
  uint32_t *offsets = data->in[1];
  jig_segmented_sort_args *args = data->args;
  *args = (jig_segmented_sort_args){.keys_in = jig_pointer(data->in[0], key),
                                    .keys_out = jig_pointer(data->out[0], key),
                                    .num_items = data->n,
                                    .begin_offsets = jig_pointer(offsets, JIG_U32),
                                    .end_offsets = jig_pointer(offsets + 1, JIG_U32),
                                    .num_segments = segments_of(c, data->n)};
  if (o->values == NULL) return;
  args->values_in = o->counts ? jig_counting(NULL, key) : jig_pointer(data->in[2], key);
  args->values_out = jig_pointer(data->out[1], key);
}

static jig_status sort(const bench_data *data, jig_engine *engine, void *temp, size_t *temp_bytes,
                       CUstream stream) {
  return jig_segmented_sort(engine, temp, temp_bytes, data->args, stream);
}

static jig_status sort_spec(const bench_data *data, char **text) {
  return jig_segmented_sort_spec(data->args, text);
}

/* ---- the table */

#define KEYS_CASE(type_, size_, name_, offsets_, average_)                                 \
  {                                                                                        \
    .algorithm = "segmented_sort", .type = #type_, .variant = "keys_" name_, .fill = fill, \
    .arrange = arrange, .call = sort, .spec = sort_spec, .in = {{size_, 0}, {1, 64}},      \
    .out = {{size_, 0}}, .bytes = moved_bytes, .cub_waits = true, .own = &(const own) {    \
      .keys = random_##type_, .offsets = offsets_, .average = average_                     \
    }                                                                                      \
  }
#define SORT_CASE(type_, size_, peer_, average_) \
  KEYS_CASE(type_, size_, peer_ "_" #average_, OFFSETS(average_), average_)
#define PAIR_CASE(type_, size_, peer_, average_)                                                       \
  {                                                                                                    \
    .algorithm = "segmented_sort", .type = #type_, .variant = "pairs_" #type_ "_" peer_ "_" #average_, \
    .fill = fill, .arrange = arrange, .call = sort, .spec = sort_spec,                                 \
    .in = {{size_, 0}, {1, 64}, {size_, 0}}, .out = {{size_, 0}, {size_, 0}}, .bytes = moved_bytes,    \
    .cub_waits = true, .own = &(const own) {                                                           \
      .keys = random_##type_, .values = random_##type_, .offsets = OFFSETS(average_),                  \
      .average = average_                                                                              \
    }                                                                                                  \
  }

#define ARGSORT_CASE(average_)                                                                      \
  {                                                                                                 \
    .algorithm = "segmented_sort", .type = "u32", .variant = "argsort_" #average_, .fill = fill,    \
    .arrange = arrange, .call = sort, .spec = sort_spec, .in = {{4, 0}, {1, 64}, {4, 0}},           \
    .out = {{4, 0}, {4, 0}}, .bytes = moved_bytes, .cub_waits = true, .own = &(const own) {         \
      .keys = random_u32, .values = indices_u32, .offsets = OFFSETS(average_), .average = average_, \
      .counts = true                                                                                \
    }                                                                                               \
  }

static const bench_case cases[] = {
    SORT_CASE(u32, 4, "sort", 8),
    SORT_CASE(u32, 4, "sort", 32),
    SORT_CASE(u32, 4, "sort", 100),
    SORT_CASE(u32, 4, "sort", 300),
    SORT_CASE(u32, 4, "sort", 1000),
    SORT_CASE(u32, 4, "sort", 5000),
    SORT_CASE(u32, 4, "sort", 20000),
    SORT_CASE(u32, 4, "sort", 100000),
    SORT_CASE(u32, 4, "sort", 10000000),
    KEYS_CASE(u32, 4, "sort_logarithmic", NULL, 0),
    SORT_CASE(u32, 4, "radix", 1000),
    SORT_CASE(u32, 4, "radix", 100000),
    SORT_CASE(u16, 2, "sort", 32),
    SORT_CASE(u16, 2, "sort", 1000),
    SORT_CASE(u64, 8, "sort", 32),
    SORT_CASE(u64, 8, "sort", 1000),
    SORT_CASE(u64, 8, "sort", 4096),
    SORT_CASE(u64, 8, "sort", 10000),
    SORT_CASE(u64, 8, "sort", 65536),
    SORT_CASE(u64, 8, "sort", 100000),
    PAIR_CASE(u32, 4, "sort", 32),
    PAIR_CASE(u32, 4, "sort", 1000),
    PAIR_CASE(u32, 4, "sort", 100000),
    PAIR_CASE(u32, 4, "radix", 1000),
    PAIR_CASE(u32, 4, "radix", 100000),
    PAIR_CASE(u64, 8, "sort", 4096),
    ARGSORT_CASE(32),
    ARGSORT_CASE(1000),
    ARGSORT_CASE(100000),
};

const bench_family bench_segmented_sort = {cases, sizeof cases / sizeof cases[0]};
