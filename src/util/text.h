/* A growing string. A failed allocation is remembered and checked once, at the end. */
#ifndef JIG_UTIL_TEXT_H
#define JIG_UTIL_TEXT_H

#include <stdbool.h>
#include <stddef.h>

typedef struct text {
  char *data; /* NUL-terminated once anything was added */
  size_t length, capacity;
  bool failed;
} text;

void text_append(text *t, const char *bytes, size_t length);
void text_add(text *t, const char *string);
void text_format(text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* How many bytes the character of UTF-8 at the beginning has; 0 if it is none. */
size_t text_character_length(const char *bytes);

/* The first byte that begins no character of UTF-8; the NUL at the end if all of it is UTF-8. */
const char *text_past_utf8(const char *bytes);

/* A line that a message is about, on a line of its own, and a caret below it at a column, counted in
 * bytes from 1; of a long line, what is near there. Begins with a newline and ends without one. */
void text_excerpt(text *t, const char *line, size_t length, int column);

/* The string, now the caller's to free(), or NULL if any allocation failed; t is empty again. */
char *text_take(text *t);
void text_free(text *t);

#endif
