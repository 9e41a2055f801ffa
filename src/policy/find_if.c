#include "policy/find_if.h"

#include "policy/shared_memory.h"

#define STEP_KNOBS REDUCE_KNOBS(find_tuning), KNOB(find_tuning, steps, 1, 2)

/* Read as reduce's input is. */
static reduce_tuning row_of(const spec *s, int sm) {
  const policy found = reduce_policy_for(spec_find(s, "in")->iter, sizeof(uint64_t), sm);
  return reduce_tuning_of(&found);
}

static find_tuning in_steps(reduce_tuning to, int steps) {
  return (find_tuning){to.threads, to.unroll, to.lane_vectors, to.min_blocks, steps};
}

static policy choose(const spec *s, int sm, tuning_told *told) {
  reduce_tuning to = row_of(s, sm);
  tuning_take(told, &find_if_space, &to);
  return reduce_tuning_pack(to);
}

const policy_space find_if_space = {.choose = choose, .knobs = {REDUCE_KNOBS(reduce_tuning)}};

/* One step takes so few registers that a multiprocessor has as many threads as it has room for: on an
 * H200 2^22 items of 4 bytes take 3.69 us, and 3.99 by two steps of half as many. Bytes were slower. Of
 * items of 8 bytes one step has so few that to look what others have found takes longer than a second
 * one. */
static policy choose_step(const spec *s, int sm, tuning_told *told) {
  const jig_iter *in = spec_find(s, "in")->iter;
  const uint32_t size = in->kind == JIG_ITER_POINTER ? in->type.size : 0;
  find_tuning to = in_steps(row_of(s, sm), size == 8 ? 2 : 1);
  if (size == 4 || size == 8)
    to.min_blocks = larger(multiprocessor_threads(sm) / to.threads, to.min_blocks);
  tuning_take(told, &find_if_step_space, &to);
  return find_tuning_pack(to);
}

const policy_space find_if_step_space = {.choose = choose_step, .knobs = {STEP_KNOBS}};

/* With the item before each vector. */
static reduce_tuning sorted_row_of(const spec *s, int sm) {
  const jig_iter *in = spec_find(s, "in")->iter;
  reduce_tuning to = row_of(s, sm);
  to.unroll = (to.unroll + 1) / 2; /* more spilled */
  if (in->kind != JIG_ITER_POINTER || in->type.size > sizeof(uint64_t)) to.min_blocks = 1;
  return to;
}

static policy choose_is_sorted(const spec *s, int sm, tuning_told *told) {
  reduce_tuning to = sorted_row_of(s, sm);
  tuning_take(told, &is_sorted_space, &to);
  return reduce_tuning_pack(to);
}

const policy_space is_sorted_space = {.choose = choose_is_sorted, .knobs = {REDUCE_KNOBS(reduce_tuning)}};

/* Two steps took an H200 8 to 12 % less for 2^18 to 2^20 doubles, and 14 % more for 2^16. */
static policy choose_is_sorted_step(const spec *s, int sm, tuning_told *told) {
  find_tuning to = in_steps(sorted_row_of(s, sm), 1);
  tuning_take(told, &is_sorted_step_space, &to);
  return find_tuning_pack(to);
}

const policy_space is_sorted_step_space = {.choose = choose_is_sorted_step, .knobs = {STEP_KNOBS}};
