/* What searches that stop early have in common (templates/jig/agent/find/find.cuh). */
#ifndef JIG_ALGORITHM_FIND_PLAN_H
#define JIG_ALGORITHM_FIND_PLAN_H

#include "algorithm/call.h"

/* What their kernel takes beside iterators and operator. */
typedef struct find_values {
  item_count num_items;
  void *partials, *hint;
  uint64_t tag;
} find_values;

/* Of an algorithm with a slot NUM_ITEMS_IN. */
#define FIND_PARAMETERS                                                     \
  COUNT_PARAMETER(find_values, num_items, NUM_ITEMS_IN),                    \
      VALUE_PARAMETER(find_values, partials, "jig::TileState<uint64_t> *"), \
      VALUE_PARAMETER(find_values, hint, "jig::FindHint *"),                \
      VALUE_PARAMETER(find_values, tag, "uint64_t"), {                      \
    PARAMETERS_END                                                          \
  }

/* For a spec's check: whether slot `out` can take an index, or else 1 and 0. */
jig_status find_check_out(const spec *s, bool is_index);

/* The kernels of a program: for any number of items; and for as many as all blocks load at once, or
 * in two steps, which has less to compile, and less to do. */
enum { FIND_ANY, FIND_STEP, FIND_KERNELS };

typedef struct find_plan {
  int kernel;
  launch_shape shape;
} find_plan;

typedef struct find_places {
  const jig_iter *in, *out;
  uint64_t num_items;
  const uint64_t *num_items_in; /* or NULL */
  bool stores_index;            /* no larger than num_items */
  find_plan plan;               /* made by find_prepare(), for find_launch() */
} find_places;

/* The steps of a call of such an algorithm, of whose kernels one is launched; see call.h. Its operator is
 * the algorithm's to check. */
jig_status find_prepare(call *c, find_places *places, temp_layout *temp);
jig_status find_launch(call *c, const find_places *places, const temp_layout *temp);

#endif
