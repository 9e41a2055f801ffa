#include "work/order.h"

#include <stdio.h>
#include <stdlib.h>

#include "api/settings.h"
#include "check/report.h"
#include "memory/memory.h"
#include "work/op_inner.h"

enum { MOST_OPS = 4096 };

/* Those that may conflict with one another or with what is yet to be submitted, by their numbers. */
static op *oldest, *newest;
static size_t op_count;
static uint64_t last_number, last_mark;
static unsigned host_threads; /* that have submitted anything */

op *order_oldest(void) {
  return oldest;
}

uint64_t order_last_number(void) {
  return last_number;
}

/* ---- what is remembered */

static void unlink_op(op *o) {
  *(o->older != NULL ? &o->older->newer : &oldest) = o->newer;
  *(o->newer != NULL ? &o->newer->older : &newest) = o->older;
  o->older = o->newer = NULL;
  --op_count;
  const size_t count = o->before_count;
  o->before_count = 0;
  for (size_t i = 0; i < count; ++i) op_drop(o->before[i]);
  op_drop(o);
}

/* What is over and comes before all that is not, or may yet be submitted. */
static void forget(void) {
  const op *first = oldest;
  while (first != NULL && first->complete) first = first->newer;
  const uint64_t reach = first != NULL ? first->number : UINT64_MAX;
  for (op *o = oldest; o != NULL;) {
    op *next = o->newer;
    if (o->complete && o->known < reach) unlink_op(o);
    o = next;
  }
}

/* A program that never waits: what is long over is taken for known. */
static void forget_many(void) {
  for (op *o = oldest; o != NULL && op_count > MOST_OPS / 2;) {
    op *next = o->newer;
    if (o->complete) unlink_op(o);
    o = next;
  }
}

static void know(op *o) {
  op *list = NULL;
  if (o->known != UINT64_MAX || o->number == 0) return;
  o->known = last_number;
  o->found = NULL;
  for (list = o; list != NULL;) {
    o = list;
    list = o->found;
    for (size_t i = 0; i < o->before_count; ++i) {
      op *b = o->before[i];
      if (b->known != UINT64_MAX) continue;
      b->known = last_number;
      b->found = list;
      list = b;
    }
  }
}

void order_known(op *o) {
  know(o);
  forget();
}

void work_known(domain *d) {
  for (op *o = oldest; o != NULL; o = o->newer) {
    if (o->where == d && o->complete) know(o);
  }
  forget();
}

/* ---- what comes before what */

/* Marks all that it comes after. */
static void mark_before(op *o, uint64_t mark) {
  op *list = o;
  o->mark = mark;
  o->found = NULL;
  while (list != NULL) {
    const op *at = list;
    list = at->found;
    for (size_t i = 0; i < at->before_count; ++i) {
      op *b = at->before[i];
      if (b->mark == mark) continue;
      b->mark = mark;
      b->found = list;
      list = b;
    }
  }
}

/* Marks all that come after it, of which none is over, as it is not. */
static void mark_after(op *o, uint64_t mark) {
  op *list = o;
  o->mark = mark;
  o->found = NULL;
  while (list != NULL) {
    const op *at = list;
    list = at->found;
    for (const edge *e = at->edges; e != NULL; e = e->next) {
      if (e->later->mark == mark) continue;
      e->later->mark = mark;
      e->later->found = list;
      list = e->later;
    }
  }
}

/* ---- what they touch */

static void touch_copy(touched *t, const copy_task *c) {
  for (size_t z = 0; z < c->depth; ++z) {
    for (size_t y = 0; y < c->height; ++y) {
      const uint64_t to = c->to + z * c->to_slice + y * c->to_pitch;
      const uint64_t from = c->from + z * c->from_slice + y * c->from_pitch;
      touched_add(t, TOUCH_WRITE, to, to + c->width);
      if (c->staged == NULL) touched_add(t, TOUCH_READ, from, from + c->width);
    }
  }
}

static void touch_set_memory(touched *t, const set_task *s) {
  for (size_t y = 0; y < s->height; ++y) {
    const uint64_t to = s->to + y * s->pitch;
    touched_add(t, TOUCH_WRITE, to, to + s->width * s->element);
  }
}

static void touch_allocation(touched *t, uint64_t address) {
  const allocation *a = memory_find(address);
  if (a != NULL) touched_add(t, TOUCH_WRITE, a->address, a->address + a->size);
}

/* By its task alone. False: only its execution shows that. */
static bool find_touched(op *o) {
  if (o->is_touched_known) return true;
  switch (o->kind) {
    case TASK_COPY:
      touch_copy(&o->touched, &o->what.copy);
      break;
    case TASK_SET:
      touch_set_memory(&o->touched, &o->what.set);
      break;
    case TASK_FREE:
    case TASK_RENEW:
      touch_allocation(&o->touched, o->what.memory.address);
      break;
    default:
      return false;
  }
  touched_settle(&o->touched);
  return o->is_touched_known = true;
}

/* ---- what is said about them */

static void describe(const op *o, char *text, size_t size) {
  char stream[64];
  const task_place *p = &o->what.place;
  if (p->is_legacy)
    (void)snprintf(stream, sizeof stream, "the default stream");
  else
    (void)snprintf(stream, sizeof stream, "stream %llu%s", p->stream,
                   p->is_blocking ? "" : " (non-blocking)");
  (void)snprintf(text, size, "%s%s in %s%s", o->kind == TASK_KERNEL ? "kernel " : "",
                 o->kind == TASK_KERNEL ? o->name != NULL ? o->name : "?"
                 : o->what.call != NULL ? o->what.call
                                        : "an operation",
                 p->is_graph ? "a graph in " : "", stream);
}

