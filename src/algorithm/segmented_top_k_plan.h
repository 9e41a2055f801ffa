/* How a segmented top-k is spread over the GPU, and the temp storage that takes. */
#ifndef JIG_ALGORITHM_SEGMENTED_TOP_K_PLAN_H
#define JIG_ALGORITHM_SEGMENTED_TOP_K_PLAN_H

#include "algorithm/temp_storage.h"
#include "engine/plan_limits.h"
#include "jit/parameter.h"
#include "jit/program.h"
#include "policy/segmented_top_k.h"

/* Lists: of each class of warp groups, and of what is searched by a block. */
enum { SEGMENTED_TOP_K_CLASSES = 5, SEGMENTED_TOP_K_LISTS };

/* A kernel parameter; jig::SegmentedTopKCall in device code. */
typedef struct segmented_top_k_call {
  uint64_t num_segments, segment_size, k;
  void *control;
  uint64_t *lists[SEGMENTED_TOP_K_LISTS], *parts;
  void *cuts, *bits;
  uint64_t *indices;
  void *records;
  uint64_t record_count, part_items, tag;
  uint32_t capacities[SEGMENTED_TOP_K_LISTS];
  uint32_t max_parts;
  int32_t each, log_warps, is_signed, is_descending, is_sorted, are_records_by_segment;
  const uint64_t *num_segments_in; /* or NULL */
} segmented_top_k_call;
extern const parameter_field segmented_top_k_call_fields[];

/* What it is planned by. */
typedef struct segmented_top_k_size {
  uint64_t num_items, num_segments;
  uint64_t segment_size; /* 0: there are offsets, or nothing is in any segment */
  uint64_t k;
  size_t key_bytes, bits_bytes; /* of a key, and of its bits as candidates have them */
  bool is_sorted;
} segmented_top_k_size;

typedef struct segmented_top_k_plan {
  bool has_small;    /* whether the first kernel is launched */
  bool lists;        /* from that to the others */
  bool has_too_many; /* more than lists have room for */
  bool is_too_long;  /* segments may be too long for what one block searches */
  uint64_t small_blocks;
  unsigned large_blocks, search_blocks; /* 0: the kernel is not launched */
  int rows_kernel;                      /* that is the only one, if ... */
  launch_shape rows;                    /* ... there is a grid */
  segmented_top_k_call call;            /* but for pointers, tag and what keys are */
  uint64_t record_bytes;                /* of one */
  temp_layout temp;
} segmented_top_k_plan;

/* Its temp storage never shrinks as num_items, num_segments, segment_size or k grow. */
segmented_top_k_plan segmented_top_k_plan_of(const program *p, const plan_limits *limits,
                                             const segmented_top_k_size *size);

/* Fills in where things are in the temp storage. */
void segmented_top_k_place(const segmented_top_k_plan *plan, void *storage, segmented_top_k_call *call);

#endif
