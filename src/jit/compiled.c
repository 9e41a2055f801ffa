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
 * stores, 8 bytes spill loads". */
kernel_cost kernel_cost_of_line(const char *line, size_t length) {
  static const char used[] = "Used ";
  kernel_cost cost = {-1, -1, -1};
  const bool tells_use = memmem(line, length, used, strlen(used)) != NULL;
  const int registers = tells_use ? number_before(line, length, " registers") : -1;
  const int stores = number_before(line, length, " bytes spill stores");
  const int loads = number_before(line, length, " bytes spill loads");
  if (registers >= 0) {
    cost.registers = registers;
    cost.shared_bytes = larger(number_before(line, length, " bytes smem"), 0);
  }
  if (stores >= 0 && loads >= 0) cost.spill_bytes = stores + loads;
  return cost;
}

kernel_cost kernel_cost_read(const char *log) {
  kernel_cost most = {-1, -1, -1};
  for (const char *line = log; line != NULL && *line != '\0'; line += *line == '\n') {
    const size_t length = strcspn(line, "\n");
    const kernel_cost cost = kernel_cost_of_line(line, length);
    most.registers = larger(most.registers, cost.registers);
    most.shared_bytes = larger(most.shared_bytes, cost.shared_bytes);
    most.spill_bytes = larger(most.spill_bytes, cost.spill_bytes);
    line += length;
  }
  return most;
}

void compiled_free(compiled *result) {
  free(result->payload);
  free(result->log);
  *result = (compiled){0};
}
