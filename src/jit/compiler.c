#include "jit/compiler.h"

#include <dlfcn.h>
#include <nvrtc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/library.h"
#include "jit/diagnose.h"
#include "jit/option_macros.h"
#include "util/clock.h"
#include "util/deep_call.h"
#include "util/error.h"
#include "util/log.h"

#define NVRTC_FUNCTIONS(X)     \
  X(nvrtcVersion)              \
  X(nvrtcGetErrorString)       \
  X(nvrtcGetNumSupportedArchs) \
  X(nvrtcGetSupportedArchs)    \
  X(nvrtcCreateProgram)        \
  X(nvrtcDestroyProgram)       \
  X(nvrtcCompileProgram)       \
  X(nvrtcGetPTXSize)           \
  X(nvrtcGetPTX)               \
  X(nvrtcGetCUBINSize)         \
  X(nvrtcGetCUBIN)             \
  X(nvrtcGetLTOIRSize)         \
  X(nvrtcGetLTOIR)             \
  X(nvrtcGetProgramLogSize)    \
  X(nvrtcGetProgramLog)

enum { MAX_ARCHS = 64 };

/* Found out once and never changed after. */
static struct {
  compiler public;
#define MEMBER(function) __typeof__(function) *function;
  NVRTC_FUNCTIONS(MEMBER)
#undef MEMBER
  /* From CUDA 12.9 on; NULL: compilations are not to be stopped. */
  nvrtcResult (*set_flow_callback)(nvrtcProgram program, int (*callback)(void *, void *), void *payload);
  int archs[MAX_ARCHS];
  bool ready;
  char problem[4096];
} the;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static _Atomic bool opened, has_compiled;

const char *const compiler_options[] = {
    "--std=c++17",
    "--device-int128",
    "--device-as-default-execution-space",
    "--diag-error=940",       /* a missing return */
    "--diag-error=117",       /* one without a value */
    "--diag-error=2809,2810", /* a [[nodiscard]] result that is left */
    NULL};

const char compiler_relocatable[] = "--relocatable-device-code=true";

