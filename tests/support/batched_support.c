#include "batched_support.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "numbers.h"
#include "phases.h"

enum { FILLED = 0xcd, MAX_GAP = 40 };

/* ---- calls */

void run_memcpy_batched(const jig_memcpy_batched_args *args, size_t offset) {
  RUN_PHASES(jig_memcpy_batched, args, offset);
}

void run_copy_batched(const jig_copy_batched_args *args, size_t offset) {
  RUN_PHASES(jig_copy_batched, args, offset);
}

/* ---- batches */

static void *must(size_t size) {
  void *memory = calloc(size + 1, 1);
  ck_assert_ptr_nonnull(memory);
  return memory;
}

/* Where the buffers lie, taken in some order. */
static void place(batch *b, const size_t *order, bool is_apart, uint64_t *seed) {
  for (size_t k = 0; k < b->count; ++k) {
    const size_t i = order[k], size = b->sizes[i];
    if (is_apart) b->target_units += next_random(seed) % MAX_GAP;
    b->to[i] = b->target_units;
    b->from[i] = is_apart ? next_random(seed) % (b->source_units - size + 1) : b->target_units;
    b->target_units += size;
  }
}

batch batch_of(const size_t *sizes, size_t count, batch_layout layout, uint64_t seed) {
  batch b = {.count = count, .sizes = must(count * 8), .from = must(count * 8), .to = must(count * 8)};
  size_t *order = must(count * sizeof *order), longest = 0, sum = 0;
  for (size_t i = 0; i < count; ++i) {
    b.sizes[i] = sizes[i];
    longest = sizes[i] > longest ? sizes[i] : longest;
    sum += sizes[i];
    const size_t other = layout == BATCH_SHUFFLED ? next_random(&seed) % (i + 1) : i;
    order[i] = order[other];
    order[other] = i;
  }
  b.source_units = layout == BATCH_ADJOINING ? sum : longest + longest / 2 + 100;
  place(&b, order, layout != BATCH_ADJOINING, &seed);
  free(order);
  return b;
}

void free_batch(batch *b) {
  free(b->sizes);
  free(b->from);
  free(b->to);
}

unsigned char *batch_result(const batch *b, const unsigned char *source, size_t item) {
  unsigned char *target = must(b->target_units * item);
  memset(target, FILLED, b->target_units * item);
  for (size_t i = 0; i < b->count; ++i)
    memcpy(target + b->to[i] * item, source + b->from[i] * item, b->sizes[i] * item);
  return target;
}

void check_target(const void *device, const unsigned char *wanted, size_t units, size_t item,
                  const char *what) {
  unsigned char *got = must(units * item);
  gpu_read(got, device, units * item);
  if (memcmp(got, wanted, units * item) != 0)
    for (size_t i = 0; i < units; ++i)
      ck_assert_msg(memcmp(got + i * item, wanted + i * item, item) == 0, "%s: unit %zu of %zu", what, i,
                    units);
  free(got);
}

/* ---- a call */

static void *addresses_of(const uint64_t *places, size_t count, const void *base) {
  uint64_t *addresses = must(count * 8);
  for (size_t i = 0; i < count; ++i) addresses[i] = (uintptr_t)base + places[i];
  void *device = gpu_copy(addresses, count * 8, 0);
  free(addresses);
  return device;
}

void check_memcpy_batch(const batch *b, size_t source_offset, size_t target_offset, const char *what) {
  unsigned char *bytes = must(b->source_units);
  fill_random(JIG_KIND_U8, bytes, b->source_units, 5);
  void *source = gpu_copy(bytes, b->source_units, source_offset);
  void *target = gpu_alloc(b->target_units, target_offset);
  gpu_fill(target, FILLED, b->target_units);
  void *const arrays[] = {addresses_of(b->from, b->count, source), addresses_of(b->to, b->count, target),
                          gpu_copy(b->sizes, b->count * 8, 0)};
  run_memcpy_batched(&(jig_memcpy_batched_args){.sources = jig_pointer(arrays[0], JIG_U64),
                                                .destinations = jig_pointer(arrays[1], JIG_U64),
                                                .sizes = jig_pointer(arrays[2], JIG_U64),
                                                .num_buffers = b->count},
                     b->count % 3);
  unsigned char *wanted = batch_result(b, bytes, 1);
  check_target(target, wanted, b->target_units, 1, what);
  for (size_t i = 0; i < COUNT_OF(arrays); ++i) gpu_free(arrays[i]);
  gpu_free(source);
  gpu_free(target);
  free(wanted);
  free(bytes);
}
