/* Launches the kernels of an algorithm whose tiles depend on what all tiles before them come to. */
#ifndef JIG_ALGORITHM_CHAIN_H
#define JIG_ALGORITHM_CHAIN_H

#include "algorithm/call.h"
#include "algorithm/chain_plan.h"
#include "algorithm/packed_args.h"

/* The temp storage for so many items, or why there cannot be so many. */
jig_status chain_prepare(const call *c, const chain_size *size, temp_layout *temp);

/* Chooses a kernel and launches it. `packed` has the algorithm's own parameters; behind them come, for
 * the time of the call, wave:      int rows, WaveControl *control, uint64_t tag look-back:
 * GroupState<State> *groups, Tagged<State> *tiles, uint64_t tag ring:      RingControl *control, uint64_t
 * tag */
jig_status chain_launch(call *c, const chain_size *size, const temp_layout *temp, packed_args *packed);

#endif
