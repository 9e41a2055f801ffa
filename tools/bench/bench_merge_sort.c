/* Cases of jig_merge_sort() and jig_merge(). The peers are in cub_merge_sort.cu. */
#include "cases.h"
#include "gpu.h"

/* ---- types and data */

/* For gpu_fill(), of r, which is random, and the item's index. */
#define KEYS(type, key) \
  "typedef " type " item; inline item make(uint64_t r, uint64_t i) { return " key "; }"

static const char random_u8[] = KEYS("unsigned char", "item(r >> 56)");
static const char random_u32[] = KEYS("unsigned", "item(r >> 32)");
static const char random_u64[] = KEYS("unsigned long long", "r");
static const char random_u128[] = KEYS("unsigned __int128", "item(r) << 64 | r * 0x9e3779b97f4a7c15u");
/* Of any sign and size, without NaNs. */
static const char random_f32[] = KEYS("unsigned", "item(r >> 32) & 0xbfffffffu");
/* Less and less entropy. */
static const char four_u32[] = KEYS("unsigned", "item((r >> 62) * 0x12345678u)");
static const char equal_u32[] = KEYS("unsigned", "0x12345678u");
static const char rising_u32[] = KEYS("unsigned", "item(i)");
static const char falling_u32[] = KEYS("unsigned", "~item(i)");
static const char near_u32[] = KEYS("unsigned", "(r & 63) == 0 ? item(r >> 32) : item(i)");

#define B24_SOURCE "struct b24 { unsigned x[6]; };"
static const char random_b24[] = B24_SOURCE
    " typedef b24 item; inline item make(uint64_t r, uint64_t i) {"
    "  return {{unsigned(r), unsigned(r >> 32), unsigned(i)}}; }";

typedef struct own {
  const char *keys;
  const char *values; /* NULL: there are none */
  const char *value;  /* their type */
  const char *second; /* keys of the second half of a merge; NULL: as those of the first */
} own;

static const own *own_of(const bench_case *c) {
  return c->own;
}

static jig_type value_type(const own *o) {
  return o->values == random_b24 ? jig_struct("b24", B24_SOURCE, 24, 4) : jig_type_from_name(o->value);
}

static void fill(const bench_case *c, const bench_data *data, uint64_t seed) {
  const own *o = own_of(c);
  gpu_fill(data->in[0], data->n, o->keys, seed);
  if (o->values != NULL) gpu_fill(data->in[1], data->n, o->values, seed + 1);
}

/* ---- merge sort */

_Static_assert(sizeof(jig_merge_sort_args) <= BENCH_ARGS_SIZE, "data->args is too small");

static void arrange(const bench_case *c, const bench_data *data) {
  const own *o = own_of(c);
  const jig_type key = jig_type_from_name(c->type);
  jig_merge_sort_args *args = data->args;
  *args = (jig_merge_sort_args){.keys_in = jig_pointer(data->in[0], key),
                                .keys_out = jig_pointer(data->out[0], key),
                                .num_items = data->n};
  if (o->values == NULL) return;
  args->values_in = jig_pointer(data->in[1], value_type(o));
  args->values_out = jig_pointer(data->out[1], value_type(o));
}

static jig_status sort(const bench_data *data, jig_engine *engine, void *temp, size_t *temp_bytes,
                       CUstream stream) {
  return jig_merge_sort(engine, temp, temp_bytes, data->args, stream);
}

static jig_status sort_spec(const bench_data *data, char **text) {
  return jig_merge_sort_spec(data->args, text);
}

/* ---- merge, of two halves that are in order: keys rise with their indices there */

/* Each key 8192 times in either. */
static const char halves_u16[] = KEYS("unsigned short", "item(i >> 13)");
static const char halves_u32[] = KEYS("unsigned", "item(i) * 2 + item(r >> 63)");
/* All behind the first half. */
static const char behind_u32[] = KEYS("unsigned", "0x80000000u + item(i) * 2 + item(r >> 63)");
static const char halves_u64[] = KEYS("unsigned long long", "item(i) * 5 + item(r >> 62)");

_Static_assert(sizeof(jig_merge_args) <= BENCH_ARGS_SIZE, "data->args is too small");

static jig_iter half(void *items, jig_type type, uint64_t first) {
  return jig_pointer((char *)items + first * type.size, type);
}

static void fill_halves(const bench_case *c, const bench_data *data, uint64_t seed) {
  const own *o = own_of(c);
  const uint64_t first = data->n / 2;
  const jig_type key = jig_type_from_name(c->type);
  gpu_fill(data->in[0], first, o->keys, seed);
  gpu_fill((char *)data->in[0] + first * key.size, data->n - first,
           o->second != NULL ? o->second : o->keys, seed + 2);
  if (o->values != NULL) gpu_fill(data->in[1], data->n, o->values, seed + 1);
}

