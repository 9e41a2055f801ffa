/* The entry point of a kernel, as text of device code. */
#ifndef JIG_JIT_ENTRY_H
#define JIG_JIT_ENTRY_H

#include "jit/algorithm.h"
#include "util/text.h"

/* Checks of where structs among the parameters have their members. They belong before any text of the
 * user's, which may have macros of these names. */
void entry_write_structs(text *out, const spec *s, const kernel_row *kernel);

/* The entry point, and checks of its parameters' sizes: behind what the program defines for the spec's
 * slots. */
void entry_write(text *out, const spec *s, const kernel_row *kernel, const policy *p);

#endif
