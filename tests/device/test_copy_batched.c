/* Batched copies of items: types of every size, conversions, iterators on both sides, offsets of any
 * type; ranges of memory that are copied as bytes, and items that are copied one by one. */
#include <jig/jig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "batched_support.h"
#include "gpu.h"
#include "numbers.h"
#include "reduce_support.h"
#include "suite.h"

/* Small ones around warps, middling ones, and such that count as long, for bytes as for items. */
static const size_t shapes[] = {0, 1,    2,    3,    31,   32,   33, 64,   0,    100,
                                7, 511,  512,  513,  1023, 1024, 5,  1025, 2047, 2048,
                                1, 2049, 2500, 3072, 3073, 8200, 0,  9,    20011};

static batch shapes_of(batch_layout layout) {
  return batch_of(shapes, COUNT_OF(shapes), layout, 11);
}

/* A batch's arrays, on the device. */
typedef struct arrays {
  void *from, *to, *sizes;
} arrays;

static arrays arrays_of(const batch *b) {
  return (arrays){gpu_copy(b->from, b->count * 8, 0), gpu_copy(b->to, b->count * 8, 0),
                  gpu_copy(b->sizes, b->count * 8, 0)};
}

static void free_arrays(const arrays *a) {
  gpu_free(a->from);
  gpu_free(a->to);
  gpu_free(a->sizes);
}

static void copy_ranges(const batch *b, jig_iter in, jig_iter out) {
  const arrays a = arrays_of(b);
  run_copy_batched(&(jig_copy_batched_args){.in = in,
                                            .out = out,
                                            .in_offsets = jig_pointer(a.from, JIG_I64),
                                            .out_offsets = jig_pointer(a.to, JIG_U64),
                                            .sizes = jig_pointer(a.sizes, JIG_I64),
                                            .num_ranges = b->count},
                   b->count % 2);
  free_arrays(&a);
}

/* ---- types */

static void check_type(jig_type type, batch_layout layout, size_t offset) {
  batch b = shapes_of(layout);
  const size_t item = type.size;
  unsigned char *items = malloc(b.source_units * item);
  fill_random(JIG_KIND_U8, items, b.source_units * item, 11);
  void *in = gpu_copy(items, b.source_units * item, offset * type.align);
  void *out = gpu_alloc(b.target_units * item, offset % 3 * type.align);
  copy_ranges(&b, jig_pointer(in, type), jig_pointer(out, type));
  unsigned char *wanted = batch_result(&b, items, item);
  check_target(out, wanted, b.target_units, item, jig_type_name(&type));
  gpu_free(in);
  gpu_free(out);
  free(items);
  free(wanted);
  free_batch(&b);
}

START_TEST(every_type) {
  static const uint32_t opaque[][2] = {{3, 1}, {6, 2}, {12, 4}, {24, 8}, {64, 4}, {255, 1}};
  size_t k = 0;
  for (const jig_type_kind *kind = all_kinds; *kind != JIG_KIND_NONE; ++kind, ++k)
    check_type(type_of(*kind), (batch_layout)(k % BATCH_LAYOUTS), k % 4);
  for (size_t i = 0; i < COUNT_OF(opaque); ++i, ++k)
    check_type(jig_opaque(opaque[i][0], opaque[i][1]), (batch_layout)(k % BATCH_LAYOUTS), k % 4);
}
END_TEST

/* Numbers that every type has: 0 to 99. */
static void check_conversion(jig_type_kind from, jig_type_kind to, batch_layout layout) {
  batch b = shapes_of(layout);
  const jig_type in_type = type_of(from), out_type = type_of(to);
  void *items = malloc(b.source_units * 16), *converted = malloc(b.source_units * 16);
  for (size_t i = 0; i < b.source_units; ++i) {
    const int value = (int)(i * 7 % 100);
    is_floating(from) ? put_float(from, items, i, value) : put_integer(from, items, i, value);
    is_floating(to) ? put_float(to, converted, i, value) : put_integer(to, converted, i, value);
  }
  char what[64];
  (void)snprintf(what, sizeof what, "%s to %s", jig_type_name(&in_type), jig_type_name(&out_type));
  void *in = gpu_copy(items, b.source_units * in_type.size, 0);
  void *out = gpu_alloc(b.target_units * out_type.size, 0);
  copy_ranges(&b, jig_pointer(in, in_type), jig_pointer(out, out_type));
  unsigned char *wanted = batch_result(&b, converted, out_type.size);
  check_target(out, wanted, b.target_units, out_type.size, what);
  gpu_free(in);
  gpu_free(out);
  free(items);
  free(converted);
  free(wanted);
  free_batch(&b);
}

