/* A merge sort as part of another algorithm's call, on its stream and in its temp storage. */
#ifndef JIG_ALGORITHM_MERGE_SORT_H
#define JIG_ALGORITHM_MERGE_SORT_H

#include <jig/merge_sort.h>

#include "algorithm/call.h"
#include "algorithm/merge_sort_plan.h"

/* The spec of a call's program; it points to the args. `counted`: num_items is read on the GPU. */
void merge_sort_describe(const jig_merge_sort_args *args, bool counted, spec *s);

typedef struct merge_sort_work {
  merge_sort_size size;
  merge_sort_plan plan;
  temp_layout temp;
} merge_sort_work;

/* What a call needs whose program is that of the args' spec. `argument` is what tells how many items
 * there are, and has to answer for too many of them. */
jig_status merge_sort_prepare(call *c, const jig_merge_sort_args *args, const char *argument,
                              merge_sort_work *work);

/* Launches it, c->storage being as large as work->temp. Nothing about pointers is checked. */
jig_status merge_sort_launch(call *c, const jig_merge_sort_args *args, const merge_sort_work *work);

#endif
