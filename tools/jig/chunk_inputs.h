/* What jig run reads in chunks: the files and counters that are in step with the items. */
#ifndef JIG_CLI_CHUNK_INPUTS_H
#define JIG_CLI_CHUNK_INPUTS_H

#include "run_plan.h"

/* A chunk's files lie side by side, each with room for `room` items of it: so the host reads them, and so
 * they go to the GPU. */
typedef struct chunk_inputs {
  run_plan *p;
  leaf *files[LEAF_MAX_IN_STEP];
  int file_count;
  uint64_t item_bytes; /* of all files together */
  uint64_t items;      /* in all; UINT64_MAX: it is not known yet */
  uint64_t done;       /* of these, what has been read */
  bool is_over;
  double ms; /* that reading took, of files */
} chunk_inputs;

/* Finds them. EXIT_OK or a code, having complained. */
int chunk_inputs_find(chunk_inputs *in, run_plan *p);

/* Lets pipes be read from now on, together so many bytes ahead, to the end if it is lasting: see
 * read_ahead.h. False: there is none. */
bool chunk_inputs_read_ahead(const chunk_inputs *in, uint64_t room, bool is_lasting);

/* How long it took to read all so far. */
double chunk_inputs_ms(const chunk_inputs *in);

/* Reads up to `wanted` items; fewer are the last ones. The same codes. */
int chunk_inputs_read(chunk_inputs *in, unsigned char *host, uint64_t room, uint64_t wanted,
                      uint64_t *items);

/* Where a file's items begin in there, in bytes. */
uint64_t chunk_inputs_offset(const chunk_inputs *in, int file, uint64_t room);

/* Points the iterators to a chunk in device memory; and what is to be done once it was used. */
void chunk_inputs_point(const chunk_inputs *in, unsigned char *device, uint64_t room);
void chunk_inputs_pass(const chunk_inputs *in, uint64_t items);

#endif
