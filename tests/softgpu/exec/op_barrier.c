/* bar and barrier: of a block's threads, and of a cluster's.
 *
 * PTX ISA, "Parallel Synchronization and Communication Instructions": "bar, barrier" and
 * "barrier.cluster". A barrier counts threads. Those that wait stay at their instruction; when the last
 * one comes, all of them get leave to pass, which each uses up when it next tries, so that the barrier
 * can be used again at once. */
#include <stdlib.h>
#include <string.h>

#include "exec/barrier.h"
#include "exec/block.h"
#include "exec/collective.h"
#include "exec/interpret.h"
#include "exec/op_collective.h"

enum { KIND_SYNC, KIND_ARRIVE, KIND_POPC, KIND_AND, KIND_OR };
enum { ARG_KIND, ARG_ALIGNED, ARG_COUNT, ARG_VOTE }; /* the last two: operand numbers, 0 for none */

/* ---- completion */

static bool is_whole_block(const block *b, const barrier *bar) {
  return bar->arrived >= block_live_threads(b);
}

/* Threads that a count stands for: 0 is all of the block, and its last warp may not be full. */
static uint32_t threads_meant(const block *b, uint32_t count) {
  return count == 0 || count == b->warp_count * LANES ? b->threads : count;
}

static bool is_complete(const block *b, const barrier *bar) {
  return bar->arrived > 0 &&
         (bar->expected != 0 ? bar->arrived >= threads_meant(b, bar->expected) : is_whole_block(b, bar));
}

static void complete(block *b, barrier *bar) {
  if (b->races != NULL && is_whole_block(b, bar)) race_barrier(b->races);
  for (unsigned i = 0; i < b->warp_count; ++i) {
    if (bar->waiting[i] == 0) continue;
    bar->pass[i] |= bar->waiting[i];
    bar->passed_votes[i] = bar->votes;
    bar->passed_count[i] = bar->arrived;
    bar->waiting[i] = 0;
  }
  bar->votes = bar->arrived = bar->expected = 0;
  ++b->changes;
}

void barriers_lanes_over(block *b) {
  for (int n = 0; n < BARRIERS; ++n)
    if (is_complete(b, &b->barriers[n])) complete(b, &b->barriers[n]);
}

/* ---- arriving */

static flow wrong(warp *w, const insn *i, uint32_t lanes, const char *what, unsigned number) {
  const report_place place = place_of(w, i, (unsigned)__builtin_ctz(lanes));
  (void)report(REPORT_BARRIER, &place, "%s (%u)", what, number);
  return fault(w, CUDA_ERROR_LAUNCH_FAILED);
}

/* Of the lanes of mask, those that name the same barrier and count as the first. */
static uint32_t alike(const warp *w, const insn *i, uint32_t mask) {
  const uint32_t *number = REG(const uint32_t, i->dst_count);
  const uint32_t *count = i->arg[ARG_COUNT] != 0 ? REG(const uint32_t, i->arg[ARG_COUNT]) : number;
  const unsigned first = (unsigned)__builtin_ctz(mask);
  uint32_t lanes = 0;
  FOR_EACH(l, mask)
  lanes |= (uint32_t)(number[l] == number[first] && count[l] == count[first]) << l;
  return lanes;
}

/* Whether lanes may come to a barrier with this count; false: reported. */
static bool check_count(warp *w, const insn *i, uint32_t lanes, const barrier *bar, uint32_t count) {
  if (i->arg[ARG_COUNT] != 0 && (count == 0 || count % LANES != 0))
    return wrong(w, i, lanes, "that many threads are not whole warps", count), false;
  const block *b = w->block;
  if (bar->arrived > 0 && threads_meant(b, bar->expected) != threads_meant(b, count))
    return wrong(w, i, lanes, "others expect another number of threads", count), false;
  return true;
}

static void release(warp *w, uint32_t lanes, uint32_t number) {
  if (w->block->races == NULL) return;
  FOR_EACH(l, lanes) race_release(w->block->races, thread_of(w, l), RACE_NAMED_BARRIER + number);
}

static void acquire(warp *w, uint32_t lanes, uint32_t number) {
  if (w->block->races == NULL) return;
  FOR_EACH(l, lanes) race_acquire(w->block->races, thread_of(w, l), RACE_NAMED_BARRIER + number);
}

static void arrive(warp *w, const insn *i, uint32_t lanes, barrier *bar, uint32_t number,
                   uint32_t count) {
  if (count != 0) bar->expected = count;
  bar->arrived += (uint32_t)__builtin_popcount(lanes);
  if (i->arg[ARG_VOTE] != 0)
    bar->votes += (uint32_t)__builtin_popcount(pred(w, i, (int)i->arg[ARG_VOTE]) & lanes);
  if (count != 0) release(w, lanes, number); /* else all threads come, which orders everything */
  ++w->block->changes;
  if (is_complete(w->block, bar)) complete(w->block, bar);
}

