/* Segments of an input for tests. */
#ifndef JIG_TESTS_SEGMENTS_H
#define JIG_TESTS_SEGMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Segments on the host. */
typedef struct segment_list {
  size_t count, items; /* items that the input has */
  int64_t *begins, *ends;
} segment_list;

/* In the order of their offsets, of lengths 0 .. 2 * average. With gaps there are items between them, and
 * some empty ones end before they begin. */
segment_list new_segments(size_t count, size_t average, bool gaps);

/* Of these lengths, with or without items between them. */
segment_list segments_of(const size_t *lengths, size_t count, bool gaps);

/* Puts them in another order. */
void shuffle_segments(segment_list *list);

void free_segments(segment_list *list);

#endif
