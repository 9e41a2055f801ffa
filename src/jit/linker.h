/* nvJitLink, opened when first needed: LTO-IR of jig's and functions that others compiled to one cubin or
 * PTX. */
#ifndef JIG_JIT_LINKER_H
#define JIG_JIT_LINKER_H

#include <stdbool.h>

#include <jig/operator.h>
#include <jig/status.h>

#include "jit/arch.h"
#include "jit/compiled.h"

typedef struct linker {
  char version[16]; /* "13.0" */
  const char *path; /* of the library; may be NULL */
} linker;

/* The linker; NULL with JIG_ERROR_NO_COMPILER set if there is none, which is found out once. */
const linker *linker_get(void);

typedef struct link_request {
  const compiled *program;       /* LTO-IR, */
  bool is_machine_code;          /* or this, with binaries that are, too: nothing is optimised */
  const char *compiler;          /* the version of NVRTC that made it */
  const jig_op *const *binaries; /* to be linked with it */
  int count;
  char *const *options; /* the user's, in the compiler's words; ends with NULL. NULL: none */
  const arch *target;   /* if that is PTX, binaries are or contain LTO-IR */
  unsigned jobs;        /* see jobs_begin() */
} link_request;

/* Links. On failure the error says which input is to blame, and why. *result is the caller's to
 * compiled_free() in any case. */
jig_status linker_link(const linker *l, const link_request *request, compiled *result);

/* In the child of a fork(). */
void linker_after_fork(void);

#endif
