#include "tune_search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

/* What a step is worth taking for, and what the way is worth in the end. */
static const double least_step = 1.01, least_gain = 1.02, most_loss = 0.97;

double tune_gain(const tune_trial *before, const tune_trial *after, int sizes, double gains[]) {
  double logs = 0;
  for (int i = 0; i < sizes; ++i) {
    gains[i] = after->ms[i] > 0 && before->ms[i] > 0 ? before->ms[i] / after->ms[i] : 1;
    logs += log(gains[i]);
  }
  return sizes > 0 ? exp(logs / sizes) : 1;
}

static bool is_worth(double gain, const double gains[], int sizes, double least) {
  for (int i = 0; i < sizes; ++i)
    if (gains[i] < most_loss) return false;
  return gain >= least;
}

bool tune_is_better(double gain, const double gains[], int sizes) {
  return is_worth(gain, gains, sizes, least_gain);
}

/* ---- the trials of a round */

typedef struct trial_list {
  tune_trial *trials;
  size_t count, capacity;
} trial_list;

static int no_memory(void) {
  complain("out of memory");
  return EXIT_FAILED;
}

static bool is_same(const tuning_told *a, const tuning_told *b) {
  for (int k = 0; k < a->count; ++k)
    if (memcmp(a->of[k].values, b->of[k].values, sizeof a->of[k].values) != 0) return false;
  return true;
}

static bool has(const trial_list *list, const tuning_told *at) {
  for (size_t i = 0; i < list->count; ++i)
    if (is_same(&list->trials[i].at, at)) return true;
  return false;
}

static bool add(trial_list *list, const tuning_told *at) {
  if (list->count == list->capacity) {
    const size_t capacity = list->capacity > 0 ? 2 * list->capacity : 64;
    tune_trial *more = realloc(list->trials, capacity * sizeof *more);
    if (more == NULL) return false;
    list->trials = more;
    list->capacity = capacity;
  }
  list->trials[list->count++] = (tune_trial){.at = *at};
  return true;
}

/* The value that is so many steps off a knob's, in either direction; false: there is none. */
static bool step_off(const policy_knob *knob, int from, int distance, int *value) {
  int below = 0; /* values that are smaller: what the table says need not be among them */
  while (below < knob->count && knob->values[below] < from) ++below;
  const bool is_there = below < knob->count && knob->values[below] == from;
  const int at = distance < 0 ? below + distance : below + distance - 1 + is_there;
  if (at < 0 || at >= knob->count) return false;
  *value = knob->values[at];
  return true;
}

/* All that differ from `from` in one knob and were not tried before, the nearest first, so that what is
 * most likely to be good comes before the time is up. */
static bool list_neighbours(const tuning_told *from, const tune_asks *asks, const trial_list *seen,
                            trial_list *list) {
  for (int distance = 1; distance <= KNOB_MAX_VALUES; ++distance) {
    for (int k = 0; k < from->count; ++k) {
      const policy_space *space = from->of[k].space;
      for (int v = 0; space->knobs[v].name != NULL; ++v) {
        for (int sign = -1; sign <= 1; sign += 2) {
          tuning_told at = *from;
          if (!step_off(&space->knobs[v], from->of[k].values[v], sign * distance, &at.of[k].values[v]) ||
              has(seen, &at) || !asks->allows(asks->user, &at))
            continue;
          if (!add(list, &at)) return false;
        }
      }
    }
  }
  return true;
}

/* ---- a round */

typedef struct search {
  const tune_asks *asks;
  tune_result *result;
  trial_list seen;
  tuning_told best;
} search;

typedef struct step {
  tuning_told to;
  double gain;
} step;

static void leave_out(tune_result *r, const char *why) {
  ++r->out;
  for (int i = 0; i < TUNE_MAX_REASONS; ++i) {
    if (r->reasons[i].why == NULL) r->reasons[i].why = why;
    if (strcmp(r->reasons[i].why, why) != 0) continue;
    ++r->reasons[i].count;
    return;
  }
}

