/* $JIG_DUMP: what is compiled, for people to look at. */
#ifndef JIG_JIT_DUMP_H
#define JIG_JIT_DUMP_H

#include <stdbool.h>

#include "jit/compiled.h"
#include "util/hash.h"

/* Writes the program, the compiler's log and what came out into a folder, which is made unless it is
 * there, as "<key>.cu", ".log" and ".cubin" or ".ptx". A file of that name is replaced, and a link of
 * that name is, not what it leads to. What cannot be written is told to the log. */
void dump_build(const char *folder, hash128 key, const char *program, const compiled *result, bool ptx);

#endif
