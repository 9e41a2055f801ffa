#include "exec/interpret.h"

#include <stdlib.h>
#include <string.h>

#include "check/taint.h"
#include "exec/block.h"
#include "exec/recycle.h"

/* ---- splits */

static bool same_place(const split *a, const split *b) {
  return a->pc == b->pc && a->frame == b->frame;
}

static void add_split(warp *w, uint32_t lanes, frame *f, uint32_t pc) {
  if (lanes == 0) return;
  split added = {.lanes = lanes, .pc = pc, .frame = f, .polled = w->polled};
  for (unsigned s = 0; s < w->split_count; ++s) {
    split *other = &w->splits[s];
    if (!same_place(other, &added)) continue;
    other->lanes |= lanes;
    other->waiting = false;
    other->polled |= w->polled;
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

/* The split to be executed; w->split_count: all wait. *again: all have had their turns. */
static unsigned choose_split(warp *w, bool *again) {
  unsigned best = w->split_count;
  for (unsigned s = 0; s < w->split_count; ++s) {
    if (w->splits[s].waiting) continue;
    if (best == w->split_count || goes_first(&w->splits[s], &w->splits[best])) best = s;
  }
  if (best == w->split_count || !w->splits[best].late) return best;
  *again = true;
  for (unsigned s = 0; s < w->split_count; ++s) w->splits[s].late = false;
  return choose_split(w, again);
}

/* Joins the split to others at its place; its index afterwards. */
static unsigned join(warp *w, unsigned s) {
  for (unsigned o = 0; o < w->split_count; ++o) {
    if (o == s || !same_place(&w->splits[o], &w->splits[s])) continue;
    w->splits[s].lanes |= w->splits[o].lanes;
    w->splits[s].waiting = false;
    w->splits[s].polled |= w->splits[o].polled;
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
  w->active &= ~lanes;
  add_split(w, lanes, w->frame, w->pc);
}

flow warp_go(warp *w, uint32_t mask, uint32_t done) {
  if (done == mask) return FLOW_NEXT;
  if (done == 0) return FLOW_WAIT;
  warp_retry(w, mask & ~done);
  ++w->pc;
  return FLOW_JUMP;
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

enum { FRAME_ALIGN = 128 }; /* of local memory; no variable may ask for more */

static uint32_t align_frame(uint32_t n) {
  return (n + FRAME_ALIGN - 1) / FRAME_ALIGN * FRAME_ALIGN;
}

uint32_t frame_local_bytes(const code *c) {
  return align_frame(c->local_bytes) + FRAME_ALIGN;
}

frame *frame_begin(warp *w, const code *c, frame *caller, const insn *call, uint32_t lanes) {
  frame *f = calloc(1, sizeof *f);
  uint8_t *regs = recycle_take(c->file_bytes);
  if (f == NULL || regs == NULL) {
    free(f);
    recycle_give(regs, c->file_bytes);
    return NULL;
  }
  *f = (frame){.caller = caller, .code = c, .regs = regs, .lanes = lanes, .call = call};
  if (caller != NULL) {
    f->depth = caller->depth + 1;
    f->local_base = align_frame(caller->local_base + caller->code->local_bytes);
  }
  memset(regs, 0xcd, c->register_bytes); /* what nobody has set must not look like zeros */
  memcpy(regs + c->register_bytes, c->fill_image, c->file_bytes - c->register_bytes);
  block_fill_specials(w, c, regs);
  return f;
}

void frame_leave(frame *f, uint32_t lanes) {
  f->lanes &= ~lanes;
  if (f->lanes != 0) return;
  recycle_give(f->regs, f->code->file_bytes);
  free(f->unset);
  free(f);
}

/* ---- executing */

enum { TURN = 2000 }; /* instructions until another split gets its turn */

/* What a split does after an instruction moved it: whether it can go on at once. */
static bool goes_on(warp *w, uint32_t from, flow *f) {
  if (w->active == 0) return false;
  if (w->pc <= from && w->polled) {
    /* It looks at memory and goes back: those who are to write it must get on. */
    w->polled = false;
    *f = FLOW_YIELD;
    return false;
  }
  w->regs = w->frame->regs;
  return w->split_count == 1;
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
  split *it = &w->splits[s];
  w->active = it->lanes;
  w->pc = it->pc;
  w->frame = it->frame;
  w->regs = w->frame->regs;
  w->polled = it->polled;
  it->frame = NULL; /* so that lanes that others send to where it began do not join it */
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
  it->polled = w->polled;
  it->waiting = f == FLOW_WAIT;
  it->late = f == FLOW_YIELD || turn_is_over;
  if (it->waiting || it->late) it->used = 0;
}

/* What a warp's splits did with their slice. */
typedef struct slice {
  bool moved;  /* executed more than what they wait at */
  bool polled; /* gave way */
  bool worked; /* for a whole turn without giving way */
  bool idle;   /* since the last round of turns began, all gave way or waited */
} slice;

/* Executes a split for a while; how many instructions. */
static unsigned run_turn(warp *w, unsigned s, unsigned budget, slice *did) {
  split *it = &w->splits[s];
  const uint32_t stop = next_meeting(w, s);
  const unsigned rest = it->used < TURN ? TURN - it->used : 1;
  const unsigned turn = w->split_count > 1 && budget > rest ? rest : budget;
  unsigned left = turn;
  take_out(w, s);
  const flow f = run_split(w, stop, &left);
  const unsigned done = turn - left;
  it->used += done;
  did->worked |= it->used >= TURN;
  did->polled |= f == FLOW_YIELD;
  if (f != FLOW_YIELD && (f != FLOW_WAIT || done > 1)) {
    did->moved = true;
    did->idle = false;
  }
  put_back(w, s, f, left == 0);
  return done;
}

warp_state warp_run(warp *w, unsigned budget) {
  const atomic_bool *failing = &w->block->grid->failing;
  const uint64_t stores = w->stores;
  slice did = {.idle = false};
  while (budget > 0 && w->split_count > 0 && !atomic_load_explicit(failing, memory_order_relaxed)) {
    bool again = false;
    unsigned s = choose_split(w, &again);
    if (s == w->split_count || (again && did.idle)) break;
    did.idle |= again;
    s = join(w, s);
    budget -= run_turn(w, s, budget, &did);
    if (did.polled && w->split_count == 1) break;
  }
  if (w->split_count == 0) return WARP_OVER;
  /* Who polls gets on too if he has worked or stored something between two looks. */
  if (did.worked || w->stores != stores || (did.moved && !did.polled)) return WARP_RUNS;
  return did.polled ? WARP_POLLS : WARP_WAITS;
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
