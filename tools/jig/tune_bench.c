#include "tune_bench.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "jit/tuned.h"
#include "report.h"
#include "run_outputs.h"
#include "temp_file.h"
#include "util/clock.h"

/* ---- the folder of what is compiled */

static int make_folder(tune_bench *b) {
  if (temp_folder_make(b->folder, sizeof b->folder, "jig-tune")) return EXIT_OK;
  complain("%s: %s", b->folder, strerror(errno));
  b->folder[0] = '\0';
  return EXIT_FAILED;
}

/* ---- calls of all sizes */

static int make_plans(tune_bench *b, const run_row *row, const run_numbers *numbers) {
  static const char *const nowhere[RUN_MAX_OUTPUTS] = {NULL};
  int code = EXIT_OK;
  for (int i = 0; i < b->size_count && code == EXIT_OK; ++i) {
    b->request->files->leaves.made = b->sizes[i];
    code = run_plan_make(&b->plans[i], row, b->request, numbers, nowhere);
  }
  return code;
}

/* Outputs of every size are apart, a third more than those of the largest; and as much as inputs and
 * outputs is left for temp storage. */
static int fit_memory(tune_bench *b) {
  size_t room;
  if (b->g.cuda->cuMemGetInfo == NULL || !gpu_free_memory(&b->g, &room)) return EXIT_OK;
  const int most = b->size_count;
  while (b->size_count > 0) {
    const int last = b->size_count - 1;
    const uint64_t bytes = tune_data_item_bytes(&b->data, &b->plans[last]) * 5 / 2;
    if (bytes == 0 || b->sizes[last] <= room / bytes) break;
    run_plan_free(&b->plans[last]);
    --b->size_count;
  }
  if (b->size_count == 0) return usage_error("--sizes: the GPU has no memory for any");
  if (b->size_count < most)
    complain("the GPU has memory for %" PRIu64 " items at most", b->sizes[b->size_count - 1]);
  return EXIT_OK;
}

static int fill_plans(tune_bench *b) {
  int code = EXIT_OK;
  for (int i = b->size_count - 1; i >= 0 && code == EXIT_OK; --i) {
    code = tune_data_give(&b->data, &b->plans[i], b->sizes[i]);
    if (code == EXIT_OK) code = run_outputs_allocate(&b->plans[i], &b->g);
  }
  return code;
}

int tune_bench_open(tune_bench *b, const run_row *row, const run_numbers *numbers) {
  b->data.g = &b->g;
  b->spill_bytes = -1;
  int code = make_folder(b);
  if (code == EXIT_OK) code = make_plans(b, row, numbers);
  if (code == EXIT_OK) code = fit_memory(b);
  return code == EXIT_OK ? fill_plans(b) : code;
}

void tune_bench_close(tune_bench *b) {
  progress_end(&b->bar);
  for (int i = 0; i < TUNE_MAX_SIZES; ++i) {
    for (int o = 0; o < RUN_MAX_OUTPUTS; ++o) free(b->wanted[i][o]);
    run_plan_free(&b->plans[i]);
  }
  if (b->temp != NULL) (void)b->g.cuda->cuMemFree((CUdeviceptr)(uintptr_t)b->temp);
  if (b->folder[0] != '\0') temp_folder_remove(b->folder);
  gpu_close(&b->g);
}

/* ---- candidates: built side by side */

typedef struct candidate {
  tune_trial *trial;
  jig_engine *engine;
  jig_prewarm_result built;
  jig_status status;
  bool is_tables; /* nothing is told */
} candidate;

typedef struct crew {
  tune_bench *b;
  candidate *of;
  int count;
  const char *spec;
  atomic_int next;
  pthread_mutex_t mutex; /* guards the bar */
} crew;

static int make_engine(const tune_bench *b, candidate *c) {
  const jig_engine_config config = {.cache_dir = b->folder,
                                    .build = JIG_BUILD_ON_DEMAND,
                                    .jobs = 1,
                                    .background = JIG_SWITCH_OFF,
                                    .first_tier = JIG_SWITCH_OFF,
                                    .wisdom = ""};
  wisdom told = {.count = 0};
  int code = build_options_engine(b->build, config, &c->engine);
  if (code != EXIT_OK || c->is_tables) return code;
  if (!wisdom_add_line(&told, tuned_line(b->s, b->target.sm, &c->trial->at), "jig tune")) {
    complain("out of memory");
    return EXIT_FAILED;
  }
  engine_take_wisdom(c->engine, &told);
  return EXIT_OK;
}

static void note_built(crew *w) {
  (void)pthread_mutex_lock(&w->mutex);
  progress_at(&w->b->bar, ++w->b->done);
  (void)pthread_mutex_unlock(&w->mutex);
}

