/* Items of many sizes for tests of collectives, each type with an operator that a model on the host has
 * as well: for numbers addition; for structs of words w, where order matters, the composition of the maps
 * x -> w[0] * x + w[1] in the words' arithmetic, and the sums of the other words. */
#ifndef JIG_TESTS_ITEMS_H
#define JIG_TESTS_ITEMS_H

#include <jig/type.h>
#include <stddef.h>
#include <stdint.h>

typedef struct item_type {
  const char *name;
  jig_type_kind kind; /* of the number, or of each word */
  size_t size;
  int words; /* 1: a number */
} item_type;

enum { MAX_ITEM_SIZE = 64 };
/* Of 1, 2, 4, 8 and 16 bytes numbers; of 3, 8, 12, 16 and 64 bytes structs. */
extern const item_type item_types[];
extern const size_t item_type_count;

/* The source of `item`, and of `item_op`, which is an operator over it. */
void items_source(const item_type *type, char *source, size_t size);

/* Random items. */
void *items_random(const item_type *type, size_t count, uint64_t seed);

/* Address of item i. */
void *item_at(const item_type *type, const void *items, size_t i);

/* *result = item_op(*a, *b), where result may be any of the two. */
void items_combine(const item_type *type, const void *a, const void *b, void *result);

#endif
