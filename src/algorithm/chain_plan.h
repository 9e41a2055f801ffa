/* How an algorithm is spread over the GPU whose tiles depend on what all tiles before them come to, and
 * the temp storage that takes. Its kernels are made of templates/jig/agent/chain/single_wave.cuh,
 * lookback.cuh and pipeline.cuh, and stand in the order of policy/chain.h in its row: for large inputs it
 * has a look-back, or a pipeline instead. */
#ifndef JIG_ALGORITHM_CHAIN_PLAN_H
#define JIG_ALGORITHM_CHAIN_PLAN_H

#include "algorithm/temp_storage.h"
#include "jit/program.h"
#include "policy/chain.h"

typedef enum chain_form {
  CHAIN_IS_SINGLE_WAVE,
  CHAIN_IS_CLUSTER,
  CHAIN_IS_LOOKBACK,
  CHAIN_IS_PIPELINE
} chain_form;

/* What it is planned by. Another kernel is a single wave of more rows than CHAIN_SINGLE_WAVE's, or a
 * look-back of fewer rows than CHAIN_LARGE's, which is a look-back then. */
typedef struct chain_size {
  uint64_t num_items;
  size_t state_bytes;      /* of what is handed from block to block */
  bool has_runs;           /* whether it works on runs, which takes longer than telling each other */
  bool has_cluster;        /* whether there is a kernel CHAIN_CLUSTER */
  int another;             /* another kernel, for a little more than a single wave; 0: none */
  chain_form another_form; /* of that */
  int few_rows;            /* a kernel like CHAIN_SINGLE_WAVE's, but of fewer rows; 0: none */
} chain_size;

/* How many items a lane takes at once, in either kernel. */
unsigned chain_vector_items(const program *p, int kernel);

/* The most tiles of a kernel for large inputs, of which there may be two; more than INT32_MAX cannot be
 * launched. */
uint64_t chain_tiles(const program *p, const chain_size *size);

/* Slot 0 is the single wave's, the pipeline's, or the groups; slot 1 a look-back's tiles. Never shrinks
 * as num_items grows. */
temp_layout chain_temp(const program *p, const chain_size *size);

/* Which kernel to launch, and how. */
typedef struct chain_plan {
  chain_form form;
  int kernel; /* of the program */
  launch_shape shape;
  uint64_t tiles;                   /* of a look-back or pipeline */
  int rows;                         /* of the tiles of a single wave or cluster */
  uint64_t group_bytes, tile_bytes; /* of the temp storage that a look-back uses */
} chain_plan;
chain_plan chain_plan_of(const program *p, const chain_size *size);

#endif
