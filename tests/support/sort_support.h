/* What the tests of sorts have in common. */
#ifndef JIG_TESTS_SORT_SUPPORT_H
#define JIG_TESTS_SORT_SUPPORT_H

#include <jig/operator.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All of these are malloc'ed, and never NULL. */
unsigned char *random_bytes(size_t count, uint64_t seed);
/* The items at these indices, in that order. */
void *permuted(const void *items, size_t size, const size_t *order, size_t count);

/* Whether what is on the device is what is wanted there. */
void check_sorted(const void *device, const void *wanted, size_t size, size_t count, const char *what);
/* Whether an input is still what it was. */
void check_kept(const void *device, const void *items, size_t bytes, const char *what);
/* Whether what is on the device are these keys in any order, each with its value, if values have a size.
 */
void check_same_items(const void *device_keys, const void *keys, size_t key_size,
                      const void *device_values, const void *values, size_t value_size, size_t count,
                      const char *what);
/* Whether every one of them is an item of the input: a key with its value. */
void check_only_items(const void *device_keys, const void *keys, size_t key_size,
                      const void *device_values, const void *values, size_t value_size, size_t count,
                      const char *what);

/* ---- operators that are no strict weak orders */

#define HOSTILE_OPS 10
enum { HOSTILE_RANDOM = 5, HOSTILE_NEARLY = 6 }; /* some of their numbers */
const char *hostile_name(size_t number);
/* For keys that are integers; or struct hostile, which it is sure to be shown. */
jig_op hostile_op(size_t number, jig_type key);
/* The text of them all: `state` is the number. */
const char *hostile_body(bool of_structs);

/* Of u32, one that does not even say the same of the same two keys in every place. */
extern const jig_op undecided_op;

/* Structs of so many bytes, 8 or a larger multiple of 4, and some of them. */
jig_type hostile_type(size_t size);
void *hostile_items(jig_type type, size_t count, uint64_t seed);

#endif
