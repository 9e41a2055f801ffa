/* The entry point of a kernel, as text of device code. */
#ifndef JIG_JIT_ENTRY_H
#define JIG_JIT_ENTRY_H

#include "jit/algorithm.h"
#include "util/text.h"

/* Writes it, and that the parameters' types are laid out as the host has them. It uses what the program
 * has defined for the spec's slots, and nothing that a macro of the user's may be called. */
void entry_write(text *out, const spec *s, const kernel_row *kernel, const policy *p);

#endif
