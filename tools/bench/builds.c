/* Cold builds and cache hits, each in a process of its own: bench-run starts itself again. This file is
 * the parent's half, fresh.c the other. */
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "fresh.h"
#include "gpu.h"
#include "processes.h"
#include "report.h"

enum { MOST_PROCESSES = 101, PATH_SIZE = SCRATCH_SIZE };

static fresh_figures run_fresh(const options *o, const char *name, fresh_mode mode, const char *cache,
                               const char *payload) {
  char number[16];
  (void)snprintf(number, sizeof number, "%d", (int)mode);
  char *const arguments[] = {process_word("bench-run"),
                             process_word(FRESH_PROCESS),
                             process_word(name),
                             number,
                             process_word(o->arch),
                             process_word(payload),
                             NULL};
  pid_t child;
  fresh_figures f;
  FILE *lines = process_start(arguments, cache, &child);
  const bool read = fresh_read(lines, &f);
  const int status = process_end(lines, child);
  if (!read || status != 0) die("the process that measures %s failed (status %d)", name, status);
  return f;
}

/* ---- many */

typedef struct series {
  const options *o;
  const char *name, *scratch;
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
    (void)snprintf(cache, sizeof cache, "%s/%d", s->scratch, number);
    (void)snprintf(payload, sizeof payload, "%s/payload", s->scratch);
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
  series *s = calloc(1, sizeof *s);
  if (s == NULL) die("out of memory");
  *s = (series){.o = o, .name = name, .scratch = scratch_make(), .csv = csv};
  measure_cold(s);
  measure_hits(s);
  free(s);
  scratch_remove();
}
