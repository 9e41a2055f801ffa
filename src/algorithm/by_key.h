/* What algorithms share that work on runs of equal neighbouring keys. */
#ifndef JIG_ALGORITHM_BY_KEY_H
#define JIG_ALGORITHM_BY_KEY_H

#include "algorithm/call.h"

/* The slot of what makes two neighbouring keys equal; left out, it is ==. */
#define BY_KEY_EQUALITY_SLOT(keys)                                                                   \
  {                                                                                                  \
    .name = "equality", .kind = SLOT_OP, .optional = true, .arity = 2, .over = {keys}, .test = true, \
    .help = "whether neighbours a and b are equal; left out, ==", .option = "equality"               \
  }

/* Whether keys can be compared that come from slot `keys`. */
jig_status by_key_check_equality(const spec *s, const char *keys);

/* Puts the equality into its slot, unless it is the default. */
void by_key_describe_equality(spec_slot *slot, const jig_op *equality);

/* sizeof(jig::OpenRun<T, Count>), the latter of so many bytes. */
size_t by_key_state_bytes(const jig_type *accum, size_t count_bytes);

/* For an algorithm's `count_kernels`: few items have a kernel of their own, the last, unless folds are so
 * large that there are few rows anyhow, or are to have the same bits on every GPU, which may have no
 * clusters. */
int by_key_count_kernels(const spec *s);

#endif
