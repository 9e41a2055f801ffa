/* jig run of more than goes to the GPU at once: inputs are read in chunks, and reading, copying,
 * computing and writing overlap.
 *
 *   reduce     each chunk is folded with what those before it made, which takes the place of the init
 *   scan       likewise, and each chunk is scanned with that for its init
 *   select     what is kept of each chunk goes behind what was kept before
 *   histogram  counts are added up
 *   sorts      chunks are sorted into runs in temporary files, and these are merged: chunk_sort.h */
#ifndef JIG_CLI_CHUNKS_H
#define JIG_CLI_CHUNKS_H

#include "chunk_inputs.h"
#include "chunk_sink.h"
#include "progress.h"
#include "run.h"

enum { CHUNK_SLOTS = 3 };

/* Of a chunk at most: enough that a copy takes far longer than it takes to begin one. More than that goes
 * in chunks even where there is memory for it. */
#define CHUNK_BYTES ((uint64_t)32 << 20)
#define CHUNK_WHOLE_BYTES ((uint64_t)64 << 20)

/* Of pipes in host memory at most, while the GPU is opened and programs are compiled: more than comes
 * through one in that time. */
#define CHUNK_AHEAD_BYTES ((uint64_t)1 << 30)

typedef struct chunk_run {
  run_plan *p;
  gpu *g;
  jig_engine *engine;
  chunk_times *times;
  chunk_inputs in;
  chunk_sink sink;
  progress bar;
  void *temp;
  size_t temp_bytes;
  double transfer_ms; /* to the GPU */
} chunk_run;

/* How much of a pipe is to be read before it is known what becomes of it. */
uint64_t chunks_ahead(const run_numbers *n);

/* Whether a plan is run so. */
bool chunks_wanted(const run_plan *p);

/* Lets pipes be read from now on, while there is no engine yet. */
void chunks_read_ahead(run_plan *p, chunk_times *times);

/* Runs it, with an engine. All outputs are stored, printed or in host memory then. EXIT_OK or a code,
 * having complained. */
int chunks_run(run_plan *p, gpu *g, jig_engine *engine, run_times *times);

/* ---- what the ways of it share. The same codes. */

/* A call of an algorithm, or what it takes for temp storage, which is had once for all. Compiles what it
 * needs. */
typedef jig_status (*chunk_call)(jig_engine *engine, void *temp, size_t *temp_bytes, const void *args,
                                 CUstream stream);
int chunk_prepare(chunk_run *c, chunk_call call, const void *args);
int chunk_enqueue(chunk_run *c, chunk_call call, const void *args, CUstream stream);

/* How many items of so many bytes a chunk has: as many as fit into the memory, with `copies` of them. */
uint64_t chunk_room(const chunk_run *c, uint64_t item_bytes, uint64_t copies);

/* Programs are there; from here on it takes time, and how far it is is shown. */
void chunk_begin(chunk_run *c, uint64_t passes);

/* chunk_stream.c and chunk_sort.c */
int chunk_stream_run(chunk_run *c);
int chunk_sort_run(chunk_run *c);

#endif
