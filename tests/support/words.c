#include "words.h"

#include <stdlib.h>

#include "gpu.h"
#include "numbers.h"
#include "suite.h"

uint32_t *random_words(size_t count, uint64_t seed) {
  uint32_t *words = malloc(count * sizeof *words + 1);
  fill_random(JIG_KIND_U32, words, count, seed);
  return words;
}

void check_words(const void *device, const uint32_t *wanted, size_t count, const char *what) {
  uint32_t *got = malloc(count * sizeof *got + 1);
  gpu_read(got, device, count * sizeof *got);
  for (size_t i = 0; i < count; ++i)
    ck_assert_msg(got[i] == wanted[i], "%s: item %zu of %zu is %u, not %u", what, i, count, got[i],
                  wanted[i]);
  free(got);
}
