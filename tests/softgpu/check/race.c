#include "check/race.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

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
  bool split;            /* a word of which the bytes differ: see race_tracker.bytes instead */
} cell;

/* What is known of the clocks of all threads: in rows of one warp each. Rows that are not there, and all
 * of a vector from before the last barrier of the block, say no more than the base does. */
typedef struct vector {
  uint32_t epoch, rows; /* a bit for each row */
  uint32_t clocks[];
} vector;

typedef struct thread_state {
  uint32_t key, version; /* what it acquired last: no need to do that again */
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

static uint32_t clock_of(stamp s) {
  return (uint32_t)(s >> 32);
}
static unsigned thread_of(stamp s) {
  return (unsigned)(s >> 1) % MAX_THREADS;
}
static unsigned line_of(stamp s) {
  return (unsigned)(s >> 11) & MAX_LINE;
}
static bool is_strong(stamp s) {
  return (s & 1) != 0;
}

race_tracker *race_create(unsigned threads, uint32_t shared_bytes) {
  if (threads == 0 || threads > MAX_THREADS) return NULL;
  race_tracker *r = calloc(1, sizeof *r);
  if (r == NULL) return NULL;
  r->threads = threads;
  r->warps = (threads + LANES - 1) / LANES;
  r->words = shared_bytes / WORD + (shared_bytes % WORD != 0);
  r->word_cells = calloc((size_t)r->words + 1, sizeof *r->word_cells);
  if (r->word_cells == NULL) {
    free(r);
    return NULL;
  }
  for (unsigned t = 0; t < threads; t++) {
    r->warp[t / LANES].lanes |= (uint32_t)1 << t % LANES;
    r->thread[t].key = ALL_KEYS;
  }
  race_barrier(r);
  return r;
}

void race_free(race_tracker *r) {
  if (r == NULL) return;
  for (unsigned t = 0; t < r->threads; t++) free(r->thread[t].known);
  for (unsigned w = 0; w < r->warps; w++) free(r->warp[w].known);
  for (unsigned k = 0; k < ALL_KEYS; k++) free(r->keys[k].known);
  free(r->scratch);
  free(r->byte_cells);
  free(r->word_cells);
  free(r);
}

/* Vectors. */

static uint32_t rows_of(const race_tracker *r, const vector *v) {
  return v != NULL && v->epoch == r->epoch ? v->rows : 0;
}

/* The vector to write to; NULL without memory, which also ends the checks. */
static vector *writable(race_tracker *r, vector **at) {
  if (*at == NULL) {
    *at = malloc(sizeof **at + (size_t)r->warps * LANES * sizeof(uint32_t));
    if (*at == NULL) {
      r->blind = true;
      return NULL;
    }
    (*at)->epoch = r->epoch - 1;
  }
  if ((*at)->epoch != r->epoch) {
    (*at)->epoch = r->epoch;
    (*at)->rows = 0;
  }
  return *at;
}

static uint32_t *row_of(vector *v, unsigned row) {
  return v->clocks + (size_t)row * LANES;
}

static uint32_t larger(uint32_t a, uint32_t b) {
  return a > b ? a : b;
}

/* Where the time goes with many strong accesses. As signed numbers, as which they are compared faster. */
static void join_clocks(uint32_t *restrict to, const uint32_t *restrict from) {
  for (unsigned i = 0; i < LANES; i++) to[i] = (int32_t)to[i] > (int32_t)from[i] ? to[i] : from[i];
}

static void join_row(vector *to, vector *from, unsigned row) {
  if ((to->rows >> row & 1) == 0) {
    to->rows |= (uint32_t)1 << row;
    memcpy(row_of(to, row), row_of(from, row), LANES * sizeof(uint32_t));
  } else {
    join_clocks(row_of(to, row), row_of(from, row));
  }
}

static void join_rows(vector *to, vector *from, uint32_t rows) {
  for (; rows != 0; rows &= rows - 1) join_row(to, from, (unsigned)__builtin_ctz(rows));
}

/* The row, with no clock in it below `least`. */
static uint32_t *row_from(vector *v, unsigned row, uint32_t least) {
  uint32_t *clocks = row_of(v, row);
  const bool is_new = (v->rows >> row & 1) == 0;
  v->rows |= (uint32_t)1 << row;
  for (unsigned i = 0; i < LANES; i++) clocks[i] = is_new ? least : larger(clocks[i], least);
  return clocks;
}

static bool row_knows(const race_tracker *r, const vector *v, unsigned thread, uint32_t clock) {
  return (rows_of(r, v) >> thread / LANES & 1) != 0 && v->clocks[thread] >= clock;
}

/* Ordering. */

static void set_clock(race_tracker *r, unsigned thread, uint32_t clock) {
  r->clock[thread] = clock;
  r->top = larger(r->top, clock);
  if (clock >= MAX_CLOCK) r->blind = true;
}

void race_barrier(race_tracker *r) {
  /* Clocks start again long before they come to an end. */
  if (r->top > MAX_CLOCK / 2 && !r->blind) {
    memset(r->word_cells, 0, r->words * sizeof *r->word_cells);
    r->top = 0;
  }
  r->base = r->top;
  r->epoch++;
  for (unsigned t = 0; t < r->threads; t++) r->clock[t] = r->base + 1;
  for (unsigned w = 0; w < r->warps; w++) r->warp[w].base = r->base;
  r->top = r->base + 1;
}

/* What the lanes know beside the warp becomes what the warp knows. */
static void sync_whole_warp(race_tracker *r, unsigned w) {
  warp_state *warp = &r->warp[w];
  const uint32_t foreign = ~((uint32_t)1 << w);
  uint32_t latest = 0;
  for (uint32_t lanes = warp->lanes; lanes != 0; lanes &= lanes - 1) {
    const unsigned thread = w * LANES + (unsigned)__builtin_ctz(lanes);
    thread_state *t = &r->thread[thread];
    latest = larger(latest, r->clock[thread]);
    const uint32_t rows = rows_of(r, t->known);
    if (rows == 0) continue;
    if ((rows & foreign) != 0) {
      vector *known = writable(r, &warp->known);
      if (known == NULL) return;
      join_rows(known, t->known, rows & foreign);
    }
    t->known->rows = 0;
  }
  warp->base = latest;
  for (uint32_t lanes = warp->lanes; lanes != 0; lanes &= lanes - 1) {
    set_clock(r, w * LANES + (unsigned)__builtin_ctz(lanes), latest + 1);
  }
}

static void sync_some_lanes(race_tracker *r, unsigned w, uint32_t mask) {
  vector *all = writable(r, &r->scratch);
  if (all == NULL) return;
  all->rows = 0;
  for (uint32_t lanes = mask; lanes != 0; lanes &= lanes - 1) {
    vector *known = r->thread[w * LANES + (unsigned)__builtin_ctz(lanes)].known;
    join_rows(all, known, rows_of(r, known));
  }
  uint32_t *own = row_from(all, w, r->warp[w].base);
  for (uint32_t lanes = mask; lanes != 0; lanes &= lanes - 1) {
    const unsigned lane = (unsigned)__builtin_ctz(lanes), thread = w * LANES + lane;
    own[lane] = r->clock[thread];
    set_clock(r, thread, own[lane] + 1);
  }
  for (uint32_t lanes = mask; lanes != 0; lanes &= lanes - 1) {
    vector *known = writable(r, &r->thread[w * LANES + (unsigned)__builtin_ctz(lanes)].known);
    if (known == NULL) return;
    known->rows = 0;
    join_rows(known, all, all->rows);
  }
}

void race_warp_sync(race_tracker *r, unsigned warp, uint32_t lanes) {
  if (warp >= r->warps) return;
  lanes &= r->warp[warp].lanes;
  if (lanes == r->warp[warp].lanes) {
    sync_whole_warp(r, warp);
  } else if ((lanes & (lanes - 1)) != 0) {
    sync_some_lanes(r, warp, lanes);
  }
}

/* Keys that share an entry order more than they should: races are missed, never made up. */
static unsigned key_index(uint32_t key) {
  if (key >= RACE_OTHER) return OFFSET_KEYS + OTHER_KEYS + key % OTHER_KEYS;
  if (key >= RACE_NAMED_BARRIER) return OFFSET_KEYS + key % OTHER_KEYS;
  return key / WORD % OFFSET_KEYS;
}

void race_release(race_tracker *r, unsigned thread, uint32_t key) {
  if (thread >= r->threads) return;
  const unsigned index = key_index(key), w = thread / LANES;
  key_state *k = &r->keys[index];
  thread_state *t = &r->thread[thread];
  vector *to = writable(r, &k->known);
  if (to == NULL) return;
  /* Whoever had all that was released before has all of it now too. */
  if (t->key == index && t->version == k->version) t->version++;
  k->version++;
  join_rows(to, t->known, rows_of(r, t->known));
  join_rows(to, r->warp[w].known, rows_of(r, r->warp[w].known));
  row_from(to, w, r->warp[w].base)[thread % LANES] = r->clock[thread];
  set_clock(r, thread, r->clock[thread] + 1);
}

void race_acquire(race_tracker *r, unsigned thread, uint32_t key) {
  if (thread >= r->threads) return;
  const unsigned index = key_index(key);
  key_state *k = &r->keys[index];
  thread_state *t = &r->thread[thread];
  if (t->key == index && t->version == k->version) return;
  const uint32_t rows = rows_of(r, k->known);
  if (rows != 0) {
    vector *known = writable(r, &t->known);
    if (known == NULL) return;
    join_rows(known, k->known, rows);
  }
  t->key = index;
  t->version = k->version;
}

/* Accesses. */

typedef struct access {
  race_tracker *r;
  unsigned thread;
  stamp now;
  uint32_t execution;
  race_conflict *conflict;
  bool races;
} access;

/* Whether what was done at the stamp came before; after the base has been looked at. */
static bool is_ordered(const access *a, stamp s) {
  const race_tracker *r = a->r;
  const unsigned other = thread_of(s), warp = a->thread / LANES;
  const uint32_t clock = clock_of(s);
  if (other == a->thread) return true;
  if (other / LANES == warp ? clock <= r->warp[warp].base
                            : row_knows(r, r->warp[warp].known, other, clock)) {
    return true;
  }
  return row_knows(r, r->thread[a->thread].known, other, clock);
}

static void check_against(access *a, stamp s, bool was_write, uint32_t offset) {
  if (clock_of(s) <= a->r->base || a->races || (is_strong(s) && is_strong(a->now)) || is_ordered(a, s))
    return;
  a->races = true;
  *a->conflict = (race_conflict){
      .thread = thread_of(s), .ptx_line = line_of(s), .was_write = was_write, .offset = offset};
}

/* Which of the remembered reads the new one takes the place of. Reads that came before are no loss, and
 * those of two different warps are worth more than two of one. */
static unsigned read_to_replace(const access *a, const cell *c) {
  const unsigned warp = a->thread / LANES;
  for (unsigned i = 0; i < 2; i++) {
    if (clock_of(c->reads[i]) <= a->r->base || thread_of(c->reads[i]) == a->thread) return i;
  }
  for (unsigned i = 0; i < 2; i++) {
    if (is_ordered(a, c->reads[i])) return i;
  }
  return thread_of(c->reads[0]) / LANES == warp && thread_of(c->reads[1]) / LANES != warp ? 0 : 1;
}

static void read_cell(access *a, cell *c, uint32_t offset) {
  if (clock_of(c->write) > a->r->base) check_against(a, c->write, true, offset);
  if (clock_of(c->reads[0]) <= a->r->base) {
    c->reads[0] = a->now;
    return;
  }
  stamp *old = &c->reads[read_to_replace(a, c)];
  /* A plain read conflicts with more than a strong one does. */
  const bool worth_more = is_strong(a->now) && !is_strong(*old) && thread_of(*old) == a->thread &&
                          clock_of(*old) == clock_of(a->now);
  if (!worth_more) *old = a->now;
}

static void write_cell(access *a, cell *c, uint32_t offset) {
  const uint32_t base = a->r->base;
  if (clock_of(c->write) > base && c->execution != a->execution) check_against(a, c->write, true, offset);
  if (clock_of(c->reads[0]) > base) {
    check_against(a, c->reads[0], false, offset);
    check_against(a, c->reads[1], false, offset);
  }
  c->write = a->now;
  c->execution = a->execution;
  c->reads[0] = c->reads[1] = 0;
}

/* The cells of a word's bytes, which count from now on; NULL without memory. */
static cell *split(race_tracker *r, uint32_t word) {
  if (r->byte_cells == NULL) r->byte_cells = calloc((size_t)r->words * WORD, sizeof *r->byte_cells);
  if (r->byte_cells == NULL) {
    r->blind = true;
    return NULL;
  }
  cell *c = &r->word_cells[word], *bytes = &r->byte_cells[(size_t)word * WORD];
  if (!c->split) {
    for (unsigned i = 0; i < WORD; i++) bytes[i] = *c;
    c->split = true;
  }
  return bytes;
}

/* Makes a split word whole again if there is nothing left to know of its bytes. */
static bool unsplit(race_tracker *r, uint32_t word) {
  const cell *bytes = &r->byte_cells[(size_t)word * WORD];
  for (unsigned i = 0; i < WORD; i++) {
    if (clock_of(bytes[i].write) > r->base || clock_of(bytes[i].reads[0]) > r->base) return false;
  }
  r->word_cells[word] = (cell){0};
  return true;
}

static void access_bytes(access *a, uint32_t word, uint32_t first, uint32_t end, bool is_write) {
  cell *bytes = split(a->r, word);
  if (bytes == NULL) return;
  for (uint32_t i = first; i < end; i++) {
    const uint32_t offset = word * WORD + i;
    if (is_write) {
      write_cell(a, &bytes[i], offset);
    } else {
      read_cell(a, &bytes[i], offset);
    }
  }
}

static void access_all(access *a, uint32_t offset, uint32_t bytes, bool is_write) {
  race_tracker *r = a->r;
  const uint32_t end = offset + bytes;
  for (uint32_t word = offset / WORD; word * WORD < end; word++) {
    const uint32_t at = word * WORD, first = offset > at ? offset - at : 0;
    const uint32_t behind = end - at < WORD ? end - at : WORD;
    cell *c = &r->word_cells[word];
    if (first != 0 || behind != WORD || (c->split && !unsplit(r, word))) {
      access_bytes(a, word, first, behind, is_write);
    } else if (is_write) {
      write_cell(a, c, at);
    } else {
      read_cell(a, c, at);
    }
  }
}

/* False: nothing of it is in shared memory. */
static bool clip(const race_tracker *r, unsigned thread, uint32_t offset, uint32_t *bytes) {
  const uint32_t size = r->words * WORD;
  if (r->blind || thread >= r->threads || offset >= size) return false;
  if (*bytes > size - offset) *bytes = size - offset;
  return *bytes != 0;
}

static stamp stamp_of(const race_tracker *r, unsigned thread, bool strong, unsigned line) {
  const uint64_t clock = r->clock[thread];
  return clock << 32 | (uint64_t)(line < MAX_LINE ? line : MAX_LINE) << 11 | (uint64_t)thread << 1 |
         (strong ? 1 : 0);
}

/* The shorter way, which most accesses go: plain, of one cell, and nothing in it by others but what the
 * base or the warp's base is above. */

static inline cell *only_cell(race_tracker *r, unsigned thread, uint32_t offset, uint32_t bytes) {
  const uint32_t word = offset / WORD;
  if (r->blind || thread >= r->threads || word >= r->words) return NULL;
  cell *c = &r->word_cells[word];
  if (bytes == WORD && offset % WORD == 0 && !c->split) return c;
  return bytes == 1 && c->split ? &r->byte_cells[offset] : NULL;
}

/* Of lanes of one warp that execute one instruction together. */
static inline bool is_alike(stamp a, stamp b) {
  return (a ^ b) < 2 * LANES;
}

static inline bool is_settled(const race_tracker *r, unsigned thread, stamp s) {
  const unsigned other = thread_of(s);
  const bool same_warp = other / LANES == thread / LANES;
  return clock_of(s) <= (same_warp ? r->warp[thread / LANES].base : r->base) || other == thread;
}

bool race_read(race_tracker *r, unsigned thread, uint32_t offset, uint32_t bytes, bool strong,
               unsigned ptx_line, race_conflict *conflict) {
  cell *c = strong ? NULL : only_cell(r, thread, offset, bytes);
  if (c != NULL && is_settled(r, thread, c->write)) {
    const stamp now = stamp_of(r, thread, false, ptx_line);
    /* As read_to_replace() has it; lanes that read a byte together are no better remembered one by one.
     */
    const bool first = clock_of(c->reads[0]) <= r->base || thread_of(c->reads[0]) == thread;
    if (first || clock_of(c->reads[1]) <= r->base || is_alike(c->reads[1], now)) {
      c->reads[first ? 0 : 1] = now;
      return false;
    }
  }
  if (!clip(r, thread, offset, &bytes)) return false;
  if (strong) {
    for (uint32_t i = offset / WORD; i * WORD < offset + bytes; i++) race_acquire(r, thread, i * WORD);
  }
  access a = {
      .r = r, .thread = thread, .now = stamp_of(r, thread, strong, ptx_line), .conflict = conflict};
  access_all(&a, offset, bytes, false);
  return a.races && !r->blind;
}

/* Lanes of a warp that come with the same store, in ascending order, execute it together. */
static uint32_t execution_of(race_tracker *r, unsigned thread, unsigned line) {
  execution *e = &r->current;
  if (thread / LANES != e->thread / LANES || thread < e->thread || line != e->line) e->number++;
  if (e->number == 0) e->number++; /* that is no execution */
  e->thread = thread;
  e->line = line;
  return e->number;
}

bool race_write(race_tracker *r, unsigned thread, uint32_t offset, uint32_t bytes, bool strong,
                unsigned ptx_line, race_conflict *conflict) {
  const uint32_t number = execution_of(r, thread, ptx_line);
  cell *c = strong ? NULL : only_cell(r, thread, offset, bytes);
  if (c != NULL && is_settled(r, thread, c->write) && is_settled(r, thread, c->reads[0]) &&
      is_settled(r, thread, c->reads[1])) {
    *c = (cell){.write = stamp_of(r, thread, false, ptx_line), .execution = number};
    return false;
  }
  if (!clip(r, thread, offset, &bytes)) return false;
  if (strong) {
    for (uint32_t i = offset / WORD; i * WORD < offset + bytes; i++) race_acquire(r, thread, i * WORD);
  }
  access a = {.r = r,
              .thread = thread,
              .now = stamp_of(r, thread, strong, ptx_line),
              .execution = number,
              .conflict = conflict};
  access_all(&a, offset, bytes, true);
  if (strong) {
    for (uint32_t i = offset / WORD; i * WORD < offset + bytes; i++) race_release(r, thread, i * WORD);
  }
  return a.races && !r->blind;
}
