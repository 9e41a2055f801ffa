/* Calling select, unique and the partitions in tests, by both phases, with everything checked around
 * them; and what the host makes of the same. */
#ifndef JIG_TESTS_SELECT_SUPPORT_H
#define JIG_TESTS_SELECT_SUPPORT_H

#include <jig/jig.h>
#include <stdbool.h>

#include "scan_support.h"

/* The sizes at which one of them goes another way, of a spec's text, which is free()d. */
scan_marks select_marks_of(char *text);

/* Each runs a call whose outputs are set: queries the size, takes poisoned temp storage of just that
 * size, launches and waits. */
void run_select(const jig_select_args *args);
void run_unique(const jig_unique_args *args);
void run_partition(const jig_partition_args *args);
void run_three_way(const jig_three_way_partition_args *args);

/* The items of one class, in their order, malloc'ed; *found of them. */
void *items_of_class(const void *items, size_t size, size_t count, const uint8_t *classes, uint8_t wanted,
                     size_t *found);

/* Each of these runs a call whose inputs and operators are set, with outputs of its own, of just the
 * length that is due and `offset` bytes off their alignment, and compares with what the classes of the
 * items tell: 0 for selected ones (three-way: the first), 1 for others (the second), 2 (all others).
 * `items` are the input's on the host. */
typedef struct select_wanted {
  const void *items;
  jig_type type;
  const uint8_t *classes;
  size_t offset;
  const char *what;
} select_wanted;
void check_select(jig_select_args args, const select_wanted *wanted);
void check_unique(jig_unique_args args, const select_wanted *wanted);
void check_partition(jig_partition_args args, const select_wanted *wanted, bool apart);
void check_three_way(jig_three_way_partition_args args, const select_wanted *wanted);

/* Random classes below `count_of_classes`: of 256 items about `percent` of 100 are of class 0. */
uint8_t *random_classes(size_t count, unsigned percent, uint8_t class_count, uint64_t seed);

/* Whether each item is the first of its run: class 0; by comparing bytes. */
uint8_t *run_classes(const void *items, size_t size, size_t count);

#endif
