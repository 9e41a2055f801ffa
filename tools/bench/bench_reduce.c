/* Cases of jig_reduce(), jig_transform_reduce() and jig_arg_reduce(). The peers are in cub_reduce.cu. */
#include <math.h>
#include <string.h>

#include "cases.h"
#include "gpu.h"
#include "vec3.h"

/* ---- types */

/* How one type's items come about and how sums of them are compared. */
typedef struct item_type {
  const char *name;
  const char *source;   /* for gpu_fill() */
  double unit_roundoff; /* of the type that is summed in; 0: exact */
  double (*value)(const void *);
  const char *add; /* of structs: the operator that sums them, member by member */
} item_type;

static double value_f16(const void *p) {
  uint16_t bits;
  memcpy(&bits, p, sizeof bits);
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  if (exponent == 31) return fraction != 0 ? NAN : bits >> 15 != 0 ? -INFINITY : INFINITY;
  const double magnitude = exponent == 0 ? ldexp(fraction, -24) : ldexp(fraction + 1024, exponent - 25);
  return bits >> 15 != 0 ? -magnitude : magnitude;
}

static double value_f32(const void *p) {
  float value;
  memcpy(&value, p, sizeof value);
  return value;
}

static double value_bf16(const void *p) {
  uint16_t half;
  memcpy(&half, p, sizeof half);
  const uint32_t word = (uint32_t)half << 16;
  return value_f32(&word);
}

static double value_f64(const void *p) {
  double value;
  memcpy(&value, p, sizeof value);
  return value;
}

#define INTEGER_ITEM(type, shift) \
  "typedef " type " item; inline item make(uint64_t r, uint64_t) { return item(r >> " shift "); }"

static const item_type i8 = {"i8", INTEGER_ITEM("signed char", "56"), 0, NULL};
static const item_type i16 = {"i16", INTEGER_ITEM("short", "48"), 0, NULL};
static const item_type i32 = {"i32", INTEGER_ITEM("int", "32"), 0, NULL};
static const item_type i64 = {"i64", INTEGER_ITEM("long long", "0"), 0, NULL};
static const item_type u32 = {"u32", INTEGER_ITEM("unsigned", "32"), 0, NULL};
/* Halved, so that no sum overflows. */
static const item_type f16 = {
    "f16",
    "typedef uint16_t item; inline item make(uint64_t r, uint64_t) {"
    "  item h; asm(\"cvt.rn.f16.f32 %0, %1;\" : \"=h\"(h) : \"f\"(unit(r) / 2)); return h; }",
    0x1p-11, value_f16};
static const item_type bf16 = {"bf16",
                               "typedef uint16_t item; inline item make(uint64_t r, uint64_t) {"
                               "  return item(__float_as_uint(unit(r)) >> 16); }",
                               0x1p-9, value_bf16};
static const item_type f32 = {
    "f32", "typedef float item; inline item make(uint64_t r, uint64_t) { return unit(r); }", 0x1p-24,
    value_f32};
static const item_type f64 = {
    "f64",
    "typedef double item; inline item make(uint64_t r, uint64_t) { return (long long)r * 0x1p-63; }",
    0x1p-53, value_f64};

/* A custom type: the range, the sum and the count of a set of numbers. */
typedef struct summary {
  float min, max, sum;
  int32_t count;
} summary;
#define SUMMARY_SOURCE "struct summary { float min, max, sum; int count; };"
static const uint32_t nothing = 0;
static const summary no_items = {INFINITY, -INFINITY, 0, 0};
static const char merge[] =
    "return summary{fminf(a.min, b.min), fmaxf(a.max, b.max), a.sum + b.sum, a.count + b.count};";
static const item_type struct16 = {
    "struct16",
    SUMMARY_SOURCE
    " typedef summary item;"
    "inline item make(uint64_t r, uint64_t) { return summary{unit(r), unit(r), unit(r), 1}; }",
    0x1p-24, NULL};

static const item_type vec3 = {"vec3", VEC3_WHOLE_ITEM, 0, NULL, VEC3_ADD};

/* Of integers of 32 bits, so that no sum overflows. */
#define I64X3 "struct i64x3 { long long u, v, w; };"
#define I64X5 "struct i64x5 { long long u, v, w, x, y; };"
static const item_type i64x3 = {
    "i64x3",
    I64X3
    " typedef i64x3 item; inline long long part(uint64_t r) { return int(r >> 32); }"
    "inline item make(uint64_t r, uint64_t) { return {part(r), part(r << 7), part(r << 13)}; }",
    0, NULL, "return i64x3{a.u + b.u, a.v + b.v, a.w + b.w};"};
