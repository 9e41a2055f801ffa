/* Prepared calls in tests: moving all that can move to what another call's args have. */
#ifndef JIG_TESTS_PREPARED_SUPPORT_H
#define JIG_TESTS_PREPARED_SUPPORT_H

#include <jig/jig.h>
#include <stdbool.h>

#include "spec/layout.h"

/* The args of jig_<algorithm>, which `function` is. */
const struct_layout *prepared_layout(const char *function);

/* Has a prepared call of jig_<algorithm>, which `function` is, use the pointers, counts and iterators of
 * other args of the same kind. Pointers of iterators are set by themselves if `by_pointer`, and else as
 * parts of these. */
void move_prepared(jig_prepared *prepared, const char *function, const void *args, bool by_pointer);

#endif
