/* Which floating-point instructions there are: sections 9.7.3 to 9.7.5 (single, double, half and mixed
 * precision). */
#include "exec/op_float.h"

#include <string.h>

#include "exec/float_form.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const struct {
  const char *opcode;
  float_op op;
} opcodes[] = {
    {"add", FLOAT_ADD},     {"sub", FLOAT_SUB},   {"mul", FLOAT_MUL},           {"fma", FLOAT_FMA},
    {"mad", FLOAT_MAD},     {"div", FLOAT_DIV},   {"rcp", FLOAT_RCP},           {"sqrt", FLOAT_SQRT},
    {"abs", FLOAT_ABS},     {"neg", FLOAT_NEG},   {"min", FLOAT_MIN},           {"max", FLOAT_MAX},
    {"rsqrt", FLOAT_RSQRT}, {"sin", FLOAT_SIN},   {"cos", FLOAT_COS},           {"lg2", FLOAT_LG2},
    {"ex2", FLOAT_EX2},     {"tanh", FLOAT_TANH}, {"copysign", FLOAT_COPYSIGN},
};

/* ---- modifiers, in the order in which they are written */

static const struct {
  const char *part;
  uint32_t modifier;
} modifiers[] = {
    {"approx", FLOAT_APPROX},   {"full", FLOAT_FULL},     {"rn", FLOAT_RN},   {"rz", FLOAT_RZ},
    {"rm", FLOAT_RM},           {"rp", FLOAT_RP},         {"ftz", FLOAT_FTZ}, {"NaN", FLOAT_NAN},
    {"xorsign", FLOAT_XORSIGN}, {"abs", FLOAT_MAGNITUDE}, {"sat", FLOAT_SAT}, {"oob", FLOAT_OOB},
    {"relu", FLOAT_RELU},
};

static uint32_t take_modifiers(decoder *d) {
  uint32_t taken = 0;
  for (size_t k = 0; k < COUNT(modifiers); ++k)
    if (decode_take(d, modifiers[k].part)) taken |= modifiers[k].modifier;
  return taken;
}

static rounding rounding_of(uint32_t taken) {
  if (taken & FLOAT_RZ) return ROUND_RZ;
  if (taken & FLOAT_RM) return ROUND_RM;
  if (taken & FLOAT_RP) return ROUND_RP;
  return ROUND_RN;
}

/* ---- forms */

#define IS(type) (1U << TYPE_##type)
#define F16S (IS(F16) | IS(F16X2))
#define BF16S (IS(BF16) | IS(BF16X2))
#define OP(op) (1U << FLOAT_##op)
#define ADD_SUB (OP(ADD) | OP(SUB))
#define ADD_SUB_MUL (ADD_SUB | OP(MUL))
#define DIV_RCP_SQRT (OP(DIV) | OP(RCP) | OP(SQRT))
#define ABS_NEG (OP(ABS) | OP(NEG))
#define MIN_MAX (OP(MIN) | OP(MAX))
#define TRANSCENDENTAL (OP(RSQRT) | OP(SIN) | OP(COS) | OP(LG2) | OP(EX2))
#define PRODUCT_SIGN (FLOAT_XORSIGN | FLOAT_MAGNITUDE)

/* Operations and types that take the same modifiers: any of those allowed, and all of those needed, where
 * any one rounding will do for FLOAT_ROUNDED. */
typedef struct float_rule {
  uint32_t ops, types, allowed, needed;
  insn_run *run;
  size_t sources; /* 0: as many as the operation has */
} float_rule;

