/* What the spec options on the command line ask for: the types and operators of one program. */
#ifndef JIG_CLI_REQUEST_H
#define JIG_CLI_REQUEST_H

#include <stdbool.h>

#include <jig/jig.h>

#include "options.h"

/* Options come in any order, so their texts are kept first and looked at together. */
enum {
  SPEC_TYPE,
  SPEC_OUT_TYPE,
  SPEC_ACCUM,
  SPEC_INIT,
  SPEC_INIT_TYPE,
  SPEC_OP,
  SPEC_OP_SOURCE,
  SPEC_OP_FUNCTION,
  SPEC_OP_BINARY,
  SPEC_BY_POINTER,
  SPEC_COMMUTATIVE,
  SPEC_NAN,
  SPEC_TRANSFORM,
  SPEC_TRANSFORM_TYPE,
  SPEC_NO_VALUE,
  SPEC_INDEX_TYPE,
  SPEC_EXCLUSIVE,
  SPEC_FLAGS,
  SPEC_VALUES,
  SPEC_SECOND_OP_SOURCE,
  SPEC_COUNT_TYPE,
  SPEC_KEY_TYPE,
  SPEC_EQUALITY,
  SPEC_DECOMPOSER,
  SPEC_SORTED,
  SPEC_STRUCT,
  SPEC_OPTIONS
};

enum { MAX_STRUCTS = 16 };

typedef struct spec_options {
  char *text[SPEC_OPTIONS];   /* "" for a flag; NULL: not given. The last --struct, of several */
  char *structs[MAX_STRUCTS]; /* every --struct. Resolving them cuts these texts into their parts */
  int struct_count;
} spec_options;

/* The table of all of them but --init, which is a flag in some commands and has a value in others: those
 * add one of these rows to a table of their own. */
extern const option_row spec_option_rows[];
#define ALGORITHM_NAMES                                                                            \
  "reduce, arg_reduce, scan, segmented_scan, scan_by_key, reduce_by_key, run_length_encode, "      \
  "non_trivial_runs, select, unique, partition, three_way_partition, radix_sort, segmented_sort, " \
  "merge_sort, merge, top_k"
#define SPEC_GROUP_TITLE "what to compile (algorithms: " ALGORITHM_NAMES ")"
#define SPEC_INIT_FLAG_ROW \
  { OPTION_OF_SPEC + SPEC_INIT, "init", NULL, "reduce, scan*: the call has an init, whatever its value" }
#define SPEC_INIT_VALUE_ROW                                                                \
  {                                                                                        \
    OPTION_OF_SPEC + SPEC_INIT, "init", "VALUE",                                           \
        "reduce: folded in first: a number, true or false; for a\nstruct its bytes in hex" \
  }

/* Takes an option if it is a spec option; else *mine is false. EXIT_OK or EXIT_USAGE, having complained.
 */
int spec_options_take(spec_options *o, int id, char *value, bool *mine);

/* The first spec option that is given, such as "--type"; NULL: none is. */
const char *spec_options_first(const spec_options *o);

typedef struct request {
  const struct cli_algorithm *algorithm;
  jig_type item; /* of the input */
  jig_type out;
  jig_type accum; /* kind JIG_KIND_NONE: jig's default */
  jig_type init_type;
  jig_op op;
  jig_type key;     /* of algorithms by key */
  jig_op equality;  /* of keys; kind JIG_OP_NONE: == */
  jig_op transform; /* kind JIG_OP_NONE: none */
  jig_type mapped;  /* what the transform returns */
  const char *init; /* the text of --init; NULL: there is none */
  jig_nan nan;
  jig_op order;           /* of an arg_reduce; kind JIG_OP_NONE: < */
  jig_type index;         /* of an arg_reduce */
  bool wants_value;       /* of an arg_reduce, beside the index */
  bool exclusive;         /* of a scan, by key or not */
  jig_type flags;         /* of a select or partition; kind JIG_KIND_NONE: there are none */
  jig_type values;        /* of a unique, a sort or a top-k; kind JIG_KIND_NONE: there are none */
  jig_type count;         /* what a select and its kin count in */
  jig_op second_op;       /* of a three-way partition; kind JIG_OP_NONE: it is missing */
  const char *decomposer; /* of a radix sort or a top-k; NULL: there is none */
  bool sorted;            /* of a top-k */
  char *op_file;          /* owned: the content of the file of --op-function or --op-binary */
} request;

/* Finds out what the options stand for. `item` is the item type if there is no --type; NULL: there must
 * be one. The request borrows from the options. Returns EXIT_OK or a code, having complained;
 * request_free() in any case. */
int request_resolve(request *r, const struct cli_algorithm *algorithm, spec_options *o,
                    const jig_type *item);
void request_free(request *r);

#endif
