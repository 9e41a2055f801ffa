/* Scans from and into iterators of every kind, alone and of each other, with an operator whose operands
 * must keep their order. */
#include <jig/jig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "numbers.h"
#include "reduce_support.h"
#include "scan_support.h"
#include "suite.h"

/* x -> a x + b, composed. */
typedef struct affine {
  uint32_t a, b;
} affine;
static const jig_type affine_type = {.kind = JIG_KIND_STRUCT,
                                     .size = 8,
                                     .align = 4,
                                     .name = "affine",
                                     .definition = "struct affine { uint32_t a, b; };"};
static const char compose_body[] = "return {a.a * b.a, a.b * b.a + b.b};";
static void compose(void *fold, const void *item) {
  affine *x = fold;
  const affine *y = item;
  *x = (affine){x->a * y->a, x->b * y->a + y->b};
}
static const scan_model model = {sizeof(affine), compose};

enum { SPREAD = 3 }; /* how many items apart spread items are */

/* Items on the host and on the device in several orders, and what all scans of them are to be. */
typedef struct stock {
  size_t count;
  affine *items, *scanned;
  uint32_t *order;            /* a permutation */
  affine *plain, *backward;   /* on the device; backward[count - 1 - i] is item i */
  affine *shuffled, *spread;  /* shuffled[order[i]] is item i; spread[SPREAD * i] is */
  uint32_t *firsts, *seconds; /* the members apart */
  uint32_t *places;           /* the permutation */
} stock;

static void upload(stock *s) {
  const size_t n = s->count;
  affine *other = malloc(n * SPREAD * sizeof *other);
  uint32_t *part = malloc(n * sizeof *part);
  s->plain = gpu_copy(s->items, n * sizeof *other, 0);
  for (size_t i = 0; i < n; ++i) other[n - 1 - i] = s->items[i];
  s->backward = gpu_copy(other, n * sizeof *other, 0);
  for (size_t i = 0; i < n; ++i) other[s->order[i]] = s->items[i];
  s->shuffled = gpu_copy(other, n * sizeof *other, 0);
  for (size_t i = 0; i < n * SPREAD; ++i) other[i] = s->items[i / SPREAD];
  for (size_t i = 0; i < n * SPREAD; ++i) other[i].b += (uint32_t)(i % SPREAD);
  s->spread = gpu_copy(other, n * SPREAD * sizeof *other, 0);
  for (size_t i = 0; i < n; ++i) part[i] = s->items[i].a;
  s->firsts = gpu_copy(part, n * sizeof *part, 0);
  for (size_t i = 0; i < n; ++i) part[i] = s->items[i].b;
  s->seconds = gpu_copy(part, n * sizeof *part, 4); /* not aligned to vectors */
  s->places = gpu_copy(s->order, n * sizeof *part, 0);
  free(other);
  free(part);
}

static stock new_stock(size_t count) {
  stock s = {.count = count,
             .items = malloc(count * sizeof *s.items),
             .scanned = malloc(count * sizeof *s.scanned),
             .order = malloc(count * sizeof *s.order)};
  uint64_t seed = count;
  fill_random(JIG_KIND_U32, s.items, 2 * count, count + 1);
  for (size_t i = 0; i < count; ++i) {
    s.items[i].a |= 1;
    const size_t j = next_random(&seed) % (i + 1);
    s.order[i] = s.order[j];
    s.order[j] = (uint32_t)i;
  }
  scan_on_host(&model, JIG_SCAN_INCLUSIVE, NULL, s.items, count, s.scanned);
  upload(&s);
  return s;
}

static void free_stock(stock *s) {
  free(s->items);
  free(s->scanned);
  free(s->order);
  gpu_free(s->plain);
  gpu_free(s->backward);
  gpu_free(s->shuffled);
  gpu_free(s->spread);
  gpu_free(s->firsts);
  gpu_free(s->seconds);
  gpu_free(s->places);
}

/* One block, several, a look-back of several groups: of items that are loaded one by one. */
static void each_size(void (*check)(const stock *s)) {
  const jig_iter plain = jig_strided(NULL, 8, affine_type);
  const jig_scan_args args = {
      .in = plain, .out = jig_pointer(NULL, affine_type), .op = jig_op_source(compose_body)};
  const scan_marks m = scan_marks_of(&args);
  const size_t sizes[] = {1, 33, m.row + 1, 9 * m.row + 77, scan_long_size(&m, (size_t)-1)};
  for (size_t i = 0; i < COUNT_OF(sizes); ++i) {
    stock s = new_stock(sizes[i]);
    check(&s);
    free_stock(&s);
  }
}

/* ---- inputs */

static void check_input(const stock *s, jig_iter in, const char *name) {
  char what[96];
  (void)snprintf(what, sizeof what, "%zu items by %s", s->count, name);
  check_scan((jig_scan_args){.in = in, .num_items = s->count, .op = jig_op_source(compose_body)},
             affine_type, 0, s->scanned, what);
}

