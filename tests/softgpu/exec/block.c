#include "exec/block.h"

#include <stdlib.h>
#include <string.h>

#include "api/settings.h"
#include "code/module_inner.h"
#include "exec/async.h"
#include "exec/barrier.h"
#include "exec/collective.h"
#include "exec/interpret.h"
#include "exec/recycle.h"

enum {
  STACK_BYTES = 65536, /* per thread, for recursion */
  MAX_LOCAL_BYTES = 1 << 25,
};

/* ---- special registers */

/* What is alike in all lanes of a warp. */
static uint64_t uniform_special(const warp *w, ptx_special special, int d) {
  const block *b = w->block;
  const grid_launch *l = &b->grid->launch;
  const unsigned *size = l->cluster;
  const unsigned in_cluster[3] = {b->id[0] % size[0], b->id[1] % size[1], b->id[2] % size[2]};
  switch (special) {
    case SPECIAL_NTID:
      return l->threads[d];
    case SPECIAL_CTAID:
      return b->id[d];
    case SPECIAL_NCTAID:
      return l->blocks[d];
    case SPECIAL_CLUSTERID:
      return b->id[d] / size[d];
    case SPECIAL_NCLUSTERID:
      return l->blocks[d] / size[d];
    case SPECIAL_CLUSTER_CTAID:
      return in_cluster[d];
    case SPECIAL_CLUSTER_NCTAID:
      return size[d];
    case SPECIAL_CLUSTER_CTARANK:
      return b->rank;
    case SPECIAL_CLUSTER_NCTARANK:
      return size[0] * size[1] * size[2];
    case SPECIAL_IS_EXPLICIT_CLUSTER:
      return size[0] * size[1] * size[2] > 1 ? 0xffffffff : 0;
    case SPECIAL_WARPID:
      return w->index;
    case SPECIAL_NWARPID:
      return 64;
    case SPECIAL_SMID:
      return (b->id[0] + b->id[1] + b->id[2]) % (unsigned)settings_get()->multiprocessors;
    case SPECIAL_NSMID:
      return (unsigned)settings_get()->multiprocessors;
    case SPECIAL_GRIDID:
      return l->id;
    case SPECIAL_DYNAMIC_SMEM_SIZE:
      return l->dynamic_shared_bytes;
    case SPECIAL_TOTAL_SMEM_SIZE:
    case SPECIAL_AGGR_SMEM_SIZE:
      return b->shared_bytes;
    default:
      return 0;
  }
}

/* What differs from lane to lane; false: it does not. */
static bool lane_special(const warp *w, ptx_special special, int d, unsigned lane, uint64_t *value) {
  const uint32_t bit = UINT32_C(1) << lane;
  switch (special) {
    case SPECIAL_TID:
      *value = w->tid[d][lane];
      return true;
    case SPECIAL_LANEID:
      *value = lane;
      return true;
    case SPECIAL_LANEMASK_EQ:
      *value = bit;
      return true;
    case SPECIAL_LANEMASK_LT:
      *value = bit - 1;
      return true;
    case SPECIAL_LANEMASK_LE:
      *value = bit | (bit - 1);
      return true;
    case SPECIAL_LANEMASK_GT:
      *value = (uint32_t) ~(bit | (bit - 1));
      return true;
    case SPECIAL_LANEMASK_GE:
      *value = (uint32_t) ~(bit - 1);
      return true;
    default:
      return false;
  }
}

static void special_of_lanes(const warp *w, ptx_special special, int d, uint64_t values[LANES]) {
  for (unsigned l = 0; l < LANES; ++l) {
    if (lane_special(w, special, d, l, &values[l])) continue;
    const uint64_t all = uniform_special(w, special, d);
    FOR_LANES(k) values[k] = all;
    return;
  }
}

void block_fill_specials(const warp *w, const code *c, uint8_t *regs) {
  for (size_t f = 0; f < c->fill_count; ++f) {
    const code_fill *fill = &c->fills[f];
    uint8_t *to = regs + fill->offset;
    if (fill->width == 0) {
      const uint32_t value = (uint32_t)uniform_special(w, (ptx_special)fill->special, fill->dimension);
      memcpy(to, &value, sizeof value);
      continue;
    }
    uint64_t values[LANES];
    special_of_lanes(w, (ptx_special)fill->special, fill->dimension, values);
    if (fill->width == sizeof(uint32_t)) { /* nearly all are */
      uint32_t *words = (uint32_t *)(void *)to;
      FOR_LANES(l) words[l] = (uint32_t)values[l];
      continue;
    }
    FOR_LANES(l) {
      memset(to + l * fill->width, 0, fill->width);
      memcpy(to + l * fill->width, &values[l], fill->width < 8 ? fill->width : 8);
    }
  }
}

/* ---- making */

