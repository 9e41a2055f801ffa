#include <stdlib.h>
#include <string.h>

#include "check/race_inner.h"

race_tracker *race_create(unsigned threads, uint32_t shared_bytes) {
  if (threads == 0 || threads > MAX_THREADS) return NULL;
  race_tracker *r = calloc(1, sizeof *r);
  if (r == NULL) return NULL;
  r->threads = threads;
  r->warps = (threads + LANES - 1) / LANES;
  r->words = shared_bytes / WORD + (shared_bytes % WORD != 0);
  /* So that no cell lies across cache lines. */
  const size_t size = ((size_t)r->words / 2 + 1) * 2 * sizeof *r->word_cells;
  r->word_cells = aligned_alloc(2 * sizeof *r->word_cells, size);
  if (r->word_cells == NULL) {
    free(r);
    return NULL;
  }
  memset(r->word_cells, 0, size);
  for (unsigned t = 0; t < threads; t++) {
    r->warp[t / LANES].lanes |= (uint32_t)1 << t % LANES;
    for (unsigned i = 0; i < REMEMBERED_KEYS; i++) r->thread[t].keys[i] = ALL_KEYS;
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

/* Where a thread remembers what it has acquired by a key; REMEMBERED_KEYS: nowhere. */
static unsigned memory_of(const thread_state *t, unsigned index) {
  unsigned i = 0;
  while (i < REMEMBERED_KEYS && t->keys[i] != index) i++;
  return i;
}

void race_release(race_tracker *r, unsigned thread, uint32_t key) {
  if (thread >= r->threads) return;
  const unsigned index = key_index(key), w = thread / LANES;
  key_state *k = &r->keys[index];
  thread_state *t = &r->thread[thread];
  vector *to = writable(r, &k->known);
  if (to == NULL) return;
  /* Whoever had all that was released before has all of it now too. */
  const unsigned i = memory_of(t, index);
  if (i < REMEMBERED_KEYS && t->versions[i] == k->version) t->versions[i]++;
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
  unsigned i = memory_of(t, index);
  if (i < REMEMBERED_KEYS && t->versions[i] == k->version) return;
  const uint32_t rows = rows_of(r, k->known);
  if (rows != 0) {
    vector *known = writable(r, &t->known);
    if (known == NULL) return;
    join_rows(known, k->known, rows);
  }
  if (i == REMEMBERED_KEYS) {
    i = t->oldest;
    t->oldest = (i + 1) % REMEMBERED_KEYS;
  }
  t->keys[i] = index;
  t->versions[i] = k->version;
}
