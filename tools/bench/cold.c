/* bench-run cold: from the start of a process to the first result of its first call, with an empty cache;
 * one case for each algorithm, at a small number of items and at a large one, which take other kernels.
 * The same with a read-only layer that has their programs, as the cache that is shipped is one. And calls
 * by operators from source that are linked with kernels, which such a layer has.
 *
 * Without a GPU there is a driver that has nothing behind it ($(BUILD)/bench/no-gpu.so): the size query
 * chooses and compiles the same machine code, and that is all. */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "commands.h"
#include "gpu.h"
#include "jit/algorithm.h"
#include "processes.h"
#include "report.h"
#include "source_cases.h"
#include "util/clock.h"

enum { MOST_PROCESSES = 101 };

/* Of each algorithm, what most would call first. */
static const char *const first_calls[] = {"reduce/i32/sum",
                                          "arg_reduce/f32/min",
                                          "min_max/f32/both",
                                          "segmented_reduce/f32/sum_offsets_256",
                                          "segmented_arg_reduce/f32/min_offsets_256",
                                          "scan/i32/inclusive_sum",
                                          "scan_by_key/i32/sum_runs_8",
                                          "segmented_scan/i32/sum_offsets_300",
                                          "reduce_by_key/i32/sum_runs_8",
                                          "run_length_encode/i32/runs_8",
                                          "non_trivial_runs/i32/runs_8",
                                          "select/i32/if_50",
                                          "unique/i32/runs_8",
                                          "partition/i32/if_50",
                                          "three_way_partition/i32/if_10_40",
                                          "radix_sort/u32/keys",
                                          "radix_sort/u32/pairs_u32",
                                          "segmented_sort/u32/keys_sort_1000",
                                          "merge_sort/u32/keys",
                                          "merge/u32/keys",
                                          "set_union/u32/keys",
                                          "is_sorted/u32/sorted",
                                          "top_k/u32/keys_256",
                                          "segmented_top_k/f32/rows_16384_64",
                                          "nth_element/u32/median",
                                          "copy/i32/copy",
                                          "reverse/u32/whole",
                                          "transform/f32/muladd",
                                          "for_each/u32/in_place",
                                          "for_each/u32/bulk",
                                          "memcpy_batched/u8/bytes1_7",
                                          "copy_batched/u32/items1_255",
                                          "adjacent_difference/i32/left",
                                          "histogram/u8/even256_uniform",
                                          "find_if/u32/none",
                                          "lower_bound/u32/random"};

/* What one process finds. */
typedef struct first_call {
  double wall_ms, cpu_ms; /* from the start of the process */
  double call_ms;         /* of the call alone: a program has a context anyhow */
  double compile_ms;      /* as jig counts, which adds up what runs side by side */
  double kernels;         /* that the call compiled */
} first_call;

/* ---- the process */

/* Zeros are right for every input: no segments, no samples but one, in order. */
static void allocate(const bench_case *c, bench_data *data) {
  for (int i = 0; i < BENCH_ARRAYS; ++i) {
    data->in[i] = gpu_alloc(array_bytes(&c->in[i], data->n));
    gpu_set(data->in[i], 0, array_bytes(&c->in[i], data->n));
    data->out[i] = gpu_alloc(array_bytes(&c->out[i], data->n));
  }
}

static void call_and_wait(const bench_case *c, const bench_data *data, size_t bytes) {
  void *temp = gpu_alloc(bytes);
  JIG(c->call(data, NULL, temp, &bytes, gpu_stream()));
  GPU(gpu()->cuStreamSynchronize(gpu_stream()));
}

