/* For each and bulk: items by reference and as copies, indices in up to eight dimensions, operators of
 * every form, states; what is refused, capture, strict mode. */
#include <jig/jig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "binaries.h"
#include "driver/driver.h"
#include "gpu.h"
#include "numbers.h"
#include "phases.h"
#include "strict_support.h"
#include "suite.h"
#include "words.h"

/* Around vectors, warps and tiles. */
static const size_t sizes[] = {1, 2, 3, 31, 33, 255, 257, 1023, 1024, 1025, 4095, 4097, 9001, 20011};
enum { MOST = 20011 };

static const char *const places_text = "struct places { unsigned *a; unsigned *b; };";
typedef struct places {
  uint32_t *a, *b;
} places;

static jig_type places_type(void) {
  return jig_struct("places", places_text, sizeof(places), _Alignof(places));
}

/* ---- items */

START_TEST(items_are_changed_in_place) {
  for (const jig_type_kind *kind = all_kinds; *kind != JIG_KIND_NONE; ++kind) {
    const jig_type type = type_of(*kind);
    if (*kind == JIG_KIND_BOOL) continue;
    for (size_t s = 0; s < COUNT_OF(sizes); s += 2) {
      const size_t count = sizes[s];
      void *items = malloc(count * type.size + 1), *got = malloc(count * type.size + 1);
      for (size_t i = 0; i < count; ++i) {
        const int value = (int)(i % 31);
        is_floating(*kind) ? put_float(*kind, items, i, value) : put_integer(*kind, items, i, value);
      }
      void *memory = gpu_copy(items, count * type.size, s % 3 * type.size);
      RUN_WITHOUT_STORAGE(jig_for_each, (&(jig_for_each_args){.in = jig_pointer(memory, type),
                                                              .num_items = count,
                                                              .op = jig_op_source("x = x + x;")}));
      for (size_t i = 0; i < count; ++i) {
        const int value = 2 * (int)(i % 31);
        is_floating(*kind) ? put_float(*kind, items, i, value) : put_integer(*kind, items, i, value);
      }
      gpu_read(got, memory, count * type.size);
      ck_assert_msg(memcmp(got, items, count * type.size) == 0, "%zu items of %s", count,
                    jig_type_name(&type));
      gpu_free(memory);
      free(items);
      free(got);
    }
  }
}
END_TEST

/* A field of each struct, and what lies between strided items stays. */
START_TEST(strided_items_and_structs) {
  const jig_type hit = jig_struct("hit", "struct hit { unsigned char a, b, c; };", 3, 1);
  uint32_t *words = random_words(2 * MOST, 7);
  uint8_t *bytes = malloc(3 * MOST);
  memcpy(bytes, words, 3 * MOST);
  uint32_t *memory = gpu_copy(words, 2 * MOST * 4, 0);
  uint8_t *hits = gpu_copy(bytes, 3 * MOST, 1), *got = malloc(3 * MOST);
  RUN_WITHOUT_STORAGE(jig_for_each, (&(jig_for_each_args){.in = jig_strided(memory, 8, JIG_U32),
                                                          .num_items = MOST,
                                                          .op = jig_op_source("x ^= 5;")}));
  for (size_t i = 0; i < MOST; ++i) words[2 * i] ^= 5;
  check_words(memory, words, 2 * MOST, "every second one");
  RUN_WITHOUT_STORAGE(jig_for_each, (&(jig_for_each_args){.in = jig_pointer(hits, hit),
                                                          .num_items = MOST,
                                                          .op = jig_op_source("x.b = x.a + x.c;")}));
  gpu_read(got, hits, 3 * MOST);
  for (size_t i = 0; i < MOST; ++i) bytes[3 * i + 1] = (uint8_t)(bytes[3 * i] + bytes[3 * i + 2]);
  ck_assert_int_eq(memcmp(got, bytes, 3 * MOST), 0);
  gpu_free(memory);
  gpu_free(hits);
  free(words);
  free(bytes);
  free(got);
}
END_TEST

