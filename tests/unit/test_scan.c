/* Scan as far as it needs neither compiler nor GPU: its mode in specs, how it is planned, and that temp
 * storage has room for every plan. */
#include <jig/jig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "numbers.h"
#include "reduce_support.h"
#include "scan_support.h"
#include "spec/canonical.h"
#include "suite.h"

/* ---- a slot that is a choice */

static char *text_of(jig_scan_args args) {
  char *text = NULL;
  OK(jig_scan_spec(&args, &text));
  return text;
}

static jig_scan_args floats(jig_scan_mode mode) {
  return (jig_scan_args){
      .in = jig_pointer(NULL, JIG_F32), .out = jig_pointer(NULL, JIG_F32), .mode = mode};
}

START_TEST(modes_have_names_in_specs) {
  static const char *const names[] = {"\"mode\":\"inclusive\"", "\"mode\":\"exclusive\""};
  uint64_t hashes[2];
  for (int mode = 0; mode < 2; ++mode) {
    char *text = text_of(floats((jig_scan_mode)mode)), *again = NULL;
    ck_assert_msg(strstr(text, names[mode]) != NULL, "%s", text);
    parsed_spec parsed;
    OK(spec_parse(text, algorithm_schema, &parsed));
    ck_assert_int_eq(spec_find(&parsed.s, "mode")->choice, mode);
    hashes[mode] = spec_hash(&parsed.s);
    OK(spec_write(&parsed.s, "x", &again));
    ck_assert_str_eq(text, again);
    parsed_spec_free(&parsed);
    jig_free(text);
    jig_free(again);
  }
  ck_assert(hashes[0] != hashes[1]);
}
END_TEST

/* The text of the same spec with something else in the place of the mode; the next call overwrites it. */
static const char *with_mode(const char *mode) {
  static char text[512];
  (void)snprintf(
      text, sizeof text,
      "{\"accum\":\"f32\",\"algorithm\":\"scan\",\"in\":{\"kind\":\"pointer\",\"type\":\"f32\"},"
      "%s\"op\":\"plus\",\"out\":{\"kind\":\"pointer\",\"type\":\"f32\"}}",
      mode);
  return text;
}

START_TEST(modes_that_are_none_are_refused) {
  static const char *const wrong[] = {"\"mode\":\"inclusiv\",", "\"mode\":\"\",", "\"mode\":0,",
                                      "\"mode\":null,", "\"mode\":[\"exclusive\"],"};
  parsed_spec parsed;
  for (size_t i = 0; i < COUNT_OF(wrong); ++i) {
    FAILS(spec_parse(with_mode(wrong[i]), algorithm_schema, &parsed), JIG_ERROR_INVALID_ARGUMENT,
          "mode: no such choice");
  }
  char *text = text_of(floats(JIG_SCAN_INCLUSIVE));
  ck_assert_str_eq(with_mode("\"mode\":\"inclusive\","), text);
  jig_free(text);
  OK(spec_parse(with_mode(""), algorithm_schema, &parsed)); /* left out: the first one */
  ck_assert_int_eq(spec_find(&parsed.s, "mode")->choice, JIG_SCAN_INCLUSIVE);
  parsed_spec_free(&parsed);
  static const int numbers[] = {2, 3, 1000, -1, -1000};
  for (size_t i = 0; i < COUNT_OF(numbers); ++i) {
    const jig_scan_args args = floats((jig_scan_mode)numbers[i]);
    char *none = NULL;
    FAILS(jig_scan_spec(&args, &none), JIG_ERROR_INVALID_ARGUMENT,
          "jig_scan_spec: mode: no such choice (");
    ck_assert_ptr_null(none);
  }
}
END_TEST

START_TEST(every_difference_shows_in_text_and_hash) {
  jig_scan_args variants[8];
  char *texts[COUNT_OF(variants)];
  uint64_t hashes[COUNT_OF(variants)];
  for (size_t i = 0; i < COUNT_OF(variants); ++i) variants[i] = floats(JIG_SCAN_INCLUSIVE);
  variants[1].mode = JIG_SCAN_EXCLUSIVE;
  variants[2].init = "";
  variants[3].init = "";
  variants[3].mode = JIG_SCAN_EXCLUSIVE;
  variants[4].init_in = jig_pointer(NULL, JIG_F32);
  variants[5].accum_type = JIG_F64;
  variants[6].op = JIG_MIN;
  variants[7].op = JIG_MIN;
  variants[7].nan = JIG_NAN_IGNORE;
  for (size_t i = 0; i < COUNT_OF(variants); ++i) {
    parsed_spec parsed;
    texts[i] = text_of(variants[i]);
    OK(spec_parse(texts[i], algorithm_schema, &parsed));
    hashes[i] = spec_hash(&parsed.s);
    parsed_spec_free(&parsed);
    for (size_t j = 0; j < i; ++j) {
      ck_assert_str_ne(texts[i], texts[j]);
      ck_assert(hashes[i] != hashes[j]);
    }
  }
  for (size_t i = 0; i < COUNT_OF(variants); ++i) jig_free(texts[i]);
}
END_TEST

