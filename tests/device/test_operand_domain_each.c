/* Transform, adjacent difference, for each, bulk and find call their operators with items of the input
 * and with nothing else, transform only where there is to be a result; for each calls with every item
 * once. */
#include <jig/jig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "numbers.h"
#include "phases.h"
#include "reduce_support.h"
#include "scan_support.h"
#include "spans.h"
#include "suite.h"

enum { SMALL_SIZES = 40, BIG_SIZES = 7 };
static const size_t big_sizes[BIG_SIZES] = {255, 257, 1023, 1025, 4097, 8191, 20011};
static const int types[] = {SPAN_1, SPAN_4, SPAN_12, SPAN_40};

/* Calls with each size, and whether the input is to lie off its alignment by an item. */
static void at_sizes(void (*check)(jig_type type, size_t count, size_t offset), jig_type type) {
  for (size_t count = 1; count <= SMALL_SIZES; ++count) check(type, count, count % 3 == 0);
  for (size_t i = 0; i < BIG_SIZES; ++i) check(type, big_sizes[i], i % 2);
}

/* ---- transform */

/* Of an item that passes the test, and of two items of one place. */
static const char passed_identity[] =
    "if (!x.is_item() || x.begin() % 3 != 0) state.tell(x.begin(), x.end(), 0, 0);\n"
    "return x;\n";
static const char first_of_pair[] =
    "const bool same = ((a.begin() ^ b.begin()) & a.mask & b.mask) == 0;\n"
    "if (!a.is_item() || !b.is_item() || !same) state.tell(a.begin(), a.end(), b.begin(), b.end());\n"
    "return a;\n";
static const char pair_test[] =
    "const bool same = ((a.begin() ^ b.begin()) & a.mask & b.mask) == 0;\n"
    "if (!a.is_item() || !b.is_item() || !same) state.tell(a.begin(), a.end(), b.begin(), b.end());\n"
    "return a.begin() % 3 == 0;\n";

/* Without a predicate; with one over the input; over a stencil of another type; over two inputs. */
typedef enum transform_way { ALL, BY_ITEM, BY_STENCIL, PAIRS, WAYS } transform_way;

static void check_transform_of(jig_type type, size_t count, size_t offset, transform_way way) {
  char what[128];
  (void)snprintf(what, sizeof what, "transform of %zu %s, way %d", count, type.name, way);
  const jig_type other = span_types[type.size == 4 ? SPAN_16 : SPAN_4];
  const watch w = new_watch(count);
  const size_t bytes = count * type.size;
  unsigned char *items = new_spans(type, count), *others = new_spans(other, count), *got = malloc(bytes);
  const jig_iter in[] = {jig_pointer(gpu_copy(items, bytes, offset * type.size), type),
                         jig_pointer(gpu_copy(others, count * other.size, 0), other)};
  void *out = gpu_alloc(bytes, 0);
  memset(got, 0x33, bytes);
  gpu_write(out, got, bytes);
  jig_transform_args args = {
      .in = in, .num_inputs = way == PAIRS ? 2 : 1, .out = jig_pointer(out, type), .num_items = count};
  args.op = watched(way == PAIRS ? first_of_pair : way == BY_ITEM ? passed_identity : span_identity, &w);
  if (way == BY_ITEM) args.predicate = watched(span_test, &w);
  if (way == PAIRS) args.predicate = watched(pair_test, &w);
  if (way == BY_STENCIL) {
    args.stencil = in[1];
    args.predicate = watched(span_other_test, &w);
  }
  RUN_WITHOUT_STORAGE(jig_transform, &args);
  for (size_t i = 0; i < count; ++i) {
    const bool passes =
        way == ALL || (way == BY_STENCIL ? span_passes_other(other, i) : span_passes(type, i));
    if (!passes) memset(items + i * type.size, 0x33, type.size);
  }
  gpu_read(got, out, bytes);
  check_watch(&w, what);
  check_items(got, items, type.size, count, what);
  gpu_free(in[0].pointer);
  gpu_free(in[1].pointer);
  gpu_free(out);
  free(items);
  free(others);
  free(got);
}

