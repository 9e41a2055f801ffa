/* Segmented sort as far as it needs neither compiler nor GPU: its specs, what is refused in them, and
 * that its plans fit the temp storage and every GPU. */
#include <jig/jig.h>
#include <string.h>

#include "algorithm/segmented_sort_plan.h"
#include "count_cases.h"
#include "numbers.h"
#include "program_support.h"
#include "reduce_support.h"
#include "suite.h"
#include "util/integer.h"

static const int sms[] = {75, 80, 86, 87, 89, 90, 100, 110, 120};

static char *spec_text(jig_type key, jig_type value) {
  char *text = NULL;
  const jig_iter keys = jig_pointer(NULL, key), values = jig_pointer(NULL, value);
  jig_segmented_sort_args args = {.keys_in = keys,
                                  .keys_out = keys,
                                  .begin_offsets = jig_pointer(NULL, JIG_I32),
                                  .end_offsets = jig_pointer(NULL, JIG_U64)};
  if (value.kind != JIG_KIND_NONE) args.values_in = args.values_out = values;
  OK(jig_segmented_sort_spec(&args, &text));
  return text;
}

/* ---- specs */

START_TEST(spec_texts) {
  check_spec_text(spec_text(JIG_BF16, JIG_F32),
                  "{\"algorithm\":\"segmented_sort\",\"begin_offsets\":{\"kind\":\"pointer\",\"type\":"
                  "\"i32\"},\"end_offsets\":{\"kind\":\"pointer\",\"type\":\"u64\"},\"key\":\"u16\","
                  "\"order\":\"float\",\"value\":{\"align\":4,\"kind\":\"opaque\",\"size\":4}}");
}
END_TEST

/* Specs that no call makes. */
START_TEST(refused_specs) {
#define OFFSETS(type)                                                                                \
  "\"begin_offsets\":{\"kind\":\"pointer\",\"type\":\"i32\"},\"end_offsets\":{\"kind\":\"pointer\"," \
  "\"type\":\"" type "\"}"
  static const refused_spec specs[] = {
      {"{\"algorithm\":\"segmented_sort\"," OFFSETS("i32") ",\"key\":\"i32\",\"order\":\"integer\"}",
       "must be an unsigned"},
      {"{\"algorithm\":\"segmented_sort\"," OFFSETS("f32") ",\"key\":\"u32\",\"order\":\"integer\"}",
       "end_offsets"},
      {"{\"algorithm\":\"segmented_sort\",\"key\":\"u32\",\"order\":\"integer\"}", "begin_offsets"},
  };
  check_refused_specs(specs, COUNT_OF(specs));
}
END_TEST

/* ---- plans */

typedef struct made {
  program p;
  size_t key_bytes, value_bytes;
} made;

static made make(jig_type key, jig_type value, int sm, int multiprocessors) {
  return (made){.p = program_of_spec(spec_text(key, value), sm, multiprocessors),
                .key_bytes = key.size,
                .value_bytes = value.size};
}

/* Every list has room for as many segments of its kind as there may be, and tiles do. */
static void check_plan(const made *m, uint64_t num_items, uint64_t num_segments, size_t *last) {
  const policy *large = &m->p.kernels[SEGMENTED_SORT_LARGE].tuning;
  const segmented_sort_size size = {num_items,      num_segments,      m->key_bytes,
                                    m->value_bytes, (int)m->key_bytes, false};
  const segmented_sort_plan plan = segmented_sort_plan_of(&m->p, &plan_limits_default, &size);
  const uint64_t small =
      (uint64_t)policy_value(&m->p.kernels[SEGMENTED_SORT_SMALL].tuning, "small_items", 0);
  const uint64_t block = (uint64_t)plan.class_items << (plan.classes > 0 ? plan.classes - 1 : 0);
  ck_assert_uint_ge(temp_size(&plan.temp), *last);
  *last = temp_size(&plan.temp);
  ck_assert(plan.each <= 32 || (plan.each <= 128 && plan.each % 32 == 0));
  ck_assert(plan.each >= 1 || num_segments == 0);
  const bool has_few = plan.first != SEGMENTED_SORT_SMALL;
  const policy *few = &m->p.kernels[has_few ? plan.first : SEGMENTED_SORT_FEW].tuning;
  const uint64_t blocks = (unsigned)(m->p.multiprocessors * policy_value(few, "min_blocks", 0));
  ck_assert(!has_few || num_segments <= blocks);
  if (!plan.lists) {
    const uint64_t fits = policy_threads(few) * (unsigned)policy_value(few, "indexed_rows", 0);
    ck_assert_uint_le(num_items, has_few ? max_of(small, fits) : small);
    return;
  }
  ck_assert_uint_eq(block, (uint64_t)plan.class_items * policy_threads(large) / 32);
  ck_assert_uint_lt(block, 65536);
  uint64_t below = small;
  for (int c = 0; c < plan.classes; ++c) {
    const uint64_t most = num_items / (below + 1);
    ck_assert_uint_eq(plan.capacities[c], most < plan.segments ? most : plan.segments);
    const uint64_t here = (uint64_t)plan.class_items << c;
    if (here > below) below = here;
  }
  ck_assert_uint_ge(plan.blocks, 1);
  if (num_items <= block) return;
  ck_assert_uint_le(plan.tile_items, block);
  ck_assert_uint_ge(plan.tile_items, 1);
  ck_assert(plan.has_many_tiles || plan.max_tiles >= num_items / plan.tile_items + plan.max_large);
  ck_assert_uint_ge(temp_size(&plan.temp), (size_t)plan.max_tiles * 1024);
  /* What is neither of a class nor large is long. */
  const uint64_t most_large = num_items / ((uint64_t)plan.long_items + 1),
                 most_long = num_items / (block + 1);
  ck_assert_uint_ge(plan.long_items, block);
  ck_assert_uint_le(plan.long_items, INT32_MAX);
  ck_assert_uint_ge(plan.max_large, most_large < plan.segments ? most_large : plan.segments);
  if (plan.long_items > block)
    ck_assert_uint_ge(plan.max_long, most_long < plan.segments ? most_long : plan.segments);
  ck_assert(plan.has_wide_words || num_items < (uint64_t)1 << 30);
  ck_assert_uint_eq(temp_size(&plan.temp) > num_items * m->key_bytes,
                    m->key_bytes > 1 && num_segments > 0);
}

