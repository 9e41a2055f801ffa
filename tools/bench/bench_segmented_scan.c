/* Cases of jig_segmented_scan(). The peers are in cub_segmented_scan.cu. CUB has them from 3.3 on, which
 * is newer than what CUDA 13.0 comes with; before, what to compare them with is a scan of as many items
 * in the same run, such as scan/i32/inclusive_sum, bytes for bytes. */
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "gpu.h"
#include "matrix.h"

/* ---- items */

typedef struct item_type {
  const char *name;
  size_t size;
  const char *source; /* for gpu_fill() */
} item_type;

#define INTEGER_ITEM(type, shift) \
  "typedef " type " item; inline item make(uint64_t r, uint64_t) { return item(r >> " shift "); }"

static const item_type i8 = {"i8", 1, INTEGER_ITEM("signed char", "56")};
static const item_type i32 = {"i32", 4, INTEGER_ITEM("int", "32")};
static const item_type i64 = {"i64", 8, INTEGER_ITEM("long long", "0")};
/* Whole numbers, whose sums are exact. */
#define WHOLE_ITEM(type) \
  "typedef " type        \
  " item;"               \
  " inline item make(uint64_t r, uint64_t) { return item(int(r >> 60) * 2 - 15); }"
static const item_type f32 = {"f32", 4, WHOLE_ITEM("float")};
static const item_type f64 = {"f64", 8, WHOLE_ITEM("double")};

static const item_type struct16 = {"struct16", 16, MATRIX_ITEM};

static jig_type library_type(const item_type *type) {
  if (type == &struct16) return jig_struct("matrix", MATRIX_SOURCE, type->size, 4);
  return jig_type_from_name(type->name);
}

/* ---- segments */

/* How long they are, given `length`. */
typedef enum shape {
  EQUAL,        /* so long */
  COMPUTED,     /* the same, by iterators that count */
  EIGHTH,       /* of each eight one, and the others empty */
  GIANT_FIRST,  /* so long, after one of half of the items */
  GIANT_MIDDLE, /* that one in the middle */
  GIANT_LAST,
  LOGARITHMIC, /* 1 to so many, as many of 1 to 2 as of 1000 to 2000 */
  SHUFFLED     /* 1 to twice as many, in random order and with gaps */
} shape;

typedef struct own {
  const item_type *type;
  shape shape;
  uint64_t length;
  const char *offsets; /* for gpu_fill(), if that makes them */
} own;

#define OFFSETS(expression) \
  "typedef unsigned item; inline item make(uint64_t, uint64_t i) { return item(" expression "); }"

static const own *own_of(const bench_case *c) {
  return c->own;
}

static uint64_t next(uint64_t *state) {
  *state ^= *state >> 12;
  *state ^= *state << 25;
  *state ^= *state >> 27;
  return *state * 0x2545f4914f6cdd1dU >> 11;
}

/* 2^20 at most: a random number of as many bits as are drawn first. */
static uint64_t logarithmic(uint64_t *state, uint64_t most) {
  uint64_t bits = 0;
  while (most >> bits > 1) ++bits;
  const uint64_t power = (uint64_t)1 << next(state) % bits;
  return power + next(state) % power;
}

/* Writes where segments end, one after the other; how many there are. `ends` may be NULL. */
static uint64_t cut(const own *o, uint64_t n, uint32_t *ends) {
  const uint64_t giant = n / 2, rest = n - giant;
  uint64_t state = 88172645463325252U, count = 0, end = 0;
  while (end < n) {
    uint64_t length = o->length;
    if (o->shape == LOGARITHMIC) length = logarithmic(&state, o->length);
    if (o->shape == SHUFFLED) length = 1 + next(&state) % (2 * o->length - 1);
    const bool is_giant = (o->shape == GIANT_FIRST && count == 0) ||
                          (o->shape == GIANT_MIDDLE && end >= rest / 2 && end < rest / 2 + o->length) ||
                          (o->shape == GIANT_LAST && end >= rest);
    if (is_giant) length = giant;
    end = end + length < n ? end + length : n;
    if (ends != NULL) ends[count] = (uint32_t)end;
    ++count;
  }
  return count;
}

static uint64_t segments_of(const bench_case *c, uint64_t n) {
  const own *o = own_of(c);
  if (o->shape == EIGHTH) return n / o->length * 8;
  if (o->shape != EQUAL && o->shape != COMPUTED) return cut(o, n, NULL);
  return n / o->length > 0 ? n / o->length : 1;
}

