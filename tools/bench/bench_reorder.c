/* Cases of jig_reverse(), jig_rotate(), jig_shuffle() and jig_is_sorted(). The peers are in
 * cub_reorder.cu. */
#include "cases.h"
#include "digest.h"
#include "gpu.h"
#include "vec3.h"

/* For gpu_fill(), of r, which is random, and the item's index. */
#define ITEMS(type, item) \
  "typedef " type " item; inline item make(uint64_t r, uint64_t i) { return " item "; }"

static const char random_u8[] = ITEMS("unsigned char", "item(r >> 56)");
static const char random_u32[] = ITEMS("unsigned", "item(r >> 32)");
static const char random_u64[] = ITEMS("unsigned long long", "r");
static const char random_vec3[] = VEC3_SOURCE
    " typedef vec3 item; inline item make(uint64_t r, uint64_t) { return {unit(r), unit(r << 7), unit(r "
    "<< 13)}; }";
static const char rising_u32[] = ITEMS("unsigned", "item(i / 2)");
static const char rising_f64[] = ITEMS("double", "item(i) * 0.5");

enum { SEED = 12345 };

typedef struct own {
  const char *items;
  unsigned less; /* items fewer than n: of these, not even whole words */
} own;

static const own *own_of(const bench_case *c) {
  return c->own;
}

static void fill(const bench_case *c, const bench_data *data, uint64_t seed) {
  gpu_fill(data->in[0], data->n, own_of(c)->items, seed);
}

typedef struct reorder_call {
  jig_iter in, out;
  uint64_t n;
} reorder_call;

static void arrange(const bench_case *c, const bench_data *data) {
  const jig_type type = type_or_vec3(c->type);
  reorder_call *r = data->args;
  *r = (reorder_call){jig_pointer(data->in[0], type), jig_pointer(data->out[0], type),
                      data->n - own_of(c)->less};
}

static jig_status call_reverse(const bench_data *data, jig_engine *engine, void *temp, size_t *temp_bytes,
                               CUstream stream) {
  const reorder_call *r = data->args;
  const jig_reverse_args args = {.in = r->in, .out = r->out, .num_items = r->n};
  return jig_reverse(engine, temp, temp_bytes, &args, stream);
}

static jig_status reverse_spec(const bench_data *data, char **text) {
  const reorder_call *r = data->args;
  const jig_reverse_args args = {.in = r->in, .out = r->out};
  return jig_reverse_spec(&args, text);
}

static jig_status call_rotate(const bench_data *data, jig_engine *engine, void *temp, size_t *temp_bytes,
                              CUstream stream) {
  const reorder_call *r = data->args;
  return jig_rotate(engine, temp, temp_bytes, r->in, r->out, r->n, r->n / 3, stream);
}

static jig_status call_shuffle(const bench_data *data, jig_engine *engine, void *temp, size_t *temp_bytes,
                               CUstream stream) {
  const reorder_call *r = data->args;
  return jig_shuffle(engine, temp, temp_bytes, r->in, r->out, r->n, SEED, stream);
}

static jig_status shuffle_spec(const bench_data *data, char **text) {
  const reorder_call *r = data->args;
  const jig_iter indices = jig_iter_shuffle(r->n, SEED, JIG_U64);
  const jig_copy_args args = {.in = jig_permutation(&r->in, &indices), .out = r->out};
  return jig_copy_spec(&args, text);
}

/* jig_rotate()'s indices are its own. */
static jig_status no_spec(const bench_data *data, char **text) {
  (void)data;
  *text = NULL;
  return JIG_ERROR_UNSUPPORTED;
}

/* Orders that are random are not the same ones, but the items are. */
static uint64_t digest(const bench_case *c, int output, const void *items, size_t bytes, size_t offset,
                       uint64_t n) {
  const size_t size = c->out[output].per_item;
  (void)offset, (void)n;
  return digest_items(items, size, bytes / size, 0);
}

/* ---- is_sorted: all of it is */

static void arrange_sorted(const bench_case *c, const bench_data *data) {
  jig_is_sorted_args *args = data->args;
  *args = (jig_is_sorted_args){.in = jig_pointer(data->in[0], jig_type_from_name(c->type)),
                               .out = jig_pointer(data->out[0], JIG_U32),
                               .num_items = data->n,
                               .mode = JIG_SORTED_UNTIL};
}

static jig_status call_sorted(const bench_data *data, jig_engine *engine, void *temp, size_t *temp_bytes,
                              CUstream stream) {
  return jig_is_sorted(engine, temp, temp_bytes, data->args, stream);
}

static jig_status sorted_spec(const bench_data *data, char **text) {
  return jig_is_sorted_spec(data->args, text);
}

#define CASE(algorithm_, type_, size_, variant_, items_, less_, call_, spec_)                            \
  {                                                                                                      \
    .algorithm = algorithm_, .type = #type_, .variant = variant_, .in = {{size_, 0}},                    \
    .out = {{size_, 0, .fewer = less_}}, .fill = fill, .arrange = arrange, .call = call_, .spec = spec_, \
    .own = &(const own) {                                                                                \
      items_, less_                                                                                      \
    }                                                                                                    \
  }
#define SORTED_CASE(type_, size_, items_)                                                               \
  {                                                                                                     \
    .algorithm = "is_sorted", .type = #type_, .variant = "sorted", .in = {{size_, 0}}, .out = {{0, 4}}, \
    .fill = fill, .arrange = arrange_sorted, .call = call_sorted, .spec = sorted_spec,                  \
    .cub_waits = true, .own = &(const own) {                                                            \
      items_, 0                                                                                         \
    }                                                                                                   \
  }

static const bench_case cases[] = {
    CASE("reverse", u8, 1, "whole", random_u8, 0, call_reverse, reverse_spec),
    CASE("reverse", u8, 1, "odd", random_u8, 3, call_reverse, reverse_spec),
    CASE("reverse", u32, 4, "whole", random_u32, 0, call_reverse, reverse_spec),
    CASE("reverse", u32, 4, "odd", random_u32, 3, call_reverse, reverse_spec),
    CASE("reverse", u64, 8, "odd", random_u64, 3, call_reverse, reverse_spec),
    CASE("reverse", vec3, 12, "odd", random_vec3, 3, call_reverse, reverse_spec),
    CASE("rotate", u8, 1, "third", random_u8, 0, call_rotate, no_spec),
    CASE("rotate", u32, 4, "third", random_u32, 0, call_rotate, no_spec),
    {.algorithm = "shuffle",
     .type = "u32",
     .variant = "all",
     .in = {{4, 0}},
     .out = {{4, 0}},
     .fill = fill,
     .arrange = arrange,
     .call = call_shuffle,
     .spec = shuffle_spec,
     .digest = digest,
     .cub_waits = true,
     .own = &(const own){random_u32, 0}},
    SORTED_CASE(u32, 4, rising_u32),
    SORTED_CASE(f64, 8, rising_f64),
};

const bench_family bench_reorder = {cases, sizeof cases / sizeof cases[0]};
