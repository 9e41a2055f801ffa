/* Random calls: types, items and what is done to them on the host. Two sources of numbers, so that one
 * program can be called with many inputs: what decides the program is drawn by shape_below(), which
 * begins anew with each call of a case; what is in memory, and how much, by data_below(). */
#ifndef JIG_TESTS_RANDOM_ITEMS_H
#define JIG_TESTS_RANDOM_ITEMS_H

#include <jig/jig.h>
#include <stdbool.h>

#include "numbers.h"

void random_case(uint64_t seed); /* a new case: both begin */
void random_again(void);         /* the same program: only the shapes begin anew */
uint64_t shape_below(uint64_t end);
uint64_t data_below(uint64_t end);
static inline bool shape_one_in(uint64_t n) {
  return shape_below(n) == 0;
}
static inline bool data_one_in(uint64_t n) {
  return data_below(n) == 0;
}

/* A number, or a struct of unsigned words m0, m1, ... without padding, ordered and equal by m0. */
typedef struct item_kind {
  jig_type type;
  jig_type_kind word; /* of the number, or of each word */
  unsigned words;     /* 1: a number */
} item_kind;

item_kind kind_of_number(jig_type_kind number);
item_kind random_number(void);     /* of any built-in type */
item_kind random_integer(void);    /* no bool */
item_kind random_counter(void);    /* an integer of 32 or 64 bits */
item_kind random_kind(void);       /* any */
item_kind random_small_kind(void); /* any that can be folded */

enum { MOST_ITEM_BYTES = 4096 };

/* Whether an array of one may be where one of the other is. */
bool may_lie_over(const item_kind *k, const item_kind *other);

/* What is in memory. */
typedef enum item_mix {
  MIX_BITS,    /* any bits: NaNs, infinities and zeros of either sign among them */
  MIX_FEW,     /* few different ones */
  MIX_RUNS,    /* runs of equal ones, short and long */
  MIX_SMALL,   /* small whole numbers, of which sums are exact */
  MIX_EXTREMES /* the largest and the smallest, infinities, NaN, zeros */
} item_mix;
item_mix random_mix(void); /* drawn from the data, MIX_SMALL left out */
void fill_items(const item_kind *k, item_mix mix, void *items, size_t count);

static inline void *item(const item_kind *k, const void *items, size_t i) {
  return (char *)(uintptr_t)items + i * k->type.size;
}
/* The same bits, or NaNs both. */
bool same_item(const item_kind *k, const void *a, const void *b);
/* a == b, and a before b by JIG_LESS: NaNs last. */
bool equal_items(const item_kind *k, const void *a, const void *b);
int compare_items(const item_kind *k, const void *a, const void *b);
/* Before by JIG_GREATER: the other way round, but NaNs are last. */
int compare_items_down(const item_kind *k, const void *a, const void *b);
/* An unsigned number that is ordered as radix sorts order numbers. */
uint128 radix_bits(jig_type_kind number, const void *item);

/* ---- folds */

typedef enum fold_kind {
  FOLD_PLUS,
  FOLD_MULTIPLIES,
  FOLD_MIN,
  FOLD_MAX,
  FOLD_AND,
  FOLD_OR,
  FOLD_XOR,
  FOLD_LOGICAL_AND,
  FOLD_LOGICAL_OR,
  FOLD_LAST,   /* by source: the last one that is not 0 (words: whose m0 is not) */
  FOLD_COMPOSE /* by source, of structs: x -> m0 x + m1, composed, and sums of the other words */
} fold_kind;
fold_kind random_fold(const item_kind *k);
bool fold_is_well_known(fold_kind fold);
jig_op fold_op(const item_kind *k, fold_kind fold);
item_mix fold_mix(const item_kind *k, fold_kind fold);
/* *acc = *acc op *x. */
void fold_item(const item_kind *k, fold_kind fold, void *acc, const void *x);
/* What well-known operators have for no items: false if there is no such thing. */
bool fold_identity(const item_kind *k, fold_kind fold, void *acc);

/* ---- orders */

/* The indices of items in stable order. malloc'ed. */
typedef int (*item_order)(const void *context, size_t a, size_t b);
size_t *indices_in_order(size_t count, item_order order, const void *context);

#endif