/* Of any input: each is seen once, and what is done to a copy is lost. */
START_TEST(copies_of_items) {
  const uint32_t start = 5, step = 3;
  uint32_t *words = random_words(MOST, 7);
  uint32_t *memory = gpu_copy(words, MOST * 4, 4), *sum = gpu_alloc(8, 0);
  const jig_iter in = jig_pointer(memory, JIG_U32);
  const jig_iter counting = jig_counting_by(&start, &step, JIG_U32);
  const jig_iter both[] = {in, counting};
  const jig_iter inputs[] = {in,
                             counting,
                             jig_iter_transform(&in, jig_op_source("return x / 3;"), JIG_U32),
                             jig_iter_reverse(&in, MOST),
                             jig_zip_transform(both, 2, jig_op_source("return a ^ b;"), JIG_U32),
                             jig_strided(memory, 4, JIG_U32)};
  const places state = {sum, sum + 1};
  for (size_t k = 0; k < COUNT_OF(inputs) * COUNT_OF(sizes); ++k) {
    const size_t kind = k % COUNT_OF(inputs), count = sizes[k / COUNT_OF(inputs)];
    uint32_t wanted[] = {0, (uint32_t)count};
    for (uint32_t i = 0; i < count; ++i) {
      const uint32_t counted = start + step * i;
      const uint32_t values[] = {words[i],           counted, words[i] / 3, words[MOST - 1 - i],
                                 words[i] ^ counted, words[i]};
      wanted[0] += values[kind];
    }
    gpu_fill(sum, 0, 8);
    RUN_WITHOUT_STORAGE(
        jig_for_each,
        (&(jig_for_each_args){.in = inputs[kind],
                              .num_items = count,
                              .mode = JIG_FOR_EACH_COPY,
                              .op = jig_op_with_state(jig_op_source("atomicAdd(state.a, x); x = 0; "
                                                                    "atomicAdd(state.b, 1u);"),
                                                      &state, places_type())}));
    check_words(sum, wanted, 2, "a sum and a count");
  }
  check_words(memory, words, MOST, "what copies were made of");
  gpu_free(memory);
  gpu_free(sum);
  free(words);
}
END_TEST

/* More vectors than multiprocessors have 48 blocks of: what L2 has no room for. */
START_TEST(copies_of_many_items) {
  int devices;
  const size_t count = (size_t)driver_devices(&devices)->multiprocessors * 48 * 1024 + 3003;
  uint32_t *words = random_words(count, 7), wanted[] = {0, (uint32_t)count};
  uint32_t *memory = gpu_copy(words, count * 4, 0), *sum = gpu_alloc(8, 0);
  const places state = {sum, sum + 1};
  for (size_t i = 0; i < count; ++i) wanted[0] += words[i];
  gpu_fill(sum, 0, 8);
  RUN_WITHOUT_STORAGE(
      jig_for_each,
      (&(jig_for_each_args){
          .in = jig_pointer(memory, JIG_U32),
          .num_items = count,
          .mode = JIG_FOR_EACH_COPY,
          .op = jig_op_with_state(jig_op_source("atomicAdd(state.a, x); atomicAdd(state.b, 1u);"), &state,
                                  places_type())}));
  check_words(sum, wanted, 2, "a sum and a count");
  gpu_free(memory);
  gpu_free(sum);
  free(words);
}
END_TEST

START_TEST(copies_of_every_type) {
  static const char *const body = "atomicAdd(state.a, (unsigned)(int)x);";
  for (const jig_type_kind *kind = all_kinds; *kind != JIG_KIND_NONE; ++kind) {
    const jig_type type = type_of(*kind);
    enum { COUNT = 4099 };
    if (*kind == JIG_KIND_BOOL) continue;
    void *items = malloc(COUNT * type.size);
    uint32_t wanted = 0, *sum = gpu_alloc(4, 0);
    for (size_t i = 0; i < COUNT; ++i) {
      const int value = (int)(i % 31);
      is_floating(*kind) ? put_float(*kind, items, i, value) : put_integer(*kind, items, i, value);
      wanted += (uint32_t)value;
    }
    const places state = {sum, NULL};
    void *memory = gpu_copy(items, COUNT * type.size, type.size);
    gpu_fill(sum, 0, 4);
    RUN_WITHOUT_STORAGE(
        jig_for_each,
        (&(jig_for_each_args){.in = jig_pointer(memory, type),
                              .num_items = COUNT,
                              .mode = JIG_FOR_EACH_COPY,
                              .op = jig_op_with_state(jig_op_source(body), &state, places_type())}));
    check_words(sum, &wanted, 1, jig_type_name(&type));
    gpu_free(memory);
    gpu_free(sum);
    free(items);
  }
}
END_TEST

