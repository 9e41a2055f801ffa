/* Turns a spec and a policy into the text of a program: types, operators, iterators and policy under the
 * names that the algorithm's kernel template goes by, and the include of that template.
 *
 * The user's own text keeps its own lines: "#line 1 "operator"" and the like let compiler messages point
 * into it. */
#ifndef JIG_JIT_ASSEMBLE_H
#define JIG_JIT_ASSEMBLE_H

#include <jig/status.h>

#include "jit/algorithm.h"
#include "jit/define_op.h"
#include "jit/headers.h"

/* *program is malloc'ed; what it includes is put into the headers. JIG_ERROR_OUT_OF_MEMORY, or
 * JIG_ERROR_INVALID_ARGUMENT for two structs of one name with different definitions, and for headers. */
jig_status assemble(const spec *s, const kernel_row *kernel, const policy *p, header_set *headers,
                    char **program);

/* The program of operators of the spec alone, as functions that kernels call, for the linker. Likewise.
 */
jig_status assemble_operators(const spec *s, const called_op *ops, int count, header_set *headers,
                              char **program);

#endif
