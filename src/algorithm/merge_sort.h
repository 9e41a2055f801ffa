/* A merge sort as part of another algorithm's call, on its stream and in its temp storage. */
#ifndef JIG_ALGORITHM_MERGE_SORT_H
#define JIG_ALGORITHM_MERGE_SORT_H

#include <jig/merge_sort.h>

#include "algorithm/call.h"
#include "algorithm/merge_sort_plan.h"

typedef struct merge_sort_work {
  merge_sort_size size;
  temp_layout temp;
} merge_sort_work;

/* Finds its program, for which the call is one of its own, and what it needs. */
jig_status merge_sort_prepare(call *c, const jig_merge_sort_args *args, merge_sort_work *work);

/* Launches it, c->storage being as large as work->temp. Nothing about pointers is checked. */
jig_status merge_sort_launch(call *c, const jig_merge_sort_args *args, const merge_sort_work *work);

#endif
