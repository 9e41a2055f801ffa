/* Cases of jig_set_operation(), of two inputs of n / 2 keys. The peers are in cub_set.cu. */
#include "cases.h"
#include "gpu.h"

/* For gpu_fill(), of r, which is random, and the item's index: keys in order. */
#define KEYS(type, key) \
  "typedef " type " item; inline item make(uint64_t r, uint64_t i) { return " key "; }"

/* Half of the keys are in both inputs. */
static const char halves_u32[] = KEYS("unsigned", "item(i) * 2 + item(r >> 63)");
static const char halves_u64[] = KEYS("unsigned long long", "item(i) * 2 + item(r >> 63)");
/* A quarter of the keys of each input are equal to the one before. */
static const char equal_u32[] = KEYS("unsigned", "item(i) + item(r >> 63)");
/* Each key 4096 times in either. */
static const char runs_u32[] = KEYS("unsigned", "item(i >> 12)");
static const char random_u32[] = KEYS("unsigned", "item(r >> 32)");

typedef struct own {
  jig_set_mode mode;
  const char *keys;
  const char *values; /* NULL: there are none; otherwise u32 */
} own;

static const own *own_of(const bench_case *c) {
  return c->own;
}

static jig_iter half(void *items, jig_type type, uint64_t first) {
  return jig_pointer((char *)items + first * type.size, type);
}

static void fill(const bench_case *c, const bench_data *data, uint64_t seed) {
  const own *o = own_of(c);
  const uint64_t first = data->n / 2;
  const jig_type key = jig_type_from_name(c->type);
  gpu_fill(data->in[0], first, o->keys, seed);
  gpu_fill((char *)data->in[0] + first * key.size, data->n - first, o->keys, seed + 2);
  if (o->values != NULL) gpu_fill(data->in[1], data->n, o->values, seed + 1);
}

_Static_assert(sizeof(jig_set_operation_args) <= BENCH_ARGS_SIZE, "data->args is too small");

static void arrange(const bench_case *c, const bench_data *data) {
  const own *o = own_of(c);
  const jig_type key = jig_type_from_name(c->type);
  const uint64_t first = data->n / 2;
  jig_set_operation_args *args = data->args;
  *args = (jig_set_operation_args){.first_keys_in = jig_pointer(data->in[0], key),
                                   .second_keys_in = half(data->in[0], key, first),
                                   .keys_out = jig_pointer(data->out[0], key),
                                   .num_items_out = jig_pointer(data->out[1], JIG_I32),
                                   .first_num_items = first,
                                   .second_num_items = data->n - first,
                                   .mode = o->mode};
  if (o->values == NULL) return;
  args->first_values_in = jig_pointer(data->in[1], JIG_U32);
  args->second_values_in = half(data->in[1], JIG_U32, first);
  args->values_out = jig_pointer(data->out[2], JIG_U32);
}

static jig_status call(const bench_data *data, jig_engine *engine, void *temp, size_t *temp_bytes,
                       CUstream stream) {
  return jig_set_operation(engine, temp, temp_bytes, data->args, stream);
}

static jig_status set_spec(const bench_data *data, char **text) {
  return jig_set_operation_spec(data->args, text);
}

/* Thrust's number of items is known to the host only. */
#define SET_CASE(mode_name, mode_, type_, size_, variant_, keys_)                                  \
  {                                                                                                \
    .algorithm = mode_name, .type = #type_, .variant = variant_, .fill = fill, .arrange = arrange, \
    .call = call, .spec = set_spec, .cub_waits = true, .in = {{size_, 0}},                         \
    .out = {{size_, 0, 2}, {0, 4}}, .own = &(const own) {                                          \
      .mode = mode_, .keys = keys_                                                                 \
    }                                                                                              \
  }
#define SET_PAIR_CASE(mode_name, mode_, variant_, keys_, values_)                                 \
  {                                                                                               \
    .algorithm = mode_name, .type = "u32", .variant = variant_, .fill = fill, .arrange = arrange, \
    .call = call, .spec = set_spec, .cub_waits = true, .in = {{4, 0}, {4, 0}},                    \
    .out = {{4, 0, 2}, {0, 4}, {4, 0, 2}}, .own = &(const own) {                                  \
      .mode = mode_, .keys = keys_, .values = values_                                             \
    }                                                                                             \
  }

static const bench_case cases[] = {
    SET_CASE("set_union", JIG_SET_UNION, u32, 4, "keys", halves_u32),
    SET_CASE("set_union", JIG_SET_UNION, u64, 8, "keys", halves_u64),
    SET_CASE("set_union", JIG_SET_UNION, u32, 4, "equal", equal_u32),
    SET_CASE("set_union", JIG_SET_UNION, u32, 4, "runs", runs_u32),
    SET_PAIR_CASE("set_union", JIG_SET_UNION, "pairs_u32", halves_u32, random_u32),
    SET_CASE("set_intersection", JIG_SET_INTERSECTION, u32, 4, "keys", halves_u32),
    SET_CASE("set_difference", JIG_SET_DIFFERENCE, u32, 4, "keys", halves_u32),
    SET_CASE("set_symmetric_difference", JIG_SET_SYMMETRIC_DIFFERENCE, u32, 4, "keys", halves_u32),
    SET_CASE("set_symmetric_difference", JIG_SET_SYMMETRIC_DIFFERENCE, u64, 8, "keys", halves_u64),
};

const bench_family bench_set = {cases, sizeof cases / sizeof cases[0]};
