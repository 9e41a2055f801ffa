/* How scan is tuned. */
#ifndef JIG_POLICY_SCAN_H
#define JIG_POLICY_SCAN_H

#include "policy/chain.h"

/* Of both kernels but the ring, which has a ring_tuning. */
#define SCAN_TUNING(FIELD) CHAIN_TUNING(FIELD) FIELD(run_items)
POLICY_STRUCT(scan_tuning, SCAN_TUNING);
policy scan_wave_policy(const spec *s, int sm);
policy scan_lookback_policy(const spec *s, int sm);
policy scan_ring_policy(const spec *s, int sm);
bool scan_ring_fits(const spec *s, int sm);

#endif
