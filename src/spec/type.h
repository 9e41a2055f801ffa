/* Value types: checks, names, and the C++ conversions that defaults follow. */
#ifndef JIG_SPEC_TYPE_H
#define JIG_SPEC_TYPE_H

#include <stdbool.h>

#include <jig/status.h>
#include <jig/type.h>

enum { TYPE_MAX_SIZE = 4096, TYPE_HELD_SIZE = 256 };

/* The type's name in device code: "float", "jig::opaque<8, 4>", or a struct's own, "::a" if operators
 * have something else of that name. The buffer is for those that have to be put together. */
enum { TYPE_NAME_SIZE = 48 };
const char *type_cxx_name(const jig_type *type, char buffer[TYPE_NAME_SIZE]);

/* Whether two types are the same: kind, layout, a struct's name and definition, whatever else its text
 * has. */
bool type_equal(const jig_type *a, const jig_type *b);

/* The same, and of one size and alignment: what a caller has put together may say anything of a number's.
 */
static inline bool type_identical(const jig_type *a, const jig_type *b) {
  return type_equal(a, b) && a->size == b->size && a->align == b->align;
}

bool type_is_integer(const jig_type *type);  /* bool counts */
bool type_is_unsigned(const jig_type *type); /* an integer without a sign */
uint64_t type_largest(const jig_type *type); /* of an integer type; no more than UINT64_MAX */
bool type_is_half(const jig_type *type);
bool type_is_number(const jig_type *type); /* any built-in type */
bool type_has_nan(const jig_type *type);   /* a floating-point type */

/* Whether a type is one that there is, as far as its kind tells. */
static inline bool type_exists(const jig_type *type) {
  return type->kind > JIG_KIND_NONE && type->kind <= JIG_KIND_OPAQUE;
}

/* Whether items are too large for registers: jig::is_wide. */
static inline bool type_is_wide(const jig_type *type) {
  return type->size > TYPE_HELD_SIZE;
}

/* jig::item_place */
static inline jig_type type_place(void) {
  return jig_opaque(8, 8);
}
/* What kernels hold of an item, or of the place where it is. */
static inline jig_type type_held(const jig_type *type) {
  return type_is_wide(type) ? type_place() : *type;
}

/* C's usual arithmetic conversion of two built-in types, integer promotion included; f16 with bf16 is
 * f32. With promote false, small integers stay as they are: the common type of std::common_type. */
jig_type type_common(const jig_type *a, const jig_type *b, bool promote);

/* JIG_SUCCESS, or JIG_ERROR_INVALID_ARGUMENT: `what` does not convert to a type. Numbers convert to each
 * other, other types only to themselves. */
jig_status type_check_conversion(const jig_type *from, const jig_type *to, const char *what);

/* JIG_SUCCESS, or JIG_ERROR_INVALID_ARGUMENT saying what is wrong with the type of `what`. */
jig_status type_check(const jig_type *type, const char *what);

/* Whether values of a checked type are not too large for registers. */
jig_status type_check_held(const jig_type *type, const char *what);

/* Whether the types of `what` and `other` are the same. */
jig_status type_check_same(const jig_type *type, const char *what, const jig_type *wanted,
                           const char *other);

/* type_check() for the type of an operator's state, which may have any size. */
jig_status type_check_state(const jig_type *type, const char *what);

#endif
