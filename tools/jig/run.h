/* One run of an algorithm over a file on the GPU, and where its time went. */
#ifndef JIG_CLI_RUN_H
#define JIG_CLI_RUN_H

#include "build_options.h"
#include "input.h"
#include "run_algorithm.h"
#include "value.h"

typedef struct run_result {
  unsigned char value[VALUE_MAX_SIZE];
  unsigned char index[16]; /* of algorithms that find one */

  bool compiled;                           /* the program was; else the cache had it */
  double compile_ms, load_ms, program_ms;  /* the last is all it took to have the program */
  double file_ms, transfer_ms;             /* reading the file; copying it to the GPU */
  unsigned repeats;                        /* 0: the kernel's time was not taken */
  double kernel_median_ms, kernel_best_ms; /* on the GPU, once it has run */
} run_result;

/* Runs it over the input. `init` is host memory or NULL; `repeats` more launches are timed.
 * EXIT_OK or, having complained, an exit code. */
int run_on_gpu(const run_spec *r, const build_options *build, const input *in, const void *init,
               unsigned repeats, run_result *result);

/* The result in a line on standard output. */
void run_print(const run_spec *r, const run_result *result);
/* The same with all else there is to know, as JSON. */
void run_print_json(const run_spec *r, const input *in, const run_result *result);
/* Where the time went, on standard error. */
void run_print_times(const input *in, const run_result *result);

#endif
