/* The driver's beginning, the frame of every call, and the process's end. */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "api/api.h"
#include "api/range.h"
#include "api/settings.h"
#include "api/stream.h"
#include "check/report.h"

static atomic_bool started;
static atomic_bool forked; /* this process is a child of the one that started the driver */
static pid_t owner;

/* The lock is free in the child, in which every call is refused. */
static void in_child(void) {
  atomic_store(&forked, true);
  work_in_child();
}

/* ---- the end: what has been found, and the memory that is still there */

static void tell_leak(allocation *a, void *data) {
  (void)data;
  range_tell_leak(a);
}

__attribute__((destructor)) static void end(void) {
  if (!atomic_load(&started) || atomic_load(&forked) || getpid() != owner) return;
  const settings *s = settings_get();
  work_lock();
  memory_each(tell_leak, NULL);
  work_unlock();
  report_end();
  if (report_count(REPORT_KINDS) == 0 || s->exit_status == 0) return;
  (void)fflush(NULL);
  _exit(s->exit_status);
}

/* ---- the beginning */

CUresult cuInit(unsigned flags) {
  static pthread_mutex_t once = PTHREAD_MUTEX_INITIALIZER;
  if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
  if (atomic_load(&forked)) return CUDA_ERROR_NOT_INITIALIZED;
  if (settings_get()->devices == 0) return CUDA_ERROR_NO_DEVICE;
  (void)pthread_mutex_lock(&once);
  CUresult result = CUDA_SUCCESS;
  if (!atomic_load(&started)) {
    owner = getpid();
    if (!memory_begin()) result = CUDA_ERROR_OUT_OF_MEMORY;
    if (result == CUDA_SUCCESS) (void)pthread_atfork(work_lock, work_unlock, in_child);
    atomic_store(&started, result == CUDA_SUCCESS);
  }
  (void)pthread_mutex_unlock(&once);
  return result;
}

CUresult cuDriverGetVersion(int *version) {
  if (version == NULL) return CUDA_ERROR_INVALID_VALUE;
  *version = API_VERSION;
  return CUDA_SUCCESS;
}

CUresult api_ready(void) {
  if (!atomic_load(&started) || atomic_load(&forked)) return CUDA_ERROR_NOT_INITIALIZED;
  return task_in_callback() ? CUDA_ERROR_NOT_PERMITTED : CUDA_SUCCESS;
}

/* ---- calls */

CUresult api_begin(context **current) {
  *current = NULL;
  work_lock();
  CUresult result = api_ready();
  if (result != CUDA_SUCCESS) return result;
  CUcontext handle = NULL;
  *current = context_in_use(&handle);
  if (*current != NULL) return context_error(*current);
  return handle != NULL ? CUDA_ERROR_CONTEXT_IS_DESTROYED : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult api_begin_stream(CUstream handle, stream **found) {
  work_lock();
  CUresult result = api_ready();
  *found = NULL;
  if (result == CUDA_SUCCESS) result = stream_resolve(handle, found);
  return result == CUDA_SUCCESS ? context_error((*found)->owner) : result;
}

CUresult api_end(CUresult result) {
  work_unlock();
  return result;
}

/* ---- what there is to say */

CUresult api_complain(CUresult result, uint64_t address, const char *format, ...) {
  char message[512];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  const report_place place = {.address = address, .has_address = true};
  (void)report(REPORT_HOST, address != 0 ? &place : NULL, "%s", message);
  return result;
}

static FILE *open_log(void) {
  const char *path = getenv("JIG_SOFTGPU_LOG");
  FILE *log = path != NULL && path[0] != '\0' ? fopen(path, "ae") : NULL;
  return log != NULL ? log : stderr;
}

/* Names are literals, and each has one address: told is a list of those. */
static CUresult say_once(const char *name, const char *what) {
  enum { MANY = 1024 };
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  static const char *told[MANY];
  static unsigned count;
  (void)pthread_mutex_lock(&lock);
  bool known = count == MANY;
  for (unsigned i = 0; i < count; ++i) known |= told[i] == name;
  if (!known) {
    told[count++] = name;
    FILE *log = open_log();
    (void)fprintf(log, "jig software GPU: %s is not %s\n", name, what);
    (void)fflush(log);
    if (log != stderr) (void)fclose(log);
  }
  (void)pthread_mutex_unlock(&lock);
  return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult api_unimplemented(const char *name) {
  return say_once(name, "implemented");
}

CUresult api_not_supported(const char *what) {
  return say_once(what, "supported");
}
