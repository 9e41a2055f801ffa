/* Where the outputs go that jig run makes in chunks: to files as they come, or printed. */
#ifndef JIG_CLI_CHUNK_SINK_H
#define JIG_CLI_CHUNK_SINK_H

#include <stdio.h>
#include <sys/types.h>

#include "run_plan.h"

enum { SINK_COLUMNS = 2 };

typedef struct sink_column {
  run_array *output;
  int fd;             /* -1: it is printed */
  bool is_file;       /* a regular one: it has offsets */
  size_t header_size; /* of an .npy file */
} sink_column;

/* Outputs that have as many items: keys and values. */
typedef struct chunk_sink {
  run_plan *p;
  sink_column columns[SINK_COLUMNS];
  int count;
  uint64_t items; /* that went there */
  double ms;      /* that writing took */
} chunk_sink;

/* All of these return EXIT_OK or a code, having complained. */

/* Opens files; NULL stands for an output that is not wanted. `items`: in all, UINT64_MAX if that is not
 * known. chunk_sink_free() in any case. */
int chunk_sink_open(chunk_sink *s, run_plan *p, run_array *const outputs[SINK_COLUMNS], uint64_t items);
void chunk_sink_free(chunk_sink *s);

/* Takes the next items, an array for each output of chunk_sink_open(). */
int chunk_sink_put(chunk_sink *s, unsigned char *const columns[SINK_COLUMNS], uint64_t items);

/* Says in .npy files how many items there were. */
int chunk_sink_close(chunk_sink *s);

#endif
