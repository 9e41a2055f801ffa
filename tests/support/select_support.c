#include "select_support.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "numbers.h"
#include "reduce_support.h"
#include "spec/canonical.h"

scan_marks select_marks_of(char *text) {
  return selection_marks_of(text);
}

/* ---- calls */

#define RUN(call, args)                        \
  size_t bytes = 0;                            \
  OK(call(NULL, NULL, &bytes, args, NULL));    \
  ck_assert_uint_ge(bytes, 1);                 \
  void *storage = gpu_alloc(bytes, 0);         \
  OK(call(NULL, storage, &bytes, args, NULL)); \
  GPU(gpu()->cuStreamSynchronize(NULL));       \
  gpu_free(storage)

void run_select(const jig_select_args *args) {
  RUN(jig_select, args);
}
void run_unique(const jig_unique_args *args) {
  RUN(jig_unique, args);
}
void run_partition(const jig_partition_args *args) {
  RUN(jig_partition, args);
}
void run_three_way(const jig_three_way_partition_args *args) {
  RUN(jig_three_way_partition, args);
}

/* ---- the host's side */

void *items_of_class(const void *items, size_t size, size_t count, const uint8_t *classes, uint8_t wanted,
                     size_t *found) {
  char *kept = malloc(count * size + 1);
  size_t n = 0;
  for (size_t i = 0; i < count; ++i) {
    if (classes[i] == wanted) memcpy(kept + n++ * size, (const char *)items + i * size, size);
  }
  *found = n;
  return kept;
}

uint8_t *random_classes(size_t count, unsigned percent, uint8_t class_count, uint64_t seed) {
  uint8_t *classes = malloc(count + 1);
  for (size_t i = 0; i < count; ++i) {
    const uint64_t r = next_random(&seed) >> 20;
    classes[i] = (uint8_t)(r % 100 < percent ? 0 : 1 + r / 100 % (class_count - 1u));
  }
  return classes;
}

uint8_t *run_classes(const void *items, size_t size, size_t count) {
  uint8_t *classes = malloc(count + 1);
  const char *item = items;
  for (size_t i = 0; i < count; ++i, item += size)
    classes[i] = i > 0 && memcmp(item, item - size, size) == 0;
  return classes;
}

/* ---- comparing */

/* An output and what is to be there. */
typedef struct expected {
  void *wanted, *device;
  size_t count, size;
} expected;

static expected expect(const select_wanted *w, uint64_t num_items, uint8_t class) {
  expected e = {.size = w->type.size};
  e.wanted = items_of_class(w->items, w->type.size, (size_t)num_items, w->classes, class, &e.count);
  e.device = gpu_alloc(e.count * e.size, w->offset);
  return e;
}

static void settle(expected *e, const char *what) {
  void *got = malloc(e->count * e->size + 1);
  gpu_read(got, e->device, e->count * e->size);
  check_items(got, e->wanted, e->size, e->count, what);
  gpu_free(e->device);
  free(e->wanted);
  free(got);
}

static void check_counts(const uint64_t *device, const expected *e, int classes, const char *what) {
  uint64_t counts[2];
  gpu_read(counts, device, (size_t)classes * sizeof *counts);
  for (int c = 0; c < classes; ++c)
    ck_assert_msg(counts[c] == e[c].count, "%s: %llu are counted, not %zu", what,
                  (unsigned long long)counts[c], e[c].count);
}

void check_select(jig_select_args args, const select_wanted *w) {
  uint64_t *count = gpu_alloc(sizeof *count, 0);
  expected e = expect(w, args.num_items, 0);
  args.out = jig_pointer(e.device, w->type);
  args.num_selected_out = jig_pointer(count, JIG_U64);
  run_select(&args);
  check_counts(count, &e, 1, w->what);
  settle(&e, w->what);
  gpu_free(count);
}

void check_unique(jig_unique_args args, const select_wanted *w) {
  uint64_t *count = gpu_alloc(sizeof *count, 0);
  expected e = expect(w, args.num_items, 0);
  args.out = jig_pointer(e.device, w->type);
  args.num_selected_out = jig_pointer(count, JIG_U64);
  run_unique(&args);
  check_counts(count, &e, 1, w->what);
  settle(&e, w->what);
  gpu_free(count);
}

static void reverse(void *items, size_t size, size_t count) {
  char *item = items, held[256];
  for (size_t i = 0, j = count; i + 1 < j; ++i) {
    --j;
    memcpy(held, item + i * size, size);
    memcpy(item + i * size, item + j * size, size);
    memcpy(item + j * size, held, size);
  }
}

void check_partition(jig_partition_args args, const select_wanted *w, bool apart) {
  uint64_t *count = gpu_alloc(sizeof *count, 0);
  expected e = expect(w, args.num_items, 0), others = expect(w, args.num_items, 1);
  args.num_selected_out = jig_pointer(count, JIG_U64);
  args.out = jig_pointer(e.device, w->type);
  args.unselected_out = jig_pointer(others.device, w->type);
  if (!apart) {
    gpu_free(others.device);
    others.device = gpu_alloc((e.count + others.count) * e.size, w->offset);
    args.out = jig_pointer(others.device, w->type);
    args.unselected_out = (jig_iter)JIG_ZERO;
  }
  run_partition(&args);
  check_counts(count, &e, 1, w->what);
  if (!apart) {
    char *all = malloc((e.count + others.count) * e.size + 1);
    reverse(others.wanted, e.size, others.count);
    memcpy(all, e.wanted, e.count * e.size);
    memcpy(all + e.count * e.size, others.wanted, others.count * e.size);
    free(others.wanted);
    others.wanted = all;
    others.count += e.count;
    gpu_free(e.device);
    free(e.wanted);
  } else {
    settle(&e, w->what);
  }
  settle(&others, w->what);
  gpu_free(count);
}

void check_three_way(jig_three_way_partition_args args, const select_wanted *w) {
  uint64_t *counts = gpu_alloc(2 * sizeof *counts, 0);
  expected e[3];
  for (uint8_t c = 0; c < 3; ++c) e[c] = expect(w, args.num_items, c);
  args.first_out = jig_pointer(e[0].device, w->type);
  args.second_out = jig_pointer(e[1].device, w->type);
  args.unselected_out = jig_pointer(e[2].device, w->type);
  args.num_selected_out = jig_pointer(counts, JIG_U64);
  run_three_way(&args);
  check_counts(counts, e, 2, w->what);
  for (int c = 0; c < 3; ++c) settle(&e[c], w->what);
  gpu_free(counts);
}