static void upload(void *to, const uint32_t *from, uint64_t count) {
  GPU(gpu()->cuMemcpyHtoDAsync((CUdeviceptr)(uintptr_t)to, from, count * sizeof *from, gpu_stream()));
  GPU(gpu()->cuStreamSynchronize(gpu_stream()));
}

/* Of each segment but the first one, a gap of 0 to 3 of its first items. */
static void shuffle(uint32_t *begins, uint32_t *ends, uint64_t count) {
  uint64_t state = 362436069;
  for (uint64_t i = count; i-- > 0;) {
    begins[i] = i > 0 ? ends[i - 1] + (uint32_t)(next(&state) % 4) : 0;
    if (begins[i] >= ends[i]) begins[i] = ends[i] - 1;
  }
  for (uint64_t i = count; i > 1; --i) {
    const uint64_t other = next(&state) % i;
    const uint32_t begin = begins[i - 1], end = ends[i - 1];
    begins[i - 1] = begins[other];
    ends[i - 1] = ends[other];
    begins[other] = begin;
    ends[other] = end;
  }
}

static void fill_from_host(const bench_case *c, const bench_data *data) {
  const uint64_t count = segments_of(c, data->n);
  uint32_t *begins = calloc(count + 1, sizeof *begins), *ends = malloc((count + 1) * sizeof *ends);
  if (begins == NULL || ends == NULL) die("out of memory");
  (void)cut(own_of(c), data->n, ends);
  if (own_of(c)->shape == SHUFFLED) {
    shuffle(begins, ends, count);
    upload(data->in[1], begins, count);
    upload(data->in[2], ends, count);
  } else {
    upload(data->in[1], begins, 1);
    upload((uint32_t *)data->in[1] + 1, ends, count);
  }
  free(begins);
  free(ends);
}

static void fill(const bench_case *c, const bench_data *data, uint64_t seed) {
  const own *o = own_of(c);
  const uint64_t count = segments_of(c, data->n);
  const uint32_t end = (uint32_t)data->n;
  gpu_fill(data->in[0], data->n, o->type->source, seed);
  if (o->shape == COMPUTED) return;
  if (o->shape != EQUAL && o->shape != EIGHTH) {
    fill_from_host(c, data);
    return;
  }
  gpu_fill(data->in[1], count + 1, o->offsets, seed);
  if (count == 1) upload((uint32_t *)data->in[1] + 1, &end, 1);
}

/* Items once in and out, and offsets. */
static uint64_t moved_bytes(const bench_case *c, uint64_t n) {
  const own *o = own_of(c);
  const uint64_t count = segments_of(c, n), offsets = o->shape == SHUFFLED ? 2 * count : count + 1;
  return 2 * n * o->type->size + (o->shape == COMPUTED ? 0 : offsets * sizeof(uint32_t));
}

/* Whether all results are the same. What lies between segments neither side has written: each has its own
 * poison. */
static bool agree(const bench_case *c, int output, const void *jig, const void *cub, size_t bytes,
                  uint64_t n) {
  const size_t size = c->out[0].per_item;
  const char *a = jig, *b = cub;
  (void)output;
  (void)n;
  for (size_t i = 0; i < bytes; i += size) {
    if (!is_unwritten(a + i, b + i) && memcmp(a + i, b + i, size) != 0) return false;
  }
  return true;
}

/* ---- the calls */

/* With what computed offsets point to. */
typedef struct segmented_args {
  jig_segmented_scan_args args;
  int64_t length;
} segmented_args;

_Static_assert(sizeof(segmented_args) <= BENCH_ARGS_SIZE, "data->args is too small");

static void arrange(const bench_case *c, const bench_data *data) {
  const own *o = own_of(c);
  uint32_t *offsets = data->in[1];
  segmented_args *s = data->args;
  s->length = (int64_t)(o->length < data->n ? o->length : data->n);
  s->args = (jig_segmented_scan_args){
      .in = jig_pointer(data->in[0], library_type(o->type)),
      .out = jig_pointer(data->out[0], library_type(o->type)),
      .begin_offsets = jig_pointer(offsets, JIG_I32),
      .end_offsets = jig_pointer(o->shape == SHUFFLED ? data->in[2] : offsets + 1, JIG_I32),
      .num_segments = segments_of(c, data->n),
      .op = o->type == &struct16 ? jig_op_source(MATRIX_MULTIPLY) : JIG_PLUS,
      .accum_type = library_type(o->type)};
  if (o->shape != COMPUTED) return;
  s->args.begin_offsets = jig_counting_by(NULL, &s->length, JIG_I64);
  s->args.end_offsets = jig_counting_by(&s->length, &s->length, JIG_I64);
}

