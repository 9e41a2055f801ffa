/* Cases of jig_transform(). The peers are in cub_transform.cu. */
#include <string.h>

#include "cases.h"
#include "gpu.h"
#include "vec3.h"

#define WORDS "typedef unsigned item; inline item make(uint64_t r, uint64_t) { return item(r >> 32); }"

/* Numbers, and no NaN, which a sum may come by in two ways. */
#define FLOATS "typedef float item; inline item make(uint64_t r, uint64_t) { return item(r >> 40); }"
#define DOUBLES "typedef double item; inline item make(uint64_t r, uint64_t) { return item(r >> 11); }"

enum { MOST_INPUTS = 3 };

typedef struct own {
  uint32_t num_inputs;
  const char *in[MOST_INPUTS], *out; /* types by name */
  const char *op;
} own;

typedef struct transform_call {
  jig_iter in[MOST_INPUTS];
  jig_transform_args args;
} transform_call;

static const own *own_of(const bench_case *c) {
  return c->own;
}

static jig_type type_of(const char *name) {
  return strcmp(name, "vec3") == 0 ? vec3_type() : jig_type_from_name(name);
}

static void fill(const bench_case *c, const bench_data *data, uint64_t seed) {
  for (uint32_t k = 0; k < own_of(c)->num_inputs; ++k) {
    const jig_type_kind kind = type_of(own_of(c)->in[k]).kind;
    const size_t bytes = data->n * c->in[k].per_item;
    gpu_fill(data->in[k], kind == JIG_KIND_F64 ? bytes / 8 : (bytes + 3) / 4,
             kind == JIG_KIND_F32 || kind == JIG_KIND_STRUCT ? FLOATS
             : kind == JIG_KIND_F64                          ? DOUBLES
                                                             : WORDS,
             seed + k);
  }
}

static void arrange(const bench_case *c, const bench_data *data) {
  transform_call *r = data->args;
  const own *o = own_of(c);
  *r = (transform_call){0};
  for (uint32_t k = 0; k < o->num_inputs; ++k) r->in[k] = jig_pointer(data->in[k], type_of(o->in[k]));
  r->args = (jig_transform_args){.in = r->in,
                                 .num_inputs = o->num_inputs,
                                 .out = jig_pointer(data->out[0], type_of(o->out)),
                                 .num_items = data->n,
                                 .op = jig_op_source(o->op)};
}

static jig_status call(const bench_data *data, jig_engine *engine, void *temp, size_t *temp_bytes,
                       CUstream stream) {
  const transform_call *r = data->args;
  return jig_transform(engine, temp, temp_bytes, &r->args, stream);
}

static jig_status spec(const bench_data *data, char **text) {
  const transform_call *r = data->args;
  return jig_transform_spec(&r->args, text);
}

#define CASE(type_, variant_, first_, second_, third_, size_, ...)                     \
  {                                                                                    \
    .algorithm = "transform", .type = type_, .variant = variant_,                      \
    .in = {{first_, 0}, {second_, 0}, {third_, 0}}, .out = {{size_, 0}}, .fill = fill, \
    .arrange = arrange, .call = call, .spec = spec, .own = &(const own) {              \
      __VA_ARGS__                                                                      \
    }                                                                                  \
  }

static const bench_case cases[] = {
    CASE("f32", "muladd", 4, 0, 0, 4, 1, {"f32"}, "f32", "return x * 2.0f + 1.0f;"),
    CASE("f32", "saxpy", 4, 4, 0, 4, 2, {"f32", "f32"}, "f32", "return 2.0f * a + b;"),
    CASE("u8", "sum_of_two", 1, 1, 0, 1, 2, {"u8", "u8"}, "u8", "return a + b;"),
    CASE("f64", "sum_of_two", 8, 8, 0, 8, 2, {"f64", "f64"}, "f64", "return a + b;"),
    CASE("i32", "sum_of_three", 4, 4, 4, 4, 3, {"i32", "i32", "i32"}, "i32", "return a + b + c;"),
    CASE("i8", "to_f32", 1, 0, 0, 4, 1, {"i8"}, "f32", "return x * 0.5f;"),
    CASE("vec3", "scale", 12, 0, 0, 12, 1, {"vec3"}, "vec3", "return vec3{x.x * 2, x.y * 2, x.z * 2};"),
    CASE("i64", "mixed", 8, 4, 1, 8, 3, {"i64", "i32", "u8"}, "i64", "return a + b + c;"),
};

const bench_family bench_transform = {cases, sizeof cases / sizeof cases[0]};