static void check_all(jig_type type, size_t count, size_t offset) {
  check_transform_of(type, count, offset, ALL);
}
static void check_by_item(jig_type type, size_t count, size_t offset) {
  check_transform_of(type, count, offset, BY_ITEM);
}
static void check_by_stencil(jig_type type, size_t count, size_t offset) {
  check_transform_of(type, count, offset, BY_STENCIL);
}
static void check_pairs(jig_type type, size_t count, size_t offset) {
  check_transform_of(type, count, offset, PAIRS);
}

START_TEST(transform) {
  static void (*const ways[WAYS])(jig_type, size_t, size_t) = {check_all, check_by_item, check_by_stencil,
                                                               check_pairs};
  for (size_t t = 0; t < COUNT_OF(types); ++t)
    for (int way = 0; way < WAYS; ++way)
      if (types[t] == SPAN_4 || (t + (size_t)way) % 2 == 0) at_sizes(ways[way], span_types[types[t]]);
}
END_TEST

/* ---- adjacent difference */

static const char after_neighbour[] =
    "const bool adjoin = a.is_item() && b.is_item() && b.adjoins(a);\n"
    "if (!adjoin) state.tell(a.begin(), a.end(), b.begin(), b.end());\n"
    "return a;\n";
static const char before_neighbour[] =
    "const bool adjoin = a.is_item() && b.is_item() && a.adjoins(b);\n"
    "if (!adjoin) state.tell(a.begin(), a.end(), b.begin(), b.end());\n"
    "return a;\n";

/* In place as often as not. */
static void check_difference(jig_type type, size_t count, size_t offset) {
  char what[128];
  (void)snprintf(what, sizeof what, "adjacent difference of %zu %s", count, type.name);
  const bool is_right = type.size == 4 || type.size == 40, in_place = count % 2 == 0;
  const watch w = new_watch(count);
  const size_t bytes = count * type.size;
  unsigned char *items = new_spans(type, count), *got = malloc(bytes);
  void *in = gpu_copy(items, bytes, offset * type.size), *out = in_place ? in : gpu_alloc(bytes, 0);
  RUN_PHASES(jig_adjacent_difference,
             (&(jig_adjacent_difference_args){
                 .in = jig_pointer(in, type),
                 .out = jig_pointer(out, type),
                 .num_items = count,
                 .op = watched(is_right ? before_neighbour : after_neighbour, &w),
                 .direction = is_right ? JIG_DIFFERENCE_RIGHT : JIG_DIFFERENCE_LEFT}),
             0);
  gpu_read(got, out, bytes);
  check_watch(&w, what);
  check_items(got, items, type.size, count, what);
  gpu_free(in);
  if (!in_place) gpu_free(out);
  free(items);
  free(got);
}

START_TEST(adjacent_difference) {
  for (size_t t = 0; t < COUNT_OF(types); ++t) at_sizes(check_difference, span_types[types[t]]);
}
END_TEST

/* ---- for each and bulk */

/* An item is none any more after its call. */
static const char spoil[] =
    "if (!x.is_item()) state.tell(x.begin(), x.end(), 0, 0);\n"
    "x.w[0] ^= 1;\n";

static void check_references(jig_type type, size_t count, size_t offset) {
  char what[128];
  (void)snprintf(what, sizeof what, "for each of %zu %s", count, type.name);
  const watch w = new_watch(count);
  const size_t bytes = count * type.size;
  unsigned char *items = new_spans(type, count), *got = malloc(bytes);
  void *in = gpu_copy(items, bytes, offset * type.size);
  RUN_WITHOUT_STORAGE(
      jig_for_each,
      (&(jig_for_each_args){.in = jig_pointer(in, type), .num_items = count, .op = watched(spoil, &w)}));
  for (size_t i = 0; i < count; ++i) items[i * type.size] ^= 1;
  gpu_read(got, in, bytes);
  check_watch(&w, what);
  check_items(got, items, type.size, count, what);
  gpu_free(in);
  free(items);
  free(got);
}

