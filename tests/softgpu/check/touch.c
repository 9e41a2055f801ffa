#include "check/touch.h"

#include <stdlib.h>
#include <string.h>

/* ---- logs: bits until all of a page's bytes are set */

enum {
  PAGE_SHIFT = TOUCH_PAGE_SHIFT,
  PAGE = 1 << PAGE_SHIFT,
  WORD = 64,
  WORDS = PAGE / WORD,
  RECENT = 64
};

typedef struct page {
  uint64_t number;             /* 0: none, as nothing lies there */
  uint64_t *bits[TOUCH_KINDS]; /* NULL: no byte, or all */
  unsigned count[TOUCH_KINDS]; /* of bytes */
} page;

struct touch_log {
  page **table; /* by number, open addressing */
  size_t count, capacity;
  page *recent[RECENT];
};

touch_log *touch_log_create(void) {
  return calloc(1, sizeof(touch_log));
}

void touch_log_free(touch_log *l) {
  if (l == NULL) return;
  for (size_t i = 0; i < l->capacity; ++i) {
    page *p = l->table[i];
    for (int k = 0; p != NULL && k < TOUCH_KINDS; ++k) free(p->bits[k]);
    free(p);
  }
  free(l->table);
  free(l);
}

static page **place_of(page **table, size_t capacity, uint64_t number) {
  size_t at = (size_t)(number * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (capacity - 1);
  while (table[at] != NULL && table[at]->number != number) at = (at + 1) & (capacity - 1);
  return &table[at];
}

static bool grow(touch_log *l) {
  const size_t capacity = l->capacity > 0 ? 2 * l->capacity : 256;
  page **larger = calloc(capacity, sizeof *larger);
  if (larger == NULL) return false;
  for (size_t i = 0; i < l->capacity; ++i) {
    if (l->table[i] != NULL) *place_of(larger, capacity, l->table[i]->number) = l->table[i];
  }
  free(l->table);
  l->table = larger;
  l->capacity = capacity;
  return true;
}

/* NULL: no memory. */
static page *find_page(touch_log *l, uint64_t number) {
  page **recent = &l->recent[number % RECENT];
  if (*recent != NULL && (*recent)->number == number) return *recent;
  if (2 * l->count >= l->capacity && !grow(l)) return NULL;
  page **place = place_of(l->table, l->capacity, number);
  if (*place == NULL) {
    *place = calloc(1, sizeof **place);
    if (*place == NULL) return NULL;
    (*place)->number = number;
    ++l->count;
  }
  return *recent = *place;
}

/* Bits [from, to) of a word's 64. */
static uint64_t mask(unsigned from, unsigned to) {
  return (to < WORD ? (UINT64_C(1) << to) - 1 : UINT64_MAX) & ~((UINT64_C(1) << from) - 1);
}

/* Bytes [from, to) of the page. */
static void set_bytes(page *p, touch_kind kind, unsigned from, unsigned to) {
  if (p->count[kind] == PAGE) return;
  if (from == 0 && to == PAGE) {
    free(p->bits[kind]);
    p->bits[kind] = NULL;
    p->count[kind] = PAGE;
    return;
  }
  if (p->bits[kind] == NULL) p->bits[kind] = calloc(WORDS, sizeof **p->bits);
  uint64_t *bits = p->bits[kind];
  if (bits == NULL) return;
  for (unsigned w = from / WORD; w * WORD < to; ++w) {
    const unsigned first = w * WORD;
    const uint64_t wanted = mask(from > first ? from - first : 0, to - first < WORD ? to - first : WORD);
    const uint64_t fresh = wanted & ~bits[w];
    if (fresh == 0) continue;
    p->count[kind] += (unsigned)__builtin_popcountll(fresh);
    bits[w] |= fresh;
  }
  if (p->count[kind] < PAGE) return;
  free(bits);
  p->bits[kind] = NULL;
}

/* Most accesses: what lies within a word of bits that is there. */
static bool set_in_word(const touch_log *l, touch_kind kind, uint64_t address, uint64_t bytes) {
  const uint64_t number = address >> PAGE_SHIFT;
  const unsigned from = (unsigned)(address % WORD);
  page *p = l->recent[number % RECENT];
  if (p == NULL || p->number != number) return false;
  if (p->count[kind] == PAGE) return from + bytes <= WORD;
  if (p->bits[kind] == NULL || from + bytes > WORD) return false;
  uint64_t *bits = &p->bits[kind][address % PAGE / WORD];
  const uint64_t wanted = mask(from, from + (unsigned)bytes), fresh = wanted & ~*bits;
  if (fresh == 0) return true;
  const unsigned count = p->count[kind] + (unsigned)__builtin_popcountll(fresh);
  if (count == PAGE) return false;
  p->count[kind] = count;
  *bits |= fresh;
  return true;
}

void touch_log_add(touch_log *l, touch_kind kind, uint64_t address, uint64_t bytes) {
  if (bytes <= WORD && set_in_word(l, kind, address, bytes)) return;
  while (bytes > 0) {
    const uint64_t from = address % PAGE, length = bytes < PAGE - from ? bytes : PAGE - from;
    page *p = find_page(l, address >> PAGE_SHIFT);
    if (p != NULL) set_bytes(p, kind, (unsigned)from, (unsigned)(from + length));
    address += length;
    bytes -= length;
  }
}

/* The first of bytes [from, to) of the page that is set; PAGE: none. */
static unsigned first_set(const page *p, touch_kind kind, unsigned from, unsigned to) {
  const uint64_t *bits = p->bits[kind];
  if (bits == NULL) return p->count[kind] == PAGE ? from : PAGE;
  for (unsigned w = from / WORD; w * WORD < to; ++w) {
    const unsigned first = w * WORD;
    const uint64_t there =
        bits[w] & mask(from > first ? from - first : 0, to - first < WORD ? to - first : WORD);
    if (there != 0) return first + (unsigned)__builtin_ctzll(there);
  }
  return PAGE;
}

static bool page_meets(const page *p, touch_kind kind, uint64_t begin, uint64_t end, uint64_t *address) {
  const uint64_t base = p->number << PAGE_SHIFT;
  if (end <= base || begin >= base + PAGE) return false;
  const unsigned at = first_set(p, kind, begin > base ? (unsigned)(begin - base) : 0,
                                end < base + PAGE ? (unsigned)(end - base) : PAGE);
  *address = base + at;
  return at < PAGE;
}

/* A byte of [begin, end) that is in the log. */
static bool log_meets(const touch_log *l, touch_kind kind, uint64_t begin, uint64_t end,
                      uint64_t *address) {
  if (l == NULL || l->count == 0) return false;
  const uint64_t first = begin >> PAGE_SHIFT, last = (end - 1) >> PAGE_SHIFT;
  if (last - first < l->count) {
    for (uint64_t number = first; number <= last; ++number) {
      const page *p = *place_of(l->table, l->capacity, number);
      if (p != NULL && page_meets(p, kind, begin, end, address)) return true;
    }
    return false;
  }
  for (size_t i = 0; i < l->capacity; ++i) {
    if (l->table[i] != NULL && page_meets(l->table[i], kind, begin, end, address)) return true;
  }
  return false;
}

static bool pages_meet(const page *a, touch_kind of_a, const page *b, touch_kind of_b,
                       uint64_t *address) {
  for (unsigned at = 0; at < PAGE; at = (at / WORD + 1) * WORD) {
    const uint64_t x = a->bits[of_a] != NULL    ? a->bits[of_a][at / WORD]
                       : a->count[of_a] == PAGE ? UINT64_MAX
                                                : 0;
    const uint64_t y = b->bits[of_b] != NULL    ? b->bits[of_b][at / WORD]
                       : b->count[of_b] == PAGE ? UINT64_MAX
                                                : 0;
    if ((x & y) == 0) continue;
    *address = (a->number << PAGE_SHIFT) + at + (unsigned)__builtin_ctzll(x & y);
    return true;
  }
  return false;
}

static bool logs_meet(const touch_log *a, touch_kind of_a, const touch_log *b, touch_kind of_b,
                      uint64_t *address) {
  if (a == NULL || b == NULL || b->count == 0) return false;
  if (a->count > b->count) return logs_meet(b, of_b, a, of_a, address);
  for (size_t i = 0; i < a->capacity; ++i) {
    const page *p = a->table[i];
    const page *q = p != NULL ? *place_of(b->table, b->capacity, p->number) : NULL;
    if (q != NULL && pages_meet(p, of_a, q, of_b, address)) return true;
  }
  return false;
}

static void merge_page(page *to, page *from) {
  for (int k = 0; k < TOUCH_KINDS; ++k) {
    if (from->count[k] == PAGE) set_bytes(to, (touch_kind)k, 0, PAGE);
    for (unsigned w = 0; from->bits[k] != NULL && w < WORDS; ++w) {
      for (uint64_t rest = from->bits[k][w]; rest != 0;) { /* runs of bits */
        const unsigned first = (unsigned)__builtin_ctzll(rest);
        const uint64_t ends = ~(rest >> first);
        const unsigned end = first + (ends == 0 ? WORD : (unsigned)__builtin_ctzll(ends));
        set_bytes(to, (touch_kind)k, w * WORD + first, w * WORD + end);
        rest = end < WORD ? rest & (UINT64_MAX << end) : 0;
      }
    }
  }
}

void touched_add_log(touched *t, touch_log *l) {
  if (t->log == NULL) {
    t->log = l;
    return;
  }
  for (size_t i = 0; l != NULL && i < l->capacity; ++i) {
    page *to = l->table[i] != NULL ? find_page(t->log, l->table[i]->number) : NULL;
    if (to != NULL) merge_page(to, l->table[i]);
  }
  touch_log_free(l);
}

/* ---- sets of addresses */

void touched_add(touched *t, touch_kind kind, uint64_t begin, uint64_t end) {
  touch_set *s = &t->of[kind];
  if (begin >= end) return;
  if (s->count > 0 && s->spans[s->count - 1].end == begin) { /* rows without gaps, for one */
    s->spans[s->count - 1].end = end;
    return;
  }
  if (s->count == s->capacity) {
    const size_t capacity = s->capacity > 0 ? 2 * s->capacity : 1;
    touch_span *larger = realloc(s->spans, capacity * sizeof *larger);
    if (larger == NULL) return;
    s->spans = larger;
    s->capacity = capacity;
  }
  s->spans[s->count++] = (touch_span){begin, end};
}

static int by_begin(const void *a, const void *b) {
  const touch_span *x = a, *y = b;
  return (x->begin > y->begin) - (x->begin < y->begin);
}

static void settle(touch_set *s) {
  size_t kept = 0;
  if (s->count > 1) qsort(s->spans, s->count, sizeof *s->spans, by_begin);
  for (size_t i = 0; i < s->count; ++i) {
    const touch_span next = s->spans[i];
    if (kept == 0 || s->spans[kept - 1].end < next.begin)
      s->spans[kept++] = next;
    else if (s->spans[kept - 1].end < next.end)
      s->spans[kept - 1].end = next.end;
  }
  s->count = kept;
}

void touched_settle(touched *t) {
  for (int k = 0; k < TOUCH_KINDS; ++k) settle(&t->of[k]);
}

static void set_bit(touch_filter *f, uint64_t number) {
  const uint64_t bit = number % TOUCH_FILTER_BITS;
  f->bits[bit / 64] |= UINT64_C(1) << bit % 64;
}

static void add_span(touch_filter *f, const touch_span *s) {
  enum { FEW = 256 };
  const uint64_t first = s->begin >> PAGE_SHIFT, last = (s->end - 1) >> PAGE_SHIFT;
  if (last - first < FEW) {
    for (uint64_t number = first; number <= last; ++number) set_bit(f, number);
  } else if (f->large.end == 0) {
    f->large = *s;
  } else {
    if (s->begin < f->large.begin) f->large.begin = s->begin;
    if (s->end > f->large.end) f->large.end = s->end;
  }
}

void touched_add_to(const touched *t, touch_filter *f) {
  for (int k = 0; k < TOUCH_KINDS; ++k) {
    for (size_t i = 0; i < t->of[k].count; ++i) add_span(f, &t->of[k].spans[i]);
  }
  for (size_t i = 0; t->log != NULL && i < t->log->capacity; ++i) {
    if (t->log->table[i] != NULL) set_bit(f, t->log->table[i]->number);
  }
}

bool touched_is_empty(const touched *t) {
  size_t count = 0;
  for (int k = 0; k < TOUCH_KINDS; ++k) count += t->of[k].count;
  return count == 0 && (t->log == NULL || t->log->count == 0);
}

void touched_free(touched *t) {
  for (int k = 0; k < TOUCH_KINDS; ++k) free(t->of[k].spans);
  touch_log_free(t->log);
  *t = (touched){0};
}

/* The first span that ends behind the address. */
static size_t first_behind(const touch_set *s, uint64_t address) {
  size_t low = 0, high = s->count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (s->spans[middle].end > address)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

/* The first byte of [begin, end) that is in the set. */
static bool meets(const touch_set *s, uint64_t begin, uint64_t end, uint64_t *address) {
  const size_t i = first_behind(s, begin);
  if (i == s->count || s->spans[i].begin >= end) return false;
  *address = s->spans[i].begin > begin ? s->spans[i].begin : begin;
  return true;
}

bool touched_conflicts_with(const touched *other, touch_kind mine, uint64_t begin, uint64_t end,
                            touch_conflict *c) {
  for (int k = 0; k < TOUCH_KINDS; ++k) {
    if (!touch_kinds_conflict(mine, (touch_kind)k)) continue;
    if (!meets(&other->of[k], begin, end, &c->address) &&
        !log_meets(other->log, (touch_kind)k, begin, end, &c->address))
      continue;
    c->mine = mine;
    c->other = (touch_kind)k;
    return true;
  }
  return false;
}

static bool set_meets_log(const touch_set *s, const touch_log *l, touch_kind kind, uint64_t *address) {
  for (size_t i = 0; i < s->count; ++i) {
    if (log_meets(l, kind, s->spans[i].begin, s->spans[i].end, address)) return true;
  }
  return false;
}

static bool sets_meet(const touch_set *a, const touch_set *b, uint64_t *address) {
  const touch_set *few = a->count < b->count ? a : b, *many = few == a ? b : a;
  for (size_t i = 0; i < few->count; ++i) {
    if (meets(many, few->spans[i].begin, few->spans[i].end, address)) return true;
  }
  return false;
}

bool touched_conflict(const touched *mine, const touched *other, touch_conflict *c) {
  for (int m = 0; m < TOUCH_KINDS; ++m) {
    for (int o = 0; o < TOUCH_KINDS; ++o) {
      if (!touch_kinds_conflict((touch_kind)m, (touch_kind)o)) continue;
      const touch_kind of_mine = (touch_kind)m, of_other = (touch_kind)o;
      if (!sets_meet(&mine->of[m], &other->of[o], &c->address) &&
          !set_meets_log(&mine->of[m], other->log, of_other, &c->address) &&
          !set_meets_log(&other->of[o], mine->log, of_mine, &c->address) &&
          !logs_meet(mine->log, of_mine, other->log, of_other, &c->address))
        continue;
      c->mine = (touch_kind)m;
      c->other = (touch_kind)o;
      return true;
    }
  }
  return false;
}
