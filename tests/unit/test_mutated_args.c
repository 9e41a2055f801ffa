/* Args with a word of anything in them: whoever makes a spec of them refuses it by the call's name, or
 * takes it; nobody goes where it leads. */
#include <jig/jig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithm/call.h"
#include "device_count_cases.h"
#include "numbers.h"
#include "reduce_support.h"
#include "suite.h"

enum { MOST_WORDS = 512, BOUND_SIZE = 1 << 15 };

static const call_steps *steps_of(const char *name) {
  const call_steps *const *steps = call_table;
  while (*steps != NULL && strcmp((*steps)->name, name) != 0) ++steps;
  ck_assert_msg(*steps != NULL, "%s", name);
  return *steps;
}

static void try_args(const call_steps *steps, const void *args, size_t word, uint64_t value) {
  static uint64_t bound[BOUND_SIZE / sizeof(uint64_t)];
  char *text = NULL;
  ck_assert_uint_le(steps->bound_size, sizeof bound);
  const jig_status status = call_spec(steps, args, &text, bound);
  const bool is_told = strncmp(jig_last_error(), steps->name, strlen(steps->name)) == 0;
  const bool is_fine = status == JIG_SUCCESS ? text != NULL
                                             : text == NULL && is_told &&
                                                   (status == JIG_ERROR_INVALID_ARGUMENT ||
                                                    status == JIG_ERROR_UNSUPPORTED);
  ck_assert_msg(is_fine, "%s: word %zu is %llx: %s, '%s'", steps->name, word, (unsigned long long)value,
                jig_status_name(status), jig_last_error());
  jig_free(text);
}

/* What is a pointer to host memory is NULL, or stays what it is. */
static bool is_address(uint64_t word) {
  return word >> 32 != 0 && word >> 48 == 0;
}

static jig_status mutate(void *unused, const char *function, const void *args, size_t size) {
  const call_steps *steps = steps_of(function);
  uint64_t words[MOST_WORDS];
  (void)unused;
  ck_assert_uint_le(size, sizeof words);
  for (size_t w = 0; w < size / sizeof words[0]; ++w) {
    memcpy(words, args, size);
    const uint64_t old = words[w];
    const uint64_t values[] = {0, UINT64_MAX, (uint64_t)1 << 63, 0x7fffffff, (uint64_t)0x55 << 32 | old};
    for (size_t v = 0; v < (is_address(old) ? 1 : old != 0 ? COUNT_OF(values) : 0); ++v) {
      words[w] = values[v];
      try_args(steps, words, w, values[v]);
    }
  }
  return JIG_SUCCESS;
}

START_TEST(words_of_anything) {
  static const device_count_case *const tables[] = {device_count_folds, device_count_selections,
                                                    device_count_items, device_count_sorts,
                                                    device_count_segments};
  uint32_t *const place = (uint32_t *)(uintptr_t)4096; /* which nobody looks into */
  device_count_call c = {.words = place,
                         .keys = place,
                         .sorted = place,
                         .other_sorted = place,
                         .offsets = place,
                         .flags = (uint8_t *)place,
                         .limit = 1000,
                         .count = 1000,
                         .second_count = 1000,
                         .take = mutate};
  for (int k = 0; k < DEVICE_COUNT_OUTPUTS; ++k) c.outputs[k] = place;
  for (size_t t = 0; t < COUNT_OF(tables); ++t)
    for (const device_count_case *test = tables[t]; test->name != NULL; ++test)
      OK(test->call(NULL, NULL, NULL, &c, NULL));
}
END_TEST

/* ---- types that somebody has put together, of a kind and nothing else, where others take their place */

static void is_refused(jig_status status, const char *message) {
  ck_assert_int_eq(status, JIG_ERROR_INVALID_ARGUMENT);
  ck_assert_msg(strstr(jig_last_error(), message) != NULL, "%s", jig_last_error());
}

START_TEST(numbers_without_a_size) {
  const jig_type bare = {.kind = JIG_KIND_U32};
  const jig_iter fine = jig_pointer(NULL, JIG_U32), wrong = jig_pointer(NULL, bare);
  char *text = NULL;
  is_refused(jig_copy_spec(&(jig_copy_args){.in = fine, .out = wrong}, &text), "out: u32 has size");
  is_refused(jig_copy_spec(&(jig_copy_args){.in = wrong, .out = wrong}, &text), "in: u32 has size");
  is_refused(jig_top_k_spec(&(jig_top_k_args){.keys_in = fine, .keys_out = wrong}, &text),
             "keys_out: u32 has size");
  is_refused(jig_top_k_spec(&(jig_top_k_args){.keys_in = wrong, .keys_out = wrong}, &text),
             "keys_in: u32 has size");
  is_refused(
      jig_top_k_spec(
          &(jig_top_k_args){.keys_in = fine, .keys_out = fine, .values_in = fine, .values_out = wrong},
          &text),
      "values_out: u32 has size");
  is_refused(
      jig_nth_element_spec(&(jig_nth_element_args){.in = fine, .out = fine, .nth_out = wrong}, &text),
      "nth_out: u32 has size");
  is_refused(jig_nth_element_spec(&(jig_nth_element_args){.in = fine, .nth_out = wrong}, &text),
             "nth_out: u32 has size");
}
END_TEST

/* ---- iterators that lead nowhere */

START_TEST(iterators_of_batched_copies) {
  const jig_iter at = jig_pointer(NULL, JIG_U32);
  jig_iter circle = jig_iter_reverse(NULL, 5);
  circle.base = &circle;
  const jig_iter lost[] = {{.kind = (jig_iter_kind)1000, .type = JIG_U32},
                           {.kind = (jig_iter_kind)-5, .type = JIG_U32},
                           jig_iter_transform(NULL, jig_op_source("return x;"), JIG_U32),
                           jig_zip_transform(NULL, 3, jig_op_source("return a;"), JIG_U32),
                           circle};
  for (size_t i = 0; i < COUNT_OF(lost); ++i) {
    char *text = NULL;
    const jig_copy_batched_args args = {
        .in = lost[i], .out = at, .in_offsets = at, .out_offsets = at, .sizes = at};
    is_refused(jig_copy_batched_spec(&args, &text), "jig_copy_batched_spec: in: ");
  }
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(words_of_anything),
      SUITE_TEST(numbers_without_a_size),
      SUITE_TEST(iterators_of_batched_copies),
  };
  return SUITE_RUN("unit/mutated_args", tests, false);
}
