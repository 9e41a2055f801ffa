/* Launches the kernels of an algorithm whose tiles depend on what all tiles before them come to. */
#ifndef JIG_ALGORITHM_CHAIN_H
#define JIG_ALGORITHM_CHAIN_H

#include "algorithm/call.h"
#include "algorithm/chain_plan.h"

/* What these kernels take beside iterators and operators. */
typedef struct chain_values {
  item_count num_items;
  int in_place; /* for those that ask */
  int rows;
  void *control, *groups, *tiles;
  uint64_t tag;
} chain_values;

/* Of an algorithm with a slot NUM_ITEMS_IN. */
#define CHAIN_NUM_ITEMS COUNT_PARAMETER(chain_values, num_items, NUM_ITEMS_IN)
#define CHAIN_IN_PLACE VALUE_PARAMETER(chain_values, in_place, "int")

/* The last parameters of each kernel, behind those of the algorithm's own; `state` is what tiles hand on,
 * in device code. */
#define CHAIN_SINGLE_WAVE_PARAMETERS                                      \
  VALUE_PARAMETER(chain_values, rows, "int"),                             \
      VALUE_PARAMETER(chain_values, control, "jig::SingleWaveControl *"), \
      VALUE_PARAMETER(chain_values, tag, "uint64_t"), {                   \
    PARAMETERS_END                                                        \
  }
#define CHAIN_CLUSTER_PARAMETERS                \
  VALUE_PARAMETER(chain_values, rows, "int"), { \
    PARAMETERS_END                              \
  }
#define CHAIN_LOOKBACK_PARAMETERS(state)                                   \
  VALUE_PARAMETER(chain_values, groups, "jig::GroupState<" state "> *"),   \
      VALUE_PARAMETER(chain_values, tiles, "jig::TileState<" state "> *"), \
      VALUE_PARAMETER(chain_values, tag, "uint64_t"), {                    \
    PARAMETERS_END                                                         \
  }
#define CHAIN_PIPELINE_PARAMETERS                                   \
  VALUE_PARAMETER(chain_values, control, "jig::PipelineControl *"), \
      VALUE_PARAMETER(chain_values, tag, "uint64_t"), {             \
    PARAMETERS_END                                                  \
  }

/* Plans a call: the temp storage for so many items, or why there cannot be so many. */
jig_status chain_prepare(call *c, const chain_size *size, temp_layout *temp);

/* Chooses a kernel and launches it. `values` has num_items, and in_place where that is asked for; the
 * others are filled in. */
jig_status chain_launch(call *c, const chain_size *size, const temp_layout *temp, chain_values *values);

#endif
