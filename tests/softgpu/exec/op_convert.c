/* cvt. */
#include <math.h>

#include "exec/bits.h"
#include "exec/convert.h"
#include "exec/forms.h"
#include "exec/half.h"

/* ---- integers without saturation: the low bits kept are extended to the destination register */

#define KEPT_TYPES(X, ...)     \
  X(__VA_ARGS__, s8, int8_t)   \
  X(__VA_ARGS__, s16, int16_t) \
  X(__VA_ARGS__, s32, int32_t) \
  X(__VA_ARGS__, u8, uint8_t)  \
  X(__VA_ARGS__, u16, uint16_t) X(__VA_ARGS__, u32, uint32_t) X(__VA_ARGS__, u64, uint64_t)
enum { KEEP_S8, KEEP_S16, KEEP_S32, KEEP_U8, KEEP_U16, KEEP_U32, KEEP_U64, KEEP_KINDS };

#define EXTEND(FROM, TO, K, T) \
  RUN(extend_##FROM##_##TO##_##K, uint##TO##_t, TO, SOURCE_A(uint##FROM##_t), (T)a[l])
#define NAME_EXTEND(FROM, TO, K, T) run_extend_##FROM##_##TO##_##K,
#define EXTEND_ALL(FROM) \
  KEPT_TYPES(EXTEND, FROM, 16) KEPT_TYPES(EXTEND, FROM, 32) KEPT_TYPES(EXTEND, FROM, 64)
#define EXTEND_TABLE(FROM)                                                      \
  {                                                                             \
    {KEPT_TYPES(NAME_EXTEND, FROM, 16)}, {KEPT_TYPES(NAME_EXTEND, FROM, 32)}, { \
      KEPT_TYPES(NAME_EXTEND, FROM, 64)                                         \
    }                                                                           \
  }
EXTEND_ALL(16)
EXTEND_ALL(32)
EXTEND_ALL(64)
/* By the registers' sizes and what is kept. */
static insn_run *const extensions[3][3][KEEP_KINDS] = {EXTEND_TABLE(16), EXTEND_TABLE(32),
                                                       EXTEND_TABLE(64)};

/* ---- what is frequent and the host has an instruction for */

static inline uint16_t bf16_of_f32(uint32_t bits) {
  const uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  return (uint16_t)((bits & 0x7fffffff) > 0x7f800000 ? HALF_NAN : rounded);
}

RUN(f32_of_f16, uint32_t, 32, SOURCE_A(uint16_t), canonical_bits_of_f32(f16_to_f32(a[l])))
RUN(f32_of_bf16, uint32_t, 32, SOURCE_A(uint16_t), (uint32_t)a[l] << 16)
RUN(f64_of_f32, double, 64, SOURCE_A(float), a[l])
RUN(f32_of_f64_rn, float, 32, SOURCE_A(double), a[l])
RUN(f16_of_f32_rn, uint16_t, 16, SOURCE_A(float), f16_from_f64((double)a[l], ROUND_RN))
RUN(bf16_of_f32_rn, uint16_t, 16, SOURCE_A(uint32_t), bf16_of_f32(a[l]))

#define DEFINE(S, T, U, BITS)                        \
  RUN(f32_of_##S##_rn, float, 32, SOURCE_A(T), a[l]) \
  RUN(f64_of_##S##_rn, double, 64, SOURCE_A(T), a[l])
INTEGER_TYPES(DEFINE)
#undef DEFINE

/* .rzi, with the ends of the range for what is beyond them. */
#define TRUNCATE(TO, T, BITS, FROM, F, LEAST, TOO_LARGE, LOW, HIGH, NAN_AS) \
  RUN(TO##_of_##FROM##_rzi, T, BITS, SOURCE_A(F),                           \
      a[l] != a[l]        ? NAN_AS                                          \
      : a[l] <= LEAST     ? LOW                                             \
      : a[l] >= TOO_LARGE ? HIGH                                            \
                          : (T)a[l])
TRUNCATE(s32, int32_t, 32, f32, float, -0x1p31f, 0x1p31f, INT32_MIN, INT32_MAX, 0)
TRUNCATE(u32, uint32_t, 32, f32, float, 0, 0x1p32f, 0, UINT32_MAX, 0)
TRUNCATE(s64, int64_t, 64, f32, float, -0x1p63f, 0x1p63f, INT64_MIN, INT64_MAX, INT64_MIN)
TRUNCATE(u64, uint64_t, 64, f32, float, 0, 0x1p64f, 0, UINT64_MAX, UINT64_C(1) << 63)
TRUNCATE(s32, int32_t, 32, f64, double, -0x1p31, 0x1p31, INT32_MIN, INT32_MAX, INT32_MIN)
TRUNCATE(u32, uint32_t, 32, f64, double, 0, 0x1p32, 0, UINT32_MAX, UINT32_C(1) << 31)
TRUNCATE(s64, int64_t, 64, f64, double, -0x1p63, 0x1p63, INT64_MIN, INT64_MAX, INT64_MIN)
TRUNCATE(u64, uint64_t, 64, f64, double, 0, 0x1p64, 0, UINT64_MAX, UINT64_C(1) << 63)
#undef TRUNCATE

typedef enum frequent_mode { MODE_NONE, MODE_RN, MODE_RZI } frequent_mode;
static const struct frequent {
  ptx_type to, from;
  frequent_mode mode;
  insn_run *run;
} frequent[] = {
    {TYPE_F32, TYPE_F16, MODE_NONE, run_f32_of_f16},
    {TYPE_F32, TYPE_BF16, MODE_NONE, run_f32_of_bf16},
    {TYPE_F64, TYPE_F32, MODE_NONE, run_f64_of_f32},
    {TYPE_F32, TYPE_F64, MODE_RN, run_f32_of_f64_rn},
    {TYPE_F16, TYPE_F32, MODE_RN, run_f16_of_f32_rn},
    {TYPE_BF16, TYPE_F32, MODE_RN, run_bf16_of_f32_rn},
    {TYPE_F32, TYPE_U16, MODE_RN, run_f32_of_u16_rn},
    {TYPE_F32, TYPE_U32, MODE_RN, run_f32_of_u32_rn},
    {TYPE_F32, TYPE_U64, MODE_RN, run_f32_of_u64_rn},
    {TYPE_F32, TYPE_S16, MODE_RN, run_f32_of_s16_rn},
    {TYPE_F32, TYPE_S32, MODE_RN, run_f32_of_s32_rn},
    {TYPE_F32, TYPE_S64, MODE_RN, run_f32_of_s64_rn},
    {TYPE_F64, TYPE_U16, MODE_RN, run_f64_of_u16_rn},
    {TYPE_F64, TYPE_U32, MODE_RN, run_f64_of_u32_rn},
    {TYPE_F64, TYPE_U64, MODE_RN, run_f64_of_u64_rn},
    {TYPE_F64, TYPE_S16, MODE_RN, run_f64_of_s16_rn},
    {TYPE_F64, TYPE_S32, MODE_RN, run_f64_of_s32_rn},
    {TYPE_F64, TYPE_S64, MODE_RN, run_f64_of_s64_rn},
    {TYPE_S32, TYPE_F32, MODE_RZI, run_s32_of_f32_rzi},
    {TYPE_S32, TYPE_F64, MODE_RZI, run_s32_of_f64_rzi},
    {TYPE_U32, TYPE_F32, MODE_RZI, run_u32_of_f32_rzi},
    {TYPE_U32, TYPE_F64, MODE_RZI, run_u32_of_f64_rzi},
    {TYPE_S64, TYPE_F32, MODE_RZI, run_s64_of_f32_rzi},
    {TYPE_S64, TYPE_F64, MODE_RZI, run_s64_of_f64_rzi},
    {TYPE_U64, TYPE_F32, MODE_RZI, run_u64_of_f32_rzi},
    {TYPE_U64, TYPE_F64, MODE_RZI, run_u64_of_f64_rzi},
};

/* ---- everything else: i->more is the conversion */

static flow run_cvt(warp *w, const insn *i, uint32_t mask) {
  const conversion *const c = i->more;
  int64_t in[LANES], out[LANES];
  read_lanes(w, i, 1, ptx_type_size(c->from), forms_is_signed(c->from), in);
  FOR_EACH(l, mask) out[l] = (int64_t)convert(c, (uint64_t)in[l]);
  write_lanes(w, i, 0, out, mask);
  return FLOW_NEXT;
}

/* Two numbers side by side, from two registers: the first one's goes to the upper half. */
static flow run_cvt_pair(warp *w, const insn *i, uint32_t mask) {
  const conversion *const c = i->more;
  const int size = ptx_type_size(c->from), bits = 8 * ptx_type_size(c->to);
  int64_t upper[LANES], lower[LANES], out[LANES];
  read_lanes(w, i, 1, size, false, upper);
  read_lanes(w, i, 2, size, false, lower);
  FOR_EACH(l, mask)
  out[l] = (int64_t)(convert(c, (uint64_t)upper[l]) << bits | convert(c, (uint64_t)lower[l]));
  write_lanes(w, i, 0, out, mask);
  return FLOW_NEXT;
}

/* From such a register to another. */
static flow run_cvt_packed(warp *w, const insn *i, uint32_t mask) {
  const conversion *const c = i->more;
  const int size = ptx_type_size(c->from), bits = 8 * ptx_type_size(c->to);
  int64_t in[LANES], out[LANES];
  read_lanes(w, i, 1, 2 * size, false, in);
  FOR_EACH(l, mask) {
    const uint64_t both = (uint64_t)in[l], lower = both & ((UINT64_C(1) << 8 * size) - 1);
    out[l] = (int64_t)(convert(c, both >> (8 * size)) << bits | convert(c, lower));
  }
  write_lanes(w, i, 0, out, mask);
  return FLOW_NEXT;
}

/* cvt.pack: both saturated to arg[0] bits, signed if arg[1], below what c has; of 16 bits they leave no
 * room. */
static flow run_cvt_pack(warp *w, const insn *i, uint32_t mask) {
  SOURCES_AB(int32_t)
  const uint32_t *const c = i->count > 3 ? REG(const uint32_t, 3) : NULL;
  const uint32_t bits = i->arg[0], field = (UINT32_C(1) << bits) - 1;
  const int32_t top = (int32_t)(i->arg[1] != 0 ? field >> 1 : field),
                bottom = i->arg[1] != 0 ? -top - 1 : 0;
  uint32_t r[LANES];
  FOR_LANES(l) {
    const int32_t upper = a[l] > top ? top : a[l] < bottom ? bottom : a[l];
    const int32_t lower = b[l] > top ? top : b[l] < bottom ? bottom : b[l];
    r[l] = ((uint32_t)upper & field) << bits | ((uint32_t)lower & field);
    if (c != NULL) r[l] |= c[l] << (2 * bits);
  }
  put_u32(REG(uint32_t, 0), r, mask);
  return FLOW_NEXT;
}

/* ---- decoding */

static bool decode_pack_form(decoder *d) {
  static const struct packed_type {
    const char *name;
    uint32_t bits;
    bool is_signed;
  } types[] = {{"u16", 16, false}, {"s16", 16, true}, {"u8", 8, false}, {"s8", 8, true},
               {"u4", 4, false},   {"s4", 4, true},   {"u2", 2, false}, {"s2", 2, true}};
  if (!decode_take(d, "sat")) return decode_refuse(d, "needs .sat");
  size_t t = 0;
  while (t < sizeof types / sizeof *types && !decode_take(d, types[t].name)) ++t;
  if (t == sizeof types / sizeof *types) return decode_refuse(d, "packs into no such type");
  const bool has_rest = types[t].bits < 16;
  if (decode_type(d) != TYPE_S32) return decode_refuse(d, "packs .s32");
  if (has_rest && decode_type(d) != TYPE_B32) return decode_refuse(d, "needs .b32 for the rest");
  d->out->arg[0] = types[t].bits;
  d->out->arg[1] = types[t].is_signed;
  return forms_decode(d, run_cvt_pack, 4, TYPE_S32, has_rest ? 3 : 2);
}

/* What stands before the types. */
typedef struct modifiers {
  conversion c;
  bool rounds;
} modifiers;
static void decode_modifiers(decoder *d, modifiers *m) {
  static const struct mode {
    const char *name;
    rounding how;
    bool integral;
  } modes[] = {{"rn", ROUND_RN, false}, {"rz", ROUND_RZ, false},   {"rm", ROUND_RM, false},
               {"rp", ROUND_RP, false}, {"rna", ROUND_RNA, false}, {"rni", ROUND_RN, true},
               {"rzi", ROUND_RZ, true}, {"rmi", ROUND_RM, true},   {"rpi", ROUND_RP, true}};
  for (bool any = true; any;) {
    any = false;
    for (size_t k = 0; k < sizeof modes / sizeof *modes && !m->rounds; ++k) {
      if (!decode_take(d, modes[k].name)) continue;
      m->c.how = modes[k].how;
      m->c.integral = modes[k].integral;
      any = m->rounds = true;
    }
    if (decode_take(d, "ftz")) any = m->c.ftz = true;
    if (decode_take(d, "sat")) any = m->c.sat = true;
    if (decode_take(d, "satfinite")) any = m->c.satfinite = true;
    if (decode_take(d, "relu")) any = m->c.relu = true;
  }
}

static ptx_type element_of(ptx_type packed) {
  switch (packed) {
    case TYPE_F16X2:
      return TYPE_F16;
    case TYPE_BF16X2:
      return TYPE_BF16;
    case TYPE_E4M3X2:
      return TYPE_E4M3;
    case TYPE_E5M2X2:
      return TYPE_E5M2;
    default:
      return TYPE_NONE;
  }
}

static bool is_integer(ptx_type type) {
  return type >= TYPE_U8 && type <= TYPE_S64;
}
static bool is_float(ptx_type type) {
  return type == TYPE_F16 || type == TYPE_BF16 || type == TYPE_F32 || type == TYPE_F64;
}
static bool keep_conversion(decoder *d, const conversion *c) {
  conversion *kept = decode_memory(d, sizeof *kept);
  if (kept == NULL) return false;
  *kept = *c;
  d->out->more = kept;
  return true;
}

/* Packed destinations, of two f32 or of another packed one. */
static bool decode_packed(decoder *d, modifiers *m, ptx_type to, ptx_type from) {
  const bool pair = from == TYPE_F32;
  m->c.to = element_of(to);
  m->c.from = pair ? TYPE_F32 : element_of(from);
  const bool to_half = to == TYPE_F16X2 || to == TYPE_BF16X2;
  const bool known = to_half ? pair || (to == TYPE_F16X2 && (from == TYPE_E4M3X2 || from == TYPE_E5M2X2))
                             : pair || from == TYPE_F16X2;
  if (!known || !m->rounds || m->c.integral || m->c.sat || m->c.how == ROUND_RNA || m->c.ftz)
    return decode_refuse(d, "has no such form of .%s and .%s", ptx_type_name(to), ptx_type_name(from));
  if (!to_half && (!m->c.satfinite || m->c.how != ROUND_RN))
    return decode_refuse(d, "needs .rn.satfinite");
  if (!keep_conversion(d, &m->c)) return false;
  return forms_decode(d, pair ? run_cvt_pair : run_cvt_packed, ptx_type_size(to), from, pair ? 2 : 1);
}

/* Whether all values of an integer type are ones of another. */
static bool contains(ptx_type to, ptx_type from) {
  const int bits_to = 8 * ptx_type_size(to) - forms_is_signed(to);
  const int bits_from = 8 * ptx_type_size(from) - forms_is_signed(from);
  return bits_to >= bits_from && (forms_is_signed(to) || !forms_is_signed(from));
}

/* Between floats, .rn and so on are for what loses bits, and the conversions of bf16. */
static bool check_rounding(decoder *d, const modifiers *m) {
  const ptx_type to = m->c.to, from = m->c.from;
  const bool narrows = ptx_type_size(to) < ptx_type_size(from);
  if (!m->rounds) {
    const bool needed =
        is_integer(from) != is_integer(to) || (!is_integer(to) && narrows) || to == TYPE_TF32;
    return !needed || decode_refuse(d, "needs a rounding mode");
  }
  bool fits;
  if (to == TYPE_TF32)
    fits = !m->c.integral;
  else if (m->c.how == ROUND_RNA)
    fits = false;
  else if (is_integer(to) || to == from)
    fits = is_float(from) && m->c.integral;
  else
    fits = !m->c.integral && (is_integer(from) || narrows || to == TYPE_BF16 || from == TYPE_BF16);
  return fits || decode_refuse(d, "has no such rounding");
}

/* Which of the modifiers go with the types. */
static bool check_scalar(decoder *d, const modifiers *m) {
  const conversion *c = &m->c;
  const bool with_bf16 = c->to == TYPE_BF16 || c->from == TYPE_BF16;
  if (with_bf16 && ptx_type_size(c->to) + ptx_type_size(c->from) == 3)
    return decode_refuse(d, "has no form for 8 bits and bf16");
  if (c->ftz && c->from != TYPE_F32 && c->to != TYPE_F32) return decode_refuse(d, ".ftz is for .f32");
  if (c->sat && (with_bf16 || c->to == TYPE_TF32 ||
                 (is_integer(c->to) && is_integer(c->from) && contains(c->to, c->from))))
    return decode_refuse(d, "has no .sat");
  if (c->satfinite || c->relu) {
    const bool to_float = c->to == TYPE_F16 || c->to == TYPE_BF16 || c->to == TYPE_TF32;
    const bool nearest_away = c->how == ROUND_RNA && c->relu;
    if (c->from != TYPE_F32 || !to_float || nearest_away || c->how == ROUND_RM || c->how == ROUND_RP)
      return decode_refuse(d, "has no .satfinite or .relu");
  }
  return check_rounding(d, m);
}

/* NULL: the general function is to do it. */
static insn_run *frequent_run(const modifiers *m) {
  const conversion *c = &m->c;
  if (c->ftz || c->sat || c->satfinite || c->relu) return NULL;
  frequent_mode mode = MODE_NONE;
  if (m->rounds && c->integral && c->how == ROUND_RZ)
    mode = MODE_RZI;
  else if (m->rounds && !c->integral && c->how == ROUND_RN)
    mode = MODE_RN;
  else if (m->rounds)
    return NULL;
  for (size_t k = 0; k < sizeof frequent / sizeof *frequent; ++k)
    if (frequent[k].to == c->to && frequent[k].from == c->from && frequent[k].mode == mode)
      return frequent[k].run;
  return NULL;
}

/* 0, 1, 2 for 16, 32 and 64 bits. */
static int size_index(int size) {
  return size <= 2 ? 0 : size == 4 ? 1 : 2;
}

static insn_run *extension_run(const insn *out, const conversion *c) {
  const int from = ptx_type_size(c->from), to = ptx_type_size(c->to);
  const bool from_signed = forms_is_signed(c->from), to_signed = forms_is_signed(c->to);
  const int kept = from < to ? from : to;
  /* First by the source's sign to the destination's type, then with zeros to its register. */
  if (from < to && from_signed && !to_signed && out->width[0] > to) return NULL;
  const bool sign = from < to ? from_signed : to_signed;
  const int kind = kept == 8   ? KEEP_U64
                   : kept == 4 ? (sign ? KEEP_S32 : KEEP_U32)
                   : kept == 2 ? (sign ? KEEP_S16 : KEEP_U16)
                               : (sign ? KEEP_S8 : KEEP_U8);
  return extensions[size_index(out->width[1])][size_index(out->width[0])][kind];
}

/* Registers may be wider than integer types. */
static bool decode_scalar_operands(decoder *d, const conversion *c) {
  if (!decode_operand_count(d, 2, 2)) return false;
  const ptx_operand *o = d->in->operands;
  const int to = ptx_type_size(c->to), from = ptx_type_size(c->from);
  if (is_integer(c->to) ? !decode_dst_any(d, &o[0], to) : !decode_dst(d, &o[0], to)) return false;
  if (is_integer(c->from) ? !decode_src_any(d, &o[1], c->from) : !decode_src(d, &o[1], c->from))
    return false;
  if (d->out->width[0] < to || d->out->width[1] < from || d->out->width[0] > 8 || d->out->width[1] > 8)
    return decode_refuse(d, "has a register that does not hold its type");
  return true;
}

static bool decode_cvt(decoder *d) {
  if (decode_take(d, "pack")) return decode_pack_form(d);
  modifiers m = {0};
  decode_modifiers(d, &m);
  const ptx_type to = decode_type(d), from = decode_type(d);
  if (element_of(to) != TYPE_NONE) return decode_packed(d, &m, to, from);
  const bool known = to == TYPE_TF32 ? from == TYPE_F32 : is_integer(to) || is_float(to);
  if (!known || (!is_integer(from) && !is_float(from)))
    return decode_refuse(d, "has no form for .%s and .%s", ptx_type_name(to), ptx_type_name(from));
  m.c.to = to;
  m.c.from = from;
  if (!check_scalar(d, &m) || !decode_scalar_operands(d, &m.c)) return false;
  const bool resizes = is_integer(to) && is_integer(from) && !m.c.sat;
  if (resizes) d->out->taint = TAINT_COPY;
  const bool fits = d->out->width[0] == ptx_type_size(to) && d->out->width[1] == ptx_type_size(from);
  d->out->run = resizes ? extension_run(d->out, &m.c) : fits ? frequent_run(&m) : NULL;
  if (d->out->run != NULL) return true;
  d->out->run = run_cvt;
  return keep_conversion(d, &m.c);
}

const decode_row rows_convert[] = {{"cvt", decode_cvt}, {NULL, NULL}};
