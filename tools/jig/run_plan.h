/* A call of an algorithm as jig run makes it: the args, put together of the spec field by field, with the
 * files and numbers that the command line has beside it. */
#ifndef JIG_CLI_RUN_PLAN_H
#define JIG_CLI_RUN_PLAN_H

#include "request.h"
#include "run_rows.h"

enum { RUN_MAX_EXTENTS = 8 };

/* What options say that is in no spec. */
typedef struct run_numbers {
  const char *bins, *lower, *upper; /* of a histogram; NULL: not given */
  const char *init;
  leaf_range levels;     /* a leaf; count 0: not given */
  const jig_type *array; /* of the items that bulk's operator stores */
  bool has_count;
  uint64_t count; /* where no file says how many items there are */
  uint64_t extents[RUN_MAX_EXTENTS];
  int extent_count;
  uint64_t k, nth, segment_size, begin_bit, end_bit;
  bool has_k, has_nth;
  bool descending, smallest, sorted;
  bool is_json;    /* printed outputs are held in memory */
  bool may_chunk;  /* where the algorithm can, what does not fit is read in chunks */
  uint64_t memory; /* of the GPU, that this may take; 0: not given */
} run_numbers;

typedef struct run_array {
  const run_output *row; /* NULL: it is not wanted */
  jig_type type;         /* as it is stored */
  jig_iter *pointer; /* within the args' iterator; NULL: there is none, as for the counts of histograms */
  uint64_t room, count; /* items it has room for, and that were written */
  unsigned char *device, *host;
  const char *file; /* where it goes; NULL: it is printed */
  bool is_done;     /* it has gone there */
} run_array;

typedef struct run_plan {
  const run_row *row;
  const algorithm *algorithm;
  request *request;
  const run_numbers *numbers;
  parsed_spec told; /* the request's spec, its types as they were told */
  bool is_told;
  void *args;
  jig_iter in;                                     /* of a transform, which borrows it */
  _Alignas(16) unsigned char init[VALUE_MAX_SIZE]; /* and what histograms borrow */
  _Alignas(16) unsigned char lower[VALUE_MAX_SIZE], upper[VALUE_MAX_SIZE];
  uint64_t main_items;          /* of the first input; UINT64_MAX: no end, or it is not known */
  bool can_chunk;               /* its inputs can be read in chunks */
  bool has_end[RUN_MAX_INPUTS]; /* of each input: it is known how many items it has */
  bool is_open_ended;           /* the end of an input is not known: it is read in chunks */
  run_array outputs[RUN_MAX_OUTPUTS];
  void *array;     /* what bulk's operator is given */
  int64_t bins;    /* of each channel of a histogram */
  jig_iter levels; /* between them, if they are in a file; else of kind JIG_ITER_NONE */
} run_plan;

/* Puts the args together and finds out how many items inputs have. `files` is where outputs go, in the
 * row's order. EXIT_OK or a code, having complained; run_plan_free() in any case. */
int run_plan_make(run_plan *p, const run_row *row, request *r, const run_numbers *numbers,
                  const char *const files[RUN_MAX_OUTPUTS]);
void run_plan_free(run_plan *p);

/* A number of the args, of whatever size the field is. */
uint64_t run_plan_number(const run_plan *p, const char *field);
void run_plan_set(run_plan *p, const char *field, uint64_t number);

/* Where a field of the args is; NULL if they have none of that name. */
void *run_plan_field(const run_plan *p, const char *field);

/* The iterator of an input, in the args or in what these borrow; NULL: there is none. */
jig_iter *run_plan_input(run_plan *p, const run_input *source);

/* The output of that slot; NULL: there is none, or it is not wanted. */
const run_array *run_plan_output(const run_plan *p, const char *slot);

#endif
