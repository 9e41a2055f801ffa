/* Where a scan's items come from and go to: memory at any alignment, its own input, iterators of every
 * kind; and its initial value, given or computed before on the same stream. */
#include <jig/jig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "kernel.h"
#include "numbers.h"
#include "reduce_support.h"
#include "scan_support.h"
#include "suite.h"
#include "words.h"

/* sums[i] of the first i + 1 words, or of the first i. */
static uint32_t *sums_of(const uint32_t *words, size_t count, jig_scan_mode mode, uint32_t init) {
  uint32_t *sums = malloc(count * sizeof *sums), sum = init;
  for (size_t i = 0; i < count; ++i) {
    if (mode == JIG_SCAN_EXCLUSIVE) sums[i] = sum;
    sum += words[i];
    if (mode == JIG_SCAN_INCLUSIVE) sums[i] = sum;
  }
  return sums;
}

/* One block, several, a look-back of several groups. */
enum { SMALL = 700, MIDDLE = 30011 };
static size_t large_size(jig_type type) {
  const jig_scan_args args = {.in = jig_pointer(NULL, type), .out = jig_pointer(NULL, type)};
  const scan_marks marks = scan_marks_of(&args);
  return scan_long_size(&marks, (size_t)-1);
}

/* ---- alignment */

static void check_bytes(const uint8_t *sums, const void *in, size_t count, size_t in_offset,
                        size_t out_offset) {
  char what[96];
  (void)snprintf(what, sizeof what, "%zu u8, %zu and %zu bytes off", count, in_offset, out_offset);
  check_scan((jig_scan_args){.in = jig_pointer((const char *)in + in_offset, JIG_U8),
                             .num_items = count,
                             .accum_type = JIG_U8},
             JIG_U8, out_offset, sums + in_offset, what);
}

START_TEST(bytes_at_every_alignment) {
  const size_t large = large_size(JIG_U8) + 16;
  uint8_t *items = malloc(large), *sums = malloc(large);
  for (size_t in_offset = 0; in_offset < 16; ++in_offset) {
    fill_random(JIG_KIND_U8, items, large, 5);
    uint8_t sum = 0;
    for (size_t i = in_offset; i < large; ++i) sums[i] = sum = (uint8_t)(sum + items[i]);
    const size_t middle = MIDDLE + in_offset;
    void *in = gpu_copy(items, middle + 16, 0);
    for (size_t out_offset = 0; out_offset < 16; ++out_offset)
      check_bytes(sums, in, middle, in_offset, out_offset);
    gpu_free(in);
    if (in_offset % 5 != 0) continue;
    in = gpu_copy(items, large, 0);
    check_bytes(sums, in, large - 16, in_offset, (in_offset + 7) % 16);
    gpu_free(in);
  }
  free(items);
  free(sums);
}
END_TEST

/* The vectors of the output have another size than those of the input. */
START_TEST(outputs_of_another_size_at_every_alignment) {
  enum { COUNT = 50021 };
  uint8_t *items = malloc(COUNT);
  uint32_t *wide = malloc(COUNT * sizeof *wide), sum = 0;
  uint16_t *narrow = malloc(COUNT * sizeof *narrow);
  fill_random(JIG_KIND_U8, items, COUNT, 6);
  for (size_t i = 0; i < COUNT; ++i) {
    wide[i] = sum += items[i];
    narrow[i] = (uint16_t)sum;
  }
  for (size_t offset = 0; offset < 4; ++offset) {
    void *in = gpu_copy(items, COUNT, 5 * offset);
    jig_scan_args args = {
        .in = jig_pointer(in, JIG_U8), .num_items = COUNT - offset, .accum_type = JIG_U32};
    check_scan(args, JIG_U32, 4 * offset, wide, "u8 as u32");
    check_scan(args, JIG_U16, 2 * offset, narrow, "u8 as u16");
    gpu_free(in);
    uint32_t *words = random_words(COUNT, 7), *sums = sums_of(words, COUNT, JIG_SCAN_INCLUSIVE, 0);
    uint8_t *low = malloc(COUNT);
    for (size_t i = 0; i < COUNT; ++i) low[i] = (uint8_t)sums[i];
    in = gpu_copy(words, COUNT * 4, 4 * offset);
    args = (jig_scan_args){.in = jig_pointer(in, JIG_U32), .num_items = COUNT};
    check_scan(args, JIG_U8, offset, low, "u32 as u8");
    gpu_free(in);
    free(words);
    free(sums);
    free(low);
  }
  free(items);
  free(wide);
  free(narrow);
}
END_TEST

