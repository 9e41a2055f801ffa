/* PTX of several compilers in one module, for drivers that take PTX only. */
#ifndef JIG_JIT_PTX_MERGE_H
#define JIG_JIT_PTX_MERGE_H

#include <stdbool.h>
#include <stddef.h>

#include <jig/operator.h>
#include <jig/status.h>

#include "jit/arch.h"
#include "jit/compiled.h"

/* Puts the functions of PTX operators before a program that declares them, whose PTX is *result; and sees
 * to it that nothing is left undefined, or is defined twice. */
jig_status ptx_merge(const jig_op *const *ops, int count, const arch *target, compiled *result);

/* What a PTX text begins with: ".version 9.0 .target sm_90, debug .address_size 64", the last optional.
 */
typedef struct ptx_module {
  unsigned major, minor, sm;
  const char *body, *end;
} ptx_module;

bool ptx_read_module(const char *ptx, size_t size, ptx_module *m);

/* "PTX 8.8"; "PTX" if the text does not say. */
void ptx_version(const char *ptx, size_t size, char *version, size_t version_size);

#endif
