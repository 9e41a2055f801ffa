#include "exec/recycle.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
  ALIGNMENT = 1024,
  SHELVES = 16, /* kinds of things that are kept */
  ITEMS = 256,  /* of a kind */
  MOST_KEPT = 32 << 20,
  BIG = 1 << 20, /* bytes: fresh pages cost less than zeroing what is mostly not used */
};

/* Things that are as good as each other. */
typedef struct shelf {
  void (*destroy)(void *item); /* NULL: nothing is here */
  uint64_t key;
  size_t bytes;  /* of an item, about */
  uint64_t used; /* when it was looked at */
  unsigned count;
  void *items[ITEMS];
} shelf;

typedef struct store {
  size_t kept;
  uint64_t time;
  shelf shelves[SHELVES];
} store;

/* Memory checkers are to see who uses what is over. */
#if defined(__SANITIZE_ADDRESS__)
static const bool keeps = false;
#else
static const bool keeps = true;
#endif

/* Workers do not end. */
static _Thread_local store *mine;

static shelf *find(void (*destroy)(void *), uint64_t key) {
  if (mine == NULL) return NULL;
  for (unsigned n = 0; n < SHELVES; ++n) {
    shelf *s = &mine->shelves[n];
    if (s->destroy != destroy || s->key != key) continue;
    s->used = ++mine->time;
    return s;
  }
  return NULL;
}

static void clear(shelf *s) {
  for (unsigned i = 0; i < s->count; ++i) s->destroy(s->items[i]);
  mine->kept -= s->count * s->bytes;
  s->count = 0;
}

static shelf *oldest(void) {
  shelf *found = &mine->shelves[0];
  for (unsigned n = 1; n < SHELVES; ++n)
    if (mine->shelves[n].used < found->used) found = &mine->shelves[n];
  return found;
}

static void *take(void (*destroy)(void *), uint64_t key) {
  shelf *s = find(destroy, key);
  if (s == NULL || s->count == 0) return NULL;
  mine->kept -= s->bytes;
  return s->items[--s->count];
}

static void give(void (*destroy)(void *), uint64_t key, size_t bytes, void *item) {
  if (mine == NULL && keeps) mine = calloc(1, sizeof *mine);
  shelf *s = find(destroy, key);
  if (s == NULL && mine != NULL) {
    s = oldest();
    clear(s);
    s->destroy = destroy;
    s->key = key;
    s->bytes = bytes;
    s->used = ++mine->time;
  }
  /* What has not been asked for lately makes room. */
  while (s != NULL && mine->kept + bytes > MOST_KEPT && oldest() != s) {
    clear(oldest());
    oldest()->used = ++mine->time;
  }
  if (s == NULL || s->count == ITEMS || mine->kept + bytes > MOST_KEPT) {
    destroy(item);
    return;
  }
  mine->kept += bytes;
  s->items[s->count++] = item;
}

/* ---- memory */

static size_t rounded(size_t bytes) {
  return (bytes + ALIGNMENT) / ALIGNMENT * ALIGNMENT;
}

void *recycle_take(size_t bytes) {
  void *memory = take(free, rounded(bytes));
  return memory != NULL ? memory : aligned_alloc(ALIGNMENT, rounded(bytes));
}

void recycle_give(void *memory, size_t bytes) {
  if (memory == NULL) return;
  if (bytes > BIG)
    free(memory);
  else
    give(free, rounded(bytes), rounded(bytes), memory);
}

void *recycle_take_zeros(size_t bytes) {
  if (bytes > BIG) return calloc(1, bytes);
  void *memory = recycle_take(bytes);
  if (memory != NULL) memset(memory, 0, bytes);
  return memory;
}

/* ---- race trackers */

static void destroy_tracker(void *item) {
  race_free(item);
}

static uint64_t shape(unsigned threads, uint32_t shared_bytes) {
  return (uint64_t)threads << 32 | shared_bytes;
}

race_tracker *recycle_take_tracker(unsigned threads, uint32_t shared_bytes) {
  race_tracker *r = take(destroy_tracker, shape(threads, shared_bytes));
  if (r == NULL) return race_create(threads, shared_bytes);
  race_barrier(r);
  return r;
}

void recycle_give_tracker(race_tracker *r, unsigned threads, uint32_t shared_bytes) {
  enum { WITHOUT_CELLS = 100000, CELL_PER_BYTE = 8 };
  if (r == NULL) return;
  give(destroy_tracker, shape(threads, shared_bytes),
       WITHOUT_CELLS + (size_t)shared_bytes * CELL_PER_BYTE, r);
}
