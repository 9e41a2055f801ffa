#include "jit/compiled.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "ptxas info : Used 31 registers, used 1 barriers, 64 bytes smem", "... 0 bytes spill stores, 0 bytes
 * spill loads": the most of any kernel. */
kernel_cost kernel_cost_read(const char *log) {
  kernel_cost cost = {-1, -1, -1};
  for (const char *line = log; line != NULL && *line != '\0'; line = strchr(line, '\n')) {
    line += *line == '\n';
    const char *end = line + strcspn(line, "\n");
    const char *used = strstr(line, "Used "), *smem = strstr(line, " bytes smem");
    const char *spill = strstr(line, "stack frame, ");
    int registers, stores, loads;
    if (used != NULL && used < end && sscanf(used, "Used %d registers", &registers) == 1) {
      int shared = 0;
      if (smem != NULL && smem < end) {
        while (smem > line && smem[-1] >= '0' && smem[-1] <= '9') --smem;
        shared = atoi(smem);
      }
      if (registers > cost.registers) cost.registers = registers;
      if (shared > cost.shared_bytes) cost.shared_bytes = shared;
    }
    if (spill != NULL && spill < end &&
        sscanf(spill, "stack frame, %d bytes spill stores, %d bytes spill loads", &stores, &loads) == 2 &&
        stores + loads > cost.spill_bytes) {
      cost.spill_bytes = stores + loads;
    }
  }
  return cost;
}

void compiled_free(compiled *result) {
  free(result->payload);
  free(result->log);
  *result = (compiled){0};
}