/* ---- indices */

START_TEST(indices) {
  uint32_t *wanted = malloc(MOST * 4);
  for (uint32_t i = 0; i < MOST; ++i) wanted[i] = i * i;
  for (size_t s = 0; s < COUNT_OF(sizes); ++s) {
    uint32_t *out = gpu_alloc(sizes[s] * 4, 0);
    const places state = {out, NULL};
    RUN_WITHOUT_STORAGE(
        jig_bulk, (&(jig_bulk_args){.num_items = sizes[s],
                                    .op = jig_op_with_state(jig_op_source("state.a[i] = i * i;"), &state,
                                                            places_type())}));
    check_words(out, wanted, sizes[s], "squares");
    gpu_free(out);
  }
  free(wanted);
}
END_TEST

/* The coordinates, each weighed by another prime. */
static uint32_t weighed(const uint64_t *extents, uint32_t rank, uint64_t i) {
  static const uint32_t primes[] = {1000003, 10007, 1009, 503, 101, 53, 31, 7};
  uint64_t sum = 0;
  for (uint32_t d = rank; d-- > 0; i /= extents[d]) sum += i % extents[d] * primes[d];
  return (uint32_t)sum;
}

START_TEST(indices_in_one_to_eight_dimensions) {
  static const uint64_t boxes[][8] = {{1001},
                                      {1, 1000},
                                      {7, 333},
                                      {256, 33},
                                      {5, 1, 77},
                                      {3, 64, 17},
                                      {2, 3, 5, 7},
                                      {8, 4, 2, 16, 3},
                                      {3, 1, 2, 5, 2, 9},
                                      {2, 2, 2, 3, 3, 3, 5},
                                      {2, 3, 2, 3, 2, 3, 2, 3},
                                      {0}};
  static const uint32_t rank_of[] = {1, 2, 2, 2, 3, 3, 4, 5, 6, 7, 8, 3};
  const char *body =
      "const unsigned p[] = {1000003, 10007, 1009, 503, 101, 53, 31, 7};"
      "unsigned long long sum = 0;"
      "for (int d = 0; d < RANK; ++d) sum += at[d] * p[d];"
      "state.a[i] = unsigned(sum);";
  for (size_t k = 0; k < COUNT_OF(boxes); ++k) {
    char text[512];
    uint64_t count = 1;
    (void)snprintf(text, sizeof text, "constexpr int RANK = %u; %s", rank_of[k], body);
    for (uint32_t d = 0; d < rank_of[k]; ++d) count *= boxes[k][d];
    uint32_t *out = gpu_alloc(count * 4 + 4, 0), *wanted = malloc(count * 4 + 4);
    const places state = {out, NULL};
    for (uint64_t i = 0; i < count; ++i) wanted[i] = weighed(boxes[k], rank_of[k], i);
    const jig_op op = jig_op_with_state(jig_op_source(text), &state, places_type());
    RUN_WITHOUT_STORAGE(jig_bulk, (&(jig_bulk_args){.extents = boxes[k], .rank = rank_of[k], .op = op}));
    check_words(out, wanted, count, "coordinates");
    gpu_fill(out, 0, count * 4 + 4);
    OK(jig_for_each_in_extents(NULL, NULL, NULL, boxes[k], rank_of[k], op, NULL));
    check_words(out, wanted, count, "coordinates, by name");
    gpu_free(out);
    free(wanted);
  }
}
END_TEST

