/* nvJitLink, opened when first needed. */
#ifndef JIG_JIT_LINKER_H
#define JIG_JIT_LINKER_H

#include <jig/status.h>

typedef struct linker {
  char version[16]; /* "13.0" */
  const char *path; /* of the library; may be NULL */
} linker;

/* The linker; NULL with JIG_ERROR_NO_COMPILER set if there is none, which is found out once. */
const linker *linker_get(void);

#endif
