/* Cases of jig_top_k(): the largest keys, in no order. The peers are in cub_top_k.cu. */
#include "cases.h"
#include "digest.h"
#include "gpu.h"

/* ---- types and data */

/* For gpu_fill(), of r, which is random, and the item's index. */
#define KEYS(type, key) \
  "typedef " type " item; inline item make(uint64_t r, uint64_t i) { return " key "; }"

static const char random_u8[] = KEYS("unsigned char", "item(r >> 56)");
static const char random_u32[] = KEYS("unsigned", "item(r >> 32)");
static const char random_u64[] = KEYS("unsigned long long", "r");
/* Of any sign and size, without NaNs. */
static const char random_f32[] = KEYS("unsigned", "item(r >> 32) & 0xbfffffffu");
static const char random_f16[] = KEYS("unsigned short", "item(r >> 48) & 0xbfffu");
static const char four_u8[] = KEYS("unsigned char", "item((r >> 62) * 0x12u)");
static const char four_u32[] = KEYS("unsigned", "item((r >> 62) * 0x12345678u)");
static const char equal_u32[] = KEYS("unsigned", "0x12345678u");
static const char rising_u32[] = KEYS("unsigned", "item(i) + item(r >> 60)");

enum { SHARE = 16 };

typedef struct own {
  const char *keys;
  uint64_t k; /* 0: a sixteenth of the items */
  bool has_values;
} own;

static const own *own_of(const bench_case *c) {
  return c->own;
}

static uint64_t wanted(const bench_case *c, uint64_t n) {
  const uint64_t k = own_of(c)->k > 0 ? own_of(c)->k : n / SHARE;
  return k < n ? k : n;
}

/* Values are as the keys, so that it does not matter which of equal keys are taken. */
static void fill(const bench_case *c, const bench_data *data, uint64_t seed) {
  gpu_fill(data->in[0], data->n, own_of(c)->keys, seed);
  if (own_of(c)->has_values) gpu_fill(data->in[1], data->n, own_of(c)->keys, seed);
}

/* ---- the calls */

_Static_assert(sizeof(jig_top_k_args) <= BENCH_ARGS_SIZE, "data->args is too small");

static void arrange(const bench_case *c, const bench_data *data) {
  const jig_type key = jig_type_from_name(c->type);
  jig_top_k_args *args = data->args;
  *args = (jig_top_k_args){.keys_in = jig_pointer(data->in[0], key),
                           .keys_out = jig_pointer(data->out[0], key),
                           .num_items = data->n,
                           .k = wanted(c, data->n)};
  if (!own_of(c)->has_values) return;
  args->values_in = jig_pointer(data->in[1], JIG_U32);
  args->values_out = jig_pointer(data->out[1], JIG_U32);
}

static jig_status top_k(const bench_data *data, jig_engine *engine, void *temp, size_t *temp_bytes,
                        CUstream stream) {
  return jig_top_k(engine, temp, temp_bytes, data->args, stream);
}

static jig_status top_k_spec(const bench_data *data, char **text) {
  return jig_top_k_spec(data->args, text);
}

/* ---- results: the same items in any order */

/* Of the items that are wanted: where there are fewer than k of them, the rest of the array is not
 * written. */
static uint64_t digest(const bench_case *c, int output, const void *items, size_t bytes, size_t offset,
                       uint64_t n) {
  const size_t size = output == 1 ? 4 : jig_type_from_name(c->type).size;
  const uint64_t first = offset / size, k = wanted(c, n), rest = k > first ? k - first : 0;
  return digest_items(items, size, bytes / size < rest ? bytes / size : rest, 0);
}

static uint64_t moved_bytes(const bench_case *c, uint64_t n) {
  const size_t key = jig_type_from_name(c->type).size;
  return n * key + wanted(c, n) * (key + (own_of(c)->has_values ? 8 : 0));
}

/* ---- the table */

#define TOP_K_CASE(type_, size_, variant_, keys_, k_, values_)                                   \
  {                                                                                              \
    .algorithm = "top_k", .type = #type_, .variant = variant_, .fill = fill, .arrange = arrange, \
    .call = top_k, .spec = top_k_spec, .digest = digest, .bytes = moved_bytes,                   \
    .in = {{(size_), 0}, {(values_) ? 4 : 0, 0}},                                                \
    .out = {{(k_) > 0 ? 0 : (size_), (k_) * (size_), 0, 0, SHARE},                               \
            {(values_) && (k_) == 0 ? 4 : 0, (values_) ? (k_)*4 : 0, 0, 0, SHARE}},              \
    .own = &(const own) {                                                                        \
      .keys = keys_, .k = k_, .has_values = values_                                              \
    }                                                                                            \
  }
#define TOP_K_CASES(type, size, prefix, keys, values)             \
  TOP_K_CASE(type, size, prefix "_16", keys, 16, values),         \
      TOP_K_CASE(type, size, prefix "_256", keys, 256, values),   \
      TOP_K_CASE(type, size, prefix "_4096", keys, 4096, values), \
      TOP_K_CASE(type, size, prefix "_sixteenth", keys, 0, values)

static const bench_case cases[] = {
    TOP_K_CASES(u32, 4, "keys", random_u32, false),
    TOP_K_CASES(u64, 8, "keys", random_u64, false),
    TOP_K_CASES(f32, 4, "keys", random_f32, false),
    TOP_K_CASES(u32, 4, "pairs_u32", random_u32, true),
    TOP_K_CASE(f32, 4, "keys_100", random_f32, 100, false),
    TOP_K_CASE(f32, 4, "keys_1000", random_f32, 1000, false),
    TOP_K_CASE(u8, 1, "keys_256", random_u8, 256, false),
    TOP_K_CASE(u8, 1, "keys_256_four", four_u8, 256, false),
    TOP_K_CASE(f16, 2, "keys_256", random_f16, 256, false),
    TOP_K_CASE(u32, 4, "keys_256_four", four_u32, 256, false),
    TOP_K_CASE(u32, 4, "keys_256_equal", equal_u32, 256, false),
    TOP_K_CASE(u32, 4, "keys_256_rising", rising_u32, 256, false),
};

const bench_family bench_top_k = {cases, sizeof cases / sizeof cases[0]};
