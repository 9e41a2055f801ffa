/* cp.async and what waits for it, st.async and red.async.
 *
 * PTX ISA, "Data Movement and Conversion Instructions: Asynchronous Copy; st.async" and "red.async". A
 * thread's copies by cp.async are made when it waits for them. */
#include "exec/op_async.h"

#include <stdlib.h>
#include <string.h>

#include "api/settings.h"
#include "check/taint.h"
#include "exec/access.h"
#include "exec/async.h"
#include "exec/async_item.h"
#include "exec/mbarrier.h"
#include "exec/op_atomic.h"
#include "exec/op_memory.h"
#include "memory/memory.h"

/* ---- a thread's copies, oldest first */

struct pending_copy {
  struct pending_copy *next;
  const insn *i;
  bool closes_group; /* no copy, but the end of a group */
  bool done;
  uint32_t to; /* in the block's shared memory */
  uint64_t from;
  uint8_t size, filled; /* bytes copied, and those behind them that become zeros */
};
typedef struct pending_copy pending_copy;

static bool append(warp *w, const insn *i, unsigned lane, const pending_copy *copy) {
  pending_copy *added = malloc(sizeof *added), **end = &w->copies[lane];
  if (added == NULL) {
    const report_place place = place_of(w, i, lane);
    (void)report(REPORT_TRAP, &place, "the simulator is out of memory");
    fault(w, CUDA_ERROR_OUT_OF_MEMORY);
    return false;
  }
  *added = *copy;
  added->i = i;
  while (*end != NULL) end = &(*end)->next;
  *end = added;
  return true;
}

static bool perform(warp *w, unsigned lane, pending_copy *c) {
  if (c->closes_group || c->done) return true;
  c->done = true;
  const allocation *a = c->size == 0 ? NULL : memory_holding(c->from, c->size);
  if (c->size > 0 && a == NULL) {
    report_place place = place_of(w, c->i, lane);
    place.address = c->from;
    place.has_address = true;
    (void)report(REPORT_USE_AFTER_FREE, &place,
                 "the source of an asynchronous copy of %u bytes is gone before it is complete", c->size);
    fault(w, CUDA_ERROR_ILLEGAL_ADDRESS);
    return false;
  }
  block *b = w->block;
  if (c->size > 0) memcpy(b->shared + c->to, (const void *)(uintptr_t)c->from, c->size);
  memset(b->shared + c->to + c->size, 0, c->filled);
  uint8_t *shadow = b->shared_shadow + c->to;
  const uint8_t *source = c->size == 0 ? NULL : memory_shadow(c->from);
  if (source == NULL || !settings_get()->check || atomic_load_explicit(&a->all_set, memory_order_relaxed))
    memset(shadow, SHADOW_SET, c->size);
  else
    memcpy(shadow, source, c->size);
  memset(shadow + c->size, SHADOW_SET, c->filled);
  ++b->changes;
  return true;
}

/* Makes the copies of all closed groups but the latest `left`. */
static bool wait_groups(warp *w, unsigned lane, uint32_t left) {
  uint32_t groups = 0;
  for (const pending_copy *c = w->copies[lane]; c != NULL; c = c->next) groups += c->closes_group;
  while (groups > left) {
    pending_copy *c = w->copies[lane];
    if (!perform(w, lane, c)) return false;
    groups -= c->closes_group;
    w->copies[lane] = c->next;
    free(c);
  }
  return true;
}

static bool perform_all(warp *w, unsigned lane) {
  for (pending_copy *c = w->copies[lane]; c != NULL; c = c->next)
    if (!perform(w, lane, c)) return false;
  return true;
}

void copies_forget(warp *w, uint32_t lanes) {
  FOR_EACH(l, lanes) {
    while (w->copies[l] != NULL) {
      pending_copy *next = w->copies[l]->next;
      free(w->copies[l]);
      w->copies[l] = next;
    }
  }
}

/* ---- cp.async */

/* How many bytes are read, the others being zeros: as the copy's size, as an operand says, or all or
 * none. */
typedef enum source_size { SOURCE_WHOLE, SOURCE_OPERAND, SOURCE_IGNORED } source_size;

typedef struct copy_form {
  unsigned bytes;
  source_size source;
  ptx_space space;
  int64_t to_offset, from_offset;
} copy_form;

