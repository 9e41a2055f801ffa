/* What jig tune gives to the calls that it times: inputs of its own making, on the GPU. */
#ifndef JIG_CLI_TUNE_DATA_H
#define JIG_CLI_TUNE_DATA_H

#include "gpu.h"
#include "run_plan.h"
#include "tune_items.h"

enum { TUNE_MAX_LEAVES = 24 };

/* Arrays, one for each iterator that has memory, in the order in which inputs have them. */
typedef struct tune_data {
  gpu *g;
  uint64_t segment_items; /* of segments, ranges and buffers, on average */
  void *leaves[TUNE_MAX_LEAVES];
  int made;       /* of these */
  uint64_t items; /* that each of them has */
} tune_data;

/* Bytes of an item of all inputs and outputs together. */
uint64_t tune_data_item_bytes(const tune_data *d, run_plan *p);

/* Fills the plan's iterators. The first plan's items are made, at random but the same every time: runs of
 * equal keys where an algorithm looks for runs, items in order where it takes them so, numbers of which
 * sums do not cancel out where it folds them, and samples between the levels of a histogram. Later plans,
 * with fewer items, get the first of these. Segments, ranges and buffers have all items of their plan.
 * EXIT_OK or a code, having complained. */
int tune_data_give(tune_data *d, run_plan *p, uint64_t items);

#endif