static void number_threads(warp *w, const unsigned threads[3]) {
  const unsigned first = thread_of(w, 0);
  unsigned x = first % threads[0], y = first / threads[0] % threads[1],
           z = first / threads[0] / threads[1];
  for (unsigned l = 0; l < LANES; ++l) { /* without a division for each of so many */
    w->tid[0][l] = x;
    w->tid[1][l] = y;
    w->tid[2][l] = z;
    if (++x < threads[0]) continue;
    x = 0;
    if (++y < threads[1]) continue;
    y = 0;
    ++z;
  }
  const unsigned there = w->block->threads - first;
  w->live = w->all = there < LANES ? (UINT32_C(1) << there) - 1 : (uint32_t)FULL;
}

static bool begin_warp(block *b, unsigned index) {
  warp *w = &b->warps[index];
  w->block = b;
  w->index = index;
  number_threads(w, b->grid->launch.threads);
  if (b->local_bytes > 0) {
    w->local = recycle_take((size_t)b->local_bytes * LANES);
    w->local_shadow = recycle_take_zeros((size_t)b->local_bytes * LANES);
    if (w->local == NULL || w->local_shadow == NULL) return false;
  }
  frame *f = frame_begin(w, b->grid->kernel->code, NULL, NULL, w->live);
  if (f == NULL) return false;
  w->splits[0] = (split){.lanes = w->live, .pc = 0, .frame = f};
  w->split_count = 1;
  return true;
}

/* With room for each function once, which is enough without recursion, and some for that. */
static uint32_t local_bytes(const kernel *k) {
  uint64_t bytes = k->local_bytes, stack = 0;
  for (size_t f = 0; f < module_function_count(k->owner); ++f) {
    if (module_function_at(k->owner, f)->is_entry) continue;
    const code *c = module_code_at(k->owner, f);
    bytes += c != NULL ? frame_local_bytes(c) : 0;
    stack = STACK_BYTES;
  }
  return bytes + stack < MAX_LOCAL_BYTES ? (uint32_t)(bytes + stack) : MAX_LOCAL_BYTES;
}

static void free_block(block *b) {
  if (b == NULL) return;
  for (unsigned i = 0; b->warps != NULL && i < b->warp_count; ++i) {
    warp_end(&b->warps[i]);
    collective_end(&b->warps[i]);
    recycle_give(b->warps[i].local, (size_t)b->local_bytes * LANES);
    recycle_give(b->warps[i].local_shadow, (size_t)b->local_bytes * LANES);
  }
  async_end(b);
  recycle_give_tracker(b->races, b->warp_count * LANES, b->shared_bytes);
  recycle_give(b->shared, b->shared_bytes);
  recycle_give(b->shared_shadow, (size_t)b->shared_bytes + 1);
  recycle_give(b->warps, b->warp_count * sizeof *b->warps);
  free(b);
}

static block *begin_block(cluster *c, const unsigned id[3], unsigned rank) {
  block *b = calloc(1, sizeof *b);
  if (b == NULL) return NULL;
  const grid_launch *l = &c->grid->launch;
  b->grid = c->grid;
  b->cluster = c;
  memcpy(b->id, id, sizeof b->id);
  b->rank = rank;
  b->threads = l->threads[0] * l->threads[1] * l->threads[2];
  b->warp_count = b->live_warps = (b->threads + LANES - 1) / LANES;
  b->shared_bytes = l->dynamic_shared_bytes > 0
                        ? module_dynamic_shared(l->kernel->owner) + l->dynamic_shared_bytes
                        : l->kernel->static_shared_bytes;
  b->local_bytes = local_bytes(l->kernel);
  b->warps = recycle_take_zeros(b->warp_count * sizeof *b->warps);
  b->shared = recycle_take(b->shared_bytes);
  b->shared_shadow = recycle_take_zeros((size_t)b->shared_bytes + 1);
  bool ok = b->warps != NULL && b->shared != NULL && b->shared_shadow != NULL;
  if (ok && settings_get()->check && b->shared_bytes > 0) {
    b->races = recycle_take_tracker(b->warp_count * LANES, b->shared_bytes);
    ok = b->races != NULL;
  }
  for (unsigned i = 0; ok && i < b->warp_count; ++i) ok = begin_warp(b, i);
  if (ok) return b;
  free_block(b);
  return NULL;
}

cluster *cluster_begin(grid *g, const unsigned first[3]) {
  cluster *c = calloc(1, sizeof *c);
  if (c == NULL) return NULL;
  const unsigned *size = g->launch.cluster;
  c->grid = g;
  c->block_count = size[0] * size[1] * size[2];
  for (unsigned r = 0; r < c->block_count; ++r) {
    const unsigned id[3] = {first[0] + r % size[0], first[1] + r / size[0] % size[1],
                            first[2] + r / size[0] / size[1]};
    c->blocks[r] = begin_block(c, id, r);
    if (c->blocks[r] == NULL) {
      cluster_free(c);
      return NULL;
    }
  }
  c->live_blocks = c->block_count;
  return c;
}

