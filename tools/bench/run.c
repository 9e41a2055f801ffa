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
static bool measure_graphs(contender both[CONTENDERS], const task tasks[CONTENDERS], int samples,
                           result *r) {
  captured graphs[CONTENDERS] = {{0}};
  task replays[CONTENDERS] = {{0}};
  const bool small = case_moved_bytes(r->benched, r->n) <= SMALL_BYTES;
  const int count = r->benched->cub_waits ? 1 : r->count; /* jig is the first */
  for (int k = 0; k < count; ++k) {
    graphs[k] = capture_runs(gpu_stream(), &tasks[k], GRAPH_RUNS);
    replays[k] = captured_task(&graphs[k]);
  }
  time_on_gpu(gpu_stream(), replays, count, small ? MANY_REPLAYS : 1, samples, r->graph);
  for (int k = 0; k < count; ++k) r->graph[k] = spread_scale(r->graph[k], 1.0 / GRAPH_RUNS);
  const bool same = count < CONTENDERS || verify(both, replays, r->n + 2, "replayed from a graph");
  for (int k = 0; k < count; ++k) captured_free(&graphs[k]);
  return same;
}

static result measure(const arena *a, uint64_t n, int samples, jig_engine *engine) {
  contender both[CONTENDERS];
  result r = {.benched = a->benched, .n = n};
  r.count = contenders_open(both, a, n, engine);
  task tasks[CONTENDERS] = {{0}};
  for (int k = 0; k < r.count; ++k) {
    tasks[k] = contender_task(&both[k]);
    r.temp_bytes[k] = both[k].temp_bytes;
  }
  const bool compared = r.count == CONTENDERS;
  bool same = !compared || verify(both, tasks, n, "before timing");
  const bool small = case_moved_bytes(r.benched, n) <= SMALL_BYTES;
  time_on_gpu(gpu_stream(), tasks, r.count, small ? MANY_RUNS : 1, samples, r.stream);
  if (n <= MOST_GRAPH_ITEMS) same &= measure_graphs(both, tasks, samples, &r);
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

static bool run_case(const options *o, const bench_case *c, jig_engine *engine, report *r) {
  const size_t available = gpu_free_bytes();
  int count = 0;
  while (count < o->size_count && fits(o, c, o->sizes[count], available)) ++count;
  char name[CASE_NAME_SIZE];
  case_name(c, name);
  if (count < o->size_count) {
    (void)printf("%-42s from n = %llu on left out: too much memory\n", name,
                 (unsigned long long)o->sizes[count]);
  }
  if (count == 0) return true;
  arena a = arena_new(c, o->sizes[count - 1]);
  bool same = true;
  for (int i = 0; i < count; ++i) {
    const result measured = measure(&a, o->sizes[i], o->samples, engine);
    same &= measured.verified != DIFFERED;
    report_add(r, &measured);
  }
  arena_free(&a);
  return same;
}

int command_run(const options *o) {
  if (!gpu_open()) {
    (void)printf("There is no GPU here: %s\n", jig_last_error());
    return EXIT_NO_GPU;
  }
  const jig_engine_config no_cache = {.cache_dir = ""};
  jig_engine *engine;
  JIG(jig_engine_create(&engine, &no_cache));
  if (cub_families[0] == NULL) {
    (void)printf("CUB is not in this build (nvcc was not there): jig is measured alone\n");
  }
  (void)printf("%s, %d samples a measurement\n", gpu_device()->name, o->samples);
  wake();
  report r = report_open(o);
  bool same = true;
  for (const bench_family *const *family = bench_families; *family != NULL; ++family) {
    for (size_t i = 0; i < (*family)->count; ++i) {
      char name[CASE_NAME_SIZE];
      case_name(&(*family)->cases[i], name);
      if (options_want(o, name)) same &= run_case(o, &(*family)->cases[i], engine, &r);
    }
  }
  report_close(&r);
  jig_engine_destroy(engine);
  gpu_close();
  if (!same) (void)fprintf(stderr, "bench: FAILED: jig's results differ from CUB's\n");
  return same ? EXIT_DONE : EXIT_FAILED;
}
