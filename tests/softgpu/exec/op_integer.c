/* Integer arithmetic: add, sub, min, max, abs, neg, sad, div, rem; multiplication is in op_multiply.c,
 * single bits' business in op_bits.c. The opcodes that floating-point numbers share have their rows here.
 */
#include "exec/op_integer.h"

#include "exec/forms.h"
#include "exec/op_float.h"

#define DEFINE(S, T, U, BITS)               \
  RUN2(add_##S, T, BITS, (U)a[l] + (U)b[l]) \
  RUN2(sub_##S, T, BITS, (U)a[l] - (U)b[l])
UNSIGNED_TYPES(DEFINE)
#undef DEFINE

#define DEFINE(S, T, U, BITS)                       \
  RUN2(min_##S, T, BITS, a[l] < b[l] ? a[l] : b[l]) \
  RUN2(max_##S, T, BITS, a[l] > b[l] ? a[l] : b[l]) \
  RUN3(sad_##S, T, BITS, (U)c[l] + (a[l] > b[l] ? (U)((U)a[l] - (U)b[l]) : (U)((U)b[l] - (U)a[l])))
INTEGER_TYPES(DEFINE)
#undef DEFINE

/* Division by zero gives what the GPU's routines for it give, all ones. */
#define DEFINE(S, T, U, BITS)                                  \
  RUN2(div_##S, T, BITS, b[l] == 0 ? (T)-1 : (T)(a[l] / b[l])) \
  RUN2(rem_##S, T, BITS, b[l] == 0 ? (T)-1 : (T)(a[l] % b[l]))
UNSIGNED_TYPES(DEFINE)
#undef DEFINE

/* -1 apart, since the least number has no quotient by it in C. */
#define DEFINE(S, T, U, BITS)                                                                     \
  RUN2(div_##S, T, BITS, b[l] == 0 ? (T)-1 : b[l] == -1 ? (T)((U)0 - (U)a[l]) : (T)(a[l] / b[l])) \
  RUN2(rem_##S, T, BITS, b[l] == 0 ? (T)-1 : b[l] == -1 ? (T)0 : (T)(a[l] % b[l]))                \
  RUN1(neg_##S, T, BITS, (U)0 - (U)a[l])                                                          \
  RUN1(abs_##S, T, BITS, a[l] < 0 ? (U)((U)0 - (U)a[l]) : (U)a[l])
SIGNED_TYPES(DEFINE)
#undef DEFINE

static inline int32_t saturate_s32(int64_t x) {
  return x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : (int32_t)x;
}
RUN2(add_sat_s32, int32_t, 32, saturate_s32((int64_t)a[l] + b[l]))
RUN2(sub_sat_s32, int32_t, 32, saturate_s32((int64_t)a[l] - b[l]))

static inline int32_t min_s32(int32_t a, int32_t b) {
  return a < b ? a : b;
}
static inline int32_t max_s32(int32_t a, int32_t b) {
  return a > b ? a : b;
}
RUN2(min_relu_s32, int32_t, 32, max_s32(min_s32(a[l], b[l]), 0))
RUN2(max_relu_s32, int32_t, 32, max_s32(max_s32(a[l], b[l]), 0))

/* Two halves of 16 bits in each lane: they lie in memory as 64 numbers. */
#define RUN_X2(NAME, T, EXPRESSION)                               \
  static flow run_##NAME(warp *w, const insn *i, uint32_t mask) { \
    SOURCES_AB(T)                                                 \
    T r[2 * LANES];                                               \
    for (int l = 0; l < 2 * LANES; ++l) r[l] = (T)(EXPRESSION);   \
    put_u32(REG(uint32_t, 0), r, mask);                           \
    return FLOW_NEXT;                                             \
  }
RUN_X2(add_x2, uint16_t, a[l] + b[l])
RUN_X2(sub_x2, uint16_t, a[l] - b[l])
RUN_X2(min_u16x2, uint16_t, a[l] < b[l] ? a[l] : b[l])
RUN_X2(max_u16x2, uint16_t, a[l] > b[l] ? a[l] : b[l])
RUN_X2(min_s16x2, int16_t, min_s32(a[l], b[l]))
RUN_X2(max_s16x2, int16_t, max_s32(a[l], b[l]))
RUN_X2(min_relu_s16x2, int16_t, max_s32(min_s32(a[l], b[l]), 0))
RUN_X2(max_relu_s16x2, int16_t, max_s32(max_s32(a[l], b[l]), 0))

/* ---- with carry. What subtracts adds the complement, so that the flag is the contrary of a borrow, as
 * it is in GPUs: it shows where additions and subtractions are mixed. */

#define DEFINE(S, T, U, BITS)                                                                   \
  flow integer_add_carry_##S(warp *w, const insn *i, uint32_t mask, const T *a, const T *b) {   \
    const uint32_t carry = (i->arg[0] & CARRY_IN) != 0    ? w->carry                            \
                           : (i->arg[0] & CARRY_ONE) != 0 ? UINT32_MAX                          \
                                                          : 0;                                  \
    T r[LANES];                                                                                 \
    uint8_t out[LANES];                                                                         \
    FOR_LANES(l) {                                                                              \
      const T sum = a[l] + b[l];                                                                \
      r[l] = sum + (carry >> l & 1);                                                            \
      out[l] = (sum < a[l]) | (r[l] < sum);                                                     \
    }                                                                                           \
    put_u##BITS(REG(T, 0), r, mask);                                                            \
    if ((i->arg[0] & CARRY_OUT) != 0) w->carry = (w->carry & ~mask) | (pack_lanes(out) & mask); \
    return FLOW_NEXT;                                                                           \
  }                                                                                             \
  static flow run_add_carry_##S(warp *w, const insn *i, uint32_t mask) {                        \
    return integer_add_carry_##S(w, i, mask, REG(const T, 1), REG(const T, 2));                 \
  }                                                                                             \
  static flow run_sub_carry_##S(warp *w, const insn *i, uint32_t mask) {                        \
    const T *const b = REG(const T, 2);                                                         \
    T complement[LANES];                                                                        \
    FOR_LANES(l) complement[l] = ~b[l];                                                         \
    return integer_add_carry_##S(w, i, mask, REG(const T, 1), complement);                      \
  }
DEFINE(u32, uint32_t, uint32_t, 32)
DEFINE(u64, uint64_t, uint64_t, 64)
#undef DEFINE

/* ---- decoding */

typedef struct additive {
  run_by_type plain;
  insn_run *saturating, *x2;
  insn_run *carry32, *carry64;
  uint32_t carry; /* into a carry form that does not take the flag */
} additive;
static const additive addition = {RUN_BY_SIZE(add),  run_add_sat_s32,   run_add_x2,
                                  run_add_carry_u32, run_add_carry_u64, 0};
static const additive subtraction = {RUN_BY_SIZE(sub),  run_sub_sat_s32,   run_sub_x2,
                                     run_sub_carry_u32, run_sub_carry_u64, CARRY_ONE};

static bool decode_additive(decoder *d, const additive *runs, uint32_t carry) {
  const bool saturating = carry == 0 && decode_take(d, "sat");
  if (!saturating && decode_take(d, "cc")) carry |= CARRY_OUT;
  const ptx_type type = decode_type(d);
  insn_run *run;
  if (carry != 0)
    run = type == TYPE_U32 || type == TYPE_S32   ? runs->carry32
          : type == TYPE_U64 || type == TYPE_S64 ? runs->carry64
                                                 : NULL;
  else if (saturating)
    run = type == TYPE_S32 ? runs->saturating : NULL;
  else
    run = type == TYPE_U16X2 || type == TYPE_S16X2 ? runs->x2 : run_for(&runs->plain, type);
  d->out->arg[0] = (carry & CARRY_IN) != 0 ? carry : carry | runs->carry;
  if (runs == &addition && carry == 0 && !saturating) d->out->taint = TAINT_ADD;
  return forms_decode(d, run, ptx_type_size(type), type, 2);
}
static bool decode_add(decoder *d) {
  const ptx_type type = forms_last_type(d);
  return forms_is_float(type) ? decode_float_arith(d, type) : decode_additive(d, &addition, 0);
}
static bool decode_sub(decoder *d) {
  const ptx_type type = forms_last_type(d);
  return forms_is_float(type) ? decode_float_arith(d, type) : decode_additive(d, &subtraction, 0);
}
static bool decode_addc(decoder *d) {
  return decode_additive(d, &addition, CARRY_IN);
}
static bool decode_subc(decoder *d) {
  return decode_additive(d, &subtraction, CARRY_IN);
}

typedef struct extremum {
  run_by_type plain;
  insn_run *u16x2, *s16x2, *relu_s16x2, *relu_s32;
} extremum;
static const extremum minimum = {RUN_BY_TYPE(min), run_min_u16x2, run_min_s16x2, run_min_relu_s16x2,
                                 run_min_relu_s32};
static const extremum maximum = {RUN_BY_TYPE(max), run_max_u16x2, run_max_s16x2, run_max_relu_s16x2,
                                 run_max_relu_s32};

static bool decode_extremum(decoder *d, const extremum *runs) {
  const ptx_type last = forms_last_type(d);
  if (forms_is_float(last)) return decode_float_arith(d, last);
  const bool relu = decode_take(d, "relu");
  const ptx_type type = decode_type(d);
  insn_run *run;
  if (relu)
    run = type == TYPE_S32 ? runs->relu_s32 : type == TYPE_S16X2 ? runs->relu_s16x2 : NULL;
  else
    run = type == TYPE_U16X2   ? runs->u16x2
          : type == TYPE_S16X2 ? runs->s16x2
                               : run_for(&runs->plain, type);
  return forms_decode(d, run, ptx_type_size(type), type, 2);
}
static bool decode_min(decoder *d) {
  return decode_extremum(d, &minimum);
}
static bool decode_max(decoder *d) {
  return decode_extremum(d, &maximum);
}

/* Those that have no modifiers. */
static bool decode_simple(decoder *d, const run_by_type *runs, size_t count) {
  const ptx_type last = forms_last_type(d);
  if (forms_is_float(last)) return decode_float_arith(d, last);
  const ptx_type type = decode_type(d);
  return forms_decode(d, run_for(runs, type), ptx_type_size(type), type, count);
}
static bool decode_div(decoder *d) {
  static const run_by_type runs = RUN_BY_TYPE(div);
  return decode_simple(d, &runs, 2);
}
static bool decode_rem(decoder *d) {
  static const run_by_type runs = RUN_BY_TYPE(rem);
  return decode_simple(d, &runs, 2);
}
static bool decode_abs(decoder *d) {
  static const run_by_type runs = {.s16 = run_abs_s16, .s32 = run_abs_s32, .s64 = run_abs_s64};
  return decode_simple(d, &runs, 1);
}
static bool decode_neg(decoder *d) {
  static const run_by_type runs = {.s16 = run_neg_s16, .s32 = run_neg_s32, .s64 = run_neg_s64};
  return decode_simple(d, &runs, 1);
}
static bool decode_sad(decoder *d) {
  static const run_by_type runs = RUN_BY_TYPE(sad);
  return decode_simple(d, &runs, 3);
}

static bool decode_fma(decoder *d) {
  return decode_float_arith(d, forms_last_type(d));
}

const decode_row rows_integer[] = {
    {"add", decode_add},         {"sub", decode_sub},      {"addc", decode_addc},
    {"subc", decode_subc},       {"min", decode_min},      {"max", decode_max},
    {"div", decode_div},         {"rem", decode_rem},      {"abs", decode_abs},
    {"neg", decode_neg},         {"sad", decode_sad},      {"fma", decode_fma},
    {"mul", decode_mul},         {"mad", decode_mad},      {"madc", decode_madc},
    {"mul24", decode_mul24},     {"mad24", decode_mad24},  {"dp4a", decode_dp4a},
    {"dp2a", decode_dp2a},       {"popc", decode_popc},    {"clz", decode_clz},
    {"bfind", decode_bfind},     {"fns", decode_fns},      {"brev", decode_brev},
    {"bfe", decode_bfe},         {"bfi", decode_bfi},      {"bmsk", decode_bmsk},
    {"szext", decode_szext},     {"vadd", decode_video},   {"vsub", decode_video},
    {"vabsdiff", decode_video},  {"vmin", decode_video},   {"vmax", decode_video},
    {"vset", decode_video},      {"vshl", decode_video},   {"vshr", decode_video},
    {"vadd2", decode_video},     {"vsub2", decode_video},  {"vabsdiff2", decode_video},
    {"vavrg2", decode_video},    {"vmin2", decode_video},  {"vmax2", decode_video},
    {"vset2", decode_video},     {"vadd4", decode_video},  {"vsub4", decode_video},
    {"vabsdiff4", decode_video}, {"vavrg4", decode_video}, {"vmin4", decode_video},
    {"vmax4", decode_video},     {"vset4", decode_video},  {NULL, NULL},
};
