/* Cases of jig_segmented_reduce() and jig_segmented_arg_reduce(). Floating-point items are small whole
 * numbers, of which sums are exact. */
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "gpu.h"
#include "lengths.h"
#include "vec3.h"

/* ---- items and segments */

typedef struct item_type {
  const char *name, *out;
  const char *source; /* for gpu_fill() */
} item_type;

#define WHOLE_ITEM(type)                                                                                 \
  "typedef " type                                                                                        \
  " item; inline item make(uint64_t r, uint64_t) { return item((int(r >> 60 & 7) + 1) * (r >> 63 ? 1 : " \
  "-1)); }"

static const item_type f32 = {"f32", "f32", WHOLE_ITEM("float")};
static const item_type f64 = {"f64", "f64", WHOLE_ITEM("double")};
static const item_type u8 = {
    "u8", "i32",
    "typedef unsigned char item; inline item make(uint64_t r, uint64_t) { return item(r >> 56); }"};

static const item_type f16 = {
    "f16", "f16",
    "typedef uint16_t item; inline item make(uint64_t r, uint64_t) {"
    "  const float x = (int(r >> 60 & 7) + 1) * (r >> 63 ? 1 : -1);"
    "  item h; asm(\"cvt.rn.f16.f32 %0, %1;\" : \"=h\"(h) : \"f\"(x)); return h; }"};

static const item_type vec3 = {"vec3", "vec3", VEC3_WHOLE_ITEM};

/* How long segments are, given `length`. */
typedef enum shape {
  EQUAL,       /* so long, by offsets */
  FIXED,       /* the same without */
  APART,       /* by two arrays; 16 items less */
  UNIFORM,     /* 0 to twice as many */
  LOGARITHMIC, /* 1 to so many, as many of 1 to 2 as of 1000 to 2000 */
  GIANT,       /* so long, after one of half of the items */
  GIANT_APART, /* the same by two arrays; 16 items less */
  MOST_EMPTY,  /* one of ten, ten times as long, and the others empty */
} shape;

/* What is made of a segment. Results of MOST are those in any order, but jig is not told: CUB's
 * reductions of segments need not keep it. */
typedef enum operation {
  ADDED,    /* the sum */
  GREATEST, /* of the items and an initial value, so that those of empty segments agree */
  MOST,     /* the same by an operator from source */
  LEAST     /* the smallest item, and where it is */
} operation;

typedef struct own {
  const item_type *type;
  shape shape;
  uint64_t length;
  jig_determinism determinism;
  operation operation;
} own;

static const own *own_of(const bench_case *c) {
  return c->own;
}

#define IS_APART(shape) ((shape) == APART || (shape) == GIANT_APART)

static uint64_t length_of(const void *own_, uint64_t count, uint64_t n, uint64_t *state) {
  const own *o = own_;
  switch (o->shape) {
    case UNIFORM:
      return next_random(state) % (2 * o->length + 1);
    case LOGARITHMIC:
      return logarithmic_length(state, o->length);
    case GIANT:
    case GIANT_APART:
      return count == 0 ? n / 2 : o->length;
    case MOST_EMPTY:
      return next_random(state) % 10 == 0 ? 10 * o->length : 0;
    default:
      return o->length;
  }
}

static uint64_t segments_of(const bench_case *c, uint64_t n) {
  const own *o = own_of(c);
  if (o->shape == FIXED) return n / o->length > 0 ? n / o->length : 1;
  return o->shape == EQUAL || o->shape == APART ? (n + o->length - 1) / o->length
                                                : cut_segments(length_of, o, n, NULL);
}

/* Input 1 is where segments begin, and where the last one ends; if they lie apart 2 is where they end.
 * Results past the last segment's are the same for both sides, too. */
static void fill(const bench_case *c, const bench_data *data, uint64_t seed) {
  const own *o = own_of(c);
  gpu_fill(data->in[0], data->n, o->type->source, seed);
  if (o->shape == FIXED) return;
  const uint64_t count = segments_of(c, data->n);
  uint32_t *borders = calloc(count + 1, sizeof *borders);
  if (borders == NULL) die("out of memory");
  (void)cut_segments(length_of, o, data->n, borders + 1);
  gpu_write(data->in[1], borders, (count + 1) * sizeof *borders);
  for (uint64_t i = 0; IS_APART(o->shape) && i < count; ++i)
    borders[i] = borders[i + 1] - borders[i] > 16 ? borders[i + 1] - 16 : borders[i];
  if (IS_APART(o->shape)) gpu_write(data->in[2], borders, count * sizeof *borders);
  free(borders);
}

