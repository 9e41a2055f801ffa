/* Value types: checks, names, and the C++ conversions that defaults follow. */
#ifndef JIG_SPEC_TYPE_H
#define JIG_SPEC_TYPE_H

#include <stdbool.h>

#include <jig/status.h>
#include <jig/type.h>

enum { TYPE_MAX_SIZE = 256 };

/* The type's name in device code: "float", or a struct's own. */
const char *type_cxx_name(const jig_type *type);

/* Whether two types are the same: kind, and a struct's name and definition. */
bool type_equal(const jig_type *a, const jig_type *b);

bool type_is_integer(const jig_type *type); /* bool counts */
bool type_is_half(const jig_type *type);
bool type_is_number(const jig_type *type); /* any built-in type */

/* C's usual arithmetic conversion of two built-in types, integer promotion included; f16 with bf16 is
 * f32. With promote false, small integers stay as they are: the common type of std::common_type. */
jig_type type_common(const jig_type *a, const jig_type *b, bool promote);

/* Whether a string is a C identifier, or several joined by "::". */
bool is_identifier(const char *name);

/* JIG_SUCCESS, or JIG_ERROR_INVALID_ARGUMENT saying what is wrong with the type of `what`. */
jig_status type_check(const jig_type *type, const char *what);

#endif
