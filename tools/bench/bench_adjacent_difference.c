/* Cases of jig_adjacent_difference(). The peers are in cub_adjacent_difference.cu. */
#include "cases.h"
#include "gpu.h"

#define WORDS "typedef unsigned item; inline item make(uint64_t r, uint64_t) { return item(r >> 32); }"

/* Numbers, and no NaN, which a difference may come by in two ways. */
#define DOUBLES "typedef double item; inline item make(uint64_t r, uint64_t) { return item(r >> 11); }"

typedef struct own {
  const char *type;
  unsigned words; /* of a struct, in the place of it; 0: none */
  jig_difference_direction direction;
} own;

static const own *own_of(const bench_case *c) {
  return c->own;
}

static void fill(const bench_case *c, const bench_data *data, uint64_t seed) {
  const bool is_f64 = jig_type_from_name(own_of(c)->type).kind == JIG_KIND_F64;
  const size_t word = is_f64 ? 8 : 4, bytes = data->n * c->in[0].per_item;
  gpu_fill(data->in[0], (bytes + word - 1) / word, is_f64 ? DOUBLES : WORDS, seed);
}

static void arrange(const bench_case *c, const bench_data *data) {
  jig_adjacent_difference_args *args = data->args;
  const unsigned words = own_of(c)->words;
  const jig_type type = words == 4   ? jig_struct("wide", "struct wide { int a, b, c, d; };", 16, 4)
                        : words == 3 ? jig_struct("triple", "struct triple { int a, b, c; };", 12, 4)
                                     : jig_type_from_name(own_of(c)->type);
  *args = (jig_adjacent_difference_args){.in = jig_pointer(data->in[0], type),
                                         .out = jig_pointer(data->out[0], type),
                                         .num_items = data->n,
                                         .direction = own_of(c)->direction};
  if (words == 3) args->op = jig_op_source("return triple{a.a - b.a, a.b - b.b, a.c - b.c};");
  if (words == 4) args->op = jig_op_source("return wide{a.a - b.a, a.b - b.b, a.c - b.c, a.d - b.d};");
}

static jig_status call(const bench_data *data, jig_engine *engine, void *temp, size_t *temp_bytes,
                       CUstream stream) {
  return jig_adjacent_difference(engine, temp, temp_bytes, data->args, stream);
}

static jig_status spec(const bench_data *data, char **text) {
  return jig_adjacent_difference_spec(data->args, text);
}

#define CASE(type_, variant_, size_, words_, direction_)                                        \
  {                                                                                             \
    .algorithm = "adjacent_difference", .type = type_, .variant = variant_, .in = {{size_, 0}}, \
    .out = {{size_, 0}}, .fill = fill, .arrange = arrange, .call = call, .spec = spec,          \
    .own = &(const own) {                                                                       \
      type_, words_, direction_                                                                 \
    }                                                                                           \
  }
#define LEFT(type_, size_, words_) CASE(type_, "left", size_, words_, JIG_DIFFERENCE_LEFT)

static const bench_case cases[] = {
    LEFT("i8", 1, 0),        LEFT("i16", 2, 0),       LEFT("i32", 4, 0),
    LEFT("i64", 8, 0),       LEFT("f32", 4, 0),       LEFT("f64", 8, 0),
    LEFT("struct16", 16, 4), LEFT("struct12", 12, 3), CASE("i32", "right", 4, 0, JIG_DIFFERENCE_RIGHT),
};

const bench_family bench_adjacent_difference = {cases, sizeof cases / sizeof cases[0]};
