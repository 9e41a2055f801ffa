/* Integer multiplication: mul, mad, their 24-bit and extended-precision forms, and dot products. */
#include "exec/forms.h"
#include "exec/op_float.h"
#include "exec/op_integer.h"

__extension__ typedef __int128 wide_s64;
__extension__ typedef unsigned __int128 wide_u64;
typedef uint64_t wide_u32;
typedef int64_t wide_s32;
typedef uint32_t wide_u16;
typedef int32_t wide_s16;

/* Products in the unsigned wide type, where overflow is no matter: 16-bit factors would be multiplied as
 * int. */
#define DEFINE(S, T, U, BITS)                      \
  RUN2(mul_lo_##S, T, BITS, (wide_##S)a[l] * b[l]) \
  RUN3(mad_lo_##S, T, BITS, (wide_##S)a[l] * b[l] + c[l])
UNSIGNED_TYPES(DEFINE)
#undef DEFINE

#define HIGH(S, U, BITS, x, y) ((U)((wide_##S)(x) * (y) >> BITS))
#define DEFINE(S, T, U, BITS)                             \
  RUN2(mul_hi_##S, T, BITS, HIGH(S, U, BITS, a[l], b[l])) \
  RUN3(mad_hi_##S, T, BITS, (U)(HIGH(S, U, BITS, a[l], b[l]) + (U)c[l]))
INTEGER_TYPES(DEFINE)
#undef DEFINE

#define DEFINE(S, T, WIDE, UWIDE, BITS)                                                   \
  RUN(mul_wide_##S, WIDE, BITS, SOURCES_AB(T), (WIDE)a[l] * (WIDE)b[l])                   \
  RUN(mad_wide_##S, WIDE, BITS, SOURCES_AB(T) const UWIDE *const c = REG(const UWIDE, 3); \
      , (UWIDE)((WIDE)a[l] * (WIDE)b[l]) + c[l])
DEFINE(u16, uint16_t, uint32_t, uint32_t, 32)
DEFINE(s16, int16_t, int32_t, uint32_t, 32)
DEFINE(u32, uint32_t, uint64_t, uint64_t, 64)
DEFINE(s32, int32_t, int64_t, uint64_t, 64)
#undef DEFINE

static inline int32_t add_saturated(int32_t a, int32_t b) {
  const int64_t sum = (int64_t)a + b;
  return sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : (int32_t)sum;
}
RUN3(mad_hi_sat_s32, int32_t, 32, add_saturated((int32_t)HIGH(s32, uint32_t, 32, a[l], b[l]), c[l]))

/* ---- 24 bits */

static inline uint64_t product24_u32(uint32_t a, uint32_t b) {
  return (uint64_t)(a & 0xffffff) * (b & 0xffffff);
}
static inline int64_t product24_s32(uint32_t a, uint32_t b) {
  return (int64_t)((int32_t)(a << 8) >> 8) * ((int32_t)(b << 8) >> 8);
}
#define DEFINE(S)                                                              \
  RUN2(mul24_lo_##S, uint32_t, 32, product24_##S(a[l], b[l]))                  \
  RUN2(mul24_hi_##S, uint32_t, 32, product24_##S(a[l], b[l]) >> 16)            \
  RUN3(mad24_lo_##S, uint32_t, 32, (uint32_t)product24_##S(a[l], b[l]) + c[l]) \
  RUN3(mad24_hi_##S, uint32_t, 32, (uint32_t)(product24_##S(a[l], b[l]) >> 16) + c[l])
DEFINE(u32)
DEFINE(s32)
#undef DEFINE
RUN3(mad24_hi_sat_s32, int32_t, 32,
     add_saturated((int32_t)(product24_s32((uint32_t)a[l], (uint32_t)b[l]) >> 16), c[l]))

/* ---- with carry: the product is exact, the carry that of the addition */

#define DEFINE(NAME, T, U, S, PRODUCT)                                  \
  static flow run_##NAME(warp *w, const insn *i, uint32_t mask) {       \
    SOURCES_AB(T)                                                       \
    U product[LANES];                                                   \
    FOR_LANES(l) product[l] = (PRODUCT);                                \
    return integer_add_carry_##S(w, i, mask, product, REG(const U, 3)); \
  }
DEFINE(mad_carry_lo_32, uint32_t, uint32_t, u32, a[l] * b[l])
DEFINE(mad_carry_hi_u32, uint32_t, uint32_t, u32, HIGH(u32, uint32_t, 32, a[l], b[l]))
DEFINE(mad_carry_hi_s32, int32_t, uint32_t, u32, HIGH(s32, uint32_t, 32, a[l], b[l]))
DEFINE(mad_carry_lo_64, uint64_t, uint64_t, u64, a[l] * b[l])
DEFINE(mad_carry_hi_u64, uint64_t, uint64_t, u64, HIGH(u64, uint64_t, 64, a[l], b[l]))
DEFINE(mad_carry_hi_s64, int64_t, uint64_t, u64, HIGH(s64, uint64_t, 64, a[l], b[l]))
#undef DEFINE

/* ---- dot products: of four bytes, or of two 16-bit numbers with the low or high two bytes */

#define DEFINE(S, TA, TB, TA2)                                                                \
  RUN(dp4a_##S, uint32_t, 32, const TA *const a = REG(const TA, 1);                           \
      const TB *const b = REG(const TB, 2); const uint32_t *const c = REG(const uint32_t, 3); \
      , c[l] + (uint32_t)(a[4 * l] * b[4 * l] + a[4 * l + 1] * b[4 * l + 1] +                 \
                          a[4 * l + 2] * b[4 * l + 2] + a[4 * l + 3] * b[4 * l + 3]))         \
  RUN(dp2a_##S, uint32_t, 32, const TA2 *const a = REG(const TA2, 1);                         \
      const TB *const b = REG(const TB, 2) + i->arg[0];                                       \
      const uint32_t *const c = REG(const uint32_t, 3);                                       \
      , c[l] + (uint32_t)(a[2 * l] * b[4 * l] + a[2 * l + 1] * b[4 * l + 1]))
DEFINE(uu, uint8_t, uint8_t, uint16_t)
DEFINE(us, uint8_t, int8_t, uint16_t)
DEFINE(su, int8_t, uint8_t, int16_t)
DEFINE(ss, int8_t, int8_t, int16_t)
#undef DEFINE

/* ---- decoding */

typedef enum part_of_product { PRODUCT_LOW, PRODUCT_HIGH, PRODUCT_WIDE, PRODUCT_NONE } part_of_product;
static part_of_product decode_part(decoder *d) {
  return decode_take(d, "lo")     ? PRODUCT_LOW
         : decode_take(d, "hi")   ? PRODUCT_HIGH
         : decode_take(d, "wide") ? PRODUCT_WIDE
                                  : PRODUCT_NONE;
}

bool decode_mul(decoder *d) {
  static const run_by_type low = RUN_BY_SIZE(mul_lo), high = RUN_BY_TYPE(mul_hi),
                           wide = {.u16 = run_mul_wide_u16,
                                   .u32 = run_mul_wide_u32,
                                   .s16 = run_mul_wide_s16,
                                   .s32 = run_mul_wide_s32};
  const ptx_type last = forms_last_type(d);
  if (forms_is_float(last)) return decode_float_arith(d, last);
  const part_of_product part = decode_part(d);
  const ptx_type type = decode_type(d);
  d->out->taint = TAINT_MULTIPLY;
  const int size = ptx_type_size(type);
  switch (part) {
    case PRODUCT_LOW:
      return forms_decode(d, run_for(&low, type), size, type, 2);
    case PRODUCT_HIGH:
      return forms_decode(d, run_for(&high, type), size, type, 2);
    case PRODUCT_WIDE:
      return forms_decode(d, run_for(&wide, type), 2 * size, type, 2);
    default:
      return decode_refuse(d, "needs .lo, .hi or .wide");
  }
}

/* The addend of .wide is as wide as the destination. */
static bool decode_mad_wide(decoder *d, ptx_type type) {
  static const run_by_type wide = {
      .u16 = run_mad_wide_u16, .u32 = run_mad_wide_u32, .s16 = run_mad_wide_s16, .s32 = run_mad_wide_s32};
  insn_run *const run = run_for(&wide, type);
  if (run == NULL) return decode_refuse(d, "has no form for the type .%s", ptx_type_name(type));
  if (!decode_operand_count(d, 4, 4)) return false;
  const ptx_operand *o = d->in->operands;
  const bool is_signed = forms_is_signed(type);
  const ptx_type doubled =
      ptx_type_size(type) == 2 ? (is_signed ? TYPE_S32 : TYPE_U32) : (is_signed ? TYPE_S64 : TYPE_U64);
  d->out->run = run;
  return decode_dst(d, &o[0], ptx_type_size(doubled)) && decode_src(d, &o[1], type) &&
         decode_src(d, &o[2], type) && decode_src(d, &o[3], doubled);
}

static bool decode_mad_carry(decoder *d, part_of_product part, uint32_t carry) {
  static const run_by_type low = {.u32 = run_mad_carry_lo_32,
                                  .u64 = run_mad_carry_lo_64,
                                  .s32 = run_mad_carry_lo_32,
                                  .s64 = run_mad_carry_lo_64},
                           high = {.u32 = run_mad_carry_hi_u32,
                                   .u64 = run_mad_carry_hi_u64,
                                   .s32 = run_mad_carry_hi_s32,
                                   .s64 = run_mad_carry_hi_s64};
  if (part != PRODUCT_LOW && part != PRODUCT_HIGH) return decode_refuse(d, "needs .lo or .hi");
  const ptx_type type = decode_type(d);
  d->out->arg[0] = carry;
  return forms_decode(d, run_for(part == PRODUCT_LOW ? &low : &high, type), ptx_type_size(type), type, 3);
}

bool decode_mad(decoder *d) {
  static const run_by_type low = RUN_BY_SIZE(mad_lo), high = RUN_BY_TYPE(mad_hi);
  const ptx_type last = forms_last_type(d);
  if (forms_is_float(last)) return decode_float_arith(d, last);
  const part_of_product part = decode_part(d);
  if (decode_take(d, "cc")) return decode_mad_carry(d, part, CARRY_OUT);
  const bool saturating = decode_take(d, "sat");
  const ptx_type type = decode_type(d);
  if (saturating) {
    const bool exists = part == PRODUCT_HIGH && type == TYPE_S32;
    return forms_decode(d, exists ? run_mad_hi_sat_s32 : NULL, 4, type, 3);
  }
  switch (part) {
    case PRODUCT_LOW:
      return forms_decode(d, run_for(&low, type), ptx_type_size(type), type, 3);
    case PRODUCT_HIGH:
      return forms_decode(d, run_for(&high, type), ptx_type_size(type), type, 3);
    case PRODUCT_WIDE:
      return decode_mad_wide(d, type);
    default:
      return decode_refuse(d, "needs .lo, .hi or .wide");
  }
}

bool decode_madc(decoder *d) {
  const part_of_product part = decode_part(d);
  return decode_mad_carry(d, part, decode_take(d, "cc") ? CARRY_IN | CARRY_OUT : CARRY_IN);
}

bool decode_mul24(decoder *d) {
  static const run_by_type low = {.u32 = run_mul24_lo_u32, .s32 = run_mul24_lo_s32},
                           high = {.u32 = run_mul24_hi_u32, .s32 = run_mul24_hi_s32};
  const part_of_product part = decode_part(d);
  if (part != PRODUCT_LOW && part != PRODUCT_HIGH) return decode_refuse(d, "needs .lo or .hi");
  const ptx_type type = decode_type(d);
  return forms_decode(d, run_for(part == PRODUCT_LOW ? &low : &high, type), 4, type, 2);
}

bool decode_mad24(decoder *d) {
  static const run_by_type low = {.u32 = run_mad24_lo_u32, .s32 = run_mad24_lo_s32},
                           high = {.u32 = run_mad24_hi_u32, .s32 = run_mad24_hi_s32},
                           saturating = {.s32 = run_mad24_hi_sat_s32};
  const part_of_product part = decode_part(d);
  if (part != PRODUCT_LOW && part != PRODUCT_HIGH) return decode_refuse(d, "needs .lo or .hi");
  const run_by_type *runs = part == PRODUCT_LOW                             ? &low
                            : part == PRODUCT_HIGH && decode_take(d, "sat") ? &saturating
                                                                            : &high;
  const ptx_type type = decode_type(d);
  return forms_decode(d, run_for(runs, type), 4, type, 3);
}

/* runs: by whether a and b are signed. */
static bool decode_dot(decoder *d, insn_run *const runs[2][2]) {
  const ptx_type a = decode_type(d), b = decode_type(d);
  if ((a != TYPE_U32 && a != TYPE_S32) || (b != TYPE_U32 && b != TYPE_S32))
    return decode_refuse(d, "is for .u32 and .s32");
  if (!decode_operand_count(d, 4, 4)) return false;
  const ptx_operand *o = d->in->operands;
  d->out->run = runs[a == TYPE_S32][b == TYPE_S32];
  return decode_dst(d, &o[0], 4) && decode_src(d, &o[1], a) && decode_src(d, &o[2], b) &&
         decode_src(d, &o[3], a == TYPE_S32 || b == TYPE_S32 ? TYPE_S32 : TYPE_U32);
}
bool decode_dp4a(decoder *d) {
  static insn_run *const runs[2][2] = {{run_dp4a_uu, run_dp4a_us}, {run_dp4a_su, run_dp4a_ss}};
  return decode_dot(d, runs);
}
bool decode_dp2a(decoder *d) {
  static insn_run *const runs[2][2] = {{run_dp2a_uu, run_dp2a_us}, {run_dp2a_su, run_dp2a_ss}};
  if (decode_take(d, "hi"))
    d->out->arg[0] = 2;
  else if (!decode_take(d, "lo"))
    return decode_refuse(d, "needs .lo or .hi");
  return decode_dot(d, runs);
}
