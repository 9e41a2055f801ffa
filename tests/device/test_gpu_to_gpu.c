/* Folds by JIG_DETERMINISM_GPU_TO_GPU: every GPU has to give the bits that are written down here, at
 * every alignment of the items. test_other_gpus.sh runs this on software GPUs of several sizes and kinds.
 */
#include <jig/jig.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "numbers.h"
#include "reduce_support.h"
#include "suite.h"
#include "util/hash.h"

/* What is folded, and how; NULL: no transform, plus. */
typedef struct fold {
  const char *name;
  jig_type_kind kind;
  const char *transform, *op;
  int commutative;
  double epsilon;
} fold;

enum { FOLDS = 6 };
static const fold folds[FOLDS] = {
    {"f32", JIG_KIND_F32, NULL, NULL, 0, 0x1p-23},
    {"f64", JIG_KIND_F64, NULL, NULL, 0, 0x1p-52},
    {"bf16", JIG_KIND_BF16, NULL, NULL, 0, 0x1p-7},
    {"squares of f32", JIG_KIND_F32, "return x * x;", NULL, 0, 0x1p-23},
    {"f32, by an operator", JIG_KIND_F32, NULL, "return a + b;", 0, 0x1p-23},
    {"f64, by a commutative operator", JIG_KIND_F64, NULL, "return a + b;", 1, 0x1p-52},
};

/* Items of many magnitudes, so that hardly any two orders of adding give the same; in segments of many
 * lengths, of which one has two fifths of all. */
typedef struct scene {
  const fold *f;
  jig_type type;
  size_t count, segments, row_items;
  unsigned char *host;
  int64_t *offsets;
  uint32_t *keys;
  void *d_in, *d_offsets, *d_keys, *d_out;
} scene;

static double item(const scene *s, size_t i) {
  const double x = get_float(s->f->kind, s->host, i);
  return s->f->transform != NULL ? x * x : x;
}

static size_t random_length(uint64_t *seed) {
  const uint64_t r = next_random(seed) >> 20;
  return 1 + r / 100 % (r % 100 == 0 ? 6000 : 30);
}

static void cut_into_segments(scene *s) {
  uint64_t seed = 5;
  const size_t long_from = s->count / 3, long_to = long_from + s->count * 2 / 5;
  s->segments = 0;
  for (size_t at = 0; at < s->count; ++s->segments) {
    size_t next = at + random_length(&seed);
    if (at < long_from && next > long_from) next = long_from;
    if (at == long_from) next = long_to;
    if (next > s->count) next = s->count;
    for (size_t i = at; i < next; ++i) s->keys[i] = (uint32_t)s->segments;
    s->offsets[s->segments] = (int64_t)at;
    at = next;
  }
  s->offsets[s->segments] = (int64_t)s->count;
}

static scene scene_of(const fold *f, size_t count) {
  scene s = {.f = f, .type = type_of(f->kind), .count = count};
  uint64_t seed = 14 + (uint64_t)f->kind;
  s.host = malloc(count * s.type.size);
  s.keys = malloc(count * sizeof *s.keys);
  s.offsets = malloc((2 * count + 2) * sizeof *s.offsets);
  for (size_t i = 0; i < count; ++i) {
    const uint64_t r = next_random(&seed);
    put_float(f->kind, s.host, i, (double)((int64_t)r >> 11) * 0x1p-52 / (double)(1 << (r & 7)));
  }
  cut_into_segments(&s);
  s.d_offsets = gpu_copy(s.offsets, (s.segments + 1) * sizeof *s.offsets, 0);
  s.d_keys = gpu_copy(s.keys, count * sizeof *s.keys, 0);
  s.d_out = gpu_alloc((count + 1) * s.type.size, 0);
  return s;
}

static void free_scene(scene *s) {
  gpu_free(s->d_offsets);
  gpu_free(s->d_keys);
  gpu_free(s->d_out);
  free(s->host);
  free(s->keys);
  free(s->offsets);
}

/* ---- the calls. Each says how many results there are. */

static jig_iter items_of(const scene *s, jig_iter *base) {
  *base = jig_pointer(s->d_in, s->type);
  return s->f->transform != NULL ? jig_iter_transform(base, jig_op_source(s->f->transform), s->type)
                                 : *base;
}

static jig_op op_of(const scene *s) {
  jig_op op = s->f->op != NULL ? jig_op_source(s->f->op) : JIG_PLUS;
  if (s->f->op != NULL) op.commutative = s->f->commutative;
  return op;
}

