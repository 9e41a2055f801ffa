/* Operators in a program's text: each becomes a class. */
#ifndef JIG_JIT_DEFINE_OP_H
#define JIG_JIT_DEFINE_OP_H

#include "jit/assembly.h"

/* Defines an operator as `jig_<name>_t`; `shown` is what messages call it. */
void define_any_op(assembly *a, const char *name, const char *shown, const jig_op *op,
                   const op_signature *signature, bool ignore_nan);

/* The same for kernels that are linked with it, which call it by that name. */
void define_called_op(assembly *a, const char *name, const char *called, const jig_op *op,
                      const op_signature *signature);

/* The same of a list of expressions, of which device code gets one object. */
void define_list(assembly *a, const char *name, const jig_op *op, const op_signature *signature);

/* Defines nothing, and has the compiler see that a class is laid out as the host has it. */
void check_layout(assembly *a, const char *name, value_layout l);

#endif
