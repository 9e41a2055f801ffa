/* Iterators of every kind, without a GPU or a compiler: checks, layouts, bytes, texts, overlap. */
#include <jig/jig.h>
#include <stdlib.h>
#include <string.h>

#include "jit/algorithm.h"
#include "jit/build.h"
#include "numbers.h"
#include "spec/canonical.h"
#include "spec/iterator_memory.h"
#include "spec/type.h"
#include "suite.h"

#define FAILS_WITH(call, part)                                                       \
  do {                                                                               \
    ck_assert_int_eq((call), JIG_ERROR_INVALID_ARGUMENT);                            \
    ck_assert_msg(strstr(jig_last_error(), (part)) != NULL, "%s", jig_last_error()); \
  } while (0)
#define SUCCEEDS(call) ck_assert_msg((call) == JIG_SUCCESS, "%s", jig_last_error())

static const jig_type pair = {.kind = JIG_KIND_STRUCT,
                              .size = 16,
                              .align = 8,
                              .name = "pair",
                              .definition = "struct pair { double a; int32_t b; };"};

/* ---- one of each kind, over whatever can be moved */

typedef struct values {
  char *pointer;
  int64_t start, step, stride, state;
  uint64_t count;
} values;

enum { KINDS = JIG_ITER_POINTER_WRITE_THROUGH };

typedef struct samples {
  jig_iter of[KINDS + 1];
  jig_iter plain, indices, sides[2];
} samples;

static void fill_samples(samples *s, const values *v) {
  const jig_op op = jig_op_with_state(jig_op_source("return state;"), &v->state, JIG_I64);
  s->plain = jig_pointer(v->pointer, JIG_I64);
  s->indices = jig_counting(&v->start, JIG_I64);
  s->sides[0] = jig_pointer(v->pointer, JIG_F64);
  s->sides[1] = jig_strided(v->pointer, v->stride, JIG_I32);
  s->of[JIG_ITER_POINTER] = s->plain;
  s->of[JIG_ITER_COUNTING] = s->indices;
  s->of[JIG_ITER_CONSTANT] = jig_constant(&v->start, JIG_I64);
  s->of[JIG_ITER_TRANSFORM] = jig_iter_transform(&s->plain, op, JIG_I64);
  s->of[JIG_ITER_COUNTING_BY] = jig_counting_by(&v->start, &v->step, JIG_I64);
  s->of[JIG_ITER_STRIDED] = jig_strided(v->pointer, v->stride, JIG_I64);
  s->of[JIG_ITER_REVERSE] = jig_iter_reverse(&s->plain, v->count);
  s->of[JIG_ITER_PERMUTATION] = jig_permutation(&s->plain, &s->indices);
  s->of[JIG_ITER_ZIP] = jig_zip(s->sides, 2, pair);
  s->of[JIG_ITER_TRANSFORM_OUTPUT] = jig_transform_output(&s->plain, op, JIG_I64);
  s->of[JIG_ITER_DISCARD] = jig_discard(JIG_I64);
  s->of[JIG_ITER_SOURCE] = jig_iter_source(op, JIG_I64);
  s->of[JIG_ITER_ZIP_TRANSFORM] = jig_zip_transform(s->sides, 2, op, JIG_I64);
  s->of[JIG_ITER_SHUFFLE] = jig_iter_shuffle(v->count, (uint64_t)v->start, JIG_I64);
  for (jig_cache_hint hint = JIG_CACHE_STREAMING; hint <= JIG_CACHE_WRITE_THROUGH; ++hint) {
    const jig_iter hinted = jig_pointer_hinted(v->pointer, JIG_I64, hint);
    s->of[hinted.kind] = hinted;
  }
}

static const values some = {(char *)4096, 3, 5, 24, 7, 100};

static char *text_of_iter(const jig_iter *iter, bool output) {
  static const jig_type i64 = {.kind = JIG_KIND_I64, .size = 8, .align = 8};
  const jig_iter plain = jig_pointer(NULL, iter->type.kind == JIG_KIND_STRUCT ? iter->type : i64);
  const jig_reduce_args args = {
      .in = output ? plain : *iter, .out = output ? *iter : plain, .op = jig_op_source("return a;")};
  char *text = NULL;
  SUCCEEDS(jig_reduce_spec(&args, &text));
  return text;
}

static bool can_be(const jig_iter *iter, iter_role role) {
  return iter_check(iter, role, "x", "x") == JIG_SUCCESS;
}

