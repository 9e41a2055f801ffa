/* What a file has that `run` is to go on with. */
#ifndef JIG_BENCH_FINISHED_H
#define JIG_BENCH_FINISHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cases.h"

/* One that is all zeros has nothing. */
typedef struct finished {
  char *text;  /* of the file, in which the rows' lines are strings of their own */
  char **rows; /* the last rows of all cases and sizes that are done */
  size_t count;
  bool differed; /* results of some of these did */
} finished;

/* Reads the file at `path`, if there is one, and takes from it the end of a line that was being
 * written. It must be of what `header`, lines that begin with '#', is of: the same GPU, driver, toolkit,
 * CUB, templates and commit. */
finished finished_read(const char *path, const char *header);
void finished_free(finished *f);

bool finished_has(const finished *f, const bench_case *c, uint64_t n);

#endif
