/* Launches the kernels of an algorithm whose tiles depend on what all tiles before them come to. */
#ifndef JIG_ALGORITHM_CHAIN_H
#define JIG_ALGORITHM_CHAIN_H

#include "algorithm/call.h"
#include "algorithm/chain_plan.h"

enum { CHAIN_MAX_PARAMETERS = 16, CHAIN_OWN_PARAMETERS = 3 };

/* Chooses a kernel and launches it. `parameters` are the algorithm's own, `count` of them, with room for
 * CHAIN_OWN_PARAMETERS behind: what the kernels take in the end is
 *   wave:      int rows, WaveControl *control, uint64_t tag
 *   look-back: GroupState<State> *groups, Tagged<State> *tiles, uint64_t tag
 *   ring:      RingControl *control, uint64_t tag */
jig_status chain_launch(call *c, const chain_size *size, const temp_layout *temp, void **parameters,
                        int count);

#endif
