/* Iterators of every kind as inputs and outputs, alone and of each other, against what the host makes of
 * the same items. */
#include <jig/jig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "numbers.h"
#include "reduce_support.h"
#include "suite.h"

/* Around runs, warps, blocks and the one-block limit. */
static const size_t sizes[] = {1, 3, 4, 5, 31, 33, 127, 129, 511, 513, 2047, 2049, 8191, 8193, 40001};
enum { MAX_ITEMS = 40001 };

/* x -> a x + b: folds of these tell in which order they were made. */
typedef struct affine {
  uint32_t a, b;
} affine;
static const jig_type affine_type = {.kind = JIG_KIND_STRUCT,
                                     .size = 8,
                                     .align = 4,
                                     .name = "affine",
                                     .definition = "struct affine { uint32_t a, b; };"};
static const char compose_body[] = "return {a.a * b.a, a.b * b.a + b.b};";

static affine compose(affine x, affine y) {
  return (affine){x.a * y.a, x.b * y.a + y.b};
}

/* ---- items, and where an iterator takes them from */

enum { SPREAD = 3 }; /* how many items apart spread items are */

typedef struct stock {
  jig_type type;
  size_t count;
  unsigned char *host;
  uint32_t *order; /* a permutation of the items */
  /* On the device: the items, the same with others between them, the permutation. */
  unsigned char *items, *spread;
  uint32_t *places;
} stock;

static stock new_stock(jig_type type, size_t count) {
  const size_t size = type.size;
  stock s = {.type = type, .count = count};
  uint64_t seed = count + size;
  s.host = malloc(count * size);
  s.order = malloc(count * sizeof *s.order);
  unsigned char *spread = malloc(count * size * SPREAD);
  if (type.kind == JIG_KIND_STRUCT)
    fill_random(JIG_KIND_U32, s.host, 2 * count, seed);
  else
    fill_random(type.kind, s.host, count, seed);
  fill_random(JIG_KIND_U8, spread, count * size * SPREAD, seed);
  for (size_t i = 0; i < count; ++i) {
    memcpy(spread + i * size * SPREAD, s.host + i * size, size);
    const size_t j = next_random(&seed) % (i + 1);
    s.order[i] = s.order[j];
    s.order[j] = (uint32_t)i;
  }
  s.items = gpu_copy(s.host, count * size, type.align);
  s.spread = gpu_copy(spread, count * size * SPREAD, 0);
  s.places = gpu_copy(s.order, count * sizeof *s.order, 0);
  free(spread);
  return s;
}

static void free_stock(stock *s) {
  free(s->host);
  free(s->order);
  gpu_free(s->items);
  gpu_free(s->spread);
  gpu_free(s->places);
}

typedef size_t (*place_of)(const stock *s, size_t i);
static size_t in_order(const stock *s, size_t i) {
  (void)s;
  return i;
}
static size_t backwards(const stock *s, size_t i) {
  return s->count - 1 - i;
}
static size_t permuted(const stock *s, size_t i) {
  return s->order[i];
}
static size_t permuted_backwards(const stock *s, size_t i) {
  return s->order[s->count - 1 - i];
}
static size_t mirrored(const stock *s, size_t i) {
  return s->count - 1 - s->order[s->count - 1 - i];
}