static void source_sizes(const warp *w, const insn *i, const copy_form *f, uint32_t sizes[LANES]) {
  FOR_LANES(l) sizes[l] = f->bytes;
  if (f->source == SOURCE_OPERAND)
    FOR_LANES(l) sizes[l] = REG(const uint32_t, 2)[l] < f->bytes ? REG(const uint32_t, 2)[l] : f->bytes;
  if (f->source != SOURCE_IGNORED) return;
  const uint32_t ignored = pred(w, i, 2);
  FOR_LANES(l) sizes[l] = (ignored >> l & 1) ? 0 : f->bytes;
}

static flow run_cp_async(warp *w, const insn *i, uint32_t mask) {
  const copy_form *f = i->more;
  uint64_t to[LANES], from[LANES];
  uint32_t sizes[LANES];
  access_lanes target, source;
  access_addresses_at(w, i, 0, f->to_offset, to);
  access_addresses_at(w, i, 1, f->from_offset, from);
  source_sizes(w, i, f, sizes);
  const access write = {.kind = ACCESS_WRITE, .space = f->space, .bytes = f->bytes, .align = f->bytes};
  if (!access_find(w, i, mask, &write, to, &target)) return FLOW_FAULT;
  FOR_EACH(l, mask) {
    const access read = {
        .kind = ACCESS_READ, .space = SPACE_GLOBAL, .bytes = sizes[l], .align = f->bytes};
    if (sizes[l] > 0 && !access_find(w, i, UINT32_C(1) << l, &read, from, &source)) return FLOW_FAULT;
    const pending_copy copy = {.to = (uint32_t)(target.host[l] - w->block->shared),
                               .from = from[l],
                               .size = (uint8_t)sizes[l],
                               .filled = (uint8_t)(f->bytes - sizes[l])};
    if (!append(w, i, l, &copy)) return FLOW_FAULT;
    shadow_fill(target.shadow[l], f->bytes, false); /* until somebody waits */
  }
  return FLOW_NEXT;
}

static bool decode_size_operands(decoder *d, copy_form *f, size_t count) {
  const ptx_operand *o = d->in->operands;
  if (o[2].kind != OPERAND_INTEGER) return decode_refuse(d, "its size is not constant");
  f->bytes = (unsigned)o[2].value;
  if (count < 4) return true;
  const bool is_pred = o[3].kind == OPERAND_REGISTER && o[3].reg->type == TYPE_PRED;
  f->source = is_pred ? SOURCE_IGNORED : SOURCE_OPERAND;
  return decode_src(d, &o[3], is_pred ? TYPE_PRED : TYPE_U32);
}

static bool decode_copy(decoder *d, bool around_l1) {
  memory_modifiers target = {0}, source = {0};
  copy_form *f = decode_memory(d, sizeof *f);
  if (f == NULL) return false;
  if (decode_take(d, "shared") || decode_take(d, "shared::cta")) target.space = SPACE_SHARED;
  memory_take_modifiers(d, &source); /* .global and how to cache */
  if (target.space != SPACE_SHARED || source.space != SPACE_GLOBAL)
    return decode_refuse(d, "its state spaces");
  f->space = SPACE_SHARED;
  d->out->more = f;
  d->out->run = run_cp_async;
  const ptx_operand *o = d->in->operands;
  if (!decode_operand_count(d, 3U + source.policy, 4U + source.policy)) return false;
  if (!decode_address(d, &o[0])) return false;
  f->to_offset = d->out->offset;
  if (!decode_address(d, &o[1])) return false;
  f->from_offset = d->out->offset;
  if (!decode_size_operands(d, f, d->in->operand_count - source.policy)) return false;
  const bool fits = f->bytes == 16 || (!around_l1 && (f->bytes == 4 || f->bytes == 8));
  return fits || decode_refuse(d, "copies %u bytes", f->bytes);
}

static flow run_commit(warp *w, const insn *i, uint32_t mask) {
  FOR_EACH(l, mask)
  if (!append(w, i, l, &(pending_copy){.closes_group = true})) return FLOW_FAULT;
  return FLOW_NEXT;
}

