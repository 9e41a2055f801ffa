/* What algorithms share that order keys as radix sort does. */
#ifndef JIG_ALGORITHM_RADIX_KEYS_H
#define JIG_ALGORITHM_RADIX_KEYS_H

#include "spec/canonical.h"

/* The choices of a spec's slot that says how keys are ordered, and their names. */
enum { RADIX_ORDER_OF_INTEGERS, RADIX_ORDER_OF_FLOATS, RADIX_ORDER_OF_FIELDS };
extern const char *const radix_orders[];

/* The slot of what makes fields of keys, which come from slot `keys`. */
#define RADIX_DECOMPOSER_SLOT(keys)                                                                     \
  {                                                                                                     \
    .name = "decomposer", .kind = SLOT_OP, .optional = true, .arity = 1, .over = {keys}, .lists = true, \
    .help = "of structs: what orders keys, the most significant first: x.d, x.id",                      \
    .option = "decomposer"                                                                              \
  }

/* The slot of the order, which follows from the keys. */
#define RADIX_ORDER_SLOT                                                     \
  {                                                                          \
    .name = "order", .kind = SLOT_CHOICE, .choices = radix_orders,           \
    .help = "what keys are ordered as; left out, it follows from their type" \
  }

/* Puts the order of a written spec's keys into its slot. JIG_ERROR_INVALID_ARGUMENT if it says another,
 * of keys that have just one. */
jig_status radix_complete_order(parsed_spec *p, const jig_type *key);

/* Of what a decomposer makes of a key. */
enum { RADIX_MAX_FIELD_BYTES = 16 };

/* Of larger keys, algorithms that select get the places: the slot of such keys. */
enum { RADIX_HELD_BYTES = 64 };
#define RADIX_PLACED_KEYS_SLOT(name_, help_)                                 \
  {                                                                          \
    .name = name_, .kind = SLOT_ITER, .role = ITER_INPUT, .places = {name_}, \
    .held_bytes = RADIX_HELD_BYTES, .help = help_, .option = "type"          \
  }

int radix_order_of(const jig_type *key, const char *decomposer);

/* The unsigned integer that built-in keys of that size are passed as. */
jig_type radix_unsigned(size_t size);

/* Of what algorithms that select know keys by: jig::TopKKeys::Bits in device code. */
size_t radix_bits_bytes(const jig_type *key);

/* Types that are treated alike share a program, where no iterator tells of them: gives keys unsigned
 * integers, and values, which may be NULL, bytes. */
void radix_share_types(jig_iter *keys_in, jig_iter *keys_out, jig_iter *values_in, jig_iter *values_out);

bool radix_is_signed(const jig_type *key);

/* Whether a spec's keys, from slot `what`, fit their order and their decomposer, which may be NULL. */
jig_status radix_check_key(const jig_type *key, int order, const jig_op *decomposer, const char *what);

/* JIG_ERROR_INVALID_ARGUMENT, after `who` if that is not "", unless the keys of `what` are structs just
 * if there is a decomposer, and otherwise of a built-in type. */
jig_status radix_check_kind(const jig_type *key, const char *what, bool has_decomposer, const char *who);

#endif
