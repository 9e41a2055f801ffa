#include "exec/async.h"

#include <stdlib.h>
#include <string.h>

#include "api/settings.h"
#include "exec/async_item.h"
#include "exec/block.h"
#include "exec/op_async.h"
#include "memory/memory.h"

typedef struct async_work {
  async_item *first;
  uint32_t *open_groups; /* by thread */
  uint64_t random;       /* 0: in order */
} async_work;

/* ---- the block's work */

static async_work *work_of(const mbarrier_user *u) {
  block *b = u->w->block;
  if (b->async != NULL) return b->async;
  async_work *work = calloc(1, sizeof *work);
  if (work != NULL) work->open_groups = calloc((size_t)b->warp_count * LANES, sizeof *work->open_groups);
  if (work == NULL || work->open_groups == NULL) {
    free(work);
    return NULL;
  }
  const uint64_t seed = settings_get()->seed;
  if (seed != 0) {
    work->random = (seed ^ b->grid->launch.id << 32) * UINT64_C(0x9e3779b97f4a7c15);
    work->random ^= b->id[0] + ((uint64_t)b->id[1] << 20) + ((uint64_t)b->id[2] << 40);
    if (work->random == 0) work->random = seed;
  }
  return b->async = work;
}

static bool no_memory(const mbarrier_user *u) {
  const report_place place = place_of(u->w, u->i, u->lane);
  (void)report(REPORT_TRAP, &place, "the simulator is out of memory");
  fault(u->w, CUDA_ERROR_OUT_OF_MEMORY);
  return false;
}

bool async_begin(const async_item *item) {
  enum { DELAY = 2, MOST_DELAY = 8 };
  async_work *work = work_of(&item->user);
  async_item *added = work == NULL ? NULL : malloc(sizeof *added);
  if (added == NULL) {
    free(item->data);
    return no_memory(&item->user);
  }
  *added = *item;
  added->next = NULL;
  added->delay = work->random == 0 ? DELAY : (unsigned)(draw(&work->random) % MOST_DELAY) + 1;
  async_item **end = &work->first;
  while (*end != NULL) end = &(*end)->next;
  *end = added;
  return true;
}

static void remove_item(async_item **at) {
  async_item *item = *at;
  *at = item->next;
  free(item->data);
  free(item);
}

/* ---- performing it */

static bool gone(const async_item *item, uint64_t address, const char *what) {
  report_place place = place_of(item->user.w, item->user.i, item->user.lane);
  place.address = address;
  place.has_address = address != 0;
  (void)report(REPORT_USE_AFTER_FREE, &place,
               "the %s of an asynchronous copy of %u bytes is gone before it is complete", what,
               item->size);
  fault(item->user.w, CUDA_ERROR_ILLEGAL_ADDRESS);
  return false;
}

/* Where a place is in the host, and its shadow; false if it is not there any longer. */
static bool find(const async_item *item, const async_place *p, const char *what, uint8_t **host,
                 uint8_t **shadow) {
  if (p->is_shared) {
    const block *b = p->shared.block;
    if (b->live_warps == 0 && b != item->user.w->block) return gone(item, 0, what);
    *host = b->shared + p->shared.offset;
    *shadow = shared_shadow_at(&p->shared);
    return true;
  }
  const allocation *a = memory_holding(p->address, item->size);
  if (a == NULL) return gone(item, p->address, what);
  *host = (uint8_t *)(uintptr_t)p->address;
  *shadow = atomic_load_explicit(&a->all_set, memory_order_relaxed) ? NULL : memory_shadow(p->address);
  return true;
}

static bool read_item(async_item *item) {
  uint8_t *host, *shadow;
  if (item->data != NULL) return true;
  if (!find(item, &item->from, "source", &host, &shadow)) return false;
  item->data = malloc(2 * (size_t)item->size + 1);
  if (item->data == NULL) return no_memory(&item->user);
  memcpy(item->data, host, item->size);
  if (shadow != NULL && settings_get()->check)
    memcpy(item->data + item->size, shadow, item->size);
  else
    memset(item->data + item->size, SHADOW_SET, item->size);
  return true;
}

static void combine(const async_item *item, uint8_t *to, uint8_t *shadow) {
  const atomic_form *f = &item->form;
  for (uint32_t at = 0; at < item->size; at += f->size) {
    uint64_t value = 0;
    memcpy(&value, item->data + at, f->size);
    (void)atomic_at(f, to + at, value, 0);
  }
  if (shadow == NULL || !settings_get()->check) return;
  bool unset = false;
  for (uint32_t b = 0; b < item->size; ++b)
    unset |= shadow[b] == SHADOW_UNSET || item->data[item->size + b] == SHADOW_UNSET;
  memset(shadow, SHADOW_SET, item->size);
  if (!unset) return;
  const report_place place = place_of(item->user.w, item->user.i, item->user.lane);
  (void)report(REPORT_UNINITIALISED, &place, "asynchronous reduction of memory which nobody wrote");
}

