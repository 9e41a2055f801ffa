/* What algorithms that fold share: which type they fold in, and what of it is exact. */
#ifndef JIG_ALGORITHM_ACCUMULATOR_H
#define JIG_ALGORITHM_ACCUMULATOR_H

#include <stdbool.h>

#include <jig/reduce.h>

/* What op(first, item) yields: for well-known operators over numbers as in C and C++, for any other
 * operator the type of what comes first. */
jig_type accumulator_type(const jig_op *op, const jig_type *first, const jig_type *item);

/* Whether NaNs are passed over: a minimum or maximum that is asked to, of a type that has them. */
bool accumulator_ignores_nan(const jig_op *op, const jig_type *accum, jig_nan nan);

/* Whether the result is the same however operands are associated, and with it on every GPU. */
bool accumulator_is_exact(const jig_op *op, const jig_type *accum);

#endif
