/* Scan by key: sums of every type at sizes around every boundary of both kernels, with runs of many
 * lengths, at every combination of alignments; operators whose operands must keep their order; what makes
 * keys equal. */
#include <jig/jig.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "by_key_support.h"
#include "gpu.h"
#include "numbers.h"
#include "reduce_support.h"
#include "seed.h"
#include "suite.h"

static const size_t averages[] = {8, 1, 1000, 3, 0, 100};

static scan_marks marks_of(const jig_scan_by_key_args *args, size_t accum_size) {
  char *text = NULL;
  OK(jig_scan_by_key_spec(args, &text));
  return chain_marks_of(text, 2 * accum_size);
}

/* ---- sums, of values of one type by keys of another */

/* Of as many items as `sizes` say, in both modes, with and without an init. */
static void check_sums(jig_type_kind key_kind, jig_type_kind kind, const size_t *sizes, size_t count,
                       size_t average) {
  const jig_type type = type_of(kind), key_type = type_of(key_kind);
  size_t most = 0;
  for (size_t i = 0; i < count; ++i) most = sizes[i] > most ? sizes[i] : most;
  key_list list = new_keys(key_kind, most, average);
  unsigned char *items = malloc(most * type.size), *wanted = malloc(most * type.size);
  unsigned char init[16] = {3};
  if (is_floating(kind)) put_float(kind, init, 0, 3);
  const scan_model model = sum_model(type);
  fill_random(kind, items, most, 3 + most);
  for (int way = 0; way < 3; ++way) {
    const jig_scan_mode mode = way == 0 ? JIG_SCAN_INCLUSIVE : JIG_SCAN_EXCLUSIVE;
    const bool has_init = way == 2;
    unsigned char identity[16] = {0};
    if (is_floating(kind)) put_float(kind, identity, 0, 0.0);
    scan_runs_on_host(&model, mode,
                      has_init                     ? init
                      : mode == JIG_SCAN_EXCLUSIVE ? identity
                                                   : NULL,
                      list.heads, items, most, wanted);
    for (size_t i = (size_t)way; i < count; i += way == 0 ? 1 : 3) {
      const size_t off = i % 4, key_off = i / 2 % 3, out_off = i / 3 % 2;
      void *keys = gpu_copy(list.keys, sizes[i] * key_type.size, key_off * key_type.size);
      void *in = gpu_copy(items, sizes[i] * type.size, off * type.size);
      char what[160];
      (void)snprintf(what, sizeof what, "way %d: sums of %zu %s by %s, runs of %zu, offsets %zu %zu %zu",
                     way, sizes[i], jig_type_name(&type), jig_type_name(&key_type), average, off, key_off,
                     out_off);
      check_scan_by_key((jig_scan_by_key_args){.keys_in = jig_pointer(keys, key_type),
                                               .values_in = jig_pointer(in, type),
                                               .num_items = sizes[i],
                                               .mode = mode,
                                               .init = has_init ? init : NULL,
                                               .init_type = type,
                                               .accum_type = type},
                        type, out_off * type.size, wanted, what);
      gpu_free(keys);
      gpu_free(in);
    }
  }
  free(items);
  free(wanted);
  free_keys(&list);
}

static void check_pair(jig_type_kind key_kind, jig_type_kind kind, bool thoroughly) {
  const jig_scan_by_key_args args = {.keys_in = jig_pointer(NULL, type_of(key_kind)),
                                     .values_in = jig_pointer(NULL, type_of(kind)),
                                     .values_out = jig_pointer(NULL, type_of(kind)),
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
  for (size_t i = 0; i < COUNT_OF(pairs); ++i)
    if (test_turn(i)) check_pair(pairs[i][0], pairs[i][1], false);
}
END_TEST

/* Exclusive scans of items that are all the same, which leave in every run what it begins with. */
static void check_starts(jig_op op, float item, float wanted, const char *what) {
  static const size_t counts[] = {1, 1000, 3000000};
  for (size_t c = 0; c < COUNT_OF(counts); ++c) {
    const size_t count = counts[c];
    float *items = malloc(count * 4), *results = malloc(count * 4);
    int32_t *keys = malloc(count * 4);
    for (size_t i = 0; i < count; ++i) {
      items[i] = item;
      results[i] = wanted;
      keys[i] = (int32_t)(i / 7);
    }
    void *in = gpu_copy(items, count * 4, 0), *keys_in = gpu_copy(keys, count * 4, 0);
    check_scan_by_key((jig_scan_by_key_args){.keys_in = jig_pointer(keys_in, JIG_I32),
                                             .values_in = jig_pointer(in, JIG_F32),
                                             .num_items = count,
                                             .op = op,
                                             .nan = JIG_NAN_IGNORE,
                                             .mode = JIG_SCAN_EXCLUSIVE},
                      JIG_F32, 0, results, what);
    gpu_free(in);
    gpu_free(keys_in);
    free(items);
    free(results);
    free(keys);
  }
}

/* An exclusive sum of floating-point items begins with +0 in every run, so that of -0 is nowhere left. */
START_TEST(sums_of_negative_zeros) {
  check_starts(JIG_PLUS, -0.0F, 0, "sums of -0");
}
END_TEST

/* As in jig_scan(), whose exclusive minimum begins with the identity, which NaNs leave as it is. */
START_TEST(minima_of_ignored_nans) {
  check_starts(JIG_MIN, NAN, INFINITY, "minima of NaNs");
  check_starts(JIG_MAX, NAN, -INFINITY, "maxima of NaNs");
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(sums_of_words_by_words),
      SUITE_TEST(sums_of_other_types),
      SUITE_TEST(sums_of_negative_zeros),
      SUITE_TEST(minima_of_ignored_nans),
  };
  return SUITE_RUN("device/scan_by_key", tests, true);
}
