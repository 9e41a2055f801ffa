/* What is asked about items one by one (tests, transforms, iterators made of indices) is asked about
 * items of the input and about nothing else, and no index past its end: by select and the partitions, and
 * wherever an algorithm takes iterators. */
#include <jig/jig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "numbers.h"
#include "reduce_support.h"
#include "seed.h"
#include "select_support.h"
#include "spans.h"
#include "suite.h"

enum { SMALL_SIZES = 40 };

typedef enum source { FROM_MEMORY, FROM_UNALIGNED, FROM_SOURCE, FROM_TRANSFORM, SOURCES } source;

/* An input of `count` spans; what it is made of, on the host, too. */
typedef struct input {
  void *host, *memory;
  jig_iter base, iter;
} input;

static input *open_input(jig_type type, source from, size_t count, const watch *w) {
  input *in = malloc(sizeof *in);
  in->host = new_spans(type, count);
  in->memory = gpu_copy(in->host, count * type.size, from == FROM_UNALIGNED ? type.align : 0);
  in->base = in->iter = jig_pointer(in->memory, type);
  if (from == FROM_SOURCE) in->iter = span_source(type, w);
  if (from == FROM_TRANSFORM) in->iter = jig_iter_transform(&in->base, watched(span_identity, w), type);
  return in;
}

static void close_input(input *in) {
  gpu_free(in->memory);
  free(in->host);
  free(in);
}

/* ---- select and the partitions */

static uint8_t *classes_of(jig_type type, size_t count, bool three) {
  uint8_t *classes = malloc(count + 1);
  for (size_t i = 0; i < count; ++i) {
    classes[i] = !span_passes(type, i);
    if (three && classes[i] == 1 && !span_passes_other(type, i)) classes[i] = 2;
  }
  return classes;
}

static unsigned index_of(jig_type type) {
  unsigned i = 0;
  while (span_types[i].size != type.size) ++i;
  return i;
}

/* Select always; the partitions take turns with the types, and with where they are from. */
static void check_selections(jig_type type, source from, size_t count) {
  char what[128];
  (void)snprintf(what, sizeof what, "selections of %zu %s, source %d", count, type.name, from);
  const watch w = new_watch(count);
  input *in = open_input(type, from, count, &w);
  uint8_t *two = classes_of(type, count, false), *three = classes_of(type, count, true);
  select_wanted wanted = {in->host, type, two, 0, what};
  const jig_op test = watched(span_test, &w), other = watched(span_other_test, &w);
  check_select((jig_select_args){.in = in->iter, .num_items = count, .op = test}, &wanted);
  if ((test_seed() + index_of(type) + from / FROM_SOURCE) % 2 == 0) {
    check_partition((jig_partition_args){.in = in->iter, .num_items = count, .op = test}, &wanted,
                    count % 2 == 0);
  } else {
    wanted.classes = three;
    check_three_way(
        (jig_three_way_partition_args){
            .in = in->iter, .num_items = count, .first_op = test, .second_op = other},
        &wanted);
  }
  check_watch(&w, what);
  close_input(in);
  free(two);
  free(three);
}

/* Tests of flags, and of items that are stored. */
static void check_flags(jig_type type, source from, size_t count) {
  char what[128];
  (void)snprintf(what, sizeof what, "selections of %zu by flags of %s, source %d", count, type.name,
                 from);
  const watch w = new_watch(count);
  input *in = open_input(type, from, count, &w);
  uint8_t *classes = classes_of(type, count, false);
  const select_wanted wanted = {in->host, type, classes, 0, what};
  check_select(
      (jig_select_args){
          .in = in->base, .flags = in->iter, .num_items = count, .op = watched(span_test, &w)},
      &wanted);
  size_t selected;
  void *kept = items_of_class(in->host, type.size, count, classes, 0, &selected);
  void *out = gpu_alloc(selected * type.size, 0), *found = gpu_alloc(8, 0),
       *got = malloc(count * type.size);
  const jig_iter stored = jig_pointer(out, type);
  run_select(&(jig_select_args){.in = in->iter,
                                .out = jig_transform_output(&stored, watched(span_identity, &w), type),
                                .num_selected_out = jig_pointer(found, JIG_U64),
                                .num_items = count,
                                .op = watched(span_test, &w)});
  gpu_read(got, out, selected * type.size);
  check_watch(&w, what);
  check_items(got, kept, type.size, selected, what);
  gpu_free(out);
  gpu_free(found);
  close_input(in);
  free(classes);
  free(kept);
  free(got);
}

static scan_marks marks_of(jig_type type) {
  const watch w = {0};
  char *text = NULL;
  OK(jig_select_spec(&(jig_select_args){.in = jig_pointer(NULL, type),
                                        .out = jig_pointer(NULL, type),
                                        .num_selected_out = jig_pointer(NULL, JIG_U64),
                                        .op = watched(span_test, &w)},
                     &text));
  return select_marks_of(text);
}

START_TEST(tests_of_items) {
  for (int i = 0; i < SPAN_TYPES; ++i) {
    const jig_type type = span_types[i];
    const scan_marks m = marks_of(type);
    const size_t warp = 32 * m.vector, more[] = {warp - 1,      warp + 1,
                                                 m.row - 1,     m.row + 1,
                                                 m.alone + 1,   m.single_wave - m.vector,
                                                 m.single_wave, m.single_wave + 2 * m.tile + 1};
    for (source from = 0; from < SOURCES; ++from) {
      if (from >= FROM_SOURCE && i != SPAN_2 && i != SPAN_8 && i != SPAN_40) continue;
      for (size_t count = 1; count <= SMALL_SIZES; count += from == FROM_MEMORY ? 1 : 4)
        check_selections(type, from, count);
      for (size_t k = 0; k < COUNT_OF(more); ++k)
        if (from == FROM_MEMORY || k % 2 == 1) check_selections(type, from, more[k]);
    }
  }
}
END_TEST