static const float_rule rules[] = {
    {ADD_SUB_MUL, IS(F32), FLOAT_ROUNDED | FLOAT_FTZ | FLOAT_SAT, 0, run_f32, 0},
    {ADD_SUB_MUL, IS(F32X2), FLOAT_ROUNDED | FLOAT_FTZ, 0, run_f32, 0},
    {ADD_SUB_MUL, IS(F64), FLOAT_ROUNDED, 0, run_f64, 0},
    {ADD_SUB_MUL, F16S, FLOAT_RN | FLOAT_FTZ | FLOAT_SAT, 0, run_half, 0},
    {ADD_SUB_MUL, BF16S, FLOAT_RN, 0, run_half, 0},

    {OP(FMA), IS(F32), FLOAT_ROUNDED | FLOAT_FTZ | FLOAT_SAT, FLOAT_ROUNDED, run_f32, 0},
    {OP(FMA), IS(F32X2), FLOAT_ROUNDED | FLOAT_FTZ, FLOAT_ROUNDED, run_f32, 0},
    {OP(FMA), IS(F64), FLOAT_ROUNDED, FLOAT_ROUNDED, run_f64, 0},
    {OP(FMA), F16S, FLOAT_RN | FLOAT_FTZ | FLOAT_SAT, FLOAT_RN, run_half, 0},
    {OP(FMA), F16S, FLOAT_RN | FLOAT_FTZ | FLOAT_RELU, FLOAT_RN, run_half, 0},
    {OP(FMA), BF16S, FLOAT_RN | FLOAT_RELU, FLOAT_RN, run_half, 0},
    {OP(FMA), F16S | BF16S, FLOAT_RN | FLOAT_OOB | FLOAT_RELU, FLOAT_RN | FLOAT_OOB, run_half, 0},

    {OP(MAD), IS(F32), FLOAT_ROUNDED | FLOAT_FTZ | FLOAT_SAT, FLOAT_ROUNDED, run_f32, 0},
    {OP(MAD), IS(F64), FLOAT_ROUNDED, FLOAT_ROUNDED, run_f64, 0},

    {DIV_RCP_SQRT, IS(F32), FLOAT_ROUNDED | FLOAT_FTZ, FLOAT_ROUNDED, run_f32, 0},
    {DIV_RCP_SQRT, IS(F64), FLOAT_ROUNDED, FLOAT_ROUNDED, run_f64, 0},
    {DIV_RCP_SQRT, IS(F32), FLOAT_APPROX | FLOAT_FTZ, FLOAT_APPROX, run_special_f32, 0},
    {OP(DIV), IS(F32), FLOAT_FULL | FLOAT_FTZ, FLOAT_FULL, run_special_f32, 0},
    {OP(RCP), IS(F64), FLOAT_APPROX | FLOAT_FTZ, FLOAT_APPROX | FLOAT_FTZ, run_special_f64, 0},
    {OP(RSQRT), IS(F64), FLOAT_APPROX | FLOAT_FTZ, FLOAT_APPROX, run_special_f64, 0},
    {TRANSCENDENTAL, IS(F32), FLOAT_APPROX | FLOAT_FTZ, FLOAT_APPROX, run_special_f32, 0},
    {OP(TANH), IS(F32), FLOAT_APPROX, FLOAT_APPROX, run_special_f32, 0},
    {OP(TANH), F16S | BF16S, FLOAT_APPROX, FLOAT_APPROX, run_special_half, 0},
    {OP(EX2), F16S, FLOAT_APPROX, FLOAT_APPROX, run_special_half, 0},
    {OP(EX2), BF16S, FLOAT_APPROX | FLOAT_FTZ, FLOAT_APPROX | FLOAT_FTZ, run_special_half, 0},

    {ABS_NEG, IS(F32), FLOAT_FTZ, 0, run_f32, 0},
    {ABS_NEG, F16S, FLOAT_FTZ, 0, run_half, 0},
    {ABS_NEG, BF16S, 0, 0, run_half, 0},
    {ABS_NEG | MIN_MAX | OP(COPYSIGN), IS(F64), 0, 0, run_f64, 0},
    {OP(COPYSIGN), IS(F32), 0, 0, run_f32, 0},

    {MIN_MAX, IS(F32), FLOAT_FTZ | FLOAT_NAN, 0, run_f32, 0},
    {MIN_MAX, IS(F32), FLOAT_FTZ | FLOAT_NAN | PRODUCT_SIGN, PRODUCT_SIGN, run_f32, 0},
    {MIN_MAX, IS(F32), FLOAT_FTZ | FLOAT_NAN | FLOAT_MAGNITUDE, 0, run_f32, 3},
    {MIN_MAX, F16S, FLOAT_FTZ | FLOAT_NAN, 0, run_half, 0},
    {MIN_MAX, F16S, FLOAT_FTZ | FLOAT_NAN | PRODUCT_SIGN, PRODUCT_SIGN, run_half, 0},
    {MIN_MAX, BF16S, FLOAT_NAN, 0, run_half, 0},
    {MIN_MAX, BF16S, FLOAT_NAN | PRODUCT_SIGN, PRODUCT_SIGN, run_half, 0},
};

