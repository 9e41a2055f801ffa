/* bench-run linked: GPU time of kernels that the first tier has linked with operators from source, and of
 * those that take their place. */
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "gpu.h"
#include "jit/arch.h"
#include "processes.h"
#include "report.h"
#include "source_cases.h"

enum { CALLS = 20, LINKED = 0, COMPILED = 1 };

typedef struct linked_run {
  const options *o;
  const char *scratch;
  char layer[SCRATCH_SIZE + 16]; /* which calls' kernels are linked with */
  int opened;
  FILE *csv;
} linked_run;

/* One that links has a cache that has nothing yet. */
static jig_engine *open_engine(linked_run *r, bool is_linked) {
  char cache[SCRATCH_SIZE + 24];
  const jig_engine_config config = {.cache_dir = cache,
                                    .cache_path = is_linked ? r->layer : "",
                                    .first_tier = is_linked ? JIG_SWITCH_ON : JIG_SWITCH_OFF};
  jig_engine *engine;
  if (is_linked)
    (void)snprintf(cache, sizeof cache, "%s/%d", r->scratch, r->opened++);
  else
    (void)snprintf(cache, sizeof cache, "%s/compiled", r->scratch);
  JIG(jig_engine_create(&engine, &config));
  return engine;
}

/* A graph keeps the kernels that were there when it was captured. What is linked is captured at once, so
 * that what is compiled in the background comes too late. */
static captured capture(contender *c, bool is_linked) {
  jig_engine_stats stats;
  const task t = contender_task(c);
  const captured graph = capture_runs(gpu_stream(), &t, CALLS);
  JIG(jig_engine_get_stats(c->engine, &stats));
  if (is_linked != (stats.linked_kernels > 0)) die("not the kernels that were to be captured");
  return graph;
}

static void measure(linked_run *r, const arena *a, const char *name, uint64_t n) {
  static const char *const names[] = {[LINKED] = "linked", [COMPILED] = "compiled"};
  contender calls[2][CONTENDERS];
  captured graphs[2];
  task replays[2];
  spread us[2];
  char sized[CASE_NAME_SIZE + 24];
  for (int k = LINKED; k <= COMPILED; ++k) {
    (void)contenders_open(calls[k], a, n, open_engine(r, k == LINKED), true);
    graphs[k] = capture(&calls[k][BENCH_JIG], k == LINKED);
    replays[k] = captured_task(&graphs[k]);
  }
  time_on_gpu(gpu_stream(), replays, 2, 1, r->o->samples, us);
  (void)snprintf(sized, sizeof sized, "%s/%llu", name, (unsigned long long)n);
  (void)printf("%s: %.2f times as long\n", sized, us[LINKED].median / us[COMPILED].median);
  for (int k = LINKED; k <= COMPILED; ++k) {
    report_figure(r->csv, "gpu_time", sized, names[k], "us", spread_scale(us[k], 1.0 / CALLS));
    captured_free(&graphs[k]);
    contenders_close(calls[k], 1);
    jig_engine_destroy(calls[k][BENCH_JIG].engine);
  }
}

static void measure_sizes(linked_run *r, const bench_case *c, const char *name) {
  static const uint64_t usual[] = {(uint64_t)1 << 12, (uint64_t)1 << 16, (uint64_t)1 << 20,
                                   (uint64_t)1 << 24};
  const uint64_t *sizes = r->o->sizes_given ? r->o->sizes : usual;
  const int count = r->o->sizes_given ? r->o->size_count : (int)(sizeof usual / sizeof usual[0]);
  const arch target = arch_of_sm(gpu_device()->sm, gpu()->takes_ptx_only);
  arena a = arena_new(c, sizes[count - 1]);
  source_case_prepare(c, r->layer, target.name);
  for (int i = 0; i < count; ++i) measure(r, &a, name, sizes[i]);
  arena_free(&a);
}

int command_linked(const options *o) {
  linked_run r = {.o = o, .scratch = scratch_make()};
  if (!gpu_open()) {
    (void)printf("There is no GPU here: %s\n", jig_last_error());
    return EXIT_NO_GPU;
  }
  (void)snprintf(r.layer, sizeof r.layer, "%s/layer", r.scratch);
  r.csv = csv_open(o, true, FIGURE_COLUMNS, NULL);
  for (const bench_case *c = source_cases; c->algorithm != NULL; ++c) {
    char name[CASE_NAME_SIZE];
    case_name(c, name);
    if (o->only == NULL || strstr(name, o->only) != NULL) measure_sizes(&r, c, name);
  }
  csv_close(r.csv);
  scratch_remove();
  gpu_close();
  return EXIT_DONE;
}
