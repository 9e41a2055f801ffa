/* Segments of many shapes for tests of segmented reduces, and how calls are told of them. */
#ifndef JIG_TESTS_SEGMENTED_REDUCE_SUPPORT_H
#define JIG_TESTS_SEGMENTED_REDUCE_SUPPORT_H

#include <jig/jig.h>

#include "segments.h"

/* How a call is told of segments. */
typedef enum segment_way {
  ADJOINING, /* one array of offsets */
  APART,     /* two, with items between segments */
  SHUFFLED,  /* the same in another order */
  FIXED,     /* no offsets */
  SEGMENT_WAYS
} segment_way;

/* Lengths that are unlike in every way that makes a difference: there are `shape_count` of them, with
 * `name`s for messages. Of about so many items. FIXED ones are all as long as the first. */
extern const size_t shape_count;
segment_list shaped_segments(size_t shape, size_t items, segment_way way, const char **name);

/* Device memory of offsets of a type, as a call's args have them; free what `begins` points to. */
typedef struct segment_offsets {
  jig_iter begins, ends; /* of kind NONE: there are none */
  uint64_t size;
} segment_offsets;
segment_offsets put_segments(const segment_list *list, segment_way way, jig_type_kind kind);

#endif
