/* How segments whose lengths only the GPU knows are spread over it, and the temp storage that takes; see
 * templates/jig/agent/segmented_scan/segment_work.cuh. */
#ifndef JIG_ALGORITHM_SEGMENT_PLAN_H
#define JIG_ALGORITHM_SEGMENT_PLAN_H

#include "algorithm/temp_storage.h"
#include "engine/plan_limits.h"
#include "jit/parameter.h"
#include "jit/program.h"
#include "policy/segmented_scan.h"

/* A kernel parameter; jig::SegmentCall in device code. */
typedef struct segment_call {
  void *control, *list, *list_starts;
  void *tiles, *groups;
  uint64_t tag, num_segments, short_items;
  uint32_t num_chunks, chunk_segments, least_segments;
  uint32_t part_bits, reach;
  uint32_t share_segments;         /* of each block, where few adjoin */
  const uint64_t *num_segments_in; /* or NULL */
} segment_call;
extern const parameter_field segment_call_fields[];

/* The kernels of a program: one by which a block has some segments of its own, and leaves the longest;
 * one for those; one for few segments; and, if they may be pipelines, one for all segments, where they
 * adjoin, and one for few of these. */
enum {
  SEGMENT_SHORT,
  SEGMENT_LONG,
  SEGMENT_FEW,
  SEGMENT_ADJOINING,
  SEGMENT_FEW_ADJOINING,
  SEGMENT_KERNELS
};

typedef struct segment_plan {
  bool too_large;        /* more chunks than can be numbered */
  uint64_t short_blocks; /* 0: that one has nothing to do */
  int each;              /* segments for each of them */
  int long_kernel;       /* which one of the others is launched */
  unsigned long_blocks;
  segment_call call; /* but for pointers and tag */
  temp_layout temp;
} segment_plan;

/* `adjoin`: each segment begins where the one before ends, and bulk copies can bring items. `state_bytes`
 * is what is handed from block to block. The temp storage never shrinks as num_segments grows. */
segment_plan segment_plan_of(const program *p, const plan_limits *limits, uint64_t num_segments,
                             bool adjoin, size_t state_bytes);

/* Fills in the tag and the pointers, but for num_segments_in. */
void segment_plan_apply(segment_plan *plan, void *storage, uint64_t tag);

#endif