static void *build_some(void *argument) {
  crew *w = argument;
  for (int i; (i = atomic_fetch_add(&w->next, 1)) < w->count;) {
    candidate *c = &w->of[i];
    c->status = jig_prewarm(c->engine, w->spec, w->b->target.name, &c->built);
    if (!c->is_tables) note_built(w);
  }
  return NULL;
}

static void build_together(crew *w) {
  enum { MOST = TUNE_BATCH };
  pthread_t helpers[MOST];
  int started = 0;
  while (started + 1 < w->count && started + 1 < (int)w->b->jobs && started < MOST &&
         pthread_create(&helpers[started], NULL, build_some, w) == 0)
    ++started;
  (void)build_some(w);
  for (int i = 0; i < started; ++i) (void)pthread_join(helpers[i], NULL);
}

/* The tables' own are the measure of what may be spilled. */
static void judge_built(tune_bench *b, candidate *c) {
  if (c->status != JIG_SUCCESS)
    c->trial->why_not = "it does not compile";
  else if (c->is_tables || b->spill_bytes < 0)
    b->spill_bytes = c->built.spill_bytes > 0 ? c->built.spill_bytes : 0;
  else if (!b->spills && c->built.spill_bytes > b->spill_bytes)
    c->trial->why_not = "it spills registers";
}

static int build_candidates(tune_bench *b, candidate *of, int count) {
  char *text = NULL;
  int code = EXIT_OK;
  if (spec_write(b->s, "spec", &text) != JIG_SUCCESS) return jig_failure(JIG_ERROR_INVALID_ARGUMENT);
  crew w = {.b = b, .of = of, .count = count, .spec = text};
  (void)pthread_mutex_init(&w.mutex, NULL);
  for (int i = 0; i < count && code == EXIT_OK; ++i) code = make_engine(b, &of[i]);
  if (code == EXIT_OK) build_together(&w);
  (void)pthread_mutex_destroy(&w.mutex);
  jig_free(text);
  if (code == EXIT_OK && of[0].is_tables && of[0].status != JIG_SUCCESS) {
    complain("without any tuning it does not compile; jig prewarm says why");
    return EXIT_FAILED;
  }
  for (int i = 0; i < count && code == EXIT_OK; ++i) judge_built(b, &of[i]);
  return code;
}

/* ---- calls. What fails is told by the engine; a candidate that fails is out. */

static jig_status call(tune_bench *b, const candidate *c, int size, void *temp, size_t *bytes) {
  const run_plan *p = &b->plans[size];
  return p->row->call(c->engine, temp, bytes, p->args, b->g.stream);
}

/* Temp storage is as large as the largest that anybody has asked for. */
static bool have_temp(tune_bench *b, size_t bytes) {
  CUdeviceptr block = 0;
  if (bytes <= b->temp_bytes) return true;
  if (b->temp != NULL) (void)b->g.cuda->cuMemFree((CUdeviceptr)(uintptr_t)b->temp);
  b->temp = NULL;
  b->temp_bytes = 0;
  if (b->g.cuda->cuMemAlloc(&block, bytes) != CUDA_SUCCESS) return false;
  b->temp = (void *)(uintptr_t)block;
  b->temp_bytes = bytes;
  return true;
}

static bool prepare_calls(tune_bench *b, candidate *c) {
  for (int i = 0; i < b->size_count; ++i) {
    size_t bytes = 0;
    if (call(b, c, i, NULL, &bytes) != JIG_SUCCESS || !have_temp(b, bytes)) return false;
  }
  return true;
}

static bool run_call(tune_bench *b, const candidate *c, int size) {
  size_t bytes = b->temp_bytes;
  return call(b, c, size, b->temp, &bytes) == JIG_SUCCESS;
}

/* ---- results */

static uint64_t bytes_of(const run_array *o) {
  return o->room * o->type.size;
}

static bool clear_outputs(tune_bench *b, int size) {
  for (int i = 0; i < RUN_MAX_OUTPUTS; ++i) {
    const run_array *o = &b->plans[size].outputs[i];
    if (o->row != NULL && !gpu_clear(&b->g, o->device, bytes_of(o))) return false;
  }
  return true;
}

static bool download(tune_bench *b, int size, void *to[RUN_MAX_OUTPUTS]) {
  for (int i = 0; i < RUN_MAX_OUTPUTS; ++i) {
    const run_array *o = &b->plans[size].outputs[i];
    if (o->row == NULL) continue;
    if (to[i] == NULL) to[i] = malloc(bytes_of(o) + 1);
    if (to[i] == NULL) complain("out of memory: results");
    if (to[i] == NULL || !gpu_download(&b->g, to[i], o->device, bytes_of(o))) return false;
  }
  return true;
}

