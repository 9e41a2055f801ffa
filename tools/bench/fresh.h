/* What a fresh process measures for its parent. */
#ifndef JIG_BENCH_FRESH_H
#define JIG_BENCH_FRESH_H

#include <stdbool.h>
#include <stdio.h>

typedef enum fresh_mode {
  FRESH_COLD,           /* the cache is empty */
  FRESH_COLD_OPEN,      /* and NVRTC is open already */
  FRESH_HIT,            /* the cache has it */
  FRESH_HIT_DRIVER_WARM /* and the driver has loaded the same cubin before */
} fresh_mode;

static inline bool fresh_is_build(fresh_mode mode) {
  return mode == FRESH_COLD || mode == FRESH_COLD_OPEN;
}

typedef struct fresh_figures {
  double total_ms;       /* from before the first call into jig until it returned */
  double compile_ms;     /* as jig counts */
  double load_ms;        /* as jig counts */
  double raw_library_ms; /* cuLibraryLoadData of the same cubin, afterwards */
  double raw_load_ms;    /* that, and finding and loading its kernel */
  int hit, with_gpu, nvrtc_open_before, nvrtc_open_after;
} fresh_figures;

/* How they travel through the pipe. */
void fresh_write(FILE *file, const fresh_figures *f);
bool fresh_read(FILE *file, fresh_figures *f);

#endif
