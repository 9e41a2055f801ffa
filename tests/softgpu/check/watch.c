#include "check/watch.h"

#include <stdlib.h>

void watch_free(watch *w) {
  if (w == NULL) return;
  for (size_t i = 0; i < w->foe_count; ++i) free(w->foes[i].what);
  for (unsigned i = 0; i < WATCH_WORKERS; ++i) touch_log_free(w->logs[i]);
  free(w->foes);
  free(w->own);
  free(w);
}

bool watch_has_foe(const watch *w, uint64_t number) {
  for (size_t i = 0; w != NULL && i < w->foe_count; ++i) {
    if (w->foes[i].number == number) return true;
  }
  return false;
}

void watch_tell(watch *w, touched *to) {
  for (unsigned i = 0; i < WATCH_WORKERS; ++i) {
    if (w->logs[i] != NULL) touched_add_log(to, w->logs[i]);
    w->logs[i] = NULL;
  }
}

/* Lanes, and the bytes between the first and the last of what they access. */
typedef struct reach {
  uint64_t begin, end;
  bool in_a_row; /* nothing between is left out */
} reach;

static reach reach_of(uint32_t lanes, const uint64_t at[WATCH_LANES], unsigned bytes) {
  const uint64_t one = at[__builtin_ctz(lanes)];
  reach r = {one, one, lanes == UINT32_MAX};
  for (unsigned l = 0; l < WATCH_LANES; ++l) {
    if ((lanes >> l & 1) == 0) continue;
    if (at[l] < r.begin) r.begin = at[l];
    if (at[l] > r.end) r.end = at[l];
    r.in_a_row = r.in_a_row && at[l] == at[0] + (uint64_t)l * bytes;
  }
  r.end += bytes;
  return r;
}

static void remember(watch *w, unsigned worker, touch_kind kind, uint32_t lanes, const reach *r,
                     const uint64_t at[WATCH_LANES], unsigned bytes) {
  if (worker >= WATCH_WORKERS) return;
  if (w->logs[worker] == NULL) w->logs[worker] = touch_log_create();
  touch_log *log = w->logs[worker];
  if (log == NULL) return;
  if (r->in_a_row) {
    touch_log_add(log, kind, r->begin, r->end - r->begin);
    return;
  }
  for (; lanes != 0; lanes &= lanes - 1) touch_log_add(log, kind, at[__builtin_ctz(lanes)], bytes);
}

/* Whether any of it may be among what the foes touch. */
static bool is_near_foes(const watch *w, uint32_t lanes, const uint64_t at[WATCH_LANES], unsigned bytes) {
  bool near = bytes > 1 << TOUCH_PAGE_SHIFT;
  for (; lanes != 0; lanes &= lanes - 1) {
    const uint64_t begin = at[__builtin_ctz(lanes)];
    near |= touch_filter_has(&w->filter, begin) || touch_filter_has(&w->filter, begin + bytes - 1);
  }
  return near;
}

static int first_in_conflict(const touched *foe, touch_kind kind, uint32_t lanes,
                             const uint64_t at[WATCH_LANES], unsigned bytes, touch_conflict *c) {
  for (; lanes != 0; lanes &= lanes - 1) {
    const int l = __builtin_ctz(lanes);
    if (touched_conflicts_with(foe, kind, at[l], at[l] + bytes, c)) return l;
  }
  return -1;
}

int watch_access(watch *w, unsigned worker, touch_kind kind, uint32_t lanes,
                 const uint64_t at[WATCH_LANES], unsigned bytes, const watch_foe **foe,
                 touch_conflict *c) {
  if (lanes == 0 || bytes == 0) return -1;
  const reach r = reach_of(lanes, at, bytes);
  if (w->remembers) remember(w, worker, kind, lanes, &r, at, bytes);
  if (w->foe_count == 0 || !is_near_foes(w, lanes, at, bytes)) return -1;
  for (size_t i = 0; i < w->foe_count; ++i) {
    *foe = &w->foes[i];
    if (r.in_a_row && !touched_conflicts_with((*foe)->touched, kind, r.begin, r.end, c)) continue;
    const int lane = first_in_conflict((*foe)->touched, kind, lanes, at, bytes, c);
    if (lane >= 0 && !atomic_exchange(&w->foes[i].is_told, true)) return lane;
  }
  return -1;
}