/* A top-k's results that are not sorted are in no order. */
static void order_results(const tune_bench *b, int size, void *results[RUN_MAX_OUTPUTS]) {
  const run_plan *p = &b->plans[size];
  const bool is_top_k =
      p->row->outputs[0].extent == EXTENT_K || p->row->outputs[0].extent == EXTENT_SEGMENTS_K;
  if (!is_top_k || run_plan_number(p, "is_sorted") != 0) return;
  for (int i = 0; i < RUN_MAX_OUTPUTS; ++i)
    if (p->outputs[i].row != NULL)
      tune_order(&p->outputs[i].type, results[i], p->outputs[i].room, p->numbers->k);
}

static bool results_of(tune_bench *b, const candidate *c, int size, void *to[RUN_MAX_OUTPUTS]) {
  if (!clear_outputs(b, size) || !run_call(b, c, size) || !download(b, size, to)) return false;
  order_results(b, size, to);
  return true;
}

static tune_likeness compare(const tune_bench *b, int size, void *const one[], void *const other[]) {
  tune_likeness least = TUNE_SAME;
  for (int i = 0; i < RUN_MAX_OUTPUTS; ++i) {
    const run_array *o = &b->plans[size].outputs[i];
    if (o->row == NULL) continue;
    const tune_likeness likeness = tune_compare(&o->type, one[i], other[i], o->room);
    if (likeness > least) least = likeness;
  }
  return least;
}

/* Only floating-point folds may be grouped in another way; and each of them in the same way every time,
 * unless the call does without that. */
static bool may_group(const tune_bench *b) {
  return schema_slot(b->s->schema, "determinism") >= 0;
}

static bool must_repeat(const tune_bench *b) {
  const spec_slot *determinism = spec_find(b->s, "determinism");
  return determinism == NULL || determinism->choice != JIG_DETERMINISM_NONE;
}

static const char *fault_of_results(tune_bench *b, const candidate *c, int size,
                                    void *results[RUN_MAX_OUTPUTS], void *again[RUN_MAX_OUTPUTS]) {
  if (!results_of(b, c, size, results) || !results_of(b, c, size, again)) return "a call fails";
  if (must_repeat(b) && compare(b, size, results, again) != TUNE_SAME)
    return "its results are not the same every time";
  const tune_likeness likeness = compare(b, size, results, b->wanted[size]);
  if (likeness == TUNE_OTHER || (likeness == TUNE_CLOSE && !may_group(b)))
    return "it gives other results";
  if (likeness > b->likeness) b->likeness = likeness;
  return NULL;
}

static void free_results(void *results[RUN_MAX_OUTPUTS]) {
  for (int i = 0; i < RUN_MAX_OUTPUTS; ++i) {
    free(results[i]);
    results[i] = NULL;
  }
}

/* NULL: they are the tables'. */
static const char *check_results(tune_bench *b, const candidate *c, uint64_t most_items) {
  const char *fault = NULL;
  for (int i = 0; i < b->size_count && b->sizes[i] <= most_items && fault == NULL; ++i) {
    void *results[RUN_MAX_OUTPUTS] = {NULL}, *again[RUN_MAX_OUTPUTS] = {NULL};
    if (b->has_wanted[i]) fault = fault_of_results(b, c, i, results, again);
    free_results(results);
    free_results(again);
  }
  return fault;
}

static bool have_wanted(tune_bench *b, const candidate *tables, uint64_t most_items) {
  for (int i = 0; i < b->size_count && b->sizes[i] <= most_items; ++i) {
    if (b->has_wanted[i]) continue;
    if (!results_of(b, tables, i, b->wanted[i])) return false;
    b->has_wanted[i] = true;
  }
  return true;
}

/* ---- times */

static bool time_calls(tune_bench *b, const candidate *c, int size, int calls, double *ms) {
  if (!gpu_clock_start(&b->g)) return false;
  for (int i = 0; i < calls; ++i)
    if (!run_call(b, c, size)) return false;
  if (!gpu_clock_stop(&b->g, ms)) return false;
  *ms /= calls;
  return true;
}

/* So many calls at a time that the clock's own steps do not count, and so often that the median is
 * steady. */
static bool time_size(tune_bench *b, candidate *of, int count, int size) {
  enum { REPEATS = 9, MOST_CALLS = 32 };
  const double least_ms = 0.3;
  double times[TUNE_BATCH + 1][REPEATS], one;
  if (!time_calls(b, &of[0], size, 1, &one)) return false;
  const int calls = one * MOST_CALLS < least_ms ? MOST_CALLS
                    : one > least_ms            ? 1
                                                : (int)(least_ms / one) + 1;
  for (int r = -1; r < REPEATS; ++r) { /* the first time is not counted */
    for (int i = 0; i < count; ++i) {
      if (of[i].trial->why_not != NULL) continue;
      if (!time_calls(b, &of[i], size, calls, &times[i][r < 0 ? 0 : r])) return false;
    }
  }
  for (int i = 0; i < count; ++i) {
    if (of[i].trial->why_not != NULL) continue;
    of[i].trial->ms[size] = gpu_median(times[i], REPEATS);
  }
  return true;
}

