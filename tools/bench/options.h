/* The command line. */
#ifndef JIG_BENCH_OPTIONS_H
#define JIG_BENCH_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MOST_SIZES = 64 };

typedef struct options {
  const char *command; /* "run", "host", "cold", "list", "families" */
  const char *output;  /* the CSV file; NULL: none */
  const char *only;    /* part of the cases' names; NULL: all */
  const char *family;  /* NULL: all */
  int share, shares;   /* of each family every shares-th case, and another one with each share; 0: all */
  const char *cache;   /* the folder of programs that `run` keeps; NULL: none are kept */
  const char *commit;
  const char *arch; /* what is compiled for where there is no GPU */
  uint64_t sizes[MOST_SIZES];
  int size_count;
  bool sizes_given;
  uint64_t max_bytes; /* of a case's inputs and outputs; 0: as much as there is */
  int samples;
  int calls; /* queued for a sample, and captured into a graph; 0: as many as are not too short to time */
  int limit_s;   /* after so many seconds no case or size is begun; 0: no limit */
  int processes; /* for the figures that need fresh ones */
  bool quick, alone, resume, help;
  char command_line[1024];
} options;

/* False, with a message on stderr, if the command line is wrong. */
bool options_parse(int argc, char **argv, options *o);
void options_help(void);

/* Whether case i of family f is to be run. */
bool options_want(const options *o, size_t f, size_t i);

#endif