#define IN items_of(s, &base)
#define OUT jig_pointer(s->d_out, s->type)
#define BEGINS jig_pointer(s->d_offsets, JIG_I64)
#define ENDS jig_pointer((const int64_t *)s->d_offsets + 1, JIG_I64)

static size_t reduce(const scene *s) {
  jig_iter base;
  const jig_reduce_args args = {.in = IN,
                                .out = OUT,
                                .num_items = s->count,
                                .op = op_of(s),
                                .determinism = JIG_DETERMINISM_GPU_TO_GPU};
  OK(jig_reduce(NULL, NULL, NULL, &args, NULL));
  return 1;
}

static size_t segmented_reduce(const scene *s) {
  jig_iter base;
  const jig_segmented_reduce_args args = {.in = IN,
                                          .out = OUT,
                                          .begin_offsets = BEGINS,
                                          .end_offsets = ENDS,
                                          .num_segments = s->segments,
                                          .op = op_of(s),
                                          .determinism = JIG_DETERMINISM_GPU_TO_GPU};
  OK(jig_segmented_reduce(NULL, NULL, NULL, &args, NULL));
  return s->segments;
}

/* Of one size. */
static size_t reduce_rows(const scene *s) {
  jig_iter base;
  const jig_segmented_reduce_args args = {.in = IN,
                                          .out = OUT,
                                          .num_segments = s->count / s->row_items,
                                          .segment_size = s->row_items,
                                          .op = op_of(s),
                                          .determinism = JIG_DETERMINISM_GPU_TO_GPU};
  OK(jig_segmented_reduce(NULL, NULL, NULL, &args, NULL));
  return s->count / s->row_items;
}

static size_t reduce_by_key(const scene *s) {
  jig_iter base;
  uint64_t runs;
  uint64_t *d_runs = gpu_alloc(sizeof runs, 0);
  const jig_reduce_by_key_args args = {.keys_in = jig_pointer(s->d_keys, JIG_U32),
                                       .unique_out = jig_discard(JIG_U32),
                                       .values_in = IN,
                                       .aggregates_out = OUT,
                                       .num_runs_out = jig_pointer(d_runs, JIG_U64),
                                       .num_items = s->count,
                                       .op = op_of(s),
                                       .determinism = JIG_DETERMINISM_GPU_TO_GPU};
  OK(jig_reduce_by_key(NULL, NULL, NULL, &args, NULL));
  gpu_read(&runs, d_runs, sizeof runs);
  gpu_free(d_runs);
  return runs;
}

static size_t scan(const scene *s) {
  jig_iter base;
  const jig_scan_args args = {.in = IN,
                              .out = OUT,
                              .num_items = s->count,
                              .op = op_of(s),
                              .determinism = JIG_DETERMINISM_GPU_TO_GPU};
  OK(jig_scan(NULL, NULL, NULL, &args, NULL));
  return s->count;
}

static size_t scan_by_key(const scene *s) {
  jig_iter base;
  const jig_scan_by_key_args args = {.keys_in = jig_pointer(s->d_keys, JIG_U32),
                                     .values_in = IN,
                                     .values_out = OUT,
                                     .num_items = s->count,
                                     .op = op_of(s),
                                     .determinism = JIG_DETERMINISM_GPU_TO_GPU};
  OK(jig_scan_by_key(NULL, NULL, NULL, &args, NULL));
  return s->count;
}

static size_t segmented_scan(const scene *s) {
  jig_iter base;
  const jig_segmented_scan_args args = {.in = IN,
                                        .out = OUT,
                                        .begin_offsets = BEGINS,
                                        .end_offsets = ENDS,
                                        .num_segments = s->segments,
                                        .op = op_of(s),
                                        .determinism = JIG_DETERMINISM_GPU_TO_GPU};
  OK(jig_segmented_scan(NULL, NULL, NULL, &args, NULL));
  return s->count;
}

/* ---- roughly what results are */

typedef enum shape { ALL, SEGMENTS, ROWS, SCAN, SCAN_OF_SEGMENTS } shape;

/* Where the items of result i begin and end. */
static void span(const scene *s, shape of, size_t i, size_t *begin, size_t *end) {
  *begin = of == ROWS ? i * s->row_items : 0;
  *end = of == ROWS ? *begin + s->row_items : s->count;
  if (of == SEGMENTS) *begin = (size_t)s->offsets[i], *end = (size_t)s->offsets[i + 1];
}