/* Folds what is to be the stock's items at these places, and compares. */
static void check_fold(const stock *s, jig_iter in, place_of place, const char *name) {
  jig_reduce_args args = {.in = in, .num_items = s->count};
  unsigned char got[16], wanted[16];
  jig_type result = s->type;
  if (s->type.kind == JIG_KIND_STRUCT) {
    const affine *host = (const affine *)(void *)s->host;
    affine fold = host[place(s, 0)];
    for (size_t i = 1; i < s->count; ++i) fold = compose(fold, host[place(s, i)]);
    memcpy(wanted, &fold, sizeof fold);
    args.op = jig_op_source(compose_body);
  } else if (is_floating(s->type.kind)) {
    double sum = 0; /* of small whole numbers: exact */
    for (size_t i = 0; i < s->count; ++i) sum += get_float(s->type.kind, s->host, place(s, i));
    put_float(s->type.kind, wanted, 0, sum == 0 ? 0 : sum);
  } else {
    int128 sum = 0;
    for (size_t i = 0; i < s->count; ++i) sum += get_integer(s->type.kind, s->host, place(s, i));
    put_integer(JIG_KIND_I64, wanted, 0, sum);
    result = JIG_I64;
  }
  reduce_to_host(args, result, got);
  if (is_floating(result.kind) && get_float(result.kind, got, 0) == 0) memset(got, 0, sizeof got);
  ck_assert_msg(memcmp(got, wanted, result.size) == 0, "%zu %s by %s: %s, not %s", s->count,
                jig_type_name(&s->type), name, bits_of(got, result.size), bits_of(wanted, result.size));
}

/* A struct of an item and a number. */
static jig_type numbered(const stock *s, char text[256]) {
  static const char *const cxx[] = {
#define CXX(kind, name, cxx, size) [kind] = cxx,
      JIG_TYPE_MAP(CXX)
#undef CXX
          [JIG_KIND_STRUCT] = "affine"};
  const size_t align = s->type.align > 4 ? s->type.align : 4;
  (void)snprintf(text, 256, "struct numbered { %s item; uint32_t number; };", cxx[s->type.kind]);
  return jig_struct("numbered", text, align + (s->type.size + 3) / 4 * 4, align);
}

static void check_direct(const stock *s) {
  const int64_t size = s->type.size, last = (int64_t)s->count - 1;
  const jig_iter plain = jig_pointer(s->items, s->type), order = jig_pointer(s->places, JIG_U32);
  check_fold(s, plain, in_order, "pointer");
  check_fold(s, jig_strided(s->spread, size * SPREAD, s->type), in_order, "strided");
  check_fold(s, jig_strided(s->items + last * size, -size, s->type), backwards, "strided, down");
  check_fold(s, jig_iter_reverse(&plain, s->count), backwards, "reverse");
  check_fold(s, jig_permutation(&plain, &order), permuted, "permutation");
  const void *items = s->items;
  const jig_type pointer = jig_struct("where", "struct where { const void *p; };", 8, 8);
  char body[128];
  (void)snprintf(body, sizeof body, "return static_cast<const %s *>(state.p)[i];",
                 s->type.kind == JIG_KIND_STRUCT ? "affine"
                 : s->type.kind == JIG_KIND_I8   ? "int8_t"
                 : s->type.kind == JIG_KIND_I32  ? "int"
                 : s->type.kind == JIG_KIND_F32  ? "float"
                                                 : "double");
  check_fold(s, jig_iter_source(jig_op_with_state(jig_op_source(body), &items, pointer), s->type),
             in_order, "source");
}

static void check_nested(const stock *s) {
  char text[256];
  const jig_type both = numbered(s, text);
  const jig_iter order = jig_pointer(s->places, JIG_U32);
  const jig_iter spread = jig_strided(s->spread, (int64_t)s->type.size * SPREAD, s->type);
  const jig_iter bases[] = {spread, jig_counting(NULL, JIG_U32)};
  const jig_iter zip = jig_zip(bases, 2, both);
  const jig_op item = jig_op_source("return x.item;");
  check_fold(s, jig_iter_transform(&zip, item, s->type), in_order, "zip");
  const jig_iter down = jig_iter_reverse(&spread, s->count), gather = jig_permutation(&down, &order);
  check_fold(s, jig_iter_reverse(&gather, s->count), mirrored, "reverse of permutation of reverse");
  const jig_iter gathered = jig_permutation(&zip, &order), turned = jig_iter_reverse(&gathered, s->count);
  check_fold(s, jig_iter_transform(&turned, item, s->type), permuted_backwards,
             "transform of reverse of permutation of zip");
  const jig_iter backward_order = jig_iter_reverse(&order, s->count);
  check_fold(s, jig_permutation(&spread, &backward_order), permuted_backwards, "backward indices");
}

