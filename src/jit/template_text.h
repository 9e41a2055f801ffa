/* The text of a template as it is compiled. */
#ifndef JIG_JIT_TEMPLATE_TEXT_H
#define JIG_JIT_TEMPLATE_TEXT_H

#include <stddef.h>

/* Leaves out comments that go to the end of a line, and what lines are indented by, as they take room in
 * the library, time in the compiler, and part in keys; but lines keep their numbers. Templates have no
 * "//", and no strings, that go over several lines, and no escaped quotes. Returns the new length; the
 * NUL that ends the text moves, too. */
size_t template_text_strip(char *text, size_t length);

#endif