START_TEST(plans) {
  const jig_type keys[] = {JIG_F32, JIG_U64, JIG_U128};
  const jig_type values[] = {{.kind = JIG_KIND_NONE}, JIG_U32, jig_opaque(40, 8)};
  static const uint64_t segments[] = {1, 20, 1000, 100000000, (uint64_t)1 << 40};
  uint64_t powers[COUNTS_NEAR_POWERS];
  counts_near_powers(powers);
  for (size_t i = 0; i < COUNT_OF(keys) * COUNT_OF(values); ++i) {
    for (int multiprocessors = 1; multiprocessors < 200; multiprocessors += 43) {
      const int sm = multiprocessors % 2 ? 75 : 90;
      const made m = make(keys[i % COUNT_OF(keys)], values[i / COUNT_OF(keys)], sm, multiprocessors);
      for (size_t s = 0; s < COUNT_OF(segments); ++s) {
        size_t last = 0;
        for (uint64_t n = 1; n < (uint64_t)1 << 36; n += n / 30 + 1)
          check_plan(&m, n, segments[s], &last);
        last = 0;
        for (size_t k = 0; k < COUNTS_NEAR_POWERS; ++k) check_plan(&m, powers[k], segments[s], &last);
      }
    }
  }
}
END_TEST

/* A block's shared memory, threads and digits. */
START_TEST(policies) {
  static const int kibibytes[] = {64, 163, 99, 163, 99, 227, 227, 227, 99};
  const jig_type keys[] = {JIG_U8, JIG_F16, JIG_F32, JIG_U64, JIG_U128};
  const jig_type values[] = {{.kind = JIG_KIND_NONE}, JIG_U8, JIG_U64, jig_opaque(256, 16)};
  for (size_t i = 0; i < COUNT_OF(sms) * COUNT_OF(keys) * COUNT_OF(values); ++i) {
    const size_t g = i % COUNT_OF(sms), k = i / COUNT_OF(sms) % COUNT_OF(keys);
    const made m = make(keys[k], values[i / COUNT_OF(sms) / COUNT_OF(keys)], sms[g], 1);
    const policy *large = &m.p.kernels[SEGMENTED_SORT_LARGE].tuning;
    const int blocks = policy_value(large, "min_blocks", 0);
    ck_assert_int_le(blocks * (policy_value(large, "shared_bytes", 0) + 1024), (kibibytes[g] + 1) * 1024);
    ck_assert_uint_ge(policy_threads(large), 256);
    ck_assert_uint_le(policy_threads(large), 512);
    ck_assert_int_ge(policy_value(large, "warp_items", 0), 32);
    ck_assert_uint_lt(policy_threads(large) / 32 * (unsigned)policy_value(large, "warp_items", 0), 65536);
    const policy *small = &m.p.kernels[SEGMENTED_SORT_SMALL].tuning;
    ck_assert_int_le(policy_value(small, "small_items", 0), policy_value(small, "warp_items", 0));
  }
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(spec_texts),
      SUITE_TEST(refused_specs),
      SUITE_TEST(plans),
      SUITE_TEST(policies),
  };
  return SUITE_RUN("unit/segmented_sort", tests, false);
}