START_TEST(items_are_converted) {
  static const jig_type_kind pairs[][2] = {{JIG_KIND_U8, JIG_KIND_F32},   {JIG_KIND_F32, JIG_KIND_F64},
                                           {JIG_KIND_I64, JIG_KIND_I8},   {JIG_KIND_F16, JIG_KIND_F32},
                                           {JIG_KIND_F32, JIG_KIND_BF16}, {JIG_KIND_U128, JIG_KIND_I16},
                                           {JIG_KIND_I32, JIG_KIND_U32}};
  for (size_t i = 0; i < COUNT_OF(pairs); ++i)
    check_conversion(pairs[i][0], pairs[i][1], (batch_layout)(i % BATCH_LAYOUTS));
}
END_TEST

/* ---- iterators */

/* Ranges begin far behind what 32 bits count. */
START_TEST(inputs_that_are_computed) {
  const uint64_t far = (uint64_t)1 << 40;
  batch b = shapes_of(BATCH_SHUFFLED);
  uint64_t *items = malloc(b.source_units * 8), *out = gpu_alloc(b.target_units * 8, 8);
  const jig_iter counting = jig_counting(NULL, JIG_U64);
  const jig_iter inputs[] = {
      counting, jig_iter_transform(&counting, jig_op_source("return x * x + 1;"), JIG_U64),
      jig_iter_source(jig_op_source("return i ^ 0x5a5a;"), JIG_U64), jig_constant(&far, JIG_U64)};
  for (size_t i = 0; i < b.count; ++i) b.from[i] += far;
  for (size_t k = 0; k < COUNT_OF(inputs); ++k) {
    for (size_t i = 0; i < b.source_units; ++i) {
      const uint64_t x = far + i, values[] = {x, x * x + 1, x ^ 0x5a5a, far};
      items[i] = values[k];
    }
    gpu_fill(out, 0xcd, b.target_units * 8);
    copy_ranges(&b, inputs[k], jig_pointer(out, JIG_U64));
    for (size_t i = 0; i < b.count; ++i) b.from[i] -= far;
    unsigned char *wanted = batch_result(&b, (unsigned char *)items, 8);
    for (size_t i = 0; i < b.count; ++i) b.from[i] += far;
    check_target(out, wanted, b.target_units, 8, "a computed input");
    free(wanted);
  }
  gpu_free(out);
  free(items);
  free_batch(&b);
}
END_TEST

START_TEST(outputs_of_every_kind) {
  batch b = shapes_of(BATCH_APART);
  const size_t n = b.target_units;
  uint32_t *items = malloc(b.source_units * 4), *wanted = malloc(2 * n * 4),
           *memory = gpu_alloc(2 * n * 4, 0);
  fill_random(JIG_KIND_U32, items, b.source_units, 3);
  const jig_iter in = jig_pointer(gpu_copy(items, b.source_units * 4, 4), JIG_U32);
  const jig_iter out = jig_pointer(memory, JIG_U32);
  const jig_iter outputs[] = {jig_iter_reverse(&out, n), jig_strided(memory, 8, JIG_U32),
                              jig_transform_output(&out, jig_op_source("return x ^ 5;"), JIG_U32),
                              jig_discard(JIG_U32)};
  for (size_t k = 0; k < COUNT_OF(outputs); ++k) {
    gpu_fill(memory, 0xcd, 2 * n * 4);
    memset(wanted, 0xcd, 2 * n * 4);
    for (size_t r = 0; r < b.count; ++r)
      for (size_t j = 0; j < b.sizes[r] && k < 3; ++j) {
        const size_t i = b.to[r] + j;
        const uint32_t item = items[b.from[r] + j];
        wanted[k == 0 ? n - 1 - i : k == 1 ? 2 * i : i] = k == 2 ? item ^ 5 : item;
      }
    copy_ranges(&b, in, outputs[k]);
    check_target(memory, (unsigned char *)wanted, 2 * n, 4, "an output");
  }
  gpu_free(memory);
  gpu_free(in.pointer);
  free(items);
  free(wanted);
  free_batch(&b);
}
END_TEST

