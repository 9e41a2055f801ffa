/* bench-run run: GPU time of every case and size. */
#include <stdio.h>

#include "commands.h"
#include "gpu.h"
#include "report.h"
#include "util/clock.h"
#include "verify.h"

enum {
  GRAPH_RUNS = 20,
  MANY_RUNS = 50,   /* calls a sample, of small sizes */
  MANY_REPLAYS = 5, /* of a graph, likewise */
  SMALL_BYTES = 64000000,
  MOST_GRAPH_ITEMS = 1 << 24,
};

/* Brings the GPU out of its idle clocks. */
static void wake(void) {
  enum { ITEMS = 1 << 24, MS = 500 };
  static const char item[] =
      "typedef float item; inline item make(uint64_t r, uint64_t) { return unit(r); }";
  void *memory = gpu_alloc(ITEMS * sizeof(float));
  for (const double start = clock_ms(); clock_ms() - start < MS;) {
    gpu_fill(memory, ITEMS, item, 1);
    GPU(gpu()->cuStreamSynchronize(gpu_stream()));
  }
  gpu_free(memory);
}

/* Times both as graphs; checks, on other data than the graphs were captured with, that a replay computes
 * anew. */
static bool measure_graphs(const options *o, contender both[CONTENDERS], const task tasks[CONTENDERS],
                           result *r) {
  captured graphs[CONTENDERS] = {{0}};
  task replays[CONTENDERS] = {{0}};
  const bool small = case_moved_bytes(r->benched, r->n) <= SMALL_BYTES;
  const int count = r->benched->cub_waits ? 1 : r->count; /* jig is the first */
  const int calls = o->calls > 0 ? o->calls : GRAPH_RUNS;
  const int replays_a_sample = small && o->calls == 0 ? MANY_REPLAYS : 1;
  for (int k = 0; k < count; ++k) {
    graphs[k] = capture_runs(gpu_stream(), &tasks[k], calls);
    replays[k] = captured_task(&graphs[k]);
  }
  time_on_gpu(gpu_stream(), replays, count, replays_a_sample, o->samples, r->graph);
  for (int k = 0; k < count; ++k) r->graph[k] = spread_scale(r->graph[k], 1.0 / calls);
  const bool same = count < CONTENDERS || verify(both, replays, r->n + 2, "replayed from a graph");
  for (int k = 0; k < count; ++k) captured_free(&graphs[k]);
  return same;
}

static result measure(const options *o, const arena *a, uint64_t n, jig_engine *engine) {
  contender both[CONTENDERS];
  result r = {.benched = a->benched, .n = n};
  r.count = contenders_open(both, a, n, engine, o->alone);
  task tasks[CONTENDERS] = {{0}};
  for (int k = 0; k < r.count; ++k) {
    tasks[k] = contender_task(&both[k]);
    r.temp_bytes[k] = both[k].temp_bytes;
  }
  const bool compared = r.count == CONTENDERS;
  bool same = !compared || verify(both, tasks, n, "before timing");
  const bool small = case_moved_bytes(r.benched, n) <= SMALL_BYTES;
  const int calls = o->calls > 0 ? o->calls : small ? MANY_RUNS : 1;
  time_on_gpu(gpu_stream(), tasks, r.count, calls, o->samples, r.stream);
  if (n <= MOST_GRAPH_ITEMS) same &= measure_graphs(o, both, tasks, &r);
  if (compared) same &= verify(both, tasks, n + 1, "after timing");
  r.verified = !compared ? UNCHECKED : same ? AGREED : DIFFERED;
  contenders_close(both, r.count);
  return r;
}

/* What a case needs: its arrays, the outputs twice, and temp storage, guessed generously. */
static bool fits(const options *o, const bench_case *c, uint64_t n, size_t available) {
  uint64_t outputs = 0;
  for (int i = 0; i < BENCH_ARRAYS; ++i) outputs += array_bytes(&c->out[i], n);
  const uint64_t footprint = case_footprint(c, n);
  if (o->max_bytes > 0 && footprint > o->max_bytes) return false;
  return footprint + 3 * outputs + ((uint64_t)1 << 30) <= available;
}

