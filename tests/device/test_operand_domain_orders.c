/* Minimum and maximum, arg-reduce of segments, binary search and nth element ask about items of their
 * inputs and about nothing else: orders, decomposers, and iterators that items come from; of segments
 * about two items of one of them. */
#include <jig/jig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "numbers.h"
#include "phases.h"
#include "reduce_support.h"
#include "scan_support.h"
#include "seed.h"
#include "segmented_reduce_support.h"
#include "spans.h"
#include "suite.h"

enum { SMALL_SIZES = 40 };

/* ---- minimum and maximum */

typedef enum source { FROM_MEMORY, FROM_UNALIGNED, FROM_SOURCE, FROM_TRANSFORM, SOURCES } source;

static void check_min_max_of(jig_type type, source from, size_t count) {
  char what[128];
  (void)snprintf(what, sizeof what, "min and max of %zu %s, source %d", count, type.name, from);
  const watch w = new_watch(count);
  unsigned char *items = new_spans(type, count), got[2][40];
  void *memory = gpu_copy(items, count * type.size, from == FROM_UNALIGNED ? type.align : 0),
       *min = gpu_alloc(type.size, 0), *max = gpu_alloc(type.size, 0);
  const jig_iter base = jig_pointer(memory, type);
  int64_t *indices = gpu_alloc(16, 0), found[2];
  size_t first = 0, last = 0;
  for (size_t i = 1; i < count; ++i) {
    if (span_rank(type, i) < span_rank(type, first)) first = i;
    if (span_rank(type, i) > span_rank(type, last)) last = i;
  }
  jig_min_max_args args = {.in = from == FROM_SOURCE ? span_source(type, &w)
                                 : from == FROM_TRANSFORM
                                     ? jig_iter_transform(&base, watched(span_identity, &w), type)
                                     : base,
                           .min_out = jig_pointer(min, type),
                           .max_out = jig_pointer(max, type),
                           .min_index_out = jig_pointer(indices, JIG_I64),
                           .max_index_out = jig_pointer(indices + 1, JIG_I64),
                           .num_items = count,
                           .compare = watched(span_less, &w)};
  RUN_PHASES(jig_min_max, &args, 0);
  gpu_read(got[0], min, type.size);
  gpu_read(got[1], max, type.size);
  gpu_read(found, indices, sizeof found);
  check_watch(&w, what);
  ck_assert_msg(found[0] == (int64_t)first && found[1] == (int64_t)last,
                "%s: items %lld and %lld, not %zu and %zu", what, (long long)found[0],
                (long long)found[1], first, last);
  check_items(got[0], items + first * type.size, type.size, 1, what);
  check_items(got[1], items + last * type.size, type.size, 1, what);
  gpu_free(memory);
  gpu_free(min);
  gpu_free(max);
  gpu_free(indices);
  free(items);
}

START_TEST(min_max) {
  static const size_t more[] = {63, 65, 1025, 4097, 33333, 300001};
  for (int i = 0; i < SPAN_TYPES; ++i)
    for (source from = 0; from < SOURCES; ++from) {
      if (from >= FROM_SOURCE && i != SPAN_2 && i != SPAN_16) continue;
      if (!test_turn((unsigned)i + from)) continue;
      for (size_t count = 1; count <= SMALL_SIZES; count += from == FROM_MEMORY ? 1 : 3)
        check_min_max_of(span_types[i], from, count);
      for (size_t k = 0; k < COUNT_OF(more); ++k)
        if (from == FROM_MEMORY || k % 2 == 1) check_min_max_of(span_types[i], from, more[k]);
    }
}
END_TEST

/* ---- segments */

static const char less_in_run[] =
    "if (a.is_item() && b.is_item() && a.run() == b.run()) return a.rank() < b.rank();\n"
    "state.tell(a.begin(), a.run(), b.begin(), b.run());\n"
    "return false;\n";

/* What is in no segment is no item. */
static unsigned char *items_of(jig_type type, const segment_list *list) {
  unsigned char *items = calloc(list->items * type.size + 1, 1);
  for (size_t s = 0; s < list->count; ++s)
    for (int64_t i = list->begins[s]; i < list->ends[s]; ++i) {
      const uint32_t begin = SPAN_FIRST + (uint32_t)i;
      put_span(type, items, (size_t)i, (span){begin, begin + 1, (uint32_t)s});
    }
  return items;
}

