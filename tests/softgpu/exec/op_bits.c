/* Counting, finding, reversing and cutting out of bits. */
#include "exec/forms.h"
#include "exec/op_integer.h"

RUN1(popc_b32, uint32_t, 32, __builtin_popcount(a[l]))
RUN(popc_b64, uint32_t, 32, SOURCE_A(uint64_t), __builtin_popcountll(a[l]))
RUN1(clz_b32, uint32_t, 32, a[l] == 0 ? 32 : __builtin_clz(a[l]))
RUN(clz_b64, uint32_t, 32, SOURCE_A(uint64_t), a[l] == 0 ? 64 : __builtin_clzll(a[l]))

static inline uint32_t reverse_b32(uint32_t x) {
  x = (x >> 1 & 0x55555555) | (x & 0x55555555) << 1;
  x = (x >> 2 & 0x33333333) | (x & 0x33333333) << 2;
  x = (x >> 4 & 0x0f0f0f0f) | (x & 0x0f0f0f0f) << 4;
  return __builtin_bswap32(x);
}
RUN1(brev_b32, uint32_t, 32, reverse_b32(a[l]))
RUN1(brev_b64, uint64_t, 64,
     (uint64_t)reverse_b32((uint32_t)a[l]) << 32 | reverse_b32((uint32_t)(a[l] >> 32)))

/* The highest bit that is no copy of the sign. arg[0]: xor-ed, to count from the top. */
static inline uint32_t find_bit(uint64_t x, uint32_t from_top) {
  return x == 0 ? UINT32_MAX : (63 - (uint32_t)__builtin_clzll(x)) ^ from_top;
}
RUN(bfind_u32, uint32_t, 32, SOURCE_A(uint32_t), find_bit(a[l], i->arg[0]))
RUN(bfind_s32, uint32_t, 32, SOURCE_A(uint32_t), find_bit(a[l] >> 31 ? ~a[l] : a[l], i->arg[0]))
RUN(bfind_u64, uint32_t, 32, SOURCE_A(uint64_t), find_bit(a[l], i->arg[0]))
RUN(bfind_s64, uint32_t, 32, SOURCE_A(uint64_t), find_bit(a[l] >> 63 ? ~a[l] : a[l], i->arg[0]))

/* The offset-th set bit from base on, upwards or downwards; offset 0 asks for the bit at base itself. */
static uint32_t find_nth_set(uint32_t mask, uint32_t base, int32_t offset) {
  int64_t left = offset < 0 ? -(int64_t)offset : offset;
  if (left == 0) return base < 32 && (mask >> base & 1) ? base : UINT32_MAX;
  for (uint32_t at = base; at < 32; at += offset < 0 ? UINT32_MAX : 1)
    if ((mask >> at & 1) && --left == 0) return at;
  return UINT32_MAX;
}
RUN3(fns_b32, uint32_t, 32, find_nth_set(a[l], b[l], (int32_t)c[l]))

/* ---- fields */

static inline uint64_t low_bits(unsigned count) {
  return count >= 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1;
}

/* Position and length of a field of a 32-bit number have 8 bits, whatever else is in their registers; the
 * code that GPUs have for 64-bit fields takes them as they are. */
static inline uint32_t field_count(uint32_t count, unsigned bits) {
  return bits == 32 ? count & 0xff : count < 255 ? count : 255;
}

/* Of `bits` bits of x; beyond the top, and above the field, are zeros or copies of the sign. */
static inline uint64_t extract_field(uint64_t x, unsigned bits, uint32_t position, uint32_t length,
                                     bool is_signed) {
  const unsigned at = field_count(position, bits), count = field_count(length, bits);
  if (count == 0) return 0;
  uint64_t field = at < bits ? x >> at : 0;
  const unsigned last = at + count - 1 < bits - 1 ? at + count - 1 : bits - 1;
  field &= low_bits(count);
  if (is_signed && (x >> last & 1)) field |= ~low_bits(at <= last ? last - at + 1 : 0);
  return field;
}
#define SOURCES_FIELD(T)                            \
  SOURCE_A(T)                                       \
  const uint32_t *const b = REG(const uint32_t, 2); \
  const uint32_t *const c = REG(const uint32_t, 3);
