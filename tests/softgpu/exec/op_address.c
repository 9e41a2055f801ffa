/* Instructions about addresses and the order of accesses, and those that only concern caches.
 *
 * PTX ISA, "cvta, isspacep, mapa, getctarank, prefetch, createpolicy, discard, applypriority" and
 * "membar, fence". */
#include <string.h>

#include "check/taint.h"
#include "exec/op_memory.h"
#include "memory/memory.h"

/* ---- cvta: between the generic address space and the others, which are windows in it */

enum { ARG_TO_GENERIC };

/* What the generic address of something else becomes in a window's space: no address there, even when cut
 * to 32 bits, so that accesses by it are noticed. */
#define NO_ADDRESS (~UINT64_C(15))

static uint64_t window_of(ptx_space space) {
  switch (space) {
    case SPACE_SHARED:
    case SPACE_SHARED_CLUSTER:
      return WINDOW_SHARED;
    case SPACE_LOCAL:
      return WINDOW_LOCAL;
    case SPACE_PARAM:
      return WINDOW_PARAM;
    default:
      return 0; /* global memory and constants are where they are */
  }
}

static flow run_cvta(warp *w, const insn *i, uint32_t mask) {
  const uint64_t *from = REG(const uint64_t, 1), window = window_of((ptx_space)i->space);
  uint64_t to[LANES];
  if (window == 0) {
    put_u64(REG(uint64_t, 0), from, mask);
    return FLOW_NEXT;
  }
  if (i->arg[ARG_TO_GENERIC]) {
    const uint64_t base = window + (i->frame_relative ? w->frame->local_base : 0);
    FOR_LANES(l) to[l] = from[l] + base;
  } else {
    FOR_LANES(l) to[l] = from[l] - window < WINDOW_SIZE ? from[l] - window : NO_ADDRESS;
  }
  put_u64(REG(uint64_t, 0), to, mask);
  return FLOW_NEXT;
}

bool decode_cvta(decoder *d) {
  memory_modifiers m = {0};
  insn *out = d->out;
  out->arg[ARG_TO_GENERIC] = !decode_take(d, "to");
  memory_take_modifiers(d, &m);
  if (!m.space_given) return decode_refuse(d, "lacks a state space");
  if (!decode_take(d, "u64")) return decode_refuse(d, "addresses have 64 bits");
  out->space = (uint8_t)m.space;
  out->taint = TAINT_COPY;
  out->run = run_cvta;
  const ptx_operand *o = d->in->operands;
  if (!decode_operand_count(d, 2, 2) || !decode_dst(d, &o[0], 8) || !decode_src(d, &o[1], TYPE_U64))
    return false;
  if (out->frame_relative && m.space == SPACE_PARAM) out->space = SPACE_LOCAL;
  return true;
}

/* ---- isspacep */

static bool is_constant(uint64_t address) {
  const allocation *a = memory_find(address);
  return a != NULL && a->read_only;
}

static bool is_in_space(const warp *w, uint64_t address, ptx_space space) {
  const uint64_t shared = address - WINDOW_SHARED;
  const bool window = address - WINDOW_SHARED < WINDOW_CODE + WINDOW_SIZE - WINDOW_SHARED;
  switch (space) {
    case SPACE_SHARED:
      return shared < WINDOW_SIZE && (shared >> 24 == 0 || shared >> 24 == w->block->rank + 1);
    case SPACE_SHARED_CLUSTER:
      return shared < WINDOW_SIZE && shared >> 24 <= w->block->cluster->block_count;
    case SPACE_LOCAL:
      return address - WINDOW_LOCAL < WINDOW_SIZE;
    case SPACE_PARAM:
      return address - WINDOW_PARAM < WINDOW_SIZE;
    case SPACE_CONST:
      return !window && is_constant(address);
    default:
      return !window && !is_constant(address);
  }
}

static flow run_isspacep(warp *w, const insn *i, uint32_t mask) {
  const uint64_t *address = REG(const uint64_t, 1);
  uint32_t result = 0;
  FOR_EACH(l, mask) result |= (uint32_t)is_in_space(w, address[l], (ptx_space)i->space) << l;
  put_pred(w, i, 0, result, mask);
  return FLOW_NEXT;
}

bool decode_isspacep(decoder *d) {
  memory_modifiers m = {0};
  memory_take_modifiers(d, &m);
  if (!m.space_given) return decode_refuse(d, "lacks a state space");
  d->out->space = (uint8_t)m.space;
  d->out->run = run_isspacep;
  const ptx_operand *o = d->in->operands;
  return decode_operand_count(d, 2, 2) && decode_dst(d, &o[0], 0) && decode_src(d, &o[1], TYPE_U64);
}

