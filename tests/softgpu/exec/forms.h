/* What the families of integer instructions share: the types, and run functions by type. */
#ifndef SOFTGPU_EXEC_FORMS_H
#define SOFTGPU_EXEC_FORMS_H

#include <limits.h>
#include <string.h>

#include "exec/warp.h"

/* X(suffix, C type, unsigned C type, bits) for each. */
#define UNSIGNED_TYPES(X) \
  X(u16, uint16_t, uint16_t, 16) X(u32, uint32_t, uint32_t, 32) X(u64, uint64_t, uint64_t, 64)
#define SIGNED_TYPES(X) \
  X(s16, int16_t, uint16_t, 16) X(s32, int32_t, uint32_t, 32) X(s64, int64_t, uint64_t, 64)
#define INTEGER_TYPES(X) UNSIGNED_TYPES(X) SIGNED_TYPES(X)

/* Defines run_NAME: r = expression of a, b, c, the sources of type T at lane l, for all lanes whether
 * they execute or not. Bits of narrow types are computed in wider ones and cut. */
#define RUN(NAME, T, BITS, SETUP, EXPRESSION)                     \
  static flow run_##NAME(warp *w, const insn *i, uint32_t mask) { \
    SETUP T r[LANES];                                             \
    FOR_LANES(l) r[l] = (T)(EXPRESSION);                          \
    put_u##BITS(REG(T, 0), r, mask);                              \
    return FLOW_NEXT;                                             \
  }
#define SOURCE_A(T) const T *const a = REG(const T, 1);
#define SOURCES_AB(T) SOURCE_A(T) const T *const b = REG(const T, 2);
#define SOURCES_ABC(T) SOURCES_AB(T) const T *const c = REG(const T, 3);
#define RUN1(NAME, T, BITS, EXPRESSION) RUN(NAME, T, BITS, SOURCE_A(T), EXPRESSION)
#define RUN2(NAME, T, BITS, EXPRESSION) RUN(NAME, T, BITS, SOURCES_AB(T), EXPRESSION)
#define RUN3(NAME, T, BITS, EXPRESSION) RUN(NAME, T, BITS, SOURCES_ABC(T), EXPRESSION)

/* Run functions of an instruction by type; NULL where there is none. */
typedef struct run_by_type {
  insn_run *u16, *u32, *u64, *s16, *s32, *s64;
} run_by_type;
/* For what is the same with and without sign. */
#define RUN_BY_SIZE(OP) \
  { run_##OP##_u16, run_##OP##_u32, run_##OP##_u64, run_##OP##_u16, run_##OP##_u32, run_##OP##_u64 }
#define RUN_BY_TYPE(OP) \
  { run_##OP##_u16, run_##OP##_u32, run_##OP##_u64, run_##OP##_s16, run_##OP##_s32, run_##OP##_s64 }

static inline insn_run *run_for(const run_by_type *runs, ptx_type type) {
  switch (type) {
    case TYPE_U16:
      return runs->u16;
    case TYPE_U32:
      return runs->u32;
    case TYPE_U64:
      return runs->u64;
    case TYPE_S16:
      return runs->s16;
    case TYPE_S32:
      return runs->s32;
    case TYPE_S64:
      return runs->s64;
    default:
      return NULL;
  }
}

/* One destination of `to` bytes and `count` sources of a type; refuses if run is NULL, for a type that
 * the instruction does not have. */
bool forms_decode(decoder *d, insn_run *run, int to, ptx_type type, size_t count);

/* The last of the instruction's parts that is a type: what tells integers from floats. */
ptx_type forms_last_type(const decoder *d);
bool forms_is_float(ptx_type type);
bool forms_is_signed(ptx_type type);

/* Bit l of the result is byte l, each 0 or 1. */
static inline uint32_t pack_lanes(const uint8_t lanes[LANES]) {
  uint32_t mask = 0;
  for (int k = 0; k < LANES / 8; ++k) {
    uint64_t eight;
    memcpy(&eight, lanes + 8 * k, sizeof eight);
    /* Byte j's bit comes to bit 56 + j, and nothing else overlaps it. */
    mask |= (uint32_t)(eight * UINT64_C(0x0102040810204080) >> 56) << (8 * k);
  }
  return mask;
}

/* 1 << lane. From a table, the test of a mask's bits is vectorised even without shifts by lane. */
extern const uint32_t lane_bits[LANES];

#endif
