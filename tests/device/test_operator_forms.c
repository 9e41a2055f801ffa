/* Every type, form of operator and kind of iterator with every other, on reduce, against the host.
 *
 * JIG_TEST_MATRIX=full runs every type with every form, every kind of state and every input;
 * otherwise as few cases as cover every two of these. JIG_TEST_SHARD=i/n runs only so much of it. */
#include <jig/jig.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpu.h"
#include "matrix_case.h"
#include "matrix_cover.h"
#include "reduce_support.h"
#include "seed.h"
#include "suite.h"
#include "util/clock.h"

enum { CHUNK = 256, MAX_THREADS = 64, ERROR_SIZE = 2048 };

static int device_sm;
static CUcontext context;

/* ---- which forms can be had */

static bool machine_code_runs(void) {
  static const char nothing[] = "extern \"C\" __global__ void nothing() {}";
  CUmodule module;
  const binary *b = binary_make(BY_NVRTC, BINARY_CUBIN, nothing, device_sm);
  const bool runs = gpu()->cuModuleLoadData(&module, b->data) == CUDA_SUCCESS;
  if (runs) GPU(gpu()->cuModuleUnload(module));
  return runs;
}

static void find_forms(bool there[MATRIX_FORMS]) {
  const bool machine = machine_code_runs();
  for (size_t i = 0; i < MATRIX_FORMS; ++i) {
    const matrix_form *f = &matrix_forms[i];
    const bool made = !matrix_is_compiled(f) || maker_makes(f->maker, f->kind);
    const bool runs = !matrix_is_compiled(f) || machine || !binary_is_machine_code(f->kind);
    there[i] = made && runs;
    if (!there[i])
      printf("skipped: device/operator_forms: %s of %s by %s (%s)\n", binary_kind_name(f->kind),
             maker_name(f->maker), f->by_pointer ? "pointer" : "value",
             made ? "the driver takes PTX only" : "no such compiler");
  }
}

/* ---- building, on every processor */

typedef struct outcome {
  jig_status status;
  char error[ERROR_SIZE];
} outcome;

static struct {
  jig_engine *engine;
  const matrix_case *cases;
  outcome *outcomes;
  size_t count;
  atomic_size_t next;
} building;

static void *build_some(void *unused) {
  GPU(gpu()->cuCtxSetCurrent(context));
  matrix_scene *scene = malloc(sizeof *scene);
  for (size_t i; (i = building.next++) < building.count;) {
    const matrix_stock none = {.type = building.cases[i].type};
    outcome *o = &building.outcomes[i];
    size_t bytes;
    matrix_scene_set(scene, &building.cases[i], &none, 1, NULL, NULL, device_sm);
    o->status = jig_reduce(building.engine, NULL, &bytes, &scene->args, NULL);
    if (o->status != JIG_SUCCESS) (void)snprintf(o->error, sizeof o->error, "%.2000s", jig_last_error());
  }
  free(scene);
  return unused;
}

static void on_every_processor(void *(*work)(void *)) {
  pthread_t threads[MAX_THREADS];
  const long processors = sysconf(_SC_NPROCESSORS_ONLN);
  const size_t count = processors < 1 ? 1 : processors < MAX_THREADS ? (size_t)processors : MAX_THREADS;
  for (size_t i = 0; i < count; ++i) ck_assert_int_eq(pthread_create(&threads[i], NULL, work, NULL), 0);
  for (size_t i = 0; i < count; ++i) ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
}

/* nvcc takes its time: everything that is needed of it at once, each once. */
static void *compile_some(void *unused) {
  for (size_t kind; (kind = building.next++) < BINARY_KINDS;) {
    bool needed = false;
    for (size_t k = 0; k < building.count; ++k) {
      const matrix_form *f = building.cases[k].form;
      needed = needed || (matrix_is_compiled(f) && f->maker == BY_NVCC && f->kind == kind);
    }
    if (needed) (void)binary_make(BY_NVCC, (binary_kind)kind, matrix_file(NULL), device_sm);
  }
  return unused;
}

static void build_all(jig_engine *engine, const matrix_case *cases, outcome *outcomes, size_t count) {
  building.engine = engine;
  building.cases = cases;
  building.outcomes = outcomes;
  building.count = count;
  building.next = 0;
  on_every_processor(compile_some);
  building.next = 0;
  on_every_processor(build_some);
}

/* ---- running */

static size_t failed;

/* One line each, and on to the next case. */
static void report(const matrix_case *c, size_t count, const char *problem) {
  enum { MAX_LINES = 40 };
  if (++failed > MAX_LINES) return;
  printf("%s, %zu items: %s\n", matrix_case_name(c), count, problem);
}

