/* Logic and shifts: and, or, xor, not, cnot, lop3, shl, shr, shf, prmt. */
#include "exec/forms.h"

#define BIT_TYPES(X) X(b16, uint16_t, 16) X(b32, uint32_t, 32) X(b64, uint64_t, 64)

/* Counts at or beyond the width are taken as the width. */
#define SOURCES_SHIFT(T) SOURCE_A(T) const uint32_t *const b = REG(const uint32_t, 2);
#define DEFINE(S, T, BITS)                                                          \
  RUN2(and_##S, T, BITS, a[l] & b[l])                                               \
  RUN2(or_##S, T, BITS, a[l] | b[l])                                                \
  RUN2(xor_##S, T, BITS, a[l] ^ b[l])                                               \
  RUN1(not_##S, T, BITS, ~a[l])                                                     \
  RUN1(cnot_##S, T, BITS, a[l] == 0)                                                \
  RUN(shl_##S, T, BITS, SOURCES_SHIFT(T), b[l] >= BITS ? 0 : a[l] << (b[l] % BITS)) \
  RUN(shr_##S, T, BITS, SOURCES_SHIFT(T), b[l] >= BITS ? 0 : a[l] >> (b[l] % BITS))
BIT_TYPES(DEFINE)
#undef DEFINE

#define DEFINE(S, T, U, BITS) \
  RUN(shr_##S, T, BITS, SOURCES_SHIFT(T), a[l] >> (b[l] >= BITS ? BITS - 1 : b[l]))
SIGNED_TYPES(DEFINE)
#undef DEFINE

/* The same count for all lanes, as it nearly always is: a constant. arg[0]: the count, less than the
 * width. */
#define DEFINE(S, T, BITS)                                                                       \
  RUN(shl_all_##S, T, BITS, SOURCE_A(T) const unsigned count = i->arg[0] % BITS;, a[l] << count) \
  RUN(shr_all_##S, T, BITS, SOURCE_A(T) const unsigned count = i->arg[0] % BITS;, a[l] >> count)
BIT_TYPES(DEFINE)
#undef DEFINE
#define DEFINE(S, T, U, BITS) \
  RUN(shr_all_##S, T, BITS, SOURCE_A(T) const unsigned count = i->arg[0] % BITS;, a[l] >> count)
SIGNED_TYPES(DEFINE)
#undef DEFINE

#define DEFINE(NAME, EXPRESSION)                                         \
  static flow run_##NAME##_pred(warp *w, const insn *i, uint32_t mask) { \
    const uint32_t a = pred(w, i, 1), b = pred(w, i, 2);                 \
    put_pred(w, i, 0, EXPRESSION, mask);                                 \
    return FLOW_NEXT;                                                    \
  }
DEFINE(and, a &b)
DEFINE(or, a | b)
DEFINE(xor, a ^ b)
#undef DEFINE

static flow run_not_pred(warp *w, const insn *i, uint32_t mask) {
  put_pred(w, i, 0, ~pred(w, i, 1), mask);
  return FLOW_NEXT;
}

/* ---- lop3: arg[0] is the table of the function, bit 4a + 2b + c */

static inline uint32_t look_up(uint32_t a, uint32_t b, uint32_t c, const uint32_t table[8]) {
  return (~a & ~b & ~c & table[0]) | (~a & ~b & c & table[1]) | (~a & b & ~c & table[2]) |
         (~a & b & c & table[3]) | (a & ~b & ~c & table[4]) | (a & ~b & c & table[5]) |
         (a & b & ~c & table[6]) | (a & b & c & table[7]);
}

static void look_up_lanes(const warp *w, const insn *i, int k, uint32_t r[LANES]) {
  const uint32_t *const a = REG(const uint32_t, k), *const b = REG(const uint32_t, k + 1),
                        *const c = REG(const uint32_t, k + 2);
  uint32_t table[8];
  for (int t = 0; t < 8; ++t) table[t] = 0 - (i->arg[0] >> t & 1);
  FOR_LANES(l) r[l] = look_up(a[l], b[l], c[l], table);
}

static flow run_lop3(warp *w, const insn *i, uint32_t mask) {
  uint32_t r[LANES];
  look_up_lanes(w, i, 1, r);
  put_u32(REG(uint32_t, 0), r, mask);
  return FLOW_NEXT;
}

/* d|p = lop3(a, b, c), with p = (d != 0) or/and q. arg[1]: and. */
static flow run_lop3_bool(warp *w, const insn *i, uint32_t mask) {
  uint32_t r[LANES];
  uint8_t set[LANES];
  look_up_lanes(w, i, 2, r);
  FOR_LANES(l) set[l] = r[l] != 0;
  const uint32_t any = pack_lanes(set), q = pred(w, i, 5);
  put_u32(REG(uint32_t, 0), r, mask);
  put_pred(w, i, 1, i->arg[1] != 0 ? any & q : any | q, mask);
  return FLOW_NEXT;
}

/* ---- funnel shifts of b:a. arg[0]: .clamp, against .wrap */

static inline uint32_t funnel_count(uint32_t count, uint32_t clamp) {
  return clamp && count > 32 ? 32 : clamp ? count : count & 31;
}
static inline uint32_t funnel_left(uint32_t a, uint32_t b, uint32_t count) {
  return (uint32_t)(((uint64_t)b << 32 | a) << count >> 32);
}
static inline uint32_t funnel_right(uint32_t a, uint32_t b, uint32_t count) {
  return (uint32_t)(((uint64_t)b << 32 | a) >> count);
}
RUN3(shf_l, uint32_t, 32, funnel_left(a[l], b[l], funnel_count(c[l], i->arg[0])))
RUN3(shf_r, uint32_t, 32, funnel_right(a[l], b[l], funnel_count(c[l], i->arg[0])))

/* By a count from 1 to 31 in arg[0], the same for all lanes. */
#define SOURCES_FUNNEL SOURCES_AB(uint32_t) const unsigned count = i->arg[0];
RUN(shf_l_all, uint32_t, 32, SOURCES_FUNNEL, b[l] << count | a[l] >> (32 - count))
RUN(shf_r_all, uint32_t, 32, SOURCES_FUNNEL, a[l] >> count | b[l] << (32 - count))

/* ---- prmt: bytes of b:a chosen by the nibbles of a selector */

/* Bit 3 of a nibble asks for copies of the byte's sign. */
static inline uint32_t permute(uint64_t bytes, uint32_t selector) {
  uint32_t r = 0;
  for (int k = 0; k < 4; ++k) {
    const uint32_t nibble = selector >> (4 * k) & 15;
    uint8_t byte = (uint8_t)(bytes >> (8 * (nibble & 7)));
    if (nibble & 8) byte = byte & 0x80 ? 0xff : 0;
    r |= (uint32_t)byte << (8 * k);
  }
  return r;
}
RUN3(prmt, uint32_t, 32, permute((uint64_t)b[l] << 32 | a[l], c[l]))

/* The special modes: selectors by the low two bits of c, in i->more. */
RUN(prmt_mode, uint32_t, 32, SOURCES_ABC(uint32_t) const uint16_t *const selectors = i->more;
    , permute((uint64_t)b[l] << 32 | a[l], selectors[c[l] & 3]))

/* The same selector without signs for all lanes: arg holds the shifts that bring bytes to their places.
 */
#define CHOSEN(k) ((uint32_t)(bytes >> i->arg[k] & 0xff) << (8 * (k)))
static flow run_prmt_all(warp *w, const insn *i, uint32_t mask) {
  SOURCES_AB(uint32_t)
  uint32_t r[LANES];
  FOR_LANES(l) {
    const uint64_t bytes = (uint64_t)b[l] << 32 | a[l];
    r[l] = CHOSEN(0) | CHOSEN(1) | CHOSEN(2) | CHOSEN(3);
  }
  put_u32(REG(uint32_t, 0), r, mask);
  return FLOW_NEXT;
}

/* ---- decoding */

typedef struct run_by_bits {
  insn_run *pred, *b16, *b32, *b64;
} run_by_bits;
#define RUN_BY_BITS(OP) \
  { NULL, run_##OP##_b16, run_##OP##_b32, run_##OP##_b64 }
#define RUN_BY_BITS_AND_PRED(OP) \
  { run_##OP##_pred, run_##OP##_b16, run_##OP##_b32, run_##OP##_b64 }

static insn_run *run_for_bits(const run_by_bits *runs, ptx_type type) {
  return type == TYPE_PRED  ? runs->pred
         : type == TYPE_B16 ? runs->b16
         : type == TYPE_B32 ? runs->b32
         : type == TYPE_B64 ? runs->b64
                            : NULL;
}

static bool decode_logic(decoder *d, const run_by_bits *runs, size_t count) {
  const ptx_type type = decode_type(d);
  d->out->taint = TAINT_BITWISE;
  return forms_decode(d, run_for_bits(runs, type), ptx_type_size(type), type, count);
}
static bool decode_and(decoder *d) {
  static const run_by_bits runs = RUN_BY_BITS_AND_PRED(and);
  return decode_logic(d, &runs, 2);
}
static bool decode_or(decoder *d) {
  static const run_by_bits runs = RUN_BY_BITS_AND_PRED(or);
  return decode_logic(d, &runs, 2);
}
static bool decode_xor(decoder *d) {
  static const run_by_bits runs = RUN_BY_BITS_AND_PRED(xor);
  return decode_logic(d, &runs, 2);
}
static bool decode_not(decoder *d) {
  static const run_by_bits runs = RUN_BY_BITS_AND_PRED(not );
  return decode_logic(d, &runs, 1);
}
/* A truth value, no matter of bytes. */
static bool decode_cnot(decoder *d) {
  static const run_by_bits runs = RUN_BY_BITS(cnot);
  const bool ok = decode_logic(d, &runs, 1);
  d->out->taint = TAINT_USE;
  return ok;
}

static bool decode_lop3(decoder *d) {
  const bool with_or = decode_take(d, "or"), with_and = !with_or && decode_take(d, "and");
  const bool with_pred = with_or || with_and;
  if (decode_type(d) != TYPE_B32) return decode_refuse(d, "is for .b32");
  const size_t operands = with_pred ? 6 : 5;
  if (!decode_operand_count(d, operands, operands)) return false;
  const ptx_operand *o = d->in->operands;
  if (o[4].kind != OPERAND_INTEGER) return decode_refuse(d, "needs a constant table");
  d->out->arg[0] = (uint32_t)o[4].value & 0xff;
  d->out->arg[1] = with_and;
  d->out->run = with_pred ? run_lop3_bool : run_lop3;
  d->out->taint = with_pred ? TAINT_USE : TAINT_BITWISE;
  if (with_pred) {
    if (o[0].kind != OPERAND_PAIR || o[0].element_count != 2) return decode_refuse(d, "needs d|p");
    if (!decode_dst(d, &o[0].elements[0], 4) || !decode_dst(d, &o[0].elements[1], 0)) return false;
  } else if (!decode_dst(d, &o[0], 4)) {
    return false;
  }
  for (int k = 1; k <= 3; ++k)
    if (!decode_src(d, &o[k], TYPE_B32)) return false;
  return !with_pred || decode_src(d, &o[5], TYPE_PRED);
}

/* Destination and first source of a type, a u32 count. all: for a constant count less than the width. */
static bool decode_shift(decoder *d, insn_run *run, insn_run *all, ptx_type type) {
  if (run == NULL) return decode_refuse(d, "has no form for the type .%s", ptx_type_name(type));
  if (!decode_operand_count(d, 3, 3)) return false;
  const ptx_operand *o = d->in->operands;
  const int size = ptx_type_size(type);
  d->out->run = run;
  d->out->taint = TAINT_BITWISE;
  if (!decode_dst(d, &o[0], size) || !decode_src(d, &o[1], type)) return false;
  if (o[2].kind == OPERAND_INTEGER && o[2].value >= 0 && o[2].value < 8 * size) {
    d->out->run = all;
    d->out->arg[0] = (uint32_t)o[2].value;
  }
  return decode_src(d, &o[2], TYPE_U32);
}
static bool decode_shl(decoder *d) {
  static const run_by_bits runs = RUN_BY_BITS(shl), all = RUN_BY_BITS(shl_all);
  const ptx_type type = decode_type(d);
  return decode_shift(d, run_for_bits(&runs, type), run_for_bits(&all, type), type);
}
static bool decode_shr(decoder *d) {
  static const run_by_type runs = {run_shr_b16, run_shr_b32, run_shr_b64,
                                   run_shr_s16, run_shr_s32, run_shr_s64},
                           all = {run_shr_all_b16, run_shr_all_b32, run_shr_all_b64,
                                  run_shr_all_s16, run_shr_all_s32, run_shr_all_s64};
  static const run_by_bits bit_runs = RUN_BY_BITS(shr), bit_all = RUN_BY_BITS(shr_all);
  const ptx_type type = decode_type(d);
  if (type == TYPE_B16 || type == TYPE_B32 || type == TYPE_B64)
    return decode_shift(d, run_for_bits(&bit_runs, type), run_for_bits(&bit_all, type), type);
  return decode_shift(d, run_for(&runs, type), run_for(&all, type), type);
}

static bool decode_shf(decoder *d) {
  const bool left = decode_take(d, "l");
  if (!left && !decode_take(d, "r")) return decode_refuse(d, "needs .l or .r");
  const bool clamp = decode_take(d, "clamp");
  if (!clamp && !decode_take(d, "wrap")) return decode_refuse(d, "needs .clamp or .wrap");
  const ptx_type type = decode_type(d);
  if (type != TYPE_B32) return decode_refuse(d, "is for .b32");
  d->out->arg[0] = clamp;
  d->out->taint = TAINT_BITWISE;
  if (!forms_decode(d, left ? run_shf_l : run_shf_r, 4, type, 3)) return false;
  const ptx_operand *count = &d->in->operands[3];
  if (count->kind == OPERAND_INTEGER && count->value > 0 && count->value < 32) {
    d->out->run = left ? run_shf_l_all : run_shf_r_all;
    d->out->arg[0] = (uint32_t)count->value;
  }
  return true;
}

static bool decode_prmt(decoder *d) {
  static const struct prmt_mode {
    const char *name;
    uint16_t selectors[4];
  } modes[] = {
      {"f4e", {0x3210, 0x4321, 0x5432, 0x6543}}, {"b4e", {0x5670, 0x6701, 0x7012, 0x0123}},
      {"rc8", {0x0000, 0x1111, 0x2222, 0x3333}}, {"ecl", {0x3210, 0x3211, 0x3222, 0x3333}},
      {"ecr", {0x0000, 0x1110, 0x2210, 0x3210}}, {"rc16", {0x1010, 0x3232, 0x1010, 0x3232}},
  };
  if (decode_type(d) != TYPE_B32) return decode_refuse(d, "is for .b32");
  insn *out = d->out;
  out->taint = TAINT_BITWISE;
  for (size_t m = 0; m < sizeof modes / sizeof *modes; ++m) {
    if (!decode_take(d, modes[m].name)) continue;
    out->more = modes[m].selectors;
    return forms_decode(d, run_prmt_mode, 4, TYPE_B32, 3);
  }
  if (!forms_decode(d, run_prmt, 4, TYPE_B32, 3)) return false;
  const ptx_operand *selector = &d->in->operands[3];
  if (selector->kind == OPERAND_INTEGER && (selector->value & 0x8888) == 0) {
    out->run = run_prmt_all;
    for (int k = 0; k < 4; ++k) out->arg[k] = 8 * ((uint32_t)selector->value >> (4 * k) & 7);
  }
  return true;
}

const decode_row rows_logic[] = {
    {"and", decode_and},   {"or", decode_or},     {"xor", decode_xor}, {"not", decode_not},
    {"cnot", decode_cnot}, {"lop3", decode_lop3}, {"shl", decode_shl}, {"shr", decode_shr},
    {"shf", decode_shf},   {"prmt", decode_prmt}, {NULL, NULL},
};
