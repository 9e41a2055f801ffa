/* What the environment says of an engine, and what it says wrongly. */
#ifndef JIG_ENGINE_ENVIRONMENT_H
#define JIG_ENGINE_ENVIRONMENT_H

#include <stdbool.h>

#include <jig/engine.h>

/* Calls tell() with a line for every variable whose value is none that it may have, such as
 * "JIG_JOBS: '-1' is not a number from 1 to 1023; 1 is taken". */
void environment_check(void (*tell)(void *user, const char *problem), void *user);

/* What $JIG_BUILD asks for. Another value than it may have is JIG_ERROR_INVALID_ARGUMENT: a misspelt
 * "never" would compile where nothing must be compiled. */
jig_status environment_build_mode(jig_build_mode *mode);

/* $JIG_JOBS; without it as many as there are processors. */
unsigned environment_jobs(void);

/* $JIG_CACHE_MAX_SIZE; without it 1 GiB. */
uint64_t environment_cache_max_size(void);

/* Whether a variable has this value. */
bool environment_is(const char *name, const char *value);

#endif