static const item_type i64x5 = {
    "i64x5",
    I64X5
    " typedef i64x5 item; inline long long part(uint64_t r) { return int(r >> 32); }"
    "inline item make(uint64_t r, uint64_t)"
    "{ return {part(r), part(r << 7), part(r << 13), part(r << 19), part(r << 25)}; }",
    0, NULL, "return i64x5{a.u + b.u, a.v + b.v, a.w + b.w, a.x + b.x, a.y + b.y};"};

static jig_type library_type(const item_type *type) {
  if (type == &vec3) return vec3_type();
  if (type == &i64x3) return jig_struct("i64x3", I64X3, 24, 8);
  if (type == &i64x5) return jig_struct("i64x5", I64X5, 40, 8);
  if (type == &struct16) return jig_struct("summary", SUMMARY_SOURCE, sizeof(summary), _Alignof(summary));
  return jig_type_from_name(type->name);
}

/* ---- what is reduced */

typedef enum kind {
  SUM,
  SUM_GPU_TO_GPU,
  MIN,
  MAX,
  XOR,
  SQUARES,
  DOT,
  SUMMARY_COMMUTATIVE,
  SUMMARY_ORDERED
} kind;

typedef struct own {
  const item_type *in, *out;
  kind kind;
} own;

static const own *own_of(const bench_case *c) {
  return c->own;
}

static void fill(const bench_case *c, const bench_data *data, uint64_t seed) {
  for (int i = 0; i < 2 && c->in[i].per_item > 0; ++i)
    gpu_fill(data->in[i], data->n, own_of(c)->in->source, seed + (uint64_t)i);
}

/* ---- comparing */

/* How far two floating-point sums of n random numbers in [-1, 1) may lie apart. Each addition errs by a
 * fraction of the unit roundoff u of a partial sum, and the errors add up like a random walk: for chains
 * of m additions in each of the n / m threads, about 0.2 u sqrt(n m). A GPU has some 2^18 threads. The
 * factor leaves room for two sums, six deviations and other shapes of the tree. */
static double sum_tolerance(double unit_roundoff, double sum, uint64_t n) {
  const double items = (double)n, chain = fmax(items * 0x1p-18, 64);
  return 4 * unit_roundoff * sqrt(items * chain) + 2 * unit_roundoff * fabs(sum);
}

static bool sums_agree(double a, double b, double unit_roundoff, uint64_t n) {
  return fabs(a - b) <= sum_tolerance(unit_roundoff, b, n); /* false for NaN */
}

static bool agree(const bench_case *c, int output, const void *jig, const void *cub, size_t bytes,
                  uint64_t n) {
  (void)output;
  const own *o = own_of(c);
  if (o->in == &struct16) {
    summary a, b;
    memcpy(&a, jig, sizeof a);
    memcpy(&b, cub, sizeof b);
    return a.min >= b.min && a.min <= b.min && a.max >= b.max && a.max <= b.max && a.count == b.count &&
           sums_agree((double)a.sum, (double)b.sum, struct16.unit_roundoff, n);
  }
  if (o->kind == MAX || o->out->value == NULL) return memcmp(jig, cub, bytes) == 0;
  const double a = o->out->value(jig), b = o->out->value(cub);
  /* All squares have one sign, so errors are small beside the sum. */
  if (o->kind == SQUARES) return fabs(a - b) <= 32 * o->out->unit_roundoff * b;
  return sums_agree(a, b, o->out->unit_roundoff, n);
}

/* ---- jig_reduce() and jig_transform_reduce() */

/* What data->args points to. */
typedef struct reduce_call {
  jig_reduce_args args;
  jig_iter items;          /* what the transform iterator is over */
  jig_iter pair[2], pairs; /* of a dot product */
} reduce_call;
_Static_assert(sizeof(reduce_call) <= BENCH_ARGS_SIZE, "data->args is too small");

static void arrange_reduce(const bench_case *c, const bench_data *data) {
  const own *o = own_of(c);
  const jig_op merged = jig_op_source(merge);
  reduce_call *r = data->args;
  *r = (reduce_call){.args = {.in = jig_pointer(data->in[0], library_type(o->in)),
                              .out = jig_pointer(data->out[0], library_type(o->out)),
                              .num_items = data->n,
                              .op = JIG_PLUS}};
  if (o->kind == MIN) r->args.op = JIG_MIN;
  if (o->kind == MAX) r->args.op = JIG_MAX;
  if (o->in->add != NULL) r->args.op = jig_op_commutative(jig_op_source(o->in->add));
  if (o->kind == XOR) {
    r->args.op = jig_op_source("return a ^ b;"); /* which does not say that it commutes */
    r->args.init = &nothing;
  }
  if (o->kind == SUM_GPU_TO_GPU) r->args.determinism = JIG_DETERMINISM_GPU_TO_GPU;
  if (o->kind == SQUARES) {
    r->items = r->args.in;
    r->args.in = jig_iter_transform(&r->items, jig_op_source("return x * x;"), r->items.type);
  }
  if (o->kind == DOT) {
    for (int i = 0; i < 2; ++i) r->pair[i] = jig_pointer(data->in[i], library_type(o->in));
    r->pairs = jig_zip(r->pair, 2, jig_struct("pair", "struct pair { float a, b; };", 8, 4));
    r->args.in = jig_iter_transform(&r->pairs, jig_op_source("return x.a * x.b;"), library_type(o->out));
  }
  if (o->in == &struct16) {
    r->args.op = o->kind == SUMMARY_COMMUTATIVE ? jig_op_commutative(merged) : merged;
    r->args.init = &no_items; /* CUB cannot do without */
  }
}

