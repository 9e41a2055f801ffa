#include "run.h"

#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "report.h"
#include "util/clock.h"

typedef struct run {
  const run_spec *r;
  const build_options *build;
  const input *in;
  unsigned repeats;
  run_result *result;
  gpu g;
  jig_engine *engine;
  call_operands o;
  void *temp;
  size_t temp_bytes;
} run;

/* ---- the steps, in their order. Each returns an exit code, having complained. */

static int call(run *w) {
  jig_status status =
      w->r->algorithm->call(w->engine, w->temp, &w->temp_bytes, w->r->s, &w->o, w->g.stream);
  return status == JIG_SUCCESS ? EXIT_OK : jig_failure(status);
}

/* A size query: it compiles the program, or loads it from the cache. */
static int get_program(run *w) {
  const double start = clock_ms();
  int code = build_options_engine(w->build, (jig_engine_config){0}, &w->engine);
  if (code == EXIT_OK) code = call(w);
  w->result->program_ms = clock_ms() - start;
  jig_engine_stats stats;
  if (code != EXIT_OK || jig_engine_get_stats(w->engine, &stats) != JIG_SUCCESS) return code;
  w->result->compiled = stats.misses > 0;
  w->result->compile_ms = stats.compile_ms;
  w->result->load_ms = stats.load_ms;
  return EXIT_OK;
}

static int upload(run *w, void *host) {
  double start = clock_ms();
  int code = input_read(w->in, host);
  w->result->file_ms = clock_ms() - start;
  if (code != EXIT_OK) return code;
  void *items = gpu_alloc(&w->g, w->in->bytes);
  if (items == NULL) return EXIT_FAILED;
  w->o.in = items;
  start = clock_ms();
  const bool ok = gpu_upload(&w->g, items, host, w->in->bytes);
  w->result->transfer_ms = clock_ms() - start;
  return ok ? EXIT_OK : EXIT_FAILED;
}

static int take_items(run *w) {
  void *host = malloc(w->in->bytes > 0 ? w->in->bytes : 1);
  if (host == NULL) {
    complain("out of memory: the content of %s", w->in->path);
    return EXIT_FAILED;
  }
  int code = upload(w, host);
  free(host);
  return code;
}

static int take_outputs(run *w) {
  const bool has_value = w->r->value.kind != JIG_KIND_NONE, has_index = w->r->index.kind != JIG_KIND_NONE;
  if (has_value) w->o.out = gpu_alloc(&w->g, w->r->value.size);
  if (has_index) w->o.index = gpu_alloc(&w->g, w->r->index.size);
  w->temp = gpu_alloc(&w->g, w->temp_bytes);
  const bool ok =
      (w->o.out != NULL || !has_value) && (w->o.index != NULL || !has_index) && w->temp != NULL;
  return ok ? EXIT_OK : EXIT_FAILED;
}

static int get_result(run *w) {
  int code = call(w);
  if (code != EXIT_OK) return code;
  bool ok = true;
  if (w->o.out != NULL) ok = gpu_download(&w->g, w->result->value, w->o.out, w->r->value.size);
  if (ok && w->o.index != NULL) ok = gpu_download(&w->g, w->result->index, w->o.index, w->r->index.size);
  return ok ? EXIT_OK : EXIT_FAILED;
}

/* ---- the kernel's time. It has run once by now, so that nothing is cold. */

static int compare(const void *left, const void *right) {
  const double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

static int measure_into(run *w, double *times) {
  for (unsigned i = 0; i < w->repeats; ++i) {
    if (!gpu_clock_start(&w->g)) return EXIT_FAILED;
    int code = call(w);
    if (code != EXIT_OK) return code;
    if (!gpu_clock_stop(&w->g, &times[i])) return EXIT_FAILED;
  }
  qsort(times, w->repeats, sizeof *times, compare);
  w->result->kernel_best_ms = times[0];
  w->result->kernel_median_ms = (times[(w->repeats - 1) / 2] + times[w->repeats / 2]) / 2;
  w->result->repeats = w->repeats;
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

int run_on_gpu(const run_spec *r, const build_options *build, const input *in, const void *init,
               unsigned repeats, run_result *result) {
  *result = (run_result){.repeats = 0};
  run w = {.r = r,
           .build = build,
           .in = in,
           .repeats = repeats,
           .result = result,
           .o = {.num_items = in->count, .init = init}};
  int code = gpu_open(&w.g);
  if (code == EXIT_OK) code = get_program(&w);
  if (code == EXIT_OK) code = take_items(&w);
  if (code == EXIT_OK) code = take_outputs(&w);
  if (code == EXIT_OK) code = get_result(&w);
  if (code == EXIT_OK) code = measure(&w);
  jig_engine_destroy(w.engine); /* its programs live in the context, which goes next */
  gpu_close(&w.g);
  return code;
}
