#include "jit/linker.h"

#include <dlfcn.h>
#include <nvJitLink.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/library.h"
#include "jit/binary.h"
#include "jit/jobs.h"
#include "jit/link_options.h"
#include "util/clock.h"
#include "util/deep_call.h"
#include "util/error.h"
#include "util/log.h"

/* The header gives these names a version, as one library of a major release has the functions of all its
 * minor ones. The plain names, which are there too, are the functions of the library itself. */
#define NVJITLINK_FUNCTIONS(X)                                                 \
  X(create, "nvJitLinkCreate", (nvJitLinkHandle *, uint32_t, const char **))   \
  X(destroy, "nvJitLinkDestroy", (nvJitLinkHandle *))                          \
  X(add_data, "nvJitLinkAddData",                                              \
    (nvJitLinkHandle, nvJitLinkInputType, const void *, size_t, const char *)) \
  X(complete, "nvJitLinkComplete", (nvJitLinkHandle))                          \
  X(cubin_size, "nvJitLinkGetLinkedCubinSize", (nvJitLinkHandle, size_t *))    \
  X(cubin, "nvJitLinkGetLinkedCubin", (nvJitLinkHandle, void *))               \
  X(ptx_size, "nvJitLinkGetLinkedPtxSize", (nvJitLinkHandle, size_t *))        \
  X(ptx, "nvJitLinkGetLinkedPtx", (nvJitLinkHandle, char *))                   \
  X(error_size, "nvJitLinkGetErrorLogSize", (nvJitLinkHandle, size_t *))       \
  X(error_log, "nvJitLinkGetErrorLog", (nvJitLinkHandle, char *))              \
  X(info_size, "nvJitLinkGetInfoLogSize", (nvJitLinkHandle, size_t *))         \
  X(info_log, "nvJitLinkGetInfoLog", (nvJitLinkHandle, char *))                \
  X(version, "nvJitLinkVersion", (unsigned *, unsigned *))