/* How many of all coordinates are not what division makes them. */
static void check_box(uint64_t rows, uint64_t columns) {
  const uint64_t extents[] = {rows, columns};
  const uint32_t none = 0;
  uint32_t *wrong = gpu_alloc(4, 0);
  const places state = {wrong, NULL};
  char text[160];
  (void)snprintf(text, sizeof text,
                 "if (at[0] != i / %lluu || at[1] != i %% %lluu) atomicAdd(state.a, 1u);",
                 (unsigned long long)columns, (unsigned long long)columns);
  gpu_fill(wrong, 0, 4);
  OK(jig_for_each_in_extents(NULL, NULL, NULL, extents, 2,
                             jig_op_with_state(jig_op_source(text), &state, places_type()), NULL));
  check_words(wrong, &none, 1, "wrong coordinates");
  gpu_free(wrong);
}

/* Extents near powers of two, for the sake of how they are divided by. */
START_TEST(extents_of_every_magnitude) {
  for (int bits = 1; bits < 15; ++bits)
    for (int off = -1; off <= 1; ++off) check_box(3, ((uint64_t)1 << bits) + (uint64_t)(int64_t)off);
}
END_TEST

/* Around 2^32 indices, below which division is by multiplication. Not for the software GPU, hence the
 * memory. */
START_TEST(boxes_of_32_bits) {
  static const uint64_t boxes[][2] = {{3, 0x55555555},    {2, 0x7fffffff}, {0xffff, 0x10001},
                                      {0x10001, 0xffff},  {1, 0xffffffff}, {2, 0x80000000},
                                      {0x10000, 0x10000}, {0x80000000, 2}};
  if (!gpu_begin_large("device/for_each: boxes_of_32_bits", (size_t)1 << 36)) return;
  for (size_t k = 0; k < COUNT_OF(boxes); ++k) check_box(boxes[k][0], boxes[k][1]);
  gpu_end_large();
}
END_TEST

/* ---- operators */

/* Bodies, functions and compiled ones; states by value and in device memory, which may be changed. */
START_TEST(operators_of_every_form) {
  static const char function[] = "void each(places s, unsigned &x) { atomicAdd(s.a, x); x += 1; }";
  static const char functions[] =
      "void once(unsigned &total, unsigned x) { atomicAdd(&total, x); }"
      "void index(unsigned &total, uint64_t i, const uint64_t *at) { atomicAdd(&total, i + at[1]); }";
  static const char compiled[] =
      "struct places { unsigned *a; unsigned *b; };"
      "EXPORT void each(const places *s, unsigned *x) { atomicAdd(s->a, *x); *x += 1; }"
      "EXPORT void index(unsigned *total, unsigned long long i, const unsigned long long *at)"
      "{ atomicAdd(total, (unsigned)(i + at[1])); }";
  char text[1024];
  const uint64_t extents[] = {7, 11};
  uint32_t *words = random_words(1000, 7), sum = 0, of_indices = 0;
  for (size_t i = 0; i < 1000; ++i) sum += words[i];
  for (uint32_t i = 0; i < 77; ++i) of_indices += i + i % 11;
  (void)snprintf(text, sizeof text, "%s%s", binary_prelude, compiled);
  const binary *b = binary_make(BY_NVRTC, BINARY_LTO_IR, text, 0);
  const jig_op each[] = {jig_op_source("atomicAdd(state.a, x); x += 1;"),
                         jig_op_function(function, "each"), binary_op(b, "each"),
                         jig_op_by_pointer(binary_op(b, "each"))};
  const jig_op by_index[] = {jig_op_source("atomicAdd(&state, unsigned(i + at[1]));"),
                             jig_op_function(functions, "index"), binary_op(b, "index")};
  uint32_t *total = gpu_alloc(4, 0);
  const places state = {total, NULL};
  places *d_state = gpu_copy(&state, sizeof state, 0);
  for (size_t k = 0; k < 2 * COUNT_OF(each); ++k) {
    uint32_t *memory = gpu_copy(words, 4000, 0);
    gpu_fill(total, 0, 4);
    const jig_op op = k % 2 == 0 ? jig_op_with_state(each[k / 2], &state, places_type())
                                 : jig_op_with_device_state(each[k / 2], d_state, places_type());
    RUN_WITHOUT_STORAGE(
        jig_for_each,
        (&(jig_for_each_args){.in = jig_pointer(memory, JIG_U32), .num_items = 1000, .op = op}));
    check_words(total, &sum, 1, "a sum");
    for (size_t i = 0; i < 1000; ++i) ++words[i];
    check_words(memory, words, 1000, "one more");
    for (size_t i = 0; i < 1000; ++i) --words[i];
    gpu_free(memory);
  }
  for (size_t k = 0; k < COUNT_OF(by_index); ++k) {
    gpu_fill(total, 0, 4);
    OK(jig_for_each_in_extents(NULL, NULL, NULL, extents, 2,
                               jig_op_with_device_state(by_index[k], total, JIG_U32), NULL));
    check_words(total, &of_indices, 1, "indices");
  }
  const uint32_t start = 0;
  const uint32_t wanted = 999 * 500;
  gpu_fill(total, 0, 4);
  RUN_WITHOUT_STORAGE(jig_for_each,
                      (&(jig_for_each_args){.in = jig_counting(&start, JIG_U32),
                                            .num_items = 1000,
                                            .mode = JIG_FOR_EACH_COPY,
                                            .op = jig_op_with_device_state(
                                                jig_op_function(functions, "once"), total, JIG_U32)}));
  check_words(total, &wanted, 1, "the state itself");
  gpu_free(total);
  gpu_free(d_state);
  free(words);
}
END_TEST

