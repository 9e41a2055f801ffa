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
  void *leaves[TUNE_MAX_LEAVES];
  int made;       /* of these */
  uint64_t items; /* that each of them has */
} tune_data;

/* Bytes of an item of all inputs and outputs together. */
uint64_t tune_data_item_bytes(run_plan *p);

/* Fills the plan's iterators. The first plan's items are made, at random but the same every time: runs of
 * equal keys where an algorithm looks for runs, items in order where it takes them so, and numbers of
 * which sums do not cancel out where it folds them. Later plans, with fewer items, get the first of
 * these. EXIT_OK or a code, having complained. */
int tune_data_give(tune_data *d, run_plan *p, uint64_t items);

#endif
