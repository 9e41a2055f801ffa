/* The algorithms that the tool knows, a row each: how a request becomes a spec, and a call. */
#ifndef JIG_CLI_ALGORITHM_H
#define JIG_CLI_ALGORITHM_H

#include <jig/jig.h>

#include "request.h"

/* What a call needs beside a request; device pointers, but for init. */
typedef struct call_operands {
  const void *in;
  uint64_t num_items;
  void *out;        /* the value; NULL if the request does not want it */
  void *index;      /* of algorithms that find one */
  const void *init; /* host memory; NULL: none */
} call_operands;

typedef struct cli_algorithm {
  const char *name;
  uint64_t options; /* which spec options it has: a bit for each */
  bool has_index;   /* it finds an index, too */
  bool takes_order; /* an operator of the user's is an order, and goes with --op */
  /* The type of its accumulator, which jig run gives a result that has no --out-type; NULL: it gives that
   * the request's. */
  jig_type (*accum_type)(const request *r);
  jig_status (*spec)(const request *r, char **text);
  /* NULL: jig run cannot, as there is no single result. */
  jig_status (*call)(jig_engine *engine, void *temp, size_t *temp_bytes, const request *r,
                     const call_operands *o, CUstream stream);
} cli_algorithm;

/* NULL if there is none of that name. */
const cli_algorithm *algorithm_named(const char *name);

/* "reduce, arg_reduce, ...", for messages. */
const char *algorithm_names(void);

/* The spec of a request; the caller's to jig_free(). Complains if there is none: the command line is
 * wrong.
 */
int request_spec(const request *r, char **text);

#endif
