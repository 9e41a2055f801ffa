/* mov: copies, addresses, clocks, and between wide registers and vectors. */
#include <time.h>

#include "exec/forms.h"

RUN1(mov_2, uint16_t, 16, a[l])
RUN1(mov_4, uint32_t, 32, a[l])
RUN1(mov_8, uint64_t, 64, a[l])

static flow run_mov_16(warp *w, const insn *i, uint32_t mask) {
  const uint64_t *const from = REG(const uint64_t, 1);
  uint64_t *const to = REG(uint64_t, 0);
  FOR_EACH(l, mask) {
    to[2 * l] = from[2 * l];
    to[2 * l + 1] = from[2 * l + 1];
  }
  return FLOW_NEXT;
}

static flow run_mov_pred(warp *w, const insn *i, uint32_t mask) {
  put_pred(w, i, 0, pred(w, i, 1), mask);
  return FLOW_NEXT;
}

/* The address of a local variable: the constant counts from the activation's local memory. */
RUN1(mov_local_4, uint32_t, 32, a[l] + w->frame->local_base)
RUN1(mov_local_8, uint64_t, 64, a[l] + w->frame->local_base)

/* ---- clocks */

static uint64_t nanoseconds(clockid_t clock) {
  struct timespec t = {0};
  clock_gettime(clock, &t);
  return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* arg[0]: the ptx_special. */
static uint64_t read_clock(const insn *i) {
  switch ((ptx_special)i->arg[0]) {
    case SPECIAL_CLOCK:
    case SPECIAL_CLOCK64:
      return nanoseconds(CLOCK_MONOTONIC);
    case SPECIAL_CLOCK_HI:
      return nanoseconds(CLOCK_MONOTONIC) >> 32;
    case SPECIAL_GLOBALTIMER_HI:
      return nanoseconds(CLOCK_REALTIME) >> 32;
    default:
      return nanoseconds(CLOCK_REALTIME);
  }
}
RUN(clock_4, uint32_t, 32, const uint32_t now = (uint32_t)read_clock(i);, now)
RUN(clock_8, uint64_t, 64, const uint64_t now = read_clock(i);, now)

/* ---- vectors: the elements side by side are the wide register, the first one lowest */

#define SOURCES_HALVES(T)             \
  const T *const a = REG(const T, 1); \
  const T *const b = REG(const T, 2);
RUN(pack_2x16, uint32_t, 32, SOURCES_HALVES(uint16_t), (uint32_t)b[l] << 16 | a[l])
RUN(pack_2x32, uint64_t, 64, SOURCES_HALVES(uint32_t), (uint64_t)b[l] << 32 | a[l])

#define DEFINE(NAME, WIDE, T, BITS)                               \
  static flow run_##NAME(warp *w, const insn *i, uint32_t mask) { \
    const WIDE *const a = REG(const WIDE, 2);                     \
    T low[LANES], high[LANES];                                    \
    FOR_LANES(l) low[l] = (T)a[l];                                \
    FOR_LANES(l) high[l] = (T)(a[l] >> BITS);                     \
    put_u##BITS(REG(T, 0), low, mask);                            \
    put_u##BITS(REG(T, 1), high, mask);                           \
    return FLOW_NEXT;                                             \
  }
DEFINE(unpack_2x16, uint32_t, uint16_t, 16)
DEFINE(unpack_2x32, uint64_t, uint32_t, 32)
#undef DEFINE

/* Any number and size of elements. arg[0]: bytes of an element; 8-bit registers are kept as 16 bits. */
static flow run_pack(warp *w, const insn *i, uint32_t mask) {
  const size_t size = i->arg[0];
  FOR_EACH(l, mask) {
    uint8_t wide[16];
    for (unsigned k = 1; k < i->count; ++k)
      memcpy(wide + (k - 1) * size, REG(const uint8_t, k) + (size_t)l * i->width[k], size);
    memcpy(REG(uint8_t, 0) + (size_t)l * i->width[0], wide, i->width[0]);
  }
  return FLOW_NEXT;
}

static flow run_unpack(warp *w, const insn *i, uint32_t mask) {
  const unsigned source = i->dst_count;
  const size_t size = i->arg[0];
  FOR_EACH(l, mask) {
    uint8_t wide[16];
    memcpy(wide, REG(const uint8_t, source) + (size_t)l * i->width[source], i->width[source]);
    for (unsigned k = 0; k < i->dst_count; ++k) {
      uint8_t *const to = REG(uint8_t, k) + (size_t)l * i->width[k];
      memset(to, 0, i->width[k]);
      memcpy(to, wide + k * size, size);
    }
  }
  return FLOW_NEXT;
}

/* ---- decoding */

/* The type of an element of a wide one; TYPE_NONE if that is not divided so. */
static ptx_type element_type(int wide, size_t count) {
  if (wide > 16 || count < 2 || count > 8 || (size_t)wide % count != 0) return TYPE_NONE;
  switch ((size_t)wide / count) {
    case 1:
      return TYPE_B8;
    case 2:
      return TYPE_B16;
    case 4:
      return TYPE_B32;
    case 8:
      return TYPE_B64;
    default:
      return TYPE_NONE;
  }
}