static void compare(const matrix_scene *scene, const void *out, const void *numbers) {
  static unsigned char got[MATRIX_PLACES * 256], wanted[MATRIX_PLACES * 256];
  const size_t size = scene->of->type->size, count = scene->args.num_items;
  uint32_t number, wanted_number;
  gpu_read(got, out, MATRIX_PLACES * size);
  gpu_read(&number, numbers, sizeof number);
  matrix_scene_expect(scene, wanted, &wanted_number);
  for (size_t i = 0; i < MATRIX_PLACES; ++i) {
    if (memcmp(got + i * size, wanted + i * size, size) == 0) continue;
    char problem[256];
    (void)snprintf(problem, sizeof problem, "place %zu holds %s, not %s", i,
                   bits_of(got + i * size, size), bits_of(wanted + i * size, size));
    report(scene->of, count, problem);
    return;
  }
  if (number != wanted_number) report(scene->of, count, "the number beside the item is wrong");
}

static void run_case(jig_engine *engine, const matrix_case *c, const matrix_stock *stock) {
  const size_t counts[] = {0, 1, stock->count};
  static matrix_scene scene;
  jig_engine_stats before, after;
  OK(jig_engine_get_stats(engine, &before));
  for (size_t i = 0; i < COUNT_OF(counts); ++i) {
    size_t bytes;
    void *out = gpu_alloc(MATRIX_PLACES * c->type->size, c->type->align);
    void *numbers = gpu_alloc(sizeof(uint32_t), 0);
    matrix_scene_set(&scene, c, stock, counts[i], out, numbers, device_sm);
    OK(jig_reduce(engine, NULL, &bytes, &scene.args, NULL));
    void *storage = gpu_alloc(bytes, 0);
    if (jig_reduce(engine, storage, &bytes, &scene.args, NULL) == JIG_SUCCESS)
      compare(&scene, out, numbers);
    else
      report(c, counts[i], jig_last_error());
    gpu_free(storage);
    gpu_free(numbers);
    gpu_free(out);
  }
  /* Pointers, values, counts and the state's bytes have moved since it was built. */
  OK(jig_engine_get_stats(engine, &after));
  if (after.misses != before.misses) report(c, 0, after.last_miss);
}

/* A few cases with an engine of their own, so that no more programs are loaded at once. */
static void run_chunk(const matrix_case *cases, size_t count, double *build_ms) {
  jig_engine *engine;
  const jig_engine_config no_cache = {.cache_dir = "", .cache_path = ""};
  OK(jig_engine_create(&engine, &no_cache));
  outcome *outcomes = calloc(count, sizeof *outcomes);
  const double start = clock_ms();
  build_all(engine, cases, outcomes, count);
  *build_ms += clock_ms() - start;
  matrix_stock stock = {.type = NULL};
  for (size_t i = 0; i < count; ++i) {
    if (outcomes[i].status != JIG_SUCCESS) {
      report(&cases[i], 0, outcomes[i].error);
      continue;
    }
    if (stock.type != cases[i].type) {
      if (stock.type != NULL) matrix_stock_free(&stock);
      stock = matrix_stock_new(cases[i].type);
    }
    run_case(engine, &cases[i], &stock);
  }
  if (stock.type != NULL) matrix_stock_free(&stock);
  free(outcomes);
  jig_engine_destroy(engine);
}

START_TEST(every_two_of_type_form_state_and_iterator) {
  int count;
  device_sm = driver_devices(&count)[0].sm;
  GPU(gpu()->cuCtxGetCurrent(&context));
  bool there[MATRIX_FORMS];
  find_forms(there);
  const char *all = getenv("JIG_TEST_MATRIX"), *shard = getenv("JIG_TEST_SHARD");
  matrix_cases cases = all != NULL && strcmp(all, "full") == 0 ? matrix_full(there) : matrix_cover(there);
  size_t i, n;
  if (shard != NULL && sscanf(shard, "%zu/%zu", &i, &n) == 2 && i < n)
    matrix_shard(&cases, i, n);
  else if (all == NULL && gpu_is_software())
    matrix_shard(&cases, test_seed() % 2, 2);
  const double start = clock_ms();
  double build_ms = 0;
  for (size_t done = 0; done < cases.count; done += CHUNK) {
    const size_t left = cases.count - done;
    run_chunk(cases.all + done, left < CHUNK ? left : CHUNK, &build_ms);
  }
  printf("%zu programs: %.0f s, of which %.0f s building\n", cases.count, (clock_ms() - start) / 1e3,
         build_ms / 1e3);
  free(cases.all);
  ck_assert_msg(failed == 0, "%zu calls went wrong", failed);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(every_two_of_type_form_state_and_iterator),
  };
  return SUITE_RUN("device/operator_forms", tests, true);
}
