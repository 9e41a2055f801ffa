/* Reduce by key: sums of every type at sizes around every boundary of both kernels, with runs of many
 * lengths, at every combination of alignments; operators whose operands must keep their order; what makes
 * keys equal. */
#include <jig/jig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "by_key_support.h"
#include "gpu.h"
#include "numbers.h"
#include "reduce_support.h"
#include "suite.h"

static const size_t averages[] = {8, 1, 1000, 3, 0, 100};

static scan_marks marks_of(const jig_reduce_by_key_args *args, size_t accum_size) {
  char *text = NULL;
  OK(jig_reduce_by_key_spec(args, &text));
  return chain_marks_of(text, accum_size <= 8 ? 16 : accum_size + 16);
}

/* ---- sums, of values of one type by keys of another */

static void check_sum(const key_list *list, jig_type type, const void *items, size_t size, size_t variant,
                      const char *what) {
  const scan_model model = sum_model(type);
  key_list part = *list;
  void *aggregates = malloc(size * type.size + 1);
  part.count = size;
  part.runs = fold_runs_on_host(&model, list->heads, items, size, aggregates);
  void *unique = keys_of_runs(&part, true);
  const size_t off = variant % 4, key_off = variant / 2 % 3;
  void *keys = gpu_copy(list->keys, size * list->type.size, key_off * list->type.size);
  void *in = gpu_copy(items, size * type.size, off * type.size);
  check_reduce_by_key((jig_reduce_by_key_args){.keys_in = jig_pointer(keys, list->type),
                                               .unique_out = jig_pointer(NULL, list->type),
                                               .values_in = jig_pointer(in, type),
                                               .aggregates_out = jig_pointer(NULL, type),
                                               .num_items = size,
                                               .accum_type = type},
                      unique, aggregates, part.runs, variant / 3 % 2, what);
  gpu_free(keys);
  gpu_free(in);
  free(unique);
  free(aggregates);
}

static void check_sums(jig_type_kind key_kind, jig_type_kind kind, const size_t *sizes, size_t count,
                       size_t average) {
  const jig_type type = type_of(kind);
  size_t most = 0;
  for (size_t i = 0; i < count; ++i) most = sizes[i] > most ? sizes[i] : most;
  key_list list = new_keys(key_kind, most, average);
  void *items = malloc(most * type.size);
  fill_random(kind, items, most, 3 + most);
  for (size_t i = 0; i < count; ++i) {
    char what[160];
    (void)snprintf(what, sizeof what, "sums of %zu %s by %s, runs of %zu, variant %zu", sizes[i],
                   jig_type_name(&type), jig_type_name(&list.type), average, i);
    check_sum(&list, type, items, sizes[i], i, what);
  }
  free(items);
  free_keys(&list);
}

static void check_pair(jig_type_kind key_kind, jig_type_kind kind, bool thoroughly) {
  const jig_reduce_by_key_args args = {.keys_in = jig_pointer(NULL, type_of(key_kind)),
                                       .unique_out = jig_pointer(NULL, type_of(key_kind)),
                                       .values_in = jig_pointer(NULL, type_of(kind)),
                                       .aggregates_out = jig_pointer(NULL, type_of(kind)),
                                       .num_runs_out = jig_pointer(NULL, JIG_U64),
                                       .accum_type = type_of(kind)};
  const scan_marks m = marks_of(&args, type_of(kind).size);
  size_t sizes[SCAN_MAX_SIZES];
  for (size_t k = 0; k < COUNT_OF(averages); k += thoroughly ? 1 : 2) {
    if (is_floating(kind) && (averages[k] == 0 || averages[k] > 100)) continue;
    size_t count = scan_sizes(&m, thoroughly ? m.single_wave + 1 : m.alone + m.row, sizes);
    if (!thoroughly) {
      for (size_t i = 0; i < count; ++i) sizes[i] = sizes[i * 4 < count ? i * 4 : count - 1];
      count = count / 4 + 1;
    }
    sizes[count++] = k % 2 == 0 ? m.single_wave : 10 * m.row + 3;
    if (k < 3) sizes[count++] = scan_long_size(&m, (size_t)-1);
    check_sums(key_kind, kind, sizes, count, averages[k]);
  }
}

START_TEST(sums_of_words_by_words) {
  check_pair(JIG_KIND_I32, JIG_KIND_U32, true);
}
END_TEST

START_TEST(sums_of_other_types) {
  static const jig_type_kind pairs[][2] = {
      {JIG_KIND_I32, JIG_KIND_F64},  {JIG_KIND_I8, JIG_KIND_U8},    {JIG_KIND_U64, JIG_KIND_I16},
      {JIG_KIND_F32, JIG_KIND_F32},  {JIG_KIND_BOOL, JIG_KIND_I64}, {JIG_KIND_I128, JIG_KIND_I128},
      {JIG_KIND_I32, JIG_KIND_I128}, {JIG_KIND_I128, JIG_KIND_U32}, {JIG_KIND_F16, JIG_KIND_U16},
      {JIG_KIND_BF16, JIG_KIND_U32}, {JIG_KIND_F64, JIG_KIND_I8},   {JIG_KIND_U64, JIG_KIND_U32},
      {JIG_KIND_F64, JIG_KIND_I64},
  };
  for (size_t i = 0; i < COUNT_OF(pairs); ++i) check_pair(pairs[i][0], pairs[i][1], false);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(sums_of_words_by_words),
      SUITE_TEST(sums_of_other_types),
  };
  return SUITE_RUN("device/reduce_by_key", tests, true);
}
