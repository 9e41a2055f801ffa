/* Cases of jig_radix_sort(). The peers are in cub_radix_sort.cu. */
#include "cases.h"
#include "gpu.h"

/* ---- types and data */

/* For gpu_fill(), of r, which is random, and the item's index. */
#define KEYS(type, key) \
  "typedef " type " item; inline item make(uint64_t r, uint64_t i) { return " key "; }"

static const char random_u8[] = KEYS("unsigned char", "item(r >> 56)");
static const char random_u16[] = KEYS("unsigned short", "item(r >> 48)");
static const char random_u32[] = KEYS("unsigned", "item(r >> 32)");
static const char random_u64[] = KEYS("unsigned long long", "r");
static const char random_u128[] = KEYS("unsigned __int128", "item(r) << 64 | r * 0x9e3779b97f4a7c15u");
/* Of any sign and size, without NaNs. */
static const char random_f32[] = KEYS("unsigned", "item(r >> 32) & 0xbfffffffu");
static const char random_f64[] = KEYS("unsigned long long", "r & 0xbfffffffffffffffu");
/* Less and less entropy. */
static const char and_u32[] = KEYS("unsigned", "item(r >> 32) & item(r >> 16) & item(r)");
static const char four_u32[] = KEYS("unsigned", "item((r >> 62) * 0x12345678u)");
static const char mostly_u32[] = KEYS("unsigned", "(r & 255) < 154 ? 0x12345678u : item(r >> 32)");
static const char equal_u32[] = KEYS("unsigned", "0x12345678u");
static const char rising_u32[] = KEYS("unsigned", "item(i) + item(r >> 60)");
static const char indices_u32[] = KEYS("unsigned", "item(i)");
static const char small_u32[] = KEYS("unsigned", "item(r >> 48)");

static const char and_u64[] =
    KEYS("unsigned long long", "r & r * 0x9e3779b97f4a7c15u & (r ^ r >> 29) * 0xbf58476d1ce4e5b9u");
static const char four_u64[] = KEYS("unsigned long long", "(r >> 62) * 0x123456789abcdefu");
static const char mostly_u64[] =
    KEYS("unsigned long long", "(r & 255) < 154 ? 0x123456789abcdefu : r * 0x9e3779b97f4a7c15u");
static const char equal_u64[] = KEYS("unsigned long long", "0x123456789abcdefu");
static const char rising_u64[] = KEYS("unsigned long long", "(i << 32) + (r >> 28)");
static const char small_u64[] = KEYS("unsigned long long", "r % 1000000000000u");
/* 2^20 different ones, which differ in all bits. */
static const char hashed_u64[] = KEYS("unsigned long long", "(r >> 44) * 0x9e3779b97f4a7c15u");
/* Of 2^24 numbers the k-th is about 1/k as frequent as the first. */
static const char zipf_u64[] =
    KEYS("unsigned long long", "(unsigned long long)exp2(24 * double(r >> 11) / 9007199254740992.0)");
static const char unit_f64[] =
    KEYS("unsigned long long", "__double_as_longlong(double(r >> 11) / 9007199254740992.0)");

/* Structs, by fields of 64 bits, and of 192. */
#define ROW(name, rest) "struct " name " { unsigned high, low, rest[" rest "]; };"
#define ROW24 "struct row24 { unsigned long long a, b, c; };"
#define RANDOM_ROW(name, rest)                                                 \
  ROW(name, rest)                                                              \
  "typedef " name                                                              \
  " item; inline item make(uint64_t r, uint64_t i) { item x; "                 \
  "x.high = unsigned(r >> 32), x.low = unsigned(r); for (int k = 0; k < " rest \
  "; ++k) "                                                                    \
  "x.rest[k] = unsigned(i) + k; return x; }"
static const char random_row64[] = RANDOM_ROW("row64", "14");
static const char random_row100[] = RANDOM_ROW("row100", "23");
static const char random_row24[] = ROW24
    "typedef row24 item; inline item make(uint64_t r, uint64_t i) "
    "{ return {r, r * 0x9e3779b97f4a7c15u, i}; }";

/* Numbers of 8192 tiles, and depths in these. */
static const char tiles_u64[] =
    KEYS("unsigned long long", "r >> 51 << 32 | __float_as_uint(0.2f + 5 * (1 + unit(r << 20)))");
static const char random_b12[] =
    "struct item { unsigned x[3]; }; inline item make(uint64_t r, uint64_t i) {"
    "  return {{unsigned(r), unsigned(r >> 32), unsigned(i)}}; }";

