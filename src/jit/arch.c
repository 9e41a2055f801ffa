#include "jit/arch.h"

#include <stdio.h>
#include <string.h>

#include "policy/policy.h"
#include "util/error.h"

arch arch_of_sm(int sm, bool ptx) {
  arch a = {.sm = sm, .ptx = ptx};
  (void)snprintf(a.name, sizeof a.name, "%s_%d", ptx ? "compute" : "sm", sm);
  return a;
}

jig_status arch_parse(const char *name, arch *parsed) {
  int sm = 0;
  *parsed = (arch){0};
  if (name != NULL) {
    const bool ptx = sscanf(name, "compute_%3d", &sm) == 1;
    if (ptx || sscanf(name, "sm_%3d", &sm) == 1) {
      *parsed = arch_of_sm(sm, ptx);
      if (sm >= POLICY_OLDEST_SM && strcmp(parsed->name, name) == 0) return JIG_SUCCESS;
    }
  }
  return error_set(
      JIG_ERROR_INVALID_ARGUMENT,
      "arch: '%s' is no architecture that jig knows; write sm_90 for machine code or compute_90 for "
      "PTX, of SM %d or newer",
      name != NULL ? name : "(null)", (int)POLICY_OLDEST_SM);
}
