/* The first tier: kernels that somebody has compiled before, for items of that size and any operators,
 * which they call. What is left of a first call is to compile the operators, a few lines, and to link
 * them; that takes some 25 ms of a processor for a kernel instead of hundreds. Where kernels are tuned
 * alike, they do the same with items, in the same order, so that temp storage is the same, and results
 * are: bits can only differ where the compiler contracts floating-point operations of one application of
 * the operator with those of the next, or those of one in another way. That takes products, so that
 * operators are not served which have to do with floating-point numbers and multiply or divide; but the
 * only one that has nothing but loads before and stores behind it may do so once.
 *
 * Structs are opaque to such a kernel, and numbers are bits (linked_spec.h). It is a program of its own
 * in the cache, of machine code that is relocatable; the spec that it is kept by has operators that are
 * declared and that nobody defines. */
#ifndef JIG_JIT_FIRST_TIER_H
#define JIG_JIT_FIRST_TIER_H

#include <pthread.h>

#include "jit/build.h"
#include "jit/compiled.h"

/* What kernels of a program share that are linked side by side: their operators, which the first of them
 * compiles while the others wait. */
typedef struct linked_operators {
  pthread_mutex_t mutex;
  struct operators_code {
    bool tried;
    jig_status status;
    compiled code;
  } of[2]; /* called with types as they are; with bits */
} linked_operators;
#define LINKED_OPERATORS \
  { .mutex = PTHREAD_MUTEX_INITIALIZER }
void linked_operators_free(linked_operators *ops);

/* Links one of a spec's kernels, into what build_kernel() has begun; never keeps it in the cache. Fails
 * where the tier does not serve the spec, or the cache has no kernel to link with. */
jig_status first_tier_build(const build_settings *settings, const spec *s, const kernel_row *kernel,
                            artifact *a);

/* Builds the kernel for that, for operators to come, unless the cache has it. JIG_ERROR_UNSUPPORTED: the
 * tier does not serve the spec. */
jig_status first_tier_prepare(const build_settings *settings, const spec *s, const kernel_row *kernel,
                              const arch *target, artifact *a);

#endif