static void check_inputs(const stock *s) {
  const jig_iter backward = jig_pointer(s->backward, affine_type),
                 plain = jig_pointer(s->plain, affine_type),
                 shuffled = jig_pointer(s->shuffled, affine_type),
                 order = jig_pointer(s->places, JIG_U32);
  check_input(s, plain, "pointer");
  check_input(s, jig_strided(s->spread, SPREAD * 8, affine_type), "strided");
  check_input(s, jig_strided(s->backward + s->count - 1, -8, affine_type), "strided down");
  check_input(s, jig_iter_reverse(&backward, s->count), "reverse");
  check_input(s, jig_permutation(&shuffled, &order), "permutation");
  const jig_iter sides[] = {jig_pointer(s->firsts, JIG_U32), jig_pointer(s->seconds, JIG_U32)};
  check_input(s, jig_zip(sides, 2, affine_type), "zip");
  const jig_iter turned = jig_iter_reverse(&plain, s->count), again = jig_iter_reverse(&turned, s->count);
  check_input(s, again, "reverse of reverse");
  const uint32_t zero = 0;
  const jig_op shift = jig_op_with_state(jig_op_source("return {x.a, x.b + state};"), &zero, JIG_U32);
  check_input(s, jig_iter_transform(&plain, shift, affine_type), "transform");
  const void *items = s->plain;
  const jig_type where = jig_struct("where", "struct where { const void *p; };", 8, 8);
  const jig_op load = jig_op_source("return static_cast<const affine *>(state.p)[i];");
  check_input(s, jig_iter_source(jig_op_with_state(load, &items, where), affine_type), "source");
}

START_TEST(inputs_of_every_kind) {
  each_size(check_inputs);
}
END_TEST

/* Items that lie nowhere: more than any memory of theirs would hold, if all are discarded. */
START_TEST(counting_and_constants) {
  enum { COUNT = 400009 };
  uint64_t *wanted = malloc(COUNT * sizeof *wanted), sum = 0;
  const uint64_t start = 5, step = 3;
  for (uint64_t i = 0; i < COUNT; ++i) wanted[i] = sum += start + i * step;
  jig_scan_args args = {.in = jig_counting_by(&start, &step, JIG_U64), .num_items = COUNT};
  check_scan(args, JIG_U64, 0, wanted, "counting by 3");
  for (uint64_t i = 0; i < COUNT; ++i) wanted[i] = i * (i - 1) / 2;
  args.in = jig_counting(NULL, JIG_U64);
  args.mode = JIG_SCAN_EXCLUSIVE;
  check_scan(args, JIG_U64, 0, wanted, "counting");
  const uint8_t seven = 7;
  for (uint64_t i = 0; i < COUNT; ++i) wanted[i] = 7 * i;
  args.in = jig_constant(&seven, JIG_U8);
  check_scan(args, JIG_U64, 0, wanted, "a constant");
  free(wanted);
}
END_TEST

/* ---- outputs */

/* Scans into `out`, and compares what then lies in `count` items of memory with what should; those that
 * nothing was written to are poison. */
static void check_output(const stock *s, jig_iter out, const affine *there, const affine *wanted,
                         size_t count, const char *name) {
  affine *got = malloc(count * sizeof *got);
  char what[96];
  (void)snprintf(what, sizeof what, "%zu items into %s", s->count, name);
  run_scan(&(jig_scan_args){.in = jig_pointer(s->plain, affine_type),
                            .out = out,
                            .num_items = s->count,
                            .op = jig_op_source(compose_body)},
           0);
  gpu_read(got, there, count * sizeof *got);
  check_items(got, wanted, sizeof *got, count, what);
  free(got);
}

static void check_strided_output(const stock *s) {
  const size_t bytes = s->count * SPREAD * sizeof(affine);
  affine *there = gpu_alloc(bytes, 0), *wanted = malloc(bytes);
  memset(wanted, 0xcd, bytes);
  for (size_t i = 0; i < s->count; ++i) wanted[i * SPREAD] = s->scanned[i];
  check_output(s, jig_strided(there, SPREAD * 8, affine_type), there, wanted, s->count * SPREAD,
               "strided");
  gpu_free(there);
  free(wanted);
}

static void check_moved_outputs(const stock *s) {
  const size_t bytes = s->count * sizeof(affine);
  affine *there = gpu_alloc(bytes, 4), *wanted = malloc(bytes);
  const jig_iter plain = jig_pointer(there, affine_type), order = jig_pointer(s->places, JIG_U32);
  check_output(s, plain, there, s->scanned, s->count, "a pointer");
  for (size_t i = 0; i < s->count; ++i) wanted[s->count - 1 - i] = s->scanned[i];
  check_output(s, jig_iter_reverse(&plain, s->count), there, wanted, s->count, "reverse");
  for (size_t i = 0; i < s->count; ++i) wanted[s->order[i]] = s->scanned[i];
  check_output(s, jig_permutation(&plain, &order), there, wanted, s->count, "permutation");
  const uint32_t mask = 0x5555;
  for (size_t i = 0; i < s->count; ++i) wanted[i] = (affine){s->scanned[i].b, s->scanned[i].a ^ mask};
  const jig_op swap = jig_op_with_state(jig_op_source("return {x.b, x.a ^ state};"), &mask, JIG_U32);
  check_output(s, jig_transform_output(&plain, swap, affine_type), there, wanted, s->count, "transform");
  gpu_free(there);
  free(wanted);
}

