/* How segmented scan is tuned. */
#ifndef JIG_POLICY_SEGMENTED_SCAN_H
#define JIG_POLICY_SEGMENTED_SCAN_H

#include "policy/space.h"

#define SEGMENTED_SCAN_TUNING(FIELD) FIELD(threads) FIELD(rows) FIELD(min_blocks)
POLICY_STRUCT(segmented_scan_tuning, SEGMENTED_SCAN_TUNING);

/* The kernel for few segments. */
#define SEGMENTED_SCAN_FEW_TUNING(FIELD) SEGMENTED_SCAN_TUNING(FIELD) FIELD(short_items)
POLICY_STRUCT(segmented_scan_few_tuning, SEGMENTED_SCAN_FEW_TUNING);

/* The kernel for the longest segments, or a pipeline for any. */
#define SEGMENTED_SCAN_LONG_TUNING(FIELD) \
  SEGMENTED_SCAN_TUNING(FIELD) FIELD(chunk_segments) FIELD(short_items)
POLICY_STRUCT(segmented_scan_long_tuning, SEGMENTED_SCAN_LONG_TUNING);
#define SEGMENTED_SCAN_PIPELINE_TUNING(FIELD) \
  SEGMENTED_SCAN_TUNING(FIELD)                \
  FIELD(lane_items)                           \
  FIELD(stages)                               \
  FIELD(shared_bytes) FIELD(reducers) FIELD(emitters) FIELD(chunk_segments) FIELD(short_items)
POLICY_STRUCT(segmented_scan_pipeline_tuning, SEGMENTED_SCAN_PIPELINE_TUNING);

extern const policy_space segmented_scan_space, segmented_scan_long_space, segmented_scan_few_space,
    segmented_scan_pipeline_space;
bool segmented_scan_pipeline_fits(const spec *s, int sm);

#endif
