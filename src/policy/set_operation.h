/* How set operations are tuned. */
#ifndef JIG_POLICY_SET_OPERATION_H
#define JIG_POLICY_SET_OPERATION_H

#include "policy/chain.h"

/* Its kernels: those of a chain, and one that is launched before the second of these. */
enum { SET_SPLIT = CHAIN_KERNELS, SET_KERNELS };

#define SET_SPLIT_TUNING(FIELD) FIELD(threads) FIELD(min_blocks) FIELD(tile_items)
POLICY_STRUCT(set_split_tuning, SET_SPLIT_TUNING);

extern const policy_space set_single_wave_space, set_lookback_space, set_split_space;

#endif
