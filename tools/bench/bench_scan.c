/* Cases of jig_scan(). The peers are in cub_scan.cu. */
#include <math.h>
#include <string.h>

#include "cases.h"
#include "gpu.h"
#include "matrix.h"
#include "vec3.h"

/* ---- types */

/* How one type's items come about and how sums of them are compared. */
typedef struct item_type {
  const char *name;
  size_t size;
  const char *source;   /* for gpu_fill() */
  double unit_roundoff; /* 0: exact */
} item_type;

#define INTEGER_ITEM(type, shift) \
  "typedef " type " item; inline item make(uint64_t r, uint64_t) { return item(r >> " shift "); }"

static const item_type i8 = {"i8", 1, INTEGER_ITEM("signed char", "56"), 0};
static const item_type i16 = {"i16", 2, INTEGER_ITEM("short", "48"), 0};
static const item_type i32 = {"i32", 4, INTEGER_ITEM("int", "32"), 0};
static const item_type i64 = {"i64", 8, INTEGER_ITEM("long long", "0"), 0};
static const item_type f32 = {
    "f32", 4, "typedef float item; inline item make(uint64_t r, uint64_t) { return unit(r); }", 0x1p-24};
static const item_type f64 = {
    "f64", 8,
    "typedef double item; inline item make(uint64_t r, uint64_t) { return (long long)r * 0x1p-63; }",
    0x1p-53};

static const item_type struct16 = {"struct16", 16, MATRIX_ITEM, 0};

static const item_type vec3 = {"vec3", 12, VEC3_WHOLE_ITEM, 0};

#define I64X3_SOURCE "struct i64x3 { long long x, y, z; };"
static const item_type i64x3 = {"i64x3", 24,
                                I64X3_SOURCE
                                " typedef i64x3 item; inline item make(uint64_t r, uint64_t i) {"
                                "  return {(long long)r, (long long)(r * 3), (long long)i}; }",
                                0};

static jig_type library_type(const item_type *type) {
  if (type == &i64x3) return jig_struct("i64x3", I64X3_SOURCE, 24, 8);
  if (type == &vec3) return vec3_type();
  if (type == &struct16) return jig_struct("matrix", MATRIX_SOURCE, type->size, 4);
  return jig_type_from_name(type->name);
}

static jig_op operator_of(const item_type *type) {
  return type == &struct16 ? jig_op_source(MATRIX_MULTIPLY)
         : type == &vec3   ? jig_op_source(VEC3_ADD)
         : type == &i64x3  ? jig_op_source("return i64x3{a.x + b.x, a.y + b.y, a.z + b.z};")
                           : JIG_PLUS;
}

typedef struct own {
  const item_type *in, *out;
  jig_scan_mode mode;
} own;

static const own *own_of(const bench_case *c) {
  return c->own;
}

static void fill(const bench_case *c, const bench_data *data, uint64_t seed) {
  gpu_fill(data->in[0], data->n, own_of(c)->in->source, seed);
}

/* ---- comparing */

/* How far apart two floating-point sums of up to n random numbers in [-1, 1) may lie. What comes before a
 * tile is a sum of tiles, each of a few thousand items, one after the other, and every addition errs by a
 * fraction of a partial sum, about as large as sqrt(n). The errors add up like a random walk. */
static double tolerance(double unit_roundoff, double sum, uint64_t n) {
  const double items = (double)n, chain = items * 0x1p-11 + 64;
  return 4 * unit_roundoff * sqrt(items * chain) + 2 * unit_roundoff * fabs(sum);
}

static double value_at(const item_type *type, const void *items, size_t i) {
  float single;
  double value;
  if (type == &f32) {
    memcpy(&single, (const char *)items + i * sizeof single, sizeof single);
    return single;
  }
  memcpy(&value, (const char *)items + i * sizeof value, sizeof value);
  return value;
}

