/* Items by which an operator can tell what it is called with: spans of an input, from `begin` up to
 * `end`. An item is a span of one place; what neighbouring items come to is the span of all their places.
 * Bytes that are neither are as good as never taken for a span, nor is a fold of items that do not
 * adjoin. */
#ifndef JIG_TESTS_SPANS_H
#define JIG_TESTS_SPANS_H

#include <jig/jig.h>
#include <stdbool.h>

/* Operators that are called with anything else say so here; it is read and freed by check_watch(). */
typedef struct watch {
  void *told;  /* device memory: how often, and with what the first time */
  void *heads; /* device memory: whether a run begins at the item of that place; see span_equality */
  uint64_t items;
} watch;
extern const jig_type watch_type;
watch new_watch(uint64_t items);
void check_watch(const watch *w, const char *what);

/* An operator of such a body, which sees the watch as `state`; borrows the watch. */
jig_op watched(const char *body, const watch *w);

/* ---- spans */

/* Of runs that are told apart `run` is the number, below SPAN_ANY_RUN; a span of that one goes in front
 * of any run. Small types leave the number out, and keep the low bits of the places only. */
enum { SPAN_ANY_RUN = 0xffffff, SPAN_FIRST = 100 /* where inputs begin */ };
typedef struct span {
  uint32_t begin, end, run;
} span;

enum { SPAN_1, SPAN_2, SPAN_4, SPAN_8, SPAN_12, SPAN_16, SPAN_40, SPAN_TYPES };
extern const jig_type span_types[SPAN_TYPES]; /* by their sizes */

void put_span(jig_type type, void *items, size_t i, span s);
/* The number of places that the type can tell apart. */
uint64_t span_places(jig_type type);

/* `count` items of a run that begins at `first`, malloc'ed. */
void *new_spans(jig_type type, size_t count);

/* ---- bodies of operators over spans, all watched() */

extern const char span_fold[];     /* two that adjoin come to one */
extern const char span_equality[]; /* of an item and the next one: whether that is no head */
extern const char span_test[];     /* of an item */
extern const char span_other_test[];
extern const char span_identity[]; /* an item, unchanged */
extern const char span_stored[];   /* any span, unchanged */
extern const char span_less[];     /* two items: some order */

/* Orders items as span_less does; has the kernel end with an error if there is anything else. */
extern const char span_decomposer[];

/* What these make of item i of new_spans(). */
bool span_passes(jig_type type, size_t i);
bool span_passes_other(jig_type type, size_t i);
uint32_t span_rank(jig_type type, size_t i);

/* Makes items of their indices, which have to be below the watch's number of items. */
jig_iter span_source(jig_type type, const watch *w);

#endif