/* ---- in place */

static void check_in_place(jig_scan_mode mode, size_t count, size_t offset, bool through_transform) {
  uint32_t *words = random_words(count, count + offset), *sums, *got = malloc(count * 4);
  uint32_t *device = gpu_copy(words, count * 4, 4 * offset);
  const jig_iter plain = jig_pointer(device, JIG_U32);
  jig_scan_args args = {.in = plain, .out = plain, .num_items = count, .mode = mode};
  if (through_transform) {
    args.in = jig_iter_transform(&plain, jig_op_source("return x ^ 5;"), JIG_U32);
    for (size_t i = 0; i < count; ++i) words[i] ^= 5;
  }
  sums = sums_of(words, count, mode, 0);
  run_scan(&args, 0);
  gpu_read(got, device, count * 4);
  check_items(got, sums, 4, count, through_transform ? "in place, transformed" : "in place");
  gpu_free(device);
  free(words);
  free(sums);
  free(got);
}

START_TEST(the_output_may_be_the_input) {
  const size_t counts[] = {1, 5, 129, SMALL, MIDDLE, large_size(JIG_U32)};
  for (size_t c = 0; c < COUNT_OF(counts); ++c) {
    for (size_t offset = 0; offset < 4; ++offset) {
      check_in_place(JIG_SCAN_INCLUSIVE, counts[c], offset, false);
      check_in_place(JIG_SCAN_EXCLUSIVE, counts[c], offset, false);
    }
    check_in_place(JIG_SCAN_EXCLUSIVE, counts[c], c % 2, true);
  }
}
END_TEST

/* Items of one size and two types; structs that no vector holds. */
START_TEST(in_place_as_another_type) {
  enum { COUNT = 100003 };
  float *items = malloc(COUNT * sizeof *items), sum = 0;
  int32_t *sums = malloc(COUNT * sizeof *sums), *got = malloc(COUNT * sizeof *got);
  for (size_t i = 0; i < COUNT; ++i) {
    items[i] = (float)(i % 9);
    sums[i] = (int32_t)(sum += items[i]);
  }
  void *device = gpu_copy(items, COUNT * sizeof *items, 0);
  run_scan(
      &(jig_scan_args){
          .in = jig_pointer(device, JIG_F32), .out = jig_pointer(device, JIG_I32), .num_items = COUNT},
      0);
  gpu_read(got, device, COUNT * sizeof *got);
  check_items(got, sums, sizeof *got, COUNT, "f32 as i32, in place");
  gpu_free(device);
  free(items);
  free(sums);
  free(got);
}
END_TEST

/* ---- the initial value */

START_TEST(inits_by_value) {
  const size_t counts[] = {0, 1, 2, SMALL, MIDDLE, large_size(JIG_U32)};
  const uint32_t init = 0x89abcdef;
  for (size_t c = 0; c < COUNT_OF(counts); ++c) {
    uint32_t *words = random_words(counts[c] + 1, 9), *in = gpu_copy(words, counts[c] * 4, 4 * (c % 2));
    for (jig_scan_mode mode = JIG_SCAN_INCLUSIVE; mode <= JIG_SCAN_EXCLUSIVE; ++mode) {
      uint32_t *sums = sums_of(words, counts[c], mode, init);
      check_scan(
          (jig_scan_args){
              .in = jig_pointer(in, JIG_U32), .num_items = counts[c], .mode = mode, .init = &init},
          JIG_U32, 0, sums, "with an init");
      free(sums);
    }
    gpu_free(in);
    free(words);
  }
}
END_TEST

static const char slow_writer[] =
    "#include <jig/core/types.cuh>\n"
    "extern \"C\" __global__ void test(uint32_t *to, uint32_t value) {\n"
    "  asm volatile(\"griddepcontrol.launch_dependents;\" ::: \"memory\");\n"
    "  const long long until = clock64() + 300000;\n"
    "  while (clock64() < until) {}\n"
    "  *to = value;\n"
    "}\n";