/* ---- mapa, getctarank: places in the shared memory of a cluster */

enum { RANK_BITS = 24, OFFSET_MASK = (1 << RANK_BITS) - 1 };

static flow run_mapa(warp *w, const insn *i, uint32_t mask) {
  const uint64_t window = i->space == SPACE_GENERIC ? WINDOW_SHARED : 0;
  int64_t from[LANES], to[LANES];
  read_lanes(w, i, 1, i->width[1], false, from);
  const uint32_t *rank = REG(const uint32_t, 2);
  FOR_LANES(l) {
    const uint64_t inside = (uint64_t)from[l] - window;
    /* A rank that there is not shows when the address is used. */
    const uint64_t above = rank[l] < MAX_CLUSTER ? rank[l] + 1 : MAX_CLUSTER + 1;
    to[l] = (int64_t)(inside < WINDOW_SIZE ? window + (above << RANK_BITS | (inside & OFFSET_MASK))
                                           : NO_ADDRESS);
  }
  write_lanes(w, i, 0, to, mask);
  return FLOW_NEXT;
}

static bool decode_cluster_address(decoder *d, ptx_type *type) {
  memory_modifiers m = {0};
  memory_take_modifiers(d, &m);
  if (m.space_given && m.space != SPACE_SHARED_CLUSTER && m.space != SPACE_SHARED)
    return decode_refuse(d, "its state space");
  d->out->space = (uint8_t)m.space;
  *type = decode_type(d);
  if (*type == TYPE_U64 || (*type == TYPE_U32 && m.space_given)) return true;
  return decode_refuse(d, "its type");
}

bool decode_mapa(decoder *d) {
  ptx_type type = TYPE_NONE;
  d->out->run = run_mapa;
  const ptx_operand *o = d->in->operands;
  return decode_cluster_address(d, &type) && decode_operand_count(d, 3, 3) &&
         decode_dst(d, &o[0], ptx_type_size(type)) && decode_src(d, &o[1], type) &&
         decode_src(d, &o[2], TYPE_U32);
}

static flow run_getctarank(warp *w, const insn *i, uint32_t mask) {
  const uint64_t window = i->space == SPACE_GENERIC ? WINDOW_SHARED : 0;
  int64_t from[LANES], to[LANES];
  read_lanes(w, i, 1, i->width[1], false, from);
  FOR_LANES(l) {
    const uint64_t rank = ((uint64_t)from[l] - window) >> RANK_BITS;
    to[l] = rank == 0 ? w->block->rank : (int64_t)(rank - 1);
  }
  write_lanes(w, i, 0, to, mask);
  return FLOW_NEXT;
}

bool decode_getctarank(decoder *d) {
  ptx_type type = TYPE_NONE;
  d->out->run = run_getctarank;
  const ptx_operand *o = d->in->operands;
  return decode_cluster_address(d, &type) && decode_operand_count(d, 2, 2) && decode_dst(d, &o[0], 4) &&
         decode_src(d, &o[1], type);
}

/* ---- membar, fence */

/* The thread sanitizer knows no fences. */
#if defined(__SANITIZE_THREAD__)
static atomic_uint everybody;
#define FENCE(order) (void)atomic_fetch_add(&everybody, 0)
#else
#define FENCE(order) atomic_thread_fence(order)
#endif

static flow run_fence_sc(warp *w, const insn *i, uint32_t mask) {
  (void)w, (void)i, (void)mask;
  FENCE(memory_order_seq_cst);
  return FLOW_NEXT;
}

static flow run_fence(warp *w, const insn *i, uint32_t mask) {
  (void)w, (void)i, (void)mask;
  FENCE(memory_order_acq_rel);
  return FLOW_NEXT;
}

static bool take_scope(decoder *d) {
  return decode_take(d, "cta") || decode_take(d, "cluster") || decode_take(d, "gpu") ||
         decode_take(d, "sys");
}

static bool decode_proxy_fence(decoder *d) {
  static const char *const kinds[] = {"alias", "async", "async::generic", "tensormap::generic"};
  bool known = false;
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds && !known; ++k) known = decode_take(d, kinds[k]);
  if (!known) return decode_refuse(d, "an unknown proxy");
  (void)(decode_take(d, "global") || decode_take(d, "shared::cta") || decode_take(d, "shared::cluster"));
  if (decode_take(d, "acquire") || decode_take(d, "release")) {
    (void)(decode_take(d, "sync_restrict::shared::cluster") ||
           decode_take(d, "sync_restrict::shared::cta"));
    if (!take_scope(d)) return decode_refuse(d, "lacks a scope");
  }
  d->out->run = run_fence_sc;
  return decode_operand_count(d, 0, 2); /* of a tensor map: its address and size */
}