static const float_rule mixed_rules[] = {
    {ADD_SUB, IS(F16) | IS(BF16), FLOAT_ROUNDED | FLOAT_SAT, 0, run_mixed, 0},
    {OP(FMA), IS(F16) | IS(BF16), FLOAT_ROUNDED | FLOAT_SAT, FLOAT_ROUNDED, run_mixed, 0},
};

static size_t sources_of(float_op op) {
  switch (op) {
    case FLOAT_FMA:
    case FLOAT_MAD:
      return 3;
    case FLOAT_ADD:
    case FLOAT_SUB:
    case FLOAT_MUL:
    case FLOAT_DIV:
    case FLOAT_MIN:
    case FLOAT_MAX:
    case FLOAT_COPYSIGN:
      return 2;
    default:
      return 1;
  }
}

static bool has_needed(uint32_t needed, uint32_t taken) {
  if ((needed & FLOAT_ROUNDED) != 0 && (needed & FLOAT_ROUNDED & taken) == 0) return false;
  return (needed & ~(uint32_t)FLOAT_ROUNDED & ~taken) == 0;
}

static const float_rule *find(const float_rule *from, size_t count, float_op op, ptx_type type,
                              uint32_t taken, size_t sources) {
  /* One way of rounding at most. */
  if (__builtin_popcount(taken & (FLOAT_ROUNDED | FLOAT_APPROX | FLOAT_FULL)) > 1) return NULL;
  for (const float_rule *r = from; r < from + count; ++r) {
    if ((r->ops >> op & 1) == 0 || (r->types >> type & 1) == 0) continue;
    if ((taken & ~r->allowed) != 0 || !has_needed(r->needed, taken)) continue;
    if (sources == (r->sources != 0 ? r->sources : sources_of(op))) return r;
  }
  return NULL;
}

/* ---- decoding */

static bool operands(decoder *d, ptx_type type, ptx_type narrow, size_t sources) {
  if (!decode_dst(d, &d->in->operands[0], ptx_type_size(type))) return false;
  for (size_t k = 1; k <= sources; ++k) {
    /* In mixed precision, what is added is as wide as the result. */
    const bool addend = k == sources && sources > 1;
    if (!decode_src(d, &d->in->operands[k], addend ? type : narrow)) return false;
  }
  return true;
}

