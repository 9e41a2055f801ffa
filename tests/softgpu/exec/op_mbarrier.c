/* mbarrier.
 *
 * PTX ISA, "Parallel Synchronization and Communication Instructions: mbarrier". The object's 64 bits hold
 * its whole state; the shadow of its bytes says that it is one, until something else is stored there. */
#include <inttypes.h>
#include <string.h>

#include "check/taint.h"
#include "exec/mbarrier.h"
#include "exec/op_memory.h"
#include "memory/memory.h"

enum { SHADOW_MBARRIER = 0xb5 }; /* neither SHADOW_SET nor SHADOW_UNSET */

/* ---- the object */

enum {
  OBJECT_BYTES = 8,
  COUNT_BITS = 20,
  EXPECTED_AT = COUNT_BITS,
  BYTES_AT = 2 * COUNT_BITS,
  BYTES_BITS = COUNT_BITS + 1,
  PARITY_AT = BYTES_AT + BYTES_BITS,
  MOST = (1 << COUNT_BITS) - 1, /* arrivals, and bytes outstanding */
};

typedef struct object {
  uint32_t pending;  /* arrivals that the phase lacks */
  uint32_t expected; /* in each phase */
  int64_t bytes;     /* announced that have not come yet; negative: the other way round */
  unsigned parity;   /* of the phase that is not complete yet */
} object;

static uint64_t encode(const object *o) {
  const uint64_t bytes = (uint64_t)o->bytes & ((UINT64_C(1) << BYTES_BITS) - 1);
  return o->pending | (uint64_t)o->expected << EXPECTED_AT | bytes << BYTES_AT |
         (uint64_t)o->parity << PARITY_AT;
}

static object decode(uint64_t bits) {
  const uint64_t bytes = bits >> BYTES_AT & ((UINT64_C(1) << BYTES_BITS) - 1);
  return (object){.pending = (uint32_t)bits & MOST,
                  .expected = (uint32_t)(bits >> EXPECTED_AT) & MOST,
                  .bytes = (int64_t)(bytes << (64 - BYTES_BITS)) >> (64 - BYTES_BITS),
                  .parity = (unsigned)(bits >> PARITY_AT) & 1};
}

static bool misuse(const mbarrier_user *u, const char *what, uint32_t offset) {
  const report_place place = place_of(u->w, u->i, u->lane);
  (void)report(REPORT_BARRIER, &place, "mbarrier at offset %" PRIu32 " of shared memory: %s", offset,
               what);
  fault(u->w, CUDA_ERROR_LAUNCH_FAILED);
  return false;
}

static bool is_object(const shared_place *at) {
  const uint8_t *shadow = shared_shadow_at(at);
  for (int b = 0; shadow != NULL && b < OBJECT_BYTES; ++b)
    if (shadow[b] != SHADOW_MBARRIER) return false;
  return true;
}

static bool load(const mbarrier_user *u, const shared_place *at, object *o, uint64_t *bits) {
  uint64_t value;
  memcpy(&value, at->block->shared + at->offset, sizeof value);
  if (bits != NULL) *bits = value;
  *o = decode(value);
  if (is_object(at)) return true;
  const bool unset = shadow_unset(shared_shadow_at(at), OBJECT_BYTES) != 0;
  return misuse(
      u, unset ? "used before it is initialised" : "none is there, or something was stored over it",
      at->offset);
}

static void store(const shared_place *at, const object *o) {
  const uint64_t bits = encode(o);
  memcpy(at->block->shared + at->offset, &bits, sizeof bits);
  uint8_t *shadow = shared_shadow_at(at);
  if (shadow != NULL) memset(shadow, SHADOW_MBARRIER, OBJECT_BYTES);
  ++at->block->changes;
}

static void complete_if_due(object *o) {
  if (o->pending != 0 || o->bytes != 0) return;
  o->parity ^= 1;
  o->pending = o->expected;
}

/* ---- order of accesses */

static void track(const mbarrier_user *u, const shared_place *at, access_kind kind, bool strong) {
  const access a = {.kind = kind,
                    .space = SPACE_SHARED,
                    .strong = strong,
                    .bytes = OBJECT_BYTES,
                    .align = OBJECT_BYTES};
  if (at->block == u->w->block) access_track(u->w, u->i, u->lane, &a, at->offset);
}

void mbarrier_release(const mbarrier_user *u, const shared_place *at) {
  const block *b = u->w->block;
  if (at->block == b && b->races != NULL) race_release(b->races, thread_of(u->w, u->lane), at->offset);
}

/* ---- operations */

bool mbarrier_place(const mbarrier_user *u, ptx_space space, uint64_t address, shared_place *at) {
  const access a = {.kind = ACCESS_ATOMIC,
                    .space = space,
                    .strong = true,
                    .bytes = OBJECT_BYTES,
                    .align = OBJECT_BYTES};
  return access_shared(u->w, u->i, u->lane, &a, address, at);
}