typedef struct own {
  const char *keys;
  const char *values; /* NULL: there are none */
  const char *value;  /* their type */
  int end_bit;
  bool counts;                         /* values are indices, which only the peer has an array of */
  const char *definition, *decomposer; /* of keys that are structs, and are called what the type is */
  size_t align;
} own;

static const own *own_of(const bench_case *c) {
  return c->own;
}

static void fill(const bench_case *c, const bench_data *data, uint64_t seed) {
  const own *o = own_of(c);
  gpu_fill(data->in[0], data->n, o->keys, seed);
  if (o->values != NULL) gpu_fill(data->in[1], data->n, o->values, seed + 1);
}

/* ---- the calls */

_Static_assert(sizeof(jig_radix_sort_args) <= BENCH_ARGS_SIZE, "data->args is too small");

static void arrange(const bench_case *c, const bench_data *data) {
  const own *o = own_of(c);
  const jig_type key = o->definition != NULL ? jig_struct(c->type, o->definition,
                                                          (uint32_t)c->in[0].per_item, (uint32_t)o->align)
                                             : jig_type_from_name(c->type);
  jig_radix_sort_args *args = data->args;
  *args = (jig_radix_sort_args){.keys_in = jig_pointer(data->in[0], key),
                                .keys_out = jig_pointer(data->out[0], key),
                                .num_items = data->n,
                                .end_bit = o->end_bit,
                                .decomposer = o->decomposer};
  if (o->values == NULL) return;
  const jig_type value = o->value[1] == '1' && o->value[0] == 'b'
                             ? jig_struct("b12", "struct b12 { unsigned x[3]; };", 12, 4)
                             : jig_type_from_name(o->value);
  args->values_in = o->counts ? jig_counting(NULL, value) : jig_pointer(data->in[1], value);
  args->values_out = jig_pointer(data->out[1], value);
}

static jig_status sort(const bench_data *data, jig_engine *engine, void *temp, size_t *temp_bytes,
                       CUstream stream) {
  return jig_radix_sort(engine, temp, temp_bytes, data->args, stream);
}

static jig_status sort_spec(const bench_data *data, char **text) {
  return jig_radix_sort_spec(data->args, text);
}

/* ---- the table */

#define SORT_CASE(type_, size_, variant_, keys_, end_bit_)                                            \
  {                                                                                                   \
    .algorithm = "radix_sort", .type = #type_, .variant = variant_, .fill = fill, .arrange = arrange, \
    .call = sort, .spec = sort_spec, .in = {{size_, 0}}, .out = {{size_, 0}}, .own = &(const own) {   \
      .keys = keys_, .end_bit = end_bit_                                                              \
    }                                                                                                 \
  }
#define PAIR_CASE(type_, size_, value_, value_size_, variant_, keys_, values_)                        \
  {                                                                                                   \
    .algorithm = "radix_sort", .type = #type_, .variant = variant_, .fill = fill, .arrange = arrange, \
    .call = sort, .spec = sort_spec, .in = {{size_, 0}, {value_size_, 0}},                            \
    .out = {{size_, 0}, {value_size_, 0}}, .own = &(const own) {                                      \
      .keys = keys_, .values = values_, .value = value_                                               \
    }                                                                                                 \
  }

#define ARGSORT_CASE(type_, size_, keys_)                                                              \
  {                                                                                                    \
    .algorithm = "radix_sort", .type = #type_, .variant = "argsort", .fill = fill, .arrange = arrange, \
    .call = sort, .spec = sort_spec, .in = {{size_, 0}, {4, 0}}, .out = {{size_, 0}, {4, 0}},          \
    .own = &(const own) {                                                                              \
      .keys = keys_, .values = indices_u32, .value = "u32", .counts = true                             \
    }                                                                                                  \
  }

#define STRUCT_CASE(type_, size_, align_, keys_, definition_, decomposer_)                          \
  {                                                                                                 \
    .algorithm = "radix_sort", .type = #type_, .variant = "keys", .fill = fill, .arrange = arrange, \
    .call = sort, .spec = sort_spec, .in = {{size_, 0}}, .out = {{size_, 0}}, .own = &(const own) { \
      .keys = keys_, .definition = definition_, .align = align_, .decomposer = decomposer_          \
    }                                                                                               \
  }

