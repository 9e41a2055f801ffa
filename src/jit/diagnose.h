/* Makes a compiler's log readable for the author of an operator or a type. */
#ifndef JIG_JIT_DIAGNOSE_H
#define JIG_JIT_DIAGNOSE_H

#include <jig/status.h>

/* Sets the error of a program that did not compile: the log with positions as "operator:1:14: error:
 * ...", without the assembler's statistics. JIG_ERROR_TYPE_MISMATCH if it is about a struct's stated size
 * or alignment, JIG_ERROR_COMPILE otherwise. */
jig_status diagnose(const char *log);

#endif
