/* Random calls: where items come from and go to. All of a call's device memory has no byte more than it
 * takes, so that the software GPU sees whatever is read or written beside it. */
#ifndef JIG_TESTS_RANDOM_PLACES_H
#define JIG_TESTS_RANDOM_PLACES_H

#include "random_items.h"

/* Frees all that these functions have made. */
void places_free(void);

/* Device memory, some items off its alignment, and memory on the host, until places_free(). */
void *place_alloc(size_t bytes, size_t align);
void *place_copy(const void *host, size_t bytes, size_t align);
void *host_alloc(size_t bytes);

typedef enum place_rule {
  PLACE_POINTER, /* a pointer, nothing else */
  PLACE_ITEMS,   /* any iterator that has these items */
  PLACE_ANY      /* of an input: any iterator at all, whose items replace those on the host */
} place_rule;

/* An input of these items. Some of its memory is not written, and nobody may look at it. */
jig_iter place_input(const item_kind *k, void *host, size_t count, place_rule rule);

/* An output. */
typedef struct place_output {
  item_kind kind;
  size_t count;
  jig_iter iter;
  char *memory; /* of what is stored; NULL: it is discarded */
  size_t bytes, size;
  int64_t stride, first; /* item i is at first + stride * places[i] of memory */
  size_t *places;        /* NULL: i */
  size_t column;         /* bytes from a member's array to the next one's; 0: items lie together */
  bool flips;
} place_output;
place_output place_output_of(const item_kind *k, size_t count, place_rule rule);
/* What is at that pointer already, of a call in place. */
place_output place_output_at(const item_kind *k, size_t count, const jig_iter *pointer);

/* Whether the first items are those, bit by bit but for NaNs, and the others were not written, unless
 * they need not be. Says what differs. */
bool place_check(const place_output *out, const void *wanted, size_t count, bool keeps_others,
                 const char *what);
/* What is there. */
void place_read(const place_output *out, void *items);

/* A count in device memory, or NULL; how many items there are then, of `most`. */
const uint64_t *place_count(size_t most, size_t *count);

/* What is called, for messages. */
void random_describe(const char *spec, const char *algorithm);
/* Says that something is not as it should be. */
void random_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
extern unsigned random_failures;

#endif
