/* Cases over values that are computed as they are read: a mean and variance, the place of a largest
 * computed value, a count. The peers are in cub_computed.cu; tools/examples has the same as programs. */
#include <math.h>
#include <string.h>

#include "cases.h"
#include "gpu.h"

static const char fill_f32[] =
    "typedef float item; inline item make(uint64_t r, uint64_t) { return unit(r); }";
static const char fill_f64[] =
    "typedef double item; inline item make(uint64_t r, uint64_t) { return (long long)r * 0x1p-63; }";

static void fill(const bench_case *c, const bench_data *data, uint64_t seed) {
  for (int i = 0; i < 2 && c->in[i].per_item > 0; ++i)
    gpu_fill(data->in[i], data->n, c->in[i].per_item == 4 ? fill_f32 : fill_f64, seed + (uint64_t)i);
}

/* What data->args points to. */
typedef struct reduce_call {
  jig_reduce_args args;
  jig_iter items;
} reduce_call;
typedef struct arg_reduce_call {
  jig_arg_reduce_args args;
  jig_iter pair[2], pairs, distances;
} arg_reduce_call;
_Static_assert(sizeof(reduce_call) <= BENCH_ARGS_SIZE && sizeof(arg_reduce_call) <= BENCH_ARGS_SIZE,
               "data->args is too small");

static jig_status call_reduce(const bench_data *data, jig_engine *engine, void *temp, size_t *temp_bytes,
                              CUstream stream) {
  const reduce_call *r = data->args;
  return jig_reduce(engine, temp, temp_bytes, &r->args, stream);
}

static jig_status reduce_spec(const bench_data *data, char **text) {
  const reduce_call *r = data->args;
  return jig_reduce_spec(&r->args, text);
}

/* ---- mean and variance */

typedef struct moments {
  double count, mean, m2;
} moments;

static void arrange_moments(const bench_case *c, const bench_data *data) {
  (void)c;
  const jig_type type = jig_struct("moments", "struct moments { double count, mean, m2; };",
                                   sizeof(moments), _Alignof(moments));
  static const moments no_items; /* CUB cannot do without */
  reduce_call *r = data->args;
  *r = (reduce_call){.items = jig_pointer(data->in[0], JIG_F64)};
  r->args = (jig_reduce_args){
      .in = jig_iter_transform(&r->items, jig_op_source("return {1, x, 0};"), type),
      .out = jig_pointer(data->out[0], type),
      .num_items = data->n,
      .op = jig_op_commutative(jig_op_source(
          "double count = a.count + b.count, delta = b.mean - a.mean, share = b.count / count;\n"
          "return {count, a.mean + delta * share, a.m2 + b.m2 + delta * delta * a.count * share};")),
      .init = &no_items};
}

static bool moments_agree(const bench_case *c, int output, const void *jig, const void *cub, size_t bytes,
                          uint64_t n) {
  (void)c, (void)output, (void)bytes, (void)n;
  moments a, b;
  memcpy(&a, jig, sizeof a);
  memcpy(&b, cub, sizeof b);
  return fabs(a.count - b.count) < 0.5 && fabs(a.mean - b.mean) <= 1e-11 &&
         fabs(a.m2 - b.m2) <= 1e-10 * b.m2;
}

/* ---- the largest |y - 3 x| */

static void arrange_argmax(const bench_case *c, const bench_data *data) {
  (void)c;
  arg_reduce_call *r = data->args;
  *r = (arg_reduce_call){0};
  for (int i = 0; i < 2; ++i) r->pair[i] = jig_pointer(data->in[i], JIG_F32);
  r->pairs = jig_zip(r->pair, 2, jig_struct("sample", "struct sample { float x, y; };", 8, 4));
  r->distances = jig_iter_transform(
      &r->pairs, jig_op_source("return fabs(double(x.y) - 3.0 * double(x.x));"), JIG_F64);
  r->args = (jig_arg_reduce_args){.in = r->distances,
                                  .value_out = jig_pointer(data->out[0], JIG_F64),
                                  .index_out = jig_pointer(data->out[1], JIG_I64),
                                  .num_items = data->n,
                                  .op = JIG_MAX};
}

static jig_status call_argmax(const bench_data *data, jig_engine *engine, void *temp, size_t *temp_bytes,
                              CUstream stream) {
  const arg_reduce_call *r = data->args;
  return jig_arg_reduce(engine, temp, temp_bytes, &r->args, stream);
}

static jig_status argmax_spec(const bench_data *data, char **text) {
  const arg_reduce_call *r = data->args;
  return jig_arg_reduce_spec(&r->args, text);
}

/* ---- how many are above a threshold */

static void arrange_count(const bench_case *c, const bench_data *data) {
  (void)c;
  static const float threshold = 0.5F;
  const jig_op is_above = jig_op_with_state(jig_op_source("return x > state;"), &threshold, JIG_F32);
  reduce_call *r = data->args;
  *r = (reduce_call){.items = jig_pointer(data->in[0], JIG_F32)};
  r->args = (jig_reduce_args){.in = jig_iter_transform(&r->items, is_above, JIG_U64),
                              .out = jig_pointer(data->out[0], JIG_U64),
                              .num_items = data->n,
                              .op = JIG_PLUS};
}

/* ---- the table */

static const bench_case cases[] = {
    {.algorithm = "computed",
     .type = "f64",
     .variant = "mean_variance",
     .in = {{8, 0}},
     .out = {{0, sizeof(moments)}},
     .fill = fill,
     .arrange = arrange_moments,
     .call = call_reduce,
     .spec = reduce_spec,
     .agree = moments_agree},
    {.algorithm = "computed",
     .type = "f32",
     .variant = "argmax",
     .in = {{4, 0}, {4, 0}},
     .out = {{0, 8}, {0, 8}},
     .fill = fill,
     .arrange = arrange_argmax,
     .call = call_argmax,
     .spec = argmax_spec},
    {.algorithm = "computed",
     .type = "f32",
     .variant = "count_if",
     .in = {{4, 0}},
     .out = {{0, 8}},
     .fill = fill,
     .arrange = arrange_count,
     .call = call_reduce,
     .spec = reduce_spec},
};

const bench_family bench_computed = {cases, sizeof cases / sizeof cases[0]};
