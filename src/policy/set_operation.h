/* How set operations are tuned. */
#ifndef JIG_POLICY_SET_OPERATION_H
#define JIG_POLICY_SET_OPERATION_H

#include "policy/chain.h"

/* Its kernels: those of a chain, one that is launched before the second of these, and one like the first
 * of these, but of few rows, unless that has no more anyway. */
enum { SET_SPLIT = CHAIN_KERNELS, SET_FEW, SET_KERNELS };
bool set_has_few(const spec *s);

#define SET_SPLIT_TUNING(FIELD) FIELD(threads) FIELD(min_blocks) FIELD(tile_items)
POLICY_STRUCT(set_split_tuning, SET_SPLIT_TUNING);

extern const policy_space set_single_wave_space, set_lookback_space, set_split_space, set_few_space;

#endif
