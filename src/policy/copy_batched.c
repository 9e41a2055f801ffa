/* How batched copies are tuned.
 *
 * What a warp has to do in the first launch is bounded, so that it is not still at it when all others
 * have ended; in the second, tiles are small enough for a large buffer to be spread over many warps. */
#include "policy/copy_batched.h"

#include "policy/shared_memory.h"
#include "spec/type.h"

enum {
  THREADS = 256,
  SHORT_BLOCKS = 4,
  SHORT_ITEM_BLOCKS = 5,
  LONG_BLOCKS = 3,
  /* Vectors of a thread at once. In the first launch those of a warp are of different buffers, and take
   * more registers. */
  SHORT_UNROLL = 2,
  LONG_UNROLL = 4,
  UNIT_UNROLL = 4,
  MOST_BYTES = 8192,
  MOST_OF_WARP = 32768,
  FEW_BYTES = 2048,
  TILE_BYTES = 4096,
  /* Items that are copied one by one: so many times fewer are as much work. */
  ITEM_WORK = 4,
  /* Larger ones take registers. */
  LARGE_ITEM = 16,
};

static copy_batched_tuning of_bytes(int sm, int blocks, int unroll) {
  return (copy_batched_tuning){.threads = THREADS,
                               .min_blocks = smaller(blocks, multiprocessor_threads(sm) / THREADS),
                               .unroll = unroll,
                               .unroll_units = UNIT_UNROLL,
                               .most_units = MOST_BYTES,
                               .most_of_warp = MOST_OF_WARP,
                               .few_units = FEW_BYTES,
                               .tile_units = TILE_BYTES};
}

/* Whether ranges are copied as bytes are: jig::moves_bytes. */
static bool moves_bytes(const jig_iter *in, const jig_iter *out) {
  return in->kind == JIG_ITER_POINTER && out->kind == JIG_ITER_POINTER &&
         type_equal(&in->type, &out->type);
}

/* Of the first launch; items of 16 bytes, and SM 120, have more to keep in registers there. */
static int short_blocks(const spec *s, int sm) {
  const jig_iter *in = spec_find(s, "in")->iter, *out = spec_find(s, "out")->iter;
  const bool are_light =
      !moves_bytes(in, out) && in->type.size < LARGE_ITEM && out->type.size < LARGE_ITEM;
  return are_light && sm < 120 ? SHORT_ITEM_BLOCKS : SHORT_BLOCKS;
}

static copy_batched_tuning of_ranges(const spec *s, int sm, int blocks, int unroll) {
  const jig_iter *in = spec_find(s, "in")->iter, *out = spec_find(s, "out")->iter;
  copy_batched_tuning tuning = of_bytes(sm, blocks, unroll);
  if (moves_bytes(in, out)) return tuning;
  const bool is_large = larger((int)in->type.size, (int)out->type.size) > LARGE_ITEM;
  tuning.min_blocks = is_large ? 1 : tuning.min_blocks;
  tuning.unroll_units = is_large ? 1 : UNIT_UNROLL;
  tuning.most_units /= ITEM_WORK;
  tuning.most_of_warp /= ITEM_WORK;
  tuning.few_units /= ITEM_WORK;
  tuning.tile_units /= ITEM_WORK;
  return tuning;
}

/* In the second launch warps take tiles as the first one has listed them. */
static policy choose_short(copy_batched_tuning to, const policy_space *space, copy_batched_tuning of_long,
                           const policy_space *long_space, tuning_told *told) {
  tuning_take(told, long_space, &of_long);
  tuning_take(told, space, &to);
  to.tile_units = of_long.tile_units;
  return copy_batched_tuning_pack(to);
}

static policy choose_long(copy_batched_tuning to, const policy_space *space, tuning_told *told) {
  tuning_take(told, space, &to);
  return copy_batched_tuning_pack(to);
}

/* Rows of a window and words of two vectors are shared out in powers of two. */
#define BATCHED_KNOBS                                             \
  KNOB(copy_batched_tuning, threads, 64, 128, 256, 512),          \
      KNOB(copy_batched_tuning, min_blocks, 1, 2, 3, 4, 5, 6, 8), \
      KNOB(copy_batched_tuning, unroll, 2, 4, 8), KNOB(copy_batched_tuning, unroll_units, 1, 2, 4, 8)
#define SHORT_KNOBS                                                                      \
  {                                                                                      \
    BATCHED_KNOBS, KNOB(copy_batched_tuning, most_units, 1024, 2048, 4096, 8192, 16384), \
        KNOB(copy_batched_tuning, most_of_warp, 4096, 8192, 16384, 32768, 65536),        \
        KNOB(copy_batched_tuning, few_units, 256, 512, 1024, 2048, 4096)                 \
  }
#define LONG_KNOBS \
  { BATCHED_KNOBS, KNOB(copy_batched_tuning, tile_units, 1024, 2048, 4096, 8192, 16384) }

static policy choose_memcpy(const spec *s, int sm, tuning_told *told) {
  (void)s;
  return choose_short(of_bytes(sm, SHORT_BLOCKS, SHORT_UNROLL), &memcpy_batched_space,
                      of_bytes(sm, LONG_BLOCKS, LONG_UNROLL), &memcpy_batched_long_space, told);
}

static policy choose_memcpy_long(const spec *s, int sm, tuning_told *told) {
  (void)s;
  return choose_long(of_bytes(sm, LONG_BLOCKS, LONG_UNROLL), &memcpy_batched_long_space, told);
}

const policy_space memcpy_batched_space = {.choose = choose_memcpy, .knobs = SHORT_KNOBS},
                   memcpy_batched_long_space = {.choose = choose_memcpy_long, .knobs = LONG_KNOBS};

static policy choose_copy(const spec *s, int sm, tuning_told *told) {
  return choose_short(of_ranges(s, sm, short_blocks(s, sm), SHORT_UNROLL), &copy_batched_space,
                      of_ranges(s, sm, LONG_BLOCKS, LONG_UNROLL), &copy_batched_long_space, told);
}

static policy choose_copy_long(const spec *s, int sm, tuning_told *told) {
  return choose_long(of_ranges(s, sm, LONG_BLOCKS, LONG_UNROLL), &copy_batched_long_space, told);
}

const policy_space copy_batched_space = {.choose = choose_copy, .knobs = SHORT_KNOBS},
                   copy_batched_long_space = {.choose = choose_copy_long, .knobs = LONG_KNOBS};