#define DEFINE(S, T, BITS, SIGNED) \
  RUN(bfe_##S, T, BITS, SOURCES_FIELD(T), extract_field(a[l], BITS, b[l], c[l], SIGNED))
DEFINE(u32, uint32_t, 32, false)
DEFINE(s32, uint32_t, 32, true)
DEFINE(u64, uint64_t, 64, false)
DEFINE(s64, uint64_t, 64, true)
#undef DEFINE

static inline uint64_t insert_field(uint64_t field, uint64_t into, unsigned bits, uint32_t position,
                                    uint32_t length) {
  const unsigned at = field_count(position, bits), count = field_count(length, bits);
  if (at >= 64) return into;
  const uint64_t mask = low_bits(count) << at;
  return (into & ~mask) | (field << at & mask);
}
#define SOURCES_INSERT(T)                           \
  SOURCES_AB(T)                                     \
  const uint32_t *const c = REG(const uint32_t, 3); \
  const uint32_t *const e = REG(const uint32_t, 4);
#define DEFINE(S, T, BITS) \
  RUN(bfi_##S, T, BITS, SOURCES_INSERT(T), insert_field(a[l], b[l], BITS, c[l], e[l]))
DEFINE(b32, uint32_t, 32)
DEFINE(b64, uint64_t, 64)
#undef DEFINE

/* arg[0]: .clamp, against .wrap, where only 5 bits of a count matter. */
static inline uint32_t make_mask(uint32_t position, uint32_t length, bool clamp) {
  if (!clamp) {
    position &= 31;
    length &= 31;
  }
  if (position >= 32) return 0;
  return (uint32_t)(low_bits(length < 64 ? length : 64) << position);
}
RUN2(bmsk_b32, uint32_t, 32, make_mask(a[l], b[l], i->arg[0] != 0))

static inline uint32_t extend_bits(uint32_t x, uint32_t count, bool clamp, bool is_signed) {
  if (!clamp) count &= 31;
  if (count >= 32) return x;
  const uint32_t mask = (uint32_t)low_bits(count);
  return is_signed && count != 0 && (x >> (count - 1) & 1) ? x | ~mask : x & mask;
}
RUN2(szext_u32, uint32_t, 32, extend_bits(a[l], b[l], i->arg[0] != 0, false))
RUN2(szext_s32, uint32_t, 32, extend_bits(a[l], b[l], i->arg[0] != 0, true))

/* ---- decoding */

static insn_run *by_size(ptx_type type, insn_run *b32, insn_run *b64) {
  return type == TYPE_B32 ? b32 : type == TYPE_B64 ? b64 : NULL;
}
bool decode_popc(decoder *d) {
  const ptx_type type = decode_type(d);
  return forms_decode(d, by_size(type, run_popc_b32, run_popc_b64), 4, type, 1);
}
bool decode_clz(decoder *d) {
  const ptx_type type = decode_type(d);
  return forms_decode(d, by_size(type, run_clz_b32, run_clz_b64), 4, type, 1);
}
bool decode_brev(decoder *d) {
  const ptx_type type = decode_type(d);
  return forms_decode(d, by_size(type, run_brev_b32, run_brev_b64), ptx_type_size(type), type, 1);
}

bool decode_bfind(decoder *d) {
  static const run_by_type runs = {
      .u32 = run_bfind_u32, .u64 = run_bfind_u64, .s32 = run_bfind_s32, .s64 = run_bfind_s64};
  const bool from_top = decode_take(d, "shiftamt");
  const ptx_type type = decode_type(d);
  if (from_top) d->out->arg[0] = ptx_type_size(type) == 8 ? 63 : 31;
  return forms_decode(d, run_for(&runs, type), 4, type, 1);
}

bool decode_fns(decoder *d) {
  const ptx_type type = decode_type(d);
  return forms_decode(d, type == TYPE_B32 ? run_fns_b32 : NULL, 4, type, 3);
}

/* The destination and the first `count` sources have the type, two more are u32. */
static bool decode_field(decoder *d, insn_run *run, ptx_type type, size_t count) {
  if (run == NULL) return decode_refuse(d, "has no form for the type .%s", ptx_type_name(type));
  if (!decode_operand_count(d, count + 3, count + 3)) return false;
  const ptx_operand *o = d->in->operands;
  d->out->run = run;
  d->out->taint = TAINT_BITWISE;
  if (!decode_dst(d, &o[0], ptx_type_size(type))) return false;
  for (size_t k = 1; k <= count; ++k)
    if (!decode_src(d, &o[k], type)) return false;
  return decode_src(d, &o[count + 1], TYPE_U32) && decode_src(d, &o[count + 2], TYPE_U32);
}
bool decode_bfe(decoder *d) {
  static const run_by_type runs = {
      .u32 = run_bfe_u32, .u64 = run_bfe_u64, .s32 = run_bfe_s32, .s64 = run_bfe_s64};
  const ptx_type type = decode_type(d);
  return decode_field(d, run_for(&runs, type), type, 1);
}
bool decode_bfi(decoder *d) {
  const ptx_type type = decode_type(d);
  return decode_field(d, by_size(type, run_bfi_b32, run_bfi_b64), type, 2);
}

static bool decode_clamp_or_wrap(decoder *d) {
  d->out->arg[0] = decode_take(d, "clamp");
  return d->out->arg[0] != 0 || decode_take(d, "wrap") || decode_refuse(d, "needs .clamp or .wrap");
}
bool decode_bmsk(decoder *d) {
  if (!decode_clamp_or_wrap(d)) return false;
  const ptx_type type = decode_type(d);
  return forms_decode(d, type == TYPE_B32 ? run_bmsk_b32 : NULL, 4, type, 2);
}
bool decode_szext(decoder *d) {
  static const run_by_type runs = {.u32 = run_szext_u32, .s32 = run_szext_s32};
  if (!decode_clamp_or_wrap(d)) return false;
  const ptx_type type = decode_type(d);
  return forms_decode(d, run_for(&runs, type), 4, type, 2);
}