START_TEST(tests_of_flags) {
  static const int types[] = {SPAN_1, SPAN_4, SPAN_16};
  for (size_t i = 0; i < COUNT_OF(types); ++i) {
    const jig_type type = span_types[types[i]];
    const scan_marks m = marks_of(type);
    const size_t sizes[] = {
        1, 2, 3, 5, 17, 31, 33, m.row + 1, m.alone + 3, m.single_wave, m.single_wave + m.tile + 1};
    for (size_t k = 0; k < COUNT_OF(sizes); ++k)
      check_flags(type, k % 3 == 2 ? FROM_TRANSFORM : FROM_MEMORY, sizes[k]);
  }
}
END_TEST

/* ---- indices */

/* An input of one call or another that is made of indices; it ends where the watch says. */
static const char number_of_index[] =
    "if (i >= state.items) state.tell(uint32_t(i), 0, 0, 0);\n"
    "return uint32_t(i) * 7u % 1000u;\n";

static uint32_t number_at(size_t i) {
  return (uint32_t)i * 7u % 1000u;
}

static void check_indices(size_t count) {
  char what[64];
  (void)snprintf(what, sizeof what, "%zu numbers of their indices", count);
  const watch w = new_watch(count);
  const jig_iter in = jig_iter_source(watched(number_of_index, &w), JIG_U32);
  uint32_t sum = 0, most = 0, got;
  size_t place = 0, runs = 0;
  for (size_t i = 0; i < count; ++i) {
    sum += number_at(i);
    if (number_at(i) > most) place = i;
    most = number_at(place);
    runs += i == 0 || number_at(i) / 100 != number_at(i - 1) / 100;
  }
  reduce_to_host((jig_reduce_args){.in = in, .num_items = count}, JIG_U32, &got);
  ck_assert_uint_eq(got, sum);
  int64_t index;
  int64_t *index_out = gpu_alloc(8, 0);
  run_arg_reduce(
      &(jig_arg_reduce_args){
          .in = in, .index_out = jig_pointer(index_out, JIG_I64), .num_items = count, .op = JIG_MAX},
      0);
  gpu_read(&index, index_out, 8);
  ck_assert_int_eq(index, (int64_t)place);

  /* Of runs of neighbours with the same hundreds. */
  void *some = gpu_alloc(count * 4, 0), *others = gpu_alloc(count * 4, 0), *found = gpu_alloc(8, 0);
  uint64_t got_runs;
  const jig_op equality = jig_op_source("return a / 100 == b / 100;");
  const jig_iter num_runs = jig_pointer(found, JIG_U64);
  OK(jig_scan_by_key(NULL, NULL, NULL,
                     &(jig_scan_by_key_args){.keys_in = in,
                                             .values_in = in,
                                             .values_out = jig_pointer(some, JIG_U32),
                                             .num_items = count,
                                             .equality = equality},
                     NULL));
  OK(jig_reduce_by_key(NULL, NULL, NULL,
                       &(jig_reduce_by_key_args){.keys_in = in,
                                                 .unique_out = jig_pointer(some, JIG_U32),
                                                 .values_in = in,
                                                 .aggregates_out = jig_pointer(others, JIG_U32),
                                                 .num_runs_out = num_runs,
                                                 .num_items = count,
                                                 .equality = equality},
                       NULL));
  gpu_read(&got_runs, found, 8);
  ck_assert_uint_eq(got_runs, runs);
  OK(jig_run_length_encode(NULL, NULL, NULL,
                           &(jig_run_length_encode_args){.in = in,
                                                         .unique_out = jig_pointer(some, JIG_U32),
                                                         .lengths_out = jig_pointer(others, JIG_U32),
                                                         .num_runs_out = num_runs,
                                                         .num_items = count,
                                                         .equality = equality},
                           NULL));
  gpu_read(&got_runs, found, 8);
  ck_assert_uint_eq(got_runs, runs);
  OK(jig_unique(NULL, NULL, NULL,
                &(jig_unique_args){.in = in,
                                   .out = jig_pointer(some, JIG_U32),
                                   .values_in = in,
                                   .values_out = jig_pointer(others, JIG_U32),
                                   .num_selected_out = num_runs,
                                   .num_items = count,
                                   .equality = equality},
                NULL));
  gpu_read(&got_runs, found, 8);
  ck_assert_uint_eq(got_runs, runs);
  check_watch(&w, what);
  gpu_free(index_out);
  gpu_free(some);
  gpu_free(others);
  gpu_free(found);
}

START_TEST(indices) {
  static const size_t more[] = {63, 65, 1023, 1025, 4095, 4097, 70001};
  for (size_t count = 1; count <= SMALL_SIZES; ++count) check_indices(count);
  for (size_t i = 0; i < COUNT_OF(more); ++i) check_indices(more[i]);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(tests_of_items),
      SUITE_TEST(tests_of_flags),
      SUITE_TEST(indices),
  };
  return SUITE_RUN("device/operand_domain_items", tests, true);
}
