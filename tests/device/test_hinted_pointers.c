/* Pointers with cache hints: what is loaded and stored by them is what it would be without, of any type
 * and alignment; which of them can be what. */
#include <jig/jig.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "numbers.h"
#include "phases.h"
#include "reduce_support.h"
#include "sort_support.h"
#include "suite.h"

enum { COUNT = 5003 };

static const struct hint {
  jig_cache_hint hint;
  const char *name;
  bool loads, stores;
} hints[] = {
    {JIG_CACHE_NONE, "pointer", true, true},
    {JIG_CACHE_STREAMING, "pointer_streaming", true, true},
    {JIG_CACHE_GLOBAL, "pointer_global", true, true},
    {JIG_CACHE_KEEP, "pointer_keep", true, true},
    {JIG_CACHE_READ_ONLY, "pointer_read_only", true, false},
    {JIG_CACHE_LAST_USE, "pointer_last_use", true, false},
    {JIG_CACHE_WRITE_THROUGH, "pointer_write_through", false, true},
};

/* From one to the other, each an item off its alignment or not. */
static void check_copy(jig_type type, const struct hint *from, const struct hint *to, size_t offset) {
  const size_t size = type.size;
  unsigned char *items = random_bytes(COUNT * size, size + offset + 1);
  void *in = gpu_copy(items, COUNT * size, offset * type.align),
       *out = gpu_alloc(COUNT * size, offset * type.align);
  const jig_copy_args args = {.in = jig_pointer_hinted(in, type, from->hint),
                              .out = jig_pointer_hinted(out, type, to->hint),
                              .num_items = COUNT};
  RUN_WITHOUT_STORAGE(jig_copy, &args);
  check_sorted(out, items, size, COUNT, from->loads ? from->name : to->name);
  gpu_free(in);
  gpu_free(out);
  free(items);
}

START_TEST(items_are_loaded_and_stored) {
  const jig_type types[] = {JIG_U8,
                            JIG_U16,
                            JIG_U32,
                            JIG_U64,
                            JIG_U128,
                            jig_opaque(3, 1),
                            jig_opaque(12, 4),
                            jig_opaque(24, 8),
                            jig_opaque(64, 16),
                            jig_opaque(600, 2)};
  for (size_t t = 0; t < COUNT_OF(types); ++t) {
    for (size_t h = 1; h < COUNT_OF(hints); ++h) {
      if (hints[h].loads) check_copy(types[t], &hints[h], &hints[0], t % 2);
      if (hints[h].stores) check_copy(types[t], &hints[0], &hints[h], (t + 1) % 2);
    }
    check_copy(types[t], &hints[1], &hints[1], 1);
  }
}
END_TEST

/* As inputs of what has ways of its own for pointers. */
START_TEST(algorithms_take_them) {
  int32_t *items = malloc(COUNT * 4), *wanted = malloc(COUNT * 4), sum = 0;
  for (int i = 0; i < COUNT; ++i) wanted[i] = sum += items[i] = i * 7 % 31 - 9;
  void *in = gpu_copy(items, COUNT * 4, 4), *out = gpu_alloc(COUNT * 4, 0), *num = gpu_alloc(8, 0);
  for (size_t h = 1; h < COUNT_OF(hints); ++h) {
    const jig_iter from =
        hints[h].loads ? jig_pointer_hinted(in, JIG_I32, hints[h].hint) : jig_pointer(in, JIG_I32);
    const jig_iter to =
        hints[h].stores ? jig_pointer_hinted(out, JIG_I32, hints[h].hint) : jig_pointer(out, JIG_I32);
    int32_t got;
    OK(jig_reduce_sum(NULL, NULL, NULL, from, to, COUNT, NULL));
    gpu_read(&got, out, 4);
    ck_assert_int_eq(got, sum);
    OK(jig_inclusive_sum(NULL, NULL, NULL, from, to, COUNT, NULL));
    check_sorted(out, wanted, 4, COUNT, hints[h].name);
    OK(jig_select_if(NULL, NULL, NULL, from, to, jig_pointer(num, JIG_I64), COUNT,
                     jig_op_source("return x < 100;"), NULL));
    check_sorted(out, items, 4, COUNT, hints[h].name);
    OK(jig_transform_unary(NULL, NULL, NULL, from, to, COUNT, jig_op_source("return x;"), NULL));
    check_sorted(out, items, 4, COUNT, hints[h].name);
  }
  gpu_free(in);
  gpu_free(out);
  gpu_free(num);
  free(items);
  free(wanted);
}
END_TEST

