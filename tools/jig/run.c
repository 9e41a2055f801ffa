#include "run.h"

#include <stdlib.h>
#include <string.h>

#include "chunks.h"
#include "gpu.h"
#include "report.h"
#include "run_buffers.h"
#include "run_outputs.h"
#include "util/clock.h"

typedef struct run {
  run_plan *p;
  const build_options *build;
  unsigned repeats;
  run_times *times;
  gpu g;
  jig_engine *engine;
  void *temp;
  size_t temp_bytes;
} run;

/* ---- the steps, in their order. Each returns an exit code, having complained. */

static int call(run *w) {
  jig_status status = w->p->row->call(w->engine, w->temp, &w->temp_bytes, w->p->args, w->g.stream);
  return status == JIG_SUCCESS ? EXIT_OK : jig_failure(status);
}

/* What the engine did for it. */
static int get_costs(run *w) {
  jig_engine_stats stats;
  const jig_status status = jig_engine_get_stats(w->engine, &stats);
  if (status != JIG_SUCCESS) return jig_failure(status);
  w->times->compiled = stats.misses > 0;
  w->times->compile_ms = stats.compile_ms;
  w->times->load_ms = stats.load_ms;
  return EXIT_OK;
}

/* A size query: it compiles the program, or loads it from the cache. */
static int get_program(run *w) {
  const double start = clock_ms();
  int code = build_options_engine(w->build, (jig_engine_config){0}, &w->engine);
  if (code == EXIT_OK) code = call(w);
  w->times->program_ms = clock_ms() - start;
  return code == EXIT_OK ? get_costs(w) : code;
}

static int take_inputs(run *w) {
  return w->p->row->takes_buffers
             ? run_buffers_upload(w->p, &w->g, &w->times->inputs)
             : leaves_upload(&w->p->request->files->leaves, &w->g, false, &w->times->inputs);
}

/* What an operator of bulk is given: a struct with the array in it. */
static void give_array(run *w) {
  if (!w->p->row->has_array) return;
  w->p->array = w->p->outputs[0].device;
  ((jig_bulk_args *)w->p->args)->op.state = &w->p->array;
}

static int take_outputs(run *w) {
  int code = run_outputs_allocate(w->p, &w->g);
  if (code != EXIT_OK) return code;
  give_array(w);
  w->temp = gpu_alloc(&w->g, w->temp_bytes);
  return w->temp != NULL ? EXIT_OK : EXIT_FAILED;
}

static int get_results(run *w) {
  int code = call(w);
  const double start = clock_ms();
  if (code == EXIT_OK) code = run_outputs_download(w->p, &w->g);
  w->times->output_ms = clock_ms() - start;
  return code;
}

/* ---- the kernel's time. It has run once by now, so that nothing is cold. */

static int measure_into(run *w, double *times) {
  for (unsigned i = 0; i < w->repeats; ++i) {
    if (!gpu_clock_start(&w->g)) return EXIT_FAILED;
    int code = call(w);
    if (code != EXIT_OK) return code;
    if (!gpu_clock_stop(&w->g, &times[i])) return EXIT_FAILED;
  }
  w->times->kernel_median_ms = gpu_median(times, w->repeats);
  w->times->kernel_best_ms = times[0];
  w->times->repeats = w->repeats;
  return EXIT_OK;
}

static int measure(run *w) {
  if (w->repeats == 0) return EXIT_OK;
  double *times = calloc(w->repeats, sizeof *times);
  if (times == NULL) {
    complain("out of memory: the times of %u launches", w->repeats);
    return EXIT_FAILED;
  }
  int code = measure_into(w, times);
  free(times);
  return code;
}

/* ---- all of it */

/* All of the inputs at once. */
static int run_whole(run *w) {
  int code = get_program(w);
  if (code == EXIT_OK) code = take_inputs(w);
  if (code == EXIT_OK) code = take_outputs(w);
  if (code == EXIT_OK) code = get_results(w);
  return code == EXIT_OK ? measure(w) : code;
}

static int run_in_chunks(run *w) {
  const double start = clock_ms();
  int code = build_options_engine(w->build, (jig_engine_config){0}, &w->engine);
  if (code == EXIT_OK) code = chunks_run(w->p, &w->g, w->engine, w->times);
  w->times->program_ms = w->times->chunks.ready_ms - start;
  if (code == EXIT_OK) code = get_costs(w);
  return code;
}

int run_on_gpu(run_plan *p, const build_options *build, unsigned repeats, run_times *times) {
  *times = (run_times){.repeats = 0};
  run w = {.p = p, .build = build, .repeats = repeats, .times = times};
  const bool in_chunks = chunks_wanted(p);
  if (in_chunks) chunks_read_ahead(p, &times->chunks);
  int code = gpu_open(&w.g);
  if (code == EXIT_OK) code = in_chunks ? run_in_chunks(&w) : run_whole(&w);
  jig_engine_destroy(w.engine); /* its programs live in the context, which goes next */
  gpu_close(&w.g);
  return code;
}