START_TEST(kinds_have_names_and_roles) {
  samples s;
  fill_samples(&s, &some);
  for (jig_iter_kind kind = JIG_ITER_POINTER; iter_kind_exists(kind); ++kind) {
    ck_assert(iter_kind_exists(kind));
    ck_assert_int_eq(iter_kind_from_name(iter_name(kind)), kind);
    const bool outputs = kind == JIG_ITER_DISCARD || kind == JIG_ITER_TRANSFORM_OUTPUT ||
                         kind == JIG_ITER_POINTER_WRITE_THROUGH;
    const bool both = kind == JIG_ITER_POINTER || kind == JIG_ITER_STRIDED || kind == JIG_ITER_REVERSE ||
                      kind == JIG_ITER_PERMUTATION || kind == JIG_ITER_ZIP ||
                      kind == JIG_ITER_POINTER_STREAMING || kind == JIG_ITER_POINTER_GLOBAL ||
                      kind == JIG_ITER_POINTER_KEEP;
    ck_assert_int_eq(can_be(&s.of[kind], ITER_INPUT), !outputs);
    ck_assert_int_eq(can_be(&s.of[kind], ITER_OUTPUT), outputs || both);
    SUCCEEDS(iter_check_values(&s.of[kind], 100, "x"));
  }
  ck_assert(!iter_kind_exists(JIG_ITER_NONE));
  ck_assert(!iter_kind_exists((jig_iter_kind)(KINDS + 1)));
  ck_assert(!iter_kind_exists((jig_iter_kind)-1));
  ck_assert_int_eq(iter_kind_from_name(NULL), JIG_ITER_NONE);
  ck_assert_int_eq(iter_kind_from_name("zap"), JIG_ITER_NONE);
}
END_TEST

START_TEST(texts_read_back) {
  samples s;
  fill_samples(&s, &some);
  for (jig_iter_kind kind = JIG_ITER_POINTER; iter_kind_exists(kind); ++kind) {
    char *text = text_of_iter(&s.of[kind], !can_be(&s.of[kind], ITER_INPUT)), *again = NULL;
    parsed_spec parsed, twice;
    SUCCEEDS(spec_parse(text, algorithm_schema, &parsed));
    SUCCEEDS(spec_write(&parsed.s, "x", &again));
    ck_assert_str_eq(text, again);
    SUCCEEDS(spec_parse(again, algorithm_schema, &twice));
    ck_assert(spec_hash(&parsed.s) == spec_hash(&twice.s));
    parsed_spec_free(&parsed);
    parsed_spec_free(&twice);
    jig_free(text);
    jig_free(again);
  }
}
END_TEST

START_TEST(what_moves_is_not_in_the_text_and_the_rest_is) {
  const values others = {NULL, 30, 50, -8, 70, 0};
  samples a, b;
  fill_samples(&a, &some);
  fill_samples(&b, &others);
  char *texts[KINDS + 1] = {NULL};
  for (jig_iter_kind kind = JIG_ITER_POINTER; iter_kind_exists(kind); ++kind) {
    const bool output = !can_be(&a.of[kind], ITER_INPUT);
    char *moved = text_of_iter(&b.of[kind], output);
    texts[kind] = text_of_iter(&a.of[kind], output);
    ck_assert_str_eq(texts[kind], moved);
    for (jig_iter_kind other = JIG_ITER_POINTER; other < kind; ++other)
      ck_assert_str_ne(texts[kind], texts[other]);
    jig_free(moved);
  }
  for (jig_iter_kind kind = JIG_ITER_POINTER; iter_kind_exists(kind); ++kind) jig_free(texts[kind]);
}
END_TEST

static uint64_t hash_of(const jig_iter *in) {
  const spec_schema *schema = algorithm_schema("reduce");
  spec s = {.schema = schema};
  for (int i = 0; i < schema->slot_count; ++i) {
    if (strcmp(schema->slots[i].name, "in") == 0) s.slots[i].iter = in;
  }
  return spec_hash(&s);
}

/* The hash comes before any check. */
START_TEST(hashes_differ_and_take_anything) {
  samples s;
  fill_samples(&s, &some);
  const jig_iter sides[3] = {s.sides[0], s.sides[1], s.plain}, turned[2] = {s.sides[1], s.sides[0]};
  jig_iter circle = jig_iter_reverse(NULL, 1), wide[8];
  circle.base = &circle;
  for (int k = 0; k < 8; ++k) wide[k] = jig_zip(wide, 8, pair); /* 8^16 of them */
  const jig_iter iters[] = {
      s.of[JIG_ITER_ZIP],
      jig_zip(sides, 3, pair),
      jig_zip(turned, 2, pair),
      jig_zip(sides, 1, pair),
      jig_zip(sides, 1u << 30, pair),
      jig_zip(NULL, 2, pair),
      jig_zip(NULL, 3, pair),
      s.of[JIG_ITER_PERMUTATION],
      jig_permutation(&s.indices, &s.plain),
      jig_permutation(&s.plain, NULL),
      jig_permutation(NULL, &s.plain),
      jig_iter_reverse(NULL, 1),
      jig_iter_reverse(&s.plain, 1),
      {.kind = (jig_iter_kind)77, .base = &circle, .base_count = 2},
      circle,
      wide[0],
  };
  for (size_t i = 0; i < COUNT_OF(iters); ++i) {
    for (size_t j = 0; j < i; ++j) ck_assert(hash_of(&iters[i]) != hash_of(&iters[j]));
  }
  const jig_iter moved = jig_iter_reverse(&s.indices, 5), same = jig_iter_reverse(&s.indices, 6);
  ck_assert(hash_of(&moved) == hash_of(&same));
}
END_TEST

/* ---- layouts and bytes */

#define PACK(iter, bytes)                                                            \
  do {                                                                               \
    ck_assert_uint_eq(iter_layout(&(iter)).size, sizeof(bytes));                     \
    memset(&(bytes), 0xff, sizeof(bytes));                                           \
    ck_assert_uint_eq(iter_pack(&(iter), (unsigned char *)&(bytes)), sizeof(bytes)); \
  } while (0)

