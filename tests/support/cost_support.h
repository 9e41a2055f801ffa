/* Tables of what is compiled, which say what it cost when it was last looked at. */
#ifndef JIG_TESTS_COST_SUPPORT_H
#define JIG_TESTS_COST_SUPPORT_H

#include <stdbool.h>

#include "suite.h"

/* Within 5 %. */
bool cost_is_near(unsigned long long now, unsigned long long known);

/* The exit status of a program that runs `comparing`, or `writing` where the environment has `renew`. */
int cost_run(const char *suite, const char *renew, const suite_test *comparing,
             const suite_test *writing);

#endif