static void check_type(jig_type type) {
  for (size_t i = 0; i < COUNT_OF(sizes); ++i) {
    stock s = new_stock(type, sizes[i]);
    check_direct(&s);
    check_nested(&s);
    free_stock(&s);
  }
}

START_TEST(inputs_of_bytes) {
  check_type(JIG_I8);
}
END_TEST
START_TEST(inputs_of_words) {
  check_type(JIG_I32);
}
END_TEST
START_TEST(inputs_of_floats) {
  check_type(JIG_F32);
}
END_TEST
START_TEST(inputs_of_doubles) {
  check_type(JIG_F64);
}
END_TEST
START_TEST(inputs_of_structs_in_order) {
  check_type(affine_type);
}
END_TEST

/* ---- counting */

START_TEST(steps_count_in_the_types_own_arithmetic) {
  const uint8_t start = 250, step = 7;
  for (size_t i = 0; i < COUNT_OF(sizes); ++i) {
    uint64_t wanted = 0, got;
    for (size_t k = 0; k < sizes[i]; ++k) wanted += (uint8_t)(start + k * step);
    reduce_to_host((jig_reduce_args){.in = jig_counting_by(&start, &step, JIG_U8), .num_items = sizes[i]},
                   JIG_U64, &got);
    ck_assert_uint_eq(got, wanted);
  }
  const int64_t from = -5, down = -3;
  int64_t sum;
  const int64_t n = 1 << 22;
  reduce_to_host((jig_reduce_args){.in = jig_counting_by(&from, &down, JIG_I64), .num_items = 1 << 22},
                 JIG_I64, &sum);
  ck_assert_int_eq(sum, from * n + down * (n * (n - 1) / 2));
  const double half = 0.5, quarter = 0.25;
  double real;
  reduce_to_host((jig_reduce_args){.in = jig_counting_by(&half, &quarter, JIG_F64), .num_items = 1 << 16},
                 JIG_F64, &real);
  ck_assert_double_eq(real, 0.5 * 65536 + 0.25 * (65536.0 * 65535 / 2));
  const uint16_t f16_step = 0x3800; /* 0.5 */
  float most;
  reduce_to_host(
      (jig_reduce_args){
          .in = jig_counting_by(NULL, &f16_step, JIG_F16), .num_items = 2001, .op = JIG_MAX},
      JIG_F32, &most);
  ck_assert_float_eq(most, 1000);
}
END_TEST

START_TEST(items_are_made_of_indices) {
  const jig_iter in = jig_iter_source(jig_op_source("return i * i % 1000003;"), JIG_U32);
  uint64_t wanted = 0, got;
  for (uint64_t i = 0; i < 1 << 20; ++i) wanted += i * i % 1000003;
  reduce_to_host((jig_reduce_args){.in = in, .num_items = 1 << 20}, JIG_U64, &got);
  ck_assert_uint_eq(got, wanted);
  const int64_t divisor = 10;
  const jig_op function = jig_op_with_state(
      jig_op_function("long long digit(int64_t d, uint64_t n) { return n / d % d; }", "digit"), &divisor,
      JIG_I64);
  reduce_to_host((jig_reduce_args){.in = jig_iter_source(function, JIG_I64), .num_items = 1000}, JIG_U64,
                 &got);
  ck_assert_uint_eq(got, 4500);
}
END_TEST

/* ---- side by side */

static const jig_type two_floats = {.kind = JIG_KIND_STRUCT,
                                    .size = 8,
                                    .align = 4,
                                    .name = "two",
                                    .definition = "struct two { float a, b; };"};

