/* Floating-point instructions: what is asked for, and who computes it.
 *
 * Sections are those of NVIDIA's "PTX ISA" 9.0. */
#ifndef SOFTGPU_EXEC_FLOAT_FORM_H
#define SOFTGPU_EXEC_FLOAT_FORM_H

#include <string.h>

#include "exec/rounding.h"
#include "exec/warp.h"

typedef enum float_op {
  FLOAT_ADD,
  FLOAT_SUB,
  FLOAT_MUL,
  FLOAT_FMA,
  FLOAT_MAD,
  FLOAT_DIV,
  FLOAT_RCP,
  FLOAT_SQRT,
  FLOAT_ABS,
  FLOAT_NEG,
  FLOAT_MIN,
  FLOAT_MAX,
  FLOAT_RSQRT,
  FLOAT_SIN,
  FLOAT_COS,
  FLOAT_LG2,
  FLOAT_EX2,
  FLOAT_TANH,
  FLOAT_COPYSIGN,
} float_op;

enum float_modifier {
  FLOAT_FTZ = 1,       /* subnormal operands and results become zero, keeping their sign */
  FLOAT_NAN = 2,       /* min, max: NaN if any operand is */
  FLOAT_XORSIGN = 4,   /* min, max: the result gets the product's sign */
  FLOAT_MAGNITUDE = 8, /* .abs of min, max */
  FLOAT_SAT = 16,      /* clamped to [0, 1], NaN to 0 */
  FLOAT_OOB = 32,      /* 0 if a factor is the tensor copies' mark of what lies out of bounds */
  FLOAT_RELU = 64,     /* negative results become 0 */
  FLOAT_APPROX = 128,
  FLOAT_FULL = 256,
  FLOAT_RN = 512, /* a rounding was written */
  FLOAT_RZ = 1024,
  FLOAT_RM = 2048,
  FLOAT_RP = 4096,
  FLOAT_ROUNDED = FLOAT_RN | FLOAT_RZ | FLOAT_RM | FLOAT_RP,
};

/* What the run functions find in insn.arg. */
enum float_arg {
  FLOAT_ARG_OP,        /* float_op */
  FLOAT_ARG_HOW,       /* rounding */
  FLOAT_ARG_MODIFIERS, /* of enum float_modifier */
  FLOAT_ARG_TYPE,      /* ptx_type of the operands; in mixed precision, of the narrow ones */
};

/* Decodes whichever floating-point instruction it is but testp. */
bool decode_float(decoder *d);

insn_run run_f32;   /* f32, f32x2 */
insn_run run_mixed; /* f32 with operands of f16 or bf16 */
insn_run run_f64;
insn_run run_half; /* f16, bf16, f16x2, bf16x2 */
insn_run run_special_f32, run_special_f64, run_special_half;

/* ---- computing with the lanes of a register; n is LANES, or 2 * LANES for the packed types */

/* n is a multiple of LANES; that the inner loop's length is known makes it easy to vectorise. */
#define FOR_VALUES(k, n)                                    \
  for (int from_##k = 0; from_##k < (n); from_##k += LANES) \
    for (int k = from_##k; k < from_##k + LANES; ++k)

/* Subnormal values become zero, keeping their sign. */
void f32_flush(int n, float *to, const float *from);
/* What becomes of results in every instruction: NaN canonical, .ftz, .sat. */
void f32_finish(int n, float *r, uint32_t modifiers);
/* min or max of two by their modifiers, except .ftz. */
void f32_min_max(float_op op, uint32_t modifiers, int n, float *r, const float *a, const float *b);

/* The sum, rounded towards zero but with an odd last bit if it is not exact: what it is rounded to then,
 * with two bits less at least, is as if it were exact. Without branches, for loops to be vectorised. */
static inline double sum_to_odd(double x, double y) {
  const double sum = x + y, y_part = sum - x;
  const double error = (x - (sum - y_part)) + (y - y_part); /* of the sum, exact */
  int64_t bits, error_bits;
  memcpy(&bits, &sum, sizeof bits);
  memcpy(&error_bits, &error, sizeof error_bits);
  /* It is NaN where the sum is none of numbers. */
  const int64_t magnitude = error_bits & INT64_MAX, infinity = INT64_C(0x7ff) << 52;
  const int64_t inexact = (magnitude > 0) & (magnitude < infinity) & ~bits & 1;
  /* The odd neighbour is on that side of the sum on which the exact value lies. */
  const int64_t step = (bits ^ error_bits) >> 63 | 1;
  bits += step & -inexact;
  double odd;
  memcpy(&odd, &bits, sizeof odd);
  return odd;
}

#endif
