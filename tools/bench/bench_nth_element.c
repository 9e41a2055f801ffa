/* Cases of jig_nth_element(): medians, with all items put on their sides, or alone. There is no peer. */
#include "cases.h"
#include "gpu.h"

/* ---- data */

static const char random_u32[] =
    "typedef unsigned item; inline item make(uint64_t r, uint64_t) { return item(r >> 32); }";
static const char random_u64[] =
    "typedef unsigned long long item; inline item make(uint64_t r, uint64_t) { return r; }";
/* Of any sign and size, without NaNs. */
static const char random_f32[] =
    "typedef unsigned item; inline item make(uint64_t r, uint64_t) { return item(r >> 32) & 0xbfffffffu; "
    "}";
static const char equal_u32[] =
    "typedef unsigned item; inline item make(uint64_t, uint64_t) { return 0x12345678u; }";

typedef struct own {
  const char *keys;
  bool is_alone, has_values;
} own;

static const own *own_of(const bench_case *c) {
  return c->own;
}

static void fill(const bench_case *c, const bench_data *data, uint64_t seed) {
  gpu_fill(data->in[0], data->n, own_of(c)->keys, seed);
  if (own_of(c)->has_values) gpu_fill(data->in[1], data->n, random_u32, seed + 1);
}

/* ---- the calls */

_Static_assert(sizeof(jig_nth_element_args) <= BENCH_ARGS_SIZE, "data->args is too small");

static void arrange(const bench_case *c, const bench_data *data) {
  const jig_type key = jig_type_from_name(c->type);
  jig_nth_element_args *args = data->args;
  *args = (jig_nth_element_args){
      .in = jig_pointer(data->in[0], key), .num_items = data->n, .nth = data->n / 2};
  if (own_of(c)->is_alone)
    args->nth_out = jig_pointer(data->out[0], key);
  else
    args->out = jig_pointer(data->out[0], key);
  if (!own_of(c)->has_values) return;
  args->values_in = jig_pointer(data->in[1], JIG_U32);
  args->values_out = jig_pointer(data->out[1], JIG_U32);
}

static jig_status nth(const bench_data *data, jig_engine *engine, void *temp, size_t *temp_bytes,
                      CUstream stream) {
  return jig_nth_element(engine, temp, temp_bytes, data->args, stream);
}

static jig_status nth_spec(const bench_data *data, char **text) {
  return jig_nth_element_spec(data->args, text);
}

/* All keys are read twice where they are written. */
static uint64_t moved_bytes(const bench_case *c, uint64_t n) {
  const uint64_t key = jig_type_from_name(c->type).size;
  if (own_of(c)->is_alone) return n * key;
  return n * (3 * key + (own_of(c)->has_values ? 8 : 0));
}

/* ---- the table */

#define CASE(type_, size_, variant_, keys_, alone_, value_)                                            \
  {                                                                                                    \
    .algorithm = "nth_element", .type = #type_, .variant = variant_, .fill = fill, .arrange = arrange, \
    .call = nth, .spec = nth_spec, .bytes = moved_bytes, .in = {{(size_), 0}, {(value_), 0}},          \
    .out = {{(alone_) ? 0 : (size_), (alone_) ? (size_) : 0}, {(value_), 0}}, .own = &(const own) {    \
      .keys = keys_, .is_alone = alone_, .has_values = (value_) > 0                                    \
    }                                                                                                  \
  }

static const bench_case cases[] = {
    CASE(u32, 4, "median", random_u32, true, 0), CASE(f32, 4, "median", random_f32, true, 0),
    CASE(u64, 8, "median", random_u64, true, 0), CASE(u32, 4, "median_equal", equal_u32, true, 0),
    CASE(u32, 4, "keys", random_u32, false, 0),  CASE(f32, 4, "keys", random_f32, false, 0),
    CASE(u64, 8, "keys", random_u64, false, 0),  CASE(u32, 4, "pairs_u32", random_u32, false, 4),
};

const bench_family bench_nth_element = {cases, sizeof cases / sizeof cases[0]};
