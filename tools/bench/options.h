/* The command line. */
#ifndef JIG_BENCH_OPTIONS_H
#define JIG_BENCH_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

enum { MOST_SIZES = 64 };

typedef struct options {
  const char *command; /* "run", "host", "cold", "list" */
  const char *output;  /* the CSV file; NULL: none */
  const char *only;    /* part of the cases' names; NULL: all */
  const char *commit;
  const char *arch; /* what is compiled for where there is no GPU */
  uint64_t sizes[MOST_SIZES];
  int size_count;
  bool sizes_given;
  uint64_t max_bytes; /* of a case's inputs and outputs; 0: as much as there is */
  int samples;
  int processes; /* for the figures that need fresh ones */
  bool quick, help;
  char command_line[1024];
} options;

/* False, with a message on stderr, if the command line is wrong. */
bool options_parse(int argc, char **argv, options *o);
void options_help(void);

bool options_want(const options *o, const char *name);

#endif
