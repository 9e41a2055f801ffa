#include "timing.h"

#include <stdlib.h>

#include "gpu.h"
#include "util/clock.h"

/* ---- statistics */

static int by_value(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Between the two nearest of sorted values. */
static double quantile(const double *sorted, int count, double at) {
  const double place = at * (count - 1);
  const int below = (int)place, above = below + 1 < count ? below + 1 : below;
  return sorted[below] + (place - below) * (sorted[above] - sorted[below]);
}

spread spread_of(double *values, int count) {
  if (count <= 0) return (spread){0};
  qsort(values, (size_t)count, sizeof *values, by_value);
  return (spread){.median = quantile(values, count, 0.5),
                  .min = values[0],
                  .p10 = quantile(values, count, 0.1),
                  .p90 = quantile(values, count, 0.9),
                  .samples = count};
}

spread spread_scale(spread s, double factor) {
  return (spread){s.median * factor, s.min * factor, s.p10 * factor, s.p90 * factor, s.samples};
}

static double *new_values(int count, int samples) {
  double *values = calloc((size_t)(count * samples), sizeof *values);
  if (values == NULL) die("out of memory");
  return values;
}

/* values[t * samples + s] is sample s of task t. */
static void summarise(double *values, int count, int samples, spread *us) {
  for (int t = 0; t < count; ++t) us[t] = spread_of(values + t * samples, samples);
  free(values);
}

/* The same of how much longer each took than the first task in the same round. */
static void summarise_differences(const double *values, int count, int samples, spread *us) {
  double *differences = new_values(1, samples);
  for (int t = 0; t < count; ++t) {
    for (int s = 0; s < samples; ++s) differences[s] = values[t * samples + s] - values[s];
    us[t] = spread_of(differences, samples);
  }
  free(differences);
}

/* ---- by events */

typedef struct event_pair {
  CUevent start, stop;
} event_pair;

static void repeat(const task *t, CUstream stream, int runs) {
  for (int i = 0; i < runs; ++i) t->run(t->self, stream);
}

static void warm_up(CUstream stream, const task *tasks, int count, int runs) {
  enum { ROUNDS = 3, MOST_RUNS = 10 };
  for (int round = 0; round < ROUNDS; ++round) {
    for (int t = 0; t < count; ++t) repeat(&tasks[t], stream, runs < MOST_RUNS ? runs : MOST_RUNS);
  }
  GPU(gpu()->cuStreamSynchronize(stream));
  /* Work for the GPU while the first sample is being queued. */
  for (int t = 0; t < count; ++t) repeat(&tasks[t], stream, 1);
}

static event_pair *new_events(int count) {
  event_pair *events = calloc((size_t)count, sizeof *events);
  if (events == NULL) die("out of memory");
  for (int i = 0; i < count; ++i) {
    GPU(gpu()->cuEventCreate(&events[i].start, CU_EVENT_DEFAULT));
    GPU(gpu()->cuEventCreate(&events[i].stop, CU_EVENT_DEFAULT));
  }
  return events;
}

/* The time between the two, and the end of both. */
static double finish(event_pair *e) {
  float ms = 0;
  GPU(gpu()->cuEventElapsedTime(&ms, e->start, e->stop));
  GPU(gpu()->cuEventDestroy(e->start));
  GPU(gpu()->cuEventDestroy(e->stop));
  return ms;
}

void time_on_gpu(CUstream stream, const task *tasks, int count, int runs, int samples, spread *us) {
  event_pair *events = new_events(count * samples);
  double *values = new_values(count, samples);
  warm_up(stream, tasks, count, runs);
  for (int s = 0; s < samples; ++s) {
    for (int t = 0; t < count; ++t) {
      const event_pair *e = &events[t * samples + s];
      GPU(gpu()->cuEventRecord(e->start, stream));
      repeat(&tasks[t], stream, runs);
      GPU(gpu()->cuEventRecord(e->stop, stream));
    }
  }
  GPU(gpu()->cuStreamSynchronize(stream));
  for (int i = 0; i < count * samples; ++i) values[i] = finish(&events[i]) * 1e3 / runs;
  free(events);
  summarise(values, count, samples, us);
}

/* ---- by the host's clock */

void time_on_host(CUstream stream, const task *tasks, int count, int runs, int batches, spread *us,
                  spread *beyond) {
  double *values = new_values(count, batches);
  warm_up(stream, tasks, count, runs);
  for (int b = 0; b < batches; ++b) {
    for (int t = 0; t < count; ++t) {
      GPU(gpu()->cuStreamSynchronize(stream));
      const double start = clock_ms();
      repeat(&tasks[t], stream, runs);
      values[t * batches + b] = (clock_ms() - start) * 1e3 / runs;
    }
  }
  GPU(gpu()->cuStreamSynchronize(stream));
  if (beyond != NULL) summarise_differences(values, count, batches, beyond);
  summarise(values, count, batches, us);
}

void time_latency(CUstream stream, const task *tasks, int count, int samples, spread *us) {
  double *values = new_values(count, samples);
  warm_up(stream, tasks, count, 1);
  GPU(gpu()->cuStreamSynchronize(stream));
  for (int s = 0; s < samples; ++s) {
    for (int t = 0; t < count; ++t) {
      const double start = clock_ms();
      tasks[t].run(tasks[t].self, stream);
      GPU(gpu()->cuStreamSynchronize(stream));
      values[t * samples + s] = (clock_ms() - start) * 1e3;
    }
  }
  summarise(values, count, samples, us);
}

/* ---- graphs */

captured capture_runs(CUstream stream, const task *t, int runs) {
  captured c = {NULL, NULL};
  GPU(gpu()->cuStreamSynchronize(stream));
  GPU(gpu()->cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  repeat(t, stream, runs);
  GPU(gpu()->cuStreamEndCapture(stream, &c.graph));
  GPU(gpu()->cuGraphInstantiateWithFlags(&c.executable, c.graph, 0));
  return c;
}

static void replay(void *self, CUstream stream) {
  GPU(gpu()->cuGraphLaunch(((const captured *)self)->executable, stream));
}

task captured_task(captured *c) {
  return (task){replay, c};
}

void captured_free(captured *c) {
  if (c->executable != NULL) GPU(gpu()->cuGraphExecDestroy(c->executable));
  if (c->graph != NULL) GPU(gpu()->cuGraphDestroy(c->graph));
  *c = (captured){NULL, NULL};
}