void cluster_free(cluster *c) {
  for (unsigned r = 0; r < c->block_count; ++r) free_block(c->blocks[r]);
  free(c);
}

/* ---- ends of threads */

unsigned block_live_threads(const block *b) {
  unsigned live = 0;
  for (unsigned i = 0; i < b->warp_count; ++i) live += (unsigned)__builtin_popcount(b->warps[i].live);
  return live;
}

void block_lanes_over(warp *w, uint32_t lanes) {
  block *b = w->block;
  ++b->changes;
  barriers_lanes_over(b);
  cluster_barrier_lanes_over(w, lanes);
  if (w->live == 0) --b->live_warps;
}

/* ---- executing */

/* Whether those of a warp that wait have a reason to try again. */
static bool may_try(warp *w) {
  if (w->seen == w->block->changes && !w->waits_outside) return false;
  w->seen = w->block->changes;
  w->waits_outside = false;
  warp_wake(w);
  return true;
}

static bool all_wait(const warp *w) {
  for (unsigned s = 0; s < w->split_count; ++s)
    if (!w->splits[s].waiting) return false;
  return w->split_count > 0;
}

/* All warps once. Whether any of them got on, or at least polls. */
static bool run_block(block *b, unsigned budget, uint64_t *random, bool *polls) {
  bool got_on = false;
  const unsigned shift = *random != 0 ? (unsigned)(draw(random) % b->warp_count) : 0;
  for (unsigned n = 0; n < b->warp_count; ++n) {
    warp *w = &b->warps[(n + shift) % b->warp_count];
    if (w->split_count == 0 || (!may_try(w) && all_wait(w))) continue;
    const unsigned slice = *random != 0 ? 1 + (unsigned)(draw(random) % budget) : budget;
    const warp_state state = warp_run(w, slice);
    if (state == WARP_POLLS || w->waits_outside) *polls = true;
    got_on |= state == WARP_RUNS || state == WARP_OVER;
    if (atomic_load_explicit(&b->grid->failing, memory_order_relaxed)) return true;
  }
  return got_on;
}

/* Whether a warp may get on: not all of it has tried in vain since something last changed. */
static bool has_hope(const block *b) {
  for (unsigned i = 0; i < b->warp_count; ++i) {
    const warp *w = &b->warps[i];
    if (w->split_count > 0 && (!all_wait(w) || w->seen != b->changes)) return true;
  }
  return false;
}

cluster_state cluster_run(cluster *c, unsigned budget, uint64_t *random) {
  bool got_on = false;
  c->live_blocks = 0;
  for (unsigned r = 0; r < c->block_count; ++r) {
    block *b = c->blocks[r];
    if (b->live_warps == 0) continue;
    bool polls = false;
    const bool moved = run_block(b, budget, random, &polls);
    const bool copying = async_progress(b, !moved);
    if (atomic_load(&c->grid->failing)) return CLUSTER_OVER;
    if (!moved && !polls && !copying && b->live_warps > 0) {
      /* Everybody waits, and for nobody but each other. */
      if (!has_hope(b) && barrier_report_stuck(b) == FLOW_FAULT) return CLUSTER_OVER;
    }
    got_on |= moved;
    if (b->live_warps > 0) ++c->live_blocks;
  }
  if (c->live_blocks == 0) return CLUSTER_OVER;
  return got_on ? CLUSTER_RUNS : CLUSTER_IDLE;
}

uint64_t cluster_executed(const cluster *c) {
  uint64_t sum = 0;
  for (unsigned r = 0; r < c->block_count; ++r)
    for (unsigned i = 0; i < c->blocks[r]->warp_count; ++i) sum += c->blocks[r]->warps[i].executed;
  return sum;
}

/* ---- describing */

void cluster_describe(const cluster *c) {
  enum { MOST = 40 };
  int told = 0;
  for (unsigned r = 0; r < c->block_count; ++r) {
    const block *b = c->blocks[r];
    for (unsigned i = 0; i < b->warp_count; ++i) {
      const warp *w = &b->warps[i];
      for (unsigned s = 0; s < w->split_count; ++s) {
        const split *at = &w->splits[s];
        const insn *in = &at->frame->code->insns[at->pc];
        const report_place p = place_of(w, in, (unsigned)__builtin_ctz(at->lanes));
        if (++told > MOST) continue;
        report_detail("block (%u,%u,%u) warp %u lanes 0x%08x %s at PTX line %u: %s", b->id[0], b->id[1],
                      b->id[2], i, at->lanes, at->waiting ? "wait" : "are", p.ptx_line, p.instruction);
      }
    }
  }
  if (told > MOST) report_detail("and %d more places", told - MOST);
}
