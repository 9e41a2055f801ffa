/* atom and red.
 *
 * PTX ISA, "Parallel Synchronization and Communication Instructions: atom, red". Lanes go one after
 * another, each by the host's compare-and-exchange, as the blocks of a grid run on several threads. */
#include "exec/op_atomic.h"

#include <string.h>

#include "api/settings.h"
#include "check/taint.h"
#include "exec/async.h"
#include "exec/bits.h"
#include "exec/half.h"
#include "exec/op_memory.h"

/* ---- what an operation makes of two values */

static uint64_t cut(uint64_t x, unsigned size) {
  return size >= 8 ? x : x & ((UINT64_C(1) << 8 * size) - 1);
}

static int64_t extend(uint64_t x, unsigned size) {
  const unsigned unused = 64 - 8 * size;
  return (int64_t)(x << unused) >> unused;
}

static float f32_of(uint64_t bits) {
  const uint32_t low = (uint32_t)bits;
  float x;
  memcpy(&x, &low, sizeof x);
  return x;
}

static float flush(float x) {
  return __builtin_fabsf(x) < 0x1p-126F ? __builtin_copysignf(0, x) : x;
}

/* Subnormal numbers are zeros where global memory does the addition. */
static uint64_t add_f32(uint64_t a, uint64_t b, bool ftz) {
  const float x = f32_of(a), y = f32_of(b);
  return ftz ? canonical_bits_of_f32(flush(flush(x) + flush(y))) : canonical_bits_of_f32(x + y);
}

static uint64_t add_f64(uint64_t a, uint64_t b) {
  double x, y;
  memcpy(&x, &a, sizeof x);
  memcpy(&y, &b, sizeof y);
  x += y;
  if (x != x) return UINT64_C(0x7fffffffffffffff);
  memcpy(&a, &x, sizeof a);
  return a;
}

/* Sums and the like of 16-bit formats are exact in a double but for the last rounding. */
static uint16_t half_operate(atomic_op op, bool bf16, uint16_t a, uint16_t b) {
  const double x = bf16 ? bf16_to_f32(a) : f16_to_f32(a), y = bf16 ? bf16_to_f32(b) : f16_to_f32(b);
  if (op == ATOMIC_ADD) return bf16 ? bf16_from_f64(x + y, ROUND_RN) : f16_from_f64(x + y, ROUND_RN);
  if (x != x) return y != y ? HALF_NAN : b;
  if (y != y) return a;
  const bool less = x < y || (x == y && a >> 15 > b >> 15); /* -0 < +0 */
  return less == (op == ATOMIC_MIN) ? a : b;
}

static uint64_t operate_float(const atomic_form *f, uint64_t a, uint64_t b) {
  switch (f->type) {
    case TYPE_F32:
      return add_f32(a, b, f->ftz);
    case TYPE_F64:
      return add_f64(a, b);
    case TYPE_F16:
    case TYPE_BF16:
      return half_operate(f->op, f->type == TYPE_BF16, (uint16_t)a, (uint16_t)b);
    default:
      break;
  }
  const bool bf16 = f->type == TYPE_BF16X2;
  const uint32_t low = half_operate(f->op, bf16, (uint16_t)a, (uint16_t)b),
                 high = half_operate(f->op, bf16, (uint16_t)(a >> 16), (uint16_t)(b >> 16));
  return high << 16 | low;
}

static bool is_float(ptx_type type) {
  return type >= TYPE_F16 && type <= TYPE_BF16X2;
}
static bool is_signed(ptx_type type) {
  return type >= TYPE_S8 && type <= TYPE_S64;
}

