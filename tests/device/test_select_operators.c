/* The operators of select, unique and the partitions in all their forms: source, functions, compiled by
 * others, with states here and in device memory; over opaque types. */
#include <jig/jig.h>
#include <stdlib.h>
#include <string.h>

#include "binaries.h"
#include "gpu.h"
#include "numbers.h"
#include "reduce_support.h"
#include "select_support.h"
#include "suite.h"

enum { COUNT = 9001 };

/* Words below 100, and whether each is below 30: class 0. */
typedef struct scene {
  int32_t items[COUNT];
  uint8_t classes[COUNT], runs[COUNT];
  void *device;
} scene;

static scene *open_scene(void) {
  scene *s = malloc(sizeof *s);
  uint64_t seed = 12;
  for (size_t i = 0; i < COUNT; ++i) {
    s->items[i] = (int32_t)(next_random(&seed) >> 33) % 100;
    s->classes[i] = s->items[i] >= 30;
    s->runs[i] = i > 0 && s->items[i] / 30 == s->items[i - 1] / 30;
  }
  s->device = gpu_copy(s->items, sizeof s->items, 0);
  return s;
}

static void close_scene(scene *s) {
  gpu_free(s->device);
  free(s);
}

/* Test and equality as items of that type see them. */
static void check_ops(const scene *s, jig_type type, jig_op test, jig_op equal, const char *what) {
  select_wanted w = {s->items, type, s->classes, 0, what};
  const jig_iter in = jig_pointer(s->device, type);
  check_select((jig_select_args){.in = in, .num_items = COUNT, .op = test}, &w);
  check_select((jig_select_args){.in = in, .flags = in, .num_items = COUNT, .op = test}, &w);
  check_partition((jig_partition_args){.in = in, .num_items = COUNT, .op = test}, &w, false);
  check_three_way(
      (jig_three_way_partition_args){
          .in = in, .num_items = COUNT, .first_op = test, .second_op = jig_op_source("return true;")},
      &w);
  w.classes = s->runs;
  check_unique((jig_unique_args){.in = in, .num_items = COUNT, .equality = equal}, &w);
}

START_TEST(source_and_states) {
  static const int limit = 30, size = 30;
  scene *s = open_scene();
  int *device = gpu_copy(&limit, sizeof limit, 0);
  check_ops(s, JIG_I32, jig_op_with_state(jig_op_source("return x < state;"), &limit, JIG_I32),
            jig_op_with_state(jig_op_source("return a / state == b / state;"), &size, JIG_I32), "states");
  check_ops(s, JIG_I32, jig_op_with_device_state(jig_op_source("return x < state;"), device, JIG_I32),
            jig_op_with_device_state(jig_op_source("return a / state == b / state;"), device, JIG_I32),
            "states in device memory");
  check_ops(
      s, JIG_I32, jig_op_function("namespace mine { int few(int x) { return x < 30; } }", "mine::few"),
      jig_op_function("bool alike(int a, int b) { return a / 30 == b / 30; }", "alike"), "functions");
  gpu_free(device);
  close_scene(s);
}
END_TEST

static const char by_value[] =
    "extern \"C\" __device__ bool few(int x) { return x < 30; }\n"
    "extern \"C\" __device__ bool alike(int a, int b) { return a / 30 == b / 30; }\n";
static const char by_pointer[] =
    "extern \"C\" __device__ void few(const void *x, void *r) { *(bool *)r = *(const int *)x < 30; }\n"
    "extern \"C\" __device__ void alike(const void *a, const void *b, void *r) {\n"
    "  *(bool *)r = *(const int *)a / 30 == *(const int *)b / 30;\n"
    "}\n";

START_TEST(compiled_by_others) {
  static const binary_kind kinds[] = {BINARY_LTO_IR, BINARY_PTX};
  scene *s = open_scene();
  for (size_t k = 0; k < COUNT_OF(kinds); ++k) {
    const binary *values = binary_make(BY_NVRTC, kinds[k], by_value, 0);
    const binary *pointers = binary_make(BY_NVRTC, kinds[k], by_pointer, 0);
    const jig_op few = jig_op_by_pointer(binary_op(pointers, "few"));
    const jig_op alike = jig_op_by_pointer(binary_op(pointers, "alike"));
    check_ops(s, JIG_I32, binary_op(values, "few"), binary_op(values, "alike"),
              binary_kind_name(kinds[k]));
    check_ops(s, JIG_I32, few, alike, binary_kind_name(kinds[k]));
    check_ops(s, jig_opaque(4, 4), few, alike, "opaque items");
  }
  close_scene(s);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(source_and_states),
      SUITE_TEST(compiled_by_others),
  };
  return SUITE_RUN("device/select_operators", tests, true);
}