/* ---- all of it, until there is no more time */

typedef struct run {
  const options *o;
  jig_engine *engine;
  report report;
  double start_ms;
  bool unfinished, differed;
} run;

/* Whether something that takes about so long may still be begun. */
static bool has_time(run *r, double takes_ms) {
  const double end_ms = r->start_ms + 1e3 * r->o->limit_s;
  r->unfinished |= r->o->limit_s > 0 && clock_ms() + takes_ms > end_ms;
  return !r->unfinished;
}

/* The sizes of a case that are to be measured: those that fit, and are not done. */
static int sizes_left(const run *r, const bench_case *c, const char *name, uint64_t sizes[MOST_SIZES]) {
  const options *o = r->o;
  const size_t available = gpu_free_bytes();
  int fitting = 0, left = 0;
  while (fitting < o->size_count && fits(o, c, o->sizes[fitting], available)) ++fitting;
  if (fitting < o->size_count) {
    (void)printf("%-42s from n = %llu on left out: too much memory\n", name,
                 (unsigned long long)o->sizes[fitting]);
  }
  for (int i = 0; i < fitting; ++i) {
    if (!finished_has(&r->report.before, c, o->sizes[i])) sizes[left++] = o->sizes[i];
  }
  return left;
}

/* A size takes as much longer than the one before as it has more items, at most. */
static void run_case(run *r, const bench_case *c, const char *name) {
  uint64_t sizes[MOST_SIZES];
  const int count = sizes_left(r, c, name, sizes);
  if (count == 0 || !has_time(r, 0)) return;
  arena a = arena_new(c, sizes[count - 1]);
  double took_ms = 0;
  for (int i = 0; i < count; ++i) {
    if (i > 0 && !has_time(r, took_ms * (double)sizes[i] / (double)sizes[i - 1])) break;
    const double began_ms = clock_ms();
    const result measured = measure(r->o, &a, sizes[i], r->engine);
    took_ms = clock_ms() - began_ms;
    r->differed |= measured.verified == DIFFERED;
    report_add(&r->report, &measured);
  }
  arena_free(&a);
}

static void run_families(run *r) {
  for (size_t f = 0; bench_families[f] != NULL; ++f) {
    for (size_t i = 0; i < bench_families[f]->count && !r->unfinished; ++i) {
      const bench_case *c = &bench_families[f]->cases[i];
      char name[CASE_NAME_SIZE];
      case_name(c, name);
      if (options_want(r->o, f, i)) run_case(r, c, name);
    }
  }
}

int command_run(const options *o) {
  run r = {.o = o, .start_ms = clock_ms()};
  if (!gpu_open()) {
    (void)printf("There is no GPU here: %s\n", jig_last_error());
    return EXIT_NO_GPU;
  }
  const jig_engine_config config = {.cache_dir = o->cache != NULL ? o->cache : ""};
  JIG(jig_engine_create(&r.engine, &config));
  if (cub_families[0] == NULL) {
    (void)printf("CUB is not in this build (nvcc was not there): jig is measured alone\n");
  }
  (void)printf("%s, %d samples a measurement\n", gpu_device()->name, o->samples);
  if (o->calls != 1) wake(); /* single calls are too short to time anything */
  r.report = report_open(o);
  r.differed = r.report.before.differed;
  run_families(&r);
  report_close(&r.report);
  jig_engine_destroy(r.engine);
  gpu_close();
  if (r.differed) (void)fprintf(stderr, "bench: FAILED: jig's results differ from CUB's\n");
  if (r.unfinished) (void)printf("the limit of %d s was reached: go on with --resume\n", o->limit_s);
  return r.unfinished ? EXIT_UNFINISHED : r.differed ? EXIT_DIFFERED : EXIT_DONE;
}
