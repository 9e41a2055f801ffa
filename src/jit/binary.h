/* Operators that other compilers made: which ones a spec has, and a program linked with them. */
#ifndef JIG_JIT_BINARY_H
#define JIG_JIT_BINARY_H

#include <stdbool.h>

#include <jig/status.h>

#include "jit/compiler.h"
#include "spec/spec.h"

enum { BINARY_MAX_COUNT = ITER_MAX_COUNT + SPEC_MAX_SLOTS };

/* The compiled operators of a spec: every function of every file once. Those that are linked come first.
 */
typedef struct binary_set {
  const jig_op *ops[BINARY_MAX_COUNT];
  int count; /* of those */
  int all;   /* and with those that are part of the program's text: ptx_inline() */
} binary_set;

void binary_find(const spec *s, binary_set *set);

/* Whether those that are not linked can be part of a program for that target. */
jig_status binary_check_inlined(const binary_set *set, const arch *target);

/* Whether an operator comes out of the same file as an earlier one. */
bool binary_is_repeated(const jig_op *const *ops, int i);

/* Compiles a program and links it with its operators. Where the target is PTX, operators are merged as
 * LTO-IR or PTX. */
jig_status binary_compile(const compiler *c, const compile_request *request, const binary_set *set,
                          compiled *result);

/* What kind of code an operator is, with its version as far as that can be told: "PTX 9.0 for sm_75". */
enum { BINARY_VERSION_SIZE = 64 };
void binary_version(const jig_op *op, char version[BINARY_VERSION_SIZE]);

/* Sets the error that it does not define its symbol. */
jig_status binary_lacks_symbol(const jig_op *op);
/* The same: that operators call something else that is not there, or that two of them define it. */
jig_status binary_undefined(const char *name, size_t length);
jig_status binary_clash(const char *name, size_t length);

#endif
