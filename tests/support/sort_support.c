#include "sort_support.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "numbers.h"
#include "scan_support.h"

unsigned char *random_bytes(size_t count, uint64_t seed) {
  unsigned char *bytes = malloc(count + 1);
  for (size_t i = 0; i < count; ++i) bytes[i] = (unsigned char)(next_random(&seed) >> 30);
  return bytes;
}

void *permuted(const void *items, size_t size, const size_t *order, size_t count) {
  char *result = malloc(count * size + 1);
  for (size_t i = 0; i < count; ++i)
    memcpy(result + i * size, (const char *)items + order[i] * size, size);
  return result;
}

void check_sorted(const void *device, const void *wanted, size_t size, size_t count, const char *what) {
  void *got = malloc(count * size + 1);
  gpu_read(got, device, count * size);
  check_items(got, wanted, size, count, what);
  free(got);
}

void check_kept(const void *device, const void *items, size_t bytes, const char *what) {
  void *kept = malloc(bytes + 1);
  gpu_read(kept, device, bytes);
  ck_assert_msg(memcmp(kept, items, bytes) == 0, "%s: the input has changed", what);
  free(kept);
}