bool decode_fence(decoder *d) {
  if (decode_take(d, "proxy")) return decode_proxy_fence(d);
  const bool init = decode_take(d, "mbarrier_init");
  d->out->run = run_fence;
  if (!init && decode_take(d, "sc"))
    d->out->run = run_fence_sc;
  else if (!(decode_take(d, "acq_rel") || decode_take(d, "acquire") || decode_take(d, "release")))
    d->out->run = run_fence_sc; /* .acq_rel if none is said; this is as good */
  (void)(decode_take(d, "sync_restrict::shared::cluster") ||
         decode_take(d, "sync_restrict::shared::cta"));
  return (take_scope(d) || decode_refuse(d, "lacks a scope")) && decode_operand_count(d, 0, 0);
}

bool decode_membar(decoder *d) {
  if (decode_take(d, "proxy")) return decode_proxy_fence(d);
  if (!decode_take(d, "gl") && !decode_take(d, "cta") && !decode_take(d, "sys"))
    return decode_refuse(d, "its level");
  d->out->run = run_fence_sc;
  return decode_operand_count(d, 0, 0);
}

/* ---- caches */

static flow run_nothing(warp *w, const insn *i, uint32_t mask) {
  (void)w, (void)i, (void)mask;
  return FLOW_NEXT;
}

/* The address may be anything: a prefetch of what is not there does nothing. */
bool decode_prefetch(decoder *d) {
  memory_modifiers m = {0};
  const bool map = decode_take(d, "const") || decode_take(d, "param");
  if (decode_take(d, "tensormap")) {
    d->out->run = run_nothing;
    return decode_operand_count(d, 1, 1);
  }
  if (map) return decode_refuse(d, "its state space");
  memory_take_modifiers(d, &m); /* L2::evict_last */
  (void)(decode_take(d, "L1") || decode_take(d, "L2"));
  d->out->run = run_nothing;
  return decode_operand_count(d, 1, 1);
}

bool decode_prefetchu(decoder *d) {
  d->out->run = run_nothing;
  return decode_take(d, "L1") && decode_operand_count(d, 1, 1);
}

bool decode_createpolicy(decoder *d) {
  enum { POLICY = 0x1000 }; /* nobody looks at it */
  memory_modifiers m = {0};
  if (!decode_take(d, "fractional") && !decode_take(d, "range") && !decode_take(d, "cvt"))
    return decode_refuse(d, "its kind");
  memory_take_modifiers(d, &m);
  while (decode_take(d, "L2") || decode_take(d, "L2::evict_unchanged")) memory_take_modifiers(d, &m);
  if (!decode_take(d, "b64")) return decode_refuse(d, "its type");
  d->out->run = run_cvta; /* of a space without a window: a copy */
  d->out->space = SPACE_GENERIC;
  return decode_operand_count(d, 1, 4) && decode_dst(d, &d->in->operands[0], 8) &&
         decode_src_constant(d, POLICY, 0, 8);
}

enum { DISCARDED = 128 };

/* What is discarded may be lost: it counts as never written. */
static flow run_discard(warp *w, const insn *i, uint32_t mask) {
  const access a = {
      .kind = ACCESS_WRITE, .space = (ptx_space)i->space, .bytes = DISCARDED, .align = DISCARDED};
  uint64_t addresses[LANES];
  access_lanes at;
  access_addresses(w, i, 0, addresses);
  if (!access_find(w, i, mask, &a, addresses, &at)) return FLOW_FAULT;
  FOR_EACH(l, mask) {
    allocation *found = memory_holding(addresses[l], DISCARDED);
    if (found != NULL) memory_mark(found, addresses[l], DISCARDED, false);
  }
  return FLOW_NEXT;
}

static bool decode_cache_line(decoder *d, insn_run *run, const char *level) {
  memory_modifiers m = {0};
  if (decode_take(d, "global")) m.space = SPACE_GLOBAL;
  if (!decode_take(d, level)) return decode_refuse(d, "its level");
  d->out->run = run;
  const ptx_operand *o = d->in->operands;
  if (!decode_operand_count(d, 2, 2) || !memory_decode_address(d, &o[0], &m)) return false;
  return (o[1].kind == OPERAND_INTEGER && o[1].value == DISCARDED) ||
         decode_refuse(d, "its size is not 128");
}

bool decode_discard(decoder *d) {
  return decode_cache_line(d, run_discard, "L2");
}
bool decode_applypriority(decoder *d) {
  return decode_cache_line(d, run_nothing, "L2::evict_normal");
}
