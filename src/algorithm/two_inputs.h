/* What merges and set operations share: two inputs in order, of keys with or without values. */
#ifndef JIG_ALGORITHM_TWO_INPUTS_H
#define JIG_ALGORITHM_TWO_INPUTS_H

#include "algorithm/call.h"
#include "spec/spec.h"

/* Slots of the spec; `formerly_`: an older name of the order, or NULL. */
#define TWO_COMPARE_SLOT(formerly_)                                                                    \
  {                                                                                                    \
    .name = "compare", .formerly = (formerly_), .kind = SLOT_OP, .optional = true, .arity = 2,         \
    .over = {"first_keys_in"}, .orders = true, .help = "whether key a comes before b; left out, less", \
    .option = "op"                                                                                     \
  }
#define FIRST_KEYS_SLOT                                                                      \
  {                                                                                          \
    .name = "first_keys_in", .kind = SLOT_ITER, .role = ITER_INPUT,                          \
    .places = {"first_keys_in", "second_keys_in"}, .help = "keys in order", .option = "type" \
  }
#define SECOND_KEYS_SLOT                                                         \
  {                                                                              \
    .name = "second_keys_in", .kind = SLOT_ITER, .role = ITER_INPUT,             \
    .places = {"first_keys_in", "second_keys_in"}, .help = "more keys in order", \
    .like = "first_keys_in", .option = "type"                                    \
  }
#define FIRST_VALUES_SLOT                                                             \
  {                                                                                   \
    .name = "first_values_in", .use = USE_MOVED, .kind = SLOT_ITER, .optional = true, \
    .role = ITER_INPUT, .places = {"first_values_in", "second_values_in"},            \
    .help = "a value for each of the first keys", .option = "values"                  \
  }
#define SECOND_VALUES_SLOT(help_)                                                                  \
  {                                                                                                \
    .name = "second_values_in", .kind = SLOT_ITER, .optional = true, .role = ITER_INPUT,           \
    .places = {"first_values_in", "second_values_in"}, .help = (help_), .like = "first_values_in", \
    .follows = true                                                                                \
  }
#define TWO_VALUES_OUT_SLOT                                                                              \
  {                                                                                                      \
    .name = "values_out", .kind = SLOT_ITER, .optional = true, .role = ITER_OUTPUT,                      \
    .places = {"first_values_in", "second_values_in"}, .help = "the values, in the order of their keys", \
    .like = "first_values_in", .follows = true                                                           \
  }

/* Whether keys are of one type, which has the order, and values of one. */
jig_status two_inputs_check_spec(const spec *s);

/* The count that answers for both together, the larger one; and whether they can be added up. */
const char *two_inputs_larger(uint64_t first, uint64_t second);
jig_status two_inputs_check_sum(const call *c, uint64_t first, uint64_t second);

#endif