/* Enqueued behind a kernel that writes the value late, or a copy, and before a memset of it. */
static void check_future(const kernel *writer, const uint32_t *words, const void *in, size_t count,
                         jig_scan_mode mode, uint32_t value) {
  uint32_t *init = gpu_alloc(4, 0), *out = gpu_alloc(count * 4, 0), *got = malloc(count * 4);
  jig_scan_args args = {.in = jig_pointer(in, JIG_U32),
                        .out = jig_pointer(out, JIG_U32),
                        .num_items = count,
                        .mode = mode,
                        .init_in = jig_pointer(init, JIG_U32)};
  size_t bytes = 0;
  CUstream stream;
  OK(jig_scan(NULL, NULL, &bytes, &args, NULL));
  void *storage = gpu_alloc(bytes, 0);
  GPU(gpu()->cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  if (writer != NULL) {
    void *parameters[] = {&init, &value};
    GPU(gpu()->cuLaunchKernel(writer->function, 1, 1, 1, 1, 1, 1, 0, stream, parameters, NULL));
  } else {
    GPU(gpu()->cuMemcpyHtoDAsync((CUdeviceptr)(uintptr_t)init, &value, 4, stream));
  }
  OK(jig_scan(NULL, storage, &bytes, &args, stream));
  GPU(gpu()->cuMemsetD8Async((CUdeviceptr)(uintptr_t)init, 0xee, 4, stream));
  GPU(gpu()->cuStreamSynchronize(stream));
  gpu_read(got, out, count * 4);
  uint32_t *sums = sums_of(words, count, mode, value);
  check_items(got, sums, 4, count, writer != NULL ? "init of a kernel" : "init of a copy");
  GPU(gpu()->cuStreamDestroy(stream));
  gpu_free(storage);
  gpu_free(out);
  gpu_free(init);
  free(sums);
  free(got);
}

START_TEST(inits_that_are_computed_before) {
  const size_t counts[] = {1, SMALL, MIDDLE, large_size(JIG_U32)};
  int count;
  const bool can_write = driver_devices(&count)->sm >= 90; /* has griddepcontrol */
  kernel writer;
  if (can_write) writer = kernel_build(slow_writer);
  uint32_t *words = random_words(counts[3], 12), *in = gpu_copy(words, counts[3] * 4, 0);
  for (size_t c = 0; c < COUNT_OF(counts); ++c) {
    for (uint32_t round = 0; round < 3; ++round) {
      const jig_scan_mode mode = round % 2 == 0 ? JIG_SCAN_EXCLUSIVE : JIG_SCAN_INCLUSIVE;
      check_future(NULL, words, in, counts[c], mode, 77 + round);
      if (can_write) check_future(&writer, words, in, counts[c], mode, 12345 + round);
    }
  }
  if (can_write) kernel_free(&writer);
  gpu_free(in);
  free(words);
}
END_TEST

/* Any iterator: the last total of the scan before, reached through a reverse and converted. */
START_TEST(inits_by_iterators) {
  enum { COUNT = 9000 };
  uint32_t *words = random_words(COUNT, 13), *in = gpu_copy(words, COUNT * 4, 0);
  uint32_t *first = gpu_alloc(COUNT * 4, 0);
  run_scan(
      &(jig_scan_args){
          .in = jig_pointer(in, JIG_U32), .out = jig_pointer(first, JIG_U32), .num_items = COUNT},
      0);
  uint32_t total = 0;
  for (size_t i = 0; i < COUNT; ++i) total += words[i];
  const jig_iter before = jig_pointer(first, JIG_U32);
  uint32_t *sums = sums_of(words, COUNT, JIG_SCAN_EXCLUSIVE, total);
  check_scan((jig_scan_args){.in = jig_pointer(in, JIG_U32),
                             .num_items = COUNT,
                             .mode = JIG_SCAN_EXCLUSIVE,
                             .accum_type = JIG_U32,
                             .init_in = jig_iter_reverse(&before, COUNT)},
             JIG_U32, 0, sums, "from the last total");
  gpu_free(first);
  gpu_free(in);
  free(words);
  free(sums);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(bytes_at_every_alignment),
      SUITE_TEST(outputs_of_another_size_at_every_alignment),
      SUITE_TEST(the_output_may_be_the_input),
      SUITE_TEST(in_place_as_another_type),
      SUITE_TEST(inits_by_value),
      SUITE_TEST(inits_that_are_computed_before),
      SUITE_TEST(inits_by_iterators),
  };
  return SUITE_RUN("device/scan_places", tests, true);
}
