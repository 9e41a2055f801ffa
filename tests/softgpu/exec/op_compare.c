/* Comparison and selection: setp, set, selp, slct. */
#include <math.h>

#include "exec/forms.h"
#include "exec/half.h"

/* ---- comparing 32 pairs: bit l says what holds for lane l */

typedef uint32_t comparer(const void *x, const void *y);

#define COMPARER(NAME, T, EXPRESSION)                            \
  static uint32_t compare_##NAME(const void *x, const void *y) { \
    const T *const a = x, *const b = y;                          \
    uint8_t is[LANES];                                           \
    FOR_LANES(l) is[l] = (EXPRESSION);                           \
    return pack_lanes(is);                                       \
  }
#define COMPARERS(S, T)                          \
  COMPARER(eq_##S, T, a[l] == b[l])              \
  COMPARER(lt_##S, T, a[l] < b[l])               \
  COMPARER(le_##S, T, a[l] <= b[l])              \
  COMPARER(gt_##S, T, a[l] > b[l])               \
  COMPARER(ge_##S, T, a[l] >= b[l])              \
  /* Ordered, for floats: NaN is not unequal. */ \
  COMPARER(ne_##S, T, (a[l] < b[l]) | (a[l] > b[l]))
#define DEFINE(S, T, U, BITS) COMPARERS(S, T)
INTEGER_TYPES(DEFINE)
#undef DEFINE
COMPARERS(f32, float)
COMPARERS(f64, double)
COMPARER(num_f32, float, (a[l] == a[l]) & (b[l] == b[l]))
COMPARER(num_f64, double, (a[l] == a[l]) & (b[l] == b[l]))

typedef enum comparison {
  COMPARE_EQ,
  COMPARE_NE,
  COMPARE_LT,
  COMPARE_LE,
  COMPARE_GT,
  COMPARE_GE,
  COMPARE_NUM,
} comparison;

#define COMPARE_BY_OP(S) \
  compare_eq_##S, compare_ne_##S, compare_lt_##S, compare_le_##S, compare_gt_##S, compare_ge_##S
enum { KIND_U16, KIND_U32, KIND_U64, KIND_S16, KIND_S32, KIND_S64, KIND_F32, KIND_F64, KIND_NONE };
static comparer *const comparers[KIND_NONE][COMPARE_NUM + 1] = {
    [KIND_U16] = {COMPARE_BY_OP(u16)},
    [KIND_U32] = {COMPARE_BY_OP(u32)},
    [KIND_U64] = {COMPARE_BY_OP(u64)},
    [KIND_S16] = {COMPARE_BY_OP(s16)},
    [KIND_S32] = {COMPARE_BY_OP(s32)},
    [KIND_S64] = {COMPARE_BY_OP(s64)},
    [KIND_F32] = {COMPARE_BY_OP(f32), compare_num_f32},
    [KIND_F64] = {COMPARE_BY_OP(f64), compare_num_f64},
};

/* ---- operands in the format they are compared in */

/* arg[0] */
enum { FROM_AS_IS, FROM_F32_FTZ, FROM_F16, FROM_BF16, FROM_F16X2, FROM_BF16X2, FROM_FTZ = 8 };

static inline float flushed(float x) {
  return fabsf(x) < 0x1p-126f ? copysignf(0, x) : x;
}
static inline float flushed_f16(float x) {
  return fabsf(x) < 0x1p-14f ? copysignf(0, x) : x;
}

static void widen(const warp *w, const insn *i, int k, unsigned half, float out[LANES]) {
  const uint32_t from = i->arg[0] & 7;
  const bool flush = (i->arg[0] & FROM_FTZ) != 0;
  const uint16_t *const h = REG(const uint16_t, k);
  switch (from) {
    case FROM_F32_FTZ:
      FOR_LANES(l) out[l] = flushed(REG(const float, k)[l]);
      break;
    case FROM_F16:
    case FROM_F16X2: {
      const unsigned step = from == FROM_F16 ? 1 : 2;
      FOR_LANES(l) out[l] = f16_to_f32(h[step * (unsigned)l + half]);
      if (flush) FOR_LANES(l) out[l] = flushed_f16(out[l]);
      break;
    }
    default: {
      const unsigned step = from == FROM_BF16 ? 1 : 2;
      FOR_LANES(l) out[l] = bf16_to_f32(h[step * (unsigned)l + half]);
      break;
    }
  }
}

/* arg[1]: all ones if the comparison's contrary was looked up. */
static inline uint32_t compare(const warp *w, const insn *i, int k, unsigned half) {
  comparer *const holds = *(comparer *const *)i->more;
  if (i->arg[0] == FROM_AS_IS) return holds(REG(const void, k), REG(const void, k + 1)) ^ i->arg[1];
  float a[LANES], b[LANES];
  widen(w, i, k, half, a);
  widen(w, i, k + 1, half, b);
  return holds(a, b) ^ i->arg[1];
}

/* arg[2] */
enum { COMBINE_NONE, COMBINE_AND, COMBINE_OR, COMBINE_XOR };

static uint32_t combine(const warp *w, const insn *i, int k, uint32_t holds) {
  switch (i->arg[2]) {
    case COMBINE_AND:
      return holds & pred(w, i, k);
    case COMBINE_OR:
      return holds | pred(w, i, k);
    case COMBINE_XOR:
      return holds ^ pred(w, i, k);
    default:
      return holds;
  }
}

static flow run_setp(warp *w, const insn *i, uint32_t mask) {
  put_pred(w, i, 0, compare(w, i, 1, 0), mask);
  return FLOW_NEXT;
}
static flow run_setp_combined(warp *w, const insn *i, uint32_t mask) {
  put_pred(w, i, 0, combine(w, i, 3, compare(w, i, 1, 0)), mask);
  return FLOW_NEXT;
}
/* p|q: q of the contrary. */
static flow run_setp_pair(warp *w, const insn *i, uint32_t mask) {
  const uint32_t holds = compare(w, i, 2, 0);
  const uint32_t p = combine(w, i, 4, holds), q = combine(w, i, 4, ~holds);
  put_pred(w, i, 0, p, mask);
  put_pred(w, i, 1, q, mask);
  return FLOW_NEXT;
}
/* p|q: of the low and of the high halves. */
static flow run_setp_halves(warp *w, const insn *i, uint32_t mask) {
  const uint32_t p = combine(w, i, 4, compare(w, i, 2, 0)), q = combine(w, i, 4, compare(w, i, 2, 1));
  put_pred(w, i, 0, p, mask);
  put_pred(w, i, 1, q, mask);
  return FLOW_NEXT;
}

/* arg[3]: what true is, of the destination's type. */
static flow run_set(warp *w, const insn *i, uint32_t mask) {
  const uint32_t holds = combine(w, i, 3, compare(w, i, 1, 0));
  int64_t r[LANES];
  FOR_LANES(l) r[l] = (holds & lane_bits[l]) != 0 ? i->arg[3] : 0;
  write_lanes(w, i, 0, r, mask);
  return FLOW_NEXT;
}
static flow run_set_halves(warp *w, const insn *i, uint32_t mask) {
  const uint32_t low = combine(w, i, 3, compare(w, i, 1, 0)),
                 high = combine(w, i, 3, compare(w, i, 1, 1));
  uint32_t r[LANES];
  FOR_LANES(l)
  r[l] = ((low & lane_bits[l]) != 0 ? i->arg[3] : 0) | ((high & lane_bits[l]) != 0 ? i->arg[3] << 16 : 0);
  put_u32(REG(uint32_t, 0), r, mask);
  return FLOW_NEXT;
}

/* ---- selection */

#define DEFINE(BITS)                                                                                  \
  RUN(selp_##BITS, uint##BITS##_t, BITS, SOURCES_AB(uint##BITS##_t) const uint32_t c = pred(w, i, 3); \
      , (c & lane_bits[l]) != 0 ? a[l] : b[l])                                                        \
  RUN(slct_s32_##BITS, uint##BITS##_t, BITS,                                                          \
      SOURCES_AB(uint##BITS##_t) const int32_t *const c = REG(const int32_t, 3);                      \
      , c[l] >= 0 ? a[l] : b[l])                                                                      \
  RUN(slct_f32_##BITS, uint##BITS##_t, BITS,                                                          \
      SOURCES_AB(uint##BITS##_t) const float *const c = REG(const float, 3);                          \
      , c[l] >= 0 ? a[l] : b[l])                                                                      \
  RUN(slct_ftz_##BITS, uint##BITS##_t, BITS,                                                          \
      SOURCES_AB(uint##BITS##_t) const float *const c = REG(const float, 3);                          \
      , flushed(c[l]) >= 0 ? a[l] : b[l])
DEFINE(16)
DEFINE(32)
DEFINE(64)
#undef DEFINE

/* ---- decoding */

static int kind_of(ptx_type type) {
  switch (type) {
    case TYPE_B16:
    case TYPE_U16:
      return KIND_U16;
    case TYPE_B32:
    case TYPE_U32:
      return KIND_U32;
    case TYPE_B64:
    case TYPE_U64:
      return KIND_U64;
    case TYPE_S16:
      return KIND_S16;
    case TYPE_S32:
      return KIND_S32;
    case TYPE_S64:
      return KIND_S64;
    case TYPE_F16:
    case TYPE_BF16:
    case TYPE_F16X2:
    case TYPE_BF16X2:
    case TYPE_F32:
      return KIND_F32;
    case TYPE_F64:
      return KIND_F64;
    default:
      return KIND_NONE;
  }
}

/* An unordered comparison is the contrary of the ordered opposite one. */
static const struct comparison_name {
  const char *name;
  comparison is;
  bool contrary, for_bits, for_signed, for_unsigned, for_float;
} comparison_names[] = {
    {"eq", COMPARE_EQ, false, true, true, true, true},
    {"ne", COMPARE_NE, false, true, true, true, true},
    {"lt", COMPARE_LT, false, false, true, true, true},
    {"le", COMPARE_LE, false, false, true, true, true},
    {"gt", COMPARE_GT, false, false, true, true, true},
    {"ge", COMPARE_GE, false, false, true, true, true},
    {"lo", COMPARE_LT, false, false, false, true, false},
    {"ls", COMPARE_LE, false, false, false, true, false},
    {"hi", COMPARE_GT, false, false, false, true, false},
    {"hs", COMPARE_GE, false, false, false, true, false},
    {"equ", COMPARE_NE, true, false, false, false, true},
    {"neu", COMPARE_EQ, true, false, false, false, true},
    {"ltu", COMPARE_GE, true, false, false, false, true},
    {"leu", COMPARE_GT, true, false, false, false, true},
    {"gtu", COMPARE_LE, true, false, false, false, true},
    {"geu", COMPARE_LT, true, false, false, false, true},
    {"num", COMPARE_NUM, false, false, false, false, true},
    {"nan", COMPARE_NUM, true, false, false, false, true},
};

static const struct comparison_name *take_comparison(decoder *d) {
  for (size_t k = 0; k < sizeof comparison_names / sizeof *comparison_names; ++k)
    if (decode_take(d, comparison_names[k].name)) return &comparison_names[k];
  return NULL;
}

static bool applies(const struct comparison_name *c, ptx_type type) {
  if (forms_is_float(type)) return c->for_float;
  if (type == TYPE_B16 || type == TYPE_B32 || type == TYPE_B64) return c->for_bits;
  return forms_is_signed(type) ? c->for_signed : c->for_unsigned;
}

static bool operand_format(decoder *d, ptx_type type, bool ftz) {
  uint32_t *from = &d->out->arg[0];
  switch (type) {
    case TYPE_F16:
      *from = ftz ? FROM_F16 | FROM_FTZ : FROM_F16;
      return true;
    case TYPE_F16X2:
      *from = ftz ? FROM_F16X2 | FROM_FTZ : FROM_F16X2;
      return true;
    case TYPE_F32:
      *from = ftz ? FROM_F32_FTZ : FROM_AS_IS;
      return true;
    case TYPE_BF16:
      *from = FROM_BF16;
      break;
    case TYPE_BF16X2:
      *from = FROM_BF16X2;
      break;
    default:
      *from = FROM_AS_IS;
      break;
  }
  return !ftz || decode_refuse(d, "has no .ftz for the type .%s", ptx_type_name(type));
}

/* What set and setp begin with: comparison, .ftz, combination. */
typedef struct test {
  const struct comparison_name *comparison;
  bool ftz;
} test;
static bool decode_test(decoder *d, test *t) {
  t->comparison = take_comparison(d);
  if (t->comparison == NULL) return decode_refuse(d, "does not say what comparison");
  uint32_t *const combination = &d->out->arg[2];
  /* The ISA has .ftz behind the combination, compilers before it. */
  t->ftz = decode_take(d, "ftz");
  *combination = decode_take(d, "and")   ? COMBINE_AND
                 : decode_take(d, "or")  ? COMBINE_OR
                 : decode_take(d, "xor") ? COMBINE_XOR
                                         : COMBINE_NONE;
  t->ftz = t->ftz || decode_take(d, "ftz");
  return true;
}

/* The sources, and how they are compared. */
static bool decode_compared(decoder *d, const test *t, ptx_type type) {
  const int kind = kind_of(type);
  if (kind == KIND_NONE || !applies(t->comparison, type))
    return decode_refuse(d, "has no .%s for the type .%s", t->comparison->name, ptx_type_name(type));
  if (!operand_format(d, type, t->ftz)) return false;
  d->out->arg[1] = t->comparison->contrary ? UINT32_MAX : 0;
  d->out->more = &comparers[kind][t->comparison->is];
  const ptx_operand *o = d->in->operands;
  if (!decode_src(d, &o[1], type) || !decode_src(d, &o[2], type)) return false;
  return d->out->arg[2] == COMBINE_NONE || decode_src(d, &o[3], TYPE_PRED);
}

static bool decode_setp(decoder *d) {
  test t;
  if (!decode_test(d, &t)) return false;
  const ptx_type type = decode_type(d);
  const bool halves = type == TYPE_F16X2 || type == TYPE_BF16X2;
  const bool combined = d->out->arg[2] != COMBINE_NONE;
  if (!decode_operand_count(d, combined ? 4 : 3, combined ? 4 : 3)) return false;
  const ptx_operand *to = &d->in->operands[0];
  const bool pair = to->kind == OPERAND_PAIR;
  if (halves && !pair) return decode_refuse(d, "needs p|q");
  d->out->run = halves ? run_setp_halves : pair ? run_setp_pair : combined ? run_setp_combined : run_setp;
  if (pair ? !decode_dst(d, &to->elements[0], 0) || !decode_dst(d, &to->elements[1], 0)
           : !decode_dst(d, to, 0))
    return false;
  return decode_compared(d, &t, type);
}

/* What true is; 0 if a comparison of `from` cannot give the type. */
static uint32_t truth(ptx_type to, ptx_type from) {
  const bool halves = from == TYPE_F16X2 || from == TYPE_BF16X2;
  const bool half = from == TYPE_F16 || from == TYPE_BF16;
  switch (to) {
    case TYPE_U32:
    case TYPE_S32:
      return halves ? 0xffff : 0xffffffff;
    case TYPE_F32:
      return half || halves ? 0 : 0x3f800000;
    case TYPE_U16:
    case TYPE_S16:
      return half ? 0xffff : 0;
    case TYPE_F16:
      return halves || from == TYPE_BF16 ? 0 : 0x3c00;
    case TYPE_BF16:
      return halves || from == TYPE_F16 ? 0 : 0x3f80;
    case TYPE_F16X2:
    case TYPE_BF16X2:
      return to != from ? 0 : to == TYPE_F16X2 ? 0x3c00 : 0x3f80;
    default:
      return 0;
  }
}

static bool decode_set(decoder *d) {
  test t;
  if (!decode_test(d, &t)) return false;
  const ptx_type to = decode_type(d), from = decode_type(d);
  const bool halves = from == TYPE_F16X2 || from == TYPE_BF16X2;
  const bool combined = d->out->arg[2] != COMBINE_NONE;
  if (!decode_operand_count(d, combined ? 4 : 3, combined ? 4 : 3)) return false;
  d->out->arg[3] = truth(to, from);
  if (d->out->arg[3] == 0)
    return decode_refuse(d, "does not make .%s of .%s", ptx_type_name(to), ptx_type_name(from));
  d->out->run = halves ? run_set_halves : run_set;
  return decode_dst(d, &d->in->operands[0], ptx_type_size(to)) && decode_compared(d, &t, from);
}

static insn_run *by_size(ptx_type type, insn_run *r16, insn_run *r32, insn_run *r64) {
  if (type == TYPE_PRED || type == TYPE_NONE) return NULL;
  switch (ptx_type_size(type)) {
    case 2:
      return r16;
    case 4:
      return r32;
    case 8:
      return r64;
    default:
      return NULL;
  }
}

static bool decode_choice(decoder *d, insn_run *run, ptx_type type, ptx_type by) {
  if (run == NULL) return decode_refuse(d, "has no form for the type .%s", ptx_type_name(type));
  if (!decode_operand_count(d, 4, 4)) return false;
  const ptx_operand *o = d->in->operands;
  d->out->run = run;
  return decode_dst(d, &o[0], ptx_type_size(type)) && decode_src(d, &o[1], type) &&
         decode_src(d, &o[2], type) && decode_src(d, &o[3], by);
}

static bool decode_selp(decoder *d) {
  const ptx_type type = decode_type(d);
  d->out->taint = TAINT_SELECT;
  return decode_choice(d, by_size(type, run_selp_16, run_selp_32, run_selp_64), type, TYPE_PRED);
}

static bool decode_slct(decoder *d) {
  const bool ftz = decode_take(d, "ftz");
  const ptx_type type = decode_type(d), by = decode_type(d);
  if (by == TYPE_S32 && !ftz)
    return decode_choice(d, by_size(type, run_slct_s32_16, run_slct_s32_32, run_slct_s32_64), type, by);
  if (by != TYPE_F32) return decode_refuse(d, "selects by .%s", ptx_type_name(by));
  if (ftz)
    return decode_choice(d, by_size(type, run_slct_ftz_16, run_slct_ftz_32, run_slct_ftz_64), type, by);
  return decode_choice(d, by_size(type, run_slct_f32_16, run_slct_f32_32, run_slct_f32_64), type, by);
}

const decode_row rows_compare[] = {
    {"setp", decode_setp}, {"set", decode_set}, {"selp", decode_selp},
    {"slct", decode_slct}, {NULL, NULL},
};
