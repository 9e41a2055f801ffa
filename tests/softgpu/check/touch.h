/* Which bytes something touches, and how: what two operations that nothing orders are compared by. */
#ifndef SOFTGPU_CHECK_TOUCH_H
#define SOFTGPU_CHECK_TOUCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum touch_kind {
  TOUCH_READ,
  TOUCH_WRITE,
  TOUCH_ATOMIC, /* atomic, relaxed or stronger, volatile: such accesses do not conflict with each other */
  TOUCH_KINDS
} touch_kind;

/* Two reads do not conflict, nor do two atomic accesses. */
static inline bool touch_kinds_conflict(touch_kind a, touch_kind b) {
  return a != b || a == TOUCH_WRITE;
}

typedef struct touch_span {
  uint64_t begin, end; /* bytes [begin, end) */
} touch_span;

typedef struct touch_set {
  touch_span *spans;
  size_t count, capacity;
} touch_set;

/* One thread's log of accesses of any number, in any order: a bit for every byte of the pages that were
 * touched.
 */
typedef struct touch_log touch_log;

touch_log *touch_log_create(void); /* NULL: no memory */
void touch_log_free(touch_log *l); /* may be NULL */
/* Without memory it is left out. */
void touch_log_add(touch_log *l, touch_kind kind, uint64_t address, uint64_t bytes);

/* Tells at once of most pages that none of some operations has touched them. Zeroed: none has touched
 * anything. */
enum { TOUCH_PAGE_SHIFT = 12, TOUCH_FILTER_BITS = 1 << 16 };
typedef struct touch_filter {
  uint64_t bits[TOUCH_FILTER_BITS / 64]; /* by page number; many pages share one */
  touch_span large;                      /* holds all spans that are too large for that */
} touch_filter;

static inline bool touch_filter_has(const touch_filter *f, uint64_t address) {
  const uint64_t bit = (address >> TOUCH_PAGE_SHIFT) % TOUCH_FILTER_BITS;
  return (f->bits[bit / 64] >> bit % 64 & 1) != 0 ||
         address - f->large.begin < f->large.end - f->large.begin;
}

/* Zeroed: nothing. */
typedef struct touched {
  touch_set of[TOUCH_KINDS];
  touch_log *log; /* more of it, or NULL */
} touched;

/* Where two conflict: a byte of one pair of kinds that do. */
typedef struct touch_conflict {
  uint64_t address;
  touch_kind mine, other;
} touch_conflict;

/* Adds [begin, end), in any order; without memory it is left out. */
void touched_add(touched *t, touch_kind kind, uint64_t begin, uint64_t end);
/* Sorts and joins what was added; then it can be compared. */
void touched_settle(touched *t);
/* Adds what a log has, and takes it over. */
void touched_add_log(touched *t, touch_log *l);
bool touched_is_empty(const touched *t);
void touched_add_to(const touched *t, touch_filter *f);
void touched_free(touched *t);

bool touched_conflict(const touched *mine, const touched *other, touch_conflict *c);
/* The same for one access to [begin, end). */
bool touched_conflicts_with(const touched *other, touch_kind mine, uint64_t begin, uint64_t end,
                            touch_conflict *c);

#endif