/* Rows of a matrix of structs that are taken apart into two arrays. */
START_TEST(zipped_outputs) {
  enum { ROWS = 50, COLUMNS = 37, COUNT = ROWS * COLUMNS };
  const jig_type pair = jig_struct("pair", "struct pair { unsigned a, b; };", 8, 4);
  const uint64_t step = COLUMNS, length = COLUMNS, from = COUNT;
  uint32_t *items = malloc(2 * COUNT * 8), got[2][COUNT];
  fill_random(JIG_KIND_U32, items, 4 * COUNT, 3);
  void *in = gpu_copy(items, 2 * COUNT * 8, 0), *first = gpu_alloc(COUNT * 4, 0),
       *second = gpu_alloc(COUNT * 4, 4);
  const jig_iter outs[] = {jig_pointer(first, JIG_U32), jig_pointer(second, JIG_U32)};
  run_copy_batched(&(jig_copy_batched_args){.in = jig_pointer(in, pair),
                                            .out = jig_zip(outs, 2, pair),
                                            .in_offsets = jig_counting_by(&from, &step, JIG_U64),
                                            .out_offsets = jig_counting_by(NULL, &step, JIG_U64),
                                            .sizes = jig_constant(&length, JIG_U64),
                                            .num_ranges = ROWS},
                   0);
  gpu_read(got[0], first, COUNT * 4);
  gpu_read(got[1], second, COUNT * 4);
  for (size_t i = 0; i < COUNT; ++i) {
    ck_assert_uint_eq(got[0][i], items[2 * (COUNT + i)]);
    ck_assert_uint_eq(got[1][i], items[2 * (COUNT + i) + 1]);
  }
  gpu_free(in);
  gpu_free(first);
  gpu_free(second);
  free(items);
}
END_TEST

/* Offsets and sizes of every integer type; those below 0, of memory on both sides of a pointer. */
START_TEST(offsets_of_any_type) {
  static const int64_t from[] = {3, 0, 9, 5}, to[] = {0, 7, 20, 4}, sizes[] = {4, 9, 12, 0};
  uint16_t items[32], got[40], wanted[40];
  fill_random(JIG_KIND_U16, items, 32, 3);
  uint16_t *in = gpu_copy(items, sizeof items, 2), *out = gpu_alloc(sizeof got, 6);
  for (const jig_type_kind *kind = all_kinds; *kind != JIG_KIND_NONE; ++kind) {
    if (is_floating(*kind) || *kind == JIG_KIND_BOOL) continue;
    const int64_t shift = is_signed(*kind) ? 10 : 0;
    unsigned char numbers[3][64];
    const jig_type type = type_of(*kind);
    memset(wanted, 0xcd, sizeof wanted);
    for (size_t i = 0; i < 4; ++i) {
      put_integer(*kind, numbers[0], i, from[i] - shift);
      put_integer(*kind, numbers[1], i, to[i] - shift);
      put_integer(*kind, numbers[2], i, i == 3 && shift > 0 ? -5 : sizes[i]);
      memcpy(wanted + to[i], items + from[i], (size_t)sizes[i] * 2);
    }
    unsigned char *device = gpu_copy(numbers, sizeof numbers, 0);
    for (int as_bytes = 0; as_bytes < 2; ++as_bytes) {
      const jig_iter memory = jig_pointer(in + shift, JIG_U16);
      gpu_fill(out, 0xcd, sizeof got);
      run_copy_batched(
          &(jig_copy_batched_args){
              .in = as_bytes ? memory : jig_iter_transform(&memory, jig_op_source("return x;"), JIG_U16),
              .out = jig_pointer(out + shift, JIG_U16),
              .in_offsets = jig_pointer(device, type),
              .out_offsets = jig_pointer(device + 64, type),
              .sizes = jig_pointer(device + 128, type),
              .num_ranges = 4},
          0);
      check_target(out, (unsigned char *)wanted, 40, 2, jig_type_name(&type));
    }
    gpu_free(device);
  }
  gpu_free(in);
  gpu_free(out);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(every_type),
      SUITE_TEST(items_are_converted),
      SUITE_TEST(inputs_that_are_computed),
      SUITE_TEST(outputs_of_every_kind),
      SUITE_TEST(zipped_outputs),
      SUITE_TEST(offsets_of_any_type),
  };
  return SUITE_RUN("device/copy_batched", tests, true);
}
