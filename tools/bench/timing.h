/* Timing: what is repeated, and what the repetitions say. */
#ifndef JIG_BENCH_TIMING_H
#define JIG_BENCH_TIMING_H

#include <cuda.h>

/* Of several samples, in the unit of the samples. samples == 0: not measured. */
typedef struct spread {
  double median, min, p10, p90;
  int samples;
} spread;

/* Sorts the values. */
spread spread_of(double *values, int count);
spread spread_scale(spread s, double factor);

/* Something that is put on a stream. */
typedef struct task {
  void (*run)(void *self, CUstream stream);
  void *self;
} task;

enum { MOST_TASKS = 3 };

/* Microseconds of GPU time a run, by events: each sample is `runs` runs queued back to back between two
 * events. The samples of the tasks take turns, A, B, A, B, ..., and everything is queued before any of it
 * is waited for. Warms up first. */
void time_on_gpu(CUstream stream, const task *tasks, int count, int runs, int samples, spread *us);

/* Microseconds of host time a run: batches of `runs` runs, the stream empty before each and waited for
 * outside the timed region; the tasks take turns. beyond[t], unless NULL: how much longer than the first
 * task's in the same turn. */
void time_on_host(CUstream stream, const task *tasks, int count, int runs, int batches, spread *us,
                  spread *beyond);

/* Microseconds from a run's beginning until its work is done on the GPU, one at a time, taking turns. */
void time_latency(CUstream stream, const task *tasks, int count, int samples, spread *us);

/* A graph of `runs` runs of a task. Running it again is a task, too. */
typedef struct captured {
  CUgraph graph;
  CUgraphExec executable;
} captured;
captured capture_runs(CUstream stream, const task *t, int runs);
task captured_task(captured *c);
void captured_free(captured *c);

#endif
