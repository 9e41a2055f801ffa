/* Video instructions: vadd and so on, whose intermediate results are wider than 32 bits, and their forms
 * for two or four parts of a register at once. Only whole registers are operands; parts chosen by .b0,
 * .h1 and so on, and masks of a destination, are refused where they are parsed. */
#include "exec/forms.h"
#include "exec/op_integer.h"

typedef enum video_op {
  VIDEO_ADD,
  VIDEO_SUB,
  VIDEO_ABSDIFF,
  VIDEO_AVERAGE,
  VIDEO_MIN,
  VIDEO_MAX,
  VIDEO_SET,
  VIDEO_SHL,
  VIDEO_SHR,
} video_op;

/* In memory of the code. */
typedef struct video {
  video_op op;
  int parts; /* of a register */
  bool d_signed, a_signed, b_signed;
  bool saturates;
  bool wraps;  /* shift counts, against clamping */
  bool adds;   /* the sum of the results to c */
  int compare; /* index in video_comparisons */
} video;

static const char *const video_comparisons[] = {"eq", "ne", "lt", "le", "gt", "ge"};
enum { COMPARISONS = sizeof video_comparisons / sizeof *video_comparisons };

static bool compares(int compare, int64_t a, int64_t b) {
  switch (compare) {
    case 0:
      return a == b;
    case 1:
      return a != b;
    case 2:
      return a < b;
    case 3:
      return a <= b;
    case 4:
      return a > b;
    default:
      return a >= b;
  }
}

static int64_t part_of(uint32_t x, int part, int bits, bool is_signed) {
  const uint64_t at_top = (uint64_t)x << (64 - bits * (part + 1));
  return is_signed ? (int64_t)at_top >> (64 - bits) : (int64_t)(at_top >> (64 - bits));
}

static int64_t clamped(int64_t x, int bits, bool is_signed) {
  const int64_t top = (INT64_C(1) << (is_signed ? bits - 1 : bits)) - 1,
                bottom = is_signed ? -top - 1 : 0;
  return x > top ? top : x < bottom ? bottom : x;
}

static int64_t operate(const video *v, int64_t a, int64_t b) {
  switch (v->op) {
    case VIDEO_ADD:
      return a + b;
    case VIDEO_SUB:
      return a - b;
    case VIDEO_ABSDIFF:
      return a < b ? b - a : a - b;
    case VIDEO_AVERAGE: /* halves away from zero */
      return (a + b + (a + b >= 0)) >> 1;
    case VIDEO_MIN:
      return a < b ? a : b;
    case VIDEO_MAX:
      return a > b ? a : b;
    case VIDEO_SET:
      return compares(v->compare, a, b);
    case VIDEO_SHL:
      return (int64_t)((uint64_t)a << (v->wraps ? b & 31 : b > 32 ? 32 : b));
    case VIDEO_SHR:
      return a >> (v->wraps ? b & 31 : b > 32 ? 32 : b);
  }
  return 0;
}

/* The parts' results side by side, or their sum with c. */
static uint32_t result_of(const video *v, uint32_t a, uint32_t b, uint32_t c) {
  const int bits = 32 / v->parts;
  const uint32_t field = UINT32_MAX >> (32 - bits);
  uint32_t side_by_side = 0, sum = c;
  for (int k = 0; k < v->parts; ++k) {
    int64_t result = operate(v, part_of(a, k, bits, v->a_signed), part_of(b, k, bits, v->b_signed));
    if (v->saturates) result = clamped(result, bits, v->d_signed);
    side_by_side |= ((uint32_t)result & field) << (bits * k);
    sum += (uint32_t)result;
  }
  return v->adds ? sum : side_by_side;
}

static flow run_video(warp *w, const insn *i, uint32_t mask) {
  const video *const v = i->more;
  SOURCES_AB(uint32_t)
  const uint32_t *const c = i->count > 3 ? REG(const uint32_t, 3) : a; /* looked at only if it is there */
  uint32_t r[LANES];
  FOR_LANES(l) r[l] = result_of(v, a[l], b[l], c[l]);
  put_u32(REG(uint32_t, 0), r, mask);
  return FLOW_NEXT;
}

/* ---- decoding */

static bool decode_sign(decoder *d, bool *is_signed) {
  const ptx_type type = decode_type(d);
  *is_signed = type == TYPE_S32;
  return type == TYPE_S32 || type == TYPE_U32 || decode_refuse(d, "is for .u32 and .s32");
}

static bool decode_form(decoder *d, video_op op, int part_count) {
  video *v = decode_memory(d, sizeof *v);
  if (v == NULL) return false;
  v->op = op;
  v->parts = part_count;
  if (op != VIDEO_SET && !decode_sign(d, &v->d_signed)) return false;
  if (!decode_sign(d, &v->a_signed) || !decode_sign(d, &v->b_signed)) return false;
  if (op == VIDEO_SET) {
    while (v->compare < COMPARISONS && !decode_take(d, video_comparisons[v->compare])) ++v->compare;
    if (v->compare == COMPARISONS) return decode_refuse(d, "does not say what comparison");
  } else if (part_count > 1) {
    v->saturates = decode_take(d, "sat");
  }
  if (op == VIDEO_SHL || op == VIDEO_SHR) {
    v->wraps = decode_take(d, "wrap");
    if (!v->wraps && !decode_take(d, "clamp")) return decode_refuse(d, "needs .clamp or .wrap");
  }
  v->adds = decode_take(d, "add");
  d->out->more = v;
  /* Those with parts always have a third source, which without .add fills what a mask leaves out. */
  return forms_decode(d, run_video, 4, TYPE_B32, part_count > 1 || v->adds ? 3 : 2);
}

static const struct video_opcode {
  const char *name;
  video_op op;
  int parts;
} opcodes[] = {
    {"vadd", VIDEO_ADD, 1},       {"vsub", VIDEO_SUB, 1},          {"vabsdiff", VIDEO_ABSDIFF, 1},
    {"vmin", VIDEO_MIN, 1},       {"vmax", VIDEO_MAX, 1},          {"vset", VIDEO_SET, 1},
    {"vshl", VIDEO_SHL, 1},       {"vshr", VIDEO_SHR, 1},          {"vadd2", VIDEO_ADD, 2},
    {"vsub2", VIDEO_SUB, 2},      {"vabsdiff2", VIDEO_ABSDIFF, 2}, {"vavrg2", VIDEO_AVERAGE, 2},
    {"vmin2", VIDEO_MIN, 2},      {"vmax2", VIDEO_MAX, 2},         {"vset2", VIDEO_SET, 2},
    {"vadd4", VIDEO_ADD, 4},      {"vsub4", VIDEO_SUB, 4},         {"vabsdiff4", VIDEO_ABSDIFF, 4},
    {"vavrg4", VIDEO_AVERAGE, 4}, {"vmin4", VIDEO_MIN, 4},         {"vmax4", VIDEO_MAX, 4},
    {"vset4", VIDEO_SET, 4},
};

bool decode_video(decoder *d) {
  for (size_t k = 0; k < sizeof opcodes / sizeof *opcodes; ++k)
    if (strcmp(opcodes[k].name, d->in->opcode) == 0)
      return decode_form(d, opcodes[k].op, opcodes[k].parts);
  return decode_refuse(d, "is no video instruction");
}
