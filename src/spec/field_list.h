/* Lists of expressions, such as a decomposer's. */
#ifndef JIG_SPEC_FIELD_LIST_H
#define JIG_SPEC_FIELD_LIST_H

#include <jig/status.h>

/* JIG_ERROR_INVALID_ARGUMENT for a list that source_check() has let pass and that is empty, or has
 * brackets around expressions, of which the compiler would take the last one alone. `what` and `name` as
 * there. */
jig_status field_list_check(const char *list, const char *what, const char *name);

#endif
