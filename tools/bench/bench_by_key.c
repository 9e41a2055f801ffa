/* Cases of algorithms that work on runs of equal neighbouring keys. The peers are in cub_by_key.cu. */
#include <math.h>
#include <string.h>

#include "cases.h"
#include "gpu.h"
#include "vec3.h"

/* ---- data: keys in runs of random lengths. Of every `average` neighbours a random one begins a run. */

typedef struct own {
  const char *keys;  /* for gpu_fill() */
  uint64_t average;  /* length of a run */
  size_t key, value; /* sizes in bytes; 8 bytes of values are f64 */
  jig_determinism determinism;
} own;

#define KEYS(type, average)                                        \
  "#define SEEDED\n"                                               \
  "typedef " type                                                  \
  " item; inline item make(uint64_t, uint64_t i, uint64_t seed) {" \
  "  const uint64_t cell = i / " average ", place = i % " average  \
  ";"                                                              \
  "  return item(cell + (place >= random_bits(cell, seed) % " average ") + seed * 7); }"

static const char integers[] =
    "typedef int item; inline item make(uint64_t r, uint64_t) { return item(r >> 32); }";
static const char wide_integers[] =
    "typedef __int128 item; inline item make(uint64_t r, uint64_t) { return item(r) << 40 | r; }";
static const char doubles[] =
    "typedef double item; inline item make(uint64_t r, uint64_t) { return (long long)r * 0x1p-63; }";

static const own *own_of(const bench_case *c) {
  return c->own;
}

static void fill(const bench_case *c, const bench_data *data, uint64_t seed) {
  const own *o = own_of(c);
  if (o->key > 0) gpu_fill(data->in[0], data->n, o->keys, seed);
  if (o->value > 0)
    gpu_fill(data->in[1], data->n,
             o->value == 8    ? doubles
             : o->value == 4  ? integers
             : o->value == 12 ? VEC3_WHOLE_ITEM
                              : wide_integers,
             seed + 1);
}

static jig_type key_type(const own *o) {
  return o->key == 1 ? JIG_I8 : o->key == 4 ? JIG_I32 : o->key == 8 ? JIG_U64 : JIG_U128;
}
static jig_type value_type(const own *o) {
  return o->value == 8 ? JIG_F64 : o->value == 4 ? JIG_I32 : o->value == 12 ? vec3_type() : JIG_I128;
}
static jig_op sum_op(const own *o) {
  return o->value == 12 ? jig_op_source(VEC3_ADD) : JIG_PLUS;
}

/* ---- scan by key */

static void arrange_scan(const bench_case *c, const bench_data *data) {
  const own *o = own_of(c);
  *(jig_scan_by_key_args *)data->args =
      (jig_scan_by_key_args){.keys_in = jig_pointer(data->in[0], key_type(o)),
                             .values_in = jig_pointer(data->in[1], value_type(o)),
                             .values_out = jig_pointer(data->out[0], value_type(o)),
                             .op = sum_op(o),
                             .num_items = data->n};
}

static jig_status call_scan(const bench_data *data, jig_engine *engine, void *temp, size_t *temp_bytes,
                            CUstream stream) {
  return jig_scan_by_key(engine, temp, temp_bytes, data->args, stream);
}

static jig_status spec_scan(const bench_data *data, char **text) {
  return jig_scan_by_key_spec(data->args, text);
}

/* Sums of f64 in [-1, 1), of up to 2000 of them; of a reduce they are the second output. */
static bool agree_sums(const bench_case *c, int output, const void *jig, const void *cub, size_t bytes,
                       uint64_t n) {
  (void)n;
  const bool are_sums = own_of(c)->value == 8 && (c->out[1].per_item == 0 || output == 1);
  if (!are_sums) return memcmp(jig, cub, bytes) == 0;
  const double *a = jig, *b = cub;
  for (size_t i = 0; i < bytes / sizeof *a; ++i)
    if (!(fabs(a[i] - b[i]) <= 1e-9)) return false; /* for NaN, too */
  return true;
}

/* ---- reduce by key */