static double cpu_ms(void) {
  struct rusage used;
  (void)getrusage(RUSAGE_SELF, &used);
  return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1e3 +
         (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e3;
}

static void write_figures(double since, double called) {
  jig_engine_stats stats;
  const double now = clock_ms(), cpu = cpu_ms();
  JIG(jig_engine_get_stats(NULL, &stats));
  const uint64_t kernels = stats.kernels - stats.background_kernels;
  (void)printf("%.3f %.3f %.3f %.3f %llu\n", now - since, cpu, now - called, stats.compile_ms,
               (unsigned long long)kernels);
}

static const bench_case *find_any_case(const char *name) {
  const bench_case *c = source_case_find(name);
  return c != NULL ? c : case_find(name);
}

/* Ends at once, as nobody wants what is compiled in the background. */
int command_first_call(int argc, char **argv) {
  enum { CASE = 2, SIZE, SINCE, CALLS, LAYER, COUNT };
  const bench_case *c = argc == COUNT ? find_any_case(argv[CASE]) : NULL;
  if (c == NULL) die("%s is for bench-run's own use", FIRST_CALL);
  _Alignas(16) static unsigned char args[BENCH_ARGS_SIZE];
  bench_data data = {.n = strtoull(argv[SIZE], NULL, 10), .args = args};
  const bool calls = strcmp(argv[CALLS], "1") == 0;
  size_t bytes = 0;
  if (argv[LAYER][0] != '\0' &&
      (setenv("JIG_CACHE_PATH", argv[LAYER], 1) != 0 || setenv("JIG_FIRST_TIER", "1", 1) != 0))
    die("out of memory");
  if (!gpu_open()) die("%s", jig_last_error());
  if (calls) allocate(c, &data);
  c->arrange(c, &data);
  const double called = clock_ms();
  JIG(c->call(&data, NULL, NULL, &bytes, gpu_stream()));
  if (calls) call_and_wait(c, &data, bytes);
  write_figures(strtod(argv[SINCE], NULL), called);
  (void)fflush(stdout);
  _exit(EXIT_DONE);
}

/* ---- the parent */

typedef struct cold_run {
  const options *o;
  bool with_gpu;
  const char *scratch;
  const char *figure;            /* what is measured */
  char layer[SCRATCH_SIZE + 16]; /* "": none */
  int started;
  FILE *csv;
} cold_run;

static first_call run_first_call(cold_run *r, const char *name, uint64_t n) {
  char cache[SCRATCH_SIZE + 16], size[24], since[32];
  (void)snprintf(cache, sizeof cache, "%s/%d", r->scratch, r->started++);
  (void)snprintf(size, sizeof size, "%llu", (unsigned long long)n);
  (void)snprintf(since, sizeof since, "%.6f", clock_ms());
  char *const arguments[] = {process_word("bench-run"),
                             process_word(FIRST_CALL),
                             process_word(name),
                             size,
                             since,
                             process_word(r->with_gpu ? "1" : "0"),
                             r->layer,
                             NULL};
  pid_t child;
  first_call f;
  FILE *line = process_start(arguments, cache, &child);
  const bool read = fscanf(line, "%lf %lf %lf %lf %lf", &f.wall_ms, &f.cpu_ms, &f.call_ms, &f.compile_ms,
                           &f.kernels) == 5;
  if (process_end(line, child) != 0 || !read) die("the process that calls %s failed", name);
  return f;
}

static void report_one(const cold_run *r, const char *part, const char *name, const char *unit,
                       double *values, int count) {
  char figure[64];
  (void)snprintf(figure, sizeof figure, "%s%s", r->figure, part);
  report_figure(r->csv, figure, name, "jig", unit, spread_of(values, count));
}

static void measure(cold_run *r, const char *name, uint64_t n) {
  static double wall[MOST_PROCESSES], cpu[MOST_PROCESSES], call[MOST_PROCESSES], compile[MOST_PROCESSES],
      kernels;
  const int count = r->o->processes < MOST_PROCESSES ? r->o->processes : MOST_PROCESSES;
  char sized[CASE_NAME_SIZE + 24];
  for (int i = 0; i < count; ++i) {
    const first_call f = run_first_call(r, name, n);
    wall[i] = f.wall_ms;
    cpu[i] = f.cpu_ms;
    call[i] = f.call_ms;
    compile[i] = f.compile_ms;
    kernels = f.kernels;
  }
  (void)snprintf(sized, sizeof sized, "%s/%llu", name, (unsigned long long)n);
  (void)printf("%s\n", sized);
  report_one(r, "", sized, "ms", wall, count);
  report_one(r, "_cpu", sized, "ms", cpu, count);
  report_one(r, "_call", sized, "ms", call, count);
  report_one(r, "_compiling", sized, "ms", compile, count);
  report_one(r, "_kernels", sized, "kernels", &kernels, 1);
}

/* A driver that chooses as an H200's does, and does nothing. */
static void do_without_gpu(const options *o) {
  char program[SCRATCH_SIZE], path[SCRATCH_SIZE + 16];
  const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  if (length < 0) die("/proc/self/exe cannot be read");
  program[length] = '\0';
  *strrchr(program, '/') = '\0';
  (void)snprintf(path, sizeof path, "%s/no-gpu.so", program);
  if (access(path, R_OK) != 0) die("there is no GPU, and no %s: make bench-build", path);
  const char *sm = strrchr(o->arch, '_');
  if (sm == NULL || setenv("JIG_DRIVER", path, 1) != 0 || setenv("FAKE_SM", sm + 1, 1) != 0 ||
      setenv("FAKE_MULTIPROCESSORS", "132", 1) != 0)
    die("--arch: not one such as sm_90");
  (void)printf("There is no GPU here: what the call compiles for %s, which is neither loaded nor run\n",
               o->arch);
}

/* Whether a case's program is of that algorithm. */
static bool is_of(const char *name, const char *of) {
  const bench_case *c = case_find(name);
  _Alignas(16) static unsigned char args[BENCH_ARGS_SIZE];
  const bench_data data = {.n = 1, .args = args};
  char wanted[96], *text;
  if (c == NULL) die("there is no case %s", name);
  c->arrange(c, &data);
  JIG(c->spec(&data, &text));
  (void)snprintf(wanted, sizeof wanted, "\"algorithm\":\"%s\"", of);
  const bool is = strstr(text, wanted) != NULL;
  jig_free(text);
  return is;
}

/* An algorithm that is added is to be measured, too. */
static void check_that_all_are_there(void) {
  for (const algorithm *const *a = algorithm_table; *a != NULL; ++a) {
    bool there = false;
    for (size_t i = 0; i < sizeof first_calls / sizeof first_calls[0]; ++i)
      there |= is_of(first_calls[i], (*a)->schema.algorithm);
    if (!there) die("cold.c has no first call of %s", (*a)->schema.algorithm);
  }
}

static void measure_sizes(cold_run *r, const char *name) {
  static const uint64_t sizes[] = {(uint64_t)1 << 12, (uint64_t)1 << 24};
  const bool given = r->o->sizes_given;
  if (r->o->only != NULL && strstr(name, r->o->only) == NULL) return;
  for (int k = 0; k < (given ? r->o->size_count : 2); ++k)
    measure(r, name, given ? r->o->sizes[k] : sizes[k]);
}

static void measure_hits(cold_run *r) {
  r->figure = "first_hit";
  (void)snprintf(r->layer, sizeof r->layer, "%s/shipped", r->scratch);
  for (size_t i = 0; i < sizeof first_calls / sizeof first_calls[0]; ++i) {
    if (r->o->only != NULL && strstr(first_calls[i], r->o->only) == NULL) continue;
    case_prewarm(case_find(first_calls[i]), r->layer, r->o->arch, jig_prewarm);
    measure_sizes(r, first_calls[i]);
  }
}

static void measure_linked(cold_run *r) {
  r->figure = "first_result";
  (void)snprintf(r->layer, sizeof r->layer, "%s/linked", r->scratch);
  for (const bench_case *c = source_cases; c->algorithm != NULL; ++c) {
    char name[CASE_NAME_SIZE];
    case_name(c, name);
    if (r->o->only != NULL && strstr(name, r->o->only) == NULL) continue;
    source_case_prepare(c, r->layer, r->o->arch);
    measure_sizes(r, name);
  }
}

int command_cold(const options *o) {
  cold_run r = {.o = o, .with_gpu = gpu_open(), .scratch = scratch_make(), .figure = "first_result"};
  check_that_all_are_there();
  r.csv = csv_open(o, r.with_gpu, FIGURE_COLUMNS, NULL);
  if (!r.with_gpu) do_without_gpu(o);
  for (size_t i = 0; i < sizeof first_calls / sizeof first_calls[0]; ++i)
    measure_sizes(&r, first_calls[i]);
  measure_linked(&r);
  measure_hits(&r);
  csv_close(r.csv);
  scratch_remove();
  return EXIT_DONE;
}
