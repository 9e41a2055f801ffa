/* Floating-point forms of the opcodes that integers have too. */
#ifndef SOFTGPU_EXEC_OP_FLOAT_H
#define SOFTGPU_EXEC_OP_FLOAT_H

#include "code/code.h"

/* Decodes add, sub, mul, mad, min, max, abs, neg or div of a floating-point type, from the first part on;
 * `type` is the last part that is one. */
bool decode_float_arith(decoder *d, ptx_type type);

#endif