/* By vectors, and where one side is not aligned to them. */
START_TEST(dot_products) {
  float *a = malloc(MAX_ITEMS * sizeof *a), *b = malloc(MAX_ITEMS * sizeof *b);
  fill_random(JIG_KIND_F32, a, MAX_ITEMS, 1);
  fill_random(JIG_KIND_F32, b, MAX_ITEMS, 2);
  for (size_t i = 0; i < COUNT_OF(sizes); ++i) {
    for (size_t offset = 0; offset <= 4; offset += 4) {
      const size_t bytes = sizes[i] * sizeof *a;
      float wanted = 0, got, *there[] = {gpu_copy(a, bytes, 0), gpu_copy(b, bytes, offset)};
      for (size_t k = 0; k < sizes[i]; ++k) wanted += a[k] * b[k];
      const jig_iter sides[] = {jig_pointer(there[0], JIG_F32), jig_pointer(there[1], JIG_F32)};
      const jig_iter zip = jig_zip(sides, 2, two_floats);
      reduce_to_host(
          (jig_reduce_args){.in = jig_iter_transform(&zip, jig_op_source("return x.a * x.b;"), JIG_F32),
                            .num_items = sizes[i]},
          JIG_F32, &got);
      ck_assert_float_eq(got, wanted);
      gpu_free(there[0]);
      gpu_free(there[1]);
    }
  }
  free(a);
  free(b);
}
END_TEST

/* Eight sides of as many types, each of which has runs of its own; and a struct directly. */
START_TEST(eight_sides) {
  static const jig_type_kind types[8] = {JIG_KIND_I8,  JIG_KIND_I16, JIG_KIND_I32, JIG_KIND_I64,
                                         JIG_KIND_F16, JIG_KIND_F32, JIG_KIND_F64, JIG_KIND_BOOL};
  const jig_type eight = jig_struct(
      "eight",
      "struct eight { char a; short b; int c; long long d; jig::f16 e; float f; double g; bool h; };", 40,
      8);
  enum { N = 5001 };
  void *host[8], *there[8];
  jig_iter sides[8];
  double wanted = 0, got;
  for (int k = 0; k < 8; ++k) {
    host[k] = malloc(N * type_of(types[k]).size);
    fill_random(types[k], host[k], N, 3 + (uint64_t)k);
    if (types[k] == JIG_KIND_I64) memset(host[k], 0, N * sizeof(int64_t));
    there[k] = gpu_copy(host[k], N * type_of(types[k]).size, 0);
    sides[k] = jig_pointer(there[k], type_of(types[k]));
    for (size_t i = 0; i < N; ++i)
      wanted += is_floating(types[k]) ? get_float(types[k], host[k], i)
                                      : (double)get_integer(types[k], host[k], i);
  }
  const jig_iter zip = jig_zip(sides, 8, eight);
  const jig_op sum =
      jig_op_source("return x.a + x.b + double(x.c) + x.d + float(x.e) + x.f + x.g + x.h;");
  reduce_to_host((jig_reduce_args){.in = jig_iter_transform(&zip, sum, JIG_F64), .num_items = N}, JIG_F64,
                 &got);
  ck_assert_double_eq(got, wanted);
  for (int k = 0; k < 8; ++k) {
    gpu_free(there[k]);
    free(host[k]);
  }
}
END_TEST

/* A zip of one makes structs of numbers, and numbers of structs. */
START_TEST(one_side) {
  const jig_type only = jig_struct("only", "struct only { float value; };", 4, 4);
  enum { N = 3001 };
  float numbers[N], got[N];
  fill_random(JIG_KIND_F32, numbers, N, 4);
  void *in = gpu_copy(numbers, sizeof numbers, 4), *out = gpu_alloc(sizeof numbers, 0);
  const jig_iter from = jig_pointer(in, JIG_F32), to = jig_pointer(out, JIG_F32);
  const jig_copy_args args = {
      .in = jig_zip(&from, 1, only), .out = jig_zip(&to, 1, only), .num_items = N};
  OK(jig_copy(NULL, NULL, NULL, &args, NULL));
  gpu_read(got, out, sizeof got);
  ck_assert_mem_eq(got, numbers, sizeof got);
  gpu_free(in);
  gpu_free(out);
}
END_TEST

