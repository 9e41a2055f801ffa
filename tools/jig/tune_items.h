/* Items that jig tune makes, and how it compares what comes of them. */
#ifndef JIG_CLI_TUNE_ITEMS_H
#define JIG_CLI_TUNE_ITEMS_H

#include <stdbool.h>

#include <jig/jig.h>

/* The next of a row of numbers at random, which the state stands for. */
uint64_t tune_random(uint64_t *state);

typedef enum tune_kind {
  TUNE_ANY,      /* of all sizes and signs, but neither infinities nor NaNs */
  TUNE_SUMMANDS, /* floating-point numbers from 0.5 to 2 */
  TUNE_FLAGS,    /* 0 or 1 */
  TUNE_RUNS,     /* eight equal neighbours on average */
  TUNE_PLACES    /* below a number: of a permutation */
} tune_kind;

/* Fills memory with items of a type: at random, but the same for the same state, which goes on. Of
 * structs whose members are known these are numbers; of others it is bytes that are no NaN of any type.
 */
void tune_fill(const jig_type *type, tune_kind kind, uint64_t below, uint64_t *state, void *items,
               uint64_t count);

/* Fills memory with numbers from `lower` on up to `upper`, as far as they are of a type that has these;
 * of others as tune_fill() does. */
void tune_fill_between(const jig_type *type, double lower, double upper, uint64_t *state, void *items,
                       uint64_t count);

/* How many items segments have, one behind the other until all are theirs: up to twice as many as on
 * average. Lengths are the caller's to free(); NULL when out of memory. */
uint64_t *tune_lengths(uint64_t items, uint64_t average, uint64_t *state, uint64_t *count);

typedef enum tune_likeness {
  TUNE_SAME,  /* bit by bit */
  TUNE_CLOSE, /* but for floating-point numbers, which are as close as rounding leaves other groupings */
  TUNE_OTHER
} tune_likeness;

/* How alike results are. Numbers are close if they differ by no more than 4096 units in the last place of
 * the larger one, of 16 bits 8 units; so are members of structs, if these are known. */
tune_likeness tune_compare(const jig_type *type, const void *one, const void *other, uint64_t count);

/* Puts items in order by their bytes, of each so many of them by themselves: of results that have none.
 */
void tune_order(const jig_type *type, void *items, uint64_t count, uint64_t each);

#endif
