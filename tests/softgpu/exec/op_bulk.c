/* cp.async.bulk and cp.reduce.async.bulk, without their tensor forms.
 *
 * PTX ISA, "Data Movement and Conversion Instructions: Bulk Copy". */
#include <string.h>

#include "exec/access.h"
#include "exec/async_item.h"
#include "exec/op_async.h"
#include "exec/op_memory.h"

enum { GRAIN = 16 }; /* of addresses and sizes */

typedef struct bulk_form {
  ptx_space to, from;
  int64_t to_offset, from_offset, barrier_offset;
  bool has_barrier; /* against groups */
  bool multicast;
  bool reduces;
  atomic_form form;
} bulk_form;

enum { OPERAND_TO, OPERAND_FROM, OPERAND_SIZE, OPERAND_BARRIER, OPERAND_MASK };

/* ---- execution */

/* The addresses of a lane. */
typedef struct request {
  uint64_t to, from, barrier;
  uint32_t size;
} request;

/* A shared or global place checked; for the thread's own block's memory, its order with other accesses
 * too. */
static bool find(const mbarrier_user *u, const access *a, uint64_t address, async_place *p) {
  p->is_shared = a->space != SPACE_GLOBAL;
  p->address = address;
  if (p->is_shared) {
    if (!access_shared(u->w, u->i, u->lane, a, address, &p->shared)) return false;
    if (p->shared.block == u->w->block) access_track(u->w, u->i, u->lane, a, p->shared.offset);
    return true;
  }
  uint64_t addresses[LANES];
  access_lanes found;
  FOR_LANES(l) addresses[l] = address;
  return access_find(u->w, u->i, UINT32_C(1) << u->lane, a, addresses, &found);
}

/* One target's part of the work: begins it. */
static bool begin(const mbarrier_user *u, const bulk_form *f, const request *r) {
  const access write = {.kind = f->reduces ? ACCESS_ATOMIC : ACCESS_WRITE,
                        .space = f->to,
                        .bytes = r->size,
                        .align = GRAIN},
               read = {.kind = ACCESS_READ, .space = f->from, .bytes = r->size, .align = GRAIN};
  async_item item = {
      .user = *u, .size = r->size, .form = f->form, .reduces = f->reduces, .has_barrier = f->has_barrier};
  if (!find(u, &write, r->to, &item.to) || !find(u, &read, r->from, &item.from)) return false;
  if (f->has_barrier) {
    if (!mbarrier_place(u, f->to, r->barrier, &item.barrier)) return false;
    if (item.barrier.block != item.to.shared.block) {
      const report_place place = place_of(u->w, u->i, u->lane);
      (void)report(REPORT_BARRIER, &place,
                   "the mbarrier is in another block's shared memory than the destination");
    }
    mbarrier_release(u, &item.barrier);
  } else {
    item.has_group = true;
    item.group = async_open_group(u);
  }
  if (item.to.is_shared && !f->reduces) shadow_fill(shared_shadow_at(&item.to.shared), r->size, false);
  return async_begin(&item);
}

static bool check_size(const mbarrier_user *u, uint32_t size) {
  if (size % GRAIN == 0) return true;
  const report_place place = place_of(u->w, u->i, u->lane);
  (void)report(REPORT_MISALIGNED, &place, "asynchronous copy of %u bytes, which is no multiple of %d",
               size, GRAIN);
  fault(u->w, CUDA_ERROR_MISALIGNED_ADDRESS);
  return false;
}

/* To the same place in each block of the cluster that the mask names. */
static bool begin_everywhere(const mbarrier_user *u, const bulk_form *f, const request *r,
                             uint32_t blocks) {
  enum { OFFSET = (1 << 24) - 1 };
  FOR_EACH(rank, blocks) {
    request one = *r;
    one.to = (uint64_t)(rank + 1) << 24 | (r->to & OFFSET);
    one.barrier = (uint64_t)(rank + 1) << 24 | (r->barrier & OFFSET);
    if (!begin(u, f, &one)) return false;
  }
  return true;
}

static flow run_bulk(warp *w, const insn *i, uint32_t mask) {
  const bulk_form *f = i->more;
  uint64_t to[LANES], from[LANES], barriers[LANES] = {0};
  int64_t blocks[LANES] = {0};
  const uint32_t *sizes = REG(const uint32_t, OPERAND_SIZE);
  access_addresses_at(w, i, OPERAND_TO, f->to_offset, to);
  access_addresses_at(w, i, OPERAND_FROM, f->from_offset, from);
  if (f->has_barrier) access_addresses_at(w, i, OPERAND_BARRIER, f->barrier_offset, barriers);
  if (f->multicast) read_lanes(w, i, OPERAND_MASK, 2, false, blocks);
  FOR_EACH(l, mask) {
    const mbarrier_user u = {w, i, l};
    const request r = {to[l], from[l], barriers[l], sizes[l]};
    if (!check_size(&u, r.size)) return FLOW_FAULT;
    if (r.size == 0) continue;
    const bool ok = f->multicast ? begin_everywhere(&u, f, &r, (uint32_t)blocks[l]) : begin(&u, f, &r);
    if (!ok) return FLOW_FAULT;
  }
  return FLOW_NEXT;
}

static flow run_commit(warp *w, const insn *i, uint32_t mask) {
  FOR_EACH(l, mask) async_close_group(&(mbarrier_user){w, i, l});
  return FLOW_NEXT;
}

/* arg[0]: how many groups may be left; arg[1]: their reading is enough. */
static flow run_wait(warp *w, const insn *i, uint32_t mask) {
  FOR_EACH(l, mask)
  if (!async_wait_groups(&(mbarrier_user){w, i, l}, i->arg[0], i->arg[1] != 0)) return FLOW_FAULT;
  return FLOW_NEXT;
}

