/* Accesses: what is remembered of each word or byte, and what conflicts with that. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "check/race_inner.h"

typedef struct access {
  race_tracker *r;
  unsigned thread;
  stamp now;
  uint32_t execution;
  race_conflict *conflict;
  bool races;
} access;

/* Whether what was done at the stamp came before what the thread does; the base has been looked at. */
static bool is_ordered(const race_tracker *r, unsigned thread, stamp s) {
  const unsigned other = thread_of(s), warp = thread / LANES;
  const uint32_t clock = clock_of(s);
  if (other == thread) return true;
  if (other / LANES == warp ? clock <= r->warp[warp].base
                            : row_knows(r, r->warp[warp].known, other, clock)) {
    return true;
  }
  return row_knows(r, r->thread[thread].known, other, clock);
}

static void check_against(access *a, stamp s, bool was_write, uint32_t offset) {
  if (clock_of(s) <= a->r->base || a->races || (is_strong(s) && is_strong(a->now)) ||
      is_ordered(a->r, a->thread, s))
    return;
  a->races = true;
  *a->conflict = (race_conflict){
      .thread = thread_of(s), .ptx_line = line_of(s), .was_write = was_write, .offset = offset};
}

/* Which of the remembered reads the new one takes the place of. Reads that came before are no loss, and
 * those of two different warps are worth more than two of one. */
static unsigned read_to_replace(const race_tracker *r, unsigned thread, const cell *c) {
  const unsigned warp = thread / LANES;
  for (unsigned i = 0; i < 2; i++) {
    if (clock_of(c->reads[i]) <= r->base || thread_of(c->reads[i]) == thread) return i;
  }
  for (unsigned i = 0; i < 2; i++) {
    if (is_ordered(r, thread, c->reads[i])) return i;
  }
  return thread_of(c->reads[0]) / LANES == warp && thread_of(c->reads[1]) / LANES != warp ? 0 : 1;
}