static jig_status call(const bench_data *data, jig_engine *engine, void *temp, size_t *temp_bytes,
                       CUstream stream) {
  const segmented_args *s = data->args;
  return jig_segmented_scan(engine, temp, temp_bytes, &s->args, stream);
}

static jig_status spec(const bench_data *data, char **text) {
  const segmented_args *s = data->args;
  return jig_segmented_scan_spec(&s->args, text);
}

/* ---- the table */

/* `share`: of so many items there is a segment at most. */
#define CASE(type_, size_, variant_, shape_, length_, share_, offsets_)                                \
  {                                                                                                    \
    .algorithm = "segmented_scan", .type = #type_, .variant = variant_,                                \
    .in = {{size_, 0}, {4, 64, .share = share_}, {shape_ == SHUFFLED ? 4 : 0, 64, .share = share_}},   \
    .out = {{size_, 0}}, .fill = fill, .arrange = arrange, .call = call, .spec = spec, .agree = agree, \
    .bytes = moved_bytes, .own = &(const own) {                                                        \
      &type_, shape_, length_, offsets_                                                                \
    }                                                                                                  \
  }
#define EQUAL_CASE(type_, size_, length_) \
  CASE(type_, size_, "sum_offsets_" #length_, EQUAL, length_, length_, OFFSETS("i * " #length_))
#define COMPUTED_CASE(length_) CASE(i32, 4, "sum_segments_" #length_, COMPUTED, length_, length_, NULL)
#define ONE ((uint64_t)1 << 40)

static const bench_case cases[] = {
    COMPUTED_CASE(16),
    COMPUTED_CASE(256),
    COMPUTED_CASE(100000),
    EQUAL_CASE(i32, 4, 1),
    EQUAL_CASE(i32, 4, 4),
    EQUAL_CASE(i32, 4, 8),
    EQUAL_CASE(i32, 4, 30),
    EQUAL_CASE(i32, 4, 300),
    EQUAL_CASE(i32, 4, 3000),
    EQUAL_CASE(i32, 4, 100000),
    CASE(i32, 4, "sum_one", EQUAL, ONE, 1u << 30, OFFSETS("0")),
    CASE(i32, 4, "sum_7_of_8_empty", EIGHTH, 8, 1, OFFSETS("(i + 7) / 8 * 8")),
    CASE(i32, 4, "sum_giant_first", GIANT_FIRST, 8, 1, NULL),
    CASE(i32, 4, "sum_giant_middle", GIANT_MIDDLE, 8, 1, NULL),
    CASE(i32, 4, "sum_giant_last", GIANT_LAST, 8, 1, NULL),
    CASE(i32, 4, "sum_logarithmic", LOGARITHMIC, 1 << 20, 1, NULL),
    CASE(i32, 4, "sum_shuffled_3000", SHUFFLED, 3000, 1, NULL),
    CASE(i32, 4, "sum_shuffled_300", SHUFFLED, 300, 1, NULL),
    CASE(i32, 4, "sum_shuffled_100000", SHUFFLED, 100000, 1, NULL),
    CASE(i32, 4, "sum_shuffled_30", SHUFFLED, 30, 1, NULL),
    CASE(i8, 1, "sum_shuffled_3000", SHUFFLED, 3000, 1, NULL),
    EQUAL_CASE(i8, 1, 30),
    EQUAL_CASE(i8, 1, 3000),
    CASE(i64, 8, "sum_shuffled_3000", SHUFFLED, 3000, 1, NULL),
    EQUAL_CASE(i64, 8, 4),
    EQUAL_CASE(i64, 8, 3000),
    CASE(i64, 8, "sum_giant_middle", GIANT_MIDDLE, 8, 1, NULL),
    CASE(i64, 8, "sum_logarithmic", LOGARITHMIC, 1 << 20, 1, NULL),
    EQUAL_CASE(f32, 4, 30),
    CASE(f32, 4, "sum_giant_middle", GIANT_MIDDLE, 8, 1, NULL),
    EQUAL_CASE(f64, 8, 30),
    CASE(f64, 8, "sum_giant_middle", GIANT_MIDDLE, 8, 1, NULL),
    CASE(struct16, 16, "matrix_offsets_8", EQUAL, 8, 8, OFFSETS("i * 8")),
    CASE(struct16, 16, "matrix_giant_middle", GIANT_MIDDLE, 8, 1, NULL),
};

const bench_family bench_segmented_scan = {cases, sizeof cases / sizeof cases[0]};
