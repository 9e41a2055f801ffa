/* Cases of pointers with cache hints, jig_pointer_hinted(). The peers, in cub_hinted.cu, are CUB's
 * iterators that do the same. */
#include "cases.h"
#include "gpu.h"

static const char random_f32[] =
    "typedef float item; inline item make(uint64_t r, uint64_t) { return unit(r); }";
/* Whole numbers, whose sums are the same in every order. */
static const char random_i32[] =
    "typedef int item; inline item make(uint64_t r, uint64_t) { return item(r >> 32); }";

typedef struct own {
  const char *items;
  jig_cache_hint in, out;
} own;

static const own *own_of(const bench_case *c) {
  return c->own;
}

static void fill(const bench_case *c, const bench_data *data, uint64_t seed) {
  gpu_fill(data->in[0], data->n, own_of(c)->items, seed);
}

static void arrange_copy(const bench_case *c, const bench_data *data) {
  const jig_type type = jig_type_from_name(c->type);
  *(jig_copy_args *)data->args =
      (jig_copy_args){.in = jig_pointer_hinted(data->in[0], type, own_of(c)->in),
                      .out = jig_pointer_hinted(data->out[0], type, own_of(c)->out),
                      .num_items = data->n};
}

static jig_status call_copy(const bench_data *data, jig_engine *engine, void *temp, size_t *temp_bytes,
                            CUstream stream) {
  return jig_copy(engine, temp, temp_bytes, data->args, stream);
}

static jig_status copy_spec(const bench_data *data, char **text) {
  return jig_copy_spec(data->args, text);
}

static void arrange_sum(const bench_case *c, const bench_data *data) {
  const jig_type type = jig_type_from_name(c->type);
  *(jig_reduce_args *)data->args =
      (jig_reduce_args){.in = jig_pointer_hinted(data->in[0], type, own_of(c)->in),
                        .out = jig_pointer(data->out[0], type),
                        .num_items = data->n,
                        .op = JIG_PLUS};
}

static jig_status call_sum(const bench_data *data, jig_engine *engine, void *temp, size_t *temp_bytes,
                           CUstream stream) {
  return jig_reduce(engine, temp, temp_bytes, data->args, stream);
}

static jig_status sum_spec(const bench_data *data, char **text) {
  return jig_reduce_spec(data->args, text);
}

_Static_assert(sizeof(jig_copy_args) <= BENCH_ARGS_SIZE, "data->args is too small");
_Static_assert(sizeof(jig_reduce_args) <= BENCH_ARGS_SIZE, "data->args is too small");

/* ---- the table */

#define COPY_CASE(variant_, in_, out_)                                                                 \
  {                                                                                                    \
    .algorithm = "hinted", .type = "f32", .variant = variant_, .in = {{4, 0}}, .out = {{4, 0}},        \
    .fill = fill, .arrange = arrange_copy, .call = call_copy, .spec = copy_spec, .own = &(const own) { \
      .items = random_f32, .in = in_, .out = out_                                                      \
    }                                                                                                  \
  }
#define SUM_CASE(variant_, in_)                                                                     \
  {                                                                                                 \
    .algorithm = "hinted", .type = "i32", .variant = variant_, .in = {{4, 0}}, .out = {{0, 4}},     \
    .fill = fill, .arrange = arrange_sum, .call = call_sum, .spec = sum_spec, .own = &(const own) { \
      .items = random_i32, .in = in_                                                                \
    }                                                                                               \
  }

static const bench_case cases[] = {
    COPY_CASE("copy_streaming", JIG_CACHE_STREAMING, JIG_CACHE_STREAMING),
    COPY_CASE("copy_read_only", JIG_CACHE_READ_ONLY, JIG_CACHE_WRITE_THROUGH),
    SUM_CASE("sum_streaming", JIG_CACHE_STREAMING),
    SUM_CASE("sum_global", JIG_CACHE_GLOBAL),
};

const bench_family bench_hinted = {cases, sizeof cases / sizeof cases[0]};
