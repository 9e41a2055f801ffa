#include "engine/environment.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/env.h"
#include "util/error.h"

enum { MAX_JOBS = 1023 };

bool environment_is(const char *name, const char *value) {
  const char *set = env_get(name);
  return set != NULL && strcmp(set, value) == 0;
}

/* ---- values */

static bool parse_jobs(const char *value, unsigned *jobs) {
  char *end;
  errno = 0;
  const long count = strtol(value, &end, 10);
  if (errno != 0 || end == value || *end != '\0' || count < 1 || count > MAX_JOBS) return false;
  *jobs = (unsigned)count;
  return true;
}

static bool are_jobs(const char *value) {
  unsigned jobs;
  return parse_jobs(value, &jobs);
}

static bool is_size(const char *value) {
  uint64_t bytes;
  return env_parse_size(value, &bytes);
}

static bool is_compiler(const char *value) {
  return strcmp(value, "exact") == 0;
}

static bool is_log_level(const char *value) {
  return strcmp(value, "info") == 0 || strcmp(value, "debug") == 0;
}

static bool is_build_mode(const char *value) {
  return strcmp(value, "never") == 0 || strcmp(value, "on-demand") == 0;
}

/* Whether its folder lets it be made. */
static bool can_be_made(const char *path) {
  char folder[PATH_MAX];
  const char *slash = strrchr(path, '/');
  if (slash == NULL) return access(".", W_OK) == 0;
  (void)snprintf(folder, sizeof folder, "%.*s", (int)(slash - path) + 1, path);
  return access(folder, W_OK) == 0;
}

static bool is_folder(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static bool is_writable_file(const char *value) {
  if (access(value, F_OK) != 0) return can_be_made(value);
  return !is_folder(value) && access(value, W_OK) == 0;
}

static bool is_writable_folder(const char *value) {
  char path[PATH_MAX];
  size_t length = strlen(value);
  if (access(value, F_OK) == 0) return is_folder(value) && access(value, W_OK) == 0;
  while (length > 1 && value[length - 1] == '/') --length;
  (void)snprintf(path, sizeof path, "%.*s", (int)length, value);
  return can_be_made(path);
}

static bool are_readable_files(const char *value) {
  char file[PATH_MAX];
  for (size_t length; *value != '\0'; value += length + (value[length] == ':')) {
    length = strcspn(value, ":");
    (void)snprintf(file, sizeof file, "%.*s", (int)length, value);
    if (length >= sizeof file || (length > 0 && (access(file, R_OK) != 0 || is_folder(file))))
      return false;
  }
  return true;
}

static bool is_switch(const char *value) {
  return strcmp(value, "0") == 0 || strcmp(value, "1") == 0;
}

static bool is_absolute(const char *value) {
  return value[0] == '/';
}

typedef struct variable {
  const char *name;
  bool (*is_good)(const char *value);
  const char *wanted, *otherwise;
} variable;

static const variable variables[] = {
    {"HOME", is_absolute, "an absolute path", "it is ignored"},
    {"JIG_BACKGROUND", is_switch, "'0' or '1'", "1 is taken"},
    {"JIG_BUILD", is_build_mode, "'never' or 'on-demand'", "calls fail"},
    {"JIG_CACHE_COMPILER", is_compiler, "'exact'", "programs of any compiler are taken"},
    {"JIG_CACHE_MAX_SIZE", is_size, "a size such as 500M or 2G", "1 GiB is taken"},
    {"JIG_DEBUG_SYNC", is_switch, "'0' or '1'", "1 is taken"},
    {"JIG_DUMP", is_writable_folder, "a folder that can be written", "nothing is kept"},
    {"JIG_FIRST_TIER", is_switch, "'0' or '1'", "0 is taken"},
    {"JIG_JOBS", are_jobs, "a number from 1 to 1023", "1 is taken"},
    {"JIG_LOG", is_log_level, "'info' or 'debug'", "info is taken"},
    {"JIG_NVTX", is_switch, "'0' or '1'", "1 is taken"},
    {"JIG_RECORD", is_writable_file, "a file that can be written", "no specs are recorded"},
    {"JIG_WISDOM", are_readable_files, "a list of files that can be read", "others are left out"},
    {"XDG_CACHE_HOME", is_absolute, "an absolute path", "it is ignored"},
    {"XDG_CONFIG_HOME", is_absolute, "an absolute path", "it is ignored"},
};

void environment_check(void (*tell)(void *user, const char *problem), void *user) {
  for (size_t i = 0; i < sizeof variables / sizeof variables[0]; ++i) {
    const variable *v = &variables[i];
    const char *value = env_get(v->name);
    if (value == NULL || v->is_good(value)) continue;
    char problem[512];
    (void)snprintf(problem, sizeof problem, "%s: '%.200s' is not %s; %s", v->name, value, v->wanted,
                   v->otherwise);
    tell(user, problem);
  }
}

/* ---- what engines ask for */

jig_status environment_build_mode(jig_build_mode *mode) {
  const char *value = env_get("JIG_BUILD");
  *mode = environment_is("JIG_BUILD", "never") ? JIG_BUILD_NEVER : JIG_BUILD_ON_DEMAND;
  if (value == NULL || is_build_mode(value)) return JIG_SUCCESS;
  return error_set(JIG_ERROR_INVALID_ARGUMENT,
                   "JIG_BUILD: '%.200s' is not 'never' or 'on-demand', so nobody knows whether programs "
                   "may be compiled",
                   value);
}

unsigned environment_jobs(void) {
  const char *value = env_get("JIG_JOBS");
  unsigned jobs = 1;
  if (value != NULL) return parse_jobs(value, &jobs) ? jobs : 1;
  const long processors = sysconf(_SC_NPROCESSORS_ONLN);
  return processors < 1 ? 1 : processors > MAX_JOBS ? MAX_JOBS : (unsigned)processors;
}

uint64_t environment_cache_max_size(void) {
  const char *value = env_get("JIG_CACHE_MAX_SIZE");
  uint64_t bytes = (uint64_t)1 << 30;
  if (value != NULL) (void)env_parse_size(value, &bytes);
  return bytes;
}