static const jig_type sample = {.kind = JIG_KIND_STRUCT,
                                .size = 16,
                                .align = 8,
                                .name = "sample",
                                .definition = "struct sample { double weight; int id; float value; };"};
typedef struct sample_of_host {
  double weight;
  int id;
  float value;
} sample_of_host;

/* Structs of structs, whose definitions depend on each other; zips of zips; straight into the fold. */
START_TEST(sides_are_structs) {
  const jig_type outer = jig_struct("outer", "struct outer { sample s; int n; };", 24, 8);
  enum { N = 3000 };
  double weights[N];
  float values[N];
  fill_random(JIG_KIND_F64, weights, N, 4);
  fill_random(JIG_KIND_F32, values, N, 5);
  void *w = gpu_copy(weights, sizeof weights, 0), *v = gpu_copy(values, sizeof values, 0);
  const int step = 2, init_n = 0;
  const jig_iter inner[] = {jig_pointer(w, JIG_F64), jig_counting(NULL, JIG_I32),
                            jig_pointer(v, JIG_F32)};
  const jig_iter sides[] = {jig_zip(inner, 3, sample), jig_counting_by(&init_n, &step, JIG_I32)};
  struct {
    sample_of_host s;
    int n;
  } got, wanted = {{0, 0, 0}, 0};
  for (int i = 0; i < N; ++i) {
    wanted.s.weight += weights[i];
    wanted.s.id += i;
    wanted.s.value += values[i];
    wanted.n += 2 * i;
  }
  reduce_to_host(
      (jig_reduce_args){.in = jig_zip(sides, 2, outer),
                        .num_items = N,
                        .op = jig_op_source("return {{a.s.weight + b.s.weight, a.s.id + b.s.id,\n"
                                            "  a.s.value + b.s.value}, a.n + b.n};")},
      outer, &got);
  ck_assert_double_eq(got.s.weight, wanted.s.weight);
  ck_assert_int_eq(got.s.id, wanted.s.id);
  ck_assert_float_eq(got.s.value, wanted.s.value);
  ck_assert_int_eq(got.n, wanted.n);
  gpu_free(w);
  gpu_free(v);
}
END_TEST

START_TEST(a_field_of_structs) {
  enum { N = 10000 };
  sample_of_host *host = calloc(N, sizeof *host);
  float sum = 0, got;
  for (int i = 0; i < N; ++i) {
    host[i] = (sample_of_host){0.5, i, (float)(i % 7 - 3)};
    sum += host[i].value;
  }
  char *there = gpu_copy(host, N * sizeof *host, 0);
  const jig_iter field = jig_strided(there + offsetof(sample_of_host, value), sizeof *host, JIG_F32);
  reduce_to_host((jig_reduce_args){.in = field, .num_items = N}, JIG_F32, &got);
  ck_assert_float_eq(got, sum);
  gpu_free(there);
  free(host);
}
END_TEST

START_TEST(extremes_of_what_is_computed) {
  const jig_op bump = jig_op_source("const int64_t d = i - 70001;\nreturn 5 - float(d * d);");
  const jig_iter source = jig_iter_source(bump, JIG_F32);
  arg_result top =
      arg_reduce_to_host((jig_arg_reduce_args){.in = source, .num_items = 100000, .op = JIG_MAX});
  ck_assert_int_eq(top.index, 70001);
  ck_assert_float_eq(*(float *)(void *)top.value, 5);
  const jig_iter reverse = jig_iter_reverse(&source, 100000);
  top = arg_reduce_to_host((jig_arg_reduce_args){.in = reverse, .num_items = 100000, .op = JIG_MAX});
  ck_assert_int_eq(top.index, 29998);
  const float xs[] = {3, 0, -1, 4, 1}, ys[] = {4, 2, -1, 3, -1};
  void *x = gpu_copy(xs, sizeof xs, 0), *y = gpu_copy(ys, sizeof ys, 4);
  const jig_iter sides[] = {jig_pointer(x, JIG_F32), jig_pointer(y, JIG_F32)};
  const jig_iter zip = jig_zip(sides, 2, two_floats);
  const jig_iter norm = jig_iter_transform(&zip, jig_op_source("return x.a * x.a + x.b * x.b;"), JIG_F32);
  top = arg_reduce_to_host((jig_arg_reduce_args){.in = norm, .num_items = 5, .op = JIG_MIN});
  ck_assert_int_eq(top.index, 2); /* the first of two */
  gpu_free(x);
  gpu_free(y);
}
END_TEST

