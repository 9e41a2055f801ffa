/* What prewarming has for the command-line tool beside jig/prewarm.h. */
#ifndef JIG_ENGINE_PREWARM_H
#define JIG_ENGINE_PREWARM_H

#include <jig/prewarm.h>

enum { PREWARM_MAX_PROGRAMS = 3 };

/* The programs that a spec's text names, by a text each, malloc'ed. How many there are; 0, with the error
 * set, if it is no spec. */
int prewarm_split(const char *spec_text, char *texts[PREWARM_MAX_PROGRAMS]);

/* As jig_prewarm(), but of each program the kernels that operators from source are linked with in first
 * calls: see jit/first_tier.h. JIG_ERROR_UNSUPPORTED: there are none. */
jig_status prewarm_first_tier(jig_engine *engine, const char *spec_text, const char *arch_name,
                              jig_prewarm_result *result);

/* Has an engine that nobody has used yet look at its own cache directory alone, so that all that it is
 * asked to prewarm is there in the end, whatever other layers have. */
void prewarm_leave_layers(jig_engine *engine);

#endif