static jig_status call_reduce(const bench_data *data, jig_engine *engine, void *temp, size_t *temp_bytes,
                              CUstream stream) {
  const reduce_call *r = data->args;
  return jig_reduce(engine, temp, temp_bytes, &r->args, stream);
}

static jig_status reduce_spec(const bench_data *data, char **text) {
  const reduce_call *r = data->args;
  return jig_reduce_spec(&r->args, text);
}

/* ---- jig_arg_reduce() */

_Static_assert(sizeof(jig_arg_reduce_args) <= BENCH_ARGS_SIZE, "data->args is too small");

static void arrange_argmin(const bench_case *c, const bench_data *data) {
  jig_arg_reduce_args *args = data->args;
  *args = (jig_arg_reduce_args){.in = jig_pointer(data->in[0], library_type(own_of(c)->in)),
                                .value_out = jig_pointer(data->out[0], library_type(own_of(c)->out)),
                                .index_out = jig_pointer(data->out[1], JIG_I64),
                                .num_items = data->n,
                                .op = JIG_MIN};
}

static jig_status call_argmin(const bench_data *data, jig_engine *engine, void *temp, size_t *temp_bytes,
                              CUstream stream) {
  return jig_arg_reduce(engine, temp, temp_bytes, data->args, stream);
}

static jig_status argmin_spec(const bench_data *data, char **text) {
  return jig_arg_reduce_spec(data->args, text);
}

/* ---- jig_min_max(), and jig_count_if(), of positive numbers */

_Static_assert(sizeof(jig_min_max_args) <= BENCH_ARGS_SIZE, "data->args is too small");

static void arrange_min_max(const bench_case *c, const bench_data *data) {
  jig_min_max_args *args = data->args;
  const jig_type type = library_type(own_of(c)->in);
  *args = (jig_min_max_args){.in = jig_pointer(data->in[0], type),
                             .min_out = jig_pointer(data->out[0], type),
                             .max_out = jig_pointer((char *)data->out[0] + type.size, type),
                             .num_items = data->n};
}

static jig_status call_min_max(const bench_data *data, jig_engine *engine, void *temp, size_t *temp_bytes,
                               CUstream stream) {
  return jig_min_max(engine, temp, temp_bytes, data->args, stream);
}

static jig_status min_max_spec(const bench_data *data, char **text) {
  return jig_min_max_spec(data->args, text);
}

static void arrange_count(const bench_case *c, const bench_data *data) {
  reduce_call *r = data->args;
  r->items = jig_pointer(data->in[0], library_type(own_of(c)->in));
  r->args =
      (jig_reduce_args){.in = jig_iter_transform(&r->items, jig_op_source("return x > 0;"), JIG_BOOL),
                        .out = jig_pointer(data->out[0], JIG_I64),
                        .num_items = data->n,
                        .accum_type = JIG_U64};
}

/* ---- the table */

/* As kernel/reduce/reduce.cuh has it for a sum without init: pointers, two empty structs, count, ranges,
 * temp storage, tag. */
static const bench_null reduce_null = {
    .definitions = "struct none {}; struct share { uint64_t whole, rest; };",
    .parameters =
        "const void *in, void *out, const none init, const none op, uint64_t num_items, share ranges, "
        "void *partials, uint64_t tag",
    .parameter_count = 8};

#define REDUCE_CASE(algorithm_, in_, in_size, out_, out_size, variant_, kind_)          \
  .algorithm = algorithm_, .type = #in_, .variant = variant_, .in = {{in_size, 0}},     \
  .out = {{0, out_size}}, .fill = fill, .arrange = arrange_reduce, .call = call_reduce, \
  .spec = reduce_spec, .agree = agree, .own = &(const own) {                            \
    &in_, &out_, kind_                                                                  \
  }

