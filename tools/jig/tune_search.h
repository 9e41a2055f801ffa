/* How jig tune looks for better values: from what the tables say it goes on, again and again, to the best
 * of all that differ in one knob, as long as that is faster. Nothing here knows a GPU: what is asked for
 * is done by functions. */
#ifndef JIG_CLI_TUNE_SEARCH_H
#define JIG_CLI_TUNE_SEARCH_H

#include "policy/space.h"
#include "tune_items.h"

enum { TUNE_MAX_SIZES = 32, TUNE_BATCH = 16, TUNE_MAX_REASONS = 8 };

/* What was found out of some values. */
typedef struct tune_trial {
  tuning_told at;
  const char *why_not;       /* it is left out: why, of TUNE_MAX_REASONS at most; NULL: it was timed */
  double ms[TUNE_MAX_SIZES]; /* the median of each size, interleaved with the others of the batch */
} tune_trial;

typedef struct tune_asks {
  void *user;
  int sizes;
  /* Whether values may be had together. */
  bool (*allows)(void *user, const tuning_told *at);
  /* So many trials are ahead in this round. */
  void (*plan)(void *user, size_t count);
  /* Builds, checks and times some trials at once, the first of which is known to be good. EXIT_OK, or a
   * code having complained. */
  int (*measure)(void *user, tune_trial *trials, int count);
  bool (*is_over)(void *user); /* the time that may be spent */
} tune_asks;

typedef struct tune_result {
  tuning_told best; /* all values; what the tables say if nothing is better */
  double gain;      /* over these: the geometric mean over all sizes; 1: nothing is */
  double gains[TUNE_MAX_SIZES];
  size_t tried, out; /* trials, and those that were left out, */
  struct tune_reason {
    const char *why;
    size_t count;
  } reasons[TUNE_MAX_REASONS]; /* for these reasons; `why` is NULL behind the last */
  size_t rounds;
  bool was_cut; /* the time was up before all was tried */
} tune_result;

/* The ratio of the times of two trials at each size, and their geometric mean. */
double tune_gain(const tune_trial *before, const tune_trial *after, int sizes, double gains[]);

/* Whether that is worth a line of wisdom: the mean is 2 % or more, and no size is more than 3 % slower.
 */
bool tune_is_better(double gain, const double gains[], int sizes);

/* Values from all over the spaces, each third knob another one than the tables say, on average; that may
 * be had together. False: none were found. */
bool tune_draw(const tuning_told *tables, const tune_asks *asks, uint64_t *state, tuning_told *drawn);

/* EXIT_OK, or what measuring returned. */
int tune_search(const tuning_told *tables, const tune_asks *asks, tune_result *result);

#endif