/* ---- outputs */

enum { ROOM = 10, COUNT = 1000, SUM = COUNT * (COUNT - 1) / 2 };

/* Sums into an output over `room`, whose item `place` alone may be written. */
static void check_output(jig_iter out, int32_t *room, int place, int32_t wanted) {
  const jig_reduce_args args = {.in = jig_counting(NULL, JIG_I32), .out = out, .num_items = COUNT};
  run_reduce(&args, 0);
  for (int i = 0; i < ROOM; ++i) {
    if (i == place) {
      int32_t got;
      gpu_read(&got, room + i, sizeof got);
      ck_assert_int_eq(got, wanted);
    } else {
      ck_assert_msg(gpu_is_untouched(room + i, sizeof *room), "item %d was written", i);
    }
  }
  gpu_fill(room, 0xcd, ROOM * sizeof *room);
}

START_TEST(outputs) {
  int32_t *room = gpu_alloc(ROOM * sizeof *room, 0);
  const int64_t indices[] = {7, 1}, step = 3;
  int64_t *there = gpu_copy(indices, sizeof indices, 0);
  const jig_iter plain = jig_pointer(room, JIG_I32), places = jig_pointer(there, JIG_I64);
  check_output(plain, room, 0, SUM);
  check_output(jig_strided(room + 4, -8, JIG_I32), room, 4, SUM);
  check_output(jig_iter_reverse(&plain, 9), room, 8, SUM);
  check_output(jig_permutation(&plain, &places), room, 7, SUM);
  check_output(jig_discard(JIG_I32), room, -1, 0);
  const jig_op shift = jig_op_with_state(jig_op_source("return x - state;"), &step, JIG_I64);
  check_output(jig_transform_output(&plain, shift, JIG_I32), room, 0, SUM - 3);
  check_output(jig_transform_output(&plain, jig_op_source("return x / 2;"), JIG_F64), room, 0, SUM / 2);
  const jig_iter scatter = jig_permutation(&plain, &places), turned = jig_iter_reverse(&scatter, 2);
  check_output(turned, room, 1, SUM);
  const jig_iter shifted = jig_transform_output(&turned, shift, JIG_I64);
  check_output(jig_transform_output(&shifted, jig_op_source("return 2 * x;"), JIG_I32), room, 1,
               2 * SUM - 3);
  gpu_free(room);
  gpu_free(there);
}
END_TEST

START_TEST(members_go_their_own_ways) {
  double *weight = gpu_alloc(2 * sizeof *weight, 0);
  float *value = gpu_alloc(8 * sizeof *value, 0);
  const jig_iter weights = jig_pointer(weight, JIG_F64);
  const jig_iter sides[] = {jig_iter_reverse(&weights, 2), jig_discard(JIG_I32),
                            jig_strided(value + 3, 8, JIG_F32)};
  const jig_iter zip = jig_zip(sides, 3, sample);
  const jig_reduce_args args = {
      .in = jig_iter_source(jig_op_source("return {double(i), int(i), 0.5f};"), sample),
      .out = zip,
      .num_items = 1001,
      .op = jig_op_source("return {a.weight + b.weight, a.id, a.value + b.value};")};
  run_reduce(&args, 0);
  double w;
  float v;
  gpu_read(&w, weight + 1, sizeof w);
  gpu_read(&v, value + 3, sizeof v);
  ck_assert_double_eq(w, 500500);
  ck_assert_float_eq(v, 500.5F);
  ck_assert(gpu_is_untouched(weight, sizeof *weight));
  ck_assert(gpu_is_untouched(value, 3 * sizeof *value));
  ck_assert(gpu_is_untouched(value + 4, 4 * sizeof *value));
  gpu_free(weight);
  gpu_free(value);
}
END_TEST

