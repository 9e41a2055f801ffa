/* How a merge sort is spread over the GPU, and the temp storage that takes. */
#ifndef JIG_ALGORITHM_MERGE_SORT_PLAN_H
#define JIG_ALGORITHM_MERGE_SORT_PLAN_H

#include "algorithm/temp_storage.h"
#include "engine/plan_limits.h"
#include "jit/program.h"
#include "policy/merge_sort.h"

/* What it is planned by. */
typedef struct merge_sort_size {
  uint64_t num_items;
  size_t record_bytes;
  size_t copied_bytes;    /* of each value that has to be copied first; 0: none has */
  bool stores_to_records; /* the output is one of the two places that records are moved between */
  bool gathers;           /* records are of items' places, and another launch moves these */
  bool is_apart;          /* the outputs are one of these places, keys and values apart */
} merge_sort_size;

typedef struct merge_sort_plan {
  int block; /* the kernel that sorts tiles */
  launch_shape block_shape;
  uint64_t run;    /* items of a tile */
  int passes;      /* 0: there is one tile */
  uint64_t blocks; /* of the largest launch; more than INT32_MAX cannot be */
  uint64_t splits; /* words for the pass that has most of them */
  bool is_by_four; /* all passes are */
} merge_sort_plan;
merge_sort_plan merge_sort_plan_of(const program *p, uint64_t num_items);

/* Slots 0 and 1: records, where the last pass does not write and where it does (nothing if that is the
 * output); slot 2: copies of values; slot 3: splits. Never shrinks as num_items grows. */
temp_layout merge_sort_temp(const merge_sort_plan *plan, const plan_limits *limits,
                            const merge_sort_size *size);

/* A pass over runs of so many items. */
typedef struct merge_sort_pass {
  unsigned ways; /* so many of them are merged */
  int kernel;
  /* Of the searches for where tiles begin: for every so many of them, then for those between; without
   * blocks: there is none. */
  launch_shape coarse, split;
  unsigned bracket;
  launch_shape shape;
  uint64_t tiles;  /* of a group of runs that are merged */
  uint64_t blocks; /* of all groups */
} merge_sort_pass;
merge_sort_pass merge_sort_pass_of(const program *p, uint64_t num_items, uint64_t run);

#endif