static void read_cell(access *a, cell *c, uint32_t offset) {
  if (clock_of(c->write) > a->r->base) check_against(a, c->write, true, offset);
  if (clock_of(c->reads[0]) <= a->r->base) {
    c->reads[0] = a->now;
    return;
  }
  stamp *old = &c->reads[read_to_replace(a->r, a->thread, c)];
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
  if (c->split == 0) {
    for (unsigned i = 0; i < WORD; i++) bytes[i] = *c;
    c->split = 1;
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
    if (first != 0 || behind != WORD || (c->split != 0 && !unsplit(r, word))) {
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

static stamp line_bits(unsigned line) {
  return (stamp)(line < MAX_LINE ? line : MAX_LINE) << 11;
}

static stamp stamp_of(const race_tracker *r, unsigned thread, bool strong, unsigned line) {
  return (stamp)r->clock[thread] << 32 | line_bits(line) | (stamp)thread << 1 | (strong ? 1 : 0);
}

/* Cell by cell, with all that may be the case. */
static bool access_fully(race_tracker *r, unsigned thread, uint32_t offset, const race_access *how,
                         uint32_t number, race_conflict *conflict) {
  uint32_t bytes = how->bytes;
  if (!clip(r, thread, offset, &bytes)) return false;
  const uint32_t end = offset + bytes;
  for (uint32_t i = offset / WORD; how->strong && i * WORD < end; i++) race_acquire(r, thread, i * WORD);
  access a = {.r = r,
              .thread = thread,
              .now = stamp_of(r, thread, how->strong, how->ptx_line),
              .execution = number,
              .conflict = conflict};
  access_all(&a, offset, bytes, how->is_write);
  if (how->strong && how->is_write) {
    for (uint32_t i = offset / WORD; i * WORD < end; i++) race_release(r, thread, i * WORD);
  }
  return a.races && !r->blind;
}

/* Shorter ways, which most accesses go: plain ones, of words or bytes that have cells of their own. */

typedef struct quick {
  race_tracker *r;
  uint32_t most;       /* the largest offset that can be accessed */
  stamp line;          /* a stamp but for the clock and the thread */
  stamp old, old_here; /* smaller stamps are ordered before: all; those of the same warp */
  uint32_t number;     /* of the execution of a store */
} quick;

/* False: there is none, and nothing may be asked of it. */
static bool quick_begin(quick *q, race_tracker *r, unsigned warp, const race_access *how,
                        uint32_t number) {
  const uint32_t size = r->words * WORD;
  *q = (quick){.r = r,
               .most = size - how->bytes,
               .line = line_bits(how->ptx_line),
               .old = (stamp)(r->base + 1) << 32,
               .old_here = (stamp)(r->warp[warp].base + 1) << 32,
               .number = number};
  return !how->strong && !r->blind && how->bytes != 0 && how->bytes <= size;
}

static inline stamp quick_stamp(const quick *q, unsigned thread) {
  return (stamp)q->r->clock[thread] << 32 | (stamp)thread << 1 | q->line;
}

/* Of lanes of one warp that execute one instruction together. */
static inline bool is_alike(stamp a, stamp b) {
  return (a ^ b) < 2 * LANES;
}

/* Whether what was done before is known to be so by the bases alone. */
static inline bool is_settled(const quick *q, stamp s, stamp now) {
  if (s < q->old) return true;
  const unsigned differs = thread_of(s ^ now);
  return differs == 0 || (differs < LANES && s < q->old_here);
}

static inline bool may_write(const quick *q, const cell *c, stamp now) {
  return is_settled(q, c->write, now) && is_settled(q, c->reads[0], now) &&
         is_settled(q, c->reads[1], now);
}

/* Where a read is remembered: lanes that read together are no better remembered one by one. */
static inline stamp *place_of_read(const quick *q, cell *c, stamp now) {
  if (c->reads[0] < q->old || thread_of(c->reads[0] ^ now) == 0) return &c->reads[0];
  if (c->reads[1] < q->old || is_alike(c->reads[1], now)) return &c->reads[1];
  return &c->reads[read_to_replace(q->r, thread_of(now), c)];
}

/* The cells that an access is of; NULL: it is not as simple as that. */
static inline cell *quick_cells(const quick *q, uint32_t offset, uint32_t bytes, uint32_t *count) {
  const race_tracker *r = q->r;
  if (offset > q->most) return NULL;
  cell *c = &r->word_cells[offset / WORD];
  if ((offset | bytes) % WORD == 0) {
    *count = bytes / WORD;
    bool is_split = false;
    for (uint32_t i = 0; i < *count; i++) is_split = is_split || c[i].split != 0;
    return is_split ? NULL : c;
  }
  *count = bytes;
  return c->split != 0 && offset % WORD + bytes <= WORD ? &r->byte_cells[offset] : NULL;
}

/* An access that conflicts with nothing according to the bases. False: nothing was done. */
static inline bool access_quickly(const quick *q, unsigned thread, uint32_t offset, uint32_t bytes,
                                  bool is_write) {
  uint32_t count;
  cell *c = quick_cells(q, offset, bytes, &count);
  if (c == NULL) return false;
  const stamp now = quick_stamp(q, thread);
  for (uint32_t i = 0; i < count; i++) {
    if (is_write ? !may_write(q, &c[i], now) : !is_settled(q, c[i].write, now)) return false;
  }
  for (uint32_t i = 0; i < count; i++) {
    if (is_write) {
      c[i] = (cell){.write = now, .execution = q->number};
    } else {
      *place_of_read(q, &c[i], now) = now;
    }
  }
  return true;
}

/* The lanes of an access one after the other. */
typedef struct batch {
  unsigned count;
  uint32_t offsets[LANES];
  stamp now[LANES];
} batch;

/* False: these are not all words that there are, aligned. */
static inline bool batch_fill(batch *b, const quick *q, unsigned warp, uint32_t lanes,
                              const uint32_t offsets[LANES]) {
  const unsigned first = warp * LANES;
  uint32_t bits = 0, outside = 0;
  if (lanes == UINT32_MAX) {
    b->count = LANES;
    for (unsigned l = 0; l < LANES; l++) {
      b->offsets[l] = offsets[l];
      b->now[l] = quick_stamp(q, first + l);
      bits |= offsets[l];
      outside |= offsets[l] > q->most;
    }
  } else {
    b->count = 0;
    for (; lanes != 0; lanes &= lanes - 1) {
      const unsigned l = (unsigned)__builtin_ctz(lanes);
      b->offsets[b->count] = offsets[l];
      b->now[b->count++] = quick_stamp(q, first + l);
      bits |= offsets[l];
      outside |= offsets[l] > q->most;
    }
  }
  return bits % WORD == 0 && outside == 0;
}

/* All are aligned: this is all that it takes. */
static inline cell *word_at(const quick *q, uint32_t offset) {
  return (cell *)(void *)((char *)q->r->word_cells + (size_t)offset * (sizeof(cell) / WORD));
}

/* A cell as numbers that are compared at once. */
typedef int64_t quad __attribute__((vector_size(32)));
_Static_assert(sizeof(quad) == sizeof(cell) && offsetof(cell, execution) == 24 &&
                   offsetof(cell, split) == 28,
               "a cell of another form");

/* What a cell's stamps must not be above; a read conflicts with no read. */
static inline void limit(quad *most, stamp old, bool is_write) {
  const int64_t last = (int64_t)old - 1, of_reads = is_write ? last : INT64_MAX;
  *most = (quad){last, of_reads, of_reads, UINT32_MAX};
}

static inline bool is_none(const quad *q) {
  return ((*q)[0] | (*q)[1] | (*q)[2] | (*q)[3]) == 0;
}

/* Whether all that might conflict was before the last barrier of the block; and no word is split. */
static inline bool are_old(const quick *q, const batch *b, uint32_t words, bool is_write) {
  quad most, over = {0};
  limit(&most, q->old, is_write);
#pragma GCC unroll 4
  for (unsigned k = 0; k < b->count; k++) {
    const cell *c = word_at(q, b->offsets[k]);
    for (uint32_t i = 0; i < words; i++) {
      quad one;
      memcpy(&one, &c[i], sizeof one);
      over |= one > most;
    }
  }
  return is_none(&over);
}

/* The same of is_settled(). */
static inline bool are_settled(const quick *q, const batch *b, uint32_t words, bool is_write) {
  enum { THREAD = 2 * (MAX_THREADS - 1), WARP = THREAD & ~(2 * (LANES - 1)) };
  const quad thread = {THREAD, THREAD, THREAD, -1}, warp = {WARP, WARP, WARP, -1};
  quad most, most_here, over = {0};
  limit(&most, q->old, is_write);
  limit(&most_here, q->old_here, is_write);
  for (unsigned k = 0; k < b->count; k++) {
    const cell *c = word_at(q, b->offsets[k]);
    const int64_t now = (int64_t)b->now[k];
    for (uint32_t i = 0; i < words; i++) {
      quad one;
      memcpy(&one, &c[i], sizeof one);
      const quad differs = one ^ (quad) { now, now, now, 0 };
      over |= (one > most) & ((differs & thread) != 0) & ((one > most_here) | ((differs & warp) != 0));
    }
  }
  return is_none(&over);
}

static inline void write_all(const quick *q, const batch *b, uint32_t words) {
#pragma GCC unroll 4
  for (unsigned k = 0; k < b->count; k++) {
    cell *c = word_at(q, b->offsets[k]);
    for (uint32_t i = 0; i < words; i++) c[i] = (cell){.write = b->now[k], .execution = q->number};
  }
}

static inline void read_all(const quick *q, const batch *b, uint32_t words) {
#pragma GCC unroll 4
  for (unsigned k = 0; k < b->count; k++) {
    cell *c = word_at(q, b->offsets[k]);
    for (uint32_t i = 0; i < words; i++) *place_of_read(q, &c[i], b->now[k]) = b->now[k];
  }
}

/* All lanes at once, if they access words and nothing may conflict: one lane after the other would leave
 * the same behind. False: nothing was done. */
static inline bool access_at_once(const quick *q, unsigned warp, uint32_t lanes,
                                  const uint32_t offsets[LANES], uint32_t bytes, bool is_write) {
  const uint32_t words = bytes / WORD;
  batch b;
  if (bytes % WORD != 0 || !batch_fill(&b, q, warp, lanes, offsets)) return false;
  if (!are_old(q, &b, words, is_write) && !are_settled(q, &b, words, is_write)) return false;
  if (is_write)
    write_all(q, &b, words);
  else
    read_all(q, &b, words);
  return true;
}

static uint32_t next_execution(race_tracker *r) {
  if (++r->current.number == 0) ++r->current.number; /* that is no execution */
  return r->current.number;
}

/* The lanes for which there is no shorter way, or which come after them: a byte's accesses have to be one
 * after the other. */
static inline uint32_t lanes_quickly(const quick *q, unsigned warp, uint32_t lanes,
                                     const uint32_t offsets[LANES], uint32_t bytes, bool is_write) {
  for (; lanes != 0; lanes &= lanes - 1) {
    const unsigned lane = (unsigned)__builtin_ctz(lanes);
    if (!access_quickly(q, warp * LANES + lane, offsets[lane], bytes, is_write)) break;
  }
  return lanes;
}

/* Sizes and kinds that are known make loops short ones. */
#define BY_KIND(f, ...)                                           \
  (how->bytes != WORD ? f(__VA_ARGS__, how->bytes, how->is_write) \
   : how->is_write    ? f(__VA_ARGS__, WORD, true)                \
                      : f(__VA_ARGS__, WORD, false))

int race_warp_access(race_tracker *r, unsigned warp, uint32_t lanes, const uint32_t offsets[LANES],
                     const race_access *how, race_conflict *conflict) {
  if (warp >= r->warps) return -1;
  const uint32_t number = next_execution(r);
  r->current.thread = UINT32_MAX; /* nobody else's store is this one */
  lanes &= r->warp[warp].lanes;
  quick q;
  const bool is_quick = quick_begin(&q, r, warp, how, number);
  if (is_quick && BY_KIND(access_at_once, &q, warp, lanes, offsets)) return -1;
  int first = -1;
  for (; lanes != 0; lanes &= lanes - 1) {
    if (is_quick) lanes = BY_KIND(lanes_quickly, &q, warp, lanes, offsets);
    if (lanes == 0) break;
    const unsigned lane = (unsigned)__builtin_ctz(lanes);
    race_conflict its;
    if (access_fully(r, warp * LANES + lane, offsets[lane], how, number, &its) && first < 0) {
      first = (int)lane;
      *conflict = its;
    }
  }
  return first;
}

/* Lanes of a warp that come with the same store, in ascending order, execute it together. */
static uint32_t execution_of(race_tracker *r, unsigned thread, unsigned line) {
  execution *e = &r->current;
  const bool is_same =
      thread / LANES == e->thread / LANES && thread >= e->thread && line == e->line && e->number != 0;
  e->thread = thread;
  e->line = line;
  return is_same ? e->number : next_execution(r);
}

static bool access_by_thread(race_tracker *r, unsigned thread, uint32_t offset, const race_access *how,
                             uint32_t number, race_conflict *conflict) {
  quick q;
  if (thread < r->threads && quick_begin(&q, r, thread / LANES, how, number) &&
      access_quickly(&q, thread, offset, how->bytes, how->is_write)) {
    return false;
  }
  return access_fully(r, thread, offset, how, number, conflict);
}

bool race_read(race_tracker *r, unsigned thread, uint32_t offset, uint32_t bytes, bool strong,
               unsigned ptx_line, race_conflict *conflict) {
  const race_access how = {.bytes = bytes, .strong = strong, .ptx_line = ptx_line};
  return access_by_thread(r, thread, offset, &how, 0, conflict);
}

bool race_write(race_tracker *r, unsigned thread, uint32_t offset, uint32_t bytes, bool strong,
                unsigned ptx_line, race_conflict *conflict) {
  const race_access how = {.bytes = bytes, .is_write = true, .strong = strong, .ptx_line = ptx_line};
  return access_by_thread(r, thread, offset, &how, execution_of(r, thread, ptx_line), conflict);
}
