/* What jig run can run: algorithms with a single result, a row each. */
#ifndef JIG_CLI_RUN_ALGORITHM_H
#define JIG_CLI_RUN_ALGORITHM_H

#include "request.h"

/* What a call needs beside a spec; device pointers, but for init. */
typedef struct call_operands {
  const void *in;
  uint64_t num_items;
  void *out;        /* the value; NULL if it is not wanted */
  void *index;      /* of algorithms that find one */
  const void *init; /* host memory; NULL: none */
} call_operands;

typedef struct runnable {
  const char *name;
  const char *value, *index; /* the slots of its results; NULL: it has no index */
  jig_status (*call)(jig_engine *engine, void *temp, size_t *temp_bytes, const spec *s,
                     const call_operands *o, CUstream stream);
} runnable;

/* NULL if it cannot be run. */
const runnable *runnable_named(const char *name);

/* "reduce, arg_reduce, ..." */
const char *runnable_names(void);

/* A request's spec, to be run, and the types of what its call takes and gives: of kind JIG_KIND_NONE
 * where there is none. */
typedef struct run_spec {
  const runnable *algorithm;
  const spec *s;
  jig_type item; /* of the file */
  jig_type value, index, init;
} run_spec;
run_spec run_spec_of(const runnable *algorithm, const request *r);

#endif