static void check_value(const scene *s, const void *results, size_t i, double sum, double size,
                        const char *what) {
  const double got = get_float(s->f->kind, results, i);
  ck_assert_msg(fabs(got - sum) <= 64 * s->f->epsilon * size, "%s of %zu %s: result %zu is %g, not %g",
                what, s->count, s->f->name, i, got, sum);
}

static void check_folds(const scene *s, shape of, const void *results, size_t count, const char *what) {
  size_t begin, end;
  for (size_t i = 0; i < count; ++i) {
    double sum = 0, size = 0;
    span(s, of, i, &begin, &end);
    for (size_t k = begin; k < end; ++k) sum += item(s, k), size += fabs(item(s, k));
    check_value(s, results, i, sum, size, what);
  }
}

static void check_scans(const scene *s, shape of, const void *results, const char *what) {
  double sum = 0, size = 0;
  for (size_t i = 0; i < s->count; ++i) {
    if (of == SCAN_OF_SEGMENTS && i > 0 && s->keys[i] != s->keys[i - 1]) sum = size = 0;
    sum += item(s, i), size += fabs(item(s, i));
    check_value(s, results, i, sum, size, what);
  }
}

/* ---- the bits */

typedef struct row {
  const char *name;
  size_t (*run)(const scene *s);
  shape of;
  size_t row_items;     /* 0: a seventh of all */
  uint64_t bits[FOLDS]; /* a hash of all results, of each fold */
} row;

static const row reduces[] = {
    {"reduce",
     reduce,
     ALL,
     0,
     {0x625f0806e6a2197e, 0xae7adb5295a4f436, 0x742393574f76e40d, 0xa45d773f9bde8ed5, 0x0341093f75fed8f5,
      0xae7adb5295a4f436}},
    {"segmented reduce",
     segmented_reduce,
     SEGMENTS,
     0,
     {0x7a9192f0469a99b6, 0x0c8f4ff6ee270de7, 0x64a9cdda41ee79b9, 0xad41f179737a8a86, 0xbae8d242c2bf00b8,
      0x8738e8edcf5a7789}},
    {"reduce of 48",
     reduce_rows,
     ROWS,
     48,
     {0x14ff89d730435ff6, 0x3449e12669a988fe, 0x5ccdad0be1946c65, 0xdd7c91d40b189a4e, 0xc2099a75ce9fca7d,
      0x3449e12669a988fe}},
    {"reduce of 333",
     reduce_rows,
     ROWS,
     333,
     {0x4735d76a139c78c0, 0xf309c6af46187343, 0x462f974e8919df76, 0x8c53ee36d9e394aa, 0x13af915909d371f7,
      0xf309c6af46187343}},
    {"reduce of 7 segments",
     reduce_rows,
     ROWS,
     0,
     {0x4367720af625b6c2, 0x31e32e2636cf2d79, 0x899882fc58227f4a, 0xd0227adc85cd2227, 0x89e3487c37496ccf,
      0x31e32e2636cf2d79}},
    {"reduce by key",
     reduce_by_key,
     SEGMENTS,
     0,
     {0xa8c8394a7afd3b6d, 0x83f7d2eee87fc9da, 0x406b40d281283008, 0xb8a2c85243bd89fd, 0xa8c8394a7afd3b6d,
      0x83f7d2eee87fc9da}},
};
static const row scans[] = {
    {"scan",
     scan,
     SCAN,
     0,
     {0x4bf61a16da576ab0, 0x20116f8542cd5191, 0xf8610af672807e29, 0x1fd159f21c50f58b, 0x4bf61a16da576ab0,
      0x20116f8542cd5191}},
    {"scan by key",
     scan_by_key,
     SCAN_OF_SEGMENTS,
     0,
     {0x1ba9269e6ed862ab, 0xc90ee90a456b6a6e, 0xddb0db9a9e26d938, 0x418f2133217647be, 0x1ba9269e6ed862ab,
      0xc90ee90a456b6a6e}},
    {"segmented scan",
     segmented_scan,
     SCAN_OF_SEGMENTS,
     0,
     {0x54806648de3ffd44, 0x6aa12b8656d4f2d2, 0x520f87e7299386d3, 0x4b830bd4620d65f9, 0x54806648de3ffd44,
      0x6aa12b8656d4f2d2}},
};
static const size_t counts[] = {997, 50021, 300007};