static void arrange_merge(const bench_case *c, const bench_data *data) {
  const own *o = own_of(c);
  const jig_type key = jig_type_from_name(c->type);
  const uint64_t first = data->n / 2;
  jig_merge_args *args = data->args;
  *args = (jig_merge_args){.first_keys_in = jig_pointer(data->in[0], key),
                           .second_keys_in = half(data->in[0], key, first),
                           .keys_out = jig_pointer(data->out[0], key),
                           .first_num_items = first,
                           .second_num_items = data->n - first};
  if (o->values == NULL) return;
  const jig_type value = value_type(o);
  args->first_values_in = jig_pointer(data->in[1], value);
  args->second_values_in = half(data->in[1], value, first);
  args->values_out = jig_pointer(data->out[1], value);
}

static jig_status merge(const bench_data *data, jig_engine *engine, void *temp, size_t *temp_bytes,
                        CUstream stream) {
  return jig_merge(engine, temp, temp_bytes, data->args, stream);
}

static jig_status merge_spec(const bench_data *data, char **text) {
  return jig_merge_spec(data->args, text);
}

/* ---- the table */

#define SORT_CASE(type_, size_, variant_, keys_)                                                      \
  {                                                                                                   \
    .algorithm = "merge_sort", .type = #type_, .variant = variant_, .fill = fill, .arrange = arrange, \
    .call = sort, .spec = sort_spec, .in = {{size_, 0}}, .out = {{size_, 0}}, .own = &(const own) {   \
      .keys = keys_                                                                                   \
    }                                                                                                 \
  }
#define PAIR_CASE(type_, size_, value_, value_size_, variant_, keys_, values_)                        \
  {                                                                                                   \
    .algorithm = "merge_sort", .type = #type_, .variant = variant_, .fill = fill, .arrange = arrange, \
    .call = sort, .spec = sort_spec, .in = {{size_, 0}, {value_size_, 0}},                            \
    .out = {{size_, 0}, {value_size_, 0}}, .own = &(const own) {                                      \
      .keys = keys_, .values = values_, .value = value_                                               \
    }                                                                                                 \
  }
#define MERGE_CASE(type_, size_, variant_, keys_, second_)                           \
  {                                                                                  \
    .algorithm = "merge", .type = #type_, .variant = variant_, .fill = fill_halves,  \
    .arrange = arrange_merge, .call = merge, .spec = merge_spec, .in = {{size_, 0}}, \
    .out = {{size_, 0}}, .own = &(const own) {                                       \
      .keys = keys_, .second = second_                                               \
    }                                                                                \
  }
#define MERGE_PAIR_CASE(type_, size_, value_, value_size_, variant_, keys_, values_)                   \
  {                                                                                                    \
    .algorithm = "merge", .type = #type_, .variant = variant_, .fill = fill_halves,                    \
    .arrange = arrange_merge, .call = merge, .spec = merge_spec, .in = {{size_, 0}, {value_size_, 0}}, \
    .out = {{size_, 0}, {value_size_, 0}}, .own = &(const own) {                                       \
      .keys = keys_, .values = values_, .value = value_                                                \
    }                                                                                                  \
  }

static const bench_case cases[] = {
    SORT_CASE(u8, 1, "keys", random_u8),
    SORT_CASE(u32, 4, "keys", random_u32),
    SORT_CASE(u64, 8, "keys", random_u64),
    SORT_CASE(u128, 16, "keys", random_u128),
    SORT_CASE(f32, 4, "keys", random_f32),
    SORT_CASE(u32, 4, "keys_four", four_u32),
    SORT_CASE(u32, 4, "keys_equal", equal_u32),
    SORT_CASE(u32, 4, "keys_rising", rising_u32),
    SORT_CASE(u32, 4, "keys_falling", falling_u32),
    SORT_CASE(u32, 4, "keys_near", near_u32),
    PAIR_CASE(u32, 4, "u32", 4, "pairs_u32", random_u32, random_u32),
    PAIR_CASE(u32, 4, "u64", 8, "pairs_u64", random_u32, random_u64),
    PAIR_CASE(u64, 8, "u64", 8, "pairs_u64", random_u64, random_u64),
    PAIR_CASE(u32, 4, "b24", 24, "pairs_b24", random_u32, random_b24),
    PAIR_CASE(u32, 4, "u128", 16, "pairs_u128", random_u32, random_u128),
    PAIR_CASE(u32, 4, "u32", 4, "pairs_u32_four", four_u32, random_u32),
    PAIR_CASE(u32, 4, "u32", 4, "pairs_u32_near", near_u32, random_u32),
    MERGE_CASE(u16, 2, "keys", halves_u16, NULL),
    MERGE_CASE(u32, 4, "keys", halves_u32, NULL),
    MERGE_CASE(u32, 4, "keys_disjoint", halves_u32, behind_u32),
    MERGE_CASE(u64, 8, "keys", halves_u64, NULL),
    MERGE_PAIR_CASE(u32, 4, "u32", 4, "pairs_u32", halves_u32, random_u32),
    MERGE_PAIR_CASE(u32, 4, "b24", 24, "pairs_b24", halves_u32, random_b24),
    MERGE_PAIR_CASE(u64, 8, "u64", 8, "pairs_u64", halves_u64, random_u64),
};

const bench_family bench_merge_sort = {cases, sizeof cases / sizeof cases[0]};