/* To what is no plain pointer, segments of blocks that have one each and of more: where each is stored.
 */
START_TEST(segments_are_scanned) {
  static const uint32_t offsets[] = {0, 1000, 2000, 2003, COUNT};
  enum { SEGMENTS = COUNT_OF(offsets) - 1 };
  uint32_t *items = malloc(COUNT * 4), *wanted = malloc(COUNT * 4);
  for (size_t s = 0; s < SEGMENTS; ++s)
    for (uint32_t i = offsets[s]; i < offsets[s + 1]; ++i)
      wanted[i] = (items[i] = i * 7 % 31) + (i > offsets[s] ? wanted[i - 1] : 0);
  void *in = gpu_copy(items, COUNT * 4, 0), *out = gpu_alloc(COUNT * 4, 0);
  uint32_t *begins = gpu_copy(offsets, sizeof offsets, 0);
  for (size_t h = 0; h < COUNT_OF(hints); ++h) {
    if (!hints[h].stores) continue;
    const jig_segmented_scan_args args = {
        .in = hints[h].loads ? jig_pointer_hinted(in, JIG_U32, hints[h].hint) : jig_pointer(in, JIG_U32),
        .out = jig_pointer_hinted(out, JIG_U32, hints[h].hint),
        .begin_offsets = jig_pointer(begins, JIG_U32),
        .end_offsets = jig_pointer(begins + 1, JIG_U32),
        .num_segments = SEGMENTS,
        .mode = JIG_SCAN_INCLUSIVE,
        .op = JIG_PLUS};
    RUN_PHASES(jig_segmented_scan, &args, 0);
    check_sorted(out, wanted, 4, COUNT, hints[h].name);
    const jig_segmented_scan_args plain = {.in = jig_pointer(in, JIG_U32),
                                           .out = args.out,
                                           .begin_offsets = args.begin_offsets,
                                           .end_offsets = args.end_offsets,
                                           .num_segments = SEGMENTS,
                                           .mode = JIG_SCAN_INCLUSIVE,
                                           .op = JIG_PLUS};
    RUN_PHASES(jig_segmented_scan, &plain, 0);
    check_sorted(out, wanted, 4, COUNT, hints[h].name);
  }
  gpu_free(in);
  gpu_free(out);
  gpu_free(begins);
  free(items);
  free(wanted);
}
END_TEST

START_TEST(what_cannot_be_is_refused) {
  void *memory = gpu_alloc(64, 0);
  const jig_iter plain = jig_pointer(memory, JIG_I32);
  for (size_t h = 1; h < COUNT_OF(hints); ++h) {
    const jig_iter hinted = jig_pointer_hinted((char *)memory + 32, JIG_I32, hints[h].hint);
    if (!hints[h].loads)
      FAILS(jig_reduce_sum(NULL, NULL, NULL, hinted, plain, 1, NULL), JIG_ERROR_INVALID_ARGUMENT, "in");
    if (!hints[h].stores)
      FAILS(jig_reduce_sum(NULL, NULL, NULL, plain, hinted, 1, NULL), JIG_ERROR_INVALID_ARGUMENT, "out");
    const jig_iter nowhere = jig_pointer_hinted(NULL, JIG_I32, hints[h].hint);
    if (hints[h].loads)
      FAILS(jig_reduce_sum(NULL, NULL, NULL, nowhere, plain, 1, NULL), JIG_ERROR_INVALID_ARGUMENT,
            "in: the pointer is NULL");
    const jig_iter crooked = jig_pointer_hinted((char *)memory + 2, JIG_I32, hints[h].hint);
    if (hints[h].stores)
      FAILS(jig_reduce_sum(NULL, NULL, NULL, plain, crooked, 1, NULL), JIG_ERROR_INVALID_ARGUMENT,
            "not aligned");
  }
  const jig_iter unknown = jig_pointer_hinted(memory, JIG_I32, (jig_cache_hint)99);
  FAILS(jig_reduce_sum(NULL, NULL, NULL, unknown, plain, 1, NULL), JIG_ERROR_INVALID_ARGUMENT, "in");
  ck_assert(gpu_is_untouched(memory, 64));
  gpu_free(memory);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {SUITE_TEST(items_are_loaded_and_stored),
                                     SUITE_TEST(algorithms_take_them), SUITE_TEST(segments_are_scanned),
                                     SUITE_TEST(what_cannot_be_is_refused)};
  return SUITE_RUN("device/hinted_pointers", tests, true);
}