START_TEST(parts_follow_each_other) {
  const uint8_t start = 200, step = 3;
  const jig_iter by = jig_counting_by(&start, &step, JIG_U8);
  uint8_t two[2];
  PACK(by, two);
  ck_assert(two[0] == 200 && two[1] == 3);
  const jig_iter from_zero = jig_counting_by(NULL, &step, JIG_U8);
  PACK(from_zero, two);
  ck_assert(two[0] == 0 && two[1] == 3);
  struct {
    void *pointer;
    int64_t stride;
  } strided;
  const jig_iter column = jig_strided((void *)64, -24, JIG_I8);
  PACK(column, strided);
  ck_assert(strided.pointer == (void *)64 && strided.stride == -24);
  struct {
    uint8_t start, step;
    uint64_t last;
  } reversed;
  const jig_iter reverse = jig_iter_reverse(&by, 10);
  PACK(reverse, reversed);
  ck_assert(reversed.start == 200 && reversed.step == 3 && reversed.last == 9);
  const jig_iter nothing = jig_discard(JIG_F64);
  uint8_t none;
  PACK(nothing, none);
  ck_assert_uint_eq(iter_layout(&nothing).align, 1);
}
END_TEST

START_TEST(bases_come_first) {
  const uint8_t byte = 9;
  const double shift = 0.5;
  const jig_iter plain = jig_pointer((void *)64, JIG_F32), counting = jig_counting(&byte, JIG_U8);
  struct {
    void *values;
    uint8_t indices;
  } permuted;
  const jig_iter permutation = jig_permutation(&plain, &counting);
  PACK(permutation, permuted);
  ck_assert(permuted.values == (void *)64 && permuted.indices == 9);
  const jig_iter bases[] = {counting, permutation, jig_discard(JIG_I8), counting};
  const jig_iter zip = jig_zip(bases, 4, pair);
  struct {
    uint8_t first;
    struct {
      void *values;
      uint8_t indices;
    } second;
    uint8_t third, fourth;
  } zipped;
  PACK(zip, zipped);
  ck_assert(zipped.first == 9 && zipped.second.values == (void *)64 && zipped.second.indices == 9 &&
            zipped.third == 0 && zipped.fourth == 9);
  const jig_op op = jig_op_with_state(jig_op_source("return x;"), &shift, JIG_F64);
  const jig_iter out = jig_transform_output(&plain, op, JIG_F32);
  struct {
    void *pointer;
    double state;
  } transformed;
  PACK(out, transformed);
  ck_assert(transformed.pointer == (void *)64);
  ck_assert_double_eq(transformed.state, 0.5);
  const jig_iter source = jig_iter_source(op, JIG_F32);
  double state;
  PACK(source, state);
  ck_assert_double_eq(state, 0.5);
}
END_TEST

START_TEST(vectors_are_those_of_bases_that_agree) {
  const jig_iter f32 = jig_pointer(NULL, JIG_F32), i32 = jig_pointer(NULL, JIG_I32),
                 f64 = jig_pointer(NULL, JIG_F64), counting = jig_counting(NULL, JIG_I32);
  const jig_iter bytes = jig_pointer(NULL, JIG_I8);
  const jig_iter equal[] = {f32, i32, counting}, wide[] = {f64, f64}, unequal[] = {f32, f64, bytes};
  const jig_iter zips[] = {jig_zip(equal, 3, pair), jig_zip(wide, 2, pair), jig_zip(unequal, 3, pair)};
  static const unsigned wanted[] = {4, 2, 4};
  for (size_t i = 0; i < 3; ++i) {
    ck_assert_uint_eq(iter_vector_items(&zips[i]), wanted[i]);
    const jig_iter over = jig_iter_transform(&zips[i], jig_op_source("return 0;"), JIG_I8);
    ck_assert_uint_eq(iter_vector_items(&over), wanted[i]);
  }
  const jig_iter singles[] = {jig_strided(NULL, 8, JIG_I8), jig_iter_reverse(&bytes, 5),
                              jig_permutation(&bytes, &counting), jig_counting_by(NULL, "", JIG_I8),
                              jig_iter_source(jig_op_source("return 0;"), JIG_I8)};
  for (size_t i = 0; i < COUNT_OF(singles); ++i) ck_assert_uint_eq(iter_vector_items(&singles[i]), 4);
}
END_TEST

/* ---- errors */