static flow run_prefetch(warp *w, const insn *i, uint32_t mask) {
  (void)w, (void)i, (void)mask;
  return FLOW_NEXT;
}

/* ---- decoding */

static bool take_spaces(decoder *d, bulk_form *f) {
  if (decode_take(d, "global"))
    f->to = SPACE_GLOBAL;
  else if (decode_take(d, "shared::cluster"))
    f->to = SPACE_SHARED_CLUSTER;
  else if (decode_take(d, "shared::cta"))
    f->to = SPACE_SHARED;
  if (decode_take(d, "global"))
    f->from = SPACE_GLOBAL;
  else if (decode_take(d, "shared::cta"))
    f->from = SPACE_SHARED;
  const bool into_shared = f->to == SPACE_SHARED_CLUSTER || f->to == SPACE_SHARED;
  const bool known = f->to == SPACE_GLOBAL ? f->from == SPACE_SHARED
                                           : into_shared && (f->from == SPACE_GLOBAL || f->to != f->from);
  if (!known || f->from == SPACE_GENERIC) return decode_refuse(d, "its state spaces");
  f->has_barrier = into_shared;
  if (decode_take(d, into_shared ? "mbarrier::complete_tx::bytes" : "bulk_group")) return true;
  return decode_refuse(d, "how it completes");
}

static bool is_bits(ptx_type type) {
  return type == TYPE_B32 || type == TYPE_B64;
}

/* Whether there is the reduction; into shared memory only those of 32-bit integers and 64-bit sums. */
static bool has_reduction(const bulk_form *f) {
  const ptx_type type = f->form.type;
  const bool shared = f->to != SPACE_GLOBAL, half = type == TYPE_F16 || type == TYPE_BF16;
  const bool number32 = type == TYPE_U32 || type == TYPE_S32,
             number64 = type == TYPE_U64 || type == TYPE_S64;
  switch (f->form.op) {
    case ATOMIC_AND:
    case ATOMIC_OR:
    case ATOMIC_XOR:
      return shared ? type == TYPE_B32 : is_bits(type);
    case ATOMIC_INC:
    case ATOMIC_DEC:
      return type == TYPE_U32;
    case ATOMIC_ADD:
      if (shared) return number32 || type == TYPE_U64;
      return number32 || type == TYPE_U64 || half || type == TYPE_F32 || type == TYPE_F64;
    case ATOMIC_MIN:
    case ATOMIC_MAX:
      return number32 || (!shared && (number64 || half));
    case ATOMIC_EXCH:
    case ATOMIC_CAS:
      break;
  }
  return false;
}

static bool take_reduction(decoder *d, bulk_form *f) {
  if (!atomic_decode_op(d, &f->form)) return false;
  const bool no_ftz = decode_take(d, "noftz");
  f->form.type = decode_type(d);
  f->form.size = (unsigned)ptx_type_size(f->form.type);
  const bool half = f->form.type == TYPE_F16 || f->form.type == TYPE_BF16;
  if (has_reduction(f) && no_ftz == (half && f->form.op == ATOMIC_ADD)) return true;
  return decode_refuse(d, "has no form of that type");
}

static bool decode_operands(decoder *d, bulk_form *f, bool policy) {
  const ptx_operand *o = d->in->operands;
  const size_t count = 3U + f->has_barrier + f->multicast + policy;
  if (!decode_operand_count(d, count, count) || !decode_address(d, o++)) return false;
  f->to_offset = d->out->offset;
  if (!decode_address(d, o++)) return false;
  f->from_offset = d->out->offset;
  if (!decode_src(d, o++, TYPE_U32)) return false;
  if (f->has_barrier) {
    if (!decode_address(d, o++)) return false;
    f->barrier_offset = d->out->offset;
  }
  if (f->multicast && !decode_src(d, o++, TYPE_U16)) return false;
  return !policy || decode_src(d, o, TYPE_B64);
}

static bool decode_group(decoder *d) {
  if (decode_take(d, "commit_group")) {
    d->out->run = run_commit;
    return decode_operand_count(d, 0, 0);
  }
  if (!decode_take(d, "wait_group")) return false;
  const ptx_operand *o = d->in->operands;
  d->out->arg[1] = decode_take(d, "read");
  d->out->run = run_wait;
  if (!decode_operand_count(d, 1, 1)) return false;
  if (o[0].kind != OPERAND_INTEGER) return decode_refuse(d, "its number is not constant");
  d->out->arg[0] = (uint32_t)o[0].value;
  return true;
}

bool decode_bulk(decoder *d, bool reduces) {
  if (!reduces && decode_group(d)) return true;
  if (decode_take(d, "tensor")) return decode_refuse(d, "tensor maps are not known");
  if (!reduces && decode_take(d, "prefetch")) {
    if (decode_take(d, "tensor")) return decode_refuse(d, "tensor maps are not known");
    d->out->run = run_prefetch;
    if (!decode_take(d, "L2") || !decode_take(d, "global")) return decode_refuse(d, "its level");
    return decode_operand_count(d, 2U + decode_take(d, "L2::cache_hint"), 3);
  }
  bulk_form *f = decode_memory(d, sizeof *f);
  if (f == NULL || !take_spaces(d, f)) return false;
  f->reduces = reduces;
  f->multicast = decode_take(d, "multicast::cluster");
  if (f->multicast && (reduces || f->from != SPACE_GLOBAL)) return decode_refuse(d, "its state spaces");
  const bool policy = decode_take(d, "L2::cache_hint");
  if (reduces && !take_reduction(d, f)) return false;
  d->out->more = f;
  d->out->run = run_bulk;
  return decode_operands(d, f, policy);
}
