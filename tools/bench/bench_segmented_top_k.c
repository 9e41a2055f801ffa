/* Cases of jig_segmented_top_k(): the largest keys of rows, or of segments of any lengths, in no order.
 * The peers of rows are in cub_segmented_top_k.cu. */
#include "cases.h"
#include "digest.h"
#include "gpu.h"

/* ---- types and data */

/* For gpu_fill(), of r, which is random, and the item's index. */
#define KEYS(type, key) \
  "typedef " type " item; inline item make(uint64_t r, uint64_t i) { return " key "; }"

static const char random_u32[] = KEYS("unsigned", "item(r >> 32)");
static const char random_u64[] = KEYS("unsigned long long", "r");
/* Of any sign and size, without NaNs. */
static const char random_f32[] = KEYS("unsigned", "item(r >> 32) & 0xbfffffffu");
static const char equal_f32[] = KEYS("unsigned", "0x3f800000u");
static const char rising_f32[] = KEYS("unsigned", "0x3f800000u + item(i) % 16384 * 64 + item(r >> 58)");

/* Each of `average` items has a random place at which one segment ends and the next begins; but the first
 * one begins at 0, and the last one has the rest. So lengths are 1 to 2 * average - 1. */
#define OFFSETS(average)                                            \
  "typedef unsigned item; inline item make(uint64_t r, uint64_t i)" \
  "{ return i == 0 ? 0 : item(i * " #average " - (r >> 16) % " #average "); }"

typedef struct own {
  const char *keys, *offsets; /* offsets: NULL: rows */
  uint64_t size;              /* of a row; of a segment on average */
  uint64_t share;             /* of a row, which is wanted */
  bool has_values, is_sorted;
} own;

static const own *own_of(const bench_case *c) {
  return c->own;
}

static uint64_t segments_of(const bench_case *c, uint64_t n) {
  const uint64_t whole = n / own_of(c)->size;
  return whole > 0 ? whole : 1;
}

static uint64_t size_of_row(const bench_case *c, uint64_t n) {
  return n < own_of(c)->size ? n : own_of(c)->size;
}

static uint64_t wanted(const bench_case *c, uint64_t n) {
  return size_of_row(c, n) / own_of(c)->share;
}

/* Values are as the keys, so that it does not matter which of equal keys are taken. */
static void fill(const bench_case *c, const bench_data *data, uint64_t seed) {
  const own *o = own_of(c);
  gpu_fill(data->in[0], data->n, o->keys, seed);
  if (o->has_values) gpu_fill(data->in[2], data->n, o->keys, seed);
  if (o->offsets == NULL) return;
  const uint64_t segments = segments_of(c, data->n);
  const uint32_t end = (uint32_t)data->n;
  gpu_fill(data->in[1], segments, o->offsets, seed + 1);
  gpu_write((char *)data->in[1] + segments * sizeof end, &end, sizeof end);
}

/* ---- the calls */

_Static_assert(sizeof(jig_segmented_top_k_args) <= BENCH_ARGS_SIZE, "data->args is too small");

static void arrange(const bench_case *c, const bench_data *data) {
  const own *o = own_of(c);
  const jig_type key = jig_type_from_name(c->type);
  uint32_t *offsets = data->in[1];
  jig_segmented_top_k_args *args = data->args;
  *args = (jig_segmented_top_k_args){.keys_in = jig_pointer(data->in[0], key),
                                     .keys_out = jig_pointer(data->out[0], key),
                                     .num_items = data->n,
                                     .num_segments = segments_of(c, data->n),
                                     .k = wanted(c, data->n),
                                     .is_sorted = o->is_sorted};
  if (o->offsets == NULL) args->segment_size = size_of_row(c, data->n);
  if (o->offsets != NULL) args->begin_offsets = jig_pointer(offsets, JIG_U32);
  if (o->offsets != NULL) args->end_offsets = jig_pointer(offsets + 1, JIG_U32);
  if (!o->has_values) return;
  args->values_in = jig_pointer(data->in[2], JIG_U32);
  args->values_out = jig_pointer(data->out[1], JIG_U32);
}