START_TEST(unsound_descriptions_are_refused) {
  const jig_iter plain = jig_pointer(NULL, JIG_F32), counting = jig_counting(NULL, JIG_I32),
                 nothing = jig_discard(JIG_F32);
  const jig_iter mixed[] = {plain, counting}, bad[] = {plain, nothing},
                 none[] = {plain, {.type = JIG_I8}};
  const jig_iter nine[9] = {plain, plain, plain, plain, plain, plain, plain, plain, plain};
  const jig_op op = jig_op_source("return x;");
  jig_iter other_type = jig_iter_reverse(&plain, 3), deep = jig_zip(bad, 2, pair);
  other_type.type = JIG_F64;
  const struct {
    jig_iter iter;
    iter_role role;
    const char *part;
  } rows[] = {
      {jig_counting_by(NULL, "", JIG_BOOL), ITER_INPUT, "in: 'counting_by' cannot count in bool"},
      {jig_counting_by(NULL, "", pair), ITER_INPUT, "cannot count in pair"},
      {jig_strided(NULL, 4, (jig_type){0}), ITER_INPUT, "in: no type"},
      {jig_iter_reverse(NULL, 3), ITER_INPUT, "in: 'reverse' was given no iterator"},
      {other_type, ITER_INPUT, "those of its base, f32, not f64"},
      {jig_iter_reverse(&counting, 3), ITER_OUTPUT, "which 'counting' cannot"},
      {jig_permutation(NULL, &counting), ITER_INPUT, "'permutation' was given no iterator"},
      {jig_permutation(&plain, NULL), ITER_INPUT, "'permutation' was given no iterator"},
      {jig_permutation(&plain, &plain), ITER_INPUT,
       "in: indices of 'permutation': they must be integers"},
      {jig_permutation(&counting, &counting), ITER_OUTPUT, "in: values of 'permutation': an output must"},
      {jig_permutation(&plain, &nothing), ITER_OUTPUT, "in: indices of 'permutation': an input must"},
      {jig_zip(nine, 9, pair), ITER_INPUT, "'zip' has 9 bases; 1 to 8"},
      {jig_zip(mixed, 0, pair), ITER_INPUT, "'zip' has 0 bases"},
      {jig_zip(NULL, 2, pair), ITER_INPUT, "'zip' was given no iterator"},
      {jig_zip(mixed, 2, JIG_F32), ITER_INPUT, "the items of 'zip' are structs, not f32"},
      {jig_zip(mixed, 2, pair), ITER_OUTPUT, "in: base 2 of 'zip': an output must"},
      {jig_zip(none, 2, pair), ITER_INPUT, "in: base 2 of 'zip': no iterator is given"},
      {jig_iter_reverse(&deep, 2), ITER_INPUT, "in: base 2 of 'zip': an input must"},
      {jig_iter_transform(&plain, op, JIG_F32), ITER_OUTPUT, "which 'transform' cannot"},
      {jig_transform_output(&plain, op, JIG_F32), ITER_INPUT, "which 'transform_output' cannot"},
      {jig_transform_output(NULL, op, JIG_F32), ITER_OUTPUT, "was given no iterator"},
      {jig_transform_output(&counting, op, JIG_F32), ITER_OUTPUT, "which 'counting' cannot"},
      {jig_transform_output(&plain, JIG_MAX, JIG_F32), ITER_OUTPUT, "a unary operator is needed"},
      {jig_discard(JIG_F32), ITER_INPUT, "which 'discard' cannot"},
      {jig_discard((jig_type){0}), ITER_OUTPUT, "no type"},
      {jig_iter_source(JIG_PLUS, JIG_F32), ITER_INPUT, "an operator of an index is needed"},
      {jig_iter_source((jig_op){0}, JIG_F32), ITER_INPUT, "no operator is given"},
      {jig_iter_source(op, JIG_F32), ITER_OUTPUT, "which 'source' cannot"},
      {jig_iter_shuffle(3, 1, JIG_I32), ITER_OUTPUT, "which 'shuffle' cannot"},
      {jig_iter_shuffle(3, 1, JIG_F64), ITER_INPUT, "the items of 'shuffle' are integers, not f64"},
      {jig_iter_shuffle(3, 1, JIG_BOOL), ITER_INPUT, "are integers, not bool"},
  };
  for (size_t i = 0; i < COUNT_OF(rows); ++i)
    FAILS_WITH(iter_check(&rows[i].iter, rows[i].role, "in", "in"), rows[i].part);
}
END_TEST

