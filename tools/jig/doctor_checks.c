#include "doctor_checks.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

#include <jig/jig.h>

#include "gpu.h"
#include "report.h"
#include "temp_file.h"
#include "util/clock.h"

static const char *member(const json_t *object, const char *name) {
  const char *text = json_string_value(json_object_get(object, name));
  return text != NULL ? text : "";
}

static const char *error_of(const json_t *info, const char *what) {
  return member(json_object_get(info, what), "error");
}

__attribute__((format(printf, 2, 3))) static void say(char text[CHECK_TEXT_SIZE], const char *format,
                                                      ...) {
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(text, CHECK_TEXT_SIZE, format, arguments);
  va_end(arguments);
}

static void fail(check *c, const char *why) {
  c->outcome = CHECK_FAILED;
  say(c->found, "%s", why[0] != '\0' ? why : "nobody knows why");
}

/* The first GPU's; without one, what every compiler knows. */
static const char *arch_of(const json_t *info) {
  const char *arch = member(json_array_get(json_object_get(info, "devices"), 0), "arch");
  return arch[0] != '\0' ? arch : "sm_90";
}

static char *spec_of_sum(void) {
  const jig_reduce_args sum = {.in = jig_pointer(NULL, JIG_F32), .out = jig_pointer(NULL, JIG_F32)};
  char *spec = NULL;
  return jig_reduce_spec(&sum, &spec) == JIG_SUCCESS ? spec : NULL;
}

/* Has a sum in an engine of that kind: compiled, or found. */
static jig_status prewarm(const jig_engine_config *config, const char *arch, jig_prewarm_result *result,
                          char warning[256]) {
  jig_engine *engine = NULL;
  jig_engine_stats stats;
  char *spec = spec_of_sum();
  jig_status status = spec != NULL ? jig_engine_create(&engine, config) : JIG_ERROR_OUT_OF_MEMORY;
  if (status != JIG_SUCCESS) return jig_free(spec), status;
  status = jig_prewarm(engine, spec, arch, result);
  char error[CHECK_TEXT_SIZE];
  say(error, "%s", jig_last_error());
  warning[0] = '\0';
  if (jig_engine_get_stats(engine, &stats) == JIG_SUCCESS)
    (void)snprintf(warning, 256, "%s", stats.cache_warning);
  jig_engine_destroy(engine);
  jig_free(spec);
  if (status != JIG_SUCCESS && warning[0] == '\0') (void)snprintf(warning, 256, "%.255s", error);
  return status;
}

/* ---- compiling, into a cache that is there for that only */

static jig_status compile(const char *arch, char why[256]) {
  char directory[PATH_MAX];
  jig_prewarm_result result = {.hit = 0};
  if (!temp_folder_make(directory, sizeof directory, "jig-doctor")) {
    (void)snprintf(why, 256, "%.200s: %s", directory, strerror(errno));
    return JIG_ERROR_CACHE;
  }
  const jig_engine_config config = {
      .cache_dir = directory, .cache_path = "", .build = JIG_BUILD_ON_DEMAND};
  const jig_status status = prewarm(&config, arch, &result, why);
  temp_folder_remove(directory);
  return status;
}

static void check_compile(const json_t *info, check *c) {
  const json_t *compiler = json_object_get(info, "compiler");
  const char *arch = arch_of(info);
  char why[256];
  if (error_of(info, "compiler")[0] != '\0') {
    fail(c, error_of(info, "compiler"));
    say(c->advice,
        "Without it, jig runs what a cache has: fill one where NVRTC is, with jig prewarm --arch %s, and "
        "name it "
        "in JIG_CACHE_PATH.",
        arch);
    return;
  }
  const double start = clock_ms();
  if (compile(arch, why) != JIG_SUCCESS) {
    fail(c, why);
    say(c->advice,
        "That was NVRTC %s, %s, for %s. JIG_NVRTC names another one; JIG_COMPILE_OPTIONS and "
        "JIG_TEMPLATE_PATH, if "
        "they are set, change what is compiled.",
        member(compiler, "version"), member(compiler, "library"), arch);
    return;
  }
  say(c->found, "NVRTC %s, %s; a sum for %s in %.0f ms", member(compiler, "version"),
      member(compiler, "library"), arch, clock_ms() - start);
}

/* ---- the cache: what was stored is found again */

static void say_cache(const json_t *info, bool is_stored, check *c) {
  char room[BYTES_TEXT_SIZE] = "?";
  struct statvfs files;
  const char *directory = member(json_object_get(info, "cache"), "directory");
  if (statvfs(directory, &files) == 0)
    (void)bytes_text((double)files.f_bavail * (double)files.f_frsize, room);
  say(c->found, "%s; a program was %s there; %s free", directory,
      is_stored ? "stored and found again" : "found", room);
}

