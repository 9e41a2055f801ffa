#include "contender.h"

#include <string.h>

#include "gpu.h"

const char *const contender_names[CONTENDERS] = {"jig", "cub"};

arena arena_new(const bench_case *c, uint64_t most_items) {
  arena a = {.benched = c};
  for (int i = 0; i < BENCH_ARRAYS; ++i) {
    a.in[i] = gpu_alloc(array_bytes(&c->in[i], most_items));
    for (int k = 0; k < CONTENDERS; ++k) a.out[k][i] = gpu_alloc(array_bytes(&c->out[i], most_items));
  }
  return a;
}

void arena_free(arena *a) {
  for (int i = 0; i < BENCH_ARRAYS; ++i) {
    gpu_free(a->in[i]);
    for (int k = 0; k < CONTENDERS; ++k) gpu_free(a->out[k][i]);
  }
}

static void run_jig(void *self, CUstream stream) {
  contender *c = self;
  const jig_status status = c->benched->call(&c->data, c->engine, c->temp, &c->temp_bytes, stream);
  if (status != JIG_SUCCESS) JIG(status);
}

static void run_cub(void *self, CUstream stream) {
  contender *c = self;
  GPU(c->peer->call(c->temp, &c->temp_bytes, &c->data, stream));
}

task contender_task(contender *c) {
  return (task){c->peer != NULL ? run_cub : run_jig, c};
}

static void give_temp(contender *c) {
  c->temp = gpu_alloc(c->temp_bytes);
  gpu_set(c->temp, 0xcd, c->temp_bytes); /* whatever it holds, calls must work */
}

static void open_one(contender *c, const arena *a, int which, uint64_t n) {
  *c = (contender){.benched = a->benched, .data = {.n = n}};
  memcpy(c->data.in, a->in, sizeof c->data.in);
  memcpy(c->data.out, a->out[which], sizeof c->data.out);
  c->data.args = c->args;
}

int contenders_open(contender both[CONTENDERS], const arena *a, uint64_t n, jig_engine *engine,
                    bool alone) {
  contender *jig = &both[BENCH_JIG], *cub = &both[BENCH_CUB];
  const bench_case *c = a->benched;
  open_one(jig, a, BENCH_JIG, n);
  jig->engine = engine;
  c->arrange(c, &jig->data);
  c->fill(c, &jig->data, n);
  JIG(c->call(&jig->data, engine, NULL, &jig->temp_bytes, gpu_stream()));
  give_temp(jig);

  open_one(cub, a, BENCH_CUB, n);
  cub->peer = alone ? NULL : case_peer(c);
  if (cub->peer == NULL) return 1;
  c->arrange(c, &cub->data);
  const int result = cub->peer->call(NULL, &cub->temp_bytes, &cub->data, gpu_stream());
  if (result == CUB_LEFT_OUT) return 1;
  GPU(result);
  give_temp(cub);
  return 2;
}

void contenders_close(contender both[CONTENDERS], int count) {
  GPU(gpu()->cuStreamSynchronize(gpu_stream()));
  for (int k = 0; k < count; ++k) gpu_free(both[k].temp);
}