START_TEST(unusable_values_are_refused) {
  const int32_t one = 1;
  const jig_iter plain = jig_pointer((void *)64, JIG_I32), null = jig_pointer(NULL, JIG_I32),
                 odd = jig_pointer((void *)66, JIG_I32), counting = jig_counting(NULL, JIG_I32);
  const jig_op stateful = jig_op_with_state(jig_op_source("return 0;"), NULL, JIG_I32);
  const jig_iter with_null[] = {plain, null}, with_odd[] = {odd, plain};
  const jig_iter ten = jig_iter_reverse(&plain, 10), stateless = jig_iter_source(stateful, JIG_I32);
  const jig_iter nested = jig_permutation(&ten, &stateless), zip = jig_zip(with_null, 2, pair);
  const struct {
    jig_iter iter;
    const char *part;
  } rows[] = {
      {jig_counting_by(&one, NULL, JIG_I32), "in: 'counting_by' was given no step"},
      {jig_strided(NULL, 4, JIG_I32), "in: the pointer is NULL"},
      {jig_strided((void *)66, 4, JIG_I32), "is not aligned to the 4 bytes of i32"},
      {jig_strided((void *)64, -6, JIG_I32), "a stride of -6 bytes"},
      {jig_iter_reverse(&plain, 10), "'reverse' of 10 items is to have 11"},
      {jig_iter_reverse(&plain, 0), "'reverse' of 0 items is to have 11"},
      {jig_iter_reverse(&null, 11), "the pointer is NULL"},
      {jig_iter_reverse(&ten, 20), "'reverse' of 10 items is to have 20"},
      {jig_permutation(&null, &counting), "in: values of 'permutation': the pointer is NULL"},
      {jig_permutation(&plain, &odd), "in: indices of 'permutation': pointer"},
      {jig_permutation(&plain, &ten), "in: indices of 'permutation': 'reverse' of 10"},
      {zip, "in: base 2 of 'zip': the pointer is NULL"},
      {jig_zip(with_odd, 2, pair), "in: base 1 of 'zip': pointer"},
      {jig_transform_output(&null, jig_op_source("return x;"), JIG_I32), "the pointer is NULL"},
      {jig_transform_output(&plain, stateful, JIG_I32), "the operator's state is NULL"},
      {stateless, "in: the operator's state is NULL"},
      {nested, "in: indices of 'permutation': the operator's state is NULL"},
      {jig_iter_reverse(&zip, 11), "in: base 2 of 'zip': the pointer is NULL"},
      {jig_iter_shuffle(10, 0, JIG_I32), "in: 'shuffle' of 10 items is to have 11"},
      {jig_iter_shuffle(257, 0, JIG_U8), "in: u8 has no room for the numbers below 257 of 'shuffle'"},
      {jig_iter_shuffle(((uint64_t)1 << 63) + 1, 0, JIG_U64), "it has 2^63 at most"},
  };
  for (size_t i = 0; i < COUNT_OF(rows); ++i)
    FAILS_WITH(iter_check_values(&rows[i].iter, 11, "in"), rows[i].part);
  const jig_iter fine[] = {
      jig_counting_by(NULL, &one, JIG_I32),
      jig_strided((void *)64, 0, JIG_I32),
      jig_strided((void *)80, -8, JIG_I32), /* down to address 0 */
      jig_iter_reverse(&plain, 11),
      jig_permutation(&ten, &counting), /* which of the ten is not known */
      jig_discard(JIG_I32),
      jig_iter_shuffle(256, 0, JIG_U8),
      jig_iter_shuffle((uint64_t)1 << 63, 0, JIG_U64),
  };
  for (size_t i = 0; i < COUNT_OF(fine); ++i) SUCCEEDS(iter_check_values(&fine[i], 11, "in"));
}
END_TEST

START_TEST(no_memory_has_room_for_some_counts) {
  const uint64_t most = (uint64_t)1 << 61, limit = (uint64_t)INT64_MAX;
  const jig_iter bytes = jig_pointer((void *)64, JIG_U8), ints = jig_pointer((void *)64, JIG_I32);
  const jig_iter counting = jig_counting(NULL, JIG_U64), mixed[] = {counting, ints};
  const struct {
    jig_iter iter;
    uint64_t most; /* that there may be memory for */
  } rows[] = {{bytes, limit},
              {ints, most - 1},
              {counting, UINT64_MAX},
              {jig_strided(NULL, 0, JIG_I32), UINT64_MAX},
              {jig_strided(NULL, -16, JIG_I32), most / 4},
              {jig_strided(NULL, 16, JIG_I32), most / 4},
              {jig_strided(NULL, INT64_MIN, JIG_I32), 1},
              {jig_strided(NULL, INT64_MAX, JIG_U8), 1},
              {jig_iter_reverse(&ints, UINT64_MAX), most - 1},
              {jig_zip(mixed, 2, pair), most - 1},
              {jig_permutation(&ints, &counting), UINT64_MAX},
              {jig_permutation(&counting, &ints), most - 1},
              {jig_iter_transform(&ints, jig_op_source("return x;"), JIG_U8), most - 1},
              {jig_discard(JIG_I32), UINT64_MAX}};
  for (size_t i = 0; i < COUNT_OF(rows); ++i) {
    ck_assert(iter_fits_memory(&rows[i].iter, 0));
    ck_assert(iter_fits_memory(&rows[i].iter, 1));
    ck_assert_msg(iter_fits_memory(&rows[i].iter, rows[i].most), "%zu", i);
    if (rows[i].most < UINT64_MAX)
      ck_assert_msg(!iter_fits_memory(&rows[i].iter, rows[i].most + 1), "%zu", i);
  }
}
END_TEST

/* Of no segment's items it is known how many there are, but these. */
START_TEST(an_end_may_come_before_all_items) {
  const jig_iter ints = jig_pointer((void *)64, JIG_I32), counting = jig_counting(NULL, JIG_U64);
  const jig_iter none = jig_iter_reverse(&ints, 0), three = jig_iter_reverse(&ints, 3);
  const jig_iter shuffled = jig_iter_shuffle(0, 1, JIG_U32), mixed[] = {ints, none};
  const jig_iter empty[] = {none,
                            shuffled,
                            jig_iter_transform(&none, jig_op_source("return x;"), JIG_U8),
                            jig_zip(mixed, 2, pair),
                            jig_permutation(&ints, &none),
                            jig_iter_reverse(&three, 0)};
  const jig_iter others[] = {ints, counting, three, jig_permutation(&ints, &three), jig_discard(JIG_I32)};
  for (size_t i = 0; i < COUNT_OF(empty); ++i) ck_assert_uint_eq(iter_known_items(&empty[i]), 0);
  for (size_t i = 0; i < COUNT_OF(others); ++i) ck_assert_uint_eq(iter_known_items(&others[i]), 1);
}
END_TEST