/* ---- plans */

/* Items of many sizes are made of bytes or words, in vectors of any length there is. */
static const uint32_t item_sizes[] = {1,  2,  3,  4,  6,  8,  12,  16,  20,
                                      24, 32, 33, 48, 64, 65, 100, 128, 256};
static const jig_type_kind sources[] = {JIG_KIND_U8, JIG_KIND_U16, JIG_KIND_U32, JIG_KIND_U64,
                                        JIG_KIND_U128};
static const int processor_counts[] = {1, 2, 4, 30, 132, 148, 1000};

/* What the plan of a spec is made from, and what is right of any plan. */
typedef struct planned {
  program p;
  chain_size size;
} planned;

static planned plan_for(const jig_scan_args *args, int processors, int sm) {
  planned made;
  made.p = scan_program(args, sm, processors, &made.size);
  return made;
}

/* How large jig::TileState<T> is. */
static size_t tile_state_size(size_t bytes) {
  const size_t words = (bytes + 3) / 4;
  return words <= 2 ? 16 : (words + 1) / 2 * 16;
}

static unsigned vector_items_of(const planned *m) {
  return chain_vector_items(&m->p, CHAIN_SINGLE_WAVE);
}

/* Check notes each assertion that holds, too; here are millions. */
#define HOLDS(condition, m)                                                                     \
  do {                                                                                          \
    if (!(condition))                                                                           \
      ck_abort_msg("%s: %llu items in vectors of %u, accumulators of %zu bytes, %d processors", \
                   #condition, (unsigned long long)(m)->size.num_items, vector_items_of(m),     \
                   (m)->size.state_bytes, (m)->p.multiprocessors);                              \
  } while (0)

static void check_single_wave(const planned *m, const chain_plan *plan, const temp_layout *temp,
                              uint64_t vectors) {
  const policy *p = &m->p.kernels[CHAIN_SINGLE_WAVE].tuning;
  const size_t state = (tile_state_size(m->size.state_bytes) + 63) / 64 * 64;
  const uint64_t grid = plan->shape.grid, tile = (uint64_t)plan->rows * policy_threads(p);
  HOLDS(plan->rows >= 1 && plan->rows <= chain_tuning_of(p).rows, m);
  HOLDS(grid * tile >= vectors && (grid - 1) * tile < vectors, m);
  if (grid == 1) return;
  HOLDS((int)grid <= m->p.multiprocessors * chain_tuning_of(p).min_blocks, m);
  HOLDS(temp->sizes[0] >= 64 + (grid - 1) * state, m);
}

static void check_cluster(const planned *m, const chain_plan *plan) {
  const loaded_kernel *k = &m->p.kernels[CHAIN_CLUSTER];
  const uint64_t grid = plan->shape.grid, tile = (uint64_t)plan->rows * policy_threads(&k->tuning);
  const uint64_t vector = chain_vector_items(&m->p, CHAIN_CLUSTER);
  const uint64_t vectors = (m->size.num_items + vector - 1) / vector;
  HOLDS(plan->rows >= 1 && plan->rows <= chain_tuning_of(&k->tuning).rows, m);
  HOLDS(plan->shape.cluster == grid && grid <= k->max_cluster, m);
  HOLDS(grid * tile >= vectors && (grid - 1) * tile < vectors, m);
}

static void check_lookback(const planned *m, const chain_plan *plan, const temp_layout *temp,
                           uint64_t vectors) {
  const policy *p = &m->p.kernels[CHAIN_LARGE].tuning;
  const uint64_t tile = (uint64_t)policy_threads(p) * (unsigned)chain_tuning_of(p).rows;
  const uint64_t tiles = (vectors + tile - 1) / tile;
  const size_t state = tile_state_size(m->size.state_bytes);
  HOLDS(plan->tiles == tiles && chain_tiles(&m->p, &m->size) == tiles, m);
  HOLDS(tiles > INT32_MAX || plan->shape.grid == tiles, m);
  HOLDS(plan->tile_bytes >= tiles * state, m);
  HOLDS(plan->group_bytes >= (tiles + 31) / 32 * ((2 * state + 127) / 128 * 128), m);
  HOLDS(temp->sizes[0] >= plan->group_bytes && temp->sizes[1] >= plan->tile_bytes, m);
}

