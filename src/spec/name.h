/* Names that the user gives to structs, functions, kernels and definitions. */
#ifndef JIG_SPEC_NAME_H
#define JIG_SPEC_NAME_H

#include <stdbool.h>
#include <stddef.h>

#include <jig/status.h>

/* Whether a string is a C identifier, or several joined by "::". */
bool is_identifier(const char *name);

/* JIG_ERROR_INVALID_ARGUMENT if an identifier is one that jig keeps for itself, or a keyword of C++. */
jig_status name_check(const char *name, const char *what);

/* Either of the two alone. */
jig_status name_check_own(const char *name, const char *what);
jig_status name_check_keyword(const char *name, const char *what);

/* Whether it is in a list that ends with NULL. */
bool name_is_one_of(const char *const *names, const char *begin, size_t length);

/* Whether it is a keyword of C++; whether what jig makes of an operator calls something else by that
 * name, such as an operand. */
bool name_is_keyword(const char *name, size_t length);
bool name_is_hidden(const char *name, size_t length);

/* Whether a macro of that name would change types that jig writes behind texts: what built-in types and
 * kernels' parameters are called, also behind "jig::", words of such names, and what a bool can be. */
bool name_is_of_type(const char *name, size_t length);

#endif
