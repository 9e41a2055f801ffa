/* That whatever wisdom may say compiles: values at random from the search spaces of some specs of every
 * algorithm, for an architecture at random. $JIG_TEST_SEED says which; in the quick matrix each spec has
 * its turn every other time. */
#include <jig/jig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "engine_support.h"
#include "jit/compiler.h"
#include "jit/tuned.h"
#include "numbers.h"
#include "reduce_support.h"
#include "seed.h"
#include "spec/canonical.h"
#include "suite.h"

static uint64_t state;
static unsigned random_below(unsigned n) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (unsigned)(state >> 33) % n;
}

/* Each third knob has another value. False: these do not go together. */
static bool draw(const spec *s, int sm, tuning_told *told) {
  char room[TUNED_WHY_SIZE];
  *told = tuned_defaults(s, sm);
  for (int k = 0; k < told->count; ++k) {
    const policy_knob *knobs = told->of[k].space->knobs;
    for (int v = 0; knobs[v].name != NULL; ++v)
      if (random_below(3) == 0)
        told->of[k].values[v] = knobs[v].values[random_below((unsigned)knobs[v].count)];
  }
  return tuned_fault(s, sm, told, room) == NULL;
}

static void compile_one(jig_engine *engine, const spec *s, const arch *target) {
  const int i = (int)random_below((unsigned)algorithm_kernel_count(s));
  const kernel_row *kernel = algorithm_kernel(s, i, target->sm);
  artifact a;
  if (kernel->space == NULL) return;
  const jig_status status = build_kernel(&engine->build, s, kernel, target, &a);
  char *tuning = canonical_text(json_object_get(engine->known.entries[0].line, "tuning"));
  ck_assert_msg(status == JIG_SUCCESS, "%s for %s by %s: %s", kernel->name, target->name, tuning,
                jig_last_error());
  jig_free(tuning);
  artifact_free(&a);
}

static void check_spec(char *text) {
  static const int sms[] = {75, 80, 86, 89, 90, 100, 120};
  enum { DRAWS = 2, MOST_TRIES = 200 };
  const char *matrix = getenv("JIG_TEST_MATRIX");
  const int wanted = matrix != NULL && strcmp(matrix, "quick") == 0 ? (int)random_below(2) : DRAWS;
  jig_engine *engine = engine_with((jig_engine_config){.cache_dir = "", .wisdom = ""});
  parsed_spec parsed;
  OK(spec_parse(text, algorithm_schema, &parsed));
  for (int drawn = 0, tries = 0; drawn < wanted && tries < MOST_TRIES; ++tries) {
    const arch target = arch_of_sm(sms[random_below(COUNT_OF(sms))], false);
    wisdom told_as = {.count = 0};
    tuning_told told;
    if (!draw(&parsed.s, target.sm, &told)) continue;
    ck_assert(wisdom_add_line(&told_as, tuned_line(&parsed.s, target.sm, &told), "test"));
    engine_take_wisdom(engine, &told_as);
    compile_one(engine, &parsed.s, &target);
    ++drawn;
  }
  parsed_spec_free(&parsed);
  jig_engine_destroy(engine);
  jig_free(text);
}

