/* Operators that are given as PTX, as functions of a program's text: where one does nothing but compute,
 * its instructions become an asm statement, so that the compiler has it in place, as it has an operator
 * that is given as source. ptxas calls a function that comes to it as PTX, however small it is. */
#ifndef JIG_JIT_PTX_INLINE_H
#define JIG_JIT_PTX_INLINE_H

#include <stdbool.h>

#include "spec/operator.h"
#include "util/text.h"

/* Whether that is known of an operator with such a signature. All others are linked. */
bool ptx_is_inlined(const jig_op *op, const op_signature *signature);

/* Writes the function's body, whose operands have these names. False, and nothing is written, if it has
 * to be linked. */
bool ptx_inline(const jig_op *op, const op_signature *signature,
                const char *(*operand_name)(const op_signature *, int), text *out);

#endif
