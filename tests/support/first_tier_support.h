/* For the tests of the first tier: engines of a cache, and what others have left in it. */
#ifndef JIG_TESTS_FIRST_TIER_SUPPORT_H
#define JIG_TESTS_FIRST_TIER_SUPPORT_H

#include <jig/jig.h>

/* With that cache alone, and a background. */
jig_engine *engine_in(const char *cache, jig_switch first_tier);

/* Prewarms a spec, which it frees, with the first tier's kernels, for the current device, into
 * scratch_path("cache"). */
void prewarm_for_device(char *spec);

#endif
