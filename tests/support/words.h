/* Arrays of 32-bit words that calls make of other ones. */
#ifndef JIG_TESTS_WORDS_H
#define JIG_TESTS_WORDS_H

#include <stddef.h>
#include <stdint.h>

/* Random ones; free() them. */
uint32_t *random_words(size_t count, uint64_t seed);

/* Whether that many at a device address are those; fails the test, saying `what` they are. */
void check_words(const void *device, const uint32_t *wanted, size_t count, const char *what);

#endif
