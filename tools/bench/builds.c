/* Cold builds and cache hits, each in a process of its own: bench-run starts itself again. This file is
 * the parent's half, fresh.c the other. */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "commands.h"
#include "fresh.h"
#include "gpu.h"
#include "report.h"

extern char **environ;

enum { MOST_PROCESSES = 101, PATH_SIZE = 512 };

/* ---- scratch directories */

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *walk) {
  (void)status, (void)type, (void)walk;
  return remove(path);
}

static void remove_tree(const char *path) {
  enum { OPEN_AT_ONCE = 16 };
  (void)nftw(path, remove_one, OPEN_AT_ONCE, FTW_DEPTH | FTW_PHYS);
}

static char scratch[PATH_SIZE];

static void remove_scratch(void) {
  if (scratch[0] != '\0') remove_tree(scratch);
  scratch[0] = '\0';
}

/* Removed at the latest when the program ends. */
static void make_scratch(void) {
  const char *base = getenv("TMPDIR");
  (void)snprintf(scratch, PATH_SIZE, "%s/jig-bench-XXXXXX",
                 base != NULL && base[0] != '\0' ? base : "/tmp");
  if (mkdtemp(scratch) == NULL) {
    const int error = errno;
    char path[PATH_SIZE];
    memcpy(path, scratch, sizeof path);
    scratch[0] = '\0';
    die("%s: %s", path, strerror(error));
  }
  static bool promised;
  if (!promised && atexit(remove_scratch) != 0) die("out of memory");
  promised = true;
}

/* ---- one process */

static void set_cache(const char *cache) {
  if (setenv("JIG_CACHE_DIR", cache, 1) != 0) die("out of memory");
}

static pid_t start(char *const arguments[], int *output) {
  int ends[2];
  pid_t child;
  posix_spawn_file_actions_t actions;
  if (pipe2(ends, O_CLOEXEC) != 0) die("pipe: %s", strerror(errno));
  if (posix_spawn_file_actions_init(&actions) != 0 ||
      posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO) != 0) {
    die("out of memory");
  }
  (void)fflush(stdout);
  const int error = posix_spawn(&child, "/proc/self/exe", &actions, NULL, arguments, environ);
  if (error != 0) die("starting a process: %s", strerror(error));
  (void)posix_spawn_file_actions_destroy(&actions);
  (void)close(ends[1]);
  *output = ends[0];
  return child;
}

/* posix_spawn() takes what is not const and leaves it alone. */
static char *word(const char *text) {
  return (char *)(uintptr_t)text;
}

static fresh_figures run_fresh(const options *o, const char *name, fresh_mode mode, const char *cache,
                               const char *payload) {
  char number[16];
  (void)snprintf(number, sizeof number, "%d", (int)mode);
  char *const arguments[] = {word("bench-run"), word(FRESH_PROCESS), word(name), number,
                             word(o->arch),     word(payload),       NULL};
  set_cache(cache);
  int output, status = 0;
  const pid_t child = start(arguments, &output);
  fresh_figures f;
  FILE *lines = fdopen(output, "r");
  const bool read = lines != NULL && fresh_read(lines, &f);
  if (lines != NULL) (void)fclose(lines);
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (!read || status != 0) die("the process that measures %s failed (status %d)", name, status);
  return f;
}

/* ---- many */

typedef struct series {
  const options *o;
  const char *name;
  FILE *csv;
  fresh_figures figures[MOST_PROCESSES];
  int count;
} series;

static void run_series(series *s, fresh_mode mode) {
  s->count = s->o->processes < MOST_PROCESSES ? s->o->processes : MOST_PROCESSES;
  for (int i = 0; i < s->count; ++i) {
    char cache[PATH_SIZE + 32], payload[PATH_SIZE + 32];
    /* A build needs an empty cache; hits use that of the first build. */
    const int number = fresh_is_build(mode) ? 1000 * (int)mode + i : 1000 * (int)FRESH_COLD;
    (void)snprintf(cache, sizeof cache, "%s/%d", scratch, number);
    (void)snprintf(payload, sizeof payload, "%s/payload", scratch);
    s->figures[i] = run_fresh(s->o, s->name, mode, cache, payload);
    const fresh_figures *f = &s->figures[i];
    if (f->hit == fresh_is_build(mode))
      die("%s: %s", s->name, f->hit ? "a build was a hit" : "a hit was a build");
    if (!f->nvrtc_open_before && f->nvrtc_open_after != fresh_is_build(mode)) {
      die("%s: NVRTC was %s", s->name,
          f->nvrtc_open_after ? "opened for a hit" : "not opened for a build");
    }
  }
}

/* The figure that lies `offset` bytes into each process's. */
static spread spread_at(const series *s, size_t offset, size_t minus) {
  double values[MOST_PROCESSES];
  for (int i = 0; i < s->count; ++i) {
    const char *f = (const char *)&s->figures[i];
    double value, less = 0;
    memcpy(&value, f + offset, sizeof value);
    if (minus != 0) memcpy(&less, f + minus, sizeof less);
    values[i] = value - less;
  }
  return spread_of(values, s->count);
}

#define FIELD(member) offsetof(fresh_figures, member)
static void report_one(const series *s, const char *figure, size_t offset, size_t minus) {
  report_figure(s->csv, figure, s->name, "jig", "ms", spread_at(s, offset, minus));
}

static void measure_cold(series *s) {
  run_series(s, FRESH_COLD);
  const bool gpu_used = s->figures[0].with_gpu;
  if (!gpu_used) (void)printf("  in new processes, jig_prewarm():\n");
  if (gpu_used) (void)printf("  in new processes, the size query on the GPU:\n");
  report_one(s, "cold_build", FIELD(total_ms), 0);
  report_one(s, "cold_build_compiling", FIELD(compile_ms), 0);
  if (gpu_used) report_one(s, "cold_build_loading", FIELD(load_ms), 0);
  run_series(s, FRESH_COLD_OPEN);
  report_one(s, "cold_build_nvrtc_open", FIELD(total_ms), 0);
}

static void measure_hits(series *s) {
  run_series(s, FRESH_HIT);
  report_one(s, "disk_hit", FIELD(total_ms), 0);
  if (!s->figures[0].with_gpu) return;
  report_one(s, "disk_hit_loading", FIELD(load_ms), 0);
  report_one(s, "disk_hit_raw_library_load", FIELD(raw_library_ms), 0);
  report_one(s, "disk_hit_raw_load", FIELD(raw_load_ms), 0);
  report_one(s, "disk_hit_beyond_library_load", FIELD(total_ms), FIELD(raw_library_ms));
  run_series(s, FRESH_HIT_DRIVER_WARM);
  report_one(s, "disk_hit_warm_driver", FIELD(total_ms), 0);
  report_one(s, "disk_hit_warm_driver_beyond_library_load", FIELD(total_ms), FIELD(raw_library_ms));
  report_one(s, "disk_hit_warm_driver_beyond_load", FIELD(total_ms), FIELD(raw_load_ms));
}

void measure_builds(const options *o, const bench_case *c, FILE *csv) {
  char name[CASE_NAME_SIZE];
  case_name(c, name);
  make_scratch();
  series *s = calloc(1, sizeof *s);
  if (s == NULL) die("out of memory");
  *s = (series){.o = o, .name = name, .csv = csv};
  measure_cold(s);
  measure_hits(s);
  free(s);
  remove_scratch();
}
