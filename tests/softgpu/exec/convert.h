/* Conversions between number formats, a number at a time. */
#ifndef SOFTGPU_EXEC_CONVERT_H
#define SOFTGPU_EXEC_CONVERT_H

#include <stdbool.h>
#include <stdint.h>

#include "exec/rounding.h"
#include "ptx/ptx.h"

typedef struct conversion {
  ptx_type from, to; /* scalars: of packed formats, what an element is */
  rounding how;
  bool integral;  /* .rni and so on: to integral values, even where the destination has others */
  bool ftz;       /* f32 subnormals, read or written, are zeros */
  bool sat;       /* to the integer's range, or to [0, 1] and NaN to 0 */
  bool satfinite; /* to the format's finite range */
  bool relu;      /* what is negative becomes 0 */
} conversion;

/* bits: an integer extended to 64 bits by its sign or zeros, or the low bits of a floating-point number.
 * The result likewise. */
uint64_t convert(const conversion *c, uint64_t bits);

#endif