static void put_result(warp *w, const insn *i, uint32_t mask, const barrier *bar) {
  const uint32_t votes = bar->passed_votes[w->index], count = bar->passed_count[w->index];
  if (i->arg[ARG_KIND] == KIND_POPC) {
    uint32_t all[LANES];
    FOR_LANES(l) all[l] = votes;
    put_u32(REG(uint32_t, 0), all, mask);
  } else {
    const bool value = i->arg[ARG_KIND] == KIND_AND ? votes == count : votes > 0;
    put_pred(w, i, 0, value ? (uint32_t)FULL : 0, mask);
  }
}

/* .aligned: all threads of the warp are to execute it together. Returns FLOW_NEXT if they do. */
static flow check_aligned(warp *w, const insn *i, uint32_t mask) {
  if (!i->arg[ARG_ALIGNED] || mask == w->all) return FLOW_NEXT;
  if (w->live != w->all)
    return wrong(w, i, mask, "threads of the warp are over without having come to it",
                 (unsigned)__builtin_popcount(w->all & ~w->live));
  return FLOW_WAIT; /* the others may be on their way */
}

/* Lanes that name the same barrier are at it; *done gets those that may go on. */
static flow meet(warp *w, const insn *i, uint32_t lanes, uint32_t *done) {
  const unsigned first = (unsigned)__builtin_ctz(lanes);
  const uint32_t number = REG(const uint32_t, i->dst_count)[first];
  const uint32_t count = i->arg[ARG_COUNT] != 0 ? REG(const uint32_t, i->arg[ARG_COUNT])[first] : 0;
  if (number >= BARRIERS) return wrong(w, i, lanes, "there is no barrier of that number", number);
  barrier *bar = &w->block->barriers[number];
  const uint32_t come = lanes & ~bar->pass[w->index] & ~bar->waiting[w->index];
  if (come != 0) {
    if (!check_count(w, i, lanes, bar, count)) return FLOW_FAULT;
    if (i->arg[ARG_KIND] != KIND_ARRIVE) bar->waiting[w->index] |= come;
    arrive(w, i, come, bar, number, count);
  }
  if (i->arg[ARG_KIND] == KIND_ARRIVE) {
    *done |= lanes;
    return FLOW_NEXT;
  }
  const uint32_t pass = lanes & bar->pass[w->index];
  bar->pass[w->index] &= ~pass;
  if (count != 0) acquire(w, pass, number);
  if (i->dst_count > 0) put_result(w, i, pass, bar);
  *done |= pass;
  return FLOW_NEXT;
}

static flow run_bar(warp *w, const insn *i, uint32_t mask) {
  const flow aligned = check_aligned(w, i, mask);
  if (aligned != FLOW_NEXT) return aligned;
  uint32_t done = 0;
  for (uint32_t rest = mask, lanes; rest != 0; rest &= ~lanes) {
    lanes = alike(w, i, rest);
    if (i->arg[ARG_ALIGNED] && lanes != mask)
      return wrong(w, i, mask & ~lanes, "threads of the warp name different barriers",
                   (unsigned)__builtin_popcount(mask & ~lanes));
    const flow f = meet(w, i, lanes, &done);
    if (f != FLOW_NEXT) return f;
  }
  return warp_go(w, mask, done);
}

/* ---- decoding */

static bool decode_kind(decoder *d) {
  insn *out = d->out;
  if (decode_take(d, "sync"))
    out->arg[ARG_KIND] = KIND_SYNC;
  else if (decode_take(d, "arrive"))
    out->arg[ARG_KIND] = KIND_ARRIVE;
  else if (!decode_take(d, "red"))
    return false;
  else if (decode_take(d, "popc"))
    out->arg[ARG_KIND] = KIND_POPC;
  else if (decode_take(d, "and"))
    out->arg[ARG_KIND] = KIND_AND;
  else if (decode_take(d, "or"))
    out->arg[ARG_KIND] = KIND_OR;
  else
    return false;
  return true;
}

static bool decode_block_barrier(decoder *d, bool aligned) {
  insn *out = d->out;
  out->run = run_bar;
  if (!decode_kind(d)) return false;
  out->arg[ARG_ALIGNED] = decode_take(d, "aligned") || aligned;
  const uint32_t kind = out->arg[ARG_KIND];
  const bool votes = kind >= KIND_POPC;
  if (votes && decode_type(d) != (kind == KIND_POPC ? TYPE_U32 : TYPE_PRED)) return false;
  const ptx_operand *o = d->in->operands;
  if (!decode_operand_count(d, votes ? 3 : kind == KIND_ARRIVE ? 2 : 1, votes ? 4 : 2)) return false;
  const ptx_operand *end = o + d->in->operand_count;
  if (votes && !decode_dst(d, o++, kind == KIND_POPC ? 4 : 0)) return false;
  if (!decode_src(d, o++, TYPE_U32)) return false;
  if (end - o == 1 + (int)votes) {
    out->arg[ARG_COUNT] = out->count;
    if (!decode_src(d, o++, TYPE_U32)) return false;
  }
  if (!votes) return true;
  out->arg[ARG_VOTE] = out->count;
  return decode_src(d, o, TYPE_PRED);
}