#define CHECK(name, ...)                                              \
  do {                                                                \
    char *text_ = NULL;                                               \
    OK(jig_##name##_spec(&(jig_##name##_args){__VA_ARGS__}, &text_)); \
    check_spec(text_);                                                \
  } while (0)

START_TEST(whatever_may_be_chosen_compiles) {
  const jig_iter f32 = jig_pointer(NULL, JIG_F32), u64 = jig_pointer(NULL, JIG_U64),
                 u8 = jig_pointer(NULL, JIG_U8), i64 = jig_pointer(NULL, JIG_I64),
                 u32 = jig_pointer(NULL, JIG_U32), f64 = jig_pointer(NULL, JIG_F64),
                 u128 = jig_pointer(NULL, JIG_U128);
  const jig_type row = jig_struct("row", "struct row { int words[100]; };", 400, 4);
  const jig_type eight = jig_struct("eight", "struct eight { int words[8]; };", 32, 4),
                 three = jig_struct("three", "struct three { int words[3]; };", 12, 4);
  const jig_iter wide = jig_pointer(NULL, row), words8 = jig_pointer(NULL, eight),
                 words3 = jig_pointer(NULL, three);
  const jig_op test = jig_op_source("return x < 9;"), test_wide = jig_op_source("return x.words[0] < 9;"),
               minus3 = jig_op_source("a.words[0] -= b.words[0]; return a;"),
               less_wide = jig_op_source("return a.words[0] < b.words[0];");
  if (compiler_get() == NULL) {
    printf("skipped: compile/spaces: all (no NVRTC)\n");
    return;
  }
  engine_setup();
  state = test_seed();
  CHECK(reduce, .in = u8, .out = i64);
  CHECK(scan, .in = f32, .out = f64);
  CHECK(scan, .in = u8, .out = u8);
  CHECK(scan_by_key, .keys_in = u64, .values_in = f32, .values_out = f32);
  CHECK(reduce_by_key, .keys_in = u8, .values_in = u8, .unique_out = u8, .aggregates_out = u8,
        .num_runs_out = i64);
  CHECK(reduce_by_key, .keys_in = u32, .values_in = f64, .unique_out = u32, .aggregates_out = f64,
        .num_runs_out = i64);
  CHECK(run_length_encode, .in = u64, .unique_out = u64, .lengths_out = i64, .num_runs_out = i64);
  CHECK(select, .in = u8, .out = u8, .num_selected_out = i64, .op = test);
  CHECK(unique, .in = u32, .values_in = u64, .out = u32, .values_out = u64, .num_selected_out = i64);
  CHECK(unique, .in = u32, .values_in = words8, .out = u32, .values_out = words8,
        .num_selected_out = i64);
  CHECK(radix_sort, .keys_in = u64, .keys_out = u64, .values_in = u32, .values_out = u32);
  CHECK(merge_sort, .keys_in = f64, .keys_out = f64);
  CHECK(merge, .first_keys_in = f32, .second_keys_in = f32, .keys_out = f32);
  CHECK(set_operation, .first_keys_in = u64, .second_keys_in = u64, .keys_out = u64,
        .num_items_out = i64);
  CHECK(binary_search, .in = f32, .needles_in = f32, .out = i64);
  CHECK(arg_reduce, .in = u8, .index_out = i64);
  CHECK(is_sorted, .in = f32, .out = i64);
  CHECK(copy, .in = f32, .out = f64);
  CHECK(copy, .in = f32, .out = f32);
  CHECK(adjacent_difference, .in = u8, .out = u8);
  CHECK(adjacent_difference, .in = words3, .out = words3, .op = minus3);
  CHECK(reverse, .in = f32, .out = f64);
  CHECK(reverse, .in = u8, .out = u8);
  CHECK(segmented_reduce, .in = u8, .out = i64, .begin_offsets = i64, .end_offsets = i64);
  CHECK(segmented_reduce, .in = f64, .out = f64, .segment_size = 16);
  CHECK(segmented_arg_reduce, .in = f32, .index_out = i64, .begin_offsets = i64, .end_offsets = i64);
  CHECK(segmented_scan, .in = f32, .out = f32, .begin_offsets = i64, .end_offsets = i64);
  CHECK(segmented_scan, .in = u8, .out = u64, .begin_offsets = i64, .end_offsets = i64);
  CHECK(segmented_sort, .keys_in = u32, .keys_out = u32, .begin_offsets = i64, .end_offsets = i64);
  CHECK(segmented_sort, .keys_in = f64, .keys_out = f64, .values_in = u32, .values_out = u32,
        .begin_offsets = i64, .end_offsets = i64);
  CHECK(segmented_top_k, .keys_in = f32, .keys_out = f32, .values_in = u32, .values_out = u32,
        .begin_offsets = i64, .end_offsets = i64);
  CHECK(segmented_top_k, .keys_in = u128, .keys_out = u128, .segment_size = 16);
  CHECK(top_k, .keys_in = f32, .keys_out = f32, .values_in = u32, .values_out = u32);
  CHECK(top_k, .keys_in = u64, .keys_out = u64);
  CHECK(nth_element, .in = u8, .nth_out = u8);
  CHECK(histogram, .samples = u8, .counter_type = JIG_U64);
  CHECK(histogram, .samples = f32, .counter_type = JIG_U16, .level_type = JIG_F64);
  CHECK(copy_batched, .in = f32, .out = f32, .in_offsets = i64, .out_offsets = i64, .sizes = i64);
  CHECK(copy_batched, .in = f32, .out = f64, .in_offsets = i64, .out_offsets = i64, .sizes = i64);
  CHECK(memcpy_batched, .sources = u64, .destinations = u64, .sizes = i64);
  CHECK(select, .in = wide, .out = wide, .num_selected_out = i64, .op = test_wide);
  CHECK(merge_sort, .keys_in = wide, .keys_out = wide, .compare = less_wide);
  engine_teardown();
}
END_TEST

int main(void) {
  static const suite_test tests[] = {SUITE_TEST(whatever_may_be_chosen_compiles)};
  return SUITE_RUN("compile/spaces", tests, false);
}