static void check_cache(const json_t *info, const check *compile_check, check *c) {
  const char *directory = member(json_object_get(info, "cache"), "directory");
  char warning[256];
  jig_prewarm_result result = {.hit = 0};
  if (directory[0] == '\0') {
    fail(c, "there is no cache directory: programs are compiled anew in every process");
    say(c->advice, "Set JIG_CACHE_DIR, or HOME.");
    return;
  }
  if (compile_check->outcome == CHECK_OK) {
    const jig_engine_config on_demand = {.build = JIG_BUILD_ON_DEMAND};
    if (prewarm(&on_demand, arch_of(info), &result, warning) != JIG_SUCCESS) fail(c, warning);
  }
  const jig_engine_config never = {.build = JIG_BUILD_NEVER};
  const bool is_found = prewarm(&never, arch_of(info), &result, warning) == JIG_SUCCESS;
  if (is_found && warning[0] == '\0') {
    say_cache(info, compile_check->outcome == CHECK_OK, c);
    return;
  }
  if (compile_check->outcome != CHECK_OK && !is_found) {
    c->outcome = CHECK_WARNING;
    say(c->found, "%s has not even a sum of floats, and nothing can be compiled", directory);
    return;
  }
  fail(c, warning);
  if (is_found) c->outcome = CHECK_WARNING; /* a read-only layer, for one */
  say(c->advice,
      "It has to be a directory of yours that nobody else may write to, on a disk that is not full: "
      "chmod 700, or "
      "name another in JIG_CACHE_DIR.");
}

/* ---- launching */

static bool sum_on(gpu *g, char why[CHECK_TEXT_SIZE]) {
  enum { COUNT = 1000 };
  static float items[COUNT], sum = 0;
  for (int i = 0; i < COUNT; ++i) items[i] = 1;
  void *in = gpu_alloc(g, sizeof items), *out = gpu_alloc(g, sizeof sum), *temp = NULL;
  size_t bytes = 0;
  if (in == NULL || out == NULL || !gpu_upload(g, in, items, sizeof items)) return false;
  const jig_iter from = jig_pointer(in, JIG_F32), to = jig_pointer(out, JIG_F32);
  jig_status status = jig_reduce_sum(NULL, NULL, &bytes, from, to, COUNT, g->stream);
  if (status == JIG_SUCCESS && (temp = gpu_alloc(g, bytes)) == NULL) return false;
  if (status == JIG_SUCCESS) status = jig_reduce_sum(NULL, temp, &bytes, from, to, COUNT, g->stream);
  if (status != JIG_SUCCESS) return say(why, "%s", jig_last_error()), false;
  if (!gpu_download(g, &sum, out, sizeof sum)) return false;
  if (sum != COUNT) say(why, "the sum of 1000 ones was %g", (double)sum);
  return sum == COUNT;
}

static void check_launch(const json_t *info, check *c) {
  const json_t *devices = json_object_get(info, "devices"), *cuda = json_object_get(info, "driver");
  const json_t *device = json_array_get(devices, 0);
  static const char software[] =
      "Without a GPU, jig prewarm fills caches for machines that have one, and "
      "jig run --software and jig-softgpu run programs on the CPU.";
  if (error_of(info, "driver")[0] != '\0') {
    fail(c, error_of(info, "driver"));
    say(c->advice, "A container needs --gpus all or the like. %s", software);
    return;
  }
  if (device == NULL) {
    fail(c, "the CUDA driver shows no device");
    say(c->advice, "nvidia-smi says what the driver sees; CUDA_VISIBLE_DEVICES hides GPUs. %s", software);
    return;
  }
  gpu g;
  char why[CHECK_TEXT_SIZE] = "a CUDA call failed, see above";
  const bool ok = gpu_open(&g) == EXIT_OK && sum_on(&g, why);
  gpu_close(&g);
  say(c->found, "%s, %s, CUDA driver %s; a sum was right", member(device, "name"), member(device, "arch"),
      member(cuda, "version"));
  if (ok) return;
  fail(c, why);
  say(c->advice, "JIG_LOG=debug jig run reduce --type f32 FILE tells more; so does nvidia-smi.");
}

/* ---- variables */

static void check_environment(const json_t *info, check *c) {
  const json_t *problems = json_object_get(info, "environment_problems"), *problem;
  size_t i, length = 0;
  if (json_array_size(problems) == 0) {
    say(c->found, "all of jig's variables that are set say something");
    return;
  }
  c->outcome = CHECK_WARNING;
  json_array_foreach(problems, i, problem) {
    if (length < CHECK_TEXT_SIZE)
      length += (size_t)snprintf(c->found + length, CHECK_TEXT_SIZE - length, "%s%s", i > 0 ? "; " : "",
                                 json_string_value(problem));
  }
  say(c->advice, "jig --help has what they may be.");
}

void doctor_check(const json_t *info, check checks[CHECKS]) {
  static const char *const names[CHECKS] = {[CHECK_COMPILE] = "compile",
                                            [CHECK_CACHE] = "cache",
                                            [CHECK_LAUNCH] = "launch",
                                            [CHECK_ENVIRONMENT] = "variables"};
  for (int i = 0; i < CHECKS; ++i) checks[i] = (check){.name = names[i]};
  check_compile(info, &checks[CHECK_COMPILE]);
  check_cache(info, &checks[CHECK_COMPILE], &checks[CHECK_CACHE]);
  check_launch(info, &checks[CHECK_LAUNCH]);
  check_environment(info, &checks[CHECK_ENVIRONMENT]);
}
