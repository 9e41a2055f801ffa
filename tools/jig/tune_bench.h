/* The measuring of jig tune: a candidate is an engine with wisdom of its own; what it compiles goes to a
 * folder that is gone in the end. */
#ifndef JIG_CLI_TUNE_BENCH_H
#define JIG_CLI_TUNE_BENCH_H

#include <limits.h>

#include "build_options.h"
#include "jit/arch.h"
#include "progress.h"
#include "tune_data.h"
#include "tune_search.h"

/* Results are compared with those by the tables at sizes up to the first of these for every candidate,
 * and up to the second one for what is taken in the end. */
enum { TUNE_COMPARED_ITEMS = 1 << 20, TUNE_CONFIRMED_ITEMS = 1 << 26 };

typedef struct tune_bench {
  gpu g;
  request *request;
  const spec *s; /* of the program that is tuned */
  arch target;
  const build_options *build;
  unsigned jobs;
  double end_ms; /* when the time is up */
  char folder[PATH_MAX];
  run_plan plans[TUNE_MAX_SIZES]; /* a call of each size, the smallest first */
  uint64_t sizes[TUNE_MAX_SIZES];
  int size_count;
  tune_data data;
  void *temp;
  size_t temp_bytes;
  bool spills;     /* it does not matter what is spilled */
  int spill_bytes; /* what tables' kernels spill, which nothing else is to exceed */
  bool has_wanted[TUNE_MAX_SIZES];
  void *wanted[TUNE_MAX_SIZES][RUN_MAX_OUTPUTS]; /* the tables' results, where there is room for them */
  tune_likeness likeness;                        /* the least of all candidates that were timed */
  progress bar;
  size_t done;
  const tuning_told *tables;
} tune_bench;

/* Makes calls of these sizes, as far as the GPU has memory for them. EXIT_OK or a code, having
 * complained; tune_bench_close() in any case. */
int tune_bench_open(tune_bench *b, const run_row *row, const run_numbers *numbers);
void tune_bench_close(tune_bench *b);

/* What tune_search() asks for; `user` is a bench. */
tune_asks tune_bench_asks(tune_bench *b);

/* Builds some trials, at most TUNE_BATCH, and compares their results at all sizes, but times none: what
 * is wrong with one is in there. The same codes. */
int tune_bench_check(tune_bench *b, tune_trial *trials, int count);

/* Whether results are the tables' with these values, at larger sizes, too. EXIT_OK, or a code: having
 * complained, EXIT_FAILED also if they are not. */
int tune_bench_compare_all(tune_bench *b, const tuning_told *at);

#endif
