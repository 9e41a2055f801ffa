/* What the tests of sorts have in common. */
#ifndef JIG_TESTS_SORT_SUPPORT_H
#define JIG_TESTS_SORT_SUPPORT_H

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

#endif
