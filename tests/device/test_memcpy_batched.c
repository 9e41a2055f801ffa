/* Batched memcpy: sizes from nothing to a giant among tiny ones, at every alignment of both sides, in any
 * order, with sources that overlap; every byte around destinations stays as it was. */
#include <jig/jig.h>
#include <stdio.h>
#include <stdlib.h>

#include "batched_support.h"
#include "gpu.h"
#include "numbers.h"
#include "reduce_support.h"
#include "suite.h"

enum { ALIGNMENTS = 16 };

static void check_layouts(const size_t *sizes, size_t count, const char *what) {
  for (int layout = 0; layout < BATCH_LAYOUTS; ++layout) {
    batch b = batch_of(sizes, count, (batch_layout)layout, 3 + count);
    check_memcpy_batch(&b, count % 5, count % 7, what);
    free_batch(&b);
  }
}

/* Around vectors, warps, and what is middling, long, and a tile of what is long. */
START_TEST(every_size) {
  static const size_t more[] = {1023,  1024,  1025,  2047,  2048,  2049,  4095,  4096,  4097,
                                8064,  8191,  8192,  8193,  8300,  12287, 12288, 12289, 16383,
                                16384, 16400, 65535, 65536, 65537, 70001, 131072};
  enum { SMALL = 700 };
  size_t sizes[SMALL + COUNT_OF(more)];
  for (size_t i = 0; i < SMALL; ++i) sizes[i] = i;
  for (size_t i = 0; i < COUNT_OF(more); ++i) sizes[SMALL + i] = more[i];
  check_layouts(sizes, COUNT_OF(sizes), "every size");
  for (size_t i = 0; i < COUNT_OF(more); ++i) check_layouts(&more[i], 1, "one buffer");
}
END_TEST

START_TEST(every_count) {
  static const size_t counts[] = {1,   2,   7,   8,   9,   31,   32,   33,   127,
                                  128, 129, 255, 256, 257, 1023, 3969, 4097, 9000};
  for (size_t c = 0; c < COUNT_OF(counts); ++c) {
    size_t *sizes = malloc(counts[c] * sizeof *sizes);
    for (size_t i = 0; i < counts[c]; ++i) sizes[i] = (i * 7 + c) % 9;
    check_layouts(sizes, counts[c], "tiny ones");
    free(sizes);
  }
}
END_TEST

/* Every alignment of the one side meets every one of the other, with sizes around all edges. */
START_TEST(every_alignment) {
  static const size_t lengths[] = {1,  3,  15, 16, 17, 30, 31, 32,  33,  47,
                                   48, 49, 62, 63, 64, 65, 79, 100, 517, 8500};
  enum { PAIRS = ALIGNMENTS * ALIGNMENTS, SLOT = 8500 + 64 };
  for (size_t l = 0; l < COUNT_OF(lengths); ++l) {
    const size_t slot = lengths[l] + 64 - lengths[l] % 16;
    uint64_t sizes[PAIRS], from[PAIRS], to[PAIRS];
    batch b = {.count = PAIRS,
               .source_units = 2 * slot,
               .target_units = PAIRS * slot,
               .sizes = sizes,
               .from = from,
               .to = to};
    for (size_t i = 0; i < PAIRS; ++i) {
      sizes[i] = lengths[l];
      from[i] = 16 + i % ALIGNMENTS;
      to[i] = i * slot + 16 + i / ALIGNMENTS;
    }
    char what[64];
    (void)snprintf(what, sizeof what, "%zu bytes at every alignment", lengths[l]);
    check_memcpy_batch(&b, 0, 0, what);
  }
}
END_TEST

static size_t *random_sizes(size_t count, size_t most, uint64_t seed) {
  size_t *sizes = malloc(count * sizeof *sizes);
  for (size_t i = 0; i < count; ++i) sizes[i] = next_random(&seed) % (most + 1);
  return sizes;
}

START_TEST(sizes_of_any_distribution) {
  enum { COUNT = 5000, FEW = 600, GIANT = 3000001 };
  size_t *sizes = random_sizes(COUNT, 63, 3);
  check_layouts(sizes, COUNT, "up to 63");
  sizes[COUNT / 3] = GIANT; /* one giant among tiny ones */
  check_layouts(sizes, COUNT, "a giant among tiny ones");
  free(sizes);
  sizes = random_sizes(COUNT, 1023, 4);
  check_layouts(sizes, COUNT, "up to 1023");
  free(sizes);
  sizes = random_sizes(FEW, 20000, 5);
  check_layouts(sizes, FEW, "up to 20000");
  for (size_t i = 0; i < FEW; ++i) sizes[i] = i % 40 == 0 ? 9000 + i : i % 3 == 0 ? 0 : 5;
  check_layouts(sizes, FEW, "long ones here and there");
  for (size_t i = 0; i < FEW; ++i) sizes[i] = 0;
  check_layouts(sizes, FEW, "nothing at all");
  free(sizes);
}
END_TEST