START_TEST(value_and_index_into_one_struct) {
  sample_of_host *out = gpu_alloc(sizeof *out, 0), got;
  char *bytes = (char *)out;
  const float items[] = {2, 9, 4};
  void *in = gpu_copy(items, sizeof items, 0);
  const jig_iter id = jig_strided(bytes + offsetof(sample_of_host, id), 16, JIG_I32);
  jig_arg_reduce_args args = {
      .in = jig_pointer(in, JIG_F32),
      .value_out = jig_strided(bytes + offsetof(sample_of_host, value), 16, JIG_F32),
      .index_out = jig_transform_output(&id, jig_op_source("return int(x) + 1;"), JIG_I64),
      .num_items = 3,
      .op = JIG_MAX};
  run_arg_reduce(&args, 0);
  gpu_read(&got, out, sizeof got);
  ck_assert_int_eq(got.id, 2);
  ck_assert_float_eq(got.value, 9);
  ck_assert(gpu_is_untouched(out, sizeof got.weight));
  args.value_out = (jig_iter){0};
  args.op = JIG_MIN;
  run_arg_reduce(&args, 0);
  gpu_read(&got, out, sizeof got);
  ck_assert_int_eq(got.id, 1);
  ck_assert_float_eq(got.value, 9);
  gpu_free(out);
  gpu_free(in);
}
END_TEST

/* ---- what moves, and what does not go */

static uint64_t programs(void) {
  jig_engine_stats stats;
  OK(jig_engine_get_stats(NULL, &stats));
  return stats.misses + stats.disk_hits;
}

START_TEST(moving_parts_never_compile) {
  enum { N = 600 };
  int32_t host[4 * N], wanted, got;
  for (int i = 0; i < 4 * N; ++i) host[i] = i * i % 1001;
  int32_t *there = gpu_copy(host, sizeof host, 0), *outs = gpu_alloc(4 * sizeof *outs, 0);
  uint64_t before = 0;
  for (int round = 1; round <= 3; ++round) {
    const int32_t start = round, step = 3 - round, state = 10 * round;
    const jig_iter field = jig_strided(there + round, round * (int64_t)sizeof *there, JIG_I32);
    const jig_iter down = jig_iter_reverse(&field, N + (unsigned)round);
    const jig_iter places = jig_counting_by(&start, &step, JIG_I32);
    const jig_iter gather = jig_permutation(&down, &places);
    const jig_op add = jig_op_with_state(jig_op_source("return x + state;"), &state, JIG_I32);
    const jig_iter out = jig_pointer(outs, JIG_I32), out_end = jig_iter_reverse(&out, (unsigned)round);
    const jig_reduce_args args = {.in = jig_iter_transform(&gather, add, JIG_I32),
                                  .out = jig_transform_output(&out_end, add, JIG_I32),
                                  .num_items = 250};
    run_reduce(&args, 0);
    wanted = state;
    for (int i = 0; i < 250; ++i)
      wanted += host[round + round * (N + round - 1 - (start + i * step))] + state;
    gpu_read(&got, outs + round - 1, sizeof got);
    ck_assert_int_eq(got, wanted);
    if (round == 1) before = programs();
    ck_assert_uint_eq(programs(), before);
  }
  gpu_free(there);
  gpu_free(outs);
}
END_TEST