static const char *const names[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so", NULL};
static const library_search search = {
    .what = "the CUDA run-time compiler, NVRTC",
    .variable = "JIG_NVRTC",
    .names = names,
    .toolkit = true,
    .advice = "Install the CUDA toolkit 12 or 13, or the Python wheel nvidia-cuda-nvrtc",
};

static const char *take_symbols(void *handle) {
  const char *missing = NULL;
#define TAKE(function)                                \
  *(void **)&the.function = dlsym(handle, #function); \
  if (the.function == NULL) missing = #function;
  NVRTC_FUNCTIONS(TAKE)
#undef TAKE
  *(void **)&the.set_flow_callback = dlsym(handle, "nvrtcSetFlowCallback");
  return missing;
}

static void learn_version(void) {
  compiler *c = &the.public;
  (void)the.nvrtcVersion(&c->major, &c->minor);
  (void)snprintf(c->version, sizeof c->version, "%d.%d", c->major, c->minor);
  int count = 0;
  if (the.nvrtcGetNumSupportedArchs(&count) == NVRTC_SUCCESS && count <= MAX_ARCHS &&
      the.nvrtcGetSupportedArchs(the.archs) == NVRTC_SUCCESS) {
    c->arch_count = count;
  }
  c->archs = the.archs;
}

static void open_compiler(void) {
  library l = library_open(&search);
  const char *missing = l.handle == NULL ? NULL : take_symbols(l.handle);
  if (l.handle == NULL) {
    (void)snprintf(the.problem, sizeof the.problem, "%s",
                   l.problem != NULL ? l.problem : "NVRTC was not found");
  } else if (missing != NULL) {
    (void)snprintf(the.problem, sizeof the.problem,
                   "%.1000s has no %s: it is no NVRTC, or one older than CUDA 12",
                   l.path != NULL ? l.path : "NVRTC", missing);
  } else {
    learn_version();
    the.public.path = l.path; /* kept, with the library, for the life of the process */
    the.ready = true;
    opened = true;
    log_info("NVRTC %s: %s", the.public.version, l.path != NULL ? l.path : "libnvrtc");
    free(l.problem);
    return;
  }
  library_close(&l);
}

const compiler *compiler_get(void) {
  (void)pthread_once(&once, open_compiler);
  if (the.ready) return &the.public;
  (void)error_set(JIG_ERROR_NO_COMPILER, "%s", the.problem);
  return NULL;
}

void compiler_lose(void) {
  the.ready = false;
  opened = false;
  (void)snprintf(
      the.problem, sizeof the.problem, "%s",
      "this process was forked while another thread, or jig in the background, was compiling, and "
      "NVRTC cannot be used in the child");
}

bool compiler_is_open(void) {
  return opened;
}

bool compiler_has_compiled(void) {
  return has_compiled;
}

int compiler_newest_at_or_below(const compiler *c, int sm) {
  int newest = 0;
  for (int i = 0; i < c->arch_count; ++i) {
    if (c->archs[i] <= sm && c->archs[i] > newest) newest = c->archs[i];
  }
  return newest;
}

/* ---- one compilation */

static char *take_log(nvrtcProgram program) {
  size_t size = 0;
  char *log = NULL;
  if (the.nvrtcGetProgramLogSize(program, &size) == NVRTC_SUCCESS &&
      (log = calloc(size + 1, 1)) != NULL) {
    (void)the.nvrtcGetProgramLog(program, log);
  }
  return log != NULL ? log : calloc(1, 1);
}

static jig_status nvrtc_error(nvrtcResult result, const char *what) {
  jig_status status = result == NVRTC_ERROR_OUT_OF_MEMORY ? JIG_ERROR_OUT_OF_MEMORY : JIG_ERROR_INTERNAL;
  return error_set(status, "NVRTC: %s: %s", what, the.nvrtcGetErrorString(result));
}

static jig_status take_payload(nvrtcProgram program, const compile_request *request, compiled *result) {
  const bool ptx = request->target->ptx;
  size_t size;
  nvrtcResult got = request->lto ? the.nvrtcGetLTOIRSize(program, &size)
                    : ptx        ? the.nvrtcGetPTXSize(program, &size)
                                 : the.nvrtcGetCUBINSize(program, &size);
  if (got != NVRTC_SUCCESS) return nvrtc_error(got, "the size of what was compiled");
  char *payload = malloc(size);
  if (payload == NULL) return error_memory("a compiled program");
  got = request->lto ? the.nvrtcGetLTOIR(program, payload)
        : ptx        ? the.nvrtcGetPTX(program, payload)
                     : the.nvrtcGetCUBIN(program, payload);
  if (got != NVRTC_SUCCESS) {
    free(payload);
    return nvrtc_error(got, "what was compiled");
  }
  result->payload = (unsigned char *)payload;
  result->payload_size = size;
  return JIG_SUCCESS;
}

enum { OWN_OPTIONS = 16 };

static bool is_language(const char *option) {
  return strncmp(option + strspn(option, " \t-"), "std=", strlen("std=")) == 0;
}

/* The same key must give the same bytes, and cold figures must be honest: no cache of NVRTC's own, no
 * random names, no files but those that it is given. --minimal leaves out what jig does not use. Each
 * from the version that has it. */
static int list_options(const compile_request *request, size_t extra, char *target_option, size_t size,
                        const char **options) {
  int count = 0;
  (void)snprintf(target_option, size, "--gpu-architecture=%s", request->target->name);
  options[count++] = target_option;
  bool language_chosen = false; /* NVRTC 12 does not take it twice */
  for (size_t i = 0; i < extra; ++i) language_chosen |= is_language(request->options[i]);
  for (const char *const *option = compiler_options; *option != NULL; ++option) {
    if (!language_chosen || !is_language(*option)) options[count++] = *option;
  }
  options[count++] = "--modify-stack-limit=false"; /* it is the whole process's limit */
  options[count++] = "--no-source-include";
  if (request->lto) {
    options[count++] = "--dlink-time-opt";
    options[count++] = "--relocatable-device-code=true";
  } else {
    options[count++] = "--ptxas-options=-v";
    if (request->relocatable) options[count++] = compiler_relocatable;
  }
  int version = the.public.major * 100 + the.public.minor;
  if (version >= 1204) options[count++] = "--minimal";
  if (version >= 1209) options[count++] = "--no-cache";
  if (version >= 1209) options[count++] = "--frandom-seed=jig";
  for (size_t i = 0; i < extra; ++i) {
    const size_t macro = option_macro_at(request->options, i); /* a line of the program */
    if (macro == 0) options[count++] = request->options[i];
    i += macro > 0 ? macro - 1 : 0;
  }
  return count;
}

static nvrtcResult compile_with_options(nvrtcProgram program, const compile_request *request) {
  char target_option[64];
  size_t extra = 0;
  while (request->options != NULL && request->options[extra] != NULL) ++extra;
  const char **options = malloc((OWN_OPTIONS + extra) * sizeof *options);
  if (options == NULL) return NVRTC_ERROR_OUT_OF_MEMORY;
  int count = list_options(request, extra, target_option, sizeof target_option, options);
  nvrtcResult result = the.nvrtcCompileProgram(program, count, options);
  free(options);
  return result;
}

/* What the compiler asks now and then: whether to stop. */
static int is_to_stop(void *background, void *unused) {
  (void)unused;
  return atomic_load(&((const background_work *)background)->stops);
}

static jig_status run_compiler(nvrtcProgram program, const compile_request *request, compiled *result) {
  double start = clock_ms();
  if (request->background != NULL && the.set_flow_callback != NULL)
    (void)the.set_flow_callback(program, is_to_stop, request->background);
  nvrtcResult compiled_as = compile_with_options(program, request);
  result->ms = clock_ms() - start;
  result->log = take_log(program);
  if (result->log == NULL) return error_memory("the compiler's log");
  if (compiled_as == NVRTC_ERROR_COMPILATION) return diagnose(result->log, request->program);
  if (compiled_as == NVRTC_ERROR_INVALID_OPTION && request->options != NULL &&
      request->options[0] != NULL) {
    size_t length = strlen(result->log);
    while (length > 0 && result->log[length - 1] == '\n') --length;
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "compile_options: NVRTC %s does not take them: %.*s",
                     the.public.version, (int)length, result->log);
  }
  if (compiled_as != NVRTC_SUCCESS) return nvrtc_error(compiled_as, "compiling");
  has_compiled = true;
  result->cost = kernel_cost_read(result->log);
  return take_payload(program, request, result);
}

static jig_status create_and_run(const compile_request *request, compiled *result) {
  const size_t count = request->file_count;
  const char **texts = malloc((2 * count + 1) * sizeof *texts);
  if (texts == NULL) return error_memory("the templates");
  const char **include_names = texts + count;
  for (size_t i = 0; i < count; ++i) {
    texts[i] = request->files[i].text;
    include_names[i] = request->files[i].name;
  }
  nvrtcProgram program = NULL;
  nvrtcResult created =
      the.nvrtcCreateProgram(&program, request->program, "jig program", (int)count, texts, include_names);
  free(texts);
  if (created != NVRTC_SUCCESS) return nvrtc_error(created, "creating a program");
  jig_status status = run_compiler(program, request, result);
  (void)the.nvrtcDestroyProgram(&program);
  return status;
}

typedef struct compilation {
  const compile_request *request;
  compiled *result;
} compilation;

static jig_status compile(void *argument) {
  const compilation *c = argument;
  jobs_time_this_thread(c->request->background);
  return create_and_run(c->request, c->result);
}

jig_status compiler_compile(const compiler *c, const compile_request *request, compiled *result) {
  const arch *target = request->target;
  *result = (compiled){.cost = {-1, -1, -1}};
  if (compiler_newest_at_or_below(c, target->sm) != target->sm) {
    return error_set(JIG_ERROR_NO_COMPILER, "NVRTC %s (%s) cannot compile for %s", c->version,
                     c->path != NULL ? c->path : "libnvrtc", target->name);
  }
  if (!jobs_begin(request->jobs, request->background))
    return error_set(JIG_ERROR_NOT_BUILT, "nobody waits for it any more");
  jig_status status = deep_call(compile, &(compilation){request, result});
  jobs_end(request->background);
  return status;
}