static bool decode_bar(decoder *d) {
  if (decode_take(d, "warp")) return decode_warp_sync(d);
  (void)decode_take(d, "cta");
  return decode_block_barrier(d, true);
}

/* ---- barrier.cluster */

static unsigned cluster_threads(const cluster *c) {
  unsigned live = 0;
  for (unsigned r = 0; r < c->block_count; ++r) live += block_live_threads(c->blocks[r]);
  return live;
}

static void complete_cluster(cluster *c) {
  if (c->arrived == 0 || c->arrived < cluster_threads(c)) return;
  c->arrived = 0;
  ++c->generation;
  for (unsigned r = 0; r < c->block_count; ++r) {
    if (c->blocks[r]->races != NULL) race_barrier(c->blocks[r]->races);
    ++c->blocks[r]->changes;
  }
}

/* Threads that arrived and are over do not count any longer. */
void cluster_barrier_lanes_over(warp *w, uint32_t lanes) {
  cluster *c = w->block->cluster;
  FOR_EACH(l, lanes & w->cluster_arrived) {
    if (w->cluster_generation[l] == c->generation) --c->arrived;
  }
  w->cluster_arrived &= ~lanes;
  complete_cluster(c);
}

static flow run_cluster_arrive(warp *w, const insn *i, uint32_t mask) {
  cluster *c = w->block->cluster;
  if (w->cluster_arrived & mask)
    return wrong(w, i, w->cluster_arrived & mask, "arrives twice at the cluster's barrier",
                 c->generation);
  FOR_EACH(l, mask) w->cluster_generation[l] = c->generation;
  w->cluster_arrived |= mask;
  c->arrived += (uint32_t)__builtin_popcount(mask);
  ++w->block->changes;
  complete_cluster(c);
  return FLOW_NEXT;
}

static flow run_cluster_wait(warp *w, const insn *i, uint32_t mask) {
  const cluster *c = w->block->cluster;
  if (mask & ~w->cluster_arrived)
    return wrong(w, i, mask & ~w->cluster_arrived,
                 "waits at the cluster's barrier without having arrived", c->generation);
  uint32_t done = 0;
  FOR_EACH(l, mask) done |= (uint32_t)(w->cluster_generation[l] != c->generation) << l;
  w->cluster_arrived &= ~done;
  if (done != mask) w->waits_outside = true;
  return warp_go(w, mask, done);
}

static bool decode_cluster_barrier(decoder *d) {
  if (decode_take(d, "arrive")) {
    if (!decode_take(d, "release")) (void)decode_take(d, "relaxed");
    d->out->run = run_cluster_arrive;
  } else if (decode_take(d, "wait")) {
    (void)decode_take(d, "acquire");
    d->out->run = run_cluster_wait;
  } else {
    return false;
  }
  (void)decode_take(d, "aligned");
  return decode_operand_count(d, 0, 0);
}

static bool decode_barrier(decoder *d) {
  if (decode_take(d, "cluster")) return decode_cluster_barrier(d);
  (void)decode_take(d, "cta");
  return decode_block_barrier(d, false);
}

const decode_row rows_barrier[] = {{"bar", decode_bar}, {"barrier", decode_barrier}, {NULL, NULL}};

/* ---- when nobody gets on */

/* A split that waits, to be named; preferably at a barrier. */
static const insn *find_waiting(const block *b, const warp **at, uint32_t *lanes, bool barriers_only) {
  for (unsigned i = 0; i < b->warp_count; ++i) {
    const warp *w = &b->warps[i];
    for (unsigned s = 0; s < w->split_count; ++s) {
      const insn *in = &w->splits[s].frame->code->insns[w->splits[s].pc];
      if (barriers_only && in->run != run_bar) continue;
      *at = w;
      *lanes = w->splits[s].lanes;
      return in;
    }
  }
  return NULL;
}

flow barrier_report_stuck(block *b) {
  const warp *w = NULL;
  uint32_t lanes = 0;
  const insn *i = find_waiting(b, &w, &lanes, true);
  if (i == NULL) i = find_waiting(b, &w, &lanes, false);
  if (i == NULL) return FLOW_NEXT;
  const report_place place = place_of(w, i, (unsigned)__builtin_ctz(lanes));
  const uint32_t missing = collective_missing(w, lanes);
  bool told;
  if (i->run == run_bar)
    told = report(REPORT_BARRIER, &place, "threads wait at it for others that never come");
  else if (missing != 0)
    told = report(REPORT_MEMBER_MASK, &place, "lanes 0x%08x wait for lanes 0x%08x, which never come",
                  lanes, missing);
  else
    told = report(REPORT_DEADLOCK, &place, "nobody in the block can go on");
  if (told) cluster_describe(b->cluster);
  return fault((warp *)w, CUDA_ERROR_LAUNCH_FAILED);
}
