/* Macros that the user's compile options define, -DN=3. They become lines of the program, behind jig's
 * templates, which have names such as N; the compiler is not given them. It is given those whose names
 * begin with an underscore or with JIG, which its own header or a template may ask for, and all if there
 * is a -U, which may be for any of them. */
#ifndef JIG_JIT_OPTION_MACROS_H
#define JIG_JIT_OPTION_MACROS_H

#include <stdbool.h>
#include <stddef.h>

#include "util/text.h"

/* Appends the lines. `options` ends with NULL; NULL: none. */
void option_macros_write(text *out, char *const *options);

/* Whether option number i makes a type that jig's program has another one, as -Ddouble=float does. */
bool option_macro_is_type(char *const *options, size_t i);

/* How many options from number i on, 1 or 2, are such a macro; 0: none. */
size_t option_macro_at(char *const *options, size_t i);

#endif