static bool agree(const bench_case *c, int output, const void *jig, const void *cub, size_t bytes,
                  uint64_t n) {
  (void)output;
  const item_type *type = own_of(c)->out;
  if (type->unit_roundoff <= 0) return memcmp(jig, cub, bytes) == 0;
  for (size_t i = 0; i < bytes / type->size; ++i) {
    const double a = value_at(type, jig, i), b = value_at(type, cub, i);
    if (!(fabs(a - b) <= tolerance(type->unit_roundoff, b, n))) return false; /* for NaN, too */
  }
  return true;
}

/* ---- jig_scan() */

_Static_assert(sizeof(jig_scan_args) <= BENCH_ARGS_SIZE, "data->args is too small");

static void arrange(const bench_case *c, const bench_data *data) {
  const own *o = own_of(c);
  jig_scan_args *args = data->args;
  *args = (jig_scan_args){.in = jig_pointer(data->in[0], library_type(o->in)),
                          .out = jig_pointer(data->out[0], library_type(o->out)),
                          .num_items = data->n,
                          .op = operator_of(o->in),
                          .mode = o->mode};
}

static jig_status call(const bench_data *data, jig_engine *engine, void *temp, size_t *temp_bytes,
                       CUstream stream) {
  return jig_scan(engine, temp, temp_bytes, data->args, stream);
}

static jig_status spec(const bench_data *data, char **text) {
  return jig_scan_spec(data->args, text);
}

/* ---- the table */

/* As kernel/scan/scan_single_wave.cuh has it without an init: pointers, two empty structs, count,
 * rows, temp storage, tag. */
static const bench_null scan_null = {
    .definitions = "struct none {};",
    .parameters =
        "const void *in, void *out, const none init, const none op, uint64_t num_items, int rows, "
        "void *control, uint64_t tag",
    .parameter_count = 8};

#define SCAN_CASE(in_, in_size, out_, out_size, variant_, mode_)                                        \
  .algorithm = "scan", .type = #in_, .variant = variant_, .in = {{in_size, 0}}, .out = {{out_size, 0}}, \
  .fill = fill, .arrange = arrange, .call = call, .spec = spec, .agree = agree, .own = &(const own) {   \
    &in_, &out_, mode_                                                                                  \
  }

static const bench_case cases[] = {
    {SCAN_CASE(i8, 1, i8, 1, "exclusive_sum", JIG_SCAN_EXCLUSIVE)},
    {SCAN_CASE(i16, 2, i16, 2, "exclusive_sum", JIG_SCAN_EXCLUSIVE)},
    {SCAN_CASE(i32, 4, i32, 4, "exclusive_sum", JIG_SCAN_EXCLUSIVE)},
    {SCAN_CASE(i64, 8, i64, 8, "exclusive_sum", JIG_SCAN_EXCLUSIVE)},
    {SCAN_CASE(f32, 4, f32, 4, "exclusive_sum", JIG_SCAN_EXCLUSIVE), .null_kernel = &scan_null},
    {SCAN_CASE(f64, 8, f64, 8, "exclusive_sum", JIG_SCAN_EXCLUSIVE)},
    {SCAN_CASE(i8, 1, i32, 4, "exclusive_sum_i32", JIG_SCAN_EXCLUSIVE)},
    {SCAN_CASE(i32, 4, i64, 8, "exclusive_sum_i64", JIG_SCAN_EXCLUSIVE)},
    {SCAN_CASE(i32, 4, i32, 4, "inclusive_sum", JIG_SCAN_INCLUSIVE)},
    {SCAN_CASE(vec3, 12, vec3, 12, "inclusive_sum", JIG_SCAN_INCLUSIVE)},
    {SCAN_CASE(i64x3, 24, i64x3, 24, "inclusive_sum", JIG_SCAN_INCLUSIVE)},
    {SCAN_CASE(struct16, 16, struct16, 16, "inclusive_matrix", JIG_SCAN_INCLUSIVE)},
};

const bench_family bench_scan = {cases, sizeof cases / sizeof cases[0]};