START_TEST(items_have_addresses) {
  const uintptr_t end = 0 - (uintptr_t)40; /* ten ints before the last address */
  const jig_iter at_end = jig_pointer((void *)end, JIG_I32), low = jig_pointer((void *)64, JIG_I32);
  const struct {
    jig_iter iter;
    uint64_t most;
  } rows[] = {{at_end, 10},
              {jig_strided((void *)end, 8, JIG_I32), 5},
              {jig_strided((void *)end, -8, JIG_I32), UINT64_MAX / 16 + 1},
              {jig_strided((void *)64, -8, JIG_I32), 9},
              {jig_strided((void *)(end + 36), 0, JIG_I32), UINT64_MAX}};
  for (size_t i = 0; i < COUNT_OF(rows); ++i) {
    SUCCEEDS(iter_check_values(&rows[i].iter, rows[i].most, "in"));
    if (rows[i].most < UINT64_MAX)
      FAILS_WITH(iter_check_values(&rows[i].iter, rows[i].most + 1, "in"), "in: from 0x");
  }
  const jig_iter long_one = jig_iter_reverse(&low, (uint64_t)1 << 61),
                 late = jig_iter_reverse(&at_end, 11);
  FAILS_WITH(iter_check_values(&long_one, 1, "in"), "no addresses for 2305843009213693952 items");
  FAILS_WITH(iter_check_values(&late, 1, "in"), "no addresses for 11 items");
  /* What would wrap in between neither is met nor meets anything. */
  ck_assert(!iter_overlaps(&late, 12, (void *)64, 64));
}
END_TEST

START_TEST(iterators_have_a_limit) {
  jig_iter leaves[8], branches[8], wide[8], chain[ITER_MAX_DEPTH + 1];
  for (int k = 0; k < 8; ++k) leaves[k] = jig_counting(NULL, JIG_I32);
  for (int k = 0; k < 8; ++k) branches[k] = jig_zip(leaves, k < 7 ? 7 : 6, pair);
  jig_iter tree = jig_zip(branches, 8, pair); /* 1 + 7 * 8 + 7 */
  SUCCEEDS(iter_check(&tree, ITER_INPUT, "in", "in"));
  ck_assert_uint_eq(iter_count(&tree), ITER_MAX_COUNT);
  const jig_reduce_args args = {.in = tree, .out = jig_discard(pair), .op = jig_op_source("return a;")};
  char *text = NULL;
  FAILS_WITH(jig_reduce_spec(&args, &text), "jig_reduce_spec: more than 64 iterators");
  branches[0].base_count = 8;
  FAILS_WITH(iter_check(&tree, ITER_INPUT, "in", "in"), "more than 64 iterators");
  for (int k = 0; k < 8; ++k) wide[k] = jig_zip(wide, 8, pair);
  FAILS_WITH(iter_check(&wide[0], ITER_INPUT, "in", "in"), "nested more than 16 deep");
  chain[0] = leaves[0];
  for (int k = 1; k <= ITER_MAX_DEPTH; ++k) chain[k] = jig_iter_reverse(&chain[k - 1], 5);
  SUCCEEDS(iter_check(&chain[ITER_MAX_DEPTH - 1], ITER_INPUT, "in", "in"));
  FAILS_WITH(iter_check(&chain[ITER_MAX_DEPTH], ITER_INPUT, "in", "in"), "nested more than 16 deep");
  static const unsigned char state[900];
  const jig_type large = jig_struct("large", "struct large { char c[900]; };", 900, 1);
  for (int k = 0; k < 4; ++k)
    leaves[k] = jig_iter_source(jig_op_with_state(jig_op_source("return 0;"), state, large), JIG_I32);
  jig_reduce_args heavy = {
      .in = jig_zip(leaves, 4, pair), .out = jig_discard(pair), .op = jig_op_source("return a;")};
  FAILS_WITH(jig_reduce_spec(&heavy, &text),
             "jig_reduce_spec: in: values and states take 3602 bytes of the kernel's parameters, 3600 of "
             "them here, where 3584 are left");
  heavy.in.base_count = 3;
  SUCCEEDS(jig_reduce_spec(&heavy, &text));
  jig_free(text);
}
END_TEST

/* Its kernels take more of their parameters for themselves than others. */
START_TEST(samples_of_a_histogram_have_less_room) {
  static const unsigned char state[3584];
  static const int32_t lower = 0, upper = 100;
  for (unsigned size = 3304; size <= 3584; size += 8) {
    char definition[64];
    (void)snprintf(definition, sizeof definition, "struct large { char c[%u]; };", size);
    const jig_type type = jig_struct("large", definition, size, 1);
    jig_histogram_args args = {
        .samples = jig_iter_source(jig_op_with_state(jig_op_source("return i;"), state, type), JIG_U32),
        .level_type = JIG_I32,
        .num_bins = {100},
        .lower = {&lower},
        .upper = {&upper}};
    char *text = NULL;
    if (size <= 3328)
      SUCCEEDS(jig_histogram_spec(&args, &text));
    else
      FAILS_WITH(jig_histogram_spec(&args, &text),
                 "jig_histogram_spec: samples: values and states take ");
    jig_free(text);
  }
}
END_TEST

#define REDUCE_OVER(iterator)                                                                           \
  "{\"algorithm\":\"reduce\",\"accum\":\"i32\",\"op\":\"plus\",\"out\":{\"kind\":\"pointer\",\"type\":" \
  "\"i32\"},\"in\":" iterator "}"

