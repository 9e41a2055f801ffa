/* The same bits for the same input: over many runs, whatever else the GPU does meanwhile, whenever blocks
 * come to run, and in graphs. With other orders of blocks and warps, too: see test_other_gpus.sh, which
 * compares what is read here. */
#include <jig/jig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "numbers.h"
#include "reduce_support.h"
#include "scan_support.h"
#include "suite.h"

enum { RUNS = 20 };

/* Sums of which the last bits tell in which order they were made. */
static float *random_floats(size_t count) {
  float *items = malloc(count * sizeof *items);
  uint64_t seed = 99;
  for (size_t i = 0; i < count; ++i) items[i] = (float)(int64_t)next_random(&seed) * 0x1p-63f;
  return items;
}

/* Pass items on, or add them up, sooner or later, by what the clock says. */
static const char restless_load[] =
    "const long long until = clock64() + (clock64() >> 3 ^ blockIdx.x * 77) % 2000;\n"
    "while (clock64() < until) {}\n"
    "return x;";
static const char restless_plus[] =
    "const long long now = clock64();\n"
    "if ((now ^ now >> 7 ^ threadIdx.x / 32) % 64 == 0) while (clock64() < now + 900) {}\n"
    "return a + b;";

typedef struct scene {
  size_t count;
  float *items, *first, *again;
  void *in, *out;
} scene;

static void run_once(const scene *s, const jig_scan_args *args, size_t storage_offset, float *result) {
  run_scan(args, storage_offset);
  gpu_read(result, s->out, s->count * sizeof *result);
}

/* How far off sums of so many items are at most, if they are sums at all. */
static void check_roughly(const scene *s) {
  double sum = 0;
  for (size_t i = 0; i < s->count; ++i) {
    sum += (double)s->items[i];
    const double error = sum - (double)s->first[i];
    ck_assert_msg(error < 1e-2 && error > -1e-2, "sum %zu is %g, not %g", i, (double)s->first[i], sum);
  }
}

static void check_late_runs(const scene *s, const jig_scan_args *args, const char *what) {
  run_once(s, args, 0, s->first);
  check_roughly(s);
  for (int run = 0; run < RUNS / 4; ++run) {
    run_once(s, args, 0, s->again);
    check_items(s->again, s->first, sizeof *s->first, s->count, what);
  }
}

static void check_runs(size_t count) {
  scene s = {.count = count, .items = random_floats(count)};
  s.first = malloc(count * sizeof *s.first);
  s.again = malloc(count * sizeof *s.again);
  s.in = gpu_copy(s.items, count * sizeof *s.items, 0);
  s.out = gpu_alloc(count * sizeof *s.items, 0);
  const jig_iter plain = jig_pointer(s.in, JIG_F32);
  jig_scan_args args = {.in = plain, .out = jig_pointer(s.out, JIG_F32), .num_items = count};
  run_once(&s, &args, 0, s.first);
  check_roughly(&s);
  for (int run = 1; run < RUNS; ++run) {
    run_once(&s, &args, (size_t)run, s.again);
    check_items(s.again, s.first, sizeof *s.first, count, "run again");
  }
  /* Another program each, and maybe another kernel: with bits of its own. */
  args.in = jig_iter_transform(&plain, jig_op_source(restless_load), JIG_F32);
  check_late_runs(&s, &args, "run with blocks that load late");
  args.in = plain;
  args.op = jig_op_source(restless_plus);
  check_late_runs(&s, &args, "run with warps that come late");
  gpu_free(s.in);
  gpu_free(s.out);
  free(s.items);
  free(s.first);
  free(s.again);
}

START_TEST(runs_give_the_same_bits) {
  const jig_iter plain = jig_pointer(NULL, JIG_F32);
  const jig_scan_args args = {.in = plain, .out = plain};
  const scan_marks m = scan_marks_of(&args);
  check_runs(m.alone - 5);
  check_runs(11 * m.row + 1);
  check_runs(m.single_wave);
  check_runs(scan_long_size(&m, (size_t)-1));
}
END_TEST

/* Another operator and another type, whose accumulators are longer than a word. */
START_TEST(products_of_matrices_give_the_same_bits) {
  enum { COUNT = 60007 };
  typedef struct matrix {
    float a, b, c, d;
  } matrix;
  const jig_type type = jig_struct("matrix", "struct matrix { float a, b, c, d; };", 16, 4);
  float *items = random_floats(4 * COUNT);
  matrix *first = malloc(COUNT * sizeof *first), *again = malloc(COUNT * sizeof *again);
  for (size_t i = 0; i < COUNT;
       ++i) { /* rotations, more or less, so that products neither end nor explode */
    const float angle = items[4 * i], other = 1 - angle * angle / 2;
    memcpy(items + 4 * i, (float[]){other, -angle * 0.9f, angle * 0.9f, other}, 16);
  }
  void *in = gpu_copy(items, COUNT * sizeof *first, 0), *out = gpu_alloc(COUNT * sizeof *first, 0);
  const jig_scan_args args = {
      .in = jig_pointer(in, type),
      .out = jig_pointer(out, type),
      .num_items = COUNT,
      .op = jig_op_source("return {a.a * b.a + a.b * b.c, a.a * b.b + a.b * b.d,\n"
                          "        a.c * b.a + a.d * b.c, a.c * b.b + a.d * b.d};")};
  for (int run = 0; run < RUNS; ++run) {
    run_scan(&args, 0);
    gpu_read(run == 0 ? first : again, out, COUNT * sizeof *first);
    if (run > 0) check_items(again, first, sizeof *first, COUNT, "matrices again");
  }
  gpu_free(in);
  gpu_free(out);
  free(items);
  free(first);
  free(again);
}
END_TEST

START_TEST(graphs_give_the_same_bits) {
  const jig_iter plain = jig_pointer(NULL, JIG_F32);
  jig_scan_args args = {.in = plain, .out = plain};
  const scan_marks m = scan_marks_of(&args);
  const size_t count = m.single_wave + 2 * m.tile + 9;
  float *items = random_floats(count), *first = malloc(count * 4), *again = malloc(count * 4);
  void *in = gpu_copy(items, count * 4, 0), *out = gpu_alloc(count * 4, 0);
  args = (jig_scan_args){
      .in = jig_pointer(in, JIG_F32), .out = jig_pointer(out, JIG_F32), .num_items = count};
  run_scan(&args, 0);
  gpu_read(first, out, count * 4);
  size_t bytes = 0;
  CUstream stream;
  OK(jig_scan(NULL, NULL, &bytes, &args, NULL));
  void *storage = gpu_alloc(bytes, 0);
  GPU(gpu()->cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  gpu_begin_capture(stream);
  OK(jig_scan(NULL, storage, &bytes, &args, stream));
  CUgraphExec exec = gpu_end_capture(stream);
  for (int run = 0; run < 3; ++run) {
    GPU(gpu()->cuMemsetD8Async((CUdeviceptr)(uintptr_t)out, 0xee, count * 4, stream));
    gpu_replay(exec, stream);
    gpu_read(again, out, count * 4);
    check_items(again, first, 4, count, "a replay");
  }
  GPU(gpu()->cuGraphExecDestroy(exec));
  GPU(gpu()->cuStreamDestroy(stream));
  gpu_free(storage);
  gpu_free(in);
  gpu_free(out);
  free(items);
  free(first);
  free(again);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(runs_give_the_same_bits),
      SUITE_TEST(products_of_matrices_give_the_same_bits),
      SUITE_TEST(graphs_give_the_same_bits),
  };
  return SUITE_RUN("device/scan_determinism", tests, true);
}
