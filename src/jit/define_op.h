/* Operators in a program's text: each becomes a class. */
#ifndef JIG_JIT_DEFINE_OP_H
#define JIG_JIT_DEFINE_OP_H

#include "jit/assembly.h"

/* Defines an operator as `jig_<name>_t`; `shown` is what messages call it. */
void define_any_op(assembly *a, const char *name, const char *shown, const jig_op *op,
                   const op_signature *signature, bool ignore_nan);

/* An operator that is a function of its own, for kernels that are linked with it and call it by that
 * name. They may have operands and results as bits, of other types of the same sizes. */
typedef struct called_op {
  char name[64];
  char shown[96]; /* what messages call its text */
  const jig_op *op;
  op_signature signature, called; /* what it is defined with, and what it is called with */
} called_op;
void define_called_op(assembly *a, const called_op *op);

/* The same of a list of expressions, of which device code gets one object. */
void define_list(assembly *a, const char *name, const jig_op *op, const op_signature *signature);

/* Defines nothing, and has the compiler see that a class is laid out as the host has it. */
void check_layout(assembly *a, const char *name, value_layout l);

#endif