START_TEST(bad_text_is_refused_with_a_reason) {
  static const struct {
    const char *text, *part;
  } rows[] = {
      {REDUCE_OVER("{\"kind\":\"zap\",\"type\":\"i32\"}"), "in: not an iterator"},
      {REDUCE_OVER("{\"kind\":\"strided\",\"type\":\"i32\",\"stride\":4}"), "unknown member 'stride'"},
      {REDUCE_OVER("{\"kind\":\"reverse\",\"type\":\"i32\"}"), "in: not an iterator"},
      {REDUCE_OVER("{\"kind\":\"reverse\",\"type\":\"i32\",\"base\":[]}"), "in: not an iterator"},
      {REDUCE_OVER("{\"kind\":\"reverse\",\"type\":\"i32\",\"bases\":[]}"), "unknown member 'bases'"},
      {REDUCE_OVER("{\"kind\":\"zip\",\"type\":\"i32\"}"), "'bases' is not an array"},
      {REDUCE_OVER("{\"kind\":\"zip\",\"type\":\"i32\",\"bases\":{}}"), "'bases' is not an array"},
      {REDUCE_OVER("{\"kind\":\"zip\",\"type\":\"i32\",\"bases\":[]}"), "'zip' cannot have 0 bases"},
      {REDUCE_OVER("{\"kind\":\"permutation\",\"type\":\"i32\",\"bases\":[]}"), "cannot have 0 bases"},
      {REDUCE_OVER(
           "{\"kind\":\"permutation\",\"type\":\"i32\",\"bases\":[{\"kind\":\"counting\",\"type\":"
           "\"i32\"}]}"),
       "in: 'permutation' cannot have 1 bases"},
      {REDUCE_OVER(
           "{\"kind\":\"permutation\",\"type\":\"i32\",\"bases\":[{\"kind\":\"counting\",\"type\":"
           "\"i32\"},{\"kind\":\"counting\",\"type\":\"i32\"},{\"kind\":\"counting\",\"type\":"
           "\"i32\"}]}"),
       "cannot have 3 bases"},
      {REDUCE_OVER("{\"kind\":\"discard\",\"type\":\"i32\"}"), "in: an input must be"},
      {REDUCE_OVER("{\"kind\":\"source\",\"type\":\"i32\"}"), "in: not an operator"},
      {REDUCE_OVER("{\"kind\":\"source\",\"type\":\"i32\",\"op\":\"plus\"}"), "an operator of an index"},
  };
  for (size_t i = 0; i < COUNT_OF(rows); ++i) {
    parsed_spec parsed;
    FAILS_WITH(spec_parse(rows[i].text, algorithm_schema, &parsed), rows[i].part);
  }
}
END_TEST

/* ---- overlap */

START_TEST(strides_have_gaps) {
  char *base = (char *)65536;
  const jig_iter up = jig_strided(base, 64, JIG_I32), down = jig_strided(base, -64, JIG_I32),
                 still = jig_strided(base, 0, JIG_I32);
  ck_assert(iter_overlaps(&up, 10, base + 3 * 64 + 3, 1));
  ck_assert(!iter_overlaps(&up, 10, base + 3 * 64 + 4, 60));
  ck_assert(iter_overlaps(&up, 10, base + 3 * 64 + 4, 61));
  ck_assert(!iter_overlaps(&up, 10, base + 10 * 64, 64));
  ck_assert(iter_overlaps(&up, 10, base - 100, 101));
  ck_assert(!iter_overlaps(&up, 10, base - 100, 100));
  ck_assert(iter_overlaps(&down, 10, base - 9 * 64, 1));
  ck_assert(!iter_overlaps(&down, 10, base - 9 * 64 + 4, 60));
  ck_assert(!iter_overlaps(&down, 10, base - 10 * 64, 64));
  ck_assert(iter_overlaps(&down, UINT64_MAX, base - 640, 64));
  ck_assert(!iter_overlaps(&down, UINT64_MAX, base + 4, 64));
  ck_assert(iter_overlaps(&still, UINT64_MAX, base + 3, 1));
  ck_assert(!iter_overlaps(&still, UINT64_MAX, base + 4, 1));
  ck_assert(!iter_overlaps(&still, 1, base - 4, 4));
}
END_TEST