/* A watch that counts calls besides. */
static const char count_item[] =
    "if (!x.is_item()) state.tell(x.begin(), x.end(), 0, 0);\n"
    "atomicAdd((unsigned *)state.heads, 1u);\n";
static const char count_index[] =
    "if (i >= state.items) state.tell(uint32_t(i), 0, 0, 0);\n"
    "atomicAdd((unsigned *)state.heads, 1u);\n";

static watch new_counting_watch(uint64_t items) {
  static const uint32_t none = 0;
  watch w = new_watch(items);
  w.heads = gpu_copy(&none, sizeof none, 0);
  return w;
}

static void check_counting_watch(const watch *w, const char *what) {
  uint32_t calls;
  gpu_read(&calls, w->heads, sizeof calls);
  gpu_free(w->heads);
  check_watch(w, what);
  ck_assert_msg(calls == w->items, "%s: %u calls", what, calls);
}

static void check_copies(jig_type type, size_t count, size_t offset) {
  char what[128];
  (void)snprintf(what, sizeof what, "for each of copies of %zu %s", count, type.name);
  const watch w = new_counting_watch(count);
  void *items = new_spans(type, count), *in = gpu_copy(items, count * type.size, offset * type.size);
  const jig_iter base = jig_pointer(in, type);
  const bool transformed = type.size == 12;
  RUN_WITHOUT_STORAGE(
      jig_for_each,
      (&(jig_for_each_args){
          .in = transformed ? jig_iter_transform(&base, watched(span_identity, &w), type) : base,
          .num_items = count,
          .mode = JIG_FOR_EACH_COPY,
          .op = watched(count_item, &w)}));
  check_counting_watch(&w, what);
  gpu_free(in);
  free(items);
}

static void check_bulk(jig_type type, size_t count, size_t offset) {
  const watch w = new_counting_watch(count);
  (void)type, (void)offset;
  RUN_WITHOUT_STORAGE(jig_bulk, (&(jig_bulk_args){.num_items = count, .op = watched(count_index, &w)}));
  check_counting_watch(&w, "bulk");
}

START_TEST(for_each) {
  for (size_t t = 0; t < COUNT_OF(types); ++t) {
    at_sizes(check_references, span_types[types[t]]);
    at_sizes(check_copies, span_types[types[t]]);
  }
}
END_TEST

START_TEST(bulk) {
  at_sizes(check_bulk, JIG_U8);
}
END_TEST

/* ---- find */

/* The first item that passes is the last one, or there is none. */
static const char is_last_or_none[] =
    "if (!x.is_item()) state.tell(x.begin(), x.end(), 0, 0);\n"
    "return x.end() == 100 + state.items;\n";

static void check_find(jig_type type, size_t count, size_t offset) {
  char what[128];
  (void)snprintf(what, sizeof what, "find among %zu %s", count, type.name);
  const bool is_there = count % 2 == 0;
  watch w = new_watch(count + !is_there);
  void *items = new_spans(type, count), *in = gpu_copy(items, count * type.size, offset * type.size);
  uint64_t *out = gpu_alloc(8, 0), found;
  RUN_PHASES(jig_find_if,
             (&(jig_find_if_args){.in = jig_pointer(in, type),
                                  .out = jig_pointer(out, JIG_U64),
                                  .num_items = count,
                                  .predicate = watched(is_last_or_none, &w)}),
             0);
  gpu_read(&found, out, 8);
  check_watch(&w, what);
  ck_assert_msg(found == count - is_there, "%s: %llu", what, (unsigned long long)found);
  gpu_free(in);
  gpu_free(out);
  free(items);
}

START_TEST(find) {
  static const int whole[] = {SPAN_8, SPAN_16}; /* these tell all places apart */
  for (size_t t = 0; t < COUNT_OF(whole); ++t) at_sizes(check_find, span_types[whole[t]]);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(transform), SUITE_TEST(adjacent_difference), SUITE_TEST(for_each), SUITE_TEST(bulk),
      SUITE_TEST(find),
  };
  return SUITE_RUN("device/operand_domain_each", tests, true);
}