/* Warps that have so many middling ones that they leave them to others, next to such that have tiny ones.
 */
START_TEST(middling_ones_in_a_row) {
  enum { COUNT = 4500 };
  size_t *sizes = random_sizes(COUNT, 12, 6);
  for (size_t i = 0; i < 200; ++i) sizes[2000 + i] = 2000 + i * 30;
  check_layouts(sizes, COUNT, "middling ones in a row");
  free(sizes);
}
END_TEST

/* Memory that ends, for all that is known, where the buffer does; what lies before it is not set. */
START_TEST(nothing_else_is_read) {
  static const size_t lengths[] = {1, 17, 33, 50, 63, 100, 5000, 8200, 20000};
  for (size_t l = 0; l < COUNT_OF(lengths); ++l) {
    for (size_t first = 0; first < ALIGNMENTS; first += 1 + l % 3) {
      CUdeviceptr source;
      const size_t length = lengths[l];
      unsigned char *bytes = malloc(length), *got = malloc(length);
      fill_random(JIG_KIND_U8, bytes, length, 9);
      GPU(gpu()->cuMemAlloc(&source, first + length));
      gpu_write((void *)(uintptr_t)(source + first), bytes, length);
      for (size_t offset = 0; offset < ALIGNMENTS; offset += 3) {
        void *target = gpu_alloc(length, offset);
        const uint64_t addresses[] = {source + first, (uintptr_t)target};
        OK(jig_memcpy_batched(
            NULL, NULL, NULL,
            &(jig_memcpy_batched_args){.sources = jig_constant(&addresses[0], JIG_U64),
                                       .destinations = jig_constant(&addresses[1], JIG_U64),
                                       .sizes = jig_constant(&length, JIG_U64),
                                       .num_buffers = 1},
            NULL));
        gpu_read(got, target, length);
        ck_assert_mem_eq(got, bytes, length);
        gpu_free(target);
      }
      GPU(gpu()->cuMemFree(source));
      free(bytes);
      free(got);
    }
  }
}
END_TEST

/* What is looked at lies around places where 32 bits end. */
START_TEST(more_bytes_than_32_bits_count) {
  enum { LOOK = 4096 };
  const uint64_t size = ((uint64_t)1 << 32) + 12345, small = 7, half = (uint64_t)1 << 31;
  const uint64_t looks[] = {0, half - LOOK / 2, 2 * half - LOOK / 2, size - LOOK};
  if (!gpu_begin_large("device/memcpy_batched: more_bytes_than_32_bits_count",
                       2 * size + ((size_t)1 << 28)))
    return;
  CUdeviceptr in, out;
  unsigned char bytes[COUNT_OF(looks)][LOOK], got[LOOK];
  fill_random(JIG_KIND_U8, bytes, sizeof bytes, 3);
  GPU(gpu()->cuMemAlloc(&in, size));
  GPU(gpu()->cuMemAlloc(&out, size));
  gpu_fill((void *)(uintptr_t)in, 0, size);
  for (size_t i = 0; i < COUNT_OF(looks); ++i)
    gpu_write((void *)(uintptr_t)(in + looks[i]), bytes[i], LOOK);
  uint64_t table[3][2] = {{in + small, in}, {out + small, out}, {size - small, small}};
  uint64_t *device = gpu_copy(table, sizeof table, 0);
  run_memcpy_batched(&(jig_memcpy_batched_args){.sources = jig_pointer(device, JIG_U64),
                                                .destinations = jig_pointer(device + 2, JIG_U64),
                                                .sizes = jig_pointer(device + 4, JIG_U64),
                                                .num_buffers = 2},
                     0);
  for (size_t i = 0; i < COUNT_OF(looks); ++i) {
    gpu_read(got, (void *)(uintptr_t)(out + looks[i]), LOOK);
    ck_assert_mem_eq(got, bytes[i], LOOK);
  }
  gpu_free(device);
  GPU(gpu()->cuMemFree(in));
  GPU(gpu()->cuMemFree(out));
  gpu_end_large();
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(every_size),
      SUITE_TEST(every_count),
      SUITE_TEST(every_alignment),
      SUITE_TEST(sizes_of_any_distribution),
      SUITE_TEST(middling_ones_in_a_row),
      SUITE_TEST(nothing_else_is_read),
      SUITE_TEST(more_bytes_than_32_bits_count),
  };
  return SUITE_RUN("device/memcpy_batched", tests, true);
}
