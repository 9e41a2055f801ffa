/* How items are gathered that are too large for registers: templates/jig/agent/copy/gather_places.cuh. */
#ifndef JIG_POLICY_GATHER_H
#define JIG_POLICY_GATHER_H

#include "policy/space.h"

#define GATHER_TUNING(FIELD) FIELD(threads) FIELD(min_blocks)
POLICY_STRUCT(gather_tuning, GATHER_TUNING);

extern const policy_space gather_space;

#endif