uint64_t atomic_operate(const atomic_form *f, uint64_t a, uint64_t b, uint64_t c) {
  if (is_float(f->type)) return operate_float(f, a, b);
  const bool less = is_signed(f->type) ? extend(a, f->size) < extend(b, f->size) : a < b;
  switch (f->op) {
    case ATOMIC_AND:
      return a & b;
    case ATOMIC_OR:
      return a | b;
    case ATOMIC_XOR:
      return a ^ b;
    case ATOMIC_EXCH:
      return b;
    case ATOMIC_ADD:
      return cut(a + b, f->size);
    case ATOMIC_INC:
      return a >= b ? 0 : a + 1;
    case ATOMIC_DEC:
      return a == 0 || a > b ? b : a - 1;
    case ATOMIC_MIN:
      return less ? a : b;
    case ATOMIC_MAX:
      return less ? b : a;
    case ATOMIC_CAS:
      break;
  }
  return a == b ? c : a;
}

/* ---- at an address of the host */

uint64_t atomic_at(const atomic_form *f, uint8_t *at, uint64_t b, uint64_t c) {
  void *p = at;
#define LOOP(type)                                                                                      \
  do {                                                                                                  \
    type found = __atomic_load_n((type *)p, __ATOMIC_RELAXED);                                          \
    while (!__atomic_compare_exchange_n((type *)p, &found, (type)atomic_operate(f, found, b, c), false, \
                                        __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {}                         \
    return found;                                                                                       \
  } while (0)
  switch (f->size) {
    case 2:
      LOOP(uint16_t);
    case 4:
      LOOP(uint32_t);
    default:
      LOOP(uint64_t);
  }
#undef LOOP
}

static wide atomic_at_wide(const atomic_form *f, uint8_t *at, wide b, wide c) {
  if (f->op == ATOMIC_CAS) return memory_exchange_wide(at, b, c);
  wide expected = 0;
  for (;;) {
    const wide found = memory_exchange_wide(at, expected, b);
    if (found == expected) return found;
    expected = found;
  }
}

/* ---- execution */

/* The first operand behind the destinations is the address, then `count` values, then those of cas. */
static void operate_lanes(warp *w, const insn *i, uint32_t mask, const atomic_form *f,
                          const access_lanes *at) {
  const unsigned count = i->arg[ARG_COUNT];
  const int first = i->dst_count + 1;
  int64_t old[8][LANES] = {{0}}, b[8][LANES], c[LANES] = {0};
  for (unsigned e = 0; e < count; ++e) read_lanes(w, i, first + (int)e, (int)f->size, false, b[e]);
  if (f->op == ATOMIC_CAS) read_lanes(w, i, first + 1, (int)f->size, false, c);
  bool changed = false; /* else it is polling */
  FOR_EACH(l, mask) {
    for (unsigned e = 0; e < count; ++e) {
      const uint64_t found = atomic_at(f, at->host[l] + e * f->size, (uint64_t)b[e][l], (uint64_t)c[l]);
      changed |= atomic_operate(f, found, (uint64_t)b[e][l], (uint64_t)c[l]) != found;
      old[e][l] = (int64_t)found;
    }
  }
  if (changed) ++w->stores;
  for (unsigned e = 0; e < i->dst_count; ++e) write_lanes(w, i, (int)e, old[e], mask);
}

static void operate_lanes_wide(warp *w, const insn *i, uint32_t mask, const atomic_form *f,
                               const access_lanes *at) {
  const int first = i->dst_count + 1;
  const wide *b = REG(const wide, first), *c = f->op == ATOMIC_CAS ? REG(const wide, first + 1) : b;
  FOR_EACH(l, mask) {
    const wide old = atomic_at_wide(f, at->host[l], b[l], c[l]);
    if (f->op != ATOMIC_CAS || old == b[l]) ++w->stores;
    if (i->dst_count > 0) REG(wide, 0)[l] = old;
  }
}

/* What is combined with a value that nobody wrote; an exchange does not look at it. */
static void check_old(warp *w, const insn *i, uint32_t mask, const atomic_form *f, const access *a,
                      const access_lanes *at) {
  FOR_EACH(l, mask) {
    const uint32_t unset = shadow_unset(at->shadow[l], a->bytes);
    if (f->op == ATOMIC_EXCH) {
      const uint32_t known = settings_get()->strict_polling ? unset : 0;
      if (i->dst_count > 0) taint_mark(w, i, 0, l, known);
      continue;
    }
    for (int k = 0; k < i->dst_count; ++k) taint_mark(w, i, k, l, 0);
    if (unset == 0) continue;
    const report_place place = place_of(w, i, l);
    (void)report(REPORT_UNINITIALISED, &place,
                 "atomic operation on %u bytes of memory which nobody wrote", a->bytes);
  }
}

static bool check_sources(warp *w, const insn *i, uint32_t mask, const atomic_form *f) {
  for (int k = i->dst_count; k < i->count; ++k) {
    if (f->op == ATOMIC_EXCH && k > i->dst_count) break; /* it is stored only */
    if (!taint_use(w, i, k, mask)) return false;
  }
  return true;
}

static flow run_atomic(warp *w, const insn *i, uint32_t mask) {
  const atomic_form *f = i->more;
  const unsigned bytes = f->size * i->arg[ARG_COUNT];
  const access a = {.kind = ACCESS_ATOMIC,
                    .space = (ptx_space)i->space,
                    .strong = true,
                    .bytes = bytes,
                    .align = bytes};
  uint64_t addresses[LANES];
  access_lanes at;
  if (taint_any(w) && !check_sources(w, i, mask, f)) return FLOW_FAULT;
  access_addresses(w, i, i->dst_count, addresses);
  if (!access_find(w, i, mask, &a, addresses, &at)) return FLOW_FAULT;
  /* Looked at in advance: of lanes with the same address, the first makes it set. The values too: the
   * destination may be the same register. */
  access_lanes old = at;
  uint8_t shadows[LANES][32];
  FOR_EACH(l, mask) {
    if (at.shadow[l] == NULL) continue;
    memcpy(shadows[l], at.shadow[l], bytes);
    old.shadow[l] = shadows[l];
  }
  memory_mark_stored(w, i, i->dst_count + 1, mask, &at, addresses);
  check_old(w, i, mask, f, &a, &old);
  if (f->size == sizeof(wide))
    operate_lanes_wide(w, i, mask, f, &at);
  else
    operate_lanes(w, i, mask, f, &at);
  if (i->dst_count > 0) w->polled = true;
  return FLOW_NEXT;
}

/* ---- decoding */

bool atomic_decode_op(decoder *d, atomic_form *f) {
  static const struct {
    const char *name;
    atomic_op op;
  } ops[] = {{"and", ATOMIC_AND}, {"or", ATOMIC_OR},   {"xor", ATOMIC_XOR}, {"exch", ATOMIC_EXCH},
             {"add", ATOMIC_ADD}, {"inc", ATOMIC_INC}, {"dec", ATOMIC_DEC}, {"min", ATOMIC_MIN},
             {"max", ATOMIC_MAX}, {"cas", ATOMIC_CAS}};
  for (size_t o = 0; o < sizeof ops / sizeof *ops; ++o) {
    if (!decode_take(d, ops[o].name)) continue;
    f->op = ops[o].op;
    return true;
  }
  return decode_refuse(d, "its operation");
}

/* Whether there is the operation for the type. count: elements of a vector. */
static bool has_form(const atomic_form *f, unsigned count, bool no_ftz) {
  const bool half = f->type == TYPE_F16 || f->type == TYPE_BF16, pair = f->type >= TYPE_F16X2;
  if (is_float(f->type)) {
    if (f->type == TYPE_F32 || f->type == TYPE_F64)
      return f->op == ATOMIC_ADD && !no_ftz && (count == 1 || (f->type == TYPE_F32 && count <= 4));
    if (!no_ftz || (!half && !pair)) return false;
    if (count == 1) return f->op == ATOMIC_ADD;
    return (f->op == ATOMIC_ADD || f->op == ATOMIC_MIN || f->op == ATOMIC_MAX) && count * f->size <= 16;
  }
  if (count != 1 || no_ftz) return false;
  const bool bits = f->type >= TYPE_B16 && f->type <= TYPE_B128;
  const bool number =
      f->type == TYPE_U32 || f->type == TYPE_U64 || f->type == TYPE_S32 || f->type == TYPE_S64;
  switch (f->op) {
    case ATOMIC_AND:
    case ATOMIC_OR:
    case ATOMIC_XOR:
      return f->type == TYPE_B32 || f->type == TYPE_B64;
    case ATOMIC_EXCH:
      return bits && f->type != TYPE_B16;
    case ATOMIC_CAS:
      return bits;
    case ATOMIC_INC:
    case ATOMIC_DEC:
      return f->type == TYPE_U32;
    case ATOMIC_ADD:
    case ATOMIC_MIN:
    case ATOMIC_MAX:
      return number;
  }
  return false;
}

static bool check_order(decoder *d, const memory_modifiers *m) {
  if (m->order == ORDER_WEAK || m->order == ORDER_VOLATILE) return decode_refuse(d, "its order");
  if (m->space == SPACE_LOCAL || m->space == SPACE_CONST || m->space == SPACE_PARAM)
    return decode_refuse(d, "its state space");
  return true;
}

static bool decode_form(decoder *d, atomic_form *f, memory_modifiers *m) {
  memory_take_modifiers(d, m);
  if (!check_order(d, m)) return false;
  unsigned count = memory_take_vector(d); /* it may come first, with its type: .v2.f32.add */
  f->type = count > 1 ? decode_type(d) : TYPE_NONE;
  if (!atomic_decode_op(d, f)) return false;
  const bool no_ftz = decode_take(d, "noftz");
  memory_take_modifiers(d, m); /* .L2::cache_hint */
  if (count == 1) {
    count = memory_take_vector(d);
    f->type = decode_type(d);
  }
  f->size = (unsigned)ptx_type_size(f->type);
  f->ftz = m->space != SPACE_SHARED && m->space != SPACE_SHARED_CLUSTER;
  if (!has_form(f, count, no_ftz)) return decode_refuse(d, "has no form of that type");
  d->out->arg[ARG_SIZE] = f->size;
  d->out->arg[ARG_COUNT] = count;
  d->out->taint = TAINT_OWN;
  d->out->more = f;
  d->out->run = run_atomic;
  return true;
}

/* The value operand, or the elements of a vector. */
static bool decode_values(decoder *d, const ptx_operand *o, const atomic_form *f, bool destinations) {
  const ptx_operand *elements;
  const size_t count = decode_vector(o, &elements);
  if (count != d->out->arg[ARG_COUNT]) return decode_refuse(d, "%zu registers", count);
  for (size_t e = 0; e < count; ++e) {
    const bool ok =
        destinations ? decode_dst(d, &elements[e], (int)f->size) : decode_src(d, &elements[e], f->type);
    if (!ok) return false;
  }
  return true;
}

static bool decode_operation(decoder *d, bool returns) {
  memory_modifiers m = {0};
  atomic_form *f = decode_memory(d, sizeof *f);
  if (f == NULL || !decode_form(d, f, &m)) return false;
  const ptx_operand *o = d->in->operands;
  const size_t count = (size_t)returns + 2 + (f->op == ATOMIC_CAS) + m.policy;
  if (!decode_operand_count(d, count, count)) return false;
  if (returns && !decode_values(d, o++, f, true)) return false;
  if (!memory_decode_address(d, o++, &m) || !decode_values(d, o++, f, false)) return false;
  if (f->op == ATOMIC_CAS && !decode_src(d, o++, f->type)) return false;
  return !m.policy || decode_src(d, o, TYPE_B64);
}

static bool decode_atom(decoder *d) {
  return decode_operation(d, true);
}

static bool decode_red(decoder *d) {
  if (decode_take(d, "async")) return decode_red_async(d);
  if (!decode_operation(d, false)) return false;
  const atomic_form *f = d->out->more;
  return (f->op != ATOMIC_CAS && f->op != ATOMIC_EXCH) || decode_refuse(d, "its operation");
}

const decode_row rows_atomic[] = {{"atom", decode_atom}, {"red", decode_red}, {NULL, NULL}};