/* Whether the sources are the same in all activations. */
static bool no_local(decoder *d) {
  return !d->out->frame_relative || decode_refuse(d, "puts a local variable's address into a vector");
}

static bool decode_pack(decoder *d, ptx_type wide, const ptx_operand *to, const ptx_operand *vector) {
  const ptx_operand *elements;
  const size_t count = decode_vector(vector, &elements);
  const ptx_type part = element_type(ptx_type_size(wide), count);
  if (part == TYPE_NONE)
    return decode_refuse(d, "has %zu elements for a .%s", count, ptx_type_name(wide));
  d->out->taint = TAINT_PACK;
  d->out->arg[0] = (uint32_t)ptx_type_size(part);
  d->out->run = count == 2 && part == TYPE_B16   ? run_pack_2x16
                : count == 2 && part == TYPE_B32 ? run_pack_2x32
                                                 : run_pack;
  if (!decode_dst(d, to, ptx_type_size(wide))) return false;
  for (size_t k = 0; k < count; ++k)
    if (!decode_src(d, &elements[k], part)) return false;
  return no_local(d);
}

static bool decode_unpack(decoder *d, ptx_type wide, const ptx_operand *vector, const ptx_operand *from) {
  const ptx_operand *elements;
  const size_t count = decode_vector(vector, &elements);
  const ptx_type part = element_type(ptx_type_size(wide), count);
  if (part == TYPE_NONE)
    return decode_refuse(d, "has %zu elements for a .%s", count, ptx_type_name(wide));
  d->out->taint = TAINT_PACK;
  d->out->arg[0] = (uint32_t)ptx_type_size(part);
  d->out->run = count == 2 && part == TYPE_B16   ? run_unpack_2x16
                : count == 2 && part == TYPE_B32 ? run_unpack_2x32
                                                 : run_unpack;
  for (size_t k = 0; k < count; ++k)
    if (!decode_dst(d, &elements[k], ptx_type_size(part))) return false;
  return decode_src(d, from, wide) && no_local(d);
}

static bool is_clock(const ptx_operand *o) {
  if (o->kind != OPERAND_SPECIAL) return false;
  switch (o->special) {
    case SPECIAL_CLOCK:
    case SPECIAL_CLOCK_HI:
    case SPECIAL_CLOCK64:
    case SPECIAL_GLOBALTIMER:
    case SPECIAL_GLOBALTIMER_LO:
    case SPECIAL_GLOBALTIMER_HI:
      return true;
    default:
      return false;
  }
}

static bool decode_clock(decoder *d, const ptx_operand *to, const ptx_operand *from, int size) {
  if (size != 4 && size != 8) return decode_refuse(d, "reads a clock into %d bits", 8 * size);
  d->out->run = size == 4 ? run_clock_4 : run_clock_8;
  d->out->arg[0] = from->special;
  return decode_dst(d, to, size);
}

static insn_run *copy_of(int size, bool frame_relative) {
  switch (size) {
    case 0:
      return run_mov_pred;
    case 2:
      return run_mov_2;
    case 4:
      return frame_relative ? run_mov_local_4 : run_mov_4;
    case 8:
      return frame_relative ? run_mov_local_8 : run_mov_8;
    default:
      return run_mov_16;
  }
}

static bool decode_mov(decoder *d) {
  const ptx_type type = decode_type(d);
  switch (type) {
    case TYPE_PRED:
    case TYPE_B16:
    case TYPE_B32:
    case TYPE_B64:
    case TYPE_B128:
    case TYPE_U16:
    case TYPE_U32:
    case TYPE_U64:
    case TYPE_S16:
    case TYPE_S32:
    case TYPE_S64:
    case TYPE_F16:
    case TYPE_BF16:
    case TYPE_F32:
    case TYPE_F64:
      break;
    default:
      return decode_refuse(d, "has no form for the type .%s", ptx_type_name(type));
  }
  if (!decode_operand_count(d, 2, 2)) return false;
  const ptx_operand *to = &d->in->operands[0], *from = &d->in->operands[1];
  const int size = ptx_type_size(type);
  if (from->kind == OPERAND_VECTOR) return decode_pack(d, type, to, from);
  if (to->kind == OPERAND_VECTOR) return decode_unpack(d, type, to, from);
  if (is_clock(from)) return decode_clock(d, to, from, size);
  d->out->taint = TAINT_COPY;
  if (!decode_dst(d, to, size) || !decode_src(d, from, type)) return false;
  if (d->out->width[1] != size) return decode_refuse(d, "moves %d bits", 8 * d->out->width[1]);
  d->out->run = copy_of(size, d->out->frame_relative);
  return true;
}

const decode_row rows_move[] = {{"mov", decode_mov}, {NULL, NULL}};
