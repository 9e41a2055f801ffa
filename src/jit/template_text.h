/* The text of a template as it is compiled. */
#ifndef JIG_JIT_TEMPLATE_TEXT_H
#define JIG_JIT_TEMPLATE_TEXT_H

#include <stddef.h>

/* Leaves out comments that go to the end of a line, what lines are indented by, and blanks that part no
 * tokens, as they take room in the library, time in the compiler, and part in keys; but lines keep their
 * numbers. In directives, where a blank may mean something, one is left of many. Templates have no "//",
 * and no strings, that go over several lines, and no escaped quotes. Returns the new length; the NUL that
 * ends the text moves, too. */
size_t template_text_strip(char *text, size_t length);

#endif
