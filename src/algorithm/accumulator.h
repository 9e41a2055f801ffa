/* What algorithms that fold share: which type they fold in, and what of it is exact. */
#ifndef JIG_ALGORITHM_ACCUMULATOR_H
#define JIG_ALGORITHM_ACCUMULATOR_H

#include <stdbool.h>

#include <jig/reduce.h>

#include "spec/canonical.h"

/* The slot of an operator that folds accumulators; `commutes_`: whether it may say that it does. */
#define FOLD_OP_SLOT(commutes_)                                                                      \
  {                                                                                                  \
    .name = "op", .kind = SLOT_OP, .arity = 2, .over = {"accum"}, .help = "folds two items a and b", \
    .usually = "plus", .commutes = (commutes_), .option = "op"                                       \
  }

/* The slot that says whether folds are to have the same bits on every GPU. */
extern const char *const fold_determinisms[];
#define FOLD_DETERMINISM_SLOT                                                                   \
  {                                                                                             \
    .name = "determinism", .kind = SLOT_CHOICE, .optional = true, .choices = fold_determinisms, \
    .help = "where the same items give the same bits", .option = "determinism"                  \
  }

/* The operator that is given or, if it is of kind JIG_OP_NONE, plus. */
const jig_op *accumulator_op(const jig_op *given);

/* The type that a fold works in, by the rule that jig/reduce.h states: the given one or, if that is of
 * kind JIG_KIND_NONE, the default for items folded into `first`, results stored as `out`. `first` is the
 * init's type, or what an algorithm takes for it where there is no init. */
jig_type accumulator_type(const jig_type *given, const jig_op *op, const jig_type *first,
                          const jig_type *item, const jig_type *out);

/* Whether the items of slot `in` convert to the type in slot "accum", and that to the type of slot `out`.
 */
jig_status accumulator_check(const spec *s, const char *in, const char *out);

/* Puts it into slot "accum" of a written spec, unless that says it, for items of slot `in` that are
 * folded by slot "op" into `first`, with results in slot `out`. Slot "determinism" becomes a call's. */
void accumulator_complete(parsed_spec *p, const jig_type *first, const char *in, const char *out);

/* Whether NaNs are passed over: a minimum or maximum that is asked to, of a type that has them. */
bool accumulator_ignores_nan(const jig_op *op, const jig_type *accum, jig_nan nan);

/* The choice in slot "determinism". A fold whose result is the same however operands are associated has
 * the same bits everywhere by any program. */
int accumulator_determinism(const jig_op *op, const jig_type *accum, jig_determinism wanted);

#endif
