/* What the plans of calls go by beside their policies: borders that only very large inputs reach, and how
 * far a sample is to be trusted. Every engine has its own, which are the defaults; tests change those of
 * the engine that they use, as they have neither room nor time for such inputs. No call may be under way
 * meanwhile, and a size query and its call have to find the same. */
#ifndef JIG_ENGINE_PLAN_LIMITS_H
#define JIG_ENGINE_PLAN_LIMITS_H

#include <stdint.h>

/* A mistake that a top-k's sample is to make: too few items are before its last bound; too many are
 * before its sure one; or there is not room enough for those in between. */
typedef enum top_k_mistake {
  TOP_K_NO_MISTAKE,
  TOP_K_FINDS_TOO_FEW,
  TOP_K_TAKES_TOO_MANY,
  TOP_K_KEEPS_TOO_MANY
} top_k_mistake;

typedef struct plan_limits {
  /* Of a segmented scan: states are used again after 4 << segment_part_bits tiles. segment_reach is at
   * least 2, and 32 * (segment_reach + 1) no more than 1 << segment_part_bits; see
   * templates/jig/agent/segmented_scan/segment_states.cuh. */
  unsigned segment_part_bits, segment_reach;
  /* Segments with more items, 1 or more, count as long, if that is fewer than the policy says. */
  uint64_t segment_most_short;
  /* Segments that adjoin, at most, that a segmented scan has the kernel of few for, if that is fewer than
   * the plan says. */
  uint64_t segment_most_few;
  /* Items of a radix sort's portion at most: what a state can count. */
  uint64_t radix_sort_max_portion;
  /* Blocks at most that sort together in a cluster. */
  unsigned radix_sort_max_cluster;
  /* Of as many items and more a radix sort may go by the highest digits alone, and leave what has the
   * same ones to blocks, if that is fewer than the policy says. */
  uint64_t radix_sort_least_local;
  /* As many pairs and more a merge sort may move between temp storage and the outputs; 1 or more. */
  uint64_t merge_sort_least_apart;
  /* By how many digits it does so if it can, whatever the keys are; 0: as many as a sample tells, or
   * none. */
  int radix_sort_top_passes;
  /* Segments that a pair of launches of a segmented sort takes at most. */
  uint64_t segmented_sort_max_segments;
  /* A segment that is too long for shared memory is large if it has more than the average block's part of
   * all items, divided by this; otherwise a block sorts it by itself; 0: none is large. */
  uint64_t segmented_sort_parts;
  /* From so many items on, what is counted has words of 8 bytes. */
  uint64_t segmented_sort_wide_items;
  top_k_mistake top_k_forced_mistake;
  /* Items at most among which one block or cluster finds a top-k, if that is fewer than the policy says.
   */
  uint64_t top_k_most_single;
  /* Segments at most that a segmented reduce has the kernels of few segments for, if that is fewer than
   * the plan says; 0: none. */
  uint64_t segmented_reduce_most_few;
  /* Items of all large segments of one size, at most, before waves of blocks take their parts, if that is
   * fewer than the plan says. */
  uint64_t segmented_reduce_few_items;
  /* Bits of a candidate's index at least, beside which a key of 4 bytes has the rest of 64. */
  unsigned top_k_least_index_width;
  /* What a part of a segment has at least, if a segmented top-k cuts it; 0: as the plan says. */
  uint64_t segmented_top_k_part_items;
  /* Samples that a block of a histogram counts before it adds its counters to the counts, if that is
   * fewer than the plan says. */
  uint64_t histogram_block_samples;
  /* Blocks at most that are a cluster in a histogram; more tell each other through memory. */
  unsigned histogram_max_cluster;
  /* Of as many items and more a merge has its largest tiles, if that is fewer than the plan says. */
  uint64_t merge_least_largest;
  /* Items of a size that is no power of two, at most, that a transform or a difference has no shared
   * memory for, if that is fewer than the plan says. */
  uint64_t transform_most_few;
} plan_limits;

extern const plan_limits plan_limits_default;

#endif