/* The index of a segment's first or last item by the order; -1: it is empty. */
static int64_t best_of(jig_type type, const segment_list *list, size_t s, bool is_last) {
  int64_t best = list->begins[s];
  if (list->ends[s] <= best) return -1;
  for (int64_t i = best + 1; i < list->ends[s]; ++i) {
    const uint32_t rank = span_rank(type, (size_t)i), best_rank = span_rank(type, (size_t)best);
    if (is_last ? rank > best_rank : rank < best_rank) best = i;
  }
  return best - list->begins[s];
}

static void check_segments_of(jig_type type, size_t shape, segment_way way, bool is_last) {
  const char *name;
  char what[128];
  segment_list list = shaped_segments(shape, 9000, way, &name);
  (void)snprintf(what, sizeof what, "arg reduce of %zu segments, %s, of %s, way %d", list.count, name,
                 type.name, way);
  const watch w = new_watch(list.items);
  unsigned char *items = items_of(type, &list);
  int64_t *got = malloc(list.count * 8 + 8);
  const segment_offsets offsets = put_segments(&list, way, JIG_KIND_I64);
  void *in = gpu_copy(items, list.items * type.size, shape % 2 * type.size),
       *out = gpu_alloc(list.count * 8, 0);
  RUN_PHASES(jig_segmented_arg_reduce,
             (&(jig_segmented_arg_reduce_args){.in = jig_pointer(in, type),
                                               .index_out = jig_pointer(out, JIG_I64),
                                               .begin_offsets = offsets.begins,
                                               .end_offsets = offsets.ends,
                                               .num_segments = list.count,
                                               .segment_size = offsets.size,
                                               .op = is_last ? (jig_op)JIG_MAX : (jig_op)JIG_MIN,
                                               .compare = watched(less_in_run, &w)}),
             0);
  gpu_read(got, out, list.count * 8);
  check_watch(&w, what);
  for (size_t s = 0; s < list.count; ++s)
    ck_assert_msg(got[s] == best_of(type, &list, s, is_last), "%s: segment %zu: item %lld", what, s,
                  (long long)got[s]);
  gpu_free(in);
  gpu_free(out);
  if (way != FIXED) gpu_free(offsets.begins.pointer);
  free(items);
  free(got);
  free_segments(&list);
}

START_TEST(segmented_arg_reduce) {
  static const int types[] = {SPAN_2, SPAN_12, SPAN_16, SPAN_40};
  for (size_t i = 0; i < COUNT_OF(types); ++i)
    for (segment_way way = ADJOINING; way < SEGMENT_WAYS && (i == 1 || test_turn(i / 2)); ++way)
      for (size_t shape = 0; shape < shape_count; ++shape)
        if (i == 1 || (i + shape + (size_t)way) % 2 == 0)
          check_segments_of(span_types[types[i]], shape, way, i % 2 == 1);
}
END_TEST

/* ---- binary search */

static jig_type ordered_type;
static int by_rank(const void *a, const void *b) {
  const uint32_t p = span_rank(ordered_type, *(const size_t *)a);
  const uint32_t q = span_rank(ordered_type, *(const size_t *)b);
  return (p > q) - (p < q);
}

/* The numbers of spans in order. */
static size_t *order_of(jig_type type, size_t count) {
  size_t *order = malloc(count * sizeof *order + 1);
  for (size_t i = 0; i < count; ++i) order[i] = i;
  ordered_type = type;
  qsort(order, count, sizeof *order, by_rank);
  return order;
}