static const bench_case cases[] = {
    SORT_CASE(u8, 1, "keys", random_u8, 0),
    SORT_CASE(u16, 2, "keys", random_u16, 0),
    SORT_CASE(u32, 4, "keys", random_u32, 0),
    SORT_CASE(u64, 8, "keys", random_u64, 0),
    SORT_CASE(u128, 16, "keys", random_u128, 0),
    SORT_CASE(f32, 4, "keys", random_f32, 0),
    SORT_CASE(f64, 8, "keys", random_f64, 0),
    SORT_CASE(u32, 4, "keys_and", and_u32, 0),
    SORT_CASE(u32, 4, "keys_four", four_u32, 0),
    SORT_CASE(u32, 4, "keys_mostly_one", mostly_u32, 0),
    SORT_CASE(u32, 4, "keys_equal", equal_u32, 0),
    SORT_CASE(u32, 4, "keys_rising", rising_u32, 0),
    SORT_CASE(u32, 4, "keys_small", small_u32, 0),
    SORT_CASE(u32, 4, "keys_bits_16", random_u32, 16),
    SORT_CASE(u64, 8, "keys_bits_20", random_u64, 20),
    SORT_CASE(u64, 8, "keys_and", and_u64, 0),
    SORT_CASE(u64, 8, "keys_four", four_u64, 0),
    SORT_CASE(u64, 8, "keys_mostly_one", mostly_u64, 0),
    SORT_CASE(u64, 8, "keys_equal", equal_u64, 0),
    SORT_CASE(u64, 8, "keys_rising", rising_u64, 0),
    SORT_CASE(u64, 8, "keys_small", small_u64, 0),
    SORT_CASE(u64, 8, "keys_hashed", hashed_u64, 0),
    SORT_CASE(u64, 8, "keys_zipf", zipf_u64, 0),
    SORT_CASE(f64, 8, "keys_unit", unit_f64, 0),
    {.algorithm = "radix_sort",
     .type = "u64",
     .variant = "pairs_u32_tiles",
     .fill = fill,
     .arrange = arrange,
     .call = sort,
     .spec = sort_spec,
     .in = {{8, 0}, {4, 0}},
     .out = {{8, 0}, {4, 0}},
     .own = &(const own){.keys = tiles_u64, .values = random_u32, .value = "u32", .end_bit = 45}},
    PAIR_CASE(u32, 4, "b12", 12, "pairs_b12", random_u32, random_b12),
    PAIR_CASE(u32, 4, "u128", 16, "pairs_u128", random_u32, random_u128),
    PAIR_CASE(u32, 4, "u32", 4, "pairs_u32", random_u32, random_u32),
    PAIR_CASE(u32, 4, "u64", 8, "pairs_u64", random_u32, random_u64),
    PAIR_CASE(f32, 4, "u64", 8, "pairs_u64", random_f32, random_u64),
    PAIR_CASE(u64, 8, "u64", 8, "pairs_u64", random_u64, random_u64),
    PAIR_CASE(u64, 8, "u32", 4, "pairs_u32", random_u64, random_u32),
    PAIR_CASE(u64, 8, "u64", 8, "pairs_u64_four", four_u64, random_u64),
    PAIR_CASE(u64, 8, "u64", 8, "pairs_u64_zipf", zipf_u64, random_u64),
    PAIR_CASE(u8, 1, "u32", 4, "pairs_u32", random_u8, random_u32),
    PAIR_CASE(u16, 2, "u32", 4, "pairs_u32", random_u16, random_u32),
    PAIR_CASE(u32, 4, "u32", 4, "pairs_u32_and", and_u32, random_u32),
    PAIR_CASE(u32, 4, "u32", 4, "pairs_u32_four", four_u32, random_u32),
    PAIR_CASE(u32, 4, "u32", 4, "pairs_u32_mostly_one", mostly_u32, random_u32),
    PAIR_CASE(u32, 4, "u32", 4, "pairs_u32_equal", equal_u32, random_u32),
    PAIR_CASE(u32, 4, "u32", 4, "pairs_u32_rising", rising_u32, random_u32),
    PAIR_CASE(u32, 4, "u32", 4, "pairs_indices", random_u32, indices_u32),
    ARGSORT_CASE(u32, 4, random_u32),
    ARGSORT_CASE(u64, 8, random_u64),
    STRUCT_CASE(row24, 24, 8, random_row24, ROW24, "x.a, x.b, x.c"),
    STRUCT_CASE(row64, 64, 4, random_row64, ROW("row64", "14"), "x.high, x.low"),
    STRUCT_CASE(row100, 100, 4, random_row100, ROW("row100", "23"), "x.high, x.low"),
};

const bench_family bench_radix_sort = {cases, sizeof cases / sizeof cases[0]};
