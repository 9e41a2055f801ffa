#include "jit/linker.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

#include "driver/library.h"
#include "util/error.h"
#include "util/log.h"

/* Found out once and never changed after. */
static struct {
  linker public;
  bool ready;
  char problem[4096];
} the;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static const char *const names[] = {"libnvJitLink.so.13", "libnvJitLink.so.12", "libnvJitLink.so", NULL};
static const library_search search = {
    .what = "the CUDA run-time linker, nvJitLink",
    .variable = "JIG_NVJITLINK",
    .names = names,
    .toolkit = true,
    .advice = "Install the CUDA toolkit 12 or 13, or the Python wheel nvidia-nvjitlink",
};

static void open_linker(void) {
  library l = library_open(&search);
  int (*version)(unsigned *major, unsigned *minor) = NULL;
  unsigned major = 0, minor = 0;
  if (l.handle != NULL) *(void **)&version = dlsym(l.handle, "nvJitLinkVersion");
  if (version != NULL && version(&major, &minor) == 0) {
    (void)snprintf(the.public.version, sizeof the.public.version, "%u.%u", major, minor);
    the.public.path = l.path; /* kept, with the library, for the life of the process */
    the.ready = true;
    log_info("nvJitLink %s: %s", the.public.version, l.path != NULL ? l.path : "libnvJitLink");
    return;
  }
  if (l.handle == NULL) {
    (void)snprintf(the.problem, sizeof the.problem, "%s",
                   l.problem != NULL ? l.problem : "nvJitLink was not found");
  } else {
    (void)snprintf(the.problem, sizeof the.problem,
                   "%.1000s tells no version: it is no nvJitLink, or one older than "
                   "CUDA 12.3",
                   l.path != NULL ? l.path : "nvJitLink");
  }
  library_close(&l);
}

const linker *linker_get(void) {
  (void)pthread_once(&once, open_linker);
  if (the.ready) return &the.public;
  (void)error_set(JIG_ERROR_NO_COMPILER, "%s", the.problem);
  return NULL;
}
