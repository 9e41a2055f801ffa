#include "exec/interpret.h"

#include <stdlib.h>
#include <string.h>

#include "check/taint.h"
#include "exec/block.h"

/* ---- splits */

static bool same_place(const split *a, const split *b) {
  return a->pc == b->pc && a->frame == b->frame;
}

static void add_split(warp *w, uint32_t lanes, frame *f, uint32_t pc) {
  split added = {.lanes = lanes, .pc = pc, .frame = f};
  for (unsigned s = 0; s < w->split_count; ++s) {
    split *other = &w->splits[s];
    if (!same_place(other, &added)) continue;
    other->lanes |= lanes;
    other->waiting = false;
    return;
  }
  w->splits[w->split_count++] = added;
}

static void remove_split(warp *w, unsigned s) {
  w->splits[s] = w->splits[--w->split_count];
}

/* Whether a is to be executed before b. */
static bool goes_first(const split *a, const split *b) {
  if (a->late != b->late) return b->late;
  if (a->frame != b->frame && a->frame->depth != b->frame->depth)
    return a->frame->depth > b->frame->depth;
  return a->pc < b->pc;
}

/* The split to be executed; w->split_count: all wait. */
static unsigned choose_split(warp *w) {
  unsigned best = w->split_count;
  for (unsigned s = 0; s < w->split_count; ++s) {
    if (w->splits[s].waiting) continue;
    if (best == w->split_count || goes_first(&w->splits[s], &w->splits[best])) best = s;
  }
  if (best == w->split_count || !w->splits[best].late) return best;
  for (unsigned s = 0; s < w->split_count; ++s) w->splits[s].late = false; /* a new round */
  return choose_split(w);
}

/* Joins the split to others at its place; its index afterwards. */
static unsigned join(warp *w, unsigned s) {
  for (unsigned o = 0; o < w->split_count; ++o) {
    if (o == s || !same_place(&w->splits[o], &w->splits[s])) continue;
    w->splits[s].lanes |= w->splits[o].lanes;
    w->splits[s].waiting = false;
    remove_split(w, o);
    if (s == w->split_count) s = o; /* it was the last and has moved */
    o = (unsigned)-1;
  }
  return s;
}

/* Where the split has to stop because others are there: the next pc of another one in its activation. */
static uint32_t next_meeting(const warp *w, unsigned s) {
  uint32_t stop = UINT32_MAX;
  for (unsigned o = 0; o < w->split_count; ++o) {
    const split *other = &w->splits[o];
    if (o != s && other->frame == w->splits[s].frame && other->pc > w->splits[s].pc && other->pc < stop)
      stop = other->pc;
  }
  return stop;
}

void warp_wake(warp *w) {
  for (unsigned s = 0; s < w->split_count; ++s) w->splits[s].waiting = false;
}

/* ---- moving lanes: the executing split is kept in w->active, w->pc and w->frame meanwhile */

flow warp_move(warp *w, uint32_t lanes, frame *to, uint32_t pc) {
  if (lanes == w->active) {
    w->frame = to;
    w->pc = pc;
  } else {
    w->active &= ~lanes;
    ++w->pc; /* the others go on */
    add_split(w, lanes, to, pc);
  }
  return FLOW_JUMP;
}

void warp_retry(warp *w, uint32_t lanes) {
  if (lanes == 0) return;
  w->active &= ~lanes;
  add_split(w, lanes, w->frame, w->pc);
}

flow warp_exit(warp *w, uint32_t lanes) {
  for (frame *f = w->frame; f != NULL;) {
    frame *caller = f->caller;
    frame_leave(f, lanes);
    f = caller;
  }
  w->live &= ~lanes;
  w->active &= ~lanes;
  ++w->pc;
  warp_wake(w); /* who waits for them need not any longer */
  block_lanes_over(w, lanes);
  return FLOW_JUMP;
}

/* ---- activations */

frame *frame_begin(warp *w, const code *c, frame *caller, const insn *call, uint32_t lanes) {
  frame *f = calloc(1, sizeof *f);
  uint8_t *regs = aligned_alloc(64, c->file_bytes > 0 ? c->file_bytes : 64);
  if (f == NULL || regs == NULL) {
    free(f);
    free(regs);
    return NULL;
  }
  *f = (frame){.caller = caller, .code = c, .regs = regs, .lanes = lanes, .call = call};
  if (caller != NULL) {
    f->depth = caller->depth + 1;
    f->local_base = caller->local_base + caller->code->local_bytes;
  }
  memset(regs, 0xcd, c->register_bytes); /* what nobody has set must not look like zeros */
  memcpy(regs + c->register_bytes, c->fill_image, c->file_bytes - c->register_bytes);
  block_fill_specials(w, c, regs);
  return f;
}