static void arrange_reduce(const bench_case *c, const bench_data *data) {
  const own *o = own_of(c);
  *(jig_reduce_by_key_args *)data->args =
      (jig_reduce_by_key_args){.keys_in = jig_pointer(data->in[0], key_type(o)),
                               .unique_out = jig_pointer(data->out[0], key_type(o)),
                               .values_in = jig_pointer(data->in[1], value_type(o)),
                               .aggregates_out = jig_pointer(data->out[1], value_type(o)),
                               .num_runs_out = jig_pointer(data->out[2], JIG_I32),
                               .num_items = data->n,
                               .op = sum_op(o),
                               .determinism = o->determinism};
}

static jig_status call_reduce(const bench_data *data, jig_engine *engine, void *temp, size_t *temp_bytes,
                              CUstream stream) {
  return jig_reduce_by_key(engine, temp, temp_bytes, data->args, stream);
}

static jig_status spec_reduce(const bench_data *data, char **text) {
  return jig_reduce_by_key_spec(data->args, text);
}

/* Inputs once, and both outputs for every run. */
static uint64_t run_bytes(const bench_case *c, uint64_t n) {
  uint64_t bytes = 0;
  for (int i = 0; i < 2; ++i)
    bytes += c->in[i].per_item * n + c->out[i].per_item * (n / own_of(c)->average);
  return bytes;
}

/* ---- runs */

static void arrange_encode(const bench_case *c, const bench_data *data) {
  const jig_type type = key_type(own_of(c));
  *(jig_run_length_encode_args *)data->args =
      (jig_run_length_encode_args){.in = jig_pointer(data->in[0], type),
                                   .unique_out = jig_pointer(data->out[0], type),
                                   .lengths_out = jig_pointer(data->out[1], JIG_I32),
                                   .num_runs_out = jig_pointer(data->out[2], JIG_I32),
                                   .num_items = data->n};
}

static jig_status call_encode(const bench_data *data, jig_engine *engine, void *temp, size_t *temp_bytes,
                              CUstream stream) {
  return jig_run_length_encode(engine, temp, temp_bytes, data->args, stream);
}

static jig_status spec_encode(const bench_data *data, char **text) {
  return jig_run_length_encode_spec(data->args, text);
}

static void arrange_runs(const bench_case *c, const bench_data *data) {
  *(jig_non_trivial_runs_args *)data->args =
      (jig_non_trivial_runs_args){.in = jig_pointer(data->in[0], key_type(own_of(c))),
                                  .offsets_out = jig_pointer(data->out[0], JIG_I32),
                                  .lengths_out = jig_pointer(data->out[1], JIG_I32),
                                  .num_runs_out = jig_pointer(data->out[2], JIG_I32),
                                  .num_items = data->n};
}

static jig_status call_runs(const bench_data *data, jig_engine *engine, void *temp, size_t *temp_bytes,
                            CUstream stream) {
  return jig_non_trivial_runs(engine, temp, temp_bytes, data->args, stream);
}

static jig_status spec_runs(const bench_data *data, char **text) {
  return jig_non_trivial_runs_spec(data->args, text);
}

/* ---- the table */

_Static_assert(sizeof(jig_scan_by_key_args) <= BENCH_ARGS_SIZE, "data->args is too small");
_Static_assert(sizeof(jig_reduce_by_key_args) <= BENCH_ARGS_SIZE, "data->args is too small");
_Static_assert(sizeof(jig_run_length_encode_args) <= BENCH_ARGS_SIZE, "data->args is too small");