static bool add_bytes(const mbarrier_user *u, const shared_place *at, object *o, int64_t bytes) {
  o->bytes += bytes;
  if (o->bytes >= -MOST && o->bytes <= MOST) return true;
  return misuse(u, "more than 1048575 bytes are outstanding", at->offset);
}

bool mbarrier_arrive(const mbarrier_user *u, const shared_place *at, const mbarrier_arrival *a,
                     uint64_t *state) {
  object o;
  if (!load(u, at, &o, state) || !add_bytes(u, at, &o, a->bytes)) return false;
  if (a->count == 0 || a->count > MOST)
    return misuse(u, "arrival with a count that is not possible", at->offset);
  if (a->count > o.pending) return misuse(u, "more arrivals than the phase expects", at->offset);
  track(u, at, ACCESS_WRITE, true); /* which releases, too */
  o.pending -= a->count;
  if (a->drop) o.expected -= a->count < o.expected ? a->count : o.expected;
  if (a->no_complete && o.pending == 0 && o.bytes == 0)
    return misuse(u, "arrival with .noComplete that completes the phase", at->offset);
  complete_if_due(&o);
  store(at, &o);
  return true;
}

bool mbarrier_expect(const mbarrier_user *u, const shared_place *at, int64_t bytes) {
  object o;
  if (!load(u, at, &o, NULL) || !add_bytes(u, at, &o, bytes)) return false;
  if (bytes < 0) complete_if_due(&o);
  store(at, &o);
  return true;
}

bool mbarrier_expect_arrival(const mbarrier_user *u, const shared_place *at) {
  object o;
  if (!load(u, at, &o, NULL)) return false;
  if (o.pending == MOST) return misuse(u, "too many arrivals pending", at->offset);
  ++o.pending;
  store(at, &o);
  return true;
}

static bool init(const mbarrier_user *u, const shared_place *at, uint32_t count) {
  if (count == 0 || count > MOST)
    return misuse(u, "initialised with a count that is not possible", at->offset);
  if (shared_shadow_at(at) != NULL && is_object(at)) {
    const report_place place = place_of(u->w, u->i, u->lane);
    (void)report(REPORT_BARRIER, &place,
                 "mbarrier at offset %" PRIu32
                 " of shared memory initialised again without mbarrier.inval",
                 at->offset);
  }
  track(u, at, ACCESS_WRITE, false);
  store(at, &(object){.pending = count, .expected = count});
  return true;
}

static bool invalidate(const mbarrier_user *u, const shared_place *at) {
  object o;
  if (!load(u, at, &o, NULL)) return false;
  track(u, at, ACCESS_WRITE, false);
  shadow_fill(shared_shadow_at(at), OBJECT_BYTES, false);
  return true;
}

/* Whether the phase of a parity is complete. */
static bool test(const mbarrier_user *u, const shared_place *at, unsigned parity, bool *complete) {
  object o;
  if (!load(u, at, &o, NULL)) return false;
  *complete = o.parity != parity;
  if (!*complete) return true;     /* nothing follows from that */
  track(u, at, ACCESS_READ, true); /* which acquires, too */
  return true;
}

/* ---- execution */

typedef enum operation { INIT, INVAL, EXPECT_TX, COMPLETE_TX, ARRIVE, WAIT } operation;

enum { ARG_OPERATION, ARG_MODE, ARG_HAS_COUNT };
enum { MODE_EXPECT = 1, MODE_NO_COMPLETE = 2, MODE_DROP = 4, MODE_PARITY = 8 };

static bool arrive(const mbarrier_user *u, const shared_place *at, const int64_t *value,
                   uint64_t *state) {
  const uint32_t mode = u->i->arg[ARG_MODE];
  mbarrier_arrival a = {
      .count = 1, .drop = (mode & MODE_DROP) != 0, .no_complete = (mode & MODE_NO_COMPLETE) != 0};
  if (mode & MODE_EXPECT)
    a.bytes = (uint32_t)*value;
  else if (u->i->arg[ARG_HAS_COUNT])
    a.count = (uint32_t)*value;
  return mbarrier_arrive(u, at, &a, state);
}

static bool act(const mbarrier_user *u, const shared_place *at, int64_t value, uint64_t *state) {
  switch ((operation)u->i->arg[ARG_OPERATION]) {
    case INIT:
      return init(u, at, (uint32_t)value);
    case INVAL:
      return invalidate(u, at);
    case EXPECT_TX:
      return mbarrier_expect(u, at, (uint32_t)value);
    case COMPLETE_TX:
      return mbarrier_expect(u, at, -(int64_t)(uint32_t)value);
    case ARRIVE:
      return arrive(u, at, &value, state);
    case WAIT:
      break;
  }
  const unsigned parity =
      u->i->arg[ARG_MODE] & MODE_PARITY ? (unsigned)value & 1 : decode((uint64_t)value).parity;
  bool complete = false;
  if (!test(u, at, parity, &complete)) return false;
  *state = complete;
  return true;
}

