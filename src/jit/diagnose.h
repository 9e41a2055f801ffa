/* Makes a compiler's log readable for the author of an operator or a type. */
#ifndef JIG_JIT_DIAGNOSE_H
#define JIG_JIT_DIAGNOSE_H

#include <jig/status.h>
#include <stdbool.h>

/* Sets the error of a program that did not compile, from the compiler's log: what is wrong with the
 * user's texts, as "operator:1:14: error: ...", the line and a caret. Of what is wrong in jig's own code
 * only what can be put in the user's terms, and only if there is nothing else. With $JIG_LOG=debug the
 * whole log follows. `program` is what assemble() made. JIG_ERROR_TYPE_MISMATCH if the log is about a
 * struct's stated size or alignment, JIG_ERROR_COMPILE otherwise. */
jig_status diagnose(const char *log, const char *program);

/* The same of kernels with too much static shared memory, from the log of the driver's own compiler: sets
 * JIG_ERROR_COMPILE; false, and sets nothing, if there is none. */
bool diagnose_shared(const char *log);

#endif