START_TEST(overlap_is_followed_through_bases) {
  char *base = (char *)65536;
  const jig_iter plain = jig_pointer(base, JIG_I32), far = jig_pointer(base + 4096, JIG_I32),
                 counting = jig_counting(NULL, JIG_I64);
  const jig_iter reverse = jig_iter_reverse(&plain, 100), again = jig_iter_reverse(&reverse, 100);
  ck_assert(iter_overlaps(&reverse, 10, base + 396, 1));
  ck_assert(iter_overlaps(&reverse, 10, base + 300, 61));
  ck_assert(!iter_overlaps(&reverse, 10, base + 300, 60));
  ck_assert(!iter_overlaps(&reverse, 10, base + 400, 100));
  ck_assert(iter_overlaps(&again, 10, base + 39, 1));
  ck_assert(!iter_overlaps(&again, 10, base + 40, 100));
  const jig_iter gather = jig_permutation(&plain, &counting), by = jig_permutation(&far, &plain);
  ck_assert(iter_overlaps(&gather, 10, base, 1)); /* the pointer itself, and no more */
  ck_assert(iter_overlaps(&gather, 10, base - 10, 11));
  ck_assert(!iter_overlaps(&gather, 10, base + 1, 100));
  ck_assert(!iter_overlaps(&gather, 10, base - 10, 10));
  ck_assert(iter_overlaps(&by, 10, base + 39, 1)); /* indices are read in order */
  ck_assert(!iter_overlaps(&by, 10, base + 40, 100));
  const jig_iter both[] = {plain, far};
  const jig_iter zip = jig_zip(both, 2, pair), of_zip = jig_iter_reverse(&zip, 10);
  ck_assert(iter_overlaps(&zip, 10, base + 4096 + 39, 1));
  ck_assert(!iter_overlaps(&zip, 10, base + 40, 4056));
  ck_assert(iter_overlaps(&of_zip, 1, base + 4096 + 36, 1));
  ck_assert(!iter_overlaps(&of_zip, 1, base + 4096, 36));
  const jig_iter out = jig_transform_output(&plain, jig_op_source("return x;"), JIG_I64);
  ck_assert(iter_overlaps(&out, 1, base + 3, 1));
  ck_assert(!iter_overlaps(&out, 1, base + 4, 4));
  const jig_iter source = jig_iter_source(jig_op_with_state(jig_op_source(""), base, JIG_I64), JIG_I64),
                 nothing = jig_discard(JIG_I64);
  ck_assert(!iter_overlaps(&source, 10, base, 100));
  ck_assert(!iter_overlaps(&nothing, 10, base, 100));
}
END_TEST

/* ---- the program's text */

static char *program_of(jig_reduce_args args) {
  char *text = NULL, *program = NULL;
  parsed_spec parsed;
  SUCCEEDS(jig_reduce_spec(&args, &text));
  SUCCEEDS(spec_parse(text, algorithm_schema, &parsed));
  const build_settings nothing = {0};
  const arch target = arch_of_sm(90, false);
  SUCCEEDS(build_source(&nothing, &parsed.s, &target, &program));
  parsed_spec_free(&parsed);
  jig_free(text);
  return program;
}

static void check_order(const char *program, const char *first, const char *second) {
  const char *a = strstr(program, first), *b = strstr(program, second);
  ck_assert_msg(a != NULL && b != NULL && a < b, "'%s', then '%s' in:\n%s", first, second, program);
}

START_TEST(operators_are_numbered_and_members_defined_first) {
  const jig_type inner = jig_struct("inner", "struct inner { f16 h; };", 2, 2),
                 outer = jig_struct("outer", "struct outer { inner a; int b; };", 8, 4);
  const jig_iter made = jig_iter_source(jig_op_source("return inner{};"), inner);
  const jig_iter counted = jig_counting(NULL, JIG_I32);
  const jig_iter bases[] = {made, jig_iter_transform(&counted, jig_op_source("return -x;"), JIG_I32)};
  const jig_iter zip = jig_zip(bases, 2, outer);
  char *program =
      program_of((jig_reduce_args){.in = jig_iter_transform(&zip, jig_op_source("return x;"), outer),
                                   .out = jig_discard(outer),
                                   .op = jig_op_source("return a;")});
  check_order(program, "struct inner {", "struct outer {");
  check_order(program, "half.cuh", "struct inner {");
  check_order(program, "inner operator()(uint64_t i)", "int32_t operator()(int32_t x)");
  check_order(program, "\"operator of in\"", "\"operator 2 of in\"");
  check_order(program, "\"operator 2 of in\"", "\"operator 3 of in\"");
  ck_assert_ptr_nonnull(
      strstr(program,
             "jig::Transform<jig::Zip<outer, jig::Source<jig_in_op0_t, inner>, "
             "jig::Transform<jig::Counting<int32_t>, jig_in_op1_t, int32_t>>, jig_in_op2_t, outer>"));
  ck_assert_ptr_nonnull(strstr(program, "jig::Discard<outer>"));
  ck_assert_ptr_null(strstr(program, "iterator/pointer.cuh"));
  free(program);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(kinds_have_names_and_roles),
      SUITE_TEST(texts_read_back),
      SUITE_TEST(what_moves_is_not_in_the_text_and_the_rest_is),
      SUITE_TEST(hashes_differ_and_take_anything),
      SUITE_TEST(parts_follow_each_other),
      SUITE_TEST(bases_come_first),
      SUITE_TEST(vectors_are_those_of_bases_that_agree),
      SUITE_TEST(unsound_descriptions_are_refused),
      SUITE_TEST(unusable_values_are_refused),
      SUITE_TEST(no_memory_has_room_for_some_counts),
      SUITE_TEST(items_have_addresses),
      SUITE_TEST(iterators_have_a_limit),
      SUITE_TEST(samples_of_a_histogram_have_less_room),
      SUITE_TEST(bad_text_is_refused_with_a_reason),
      SUITE_TEST(an_end_may_come_before_all_items),
      SUITE_TEST(strides_have_gaps),
      SUITE_TEST(overlap_is_followed_through_bases),
      SUITE_TEST(operators_are_numbered_and_members_defined_first),
  };
  return SUITE_RUN("unit/iterators", tests, false);
}