START_TEST(members_that_do_not_fit_do_not_compile) {
  const jig_type one = jig_struct("one", "struct one { float a; };", 4, 4);
  const jig_iter ints[] = {jig_counting(NULL, JIG_F32), jig_counting(NULL, JIG_I32)},
                 floats[] = {jig_counting(NULL, JIG_F32), jig_counting(NULL, JIG_F32)};
  const struct {
    jig_iter zip;
    const char *part;
  } rows[] = {
      {jig_zip(ints, 2, two_floats),
       "jig_zip(): a member of the struct has another type than its iterator's items"},
      {jig_zip(floats, 2, sample), "jig_zip(): the struct has more members than there are iterators"},
      {jig_zip(floats, 2, one), "jig_zip(): the struct has fewer members than there are iterators"},
  };
  for (size_t i = 0; i < COUNT_OF(rows); ++i) {
    const jig_iter size_of_items =
        jig_iter_transform(&rows[i].zip, jig_op_source("return sizeof x;"), JIG_I32);
    const jig_reduce_args args = {.in = size_of_items, .out = jig_discard(JIG_I32), .num_items = 1};
    size_t bytes;
    FAILS(jig_reduce(NULL, NULL, &bytes, &args, NULL), JIG_ERROR_COMPILE, rows[i].part);
  }
}
END_TEST

START_TEST(temp_storage_may_lie_between_items) {
  enum { N = 100, STRIDE = 4096 };
  unsigned char *memory = gpu_alloc(N * STRIDE, 0);
  gpu_fill(memory, 1, N * STRIDE);
  uint32_t *out = gpu_alloc(sizeof *out, 0), got;
  jig_reduce_args args = {
      .in = jig_strided(memory, STRIDE, JIG_U8), .out = jig_pointer(out, JIG_U32), .num_items = N};
  size_t bytes;
  OK(jig_reduce(NULL, NULL, &bytes, &args, NULL));
  ck_assert_uint_lt(bytes, STRIDE);
  OK(jig_reduce(NULL, memory + STRIDE + 1, &bytes, &args, NULL));
  gpu_read(&got, out, sizeof got);
  ck_assert_uint_eq(got, N);
  FAILS(jig_reduce(NULL, memory + STRIDE, &bytes, &args, NULL), JIG_ERROR_INVALID_ARGUMENT,
        "in overlaps d_temp_storage");
  const jig_iter inside = jig_pointer(memory + STRIDE, JIG_U32);
  args.out = jig_iter_reverse(&inside, 3);
  bytes = 16;
  FAILS(jig_reduce(NULL, memory + STRIDE + 8, &bytes, &args, NULL), JIG_ERROR_INVALID_ARGUMENT,
        "out overlaps d_temp_storage");
  args.in = jig_iter_reverse(&args.in, N - 1);
  FAILS(jig_reduce(NULL, memory + 1, &bytes, &args, NULL), JIG_ERROR_INVALID_ARGUMENT, "nested");
  gpu_free(memory);
  gpu_free(out);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(inputs_of_bytes),
      SUITE_TEST(inputs_of_words),
      SUITE_TEST(inputs_of_floats),
      SUITE_TEST(inputs_of_doubles),
      SUITE_TEST(inputs_of_structs_in_order),
      SUITE_TEST(steps_count_in_the_types_own_arithmetic),
      SUITE_TEST(items_are_made_of_indices),
      SUITE_TEST(dot_products),
      SUITE_TEST(eight_sides),
      SUITE_TEST(one_side),
      SUITE_TEST(sides_are_structs),
      SUITE_TEST(a_field_of_structs),
      SUITE_TEST(extremes_of_what_is_computed),
      SUITE_TEST(outputs),
      SUITE_TEST(members_go_their_own_ways),
      SUITE_TEST(value_and_index_into_one_struct),
      SUITE_TEST(moving_parts_never_compile),
      SUITE_TEST(members_that_do_not_fit_do_not_compile),
      SUITE_TEST(temp_storage_may_lie_between_items),
  };
  return SUITE_RUN("device/iterators", tests, true);
}
