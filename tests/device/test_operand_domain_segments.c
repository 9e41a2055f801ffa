/* Segmented scan calls its operator with nothing but items of one segment and what neighbouring ones come
 * to, the left one first. */
#include <jig/jig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithm/segment_plan.h"
#include "gpu.h"
#include "numbers.h"
#include "program_support.h"
#include "reduce_support.h"
#include "scan_support.h"
#include "segments.h"
#include "spans.h"
#include "suite.h"

enum { INIT_BEGIN = 7 };

typedef enum scan_way { PLAIN, EXCLUSIVE, WITH_INIT, WAYS } scan_way;

/* Offsets as one array, if segments adjoin. */
static void put_offsets(const segment_list *list, jig_segmented_scan_args *args) {
  bool adjoin = true;
  for (size_t s = 0; s + 1 < list->count; ++s) adjoin = adjoin && list->ends[s] == list->begins[s + 1];
  int64_t *both = malloc((list->count + 1) * 2 * 8), *device;
  memcpy(both, list->begins, list->count * 8);
  memcpy(both + (adjoin ? 1 : list->count), list->ends, list->count * 8);
  device = gpu_copy(both, list->count * 2 * 8, 0);
  free(both);
  args->begin_offsets = jig_pointer(device, JIG_I64);
  args->end_offsets = jig_pointer(device + (adjoin ? 1 : list->count), JIG_I64);
  args->num_segments = list->count;
}

static void check_segments(jig_type type, const segment_list *list, scan_way way, const char *lengths) {
  char what[128];
  (void)snprintf(what, sizeof what, "segmented scan of %zu segments, %s, of %s, way %d", list->count,
                 lengths, type.name, way);
  const watch w = new_watch(list->items);
  const size_t bytes = list->items * type.size;
  unsigned char init[40], *items = calloc(bytes + 1, 1), *wanted = malloc(bytes + 1),
                          *got = malloc(bytes + 1);
  put_span(type, init, 0, (span){INIT_BEGIN, SPAN_FIRST, SPAN_ANY_RUN});
  /* Between segments there is nothing that an operator may see. */
  for (size_t s = 0; s < list->count; ++s)
    for (int64_t i = list->begins[s]; i < list->ends[s]; ++i) {
      const uint32_t place = SPAN_FIRST + (uint32_t)(i - list->begins[s]);
      put_span(type, items, (size_t)i, (span){place, place + 1, (uint32_t)s});
    }
  memcpy(wanted, items, bytes);
  for (size_t s = 0; s < list->count; ++s)
    for (int64_t i = list->begins[s]; i < list->ends[s]; ++i) {
      const uint32_t end = SPAN_FIRST + (uint32_t)(i - list->begins[s]) + (way != EXCLUSIVE);
      const bool is_init = way == EXCLUSIVE && i == list->begins[s];
      put_span(type, wanted, (size_t)i,
               (span){way == PLAIN ? SPAN_FIRST : INIT_BEGIN, end, is_init ? SPAN_ANY_RUN : (uint32_t)s});
    }
  void *in = gpu_copy(items, bytes, 0), *out = gpu_copy(items, bytes, 0);
  jig_segmented_scan_args args = {.in = jig_pointer(in, type),
                                  .out = jig_pointer(out, type),
                                  .op = watched(span_fold, &w),
                                  .mode = way == EXCLUSIVE ? JIG_SCAN_EXCLUSIVE : JIG_SCAN_INCLUSIVE,
                                  .init = way == PLAIN ? NULL : init,
                                  .init_type = type};
  put_offsets(list, &args);
  size_t storage_bytes = 0;
  OK(jig_segmented_scan(NULL, NULL, &storage_bytes, &args, NULL));
  void *storage = gpu_alloc(storage_bytes, 0);
  OK(jig_segmented_scan(NULL, storage, &storage_bytes, &args, NULL));
  gpu_read(got, out, bytes);
  check_watch(&w, what);
  check_items(got, wanted, type.size, list->items, what);
  gpu_free(storage);
  gpu_free(in);
  gpu_free(out);
  gpu_free(args.begin_offsets.pointer);
  free(items);
  free(wanted);
  free(got);
}

static void check_all(void) {
  static const int types[] = {SPAN_2, SPAN_8, SPAN_12, SPAN_40};
  static const size_t averages[] = {1, 3, 20, 700, 5000}, counts[] = {1, 2, 7, 33, 300};
  static const size_t uneven[] = {0, 1, 70000, 1, 0, 0, 33, 1025, 5};
  for (size_t i = 0; i < COUNT_OF(types); ++i) {
    const jig_type type = span_types[types[i]];
    for (scan_way way = PLAIN; way < WAYS; ++way) {
      if (i > 1 && way != (scan_way)(i % WAYS)) continue;
      for (size_t a = 0; a < COUNT_OF(averages); ++a)
        for (size_t c = 0; c < COUNT_OF(counts); ++c) {
          if (averages[a] * counts[c] > 50000) continue;
          char lengths[32];
          (void)snprintf(lengths, sizeof lengths, "%zu on average", averages[a]);
          segment_list list = new_segments(counts[c], averages[a], c % 2 == 1);
          check_segments(type, &list, way, lengths);
          free_segments(&list);
        }
      segment_list list = segments_of(uneven, COUNT_OF(uneven), true);
      check_segments(type, &list, way, "uneven");
      free_segments(&list);
    }
  }
}

START_TEST(short_segments) {
  check_all();
}
END_TEST

/* As if segments were long. */
START_TEST(long_segments) {
  limits_of(NULL)->segment_most_short = 30;
  check_all();
}
END_TEST

int main(void) {
  static const suite_test tests[] = {SUITE_TEST(short_segments), SUITE_TEST(long_segments)};
  return SUITE_RUN("device/operand_domain_segments", tests, true);
}
