/* Iterators, operators and other values of a call as kernel parameters. */
#ifndef JIG_ALGORITHM_PACKED_ARGS_H
#define JIG_ALGORITHM_PACKED_ARGS_H

#include "spec/iterator.h"

enum { PACKED_MAX_PARAMETERS = 16, PACKED_ALIGNMENT = 16 };

typedef struct packed_args {
  void *parameters[PACKED_MAX_PARAMETERS]; /* the first one NULL: there were more, and call_launch() fails
                                            */
  int count;
  size_t used;
  _Alignas(PACKED_ALIGNMENT) unsigned char bytes[PARAMETER_MAX_SIZE +
                                                 PACKED_MAX_PARAMETERS * PACKED_ALIGNMENT];
} packed_args;

/* Before the first of them. */
void packed_begin(packed_args *packed);

/* What is left out, NULL or of kind NONE, is jig::none, a byte. */
void packed_iter(packed_args *packed, const jig_iter *iter);
void packed_op(packed_args *packed, const jig_op *op);

/* A pointer to any other parameter. */
void packed_value(packed_args *packed, void *value);

#endif
