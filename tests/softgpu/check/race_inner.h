/* What race.c (order) and race_access.c (accesses) share. */
#ifndef SOFTGPU_CHECK_RACE_INNER_H
#define SOFTGPU_CHECK_RACE_INNER_H

#include "check/race.h"

enum {
  MAX_THREADS = 1024,
  LANES = 32,
  WORD = 4,
  MAX_LINE = (1 << 21) - 1,
  MAX_CLOCK = INT32_MAX - 1,
  OFFSET_KEYS = 4096, /* of a word each */
  OTHER_KEYS = 128,   /* of named barriers, and as many again of others */
  ALL_KEYS = OFFSET_KEYS + 2 * OTHER_KEYS,
};

/* An access: clock of the thread << 32 | line << 11 | thread << 1 | strong. 0: none. */
typedef uint64_t stamp;

/* What is known of a word, or of a byte. */
typedef struct cell {
  stamp write, reads[2]; /* since the write, by different threads; the first is used first */
  uint32_t execution;    /* which execution of a store the write belongs to */
  uint32_t split;        /* 1: a word of which the bytes differ; see race_tracker.byte_cells instead */
} cell;

/* What is known of the clocks of all threads: in rows of one warp each. Rows that are not there, and all
 * of a vector from before the last barrier of the block, say no more than the base does. */
typedef struct vector {
  uint32_t epoch, rows; /* a bit for each row */
  uint32_t clocks[];
} vector;

/* Two, as an mbarrier is of two words, each with a key. */
enum { REMEMBERED_KEYS = 2 };

typedef struct thread_state {
  uint32_t keys[REMEMBERED_KEYS], versions[REMEMBERED_KEYS]; /* acquired last: no need to do that again */
  unsigned oldest;                                           /* of them */
  vector *known;
} thread_state;

/* What all lanes of a warp know, beside what they know themselves: clocks within the warp up to base, and
 * those of other warps in known. */
typedef struct warp_state {
  uint32_t base;
  uint32_t lanes; /* that exist */
  vector *known;
} warp_state;

typedef struct key_state {
  uint32_t version; /* counts releases */
  vector *known;
} key_state;

/* The store that is being executed, by lanes of one warp. */
typedef struct execution {
  uint32_t number;
  unsigned thread, line; /* who came last */
} execution;

struct race_tracker {
  uint32_t base; /* accesses with clocks up to it are ordered before all that follow */
  uint32_t top;  /* the largest clock */
  uint32_t epoch;
  bool blind; /* no memory, or no more clocks: nothing is told any more */
  unsigned threads, warps;
  uint32_t words;
  cell *word_cells;
  cell *byte_cells; /* of all bytes; NULL until the first split */
  execution current;
  vector *scratch;
  key_state keys[ALL_KEYS];
  warp_state warp[MAX_THREADS / LANES];
  thread_state thread[MAX_THREADS];
  uint32_t clock[MAX_THREADS];
};

static inline uint32_t clock_of(stamp s) {
  return (uint32_t)(s >> 32);
}
static inline unsigned thread_of(stamp s) {
  return (unsigned)(s >> 1) % MAX_THREADS;
}
static inline unsigned line_of(stamp s) {
  return (unsigned)(s >> 11) & MAX_LINE;
}
static inline bool is_strong(stamp s) {
  return (s & 1) != 0;
}

static inline uint32_t rows_of(const race_tracker *r, const vector *v) {
  return v != NULL && v->epoch == r->epoch ? v->rows : 0;
}

static inline bool row_knows(const race_tracker *r, const vector *v, unsigned thread, uint32_t clock) {
  return (rows_of(r, v) >> thread / LANES & 1) != 0 && v->clocks[thread] >= clock;
}

#endif