/* ---- calls */

#define REFUSED(call, part) FAILS(call, JIG_ERROR_INVALID_ARGUMENT, part)

START_TEST(what_cannot_be_is_refused) {
  const uint64_t extents[] = {4, UINT64_MAX / 2, 4};
  uint32_t *memory = gpu_alloc(400, 0);
  const uint32_t start = 0;
  const jig_op op = jig_op_source("x += 1;"), of_index = jig_op_source("if (i == 5) return;");
  jig_for_each_args each = {.in = jig_pointer(memory, JIG_U32), .num_items = 100, .op = op};
  each.op.kind = JIG_OP_NONE;
  REFUSED(jig_for_each(NULL, NULL, NULL, &each, NULL), "jig_for_each: op: missing");
  each.op = JIG_PLUS;
  REFUSED(jig_for_each(NULL, NULL, NULL, &each, NULL), "op: 'plus' only computes");
  each.op = op;
  each.in = jig_counting(&start, JIG_U32);
  REFUSED(jig_for_each(NULL, NULL, NULL, &each, NULL), "in: the items of 'counting' are not in memory");
  each.in = jig_pointer(NULL, JIG_U32);
  REFUSED(jig_for_each(NULL, NULL, NULL, &each, NULL), "in: the pointer is NULL");
  each.in = jig_pointer(memory, JIG_U32);
  each.mode = (jig_for_each_mode)2;
  REFUSED(jig_for_each(NULL, NULL, NULL, &each, NULL), "mode: no such choice (2)");
  each.mode = JIG_FOR_EACH_COPY;
  each.reserved32 = 1;
  REFUSED(jig_for_each(NULL, NULL, NULL, &each, NULL), "reserved");
  each.reserved32 = 0;
  each.num_items = UINT64_MAX;
  REFUSED(jig_for_each(NULL, NULL, NULL, &each, NULL), "num_items");
  jig_bulk_args bulk = {.num_items = 5};
  REFUSED(jig_bulk(NULL, NULL, NULL, &bulk, NULL), "jig_bulk: op: missing");
  bulk.op = of_index;
  bulk.num_items = UINT64_MAX;
  REFUSED(jig_bulk(NULL, NULL, NULL, &bulk, NULL), "num_items: that is more than 2^63 - 1");
  bulk.num_items = (uint64_t)1 << 62;
  FAILS(jig_bulk(NULL, NULL, NULL, &bulk, NULL), JIG_ERROR_UNSUPPORTED, "num_items");
  bulk.num_items = UINT64_MAX - 1;
  bulk.rank = 9;
  REFUSED(jig_bulk(NULL, NULL, NULL, &bulk, NULL), "rank: 9; up to 8");
  bulk.rank = 3;
  REFUSED(jig_bulk(NULL, NULL, NULL, &bulk, NULL), "extents: the pointer is NULL");
  bulk.extents = extents;
  REFUSED(jig_bulk(NULL, NULL, NULL, &bulk, NULL),
          "num_items: 18446744073709551614, where the extents make more than 2^64 - 2");
  bulk.num_items = 0;
  REFUSED(jig_bulk(NULL, NULL, NULL, &bulk, NULL), "extents: that is more than 2^63 - 1");
  bulk.rank = 1;
  bulk.num_items = 5;
  REFUSED(jig_bulk(NULL, NULL, NULL, &bulk, NULL), "num_items: 5, where the extents make 4");
  each = (jig_for_each_args){.in = jig_pointer(NULL, JIG_U32), .op = op};
  RUN_WITHOUT_STORAGE(jig_for_each, &each); /* nothing */
  RUN_WITHOUT_STORAGE(jig_bulk, (&(jig_bulk_args){.op = of_index}));
  ck_assert(gpu_is_untouched(memory, 400));
  gpu_free(memory);
}
END_TEST