static void check_zip_output(const stock *s) {
  uint32_t *sides[] = {gpu_alloc(s->count * 4, 0), gpu_alloc(s->count * 4, 4)},
           *got = malloc(s->count * 4), *wanted = malloc(s->count * 4);
  const jig_iter first = jig_pointer(sides[0], JIG_U32);
  const jig_iter bases[] = {jig_iter_reverse(&first, s->count), jig_pointer(sides[1], JIG_U32)};
  run_scan(&(jig_scan_args){.in = jig_pointer(s->plain, affine_type),
                            .out = jig_zip(bases, 2, affine_type),
                            .num_items = s->count,
                            .op = jig_op_source(compose_body)},
           0);
  for (int k = 0; k < 2; ++k) {
    for (size_t i = 0; i < s->count; ++i)
      wanted[k == 0 ? s->count - 1 - i : i] = k == 0 ? s->scanned[i].a : s->scanned[i].b;
    gpu_read(got, sides[k], s->count * 4);
    check_items(got, wanted, 4, s->count, "zip");
    gpu_free(sides[k]);
  }
  free(got);
  free(wanted);
}

static void check_outputs(const stock *s) {
  check_strided_output(s);
  check_moved_outputs(s);
  check_zip_output(s);
}

START_TEST(outputs_of_every_kind) {
  each_size(check_outputs);
}
END_TEST

/* Nothing is kept but what an operator notes on the way: here the last total. */
START_TEST(discarded_outputs) {
  const uint64_t counts[] = {1000, 100000, 3000000};
  for (size_t c = 0; c < COUNT_OF(counts); ++c) {
    uint64_t last = 0, *there = gpu_alloc(8, 0);
    struct {
      uint64_t *there, total;
    } state = {there, counts[c] * (counts[c] - 1) / 2};
    const jig_type state_type = jig_struct("note", "struct note { uint64_t *there, total; };", 16, 8);
    const jig_iter nowhere = jig_discard(JIG_U64);
    const jig_op note = jig_op_source("if (x == state.total) *state.there = x;\nreturn x;");
    run_scan(&(jig_scan_args){.in = jig_counting(NULL, JIG_U64),
                              .out = jig_transform_output(
                                  &nowhere, jig_op_with_state(note, &state, state_type), JIG_U64),
                              .num_items = counts[c]},
             0);
    gpu_read(&last, there, 8);
    ck_assert_uint_eq(last, state.total);
    gpu_free(there);
  }
}
END_TEST

/* ---- in place, each item from where it goes to */

START_TEST(a_zip_may_be_scanned_into_one_of_its_sides) {
  enum { COUNT = 70001 };
  uint32_t *values = malloc(COUNT * 4), *weights = malloc(COUNT * 4), *wanted = malloc(COUNT * 4),
           sum = 0;
  fill_random(JIG_KIND_U32, values, COUNT, 41);
  fill_random(JIG_KIND_U32, weights, COUNT, 42);
  for (size_t i = 0; i < COUNT; ++i) wanted[i] = sum += values[i] * weights[i];
  uint32_t *there = gpu_copy(values, COUNT * 4, 0), *beside = gpu_copy(weights, COUNT * 4, 0);
  const jig_iter sides[] = {jig_pointer(there, JIG_U32), jig_pointer(beside, JIG_U32)};
  const jig_iter zip = jig_zip(sides, 2, affine_type);
  jig_scan_args args = {.in = jig_iter_transform(&zip, jig_op_source("return x.a * x.b;"), JIG_U32),
                        .out = sides[0],
                        .num_items = COUNT};
  run_scan(&args, 0);
  gpu_read(values, there, COUNT * 4);
  check_items(values, wanted, 4, COUNT, "into a side");
  const jig_iter off[] = {jig_pointer(there + 1, JIG_U32), sides[1]};
  const jig_iter shifted = jig_zip(off, 2, affine_type);
  size_t bytes = 0;
  args.in = jig_iter_transform(&shifted, jig_op_source("return x.a * x.b;"), JIG_U32);
  args.num_items = COUNT - 1;
  OK(jig_scan(NULL, NULL, &bytes, &args, NULL));
  void *storage = gpu_alloc(bytes, 0);
  FAILS(jig_scan(NULL, storage, &bytes, &args, NULL), JIG_ERROR_INVALID_ARGUMENT, "out overlaps in");
  gpu_free(storage);
  gpu_free(there);
  gpu_free(beside);
  free(values);
  free(weights);
  free(wanted);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(inputs_of_every_kind),
      SUITE_TEST(counting_and_constants),
      SUITE_TEST(outputs_of_every_kind),
      SUITE_TEST(discarded_outputs),
      SUITE_TEST(a_zip_may_be_scanned_into_one_of_its_sides),
  };
  return SUITE_RUN("device/scan_iterators", tests, true);
}
