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

enum {
  OPTION_REPEAT = OPTION_OF_COMMAND,
  OPTION_COUNT,
  OPTION_OFFSET,
  OPTION_SOFTWARE,
  OPTION_MEMORY,
  OPTION_TIME,
  OPTION_IN,
  OPTION_KEYS,
  OPTION_NEEDLES,
  OPTION_STENCIL,
  OPTION_OUT,
  OPTION_OFFSETS,
  OPTION_SEGMENT_SIZE,
  OPTION_K,
  OPTION_NTH,
  OPTION_DESCENDING,
  OPTION_SMALLEST,
  OPTION_BEGIN_BIT,
  OPTION_END_BIT,
  OPTION_BINS,
  OPTION_LOWER,
  OPTION_UPPER,
  OPTION_LEVELS,
  OPTION_EXTENTS
};

/* What calls of some algorithms take beside their spec. */
#define RUN_NUMBER_ROWS                                                                     \
  {OPTION_SEGMENT_SIZE, "segment-size", "N", "segments of N items each, side by side"},     \
      {OPTION_K, "k", "N", "how many are wanted"},                                          \
      {OPTION_NTH, "nth", "N", "which item in order, from 0 on"},                           \
      {OPTION_DESCENDING, "descending", NULL, "the largest comes first"},                   \
      {OPTION_SMALLEST, "smallest", NULL, "the smallest are wanted; default: the largest"}, \
      {OPTION_BEGIN_BIT, "begin-bit", "N", "the first bit of keys that counts"},            \
      {OPTION_END_BIT, "end-bit", "N", "the bit behind the last one that counts"},          \
      {OPTION_BINS, "bins", "N", "how many bins, of one width,"},                           \
      {OPTION_LOWER, "lower", "VALUE", "from this level on,"}, {                            \
    OPTION_UPPER, "upper", "VALUE", "up to this one, which is in no bin"                    \
  }

extern const option_row run_option_rows[];

/* Takes one of those; of others *mine is false. EXIT_OK or EXIT_USAGE, having complained. */
int run_numbers_take(run_settings *s, int id, char *value, bool *mine);

/* Whether the algorithm has all that were taken. EXIT_OK or EXIT_USAGE, having complained. */
int run_numbers_check(const run_settings *s, const run_row *row);

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