static int measure_batch(search *s, const tune_trial *batch, int count, step *best) {
  tune_trial trials[TUNE_BATCH + 1] = {{.at = s->best}};
  double gains[TUNE_MAX_SIZES];
  memcpy(&trials[1], batch, (size_t)count * sizeof *batch);
  const int code = s->asks->measure(s->asks->user, trials, count + 1);
  if (code != EXIT_OK) return code;
  s->result->tried += (size_t)count;
  for (int i = 1; i <= count; ++i) {
    if (!add(&s->seen, &trials[i].at)) return no_memory();
    if (trials[i].why_not != NULL) {
      leave_out(s->result, trials[i].why_not);
      continue;
    }
    const double gain = tune_gain(&trials[0], &trials[i], s->asks->sizes, gains);
    if (gain > best->gain && is_worth(gain, gains, s->asks->sizes, least_step))
      *best = (step){.to = trials[i].at, .gain = gain};
  }
  return EXIT_OK;
}

static int run_round(search *s, const trial_list *list, bool *goes_on) {
  step best = {.to = s->best, .gain = 1};
  int code = EXIT_OK;
  s->asks->plan(s->asks->user, list->count);
  for (size_t i = 0; i < list->count && code == EXIT_OK; i += TUNE_BATCH) {
    const size_t left = list->count - i;
    if (s->asks->is_over(s->asks->user)) {
      s->result->was_cut = true;
      break;
    }
    code = measure_batch(s, &list->trials[i], left < TUNE_BATCH ? (int)left : TUNE_BATCH, &best);
  }
  ++s->result->rounds;
  *goes_on = best.gain > 1 && !s->result->was_cut;
  s->best = best.to;
  return code;
}

/* The way as a whole, measured anew: steps are chosen by times that are the best of many. */
static int confirm(search *s, const tuning_told *tables) {
  tune_trial trials[2] = {{.at = *tables}, {.at = s->best}};
  tune_result *r = s->result;
  if (is_same(tables, &s->best)) return EXIT_OK;
  const int code = s->asks->measure(s->asks->user, trials, 2);
  if (code != EXIT_OK || trials[1].why_not != NULL) return code;
  const double gain = tune_gain(&trials[0], &trials[1], s->asks->sizes, r->gains);
  if (!tune_is_better(gain, r->gains, s->asks->sizes)) return EXIT_OK;
  r->best = s->best;
  r->gain = gain;
  return EXIT_OK;
}

bool tune_draw(const tuning_told *tables, const tune_asks *asks, uint64_t *state, tuning_told *drawn) {
  enum { MOST_DRAWS = 1000 };
  for (int draws = 0; draws < MOST_DRAWS; ++draws) {
    *drawn = *tables;
    for (int k = 0; k < drawn->count; ++k) {
      const policy_knob *knobs = drawn->of[k].space->knobs;
      for (int v = 0; knobs[v].name != NULL; ++v)
        if (tune_random(state) % 3 == 0)
          drawn->of[k].values[v] = knobs[v].values[tune_random(state) % (uint64_t)knobs[v].count];
    }
    if (!is_same(tables, drawn) && asks->allows(asks->user, drawn)) return true;
  }
  return false;
}

int tune_search(const tuning_told *tables, const tune_asks *asks, tune_result *result) {
  *result = (tune_result){.best = *tables, .gain = 1};
  search s = {.asks = asks, .result = result, .best = *tables};
  int code = add(&s.seen, tables) ? EXIT_OK : no_memory();
  for (bool goes_on = true; goes_on && code == EXIT_OK;) {
    trial_list list = {0};
    code = list_neighbours(&s.best, asks, &s.seen, &list) ? run_round(&s, &list, &goes_on) : no_memory();
    free(list.trials);
  }
  if (code == EXIT_OK) code = confirm(&s, tables);
  free(s.seen.trials);
  return code;
}
