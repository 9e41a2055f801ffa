/* Programs built and linked with compiled operators, without a GPU. */
#ifndef JIG_TESTS_LINK_SUPPORT_H
#define JIG_TESTS_LINK_SUPPORT_H

#include <jig/jig.h>

#include "jit/build.h"

/* Builds the program that a reduce of pointers to items of that type needs, from the spec's text and
 * without a cache, for "sm_90" or the like. An artifact that was built is to be freed. */
jig_status link_reduce(jig_op op, jig_type type, const char *target, artifact *a);
jig_status link_args(const jig_reduce_args *args, const char *target, artifact *a);

/* The key that it would have. */
hash128 link_key(const jig_reduce_args *args, const char *target);

/* Whether a cubin has such a symbol, and a section of that name. */
bool cubin_has_symbol(const artifact *a, const char *name);
bool cubin_has_section(const artifact *a, const char *name);

#endif