static void check_pipeline(const planned *m, const chain_plan *plan, const temp_layout *temp) {
  const policy *p = &m->p.kernels[CHAIN_LARGE].tuning;
  const uint64_t warp_tiles = policy_threads(p) / 32 - 3 - (unsigned)policy_value(p, "reducers", 0);
  const uint64_t tile =
      warp_tiles * 32 * (unsigned)chain_tuning_of(p).rows * (unsigned)pipeline_tuning_of(p).vector_items;
  const uint64_t tiles = (m->size.num_items + tile - 1) / tile;
  HOLDS(warp_tiles <= 32, m); /* a warp folds them */
  HOLDS(plan->tiles == tiles && chain_tiles(&m->p, &m->size) == tiles, m);
  HOLDS(plan->shape.grid >= 1 && plan->shape.grid <= (unsigned)m->p.multiprocessors, m);
  HOLDS(temp->sizes[0] >= 64 + tiles * tile_state_size(m->size.state_bytes), m);
}

/* Small sizes, all of them, and some larger ones. How many were not for a single wave. */
static int check_plans(planned m) {
  size_t previous = 0;
  int larges = 0;
  for (uint64_t n = 1; n < (uint64_t)1 << 42; n += n < 3000 ? 1 : n / 5 + (n & 1)) {
    m.size.num_items = n;
    const uint64_t vectors = (n + vector_items_of(&m) - 1) / vector_items_of(&m);
    const chain_plan plan = chain_plan_of(&m.p, &m.size);
    const temp_layout temp = chain_temp(&m.p, &m.size);
    if (plan.form == CHAIN_IS_SINGLE_WAVE)
      check_single_wave(&m, &plan, &temp, vectors);
    else if (plan.form == CHAIN_IS_CLUSTER)
      check_cluster(&m, &plan);
    else if (plan.form == CHAIN_IS_LOOKBACK)
      check_lookback(&m, &plan, &temp, vectors);
    else
      check_pipeline(&m, &plan, &temp);
    larges += plan.tiles > 0;
    HOLDS(temp_size(&temp) >= previous, &m);
    previous = temp_size(&temp);
  }
  return larges;
}

START_TEST(temp_storage_has_room_for_every_plan) {
  for (size_t i = 0; i < COUNT_OF(item_sizes); ++i) {
    const jig_type item = jig_struct("s", "struct s {};", item_sizes[i], 1);
    for (size_t s = 0; s < COUNT_OF(sources); ++s) {
      const jig_iter base = jig_pointer(NULL, type_of(sources[s]));
      const jig_scan_args args = {.in = jig_iter_transform(&base, jig_op_source("return {};"), item),
                                  .out = jig_pointer(NULL, item),
                                  .op = jig_op_source("return a;")};
      for (size_t p = 0; p < COUNT_OF(processor_counts); ++p)
        ck_assert_int_gt(check_plans(plan_for(&args, processor_counts[p], 90)), 10);
    }
  }
}
END_TEST

START_TEST(items_and_accumulators_of_other_sizes) {
  for (size_t i = 0; i < COUNT_OF(sources); ++i) {
    for (size_t a = 0; a < COUNT_OF(sources); ++a) {
      const jig_scan_args args = {.in = jig_pointer(NULL, type_of(sources[i])),
                                  .out = jig_pointer(NULL, JIG_U8),
                                  .accum_type = type_of(sources[a])};
      ck_assert_int_gt(check_plans(plan_for(&args, 132, 80)), 10);
      ck_assert_int_gt(check_plans(plan_for(&args, 132, 90)), 10);
    }
  }
}
END_TEST

START_TEST(policies_are_sound) {
  for (size_t i = 0; i < COUNT_OF(item_sizes); ++i) {
    const jig_type item = jig_struct("s", "struct s {};", item_sizes[i], 1);
    for (size_t s = 0; s < COUNT_OF(sources); ++s) {
      const jig_iter base = jig_pointer(NULL, type_of(sources[s]));
      const jig_scan_args args = {.in = jig_iter_transform(&base, jig_op_source("return {};"), item),
                                  .out = jig_pointer(NULL, item),
                                  .op = jig_op_source("return a;")};
      const planned m = plan_for(&args, 132, 80);
      for (int k = 0; k < 2; ++k) {
        const policy *p = &m.p.kernels[k].tuning;
        ck_assert_str_eq(p->names[0], "threads");
        ck_assert_uint_eq(policy_threads(p) % 32, 0);
        ck_assert_uint_ge(policy_threads(p), 128); /* what temp storage is laid out for */
        ck_assert_uint_le(policy_threads(p) * (unsigned)chain_tuning_of(p).min_blocks, 1024);
        ck_assert_int_ge(chain_tuning_of(p).rows, 1);
        /* A warp's worth of totals is folded by one warp. */
        ck_assert_uint_le(policy_threads(p), 1024);
      }
    }
  }
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(modes_have_names_in_specs),
      SUITE_TEST(modes_that_are_none_are_refused),
      SUITE_TEST(every_difference_shows_in_text_and_hash),
      SUITE_TEST(temp_storage_has_room_for_every_plan),
      SUITE_TEST(items_and_accumulators_of_other_sizes),
      SUITE_TEST(policies_are_sound),
  };
  return SUITE_RUN("unit/scan", tests, false);
}
