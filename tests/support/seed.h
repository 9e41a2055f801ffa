/* What takes turns from day to day. */
#ifndef JIG_TESTS_SEED_H
#define JIG_TESTS_SEED_H

/* $JIG_TEST_SEED, with which the same is run again; the day's number if it is not set. The first call
 * prints it. */
unsigned long test_seed(void);

#endif