/* ---- a batch */

static int failed_call(void) {
  complain("a call fails: %s", jig_last_error());
  return EXIT_FAILED;
}

/* The tables' own program, whose results are the measure. */
static int find_wanted(tune_bench *b, uint64_t most_items) {
  tune_trial trial = {.at = *b->tables};
  candidate tables = {.trial = &trial, .is_tables = true};
  int code = build_candidates(b, &tables, 1);
  if (code == EXIT_OK && (!prepare_calls(b, &tables) || !have_wanted(b, &tables, most_items)))
    code = failed_call();
  jig_engine_destroy(tables.engine);
  return code;
}

static void check_built(tune_bench *b, candidate *of, int count, uint64_t most_items) {
  for (int i = 0; i < count; ++i) {
    tune_trial *t = of[i].trial;
    if (t->why_not == NULL && !prepare_calls(b, &of[i])) t->why_not = "a call fails";
    if (t->why_not == NULL) t->why_not = check_results(b, &of[i], most_items);
  }
}

static int measure_built(tune_bench *b, candidate *of, int count) {
  check_built(b, of, count, TUNE_COMPARED_ITEMS);
  if (of[0].trial->why_not != NULL) {
    complain("what was good before is not: %s", of[0].trial->why_not);
    return EXIT_FAILED;
  }
  for (int size = 0; size < b->size_count; ++size)
    if (!time_size(b, of, count, size)) return failed_call();
  return EXIT_OK;
}

static int begin(tune_bench *b, tune_trial *trials, candidate *of, int count, uint64_t compared) {
  for (int i = 0; i < count; ++i) of[i] = (candidate){.trial = &trials[i]};
  int code = b->spill_bytes < 0 ? find_wanted(b, compared) : EXIT_OK;
  return code == EXIT_OK ? build_candidates(b, of, count) : code;
}

static void end(tune_bench *b, candidate *of, int count) {
  (void)b->g.cuda->cuStreamSynchronize(b->g.stream);
  for (int i = 0; i < count; ++i) jig_engine_destroy(of[i].engine);
}

static int measure(void *user, tune_trial *trials, int count) {
  tune_bench *b = user;
  candidate of[TUNE_BATCH + 1];
  int code = begin(b, trials, of, count, TUNE_COMPARED_ITEMS);
  if (code == EXIT_OK) code = measure_built(b, of, count);
  end(b, of, count);
  return code;
}

int tune_bench_check(tune_bench *b, tune_trial *trials, int count) {
  candidate of[TUNE_BATCH + 1];
  const int code = begin(b, trials, of, count, UINT64_MAX);
  if (code == EXIT_OK) check_built(b, of, count, UINT64_MAX);
  end(b, of, count);
  return code;
}

int tune_bench_compare_all(tune_bench *b, const tuning_told *at) {
  tune_trial trial = {.at = *at};
  candidate c = {.trial = &trial};
  int code = find_wanted(b, TUNE_CONFIRMED_ITEMS);
  b->likeness = TUNE_SAME;
  if (code == EXIT_OK) code = build_candidates(b, &c, 1);
  if (code == EXIT_OK && !prepare_calls(b, &c)) code = failed_call();
  const char *fault = code == EXIT_OK ? check_results(b, &c, TUNE_CONFIRMED_ITEMS) : NULL;
  if (fault != NULL) complain("nothing is kept of what was found: %s", fault);
  (void)b->g.cuda->cuStreamSynchronize(b->g.stream);
  jig_engine_destroy(c.engine);
  return fault != NULL ? EXIT_FAILED : code;
}

/* ---- what the search asks for */

static bool allows(void *user, const tuning_told *at) {
  const tune_bench *b = user;
  char room[TUNED_WHY_SIZE];
  return tuned_fault(b->s, b->target.sm, at, room) == NULL;
}

static void plan(void *user, size_t count) {
  tune_bench *b = user;
  progress_end(&b->bar);
  progress_begin_count(&b->bar, "jig tune", "candidates", count);
  b->bar.most_ms = b->end_ms - b->bar.start_ms;
  b->done = 0;
}

static bool is_over(void *user) {
  const tune_bench *b = user;
  return clock_ms() > b->end_ms;
}

tune_asks tune_bench_asks(tune_bench *b) {
  return (tune_asks){.user = b,
                     .sizes = b->size_count,
                     .allows = allows,
                     .plan = plan,
                     .measure = measure,
                     .is_over = is_over};
}
