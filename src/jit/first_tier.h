/* The first tier: kernels that somebody has compiled before, for items of that size and any operator,
 * which they call. What is left of a first call is to compile the operator, a few lines, and to link it;
 * that takes some 25 ms of a processor instead of hundreds. Where kernels are tuned alike, they do the
 * same with items, in the same order, so that temp storage is the same, and results are: bits can only
 * differ where the compiler contracts floating-point operations of one application of the operator with
 * those of the next. So only operators are served that have nothing to do with floating-point numbers.
 *
 * Structs are opaque to such a kernel. It is a program of its own in the cache, of machine code that is
 * relocatable; the spec that it is kept by has an operator that is declared and that nobody defines. */
#ifndef JIG_JIT_FIRST_TIER_H
#define JIG_JIT_FIRST_TIER_H

#include "jit/build.h"

/* Links one of a spec's kernels, into what build_kernel() has begun; never keeps it in the cache. Fails
 * where the tier does not serve the spec, or the cache has no kernel to link with. */
jig_status first_tier_build(const build_settings *settings, const spec *s, const kernel_row *kernel,
                            artifact *a);

/* Sees to it that the cache has the kernel for that, for operators to come; it may be there, or not be
 * needed. */
jig_status first_tier_prepare(const build_settings *settings, const spec *s, const kernel_row *kernel,
                              const arch *target);

/* Whether a text has nothing to do with floating-point numbers: it names no such type or number, and
 * calls nothing but what is known to. For tests. */
bool first_tier_is_exact(const char *source);

#endif
