/* bench-run host: what calls cost the host, and what programs cost until they can be launched. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "engine/engine.h"
#include "gpu.h"
#include "report.h"
#include "spec/canonical.h"
#include "util/clock.h"

/* How often calls are made; where the options say how many a sample, as many samples as they say. */
static int batch(const options *o) {
  return o->calls > 0 ? o->calls : 200;
}
static int batches(const options *o) {
  return o->calls > 0 ? o->samples : 101;
}
static int latency_samples(const options *o) {
  return o->calls > 0 ? o->samples : 2000;
}

/* ---- the null kernel: the same parameters and block, launched like jig's one item; and nothing to do */

typedef struct null_launch {
  CUfunction kernel;
  unsigned threads;
  void *parameters[64];
} null_launch;

static _Alignas(16) unsigned char null_values[256]; /* what every parameter points to */

static CUfunction compile_null(const bench_null *kernel, unsigned threads) {
  static const char form[] =
      "#include <bench/random.h>\n%s\n"
      "extern \"C\" __global__ void __launch_bounds__(%u) null_kernel(%s) {}\n";
  const size_t size = sizeof form + strlen(kernel->definitions) + strlen(kernel->parameters) + 16;
  char *source = malloc(size);
  if (source == NULL) die("out of memory");
  (void)snprintf(source, size, form, kernel->definitions, threads, kernel->parameters);
  const CUfunction null_kernel = gpu_compile(source, "null_kernel");
  free(source);
  return null_kernel;
}

static null_launch null_launch_of(const bench_null *kernel, CUfunction function, unsigned threads) {
  null_launch l = {.kernel = function, .threads = threads};
  if (kernel->parameter_count > 64) die("the null kernel has too many parameters");
  for (unsigned i = 0; i < kernel->parameter_count; ++i) l.parameters[i] = null_values;
  return l;
}

static void run_null(void *self, CUstream stream) {
  null_launch *l = self;
  GPU(gpu()->cuLaunchKernel(l->kernel, 1, 1, 1, l->threads, 1, 1, 0, stream, l->parameters, NULL));
}

/* ---- warm calls */

static void report_calls(FILE *csv, const char *figure, const char *size, const char *name, int first,
                         int count, const spread *us) {
  static const char *const impl[MOST_TASKS] = {"null", "jig", "cub"};
  char full[64];
  (void)snprintf(full, sizeof full, "%s%s", figure, size);
  for (int i = first; i < count; ++i) report_figure(csv, full, name, impl[i], "us", us[i]);
}

static void measure_calls(const options *o, const char *name, const char *size, const task *tasks,
                          int count, FILE *csv) {
  spread us[MOST_TASKS], beyond[MOST_TASKS];
  time_on_host(gpu_stream(), tasks, count, batch(o), batches(o), us, beyond);
  report_calls(csv, "call", size, name, 0, count, us);
  report_calls(csv, "call_beyond_launch", size, name, 1, count, beyond);
  time_latency(gpu_stream(), tasks, count, latency_samples(o), us);
  report_calls(csv, "call_and_wait", size, name, 0, count, us);
}

/* ---- prepared calls */

static void run_prepared(void *self, CUstream stream) {
  contender *c = self;
  JIG(jig_prepared_launch(c->prepared, c->temp, &c->temp_bytes, stream));
}

/* With a pointer that is set each time, though to what it was. */
static void run_moved(void *self, CUstream stream) {
  contender *c = self;
  JIG(jig_prepared_set_pointer(c->prepared, "in", c->data.in[0]));
  run_prepared(self, stream);
}

static void report_prepared(FILE *csv, const char *figure, const char *size, const char *name,
                            const spread us[MOST_TASKS]) {
  static const char *const how[MOST_TASKS] = {"", "prepared_", "moved_"};
  char full[64];
  for (int i = 1; i < MOST_TASKS; ++i) {
    (void)snprintf(full, sizeof full, "%s%s%s", how[i], figure, size);
    report_figure(csv, full, name, "jig", "us", us[i]);
  }
}

/* Args begin what data.args points to. */
static void measure_prepared(const options *o, const char *name, const char *size, null_launch *null,
                             contender *jig, const algorithm *of, FILE *csv) {
  const task tasks[MOST_TASKS] = {{run_null, null}, {run_prepared, jig}, {run_moved, jig}};
  spread us[MOST_TASKS], beyond[MOST_TASKS];
  JIG(jig_prepare(jig->engine, of->schema.algorithm, jig->data.args, of->args->size, &jig->prepared));
  time_on_host(gpu_stream(), tasks, MOST_TASKS, batch(o), batches(o), us, beyond);
  report_prepared(csv, "call", size, name, us);
  report_prepared(csv, "call_beyond_launch", size, name, beyond);
  time_latency(gpu_stream(), tasks, MOST_TASKS, latency_samples(o), us);
  report_prepared(csv, "call_and_wait", size, name, us);
  jig_prepared_free(jig->prepared);
}

