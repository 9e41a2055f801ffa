/* Sorting more than fits: as much as fits is sorted at a time, into a run in temporary files, and the
 * runs are merged.
 *
 * Merging is sorting as well, by the same program's order, whatever that is: the beginnings of all runs,
 * one behind the other in the order of the runs, are sorted, each key with the number of its run for a
 * value. All up to the first place where the beginning of a run has come to its end, and the run goes on,
 * is as it has to be: what is left of that run, and of the others, comes after it. That is written, and
 * what is behind it is read again from where each run then is. Sorts are stable, so equal keys stay in
 * the order of the runs, which is that of the input. */
#ifndef JIG_CLI_CHUNK_SORT_H
#define JIG_CLI_CHUNK_SORT_H

#include "chunks.h"
#include "temp_file.h"

enum {
  SORT_ARRAYS = 2,
  SORT_MAX_RUNS = 1 << 16,
  SORT_LEAST_ITEMS = 256
}; /* keys and values; runs have numbers of 16 bits */

typedef struct sort_run {
  uint64_t begin, end; /* items in the temporary files, of which those before `begin` are merged */
  uint64_t taken;      /* of the last round */
  uint64_t loaded;     /* in this one */
} sort_run;

/* Host memory on its way to or from the GPU, while another one is read or written. */
typedef struct sort_piece {
  CUstream stream;
  CUevent done;
  unsigned char *host;
  uint64_t items;
} sort_piece;

typedef struct chunk_sort {
  chunk_run *c;
  run_array *outputs[SORT_ARRAYS]; /* NULL: there are no values */
  size_t sizes[SORT_ARRAYS];       /* 0: likewise */
  temp_file files[SORT_ARRAYS];
  sort_run *runs;
  uint64_t run_count;
  uint64_t memory;     /* of the GPU, that it may take */
  uint64_t piece_room; /* items */
  sort_piece pieces[2];
  unsigned char *arena; /* that memory, for one thing after the other */
} chunk_sort;

/* Lets temp storage begin so many bytes into the arena. */
void chunk_sort_place_temp(chunk_sort *s, uint64_t offset);

/* Runs a sort of the args. */
int chunk_sort_enqueue(chunk_sort *s, uint64_t items);

/* Points an iterator of the args, such as "keys_out". */
void chunk_sort_point(const chunk_sort *s, const char *name, jig_iter iter);

/* What goes where sorted items go: temporary files, or the outputs. */
typedef int (*sort_store)(chunk_sort *s, unsigned char *const columns[SORT_ARRAYS], uint64_t items);
int chunk_sort_to_outputs(chunk_sort *s, unsigned char *const columns[SORT_ARRAYS], uint64_t items);

/* Copies sorted items to the host, piece by piece, and stores them. */
int chunk_sort_store(chunk_sort *s, unsigned char *const device[SORT_ARRAYS], uint64_t items,
                     sort_store store);

/* The temp storage that a sort of so many items takes, by what is pointed to. */
int chunk_sort_temp(chunk_sort *s, uint64_t items, size_t *bytes);

/* The most items for which what `needs` says fits into the memory; it is 0 if not even a few do. */
typedef int (*sort_needs)(chunk_sort *s, uint64_t items, uint64_t *bytes);
int chunk_sort_fit(chunk_sort *s, sort_needs needs, uint64_t most, uint64_t *items);

/* Compiles what merging takes. */
int chunk_merge_prepare(chunk_sort *s);

/* Merges the runs into the outputs. */
int chunk_merge_runs(chunk_sort *s);

#endif
