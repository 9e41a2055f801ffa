/* Opens CUDA's shared libraries where users have them: NVIDIA's driver, NVRTC and nvJitLink.
 *
 * Looked for in this order: the file that an environment variable names; the loader's own path; the
 * library folders of $CUDA_HOME and $CUDA_PATH; the toolkit's standard folders; those of conda and of
 * Python wheels. Newest major version first within each. */
#ifndef JIG_DRIVER_LIBRARY_H
#define JIG_DRIVER_LIBRARY_H

#include <stdbool.h>

typedef struct library_search {
  const char *what;         /* "the CUDA driver", for messages */
  const char *variable;     /* "JIG_DRIVER" */
  const char *const *names; /* file names, the preferred one first, ending with NULL */
  bool toolkit;             /* part of the toolkit (and of wheels), or of the driver */
  const char *advice;       /* what to install when it is not there */
} library_search;

typedef struct library {
  void *handle;  /* NULL: not found, or not to be loaded */
  char *path;    /* of the file that was opened, where the loader tells; malloc'ed */
  char *problem; /* of none: what is missing, where it was looked for, why, what to do; malloc'ed */
} library;

/* Never fails otherwise than by handle == NULL. */
library library_open(const library_search *search);
void library_close(library *l);

#endif
