/* Compilers' logs, of which operators write parts: whatever they are, something is told, in the terms of
 * a program. The input is a log, a NUL, and the program. */
#include <jig/jig.h>

#include "fuzz.h"
#include "jit/compiled.h"
#include "jit/diagnose.h"
#include "util/error.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *log = fuzz_take_text(&data, &size), *program = fuzz_take_text(&data, &size);
  error_clear();
  const jig_status status = diagnose(log, program);
  MUST(status == JIG_ERROR_COMPILE || status == JIG_ERROR_TYPE_MISMATCH);
  MUST(jig_last_error()[0] != '\0');
  const kernel_cost cost = kernel_cost_read(log);
  MUST(cost.registers >= -1 && cost.shared_bytes >= -1 && cost.spill_bytes >= -1);
  free(log);
  free(program);
  return 0;
}
