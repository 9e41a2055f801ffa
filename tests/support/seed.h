/* What takes turns from day to day. */
#ifndef JIG_TESTS_SEED_H
#define JIG_TESTS_SEED_H

#include <stdbool.h>

/* $JIG_TEST_SEED, with which the same is run again; the day's number if it is not set. The first call
 * prints it. */
unsigned long test_seed(void);

/* Whether it is the turn of number `number` of what takes turns: every other one's. */
bool test_turn(unsigned long number);

#endif
