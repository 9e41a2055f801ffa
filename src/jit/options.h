/* The user's own options for the compiler. */
#ifndef JIG_JIT_OPTIONS_H
#define JIG_JIT_OPTIONS_H

#include <jig/engine.h>

/* Copies what a config says, or $JIG_COMPILE_OPTIONS, into a list that ends with NULL, the caller's to
 * strings_free() in any case. JIG_ERROR_INVALID_ARGUMENT names an option that is refused, since it would
 * change what comes out, or what goes in without the key's knowing, and says why. */
jig_status options_take(char ***options, const jig_engine_config *config);

#endif
