/* Macros that an operator's text defines: they end with it. Otherwise they would change what comes later
 * in the program, and of a text that guards itself against being included twice, two operators could not
 * use one function each. */
#ifndef JIG_JIT_OWN_MACROS_H
#define JIG_JIT_OWN_MACROS_H

#include "util/text.h"

/* Lines to come before the text, and after it. */
void own_macros_begin(text *out, const char *source);
void own_macros_end(text *out, const char *source);

#endif
