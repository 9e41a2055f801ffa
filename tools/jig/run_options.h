/* The options of jig run. */
#ifndef JIG_CLI_RUN_OPTIONS_H
#define JIG_CLI_RUN_OPTIONS_H

#include "build_options.h"
#include "run_files.h"
#include "run_plan.h"

enum { RUN_MAX_OPTIONS_OF_FILES = 32 };

typedef struct run_settings {
  spec_options spec;
  build_options build;
  run_numbers numbers;
  input_part part;
  run_binding inputs[RUN_MAX_OPTIONS_OF_FILES];
  const char *outputs[RUN_MAX_OPTIONS_OF_FILES];
  int input_count, output_count;
  const char *offsets, *levels;
  int number_options[16]; /* that were given and are for some algorithms only */
  int number_count;
  bool verbose, json, software;
  uint64_t repeats; /* 0: not given */
} run_settings;

extern const option_row run_option_rows[];

/* For options_read(). */
int run_option_take(void *settings, int id, char *value);

/* Sorts out what is for which input or output, once the algorithm is known, and refuses options that it
 * does not have. EXIT_OK or EXIT_USAGE, having complained. */
int run_options_finish(run_settings *s, run_files *files, const operand_list *operands);

/* What an option is that names a file here, and a type in other commands; NULL: it does not. */
const option_row *run_option_of_file(int id);

/* Whether an option of run_option_rows is for the algorithm. */
bool run_option_fits(const run_row *row, int id);

#endif