static void check_search_of(jig_type type, size_t count, size_t needles) {
  char what[128];
  (void)snprintf(what, sizeof what, "search for %zu among %zu %s", needles, count, type.name);
  const watch w = new_watch(count);
  size_t *order = order_of(type, count);
  unsigned char *items = new_spans(type, count > needles ? count : needles),
                *sorted = malloc(count * type.size + 1);
  uint64_t *got = malloc(needles * 8);
  for (size_t i = 0; i < count; ++i)
    memcpy(sorted + i * type.size, items + order[i] * type.size, type.size);
  void *in = gpu_copy(sorted, count * type.size, 0),
       *needles_in = gpu_copy(items, needles * type.size, 0), *out = gpu_alloc(needles * 8, 0);
  RUN_PHASES(jig_binary_search,
             (&(jig_binary_search_args){.in = jig_pointer(in, type),
                                        .needles_in = jig_pointer(needles_in, type),
                                        .out = jig_pointer(out, JIG_U64),
                                        .num_items = count,
                                        .num_needles = needles,
                                        .compare = watched(span_less, &w)}),
             0);
  gpu_read(got, out, needles * 8);
  check_watch(&w, what);
  for (size_t i = 0; i < needles; ++i) {
    const uint32_t rank = span_rank(type, i);
    const bool is_right = got[i] <= count && (got[i] == 0 || span_rank(type, order[got[i] - 1]) < rank) &&
                          (got[i] == count || span_rank(type, order[got[i]]) >= rank);
    ck_assert_msg(is_right, "%s: needle %zu: %llu", what, i, (unsigned long long)got[i]);
  }
  gpu_free(in);
  gpu_free(needles_in);
  gpu_free(out);
  free(order);
  free(items);
  free(sorted);
  free(got);
}

START_TEST(binary_search) {
  static const int types[] = {SPAN_4, SPAN_12};
  for (size_t i = 0; i < COUNT_OF(types); ++i) {
    const jig_type type = span_types[types[i]];
    for (size_t count = 0; count <= SMALL_SIZES; ++count)
      check_search_of(type, count, 1 + (count * 7 + 1) % 43);
    check_search_of(type, 1023, 2050);
    check_search_of(type, 20011, 3);
    check_search_of(type, 4097, 5001);
  }
}
END_TEST

/* ---- nth element */

static void check_nth_of(jig_type type, size_t count, size_t nth) {
  char what[128];
  (void)snprintf(what, sizeof what, "item %zu of %zu %s", nth, count, type.name);
  const watch w = new_watch(count);
  size_t *order = order_of(type, count);
  unsigned char *items = new_spans(type, count), got[40];
  void *in = gpu_copy(items, count * type.size, 0), *out = gpu_alloc(count * type.size, 0),
       *one = gpu_alloc(type.size, 0);
  const jig_iter base = jig_pointer(in, type);
  RUN_PHASES(jig_nth_element,
             (&(jig_nth_element_args){.in = jig_iter_transform(&base, watched(span_identity, &w), type),
                                      .out = jig_pointer(out, type),
                                      .nth_out = jig_pointer(one, type),
                                      .num_items = count,
                                      .nth = nth,
                                      .decomposer = span_decomposer}),
             0);
  gpu_read(got, one, type.size);
  check_watch(&w, what);
  /* One of those with the rank of the item of that place. */
  bool is_right = false;
  for (size_t i = 0; i < count && !is_right; ++i)
    is_right = span_rank(type, i) == span_rank(type, order[nth]) &&
               memcmp(got, items + i * type.size, type.size) == 0;
  ck_assert_msg(is_right, "%s", what);
  gpu_free(in);
  gpu_free(out);
  gpu_free(one);
  free(order);
  free(items);
}

START_TEST(nth_element) {
  static const int types[] = {SPAN_4, SPAN_12};
  static const size_t more[] = {1000, 5001, 20001, 70003};
  for (size_t i = 0; i < COUNT_OF(types); ++i) {
    const jig_type type = span_types[types[i]];
    for (size_t count = 1; count <= SMALL_SIZES; count += 2) check_nth_of(type, count, count / 2);
    for (size_t k = 0; k < COUNT_OF(more); ++k) check_nth_of(type, more[k], more[k] / (k + 2));
  }
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(min_max),
      SUITE_TEST(segmented_arg_reduce),
      SUITE_TEST(binary_search),
      SUITE_TEST(nth_element),
  };
  return SUITE_RUN("device/operand_domain_orders", tests, true);
}
