/* The 16-bit floating-point formats as bits: f16 (5 bits of exponent, 10 of mantissa) and bf16 (8 and 7).
 */
#ifndef SOFTGPU_EXEC_HALF_H
#define SOFTGPU_EXEC_HALF_H

#include <stdint.h>

#include "exec/rounding.h"

enum { HALF_NAN = 0x7fff }; /* what computing makes of every NaN, in both formats */

/* Exact. A NaN keeps its sign and mantissa bits, at the top of the wider mantissa. */
float f16_to_f32(uint16_t h);
float bf16_to_f32(uint16_t h);

/* Rounded once. NaN becomes HALF_NAN; beyond the range is infinity, or the largest finite value in the
 * modes that round away from infinity. */
uint16_t f16_from_f64(double x, rounding how);
uint16_t bf16_from_f64(double x, rounding how);

/* The same for many values, to nearest: what vectorises. */
void f16_to_f32_all(int n, float *to, const uint16_t *from);
void bf16_to_f32_all(int n, float *to, const uint16_t *from);
void f16_from_f64_all(int n, uint16_t *to, const double *from);
void bf16_from_f64_all(int n, uint16_t *to, const double *from);

#endif
