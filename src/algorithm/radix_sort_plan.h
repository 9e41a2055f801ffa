/* How a radix sort is spread over the GPU, and the temp storage that takes. */
#ifndef JIG_ALGORITHM_RADIX_SORT_PLAN_H
#define JIG_ALGORITHM_RADIX_SORT_PLAN_H

#include "algorithm/temp_storage.h"
#include "engine/plan_limits.h"
#include "jit/program.h"
#include "policy/radix_sort.h"

/* What it is planned by. */
typedef struct radix_sort_size {
  uint64_t num_items;
  size_t key_bytes, value_bytes; /* of each; 0: there are no values */
  int passes;                    /* as many digits as keys have */
  bool has_buffers;              /* all that is given may be overwritten */
  bool is_partial;               /* keys have bits that the sort does not look at */
  bool can_be_local;             /* the program has a kernel for that, and it can do with the buffers */
} radix_sort_size;

/* Slot 0: jig::RadixSortControl with the bins; slot 1: states; slots 2 and 3: keys and values. Never
 * shrinks as num_items grows. */
temp_layout radix_sort_temp(const program *p, const plan_limits *limits, const radix_sort_size *size);

typedef struct radix_sort_plan {
  bool fits_cluster;    /* one block or cluster sorts all */
  int cluster_kernel;   /* by this kernel */
  launch_shape cluster; /* with so many rows */
  launch_shape histogram;
  int rows;               /* of a warp, in a cluster and in passes */
  unsigned pass_bytes;    /* of a block's shared memory in a pass; 0: all that there may be */
  uint64_t portion_items; /* of every portion but the last */
  uint64_t portions;      /* a launch each, of every pass */
  uint32_t state_tiles;   /* of the largest portion */
  launch_shape
      local; /* of the last launch, if the highest digits may be enough before it; else no grid */
  uint32_t chunk_items; /* of a block there */
  int local_items;      /* that it can sort at a time; 0: there is no such launch */
} radix_sort_plan;
radix_sort_plan radix_sort_plan_of(const program *p, const plan_limits *limits,
                                   const radix_sort_size *size);

/* How to launch a pass over so many items of a portion. */
launch_shape radix_sort_pass_shape(const program *p, const radix_sort_plan *plan, uint64_t items);

/* Portions that are sorted; more would take a call longer to launch than anybody waits. */
enum { RADIX_SORT_MOST_PORTIONS = 1 << 16 };

#endif