START_TEST(a_captured_call_is_replayed) {
  enum { COUNT = 9000 };
  uint32_t *words = random_words(COUNT, 7), *memory = gpu_copy(words, COUNT * 4, 0);
  const jig_for_each_args args = {
      .in = jig_pointer(memory, JIG_U32), .num_items = COUNT, .op = jig_op_source("x = x * 3 + 1;")};
  size_t bytes = 0;
  CUstream stream;
  OK(jig_for_each(NULL, NULL, &bytes, &args, NULL));
  void *storage = gpu_alloc(bytes, 0);
  GPU(gpu()->cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  gpu_begin_capture(stream);
  OK(jig_for_each(NULL, storage, &bytes, &args, stream));
  CUgraphExec exec = gpu_end_capture(stream);
  for (int replay = 0; replay < 3; ++replay) {
    for (size_t i = 0; i < COUNT; ++i) words[i] = words[i] * 3 + 1;
    gpu_replay(exec, stream);
    check_words(memory, words, COUNT, "replayed");
  }
  GPU(gpu()->cuGraphExecDestroy(exec));
  GPU(gpu()->cuStreamDestroy(stream));
  gpu_free(storage);
  gpu_free(memory);
  free(words);
}
END_TEST

static void strict_each(strict_call *t) {
  const jig_for_each_args args = {.in = jig_pointer(t->d_keys, JIG_U32),
                                  .num_items = t->n,
                                  .mode = JIG_FOR_EACH_COPY,
                                  .op = jig_op_source("if (x > 1000) __trap();")};
  STRICT(t, jig_for_each, args);
}

static void strict_bulk(strict_call *t) {
  const uint64_t extents[] = {t->n, 2};
  const jig_bulk_args args = {
      .extents = extents, .rank = 2, .op = jig_op_source("if (at[1] > 1) __trap();")};
  STRICT(t, jig_bulk, args);
}

START_TEST(a_spec_prewarms_its_calls) {
  static const strict_case cases[] = {STRICT_CASE(strict_each), STRICT_CASE(strict_bulk)};
  check_strict(cases, COUNT_OF(cases));
}
END_TEST

int main(void) {
  static const suite_test tests[] = {SUITE_TEST(items_are_changed_in_place),
                                     SUITE_TEST(strided_items_and_structs),
                                     SUITE_TEST(copies_of_items),
                                     SUITE_TEST(copies_of_many_items),
                                     SUITE_TEST(copies_of_every_type),
                                     SUITE_TEST(indices),
                                     SUITE_TEST(indices_in_one_to_eight_dimensions),
                                     SUITE_TEST(extents_of_every_magnitude),
                                     SUITE_TEST(boxes_of_32_bits),
                                     SUITE_TEST(operators_of_every_form),
                                     SUITE_TEST(what_cannot_be_is_refused),
                                     SUITE_TEST(a_captured_call_is_replayed),
                                     SUITE_TEST(a_spec_prewarms_its_calls)};
  return SUITE_RUN("device/for_each", tests, true);
}