static const bench_case cases[] = {
    {REDUCE_CASE("reduce", i8, 1, i32, 4, "sum", SUM)},
    {REDUCE_CASE("reduce", i16, 2, i32, 4, "sum", SUM)},
    {REDUCE_CASE("reduce", i32, 4, i32, 4, "sum", SUM)},
    {REDUCE_CASE("reduce", i64, 8, i64, 8, "sum", SUM)},
    {REDUCE_CASE("reduce", f16, 2, f16, 2, "sum", SUM)},
    {REDUCE_CASE("reduce", bf16, 2, bf16, 2, "sum", SUM)},
    {REDUCE_CASE("reduce", f32, 4, f32, 4, "sum", SUM), .null_kernel = &reduce_null},
    {REDUCE_CASE("reduce", f64, 8, f64, 8, "sum", SUM)},
    {REDUCE_CASE("reduce", f32, 4, f32, 4, "sum_gpu_to_gpu", SUM_GPU_TO_GPU)},
    {REDUCE_CASE("reduce", f64, 8, f64, 8, "sum_gpu_to_gpu", SUM_GPU_TO_GPU)},
    {REDUCE_CASE("reduce", f32, 4, f32, 4, "max", MAX)},
    {REDUCE_CASE("reduce", i8, 1, i8, 1, "min", MIN)},
    {REDUCE_CASE("reduce", f16, 2, f16, 2, "max", MAX)},
    {REDUCE_CASE("reduce", vec3, 12, vec3, 12, "sum", SUM)},
    {REDUCE_CASE("reduce", i64x3, 24, i64x3, 24, "sum", SUM)},
    {REDUCE_CASE("reduce", i64x5, 40, i64x5, 40, "sum", SUM)},
    {REDUCE_CASE("reduce", u32, 4, u32, 4, "xor_source", XOR)},
    {REDUCE_CASE("reduce", struct16, 16, struct16, 16, "minmaxsum_commutative", SUMMARY_COMMUTATIVE)},
    {REDUCE_CASE("reduce", struct16, 16, struct16, 16, "minmaxsum_ordered", SUMMARY_ORDERED)},
    {REDUCE_CASE("transform_reduce", f32, 4, f32, 4, "sum_of_squares", SQUARES)},
    {.algorithm = "transform_reduce",
     .type = "f32",
     .variant = "dot",
     .in = {{4, 0}, {4, 0}},
     .out = {{0, 4}},
     .fill = fill,
     .arrange = arrange_reduce,
     .call = call_reduce,
     .spec = reduce_spec,
     .agree = agree,
     .own = &(const own){&f32, &f32, DOT}},
    {.algorithm = "count_if",
     .type = "f32",
     .variant = "positive",
     .in = {{4, 0}},
     .out = {{0, 8}},
     .fill = fill,
     .arrange = arrange_count,
     .call = call_reduce,
     .spec = reduce_spec,
     .own = &(const own){&f32, &i64, MAX}},
    {.algorithm = "count_if",
     .type = "i8",
     .variant = "positive",
     .in = {{1, 0}},
     .out = {{0, 8}},
     .fill = fill,
     .arrange = arrange_count,
     .call = call_reduce,
     .spec = reduce_spec,
     .own = &(const own){&i8, &i64, MAX}},
    {.algorithm = "min_max",
     .type = "f32",
     .variant = "both",
     .in = {{4, 0}},
     .out = {{0, 8}},
     .fill = fill,
     .arrange = arrange_min_max,
     .call = call_min_max,
     .spec = min_max_spec,
     .own = &(const own){&f32, &f32, MAX}},
    {.algorithm = "min_max",
     .type = "f64",
     .variant = "both",
     .in = {{8, 0}},
     .out = {{0, 16}},
     .fill = fill,
     .arrange = arrange_min_max,
     .call = call_min_max,
     .spec = min_max_spec,
     .own = &(const own){&f64, &f64, MAX}},
    {.algorithm = "arg_reduce",
     .type = "i16",
     .variant = "min",
     .in = {{2, 0}},
     .out = {{0, 2}, {0, 8}},
     .fill = fill,
     .arrange = arrange_argmin,
     .call = call_argmin,
     .spec = argmin_spec,
     .own = &(const own){&i16, &i16, MAX}},
    {.algorithm = "arg_reduce",
     .type = "f64",
     .variant = "min",
     .in = {{8, 0}},
     .out = {{0, 8}, {0, 8}},
     .fill = fill,
     .arrange = arrange_argmin,
     .call = call_argmin,
     .spec = argmin_spec,
     .own = &(const own){&f64, &f64, MAX}},
    {.algorithm = "arg_reduce",
     .type = "f32",
     .variant = "min",
     .in = {{4, 0}},
     .out = {{0, 4}, {0, 8}},
     .fill = fill,
     .arrange = arrange_argmin,
     .call = call_argmin,
     .spec = argmin_spec,
     .own = &(const own){&f32, &f32, MAX}},
};

const bench_family bench_reduce = {cases, sizeof cases / sizeof cases[0]};