void frame_leave(frame *f, uint32_t lanes) {
  f->lanes &= ~lanes;
  if (f->lanes != 0) return;
  free(f->regs);
  free(f->unset);
  free(f);
}

/* ---- executing */

enum { TURN = 2000 }; /* instructions until another split gets its turn */

/* What a split does after an instruction moved it: whether it can go on at once. */
static bool goes_on(warp *w, uint32_t from, flow *f) {
  if (w->active == 0 || w->split_count > 1) return false;
  w->regs = w->frame->regs;
  if (w->pc > from || !w->polled) return true;
  /* It looks at memory and goes back: those who are to write it must get on. */
  w->polled = false;
  *f = FLOW_YIELD;
  return false;
}

/* Runs the executing split until something else is to be done. FLOW_NEXT: it meets another one, or has
 * used up its turn of *left instructions; FLOW_YIELD: others should run. */
static flow run_split(warp *w, uint32_t stop, unsigned *left) {
  const insn *insns = w->frame->code->insns;
  while (*left > 0) {
    --*left;
    const insn *i = &insns[w->pc];
    uint32_t mask = w->active;
    if (i->guard != GUARD_NONE) {
      const uint32_t guard = *(const uint32_t *)(const void *)(w->regs + i->guard);
      mask &= i->guard_negated ? ~guard : guard;
    }
    if (mask != 0) {
      w->executed += (unsigned)__builtin_popcount(mask);
      if (__builtin_expect(w->frame->unset != NULL, 0) && !taint_step(w, i, mask)) return FLOW_FAULT;
      const uint32_t from = w->pc;
      flow f = i->run(w, i, mask);
      if (f == FLOW_JUMP) {
        if (!goes_on(w, from, &f)) return f;
        insns = w->frame->code->insns;
        stop = UINT32_MAX;
        continue;
      }
      if (__builtin_expect(f == FLOW_WAIT && mask != w->active, 0)) {
        /* Only some of the split are at it; the others have nothing to wait for. */
        add_split(w, w->active & ~mask, w->frame, w->pc + 1);
        w->active &= mask;
      }
      if (__builtin_expect(f != FLOW_NEXT, 0)) {
        if (f == FLOW_YIELD) ++w->pc;
        return f;
      }
    }
    if (++w->pc >= stop) break;
  }
  return FLOW_NEXT;
}

/* Takes a split out for execution, and writes it back. */
static void take_out(warp *w, unsigned s) {
  w->active = w->splits[s].lanes;
  w->pc = w->splits[s].pc;
  w->frame = w->splits[s].frame;
  w->regs = w->frame->regs;
  w->splits[s].frame = NULL; /* so that lanes that others send to where it began do not join it */
}

static void put_back(warp *w, unsigned s, flow f, bool turn_is_over) {
  if (w->active == 0) {
    remove_split(w, s);
    return;
  }
  split *it = &w->splits[s];
  it->lanes = w->active;
  it->pc = w->pc;
  it->frame = w->frame;
  it->waiting = f == FLOW_WAIT;
  it->late = f == FLOW_YIELD || turn_is_over;
}

warp_state warp_run(warp *w, unsigned budget) {
  const atomic_bool *failing = &w->block->grid->failing;
  warp_state state = WARP_RUNS;
  while (budget > 0 && w->split_count > 0 && !atomic_load_explicit(failing, memory_order_relaxed)) {
    unsigned s = choose_split(w);
    if (s == w->split_count) return WARP_WAITS;
    s = join(w, s);
    const uint32_t stop = next_meeting(w, s);
    unsigned turn = w->split_count > 1 && budget > TURN ? TURN : budget, left = turn;
    take_out(w, s);
    const flow f = run_split(w, stop, &left);
    put_back(w, s, f, left == 0);
    budget -= turn - left;
    if (f == FLOW_FAULT) break;
    state = f == FLOW_YIELD ? WARP_POLLS : WARP_RUNS;
    if (f == FLOW_YIELD && w->split_count == 1) break;
  }
  return w->split_count == 0 ? WARP_OVER : state;
}

void warp_end(warp *w) {
  for (unsigned s = 0; s < w->split_count; ++s) {
    for (frame *f = w->splits[s].frame; f != NULL;) {
      frame *caller = f->caller;
      frame_leave(f, w->splits[s].lanes);
      f = caller;
    }
  }
  w->split_count = 0;
}
