/* How a segmented sort is spread over the GPU, and the temp storage that takes. */
#ifndef JIG_ALGORITHM_SEGMENTED_SORT_PLAN_H
#define JIG_ALGORITHM_SEGMENTED_SORT_PLAN_H

#include "algorithm/radix_parts.h"
#include "algorithm/temp_storage.h"
#include "engine/plan_limits.h"
#include "jit/program.h"
#include "policy/segmented_sort.h"

enum { SEGMENTED_SORT_MAX_CLASSES = 5 };

/* Kernel parameters; jig::SegmentedSortCall in device code. */
typedef struct segmented_sort_call {
  radix_sort_call sort;
  void *control;
  uint64_t *lists[SEGMENTED_SORT_MAX_CLASSES];
  void *long_list, *large, *bins, *states;
  uint32_t *tile_owners;
  uint32_t capacities[SEGMENTED_SORT_MAX_CLASSES];
  uint32_t max_long, max_large, max_tiles, tile_items, class_items, long_items;
  int32_t classes, each, tiny_items, has_wide_words;
} segmented_sort_call;
extern const parameter_field segmented_sort_call_fields[];

/* What it is planned by. */
typedef struct segmented_sort_size {
  uint64_t num_items, num_segments;
  size_t key_bytes, value_bytes; /* of each; 0: there are no values */
  int passes;                    /* as many digits as keys have */
  bool has_buffers;              /* all that is given may be overwritten */
} segmented_sort_size;

typedef struct segmented_sort_plan {
  int first;              /* kernel; of all but SEGMENTED_SORT_SMALL each segment has a block */
  bool lists;             /* there may be segments that the first kernel does not sort */
  bool has_many_tiles;    /* more items than there are tiles for */
  bool has_many_launches; /* more segments than a call launches kernels for */
  uint64_t segments;      /* of each pair of launches but the last */
  uint32_t capacities[SEGMENTED_SORT_MAX_CLASSES];
  uint32_t max_long, max_large, max_tiles, tile_items, class_items, long_items;
  int classes, each, tiny_items;
  bool has_wide_words;
  unsigned blocks; /* of the second kernel */
  temp_layout temp;
} segmented_sort_plan;

/* Its temp storage never shrinks as num_items or num_segments grow. */
segmented_sort_plan segmented_sort_plan_of(const program *p, const plan_limits *limits,
                                           const segmented_sort_size *size);

/* Fills in what the plan tells of a call; `storage` is the temp storage. */
void segmented_sort_apply(const segmented_sort_plan *plan, void *storage, segmented_sort_call *p);

/* How to launch the first kernel for so many segments. */
launch_shape segmented_sort_first_shape(const program *p, const segmented_sort_plan *plan,
                                        uint64_t segments);

#endif