/* arg[0]: how many groups may be left; arg[1]: the open one is closed. */
static flow run_wait(warp *w, const insn *i, uint32_t mask) {
  FOR_EACH(l, mask) {
    if (i->arg[1] && !append(w, i, l, &(pending_copy){.closes_group = true})) return FLOW_FAULT;
    if (!wait_groups(w, l, i->arg[0])) return FLOW_FAULT;
  }
  return FLOW_NEXT;
}

/* arg[0]: .noinc */
static flow run_arrive(warp *w, const insn *i, uint32_t mask) {
  static const mbarrier_arrival arrival = {.count = 1};
  uint64_t addresses[LANES];
  access_addresses(w, i, 0, addresses);
  FOR_EACH(l, mask) {
    const mbarrier_user u = {w, i, l};
    shared_place at;
    if (!mbarrier_place(&u, (ptx_space)i->space, addresses[l], &at)) return FLOW_FAULT;
    if (!i->arg[0] && !mbarrier_expect_arrival(&u, &at)) return FLOW_FAULT;
    if (!perform_all(w, l) || !mbarrier_arrive(&u, &at, &arrival, NULL)) return FLOW_FAULT;
  }
  return FLOW_NEXT;
}

static bool decode_cp_arrive(decoder *d) {
  memory_modifiers m = {0};
  d->out->arg[0] = decode_take(d, "noinc");
  memory_take_modifiers(d, &m);
  d->out->space = (uint8_t)m.space;
  d->out->run = run_arrive;
  if (m.space_given && m.space != SPACE_SHARED) return decode_refuse(d, "its state space");
  return decode_take(d, "b64") && decode_operand_count(d, 1, 1) && decode_address(d, &d->in->operands[0]);
}

static bool decode_cp(decoder *d) {
  const ptx_operand *o = d->in->operands;
  const bool reduces = decode_take(d, "reduce");
  if (!decode_take(d, "async")) return decode_refuse(d, "is not understood");
  if (decode_take(d, "bulk")) return decode_bulk(d, reduces);
  if (reduces) return decode_refuse(d, "is not understood");
  if (decode_take(d, "ca")) return decode_copy(d, false);
  if (decode_take(d, "cg")) return decode_copy(d, true);
  if (decode_take(d, "mbarrier")) return decode_take(d, "arrive") && decode_cp_arrive(d);
  if (decode_take(d, "commit_group")) {
    d->out->run = run_commit;
    return decode_operand_count(d, 0, 0);
  }
  d->out->run = run_wait;
  if (decode_take(d, "wait_all")) {
    d->out->arg[1] = true;
    return decode_operand_count(d, 0, 0);
  }
  if (!decode_take(d, "wait_group") || !decode_operand_count(d, 1, 1))
    return decode_refuse(d, "its operation");
  d->out->arg[0] = (uint32_t)o[0].value;
  return o[0].kind == OPERAND_INTEGER || decode_refuse(d, "its number is not constant");
}

/* ---- st.async, red.async: [address], values, [mbarrier] */

typedef struct store_form {
  int64_t to_offset, barrier_offset;
  atomic_form form;
  bool reduces;
} store_form;

/* The values of a lane with their marks, as an item holds them. */
static uint8_t *take_values(const warp *w, const insn *i, unsigned lane) {
  const unsigned size = i->arg[ARG_SIZE], count = i->arg[ARG_COUNT], bytes = size * count;
  uint8_t *data = malloc(2 * (size_t)bytes);
  if (data == NULL) return NULL;
  for (unsigned e = 0; e < count; ++e) {
    const int k = 1 + (int)e;
    memcpy(data + e * size, w->regs + i->op[k] + lane * i->width[k], size);
    const uint32_t unset = taint_of(w, i, k, lane);
    for (unsigned b = 0; b < size; ++b)
      data[bytes + e * size + b] = (unset >> b & 1) ? SHADOW_UNSET : SHADOW_SET;
  }
  return data;
}

