/* How batched copies are tuned.
 *
 * What a warp has to do in the first launch is bounded, so that it is not still at it when all others
 * have ended; in the second, tiles are small enough for a large buffer to be spread over many warps. */
#include "policy/copy_batched.h"

#include "policy/shared_memory.h"
#include "spec/type.h"

enum {
  THREADS = 256,
  SHORT_BLOCKS = 5,
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

/* Of the first launch; SM 120 has more to keep in registers there. */
static int short_blocks(int sm) {
  return sm < 120 ? SHORT_BLOCKS : SHORT_BLOCKS - 1;
}

policy memcpy_batched_policy(const spec *s, int sm) {
  (void)s;
  return copy_batched_tuning_pack(of_bytes(sm, short_blocks(sm), SHORT_UNROLL));
}

policy memcpy_batched_long_policy(const spec *s, int sm) {
  (void)s;
  return copy_batched_tuning_pack(of_bytes(sm, LONG_BLOCKS, LONG_UNROLL));
}

/* Whether ranges are copied as bytes are: jig::moves_bytes. */
static bool moves_bytes(const jig_iter *in, const jig_iter *out) {
  return in->kind == JIG_ITER_POINTER && out->kind == JIG_ITER_POINTER &&
         type_equal(&in->type, &out->type);
}

static policy of_ranges(const spec *s, int sm, int blocks, int unroll) {
  const jig_iter *in = spec_find(s, "in")->iter, *out = spec_find(s, "out")->iter;
  copy_batched_tuning tuning = of_bytes(sm, blocks, unroll);
  if (moves_bytes(in, out)) return copy_batched_tuning_pack(tuning);
  const bool is_large = larger((int)in->type.size, (int)out->type.size) > LARGE_ITEM;
  tuning.min_blocks = is_large ? 1 : tuning.min_blocks;
  tuning.unroll_units = is_large ? 1 : UNIT_UNROLL;
  tuning.most_units /= ITEM_WORK;
  tuning.most_of_warp /= ITEM_WORK;
  tuning.few_units /= ITEM_WORK;
  tuning.tile_units /= ITEM_WORK;
  return copy_batched_tuning_pack(tuning);
}

policy copy_batched_policy(const spec *s, int sm) {
  return of_ranges(s, sm, short_blocks(sm), SHORT_UNROLL);
}

policy copy_batched_long_policy(const spec *s, int sm) {
  return of_ranges(s, sm, LONG_BLOCKS, LONG_UNROLL);
}