enum { TEXT = 512 };

static const char *const verbs[] = {
    [TOUCH_READ] = "reads", [TOUCH_WRITE] = "writes", [TOUCH_ATOMIC] = "updates"};

static void tell(const op *o, const op *other, const touch_conflict *c) {
  char mine[TEXT], others[TEXT];
  const report_place place = {.address = c->address, .has_address = true};
  describe(o, mine, sizeof mine);
  describe(other, others, sizeof others);
  (void)report(REPORT_ORDER, &place, "%s %s what %s %s; nothing orders the two", mine, verbs[c->mine],
               others, verbs[c->other]);
}

/* ---- operations */

void order_submitted(op *o) {
  static _Thread_local bool is_known_thread;
  if (!is_known_thread) ++host_threads;
  is_known_thread = true;
  o->number = ++last_number;
  o->older = newest;
  *(newest != NULL ? &newest->newer : &oldest) = o;
  newest = op_hold(o);
  if (++op_count > MOST_OPS) forget_many();
  /* The memory will not be known any more when it has been freed. */
  if (o->kind == TASK_FREE) (void)find_touched(o);
}

/* Neither marked as before or after the other one nor known to be over when that was submitted. */
static bool is_unordered(const op *o, const op *other, uint64_t mark) {
  return other != o && other->mark != mark && other->known >= o->number && o->known >= other->number;
}

static bool add_foe(watch *w, op *o) {
  watch_foe *more = realloc(w->foes, (w->foe_count + 1) * sizeof *more);
  char *what = malloc(TEXT);
  if (more != NULL) w->foes = more;
  if (more == NULL || what == NULL) {
    free(what);
    return false;
  }
  describe(o, what, TEXT);
  touched_add_to(&o->touched, &w->filter);
  w->foes[w->foe_count++] =
      (watch_foe){.number = o->number, .owner = op_hold(o), .touched = &o->touched, .what = what};
  return true;
}

static void drop_foes(watch *w) {
  for (size_t i = 0; i < w->foe_count; ++i) op_drop(w->foes[i].owner);
}

watch *order_watch(op *o) {
  if (!settings_get()->check) return NULL;
  watch w = {.remembers = !o->awaited || host_threads > 1};
  const uint64_t mark = ++last_mark;
  mark_before(o, mark);
  mark_after(o, mark);
  for (op *other = oldest; other != NULL; other = other->newer) {
    if (!is_unordered(o, other, mark) || (other->complete && !other->executed)) continue;
    if (!find_touched(other))
      w.remembers |= other->kind == TASK_KERNEL && !other->complete;
    else if (!touched_is_empty(&other->touched))
      (void)add_foe(&w, other);
  }
  if (w.foe_count == 0 && !w.remembers) return NULL;
  watch *kept = malloc(sizeof *kept);
  w.own = malloc(TEXT);
  if (w.own != NULL) describe(o, w.own, TEXT);
  if (kept == NULL) {
    drop_foes(&w);
    free(w.foes);
    free(w.own);
    return NULL;
  }
  *kept = w;
  return kept;
}

/* With what is over; what is not, compares itself with this one later. */
static void compare(op *o) {
  uint64_t mark = 0;
  touch_conflict c;
  for (op *other = oldest; other != NULL; other = other->newer) {
    if (!other->complete || !other->executed || !other->is_touched_known) continue;
    if (!is_unordered(o, other, UINT64_MAX)) continue;
    if (mark == 0) mark_before(o, mark = ++last_mark);
    if (other->mark == mark || watch_has_foe(o->watch, other->number) ||
        watch_has_foe(other->watch, o->number))
      continue;
    if (touched_conflict(&o->touched, &other->touched, &c)) tell(o, other, &c);
  }
}

void order_over(op *o) {
  if (!o->executed || !settings_get()->check) return;
  if (o->watch != NULL) drop_foes(o->watch);
  if (o->kind == TASK_KERNEL && o->watch != NULL && o->watch->remembers) {
    watch_tell(o->watch, &o->touched);
    o->is_touched_known = true;
  }
  if (find_touched(o)) compare(o);
}

/* ---- the host */

void order_free(const char *call, uint64_t address, uint64_t bytes) {
  touch_conflict c;
  char text[TEXT];
  if (!settings_get()->check) return;
  for (op *o = oldest; o != NULL; o = o->newer) {
    if (o->known != UINT64_MAX || o->kind == TASK_RENEW) continue;
    if ((o->complete && !o->executed) || !find_touched(o)) continue;
    if (!touched_conflicts_with(&o->touched, TOUCH_WRITE, address, address + bytes, &c)) continue;
    const report_place place = {.address = address, .has_address = true};
    describe(o, text, sizeof text);
    (void)report(REPORT_ORDER, &place, "%s: the memory is used by %s, which the host has not waited for",
                 call, text);
    return;
  }
}

static bool may_write_host(const op *o) {
  switch (o->kind) {
    case TASK_KERNEL:
    case TASK_HOST:
    case TASK_CALLBACK:
      return true;
    case TASK_COPY: {
      const allocation *to = memory_find(o->what.copy.to);
      return to == NULL || to->kind == ALLOCATION_HOST || to->kind == ALLOCATION_MANAGED ||
             to->kind == ALLOCATION_REGISTERED;
    }
    default:
      return false;
  }
}

bool order_host_is_quiet(void) {
  for (const op *o = oldest; o != NULL; o = o->newer) {
    if (!o->complete && may_write_host(o)) return false;
  }
  return true;
}