static bool begin_store(const mbarrier_user *u, const store_form *f, uint64_t to, uint64_t notified) {
  const insn *i = u->i;
  const unsigned bytes = i->arg[ARG_SIZE] * i->arg[ARG_COUNT];
  const access a = {.kind = f->reduces ? ACCESS_ATOMIC : ACCESS_WRITE,
                    .space = (ptx_space)i->space,
                    .bytes = bytes,
                    .align = bytes};
  async_item item = {
      .user = *u, .size = bytes, .form = f->form, .reduces = f->reduces, .has_barrier = true};
  item.to.is_shared = true;
  if (!access_shared(u->w, i, u->lane, &a, to, &item.to.shared)) return false;
  if (!mbarrier_place(u, a.space, notified, &item.barrier)) return false;
  if (item.to.shared.block == u->w->block) access_track(u->w, i, u->lane, &a, item.to.shared.offset);
  mbarrier_release(u, &item.barrier);
  if (!f->reduces) shadow_fill(shared_shadow_at(&item.to.shared), bytes, false);
  item.data = take_values(u->w, i, u->lane);
  return async_begin(&item);
}

static flow run_store_async(warp *w, const insn *i, uint32_t mask) {
  const store_form *f = i->more;
  const int last = i->count - 1;
  uint64_t to[LANES], barriers[LANES];
  if (taint_any(w) && (!taint_use(w, i, 0, mask) || !taint_use(w, i, last, mask))) return FLOW_FAULT;
  access_addresses_at(w, i, 0, f->to_offset, to);
  access_addresses_at(w, i, last, f->barrier_offset, barriers);
  FOR_EACH(l, mask) {
    const mbarrier_user u = {w, i, l};
    if (!begin_store(&u, f, to[l], barriers[l])) return FLOW_FAULT;
  }
  return FLOW_NEXT;
}

static bool decode_store_operands(decoder *d, store_form *f, ptx_type type) {
  const ptx_operand *o = d->in->operands, *elements;
  d->out->arg[ARG_SIZE] = (uint32_t)ptx_type_size(type);
  d->out->taint = TAINT_OWN;
  d->out->more = f;
  d->out->run = run_store_async;
  if (!decode_operand_count(d, 3, 3) || !decode_address(d, &o[0])) return false;
  f->to_offset = d->out->offset;
  const size_t count = decode_vector(&o[1], &elements);
  if (count != d->out->arg[ARG_COUNT]) return decode_refuse(d, "%zu registers", count);
  for (size_t e = 0; e < count; ++e)
    if (!decode_src(d, &elements[e], type)) return false;
  if (!decode_address(d, &o[2])) return false;
  f->barrier_offset = d->out->offset;
  return true;
}

static bool take_cluster_space(decoder *d) {
  d->out->space = decode_take(d, "shared::cluster") ? SPACE_SHARED_CLUSTER : SPACE_GENERIC;
  return decode_take(d, "mbarrier::complete_tx::bytes") || decode_refuse(d, "lacks how it completes");
}

bool decode_st_async(decoder *d) {
  store_form *f = decode_memory(d, sizeof *f);
  if (f == NULL) return false;
  (void)decode_take(d, "weak");
  if (!take_cluster_space(d)) return false;
  d->out->arg[ARG_COUNT] = memory_take_vector(d);
  const ptx_type type = decode_type(d);
  const int size = ptx_type_size(type);
  if ((size != 4 && size != 8) || type > TYPE_F64 || d->out->arg[ARG_COUNT] > 4)
    return decode_refuse(d, "its type");
  return decode_store_operands(d, f, type);
}

bool decode_red_async(decoder *d) {
  store_form *f = decode_memory(d, sizeof *f);
  if (f == NULL) return false;
  (void)(decode_take(d, "relaxed") && decode_take(d, "cluster"));
  if (!take_cluster_space(d) || !atomic_decode_op(d, &f->form)) return false;
  f->reduces = true;
  f->form.type = decode_type(d);
  f->form.size = (unsigned)ptx_type_size(f->form.type);
  d->out->arg[ARG_COUNT] = 1;
  const ptx_type type = f->form.type;
  const bool known = type == TYPE_U32 || type == TYPE_S32 || type == TYPE_B32 || type == TYPE_U64;
  const bool exchanges = f->form.op == ATOMIC_EXCH || f->form.op == ATOMIC_CAS;
  if (!known || exchanges) return decode_refuse(d, "has no form of that type");
  return decode_store_operands(d, f, type);
}

const decode_row rows_async[] = {{"cp", decode_cp}, {NULL, NULL}};