static jig_status top_k(const bench_data *data, jig_engine *engine, void *temp, size_t *temp_bytes,
                        CUstream stream) {
  return jig_segmented_top_k(engine, temp, temp_bytes, data->args, stream);
}

static jig_status top_k_spec(const bench_data *data, char **text) {
  return jig_segmented_top_k_spec(data->args, text);
}

/* ---- results: the same items of every row in any order */

/* A piece of a large output may begin and end in the middle of a row. */
static uint64_t digest(const bench_case *c, int output, const void *items, size_t bytes, size_t offset,
                       uint64_t n) {
  const size_t size = output == 1 ? 4 : jig_type_from_name(c->type).size;
  const uint64_t k = wanted(c, n), all = segments_of(c, n) * k;
  const uint64_t first = offset / size, past = first + bytes / size < all ? first + bytes / size : all;
  uint64_t sum = 0;
  for (uint64_t i = first, end; i < past; i = end) {
    end = (i / k + 1) * k < past ? (i / k + 1) * k : past;
    sum += digest_items((const char *)items + (i - first) * size, size, end - i, i / k);
  }
  return sum;
}

static uint64_t moved_bytes(const bench_case *c, uint64_t n) {
  const own *o = own_of(c);
  const uint64_t key = jig_type_from_name(c->type).size, results = segments_of(c, n) * wanted(c, n);
  return n * key + results * (key + (o->has_values ? 8 : 0)) +
         (o->offsets != NULL ? 4 * segments_of(c, n) : 0);
}

/* ---- the table */

#define CASE(type_, size_, variant_, share_, offset_, value_, ...)                                 \
  {                                                                                                \
    .algorithm = "segmented_top_k", .type = #type_, .variant = variant_, .fill = fill,             \
    .arrange = arrange, .call = top_k, .spec = top_k_spec, .digest = digest, .bytes = moved_bytes, \
    .own = &(const own){.share = share_, __VA_ARGS__},                                             \
    .in = {{(size_), 0}, {(offset_), (offset_)*64}, {(value_), 0}}, .out = {                       \
      {(size_), 0, 0, 0, share_},                                                                  \
      {(value_), 0, 0, 0, share_}                                                                  \
    }                                                                                              \
  }
#define ROWS(type, bytes, row_, share) \
  CASE(type, bytes, "rows_" #row_ "_" #share, share, 0, 0, .keys = random_##type, .size = row_)
#define SPECIAL_ROWS(name, keys_) \
  CASE(f32, 4, "rows_16384_64_" name, 64, 0, 0, .keys = keys_, .size = 16384)
#define SEGMENTS(type, bytes, average_, share)                                            \
  CASE(type, bytes, "segments_" #average_ "_" #share, share, 1, 0, .keys = random_##type, \
       .offsets = OFFSETS(average_), .size = average_)

/* The share of a row of 2^14 that is wanted: 64, 256 and 1024 items. */
static const bench_case cases[] = {
    ROWS(f32, 4, 16384, 256),
    ROWS(f32, 4, 16384, 64),
    ROWS(f32, 4, 16384, 16),
    ROWS(f32, 4, 64, 8),
    ROWS(f32, 4, 1024, 64),
    ROWS(f32, 4, 4096, 64),
    ROWS(f32, 4, 131072, 256),
    ROWS(u32, 4, 16384, 64),
    ROWS(u64, 8, 16384, 64),
    SPECIAL_ROWS("equal", equal_f32),
    SPECIAL_ROWS("rising", rising_f32),
    CASE(f32, 4, "rows_16384_64_sorted", 64, 0, 0, .keys = random_f32, .size = 16384, .is_sorted = true),
    CASE(f32, 4, "rows_16384_64_pairs", 64, 0, 4, .keys = random_f32, .size = 16384, .has_values = true),
    SEGMENTS(f32, 4, 32, 8),
    SEGMENTS(f32, 4, 300, 16),
    SEGMENTS(f32, 4, 5000, 64),
    SEGMENTS(f32, 4, 100000, 256),
    SEGMENTS(f32, 4, 10000000, 10000),
};

const bench_family bench_segmented_top_k = {cases, sizeof cases / sizeof cases[0]};
