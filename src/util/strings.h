/* Lists of strings that end with NULL. */
#ifndef JIG_UTIL_STRINGS_H
#define JIG_UTIL_STRINGS_H

#include <stddef.h>

/* Copies of `count` strings; NULL when out of memory. */
char **strings_copy(const char *const *strings, size_t count);

/* The parts of a text between any of these characters, empty ones left out; NULL when out of memory. */
char **strings_split(const char *text, const char *separators);

/* How many characters have to be changed, left out, put in or swapped with their neighbour to make one
 * string of the other; of long ones what their beginnings say. */
size_t strings_distance(const char *a, const char *b);

/* NULL is fine. */
void strings_free(char **strings);

#endif
