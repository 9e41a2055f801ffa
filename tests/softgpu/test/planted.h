/* Faulty programs, each run in a process of its own on the software GPU, and what it must say about them.
 */
#ifndef SOFTGPU_TEST_PLANTED_H
#define SOFTGPU_TEST_PLANTED_H

#include <stdbool.h>
#include <stddef.h>

#include "gpu.h"
#include "numbers.h"
#include "ptx_support.h"

/* The kernel is `test`, as PTX_ENTRY begins it; "//!" in the body is on the line that must be named. */
typedef struct planted_case {
  const char *name;
  const char *body;
  const char *declarations;                   /* in front of the kernel; NULL: none */
  unsigned blocks, threads;                   /* 0: 1 */
  unsigned shared_bytes;                      /* dynamic */
  size_t in_bytes, out_bytes;                 /* of memory that %in and %out point to; 0: 64 */
  bool unset;                                 /* nobody has written %in */
  CUresult result;                            /* of waiting for the kernel */
  const char *kind;                           /* of the first report; NULL: nothing may be reported */
  const char *says[5];                        /* further things that the report must contain */
  const char *settings[2];                    /* "JIG_SOFTGPU_WATCHDOG=1" */
  void (*host)(const struct planted_case *c); /* done instead of launching the kernel */
} planted_case;

/* Of all tables. */
const planted_case *planted_find(const char *name);
void planted_check(const planted_case *cases, size_t count);
#define PLANTED_CHECK(cases) planted_check(cases, COUNT_OF(cases))

/* What a process that runs a case ends with. */
typedef struct planted_outcome {
  int status;              /* exit status; -1: a signal, or it took too long */
  int result;              /* CUresult; -1: none was told */
  unsigned long long hash; /* of what %out has in the end */
  char log[1 << 16];
} planted_outcome;
/* settings: up to a NULL. */
void planted_run(const char *name, const char *const settings[], size_t setting_count,
                 planted_outcome *to);

/* In that process. */
int planted_child(const char *name);
/* Says what a driver call returned. */
void planted_tell(CUresult result);
/* The case's kernel, loaded. */
CUmodule planted_load(const planted_case *c, CUfunction *kernel);

extern const planted_case cases_memory[], cases_unset[], cases_sync[], cases_host[], cases_right[],
    cases_order[], cases_ordered[];
extern const size_t cases_memory_count, cases_unset_count, cases_sync_count, cases_host_count,
    cases_right_count, cases_order_count, cases_ordered_count;

#endif
