#include "software.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libdir.h"
#include "report.h"

#define FILE_NAME "softgpu/libcuda.so.1"

enum { PLACES = 3 };

/* From the folder of the tool's file: a build folder, or the `bin` beside a `lib`. */
static const char *const beside[] = {"/" FILE_NAME, "/../lib/jig/" FILE_NAME};

/* The folder of the tool's own file; empty if that cannot be told. */
static void find_folder(char folder[PATH_MAX]) {
  const ssize_t length = readlink("/proc/self/exe", folder, PATH_MAX - 1);
  folder[length > 0 ? length : 0] = '\0';
  char *end = strrchr(folder, '/');
  if (end != NULL) *end = '\0';
}

int software_gpu_use(void) {
  char folder[PATH_MAX], places[PLACES][PATH_MAX + sizeof "/../lib/jig/" FILE_NAME];
  find_folder(folder);
  for (int i = 0; i < PLACES - 1; ++i)
    (void)snprintf(places[i], sizeof places[i], "%s%s", folder, beside[i]);
  (void)snprintf(places[PLACES - 1], sizeof places[0], "%s", JIG_LIBDIR "/jig/" FILE_NAME);
  for (int i = 0; i < PLACES; ++i) {
    if (access(places[i], R_OK) != 0) continue;
    if (setenv("JIG_DRIVER", places[i], 1) == 0) return EXIT_OK;
    complain("out of memory");
    return EXIT_FAILED;
  }
  complain("the software GPU is neither %s nor %s nor %s; 'make install-softgpu' installs it", places[0],
           places[1], places[2]);
  return EXIT_NO_DEVICE;
}