/* Found out once and never changed after. */
static struct {
  linker public;
#define MEMBER(member, name, parameters) nvJitLinkResult(*member) parameters;
  NVJITLINK_FUNCTIONS(MEMBER)
#undef MEMBER
  unsigned number; /* 1205 is 12.5 */
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

static const char *take_symbols(void *handle) {
  const char *missing = NULL;
#define TAKE(member, name, parameters)         \
  *(void **)&the.member = dlsym(handle, name); \
  if (the.member == NULL) missing = name;
  NVJITLINK_FUNCTIONS(TAKE)
#undef TAKE
  return missing;
}

static void open_linker(void) {
  library l = library_open(&search);
  unsigned major = 0, minor = 0;
  const char *missing = l.handle != NULL ? take_symbols(l.handle) : NULL;
  if (l.handle == NULL) {
    (void)snprintf(the.problem, sizeof the.problem, "%s",
                   l.problem != NULL ? l.problem : "nvJitLink was not found");
  } else if (missing != NULL || the.version(&major, &minor) != NVJITLINK_SUCCESS) {
    (void)snprintf(the.problem, sizeof the.problem,
                   "%.1000s has no %s: it is no nvJitLink, or one older than CUDA 12.3",
                   l.path != NULL ? l.path : "nvJitLink", missing != NULL ? missing : "version");
  } else {
    (void)snprintf(the.public.version, sizeof the.public.version, "%u.%u", major, minor);
    the.public.path = l.path; /* kept, with the library, for the life of the process */
    the.number = major * 100 + minor;
    the.ready = true;
    log_info("nvJitLink %s: %s", the.public.version, l.path != NULL ? l.path : "libnvJitLink");
    free(l.problem);
    return;
  }
  library_close(&l);
}

const linker *linker_get(void) {
  (void)pthread_once(&once, open_linker);
  if (the.ready) return &the.public;
  (void)error_set(JIG_ERROR_NO_COMPILER, "%s", the.problem);
  return NULL;
}

static const char *path(void) {
  return the.public.path != NULL ? the.public.path : "libnvJitLink";
}

/* ---- what went wrong */

/* A log of the linker's; malloc'ed, NULL when out of memory. */
static char *take_log(nvJitLinkHandle handle, nvJitLinkResult (*size_of)(nvJitLinkHandle, size_t *),
                      nvJitLinkResult (*log_of)(nvJitLinkHandle, char *)) {
  size_t size = 0;
  if (size_of(handle, &size) != NVJITLINK_SUCCESS) size = 0;
  char *log = calloc(size + 1, 1);
  if (log != NULL && size > 0) (void)log_of(handle, log);
  for (size_t end = log != NULL ? strlen(log) : 0; end > 0 && log[end - 1] == '\n';) log[--end] = '\0';
  return log;
}

static bool is_too_new(nvJitLinkResult result, const char *log) {
  return result == NVJITLINK_ERROR_OUTDATED_LIBRARY ||
         strstr(log, "newer version of nvJitLink") != NULL || strstr(log, "Unsupported .version") != NULL;
}

static jig_status refuse_program(const link_request *request, const char *log) {
  return error_set(
      JIG_ERROR_NO_COMPILER,
      "nvJitLink %s (%s) cannot read what NVRTC %s makes; both should be of one toolkit, see "
      "$JIG_NVJITLINK: %s",
      the.public.version, path(), request->compiler, log);
}

static jig_status refuse_binary(const link_request *request, const jig_op *op, nvJitLinkResult result,
                                const char *log) {
  char version[BINARY_VERSION_SIZE];
  binary_version(op, version);
  if (is_too_new(result, log)) {
    return error_set(JIG_ERROR_COMPILE,
                     "operator '%s': it is %s, which is too new for nvJitLink %s (%s); link with the "
                     "toolkit that made it, see $JIG_NVJITLINK, or make it with this one: %s",
                     op->name, version, the.public.version, path(), log);
  }
  return error_set(
      JIG_ERROR_COMPILE,
      "operator '%s': it is %s, which nvJitLink %s cannot link for %s; it may be for another "
      "GPU, or no relocatable device code: %s",
      op->name, version, the.public.version, request->target->name, log);
}

/* The name behind one of these phrases, up to its closing quote; false if there is none. */
static bool find_name(const char *log, const char *const *phrases, char name[128]) {
  for (; *phrases != NULL; ++phrases) {
    const char *found = strstr(log, *phrases);
    if (found != NULL && sscanf(found + strlen(*phrases), "%127[^']", name) == 1) return true;
  }
  return false;
}

/* The operator that a line of the log begins with: "add: error: ..."; NULL if there is none. */
static const jig_op *find_named(const link_request *request, const char *log) {
  for (const char *line = log; line != NULL; line = strchr(line, '\n')) {
    line += *line == '\n';
    for (int i = 0; i < request->count; ++i) {
      const size_t length = strlen(request->binaries[i]->name);
      if (strncmp(line, request->binaries[i]->name, length) == 0 && line[length] == ':')
        return request->binaries[i];
    }
  }
  return NULL;
}

static jig_status refuse_link(const link_request *request, const char *log) {
  static const char *const unresolved[] = {"Unresolved extern function '", "ndefined reference to '",
                                           NULL};
  static const char *const defined_twice[] = {"Linking globals named '", NULL};
  char name[128];
  if (find_name(log, defined_twice, name)) return binary_clash(name, strlen(name));
  if (find_name(log, unresolved, name)) {
    for (int i = 0; i < request->count; ++i) {
      if (strcmp(request->binaries[i]->name, name) == 0) return binary_lacks_symbol(request->binaries[i]);
    }
    return binary_undefined(name, strlen(name));
  }
  const jig_op *blamed = find_named(request, log);
  if (blamed != NULL) return refuse_binary(request, blamed, NVJITLINK_SUCCESS, log);
  return error_set(JIG_ERROR_COMPILE, "nvJitLink: %s", log);
}

/* ---- one link */

/* nvJitLink has a lock that belongs to a thread, and keeps it when machine code for another GPU is added:
 * any other thread would wait for ever. So one thread does it all. */
static deep_thread linker_thread = DEEP_THREAD_INITIALIZER;
static _Atomic bool has_refused; /* machine code: the lock may be kept */
static bool refused_before_fork;

static nvJitLinkInputType input_type(jig_format format) {
  switch (format) {
    case JIG_FORMAT_CUBIN:
      return NVJITLINK_INPUT_CUBIN;
    case JIG_FORMAT_OBJECT:
      return NVJITLINK_INPUT_OBJECT;
    case JIG_FORMAT_FATBIN:
      return NVJITLINK_INPUT_FATBIN;
    default:
      return NVJITLINK_INPUT_LTOIR;
  }
}

static jig_status fail(nvJitLinkHandle handle, const link_request *request, const jig_op *blamed,
                       nvJitLinkResult result, bool adding) {
  char *log = take_log(handle, the.error_size, the.error_log);
  if (log == NULL) return error_memory("the linker's log");
  jig_status status = !adding          ? refuse_link(request, log)
                      : blamed == NULL ? refuse_program(request, log)
                                       : refuse_binary(request, blamed, result, log);
  free(log);
  return status;
}

/* Only PTX that ends with a NUL is recognised, and a longer text is read. */
static nvJitLinkResult add_ptx(nvJitLinkHandle handle, const jig_op *op) {
  const size_t length = strnlen(op->data, op->size);
  char *ptx = malloc(length + 1);
  if (ptx == NULL) return NVJITLINK_ERROR_INTERNAL;
  memcpy(ptx, op->data, length);
  ptx[length] = '\0';
  nvJitLinkResult result = the.add_data(handle, NVJITLINK_INPUT_PTX, ptx, length + 1, op->name);
  free(ptx);
  return result;
}

static jig_status add_inputs(nvJitLinkHandle handle, const link_request *request) {
  const nvJitLinkInputType type =
      request->is_machine_code ? NVJITLINK_INPUT_CUBIN : NVJITLINK_INPUT_LTOIR;
  nvJitLinkResult result = the.add_data(handle, type, request->program->payload,
                                        request->program->payload_size, "jig program");
  if (result != NVJITLINK_SUCCESS) return fail(handle, request, NULL, result, true);
  for (int i = 0; i < request->count; ++i) {
    const jig_op *op = request->binaries[i];
    if (binary_is_repeated(request->binaries, i)) continue;
    result = op->format == JIG_FORMAT_PTX
                 ? add_ptx(handle, op)
                 : the.add_data(handle, input_type(op->format), op->data, op->size, op->name);
    if (result != NVJITLINK_SUCCESS) {
      if (op->format == JIG_FORMAT_CUBIN) has_refused = true;
      return fail(handle, request, op, result, true);
    }
  }
  return JIG_SUCCESS;
}

static jig_status take_payload(nvJitLinkHandle handle, bool ptx, compiled *result) {
  size_t size = 0;
  nvJitLinkResult got = ptx ? the.ptx_size(handle, &size) : the.cubin_size(handle, &size);
  if (got != NVJITLINK_SUCCESS || size == 0)
    return error_set(JIG_ERROR_INTERNAL, "nvJitLink: it says no size of what it linked (%d)", (int)got);
  unsigned char *payload = calloc(size + ptx, 1);
  if (payload == NULL) return error_memory("a linked program");
  got = ptx ? the.ptx(handle, (char *)payload) : the.cubin(handle, payload);
  if (got != NVJITLINK_SUCCESS) {
    free(payload);
    return error_set(JIG_ERROR_INTERNAL, "nvJitLink: it does not hand out what it linked (%d)", (int)got);
  }
  result->payload = payload;
  result->payload_size = ptx ? strlen((char *)payload) + 1 : size;
  return JIG_SUCCESS;
}

static jig_status run_linker(nvJitLinkHandle handle, const link_request *request, compiled *result) {
  const double start = clock_ms();
  jig_status status = add_inputs(handle, request);
  if (status != JIG_SUCCESS) return status;
  nvJitLinkResult linked = the.complete(handle);
  result->ms = clock_ms() - start;
  if (linked != NVJITLINK_SUCCESS) return fail(handle, request, NULL, linked, false);
  result->log = take_log(handle, the.info_size, the.info_log);
  if (result->log == NULL) return error_memory("the linker's log");
  result->cost = kernel_cost_read(result->log);
  return take_payload(handle, request->target->ptx, result);
}

enum { OWN_OPTIONS = 4 };

static nvJitLinkResult create(nvJitLinkHandle *handle, const link_request *request) {
  char target[64];
  char **extra = link_options(request->options);
  size_t count = 0;
  while (extra != NULL && extra[count] != NULL) ++count;
  const char **options = extra != NULL ? malloc((OWN_OPTIONS + count) * sizeof *options) : NULL;
  nvJitLinkResult result = NVJITLINK_ERROR_INTERNAL;
  if (options != NULL) {
    (void)snprintf(target, sizeof target, "-arch=%s", request->target->name);
    size_t own = 0;
    options[own++] = target;
    if (!request->is_machine_code) {
      options[own++] = "-lto";
      options[own++] = request->target->ptx ? "-ptx" : "-Xptxas=-v";
    }
    if (the.number >= 1205) options[own++] = "-no-cache"; /* its own, which older ones have not */
    if (count > 0) memcpy(options + own, extra, count * sizeof *options);
    result = the.create(handle, (uint32_t)(own + count), options);
  }
  free(options);
  link_options_free(extra);
  return result;
}

void linker_after_fork(void) {
  deep_thread_after_fork(&linker_thread);
  refused_before_fork = has_refused;
}

typedef struct linking {
  const link_request *request;
  compiled *result;
} linking;

static jig_status link_all(void *argument) {
  const linking *l = argument;
  nvJitLinkHandle handle = NULL;
  (void)jobs_begin(l->request->jobs, NULL);
  nvJitLinkResult created = create(&handle, l->request);
  jig_status status = JIG_SUCCESS;
  if (created != NVJITLINK_SUCCESS) {
    status = error_set(JIG_ERROR_NO_COMPILER, "nvJitLink %s (%s) cannot link for %s (%d)",
                       the.public.version, path(), l->request->target->name, (int)created);
  } else {
    status = run_linker(handle, l->request, l->result);
    (void)the.destroy(&handle);
  }
  jobs_end(NULL);
  return status;
}

jig_status linker_link(const linker *l, const link_request *request, compiled *result) {
  *result = (compiled){.cost = {-1, -1, -1}};
  if (refused_before_fork) {
    return error_set(JIG_ERROR_NO_COMPILER,
                     "nvJitLink %s (%s) has refused machine code before this process was forked, and "
                     "would hang here",
                     l->version, path());
  }
  return deep_thread_call(&linker_thread, link_all, &(linking){request, result});
}