static uint64_t moved_bytes(const bench_case *c, uint64_t n) {
  const own *o = own_of(c);
  const uint64_t count = segments_of(c, n), offsets = o->shape == FIXED    ? 0
                                                      : IS_APART(o->shape) ? 2 * count
                                                                           : count;
  return n * c->in[0].per_item + offsets * sizeof(uint32_t) + count * c->out[0].per_item;
}

/* Whether two results are the same number: 0 may be -0, which a sum of nothing is. */
static bool same_number(const char *a, const char *b, size_t size) {
  float f[2];
  double d[2];
  if (memcmp(a, b, size) == 0) return true;
  if (size == sizeof *f) {
    memcpy(&f[0], a, size);
    memcpy(&f[1], b, size);
    return f[0] == f[1];
  }
  if (size != sizeof *d) return false;
  memcpy(&d[0], a, size);
  memcpy(&d[1], b, size);
  return d[0] == d[1];
}

/* Whether all results are the same numbers. The array may be a
 * little longer than there are segments: neither side has written the rest, of which each has its own
 * poison. */
static bool agree(const bench_case *c, int output, const void *jig, const void *cub, size_t bytes,
                  uint64_t n) {
  const size_t size = c->out[0].per_item;
  const char *a = jig, *b = cub;
  (void)output;
  (void)n;
  for (size_t i = 0; i < bytes; i += size) {
    if (!is_unwritten(a + i, b + i) && !same_number(a + i, b + i, size)) return false;
  }
  return true;
}

/* ---- the calls */

typedef union segmented_args {
  jig_segmented_reduce_args sum;
  jig_segmented_arg_reduce_args least;
} segmented_args;

_Static_assert(sizeof(segmented_args) <= BENCH_ARGS_SIZE, "data->args is too small");

static const double far_below = -1e30;
static const float zero = 0;

static void arrange(const bench_case *c, const bench_data *data) {
  const own *o = own_of(c);
  uint32_t *offsets = data->in[1];
  const jig_iter in = jig_pointer(data->in[0], type_or_vec3(o->type->name));
  const jig_iter begins = jig_pointer(offsets, JIG_U32),
                 ends = jig_pointer(IS_APART(o->shape) ? data->in[2] : offsets + 1, JIG_U32);
  segmented_args *args = data->args;
  if (o->operation == LEAST) {
    args->least =
        (jig_segmented_arg_reduce_args){.in = in,
                                        .index_out = jig_strided(data->out[0], 8, JIG_I32),
                                        .value_out = jig_strided((char *)data->out[0] + 4, 8, in.type),
                                        .begin_offsets = begins,
                                        .end_offsets = ends,
                                        .num_segments = segments_of(c, data->n)};
    return;
  }
  args->sum = (jig_segmented_reduce_args){.in = in,
                                          .out = jig_pointer(data->out[0], type_or_vec3(o->type->out)),
                                          .num_segments = segments_of(c, data->n)};
  args->sum.determinism = o->determinism;
  if (o->type == &vec3) args->sum.op = jig_op_source(VEC3_ADD);
  if (o->operation == GREATEST) args->sum.op = JIG_MAX;
  if (o->operation == GREATEST) args->sum.init = &far_below;
  if (o->operation == MOST) args->sum.op = jig_op_source("return a < b ? b : a;");
  if (o->operation == MOST) args->sum.init = &zero;
  if (o->shape == FIXED) args->sum.segment_size = o->length < data->n ? o->length : data->n;
  if (o->shape != FIXED) args->sum.begin_offsets = begins;
  if (o->shape != FIXED) args->sum.end_offsets = ends;
}

static jig_status call_sum(const bench_data *data, jig_engine *engine, void *temp, size_t *temp_bytes,
                           CUstream stream) {
  const segmented_args *args = data->args;
  return jig_segmented_reduce(engine, temp, temp_bytes, &args->sum, stream);
}

static jig_status spec_sum(const bench_data *data, char **text) {
  const segmented_args *args = data->args;
  return jig_segmented_reduce_spec(&args->sum, text);
}

static jig_status call_least(const bench_data *data, jig_engine *engine, void *temp, size_t *temp_bytes,
                             CUstream stream) {
  const segmented_args *args = data->args;
  return jig_segmented_arg_reduce(engine, temp, temp_bytes, &args->least, stream);
}

