/* Items of every built-in type on the host: random ones, and their values. */
#ifndef JIG_TESTS_NUMBERS_H
#define JIG_TESTS_NUMBERS_H

#include <jig/type.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef __int128 int128;
typedef unsigned __int128 uint128;

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* All built-in types, ending with JIG_KIND_NONE. */
extern const jig_type_kind all_kinds[];
jig_type type_of(jig_type_kind kind);
bool is_floating(jig_type_kind kind);
bool is_signed(jig_type_kind kind);

/* xorshift64*: the same numbers for the same seed, which must not be 0. */
uint64_t next_random(uint64_t *seed);

/* Random items: integers over their whole range; bool 0 and 1; floating-point ones small whole numbers,
 * of which sums are exact as long as they stay below 2^8 (bf16), 2^11 (f16), 2^24 (f32) in magnitude. */
void fill_random(jig_type_kind kind, void *items, size_t count, uint64_t seed);

/* One item's value: the first for integers (unsigned ones of 128 bits as the same bits), the second for
 * floating-point types. */
int128 get_integer(jig_type_kind kind, const void *items, size_t i);
double get_float(jig_type_kind kind, const void *items, size_t i);
/* Stores a value, integers cut to the type's bits, floating-point ones rounded to nearest even. */
void put_integer(jig_type_kind kind, void *items, size_t i, int128 value);
void put_float(jig_type_kind kind, void *items, size_t i, double value);

/* A value's bits for messages, as one number in hex; of up to 16 bytes. Good for the next few calls. */
const char *bits_of(const void *value, size_t size);

#endif
