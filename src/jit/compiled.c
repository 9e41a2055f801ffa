#include "jit/compiled.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The number before a phrase in a line, its last nine digits at most; -1 if there is none. */
static int number_before(const char *line, size_t length, const char *phrase) {
  const char *end = memmem(line, length, phrase, strlen(phrase));
  if (end == NULL || end == line || !isdigit((unsigned char)end[-1])) return -1;
  const char *begin = end;
  while (begin > line && end - begin < 9 && isdigit((unsigned char)begin[-1])) --begin;
  int number = 0;
  for (; begin < end; ++begin) number = number * 10 + (*begin - '0');
  return number;
}

static int larger(int a, int b) {
  return a > b ? a : b;
}

/* "ptxas info : Used 31 registers, used 1 barriers, 64 bytes smem", "24 bytes stack frame, 8 bytes spill
 * stores, 8 bytes spill loads": the most of any kernel. */
kernel_cost kernel_cost_read(const char *log) {
  static const char used[] = "Used ";
  kernel_cost cost = {-1, -1, -1};
  for (const char *line = log; line != NULL && *line != '\0'; line += *line == '\n') {
    const size_t length = strcspn(line, "\n");
    const bool tells_use = memmem(line, length, used, strlen(used)) != NULL;
    const int registers = tells_use ? number_before(line, length, " registers") : -1;
    const int stores = number_before(line, length, " bytes spill stores");
    const int loads = number_before(line, length, " bytes spill loads");
    if (registers >= 0) {
      const int shared = number_before(line, length, " bytes smem");
      cost.registers = larger(cost.registers, registers);
      cost.shared_bytes = larger(cost.shared_bytes, larger(shared, 0));
    }
    if (stores >= 0 && loads >= 0) cost.spill_bytes = larger(cost.spill_bytes, stores + loads);
    line += length;
  }
  return cost;
}

void compiled_free(compiled *result) {
  free(result->payload);
  free(result->log);
  *result = (compiled){0};
}