bool decode_float(decoder *d) {
  size_t known = 0;
  while (known < COUNT(opcodes) && strcmp(opcodes[known].opcode, d->in->opcode) != 0) ++known;
  if (known == COUNT(opcodes)) return decode_refuse(d, "is no operation on floating-point numbers");
  const float_op op = opcodes[known].op;
  const uint32_t taken = take_modifiers(d);
  const ptx_type type = decode_type(d);
  const ptx_type second = type == TYPE_F32 ? decode_type(d) : TYPE_NONE;
  const ptx_type narrow = second == TYPE_NONE ? type : second;

  const size_t sources = d->in->operand_count > 0 ? d->in->operand_count - 1 : 0;
  const float_rule *rule = second == TYPE_NONE
                               ? find(rules, COUNT(rules), op, type, taken, sources)
                               : find(mixed_rules, COUNT(mixed_rules), op, second, taken, sources);
  if (rule == NULL) return decode_refuse(d, "there is no such form with %zu operands", sources + 1);

  d->out->run = rule->run;
  d->out->arg[FLOAT_ARG_OP] = op == FLOAT_MAD ? FLOAT_FMA : op; /* the same by another name */
  d->out->arg[FLOAT_ARG_HOW] = rounding_of(taken);
  d->out->arg[FLOAT_ARG_MODIFIERS] = taken;
  d->out->arg[FLOAT_ARG_TYPE] = narrow;
  return operands(d, type, narrow, sources);
}

bool decode_float_arith(decoder *d, ptx_type type) {
  (void)type; /* the last one written, which in mixed precision is not the result's */
  return decode_float(d);
}

/* ---- testp: section 9.7.3.1 */

enum float_class {
  CLASS_FINITE,
  CLASS_INFINITE,
  CLASS_NUMBER,
  CLASS_NOTANUMBER,
  CLASS_NORMAL, /* zeros too */
  CLASS_SUBNORMAL,
};
static const char *const classes[] = {"finite",     "infinite", "number",
                                      "notanumber", "normal",   "subnormal"};

/* A magnitude as bits, that of infinity and that of the smallest normal number tell them all. */
static bool is_of_class(uint32_t class, uint64_t magnitude, uint64_t infinity, uint64_t normal) {
  switch (class) {
    case CLASS_FINITE:
      return magnitude < infinity;
    case CLASS_INFINITE:
      return magnitude == infinity;
    case CLASS_NUMBER:
      return magnitude <= infinity;
    case CLASS_NOTANUMBER:
      return magnitude > infinity;
    case CLASS_NORMAL:
      return magnitude == 0 || (magnitude >= normal && magnitude < infinity);
    default:
      return magnitude != 0 && magnitude < normal;
  }
}

static flow run_testp_f32(warp *w, const insn *i, uint32_t mask) {
  const uint32_t *a = REG(const uint32_t, 1);
  uint32_t result = 0;
  FOR_LANES(l)
  result |= (uint32_t)is_of_class(i->arg[0], a[l] & INT32_MAX, 0x7f800000, 0x00800000) << l;
  put_pred(w, i, 0, result, mask);
  return FLOW_NEXT;
}

static flow run_testp_f64(warp *w, const insn *i, uint32_t mask) {
  const uint64_t *a = REG(const uint64_t, 1);
  uint32_t result = 0;
  FOR_LANES(l)
  result |= (uint32_t)is_of_class(i->arg[0], a[l] & INT64_MAX, UINT64_C(0x7ff) << 52, UINT64_C(1) << 52)
            << l;
  put_pred(w, i, 0, result, mask);
  return FLOW_NEXT;
}

static bool decode_testp(decoder *d) {
  uint32_t class = 0;
  while (class < COUNT(classes) && !decode_take(d, classes[class])) ++class;
  if (class == COUNT(classes)) return decode_refuse(d, "does not say what to test for");
  const ptx_type type = decode_type(d);
  if (type != TYPE_F32 && type != TYPE_F64) return decode_refuse(d, "the type must be .f32 or .f64");
  if (!decode_operand_count(d, 2, 2)) return false;
  d->out->run = type == TYPE_F32 ? run_testp_f32 : run_testp_f64;
  d->out->arg[0] = class;
  return decode_dst(d, &d->in->operands[0], 0) && decode_src(d, &d->in->operands[1], type);
}

const decode_row rows_float[] = {
    {"fma", decode_float},      {"rcp", decode_float},   {"sqrt", decode_float},
    {"copysign", decode_float}, {"testp", decode_testp}, {NULL, NULL},
};
