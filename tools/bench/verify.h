/* Whether jig and CUB say the same. */
#ifndef JIG_BENCH_VERIFY_H
#define JIG_BENCH_VERIFY_H

#include "contender.h"

/* Fills the inputs anew, poisons the outputs, runs one of each task and compares what comes out. False,
 * with a message on stderr, if it differs. `what` says in that message what was run. */
bool verify(contender both[CONTENDERS], const task tasks[CONTENDERS], uint64_t seed, const char *what);

#endif
