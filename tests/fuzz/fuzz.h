/* What the fuzz targets share. Each is a program of its own, for libFuzzer, which calls
 * LLVMFuzzerTestOneInput() with one input after another; sanitizers see what that does wrong, and MUST()
 * what comes out wrong. */
#ifndef JIG_TESTS_FUZZ_H
#define JIG_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(condition)                                                                         \
  do {                                                                                          \
    if (!(condition)) {                                                                         \
      (void)fprintf(stderr, "%s:%d: this does not hold: %s\n", __FILE__, __LINE__, #condition); \
      abort();                                                                                  \
    }                                                                                           \
  } while (0)

/* Bytes and a NUL, in memory that ends there; to be freed. */
static inline char *fuzz_text(const uint8_t *data, size_t size) {
  char *text = malloc(size + 1);
  MUST(text != NULL);
  if (size > 0) memcpy(text, data, size);
  text[size] = '\0';
  return text;
}

/* The same without a NUL. */
static inline uint8_t *fuzz_bytes(const uint8_t *data, size_t size) {
  uint8_t *bytes = malloc(size);
  MUST(bytes != NULL);
  if (size > 0) memcpy(bytes, data, size);
  return bytes;
}

/* The part up to a NUL, taken off the input; to be freed. */
static inline char *fuzz_take_text(const uint8_t **data, size_t *size) {
  const uint8_t *nul = *size > 0 ? memchr(*data, '\0', *size) : NULL;
  const size_t length = nul != NULL ? (size_t)(nul - *data) : *size;
  char *text = fuzz_text(*data, length);
  *data += length + (nul != NULL);
  *size -= length + (nul != NULL);
  return text;
}

#endif
