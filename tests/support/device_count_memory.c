#include "device_count_memory.h"

#include <check.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "gpu.h"
#include "numbers.h"
#include "suite.h"

static int less_words(const void *a, const void *b) {
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

static size_t output_bytes(const device_count_call *c) {
  return 8 * c->limit + 8;
}

device_count_call device_count_new(uint64_t limit, uint64_t seed) {
  const size_t bytes = limit * sizeof(uint32_t);
  uint32_t *items = calloc(limit + 1, sizeof *items), key = 0;
  device_count_call c = {.limit = limit, .count = limit, .second_count = limit / 3};
  for (uint64_t i = 0; i < limit; ++i) items[i] = (uint32_t)(next_random(&seed) >> 40);
  c.words = gpu_copy(items, bytes, 0);
  qsort(items, limit, sizeof items[0], less_words);
  c.sorted = gpu_copy(items, bytes, 0);
  for (uint64_t i = 0; i < limit; ++i)
    items[i] = (i > 0 ? items[i - 1] : 3) + (next_random(&seed) % 64 == 0 ? 40 : 0);
  c.other_sorted = gpu_copy(items, bytes, 0);
  for (uint64_t i = 0; i < limit; ++i) items[i] = key += next_random(&seed) % 8 == 0;
  c.keys = gpu_copy(items, bytes, 0);
  /* Segments of one item, but for a long one. */
  for (uint64_t i = 0; i <= limit; ++i)
    items[i] = (uint32_t)(i == 0 ? 0 : i + limit / 5 > limit ? limit : i + limit / 5);
  c.offsets = gpu_copy(items, bytes + sizeof(uint32_t), 0);
  for (uint64_t i = 0; i < limit; ++i) ((uint8_t *)items)[i] = next_random(&seed) % 2 == 0;
  c.flags = gpu_copy(items, limit, 0);
  for (int k = 0; k < DEVICE_COUNT_OUTPUTS; ++k) c.outputs[k] = gpu_alloc(output_bytes(&c), 0);
  free(items);
  return c;
}

void device_count_free(device_count_call *c) {
  void *const all[] = {c->words, c->sorted, c->other_sorted, c->keys, c->offsets, c->flags};
  for (size_t i = 0; i < COUNT_OF(all); ++i) gpu_free(all[i]);
  for (int k = 0; k < DEVICE_COUNT_OUTPUTS; ++k) gpu_free(c->outputs[k]);
}

void device_count_poison(const device_count_call *c) {
  for (int k = 0; k < DEVICE_COUNT_OUTPUTS; ++k) gpu_fill(c->outputs[k], 0x5a, output_bytes(c));
}

char *device_count_outputs(const device_count_call *c) {
  char *all = malloc(DEVICE_COUNT_OUTPUTS * output_bytes(c));
  for (int k = 0; k < DEVICE_COUNT_OUTPUTS; ++k)
    gpu_read(all + (size_t)k * output_bytes(c), c->outputs[k], output_bytes(c));
  return all;
}

void device_count_expect(const device_count_call *c, const char *wanted, char *got, const char *format,
                         ...) {
  const size_t size = DEVICE_COUNT_OUTPUTS * output_bytes(c);
  char what[256];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(what, sizeof what, format, arguments);
  va_end(arguments);
  size_t i = 0;
  while (i < size && got[i] == wanted[i]) ++i;
  ck_assert_msg(i == size, "%s: byte %zu of output %zu", what, i % output_bytes(c), i / output_bytes(c));
  free(got);
}