static uint64_t hash_of_run(scene *s, const row *r, bool is_first) {
  const size_t count = r->run(s), bytes = count * s->type.size;
  unsigned char *results = malloc(bytes);
  gpu_read(results, s->d_out, bytes);
  if (is_first && (r->of == SCAN || r->of == SCAN_OF_SEGMENTS))
    check_scans(s, r->of, results, r->name);
  else if (is_first)
    check_folds(s, r->of, results, count, r->name);
  const uint64_t hash = XXH3_64bits(results, bytes);
  free(results);
  return hash;
}

/* The hash of so many items, once it is known to be the same at another alignment. */
static uint64_t bits_of_count(const row *r, const fold *f, size_t count) {
  uint64_t bits = 0;
  scene s = scene_of(f, count);
  s.row_items = r->row_items > 0 ? r->row_items : count / 7;
  for (size_t offset = 0; offset <= s.type.size; offset += s.type.size) {
    s.d_in = gpu_copy(s.host, s.count * s.type.size, offset);
    const uint64_t hash = hash_of_run(&s, r, offset == 0);
    if (offset == 0) bits = hash;
    ck_assert_msg(hash == bits, "%s of %zu %s: other bits %zu bytes past a boundary", r->name, s.count,
                  f->name, offset);
    gpu_free(s.d_in);
  }
  free_scene(&s);
  return bits;
}

static uint64_t bits_of_fold(const row *r, const fold *f) {
  uint64_t bits = 0;
  for (size_t c = 0; c < COUNT_OF(counts); ++c) bits = bits * 31 + bits_of_count(r, f, counts[c]);
  return bits;
}

/* More than one wave of blocks takes. */
static uint64_t bits_of_many(const row *r, const fold *f) {
  enum { COUNT = 4300007 };
  return f == &folds[0] ? bits_of_count(r, f, COUNT) : 0;
}

static void check_rows(const row *of, size_t count, uint64_t (*bits_of_row)(const row *, const fold *)) {
  char other[2048] = "";
  for (const row *r = of; r < of + count; ++r) {
    char got[FOLDS * 20 + 1] = "";
    bool is_same = true;
    for (size_t f = 0; f < FOLDS; ++f) {
      const uint64_t bits = bits_of_row(r, &folds[f]);
      (void)snprintf(got + strlen(got), sizeof got - strlen(got), "0x%016llx, ",
                     (unsigned long long)bits);
      is_same &= bits == r->bits[f];
    }
    if (!is_same)
      (void)snprintf(other + strlen(other), sizeof other - strlen(other), "\n%s {%s}", r->name, got);
  }
  ck_assert_msg(other[0] == '\0', "other bits:%s", other);
}

START_TEST(every_gpu_reduces_to_these_bits) {
  check_rows(reduces, COUNT_OF(reduces), bits_of_fold);
}
END_TEST

START_TEST(every_gpu_scans_to_these_bits) {
  check_rows(scans, COUNT_OF(scans), bits_of_fold);
}
END_TEST

START_TEST(so_it_is_with_many_items) {
  static const row large[] = {
      {"reduce", reduce, ALL, 0, {0x8ac5bbf9f30c849d}},
      {"segmented reduce", segmented_reduce, SEGMENTS, 0, {0x81eae32743bafe05}},
      {"reduce by key", reduce_by_key, SEGMENTS, 0, {0x90145a7a1b6e0e9a}},
      {"scan", scan, SCAN, 0, {0xfb33eddaec3f2c82}},
  };
  check_rows(large, COUNT_OF(large), bits_of_many);
}
END_TEST

/* What is exact has the same bits by the ordinary program. */
START_TEST(exact_folds_take_the_program_of_all) {
  jig_reduce_args args = {.in = jig_pointer(NULL, JIG_I32), .out = jig_pointer(NULL, JIG_I32)};
  char *ordinary, *same;
  OK(jig_reduce_spec(&args, &ordinary));
  args.determinism = JIG_DETERMINISM_GPU_TO_GPU;
  OK(jig_reduce_spec(&args, &same));
  ck_assert_str_eq(ordinary, same);
  jig_free(same);
  args.in.type = args.out.type = JIG_F32;
  OK(jig_reduce_spec(&args, &same));
  ck_assert_ptr_nonnull(strstr(same, "\"determinism\":\"gpu_to_gpu\""));
  jig_free(same);
  jig_free(ordinary);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(every_gpu_reduces_to_these_bits),
      SUITE_TEST(every_gpu_scans_to_these_bits),
      SUITE_TEST(so_it_is_with_many_items),
      SUITE_TEST(exact_folds_take_the_program_of_all),
  };
  return SUITE_RUN("device/gpu_to_gpu", tests, true);
}