/* Marks what was written as the source was; in memory that was set as a whole, byte by byte where it must
 * be. */
static void mark(const async_item *item, uint8_t *shadow) {
  const uint8_t *from = item->data + item->size;
  if (shadow != NULL) {
    memcpy(shadow, from, item->size);
    return;
  }
  allocation *a = item->to.is_shared ? NULL : memory_holding(item->to.address, item->size);
  for (uint32_t b = 0; a != NULL && b < item->size; ++b)
    if (from[b] == SHADOW_UNSET) memory_mark(a, item->to.address + b, 1, false);
}

static bool perform(async_item *item) {
  uint8_t *host, *shadow;
  if (!read_item(item) || !find(item, &item->to, "destination", &host, &shadow)) return false;
  if (item->reduces) {
    combine(item, host, shadow);
  } else {
    mark(item, shadow);
    memcpy(host, item->data, item->size);
  }
  if (item->to.is_shared) ++item->to.shared.block->changes;
  ++item->user.w->block->changes;
  ++item->user.w->stores;
  return !item->has_barrier || mbarrier_expect(&item->user, &item->barrier, -(int64_t)item->size);
}

/* Performs an item and takes it out. */
static bool finish(async_item **at) {
  const bool ok = perform(*at);
  remove_item(at);
  return ok;
}

static async_item **nth(async_work *work, uint64_t n) {
  async_item **at = &work->first;
  while (n-- > 0) at = &(*at)->next;
  return at;
}

/* ---- groups */

uint32_t async_open_group(const mbarrier_user *u) {
  const async_work *work = work_of(u);
  return work == NULL ? 0 : work->open_groups[thread_of(u->w, u->lane)];
}

void async_close_group(const mbarrier_user *u) {
  async_work *work = work_of(u);
  if (work != NULL) ++work->open_groups[thread_of(u->w, u->lane)];
}

bool async_wait_groups(const mbarrier_user *u, uint32_t left, bool reading) {
  async_work *work = u->w->block->async;
  if (work == NULL) return true;
  const uint32_t open = work->open_groups[thread_of(u->w, u->lane)];
  for (async_item **at = &work->first; *at != NULL;) {
    async_item *item = *at;
    const bool due = item->has_group && item->user.w == u->w && item->user.lane == u->lane &&
                     (uint64_t)item->group + left < open;
    if (due && !reading) {
      if (!finish(at)) return false;
      continue; /* the next one is in its place */
    }
    if (due && !read_item(item)) return false;
    at = &item->next;
  }
  return true;
}

/* ---- ends */

static void check_end(const async_item *item) {
  const block *own = item->user.w->block;
  const bool reads = item->from.is_shared && item->from.shared.block == own && item->data == NULL;
  const bool writes = item->to.is_shared && item->to.shared.block == own;
  if (!reads && !writes) return;
  const report_place place = place_of(item->user.w, item->user.i, item->user.lane);
  (void)report(REPORT_USE_AFTER_FREE, &place,
               "the block is over while %u bytes are still to be copied %s its shared memory", item->size,
               reads ? "from" : "to");
}

/* The block's threads are over. */
static void flush(async_work *work) {
  while (work->first != NULL) {
    check_end(work->first);
    if (!finish(&work->first)) return;
  }
}

bool async_progress(block *b, bool must) {
  async_work *work = b->async;
  if (work == NULL || work->first == NULL) return false;
  if (block_live_threads(b) == 0) {
    flush(work);
    return true;
  }
  bool done = false;
  uint64_t count = 0;
  for (async_item **at = &work->first; *at != NULL;) {
    if ((*at)->delay > 0 && --(*at)->delay > 0) {
      at = &(*at)->next;
      ++count;
      continue;
    }
    done = true;
    if (!finish(at)) return true;
  }
  if (must && !done) (void)finish(nth(work, work->random == 0 ? 0 : draw(&work->random) % count));
  return true;
}

void async_end(block *b) {
  for (unsigned i = 0; b->warps != NULL && i < b->warp_count; ++i)
    copies_forget(&b->warps[i], (uint32_t)FULL);
  async_work *work = b->async;
  if (work == NULL) return;
  while (work->first != NULL) remove_item(&work->first);
  free(work->open_groups);
  free(work);
  b->async = NULL;
}
