/* What jig run knows of each algorithm beyond its slots: a row each. Slots say of what types inputs and
 * outputs are; a row says how many items they have. */
#ifndef JIG_CLI_RUN_ROWS_H
#define JIG_CLI_RUN_ROWS_H

#include "jit/algorithm.h"

typedef struct run_input {
  const char *slot;  /* of the spec, and the args' field */
  const char *type;  /* the slot with the type of its items where it is a pointer; NULL: the same one */
  const char *count; /* the args' field that says how many items it has; NULL: nothing does */
} run_input;

/* How many items an output has room for. */
typedef enum run_extent {
  EXTENT_ONE,
  EXTENT_TWO,
  EXTENT_ITEMS,      /* num_items */
  EXTENT_BOTH,       /* first_num_items + second_num_items */
  EXTENT_INPUT,      /* as the first input */
  EXTENT_SEGMENTS,   /* num_segments */
  EXTENT_NEEDLES,    /* num_needles */
  EXTENT_K,          /* min(k, num_items) */
  EXTENT_SEGMENTS_K, /* k for each segment */
  EXTENT_BINS,       /* of all channels that are counted */
  EXTENT_RANGES,     /* up to the last item of a range */
  EXTENT_BUFFERS     /* all buffers, one behind the other */
} run_extent;

enum { WHICH_REST = -1 };

typedef struct run_output {
  const char *slot; /* of the spec, the args' field, or only a name */
  const char *also; /* another name */
  const char *type; /* the slot with its items' type where it has none itself */
  run_extent extent;
  const char *counted; /* the output that says how many are written; NULL: all */
  int which;           /* which item of that; WHICH_REST: all but those that its items count */
  bool in_part;        /* some items may not be written: they are zeros */
  const char *help;    /* of one that has no slot */
} run_output;

enum { RUN_MAX_INPUTS = 5, RUN_MAX_OUTPUTS = 4 };

typedef struct run_row {
  const char *name;
  jig_status (*call)(jig_engine *engine, void *temp, size_t *temp_bytes, const void *args,
                     CUstream stream);
  run_input inputs[RUN_MAX_INPUTS + 1];    /* ends where `slot` is NULL, the main one first */
  run_output outputs[RUN_MAX_OUTPUTS + 1]; /* the same */
  bool takes_buffers;                      /* every file is one */
  bool has_array;                          /* the operator gets the output as its state */
  const char *chunks;  /* what becomes of an input that goes through the GPU in chunks; NULL: none does */
  const char *summary; /* what it does, in a line */
  const char *spec;    /* an example of what to compile, as commands take it after the algorithm */
  const char *example; /* what comes after "jig run" */
} run_row;

/* NULL: there is no algorithm of that name. */
const run_row *run_row_named(const char *name);

/* The algorithm of a row. */
const algorithm *run_algorithm_of(const run_row *row);

/* The args' field of that name; NULL if they have none. */
const struct_field *run_field(const algorithm *a, const char *name);

/* The input or output of that name, in full or without _in or _out; NULL if there is none. */
const run_input *run_input_named(const run_row *row, const char *name, size_t length);
const run_output *run_output_named(const run_row *row, const char *name, size_t length);

#endif
