/* What jig tune says, and the line that it keeps. */
#ifndef JIG_CLI_TUNE_PRINT_H
#define JIG_CLI_TUNE_PRINT_H

#include "tune_bench.h"

/* The spaces of a program for an architecture, with what the tables say. */
void tune_print_spaces(const spec *s, int sm);

/* What was found, in the time that it took, and where it is kept. */
void tune_print_result(const tune_bench *b, const tune_result *r, double took_ms, const char *path);

/* Counts a trial that was checked, and tells of it if something is wrong. */
void tune_print_check(const tune_bench *b, const tune_trial *t, tune_result *r);

/* The line of wisdom for it: of the kernels that are tuned in another way than the tables say. A new
 * reference, NULL when out of memory. */
json_t *tune_line(const tune_bench *b, const tune_result *r);

#endif
