/* One run of an algorithm over files on the GPU, and where its time went. */
#ifndef JIG_CLI_RUN_H
#define JIG_CLI_RUN_H

#include "build_options.h"
#include "run_plan.h"

/* Of a run in chunks. What overlaps adds up to more than all of it. */
typedef struct chunk_times {
  uint64_t chunks, items; /* 0: it was not in chunks; items of the largest one */
  double start_ms;        /* when reading began; of pipes that is before all else */
  double ready_ms;        /* when there were programs and memory */
  double all_ms;          /* from the former on, to the last byte written */
  double kernel_ms;       /* of the GPU, all told */
  uint64_t runs;          /* of a sort: that were merged, 0 if there was one */
  uint64_t spilled;       /* bytes that went into temporary files */
} chunk_times;

typedef struct run_times {
  bool compiled;                           /* the program was; else the cache had it */
  double compile_ms, load_ms, program_ms;  /* the last is all it took to have the program */
  leaf_costs inputs;                       /* reading the files; copying them to the GPU */
  double output_ms;                        /* copying results back, and storing them */
  unsigned repeats;                        /* 0: the kernels' time was not taken */
  double kernel_median_ms, kernel_best_ms; /* on the GPU, once they have run */
  chunk_times chunks;
} run_times;

/* Runs a plan; outputs are in host memory then. `repeats` more launches are timed. EXIT_OK or, having
 * complained, an exit code. */
int run_on_gpu(run_plan *p, const build_options *build, unsigned repeats, run_times *times);

/* All there is to know, as JSON. */
void run_print_json(const run_plan *p, const run_times *times);
/* Where the time went, on standard error. */
void run_print_times(const run_plan *p, const run_times *times);

#endif