/* ---- what is in memory already */

static void run_query(void *self, CUstream stream) {
  const contender *c = self;
  size_t bytes;
  JIG(c->benched->call(&c->data, c->engine, NULL, &bytes, stream));
}

typedef struct lookup {
  jig_engine *engine;
  const spec *s;
  program *found;
} lookup;

static jig_status choose_all(void *unused, program *p, kernel_set *needed) {
  (void)unused;
  (void)p;
  *needed = 0;
  return JIG_SUCCESS;
}

static void run_lookup(void *self, CUstream stream) {
  static const kernel_choice choice = {choose_all, NULL};
  lookup *l = self;
  double slow_since = 0;
  bool in_memory;
  JIG(engine_program(l->engine, l->s, "bench", stream, &choice, &l->found, &in_memory, &slow_since));
  if (!in_memory) die("the program is not in memory");
}

static void measure_memory_hit(const options *o, const char *name, contender *jig, lookup *l, FILE *csv) {
  const task tasks[] = {{run_lookup, l}, {run_query, jig}};
  spread us[2];
  time_on_host(gpu_stream(), tasks, 2, batch(o), batches(o), us, NULL);
  report_figure(csv, "memory_hit_lookup", name, "jig", "us", us[0]);
  report_figure(csv, "memory_hit_size_query", name, "jig", "us", us[1]);
}

/* ---- all of it */

static void measure_opened(const options *o, const bench_case *c, contender both[CONTENDERS], int count,
                           const char *size, FILE *csv) {
  char name[CASE_NAME_SIZE], *text;
  parsed_spec parsed;
  contender *jig = &both[BENCH_JIG];
  case_name(c, name);
  JIG(c->spec(&jig->data, &text));
  JIG(spec_parse(text, algorithm_schema, &parsed));
  lookup l = {jig->engine, &parsed.s, NULL};
  run_lookup(&l, gpu_stream());
  const unsigned threads = policy_threads(&l.found->kernels[0].tuning);
  const CUfunction null_kernel = compile_null(c->null_kernel, threads);
  null_launch null = null_launch_of(c->null_kernel, null_kernel, threads);
  task tasks[MOST_TASKS] = {{run_null, &null}};
  for (int k = 0; k < count; ++k) tasks[1 + k] = contender_task(&both[k]);
  measure_calls(o, name, size, tasks, 1 + count, csv);
  measure_prepared(o, name, size, &null, jig, algorithm_of(&parsed.s), csv);
  if (size[0] == '\0') measure_memory_hit(o, name, jig, &l, csv);
  parsed_spec_free(&parsed);
  jig_free(text);
}

static void measure_host(const options *o, const bench_case *c, FILE *csv) {
  /* One item; and as many as are launched while the kernel before still runs, by CUB as two kernels. */
  static const struct {
    uint64_t items;
    const char *name;
  } sizes[] = {{1, ""}, {65536, "_2^16"}};
  /* Nor what is built in the background, which takes of the processors that calls are made by. */
  const jig_engine_config no_cache = {.cache_dir = "", .background = JIG_SWITCH_OFF};
  jig_engine *engine;
  JIG(jig_engine_create(&engine, &no_cache));
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
    arena a = arena_new(c, sizes[i].items);
    contender both[CONTENDERS];
    const int count = contenders_open(both, &a, sizes[i].items, engine, o->alone);
    measure_opened(o, c, both, count, sizes[i].name, csv);
    contenders_close(both, count);
    arena_free(&a);
  }
  jig_engine_destroy(engine);
}

int command_host(const options *o) {
  const bool with_gpu = gpu_open();
  if (!with_gpu) {
    (void)printf("There is no GPU here: builds and cache hits only, through jig_prewarm() for %s\n",
                 o->arch);
  }
  FILE *csv = csv_open(o, with_gpu, FIGURE_COLUMNS, NULL);
  for (size_t f = 0; bench_families[f] != NULL; ++f) {
    for (size_t i = 0; i < bench_families[f]->count; ++i) {
      const bench_case *c = &bench_families[f]->cases[i];
      char name[CASE_NAME_SIZE];
      case_name(c, name);
      if (c->null_kernel == NULL || !options_want(o, f, i)) continue;
      (void)printf("%s\n", name);
      if (with_gpu) measure_host(o, c, csv);
      if (o->processes > 0) measure_builds(o, c, csv);
    }
  }
  csv_close(csv);
  if (with_gpu) gpu_close();
  return EXIT_DONE;
}