static flow run_mbarrier(warp *w, const insn *i, uint32_t mask) {
  const int address = i->dst_count, value = address + 1;
  uint64_t addresses[LANES], states[LANES] = {0};
  int64_t values[LANES] = {0};
  access_addresses(w, i, address, addresses);
  if (i->count > value) read_lanes(w, i, value, i->width[value], false, values);
  uint32_t complete = 0;
  FOR_EACH(l, mask) {
    const mbarrier_user u = {w, i, l};
    shared_place at;
    if (!mbarrier_place(&u, (ptx_space)i->space, addresses[l], &at)) return FLOW_FAULT;
    if (!act(&u, &at, values[l], &states[l])) return FLOW_FAULT;
    complete |= (uint32_t)(states[l] & 1) << l;
  }
  if (i->arg[ARG_OPERATION] == WAIT) {
    put_pred(w, i, 0, complete, mask);
    if (complete == mask) return FLOW_NEXT;
    w->polled = true;
    return FLOW_YIELD;
  }
  if (i->dst_count > 0) put_u64(REG(uint64_t, 0), states, mask);
  return FLOW_NEXT;
}

static flow run_pending_count(warp *w, const insn *i, uint32_t mask) {
  const uint64_t *state = REG(const uint64_t, 1);
  uint32_t count[LANES];
  FOR_LANES(l) count[l] = decode(state[l]).pending;
  put_u32(REG(uint32_t, 0), count, mask);
  return FLOW_NEXT;
}

/* ---- decoding */

static bool decode_rest(decoder *d, operation which) {
  memory_modifiers m = {0};
  memory_take_modifiers(d, &m);
  if (m.space_given && m.space != SPACE_SHARED && m.space != SPACE_SHARED_CLUSTER)
    return decode_refuse(d, "its state space");
  if (!decode_take(d, "b64")) return decode_refuse(d, "its type");
  d->out->space = (uint8_t)m.space;
  d->out->arg[ARG_OPERATION] = which;
  d->out->run = run_mbarrier;
  return true;
}

/* [address] or [address], value. */
static bool decode_plain(decoder *d, operation which, bool has_value) {
  const ptx_operand *o = d->in->operands;
  return decode_rest(d, which) && decode_operand_count(d, 1 + has_value, 1 + has_value) &&
         decode_address(d, &o[0]) && (!has_value || decode_src(d, &o[1], TYPE_U32));
}

/* The state may be left out, as of barriers of other blocks. */
static bool decode_arrive(decoder *d, bool drop) {
  const bool expect = decode_take(d, "expect_tx"), no_complete = !expect && decode_take(d, "noComplete");
  d->out->arg[ARG_MODE] =
      (expect ? MODE_EXPECT : 0) | (no_complete ? MODE_NO_COMPLETE : 0) | (drop ? MODE_DROP : 0);
  const size_t count = d->in->operand_count;
  const ptx_operand *o = d->in->operands;
  if (!decode_rest(d, ARRIVE) || !decode_operand_count(d, 2, 3)) return false;
  if (count < 3 && (expect || no_complete)) return decode_refuse(d, "lacks a count");
  d->out->arg[ARG_HAS_COUNT] = count == 3;
  return decode_dst(d, &o[0], 8) && decode_address(d, &o[1]) &&
         (count < 3 || decode_src(d, &o[2], TYPE_U32));
}

static bool decode_wait(decoder *d, bool has_limit) {
  const bool parity = decode_take(d, "parity");
  d->out->arg[ARG_MODE] = parity ? MODE_PARITY : 0;
  const ptx_operand *o = d->in->operands;
  if (!decode_rest(d, WAIT) || !decode_operand_count(d, 3, has_limit ? 4 : 3)) return false;
  if (!decode_dst(d, &o[0], 0) || !decode_address(d, &o[1])) return false;
  if (!decode_src(d, &o[2], parity ? TYPE_U32 : TYPE_B64)) return false;
  return d->in->operand_count < 4 || decode_src(d, &o[3], TYPE_U32); /* how long to wait: not at all */
}

static bool decode_mbarrier(decoder *d) {
  const ptx_operand *o = d->in->operands;
  if (decode_take(d, "init")) return decode_plain(d, INIT, true);
  if (decode_take(d, "inval")) return decode_plain(d, INVAL, false);
  if (decode_take(d, "expect_tx")) return decode_plain(d, EXPECT_TX, true);
  if (decode_take(d, "complete_tx")) return decode_plain(d, COMPLETE_TX, true);
  if (decode_take(d, "arrive")) return decode_arrive(d, false);
  if (decode_take(d, "arrive_drop")) return decode_arrive(d, true);
  if (decode_take(d, "test_wait")) return decode_wait(d, false);
  if (decode_take(d, "try_wait")) return decode_wait(d, true);
  if (!decode_take(d, "pending_count") || !decode_take(d, "b64"))
    return decode_refuse(d, "its operation");
  d->out->run = run_pending_count;
  return decode_operand_count(d, 2, 2) && decode_dst(d, &o[0], 4) && decode_src(d, &o[1], TYPE_B64);
}

const decode_row rows_mbarrier[] = {{"mbarrier", decode_mbarrier}, {NULL, NULL}};
