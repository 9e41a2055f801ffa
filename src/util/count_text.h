/* Counts as messages show them. */
#ifndef JIG_UTIL_COUNT_TEXT_H
#define JIG_UTIL_COUNT_TEXT_H

#include <inttypes.h>
#include <stdio.h>

#include "util/integer.h"

typedef struct count_text {
  char digits[24];
} count_text;

/* Its digits; of one that is TOO_LARGE, which a sum or a product may have become, as much as is known. */
static inline const char *text_of_count(count_text *shown, uint64_t count) {
  if (count == TOO_LARGE) return "more than 2^64 - 2";
  (void)snprintf(shown->digits, sizeof shown->digits, "%" PRIu64, count);
  return shown->digits;
}

#endif