static jig_status spec_least(const bench_data *data, char **text) {
  const segmented_args *args = data->args;
  return jig_segmented_arg_reduce_spec(&args->least, text);
}

/* ---- the table */

/* `share_`: of so many items there is a segment at most. */
#define CASE(type_, size_, out_size_, algorithm_, variant_, does_, shape_, length_, share_, bits_,     \
             operation_)                                                                               \
  {                                                                                                    \
    .algorithm = algorithm_, .type = #type_, .variant = variant_,                                      \
    .in = {{size_, 0},                                                                                 \
           {shape_ == FIXED ? 0 : 4, 64, .share = share_},                                             \
           {IS_APART(shape_) ? 4 : 0, 64, .share = share_}},                                           \
    .out = {{out_size_, 64, .share = share_}}, .fill = fill, .arrange = arrange, .call = call_##does_, \
    .spec = spec_##does_, .agree = agree, .bytes = moved_bytes, .own = &(const own) {                  \
      &type_, shape_, length_, JIG_DETERMINISM_##bits_, operation_                                     \
    }                                                                                                  \
  }
#define SUM(variant_, shape_, length_, share_) \
  CASE(f32, 4, 4, "segmented_reduce", "sum_" variant_, sum, shape_, length_, share_, RUN_TO_RUN, ADDED)
#define SUM_OF(type_, size_, out_size_, variant_, shape_, length_, bits_)                           \
  CASE(type_, size_, out_size_, "segmented_reduce", "sum_" variant_, sum, shape_, length_, length_, \
       bits_, ADDED)
#define FOLD(type_, size_, variant_, operation_, shape_, length_, share_)                           \
  CASE(type_, size_, size_, "segmented_reduce", variant_, sum, shape_, length_, share_, RUN_TO_RUN, \
       operation_)
#define EQUAL_SUM(length_) SUM("offsets_" #length_, EQUAL, length_, length_)
#define FIXED_SUM(length_) SUM("fixed_" #length_, FIXED, length_, length_)

static const bench_case cases[] = {
    EQUAL_SUM(1),
    EQUAL_SUM(16),
    EQUAL_SUM(256),
    EQUAL_SUM(4096),
    EQUAL_SUM(1048576),
    FIXED_SUM(4),
    FIXED_SUM(16),
    FIXED_SUM(17),
    FIXED_SUM(100),
    FIXED_SUM(256),
    FIXED_SUM(1000),
    FIXED_SUM(4096),
    FIXED_SUM(1048576),
    SUM("uniform_16", UNIFORM, 16, 8),
    SUM("uniform_256", UNIFORM, 256, 64),
    SUM("uniform_1500", UNIFORM, 1500, 300),
    SUM("uniform_4096", UNIFORM, 4096, 1024),
    SUM("logarithmic", LOGARITHMIC, 65536, 64),
    SUM("giant", GIANT, 16, 16),
    SUM("most_empty", MOST_EMPTY, 16, 8),
    SUM("apart_256", APART, 256, 256),
    SUM("giant_apart_256", GIANT_APART, 256, 256),
    SUM_OF(f64, 8, 8, "offsets_256", EQUAL, 256, RUN_TO_RUN),
    SUM_OF(vec3, 12, 12, "offsets_256", EQUAL, 256, RUN_TO_RUN),
    SUM_OF(f16, 2, 2, "offsets_256", EQUAL, 256, RUN_TO_RUN),
    SUM_OF(u8, 1, 4, "offsets_256", EQUAL, 256, RUN_TO_RUN),
    SUM_OF(f32, 4, 4, "offsets_256_gpu_to_gpu", EQUAL, 256, GPU_TO_GPU),
    SUM_OF(f32, 4, 4, "giant_gpu_to_gpu", GIANT, 16, GPU_TO_GPU),
    FOLD(f64, 8, "max_uniform_1000", GREATEST, UNIFORM, 1000, 250),
    FOLD(f32, 4, "max_source_offsets_256", MOST, EQUAL, 256, 256),
    FOLD(f32, 4, "max_source_uniform_256", MOST, UNIFORM, 256, 64),
    CASE(f32, 4, 8, "segmented_arg_reduce", "min_offsets_256", least, EQUAL, 256, 256, RUN_TO_RUN, LEAST),
};

const bench_family bench_segmented_reduce = {cases, sizeof cases / sizeof cases[0]};
