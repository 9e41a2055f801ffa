/* Macros of the user's texts. Those of an operator's end with it. Otherwise they would change what comes
 * later in the program, and of a text that guards itself against being included twice, two operators
 * could not use one function each. */
#ifndef JIG_JIT_OWN_MACROS_H
#define JIG_JIT_OWN_MACROS_H

#include "util/text.h"

/* Lines behind a text whose macros stay, a struct's or a header's, or an operator's that jig's lines
 * about it follow: an #error at its place for one that would make jig's types or keywords other ones.
 * `shown` is what messages call the text. */
void own_macros_refuse(text *out, const char *shown, const char *source);

/* Lines, which the compiler passes over, for diagnose() to know where a header, which is not in the
 * program's text, defines what may be in the way. */
void own_macros_note(text *out, const char *shown, const char *source);

/* Lines to come before an operator's text, and after it. */
void own_macros_begin(text *out, const char *source);
void own_macros_end(text *out, const char *source);

#endif
