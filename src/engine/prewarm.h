/* What prewarming has for the command-line tool beside jig/prewarm.h. */
#ifndef JIG_ENGINE_PREWARM_H
#define JIG_ENGINE_PREWARM_H

#include <jig/engine.h>

enum { PREWARM_MAX_PROGRAMS = 3 };

/* The programs that a spec's text names, by a text each, malloc'ed. How many there are; 0, with the error
 * set, if it is no spec. */
int prewarm_split(const char *spec_text, char *texts[PREWARM_MAX_PROGRAMS]);

/* Has an engine that nobody has used yet look at its own cache directory alone, so that all that it is
 * asked to prewarm is there in the end, whatever other layers have. */
void prewarm_leave_layers(jig_engine *engine);

#endif
