/* Cases of jig_copy() and what it makes. The peers are in cub_copy.cu. */
#include <string.h>

#include "cases.h"
#include "gpu.h"
#include "vec3.h"

#define WORDS "typedef unsigned item; inline item make(uint64_t r, uint64_t) { return item(r >> 32); }"
/* Places that jump about, each before the item that is taken from there. */
#define PLACES                                                      \
  "typedef unsigned item; inline item make(uint64_t, uint64_t i) {" \
  "  return item(i * 2654435761u & ((1ull << (63 - __clzll(i | 1))) - 1)); }"

typedef enum kind { COPY, SCALE, SUM, FILL, TABULATE, GATHER } kind;

typedef struct own {
  kind kind;
  const char *in, *out; /* types by name */
} own;

typedef struct copy_call {
  jig_iter base[2], zip;
  jig_copy_args args;
} copy_call;

static const own *own_of(const bench_case *c) {
  return c->own;
}

static void fill(const bench_case *c, const bench_data *data, uint64_t seed) {
  for (int i = 0; i < 2 && c->in[i].per_item > 0; ++i)
    gpu_fill(data->in[i], (data->n * c->in[i].per_item + 3) / 4,
             i == 1 && own_of(c)->kind == GATHER ? PLACES : WORDS, seed + (uint64_t)i);
}

static jig_iter input_of(const bench_case *c, copy_call *r) {
  static const float two = 2.0F;
  const jig_type pair = jig_struct("pair", "struct pair { float a, b; };", 8, 4);
  switch (own_of(c)->kind) {
    case SCALE:
      return jig_iter_transform(&r->base[0], jig_op_source("return x * 2.0f + 1.0f;"), JIG_F32);
    case SUM:
      r->zip = jig_zip(r->base, 2, pair);
      return jig_iter_transform(&r->zip, jig_op_source("return x.a + x.b;"), JIG_F32);
    case FILL:
      return jig_constant(&two, JIG_F32);
    case TABULATE:
      return jig_iter_source(jig_op_source("return i * 3;"), JIG_I32);
    case GATHER:
      return jig_permutation(&r->base[0], &r->base[1]);
    default:
      return r->base[0];
  }
}

static void arrange(const bench_case *c, const bench_data *data) {
  copy_call *r = data->args;
  const own *o = own_of(c);
  *r = (copy_call){0};
  for (int i = 0; i < 2; ++i)
    r->base[i] = jig_pointer(data->in[i], i == 1 && o->kind == GATHER ? JIG_U32 : type_or_vec3(o->in));
  r->args = (jig_copy_args){
      .in = input_of(c, r), .out = jig_pointer(data->out[0], type_or_vec3(o->out)), .num_items = data->n};
}

static jig_status call(const bench_data *data, jig_engine *engine, void *temp, size_t *temp_bytes,
                       CUstream stream) {
  const copy_call *r = data->args;
  return jig_copy(engine, temp, temp_bytes, &r->args, stream);
}

static jig_status spec(const bench_data *data, char **text) {
  const copy_call *r = data->args;
  return jig_copy_spec(&r->args, text);
}

#define CASE(type_, variant_, kind_, first_, second_, in_type, out_type, size_)                 \
  {                                                                                             \
    .algorithm = "copy", .type = type_, .variant = variant_, .in = {{first_, 0}, {second_, 0}}, \
    .out = {{size_, 0}}, .fill = fill, .arrange = arrange, .call = call, .spec = spec,          \
    .own = &(const own) {                                                                       \
      kind_, in_type, out_type                                                                  \
    }                                                                                           \
  }

static const bench_case cases[] = {
    CASE("i8", "copy", COPY, 1, 0, "i8", "i8", 1),
    CASE("i32", "copy", COPY, 4, 0, "i32", "i32", 4),
    CASE("i64", "copy", COPY, 8, 0, "i64", "i64", 8),
    CASE("u128", "copy", COPY, 16, 0, "u128", "u128", 16),
    CASE("u8", "to_f32", COPY, 1, 0, "u8", "f32", 4),
    CASE("f32", "scale", SCALE, 4, 0, "f32", "f32", 4),
    CASE("f32", "sum_of_two", SUM, 4, 4, "f32", "f32", 4),
    CASE("f32", "fill", FILL, 0, 0, "f32", "f32", 4),
    CASE("i32", "tabulate", TABULATE, 0, 0, "i32", "i32", 4),
    CASE("f32", "gather", GATHER, 4, 4, "f32", "f32", 4),
    CASE("i8", "gather", GATHER, 1, 4, "i8", "i8", 1),
    CASE("i64", "gather", GATHER, 8, 4, "i64", "i64", 8),
    CASE("vec3", "gather", GATHER, 12, 4, "vec3", "vec3", 12),
    CASE("vec3", "copy", COPY, 12, 0, "vec3", "vec3", 12),
};

const bench_family bench_copy = {cases, sizeof cases / sizeof cases[0]};
