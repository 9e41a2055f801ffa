/* Run-length encoding and non-trivial runs: items of every type at sizes around every boundary of both
 * kernels, with runs of many lengths, at every alignment; what makes items equal; iterators; calls. */
#include <jig/jig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithm/by_key.h"
#include "by_key_support.h"
#include "gpu.h"
#include "numbers.h"
#include "phases.h"
#include "reduce_support.h"
#include "suite.h"

static const size_t averages[] = {8, 1, 1000, 2, 0, 100};

/* ---- what is right */

/* The runs of the first `size` items that are no shorter than `least`. */
typedef struct run_list {
  size_t count;
  uint64_t *offsets, *lengths;
} run_list;

static run_list find_runs(const bool *heads, size_t size, size_t least) {
  run_list list = {0, malloc((size + 1) * 8), malloc((size + 1) * 8)};
  for (size_t first = 0, last; first < size; first = last) {
    for (last = first + 1; last < size && !heads[last];) ++last;
    if (last - first < least) continue;
    list.offsets[list.count] = first;
    list.lengths[list.count++] = last - first;
  }
  return list;
}

static void free_runs(run_list *list) {
  free(list->offsets);
  free(list->lengths);
}

/* ---- both calls, into memory just large enough */

static void call_encode(const jig_run_length_encode_args *args) {
  RUN_PHASES(jig_run_length_encode, args, 0);
}

static void call_runs(const jig_non_trivial_runs_args *args) {
  RUN_PHASES(jig_non_trivial_runs, args, 0);
}

/* Reads what came out, and frees it. */
static void check_output(void *device, const void *wanted, size_t size, size_t count, const char *what) {
  void *got = malloc(size * count + 1);
  gpu_read(got, device, size * count);
  check_items(got, wanted, size, count, what);
  gpu_free(device);
  free(got);
}

/* Lengths as they are stored in each of these types, of which several share a word. */
static const jig_type_kind length_kinds[] = {JIG_KIND_U64, JIG_KIND_I32, JIG_KIND_U16, JIG_KIND_U8};

static void check_lengths(void *device, const run_list *runs, size_t size, const char *what) {
  unsigned char *wanted = malloc(runs->count * size + 1);
  for (size_t i = 0; i < runs->count; ++i) memcpy(wanted + i * size, &runs->lengths[i], size);
  check_output(device, wanted, size, runs->count, what);
  free(wanted);
}

static void check_encode(const jig_iter *in, jig_op equality, const key_list *list, size_t size,
                         const char *what) {
  run_list runs = find_runs(list->heads, size, 1);
  const size_t item = list->type.size;
  unsigned char *firsts = malloc(runs.count * item + 1);
  for (size_t i = 0; i < runs.count; ++i)
    memcpy(firsts + i * item, list->keys + runs.offsets[i] * item, item);
  const jig_type length = type_of(length_kinds[size % COUNT_OF(length_kinds)]);
  void *unique = gpu_alloc(runs.count * item, item),
       *lengths = gpu_alloc(runs.count * length.size, size / 4 % 4 * length.size),
       *num_runs = gpu_alloc(8, 0);
  uint64_t count = runs.count;
  const jig_run_length_encode_args args = {.in = *in,
                                           .unique_out = jig_pointer(unique, list->type),
                                           .lengths_out = jig_pointer(lengths, length),
                                           .num_runs_out = jig_pointer(num_runs, JIG_I64),
                                           .num_items = size,
                                           .equality = equality};
  call_encode(&args);
  check_output(num_runs, &count, 8, 1, what);
  check_output(unique, firsts, item, runs.count, what);
  check_lengths(lengths, &runs, length.size, what);
  free(firsts);
  free_runs(&runs);
}

static void check_non_trivial(const jig_iter *in, jig_op equality, const key_list *list, size_t size,
                              const char *what) {
  run_list runs = find_runs(list->heads, size, 2);
  void *offsets = gpu_alloc(runs.count * 8, 8), *lengths = gpu_alloc(runs.count * 8, 0),
       *num_runs = gpu_alloc(8, 0);
  uint64_t count = runs.count;
  const jig_non_trivial_runs_args args = {.in = *in,
                                          .offsets_out = jig_pointer(offsets, JIG_U64),
                                          .lengths_out = jig_pointer(lengths, JIG_U64),
                                          .num_runs_out = jig_pointer(num_runs, JIG_I64),
                                          .num_items = size,
                                          .equality = equality};
  call_runs(&args);
  check_output(num_runs, &count, 8, 1, what);
  check_output(offsets, runs.offsets, 8, runs.count, what);
  check_output(lengths, runs.lengths, 8, runs.count, what);
  free_runs(&runs);
}

/* ---- every type */

static void check_sizes(jig_type_kind kind, const size_t *sizes, size_t count, size_t average) {
  const jig_op by_default = {.kind = JIG_OP_NONE};
  size_t most = 0;
  for (size_t i = 0; i < count; ++i) most = sizes[i] > most ? sizes[i] : most;
  key_list list = new_keys(kind, most, average);
  for (size_t i = 0; i < count; ++i) {
    char what[128];
    (void)snprintf(what, sizeof what, "%zu %s, runs of %zu, offset %zu", sizes[i],
                   jig_type_name(&list.type), average, i % 4);
    void *device = gpu_copy(list.keys, sizes[i] * list.type.size, i % 4 * list.type.size);
    const jig_iter in = jig_pointer(device, list.type);
    check_encode(&in, by_default, &list, sizes[i], what);
    check_non_trivial(&in, by_default, &list, sizes[i], what);
    gpu_free(device);
  }
  free_keys(&list);
}

static scan_marks marks_of(jig_type type) {
  char *text = NULL;
  const jig_iter in = jig_pointer(NULL, type), number = jig_pointer(NULL, JIG_U64);
  const jig_non_trivial_runs_args args = {
      .in = in, .offsets_out = number, .lengths_out = number, .num_runs_out = number};
  OK(jig_non_trivial_runs_spec(&args, &text));
  return chain_marks_of(text, 2 * sizeof(uint64_t));
}

static void check_type(jig_type_kind kind, bool thoroughly) {
  const scan_marks m = marks_of(type_of(kind));
  size_t sizes[SCAN_MAX_SIZES];
  for (size_t k = 0; k < COUNT_OF(averages); k += thoroughly ? 1 : 2) {
    size_t count = scan_sizes(&m, thoroughly ? m.single_wave + 1 : m.alone + m.row, sizes);
    if (!thoroughly) {
      for (size_t i = 0; i < count; ++i) sizes[i] = sizes[i * 4 < count ? i * 4 : count - 1];
      count = count / 4 + 1;
    }
    sizes[count++] = k % 2 == 0 ? m.single_wave : 10 * m.row + 3;
    if (k < 3) sizes[count++] = scan_long_size(&m, (size_t)-1);
    check_sizes(kind, sizes, count, averages[k]);
  }
}

START_TEST(runs_of_words) {
  check_type(JIG_KIND_I32, true);
}
END_TEST

START_TEST(runs_of_other_types) {
  static const jig_type_kind kinds[] = {JIG_KIND_U8,  JIG_KIND_I16, JIG_KIND_F64, JIG_KIND_U128,
                                        JIG_KIND_F16, JIG_KIND_F32, JIG_KIND_BOOL};
  for (size_t i = 0; i < COUNT_OF(kinds); ++i) check_type(kinds[i], false);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(runs_of_words),
      SUITE_TEST(runs_of_other_types),
  };
  return SUITE_RUN("device/run_length", tests, true);
}