#define SCAN_OF(type_, variant_, cxx_, key_, value_, average_)                                          \
  .algorithm = "scan_by_key", .type = type_, .variant = variant_, .in = {{key_, 0, 0}, {value_, 0, 0}}, \
  .out = {{value_, 0, 0}}, .fill = fill, .arrange = arrange_scan, .call = call_scan, .spec = spec_scan, \
  .agree = agree_sums, .own = &(const own) {                                                            \
    KEYS(cxx_, #average_), average_, key_, value_                                                       \
  }
#define SCAN_CASE(type_, value_, average_) \
  SCAN_OF(type_, "sum_runs_" #average_, "int", 4, value_, average_)

#define REDUCE_OF(type_, variant_, cxx_, key_, value_, average_, bits_)                                 \
  .algorithm = "reduce_by_key", .type = type_, .variant = variant_,                                     \
  .in = {{key_, 0, 0}, {value_, 0, 0}}, .out = {{key_, 0, 3}, {value_, 0, 3}, {0, 4, 0}}, .fill = fill, \
  .arrange = arrange_reduce, .call = call_reduce, .spec = spec_reduce, .agree = agree_sums,             \
  .bytes = run_bytes, .own = &(const own) {                                                             \
    KEYS(cxx_, #average_), average_, key_, value_, JIG_DETERMINISM_##bits_                              \
  }
#define REDUCE_CASE(type_, value_, average_, suffix_, bits_) \
  REDUCE_OF(type_, "sum_runs_" #average_ suffix_, "int", 4, value_, average_, bits_)

#define ENCODE_CASE(type_, cxx_, size_, average_)                                                       \
  .algorithm = "run_length_encode", .type = type_, .variant = "runs_" #average_, .in = {{size_, 0, 0}}, \
  .out = {{size_, 0, 3}, {4, 0, 3}, {0, 4, 0}}, .fill = fill, .arrange = arrange_encode,                \
  .call = call_encode, .spec = spec_encode, .bytes = run_bytes, .own = &(const own) {                   \
    KEYS(cxx_, #average_), average_, size_, 0                                                           \
  }

#define RUNS_CASE(type_, cxx_, size_)                                                                 \
  .algorithm = "non_trivial_runs", .type = type_, .variant = "runs_8", .in = {{size_, 0, 0}},         \
  .out = {{4, 0, 3}, {4, 0, 3}, {0, 4, 0}}, .fill = fill, .arrange = arrange_runs, .call = call_runs, \
  .spec = spec_runs, .bytes = run_bytes, .own = &(const own) {                                        \
    KEYS(cxx_, "8"), 8, size_, 0                                                                      \
  }

static const bench_case cases[] = {
    {SCAN_CASE("i32", 4, 8)},
    {SCAN_CASE("i32", 4, 1000)},
    {SCAN_CASE("f64", 8, 8)},
    {SCAN_CASE("f64", 8, 1000)},
    {REDUCE_CASE("i32", 4, 1, "", RUN_TO_RUN)},
    {REDUCE_CASE("i32", 4, 8, "", RUN_TO_RUN)},
    {REDUCE_CASE("i32", 4, 1000, "", RUN_TO_RUN)},
    {REDUCE_CASE("f64", 8, 8, "", RUN_TO_RUN)},
    {REDUCE_CASE("f64", 8, 8, "_gpu_to_gpu", GPU_TO_GPU)},
    {REDUCE_CASE("f64", 8, 1000, "_gpu_to_gpu", GPU_TO_GPU)},
    {SCAN_CASE("vec3", 12, 8)},
    {REDUCE_CASE("vec3", 12, 8, "", RUN_TO_RUN)},
    {SCAN_CASE("i128", 16, 8)},
    {SCAN_OF("i32", "sum_by_u128_runs_8", "unsigned __int128", 16, 4, 8)},
    {REDUCE_CASE("i128", 16, 8, "", RUN_TO_RUN)},
    {REDUCE_OF("i32", "sum_by_u128_runs_8", "unsigned __int128", 16, 4, 8, RUN_TO_RUN)},
    {ENCODE_CASE("i32", "int", 4, 1)},
    {ENCODE_CASE("i32", "int", 4, 8)},
    {ENCODE_CASE("i32", "int", 4, 1000)},
    {ENCODE_CASE("i8", "signed char", 1, 1)},
    {ENCODE_CASE("i8", "signed char", 1, 8)},
    {ENCODE_CASE("i8", "signed char", 1, 1000)},
    {ENCODE_CASE("u64", "unsigned long long", 8, 8)},
    {REDUCE_OF("f64", "sum_by_u64_runs_8", "unsigned long long", 8, 8, 8, RUN_TO_RUN)},
    {SCAN_OF("i32", "sum_by_u64_runs_8", "unsigned long long", 8, 4, 8)},
    {ENCODE_CASE("u128", "unsigned __int128", 16, 8)},
    {RUNS_CASE("i32", "int", 4)},
    {RUNS_CASE("i8", "signed char", 1)},
    {RUNS_CASE("u128", "unsigned __int128", 16)},
};

const bench_family bench_by_key = {cases, sizeof cases / sizeof cases[0]};
