/* What an engine knows of itself and of this machine. */
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "driver/driver.h"
#include "engine/engine.h"
#include "engine/environment.h"
#include "jit/linker.h"
#include "spec/canonical.h"
#include "util/error.h"
#include "util/json_text.h"

#define TEXT_OF(x) #x
#define VERSION_TEXT(major, minor, patch) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(patch)

const char *jig_version(void) {
  return VERSION_TEXT(JIG_VERSION_MAJOR, JIG_VERSION_MINOR, JIG_VERSION_PATCH);
}

int jig_version_number(void) {
  return JIG_VERSION_NUMBER;
}

void jig_free(void *pointer) {
  free(pointer);
}

jig_status jig_engine_get_stats(jig_engine *engine, jig_engine_stats *stats) {
  error_clear();
  if (stats == NULL)
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "jig_engine_get_stats: stats: the pointer is NULL");
  jig_status status = engine_resolve(&engine);
  if (status != JIG_SUCCESS) return status;
  engine_lock_stats();
  *stats = engine->stats;
  engine_unlock_stats();
  const store_counts counts = store_get_counts(engine->build.cache);
  stats->evictions = counts.evictions;
  stats->faults = counts.faults;
  stats->calls = atomic_load(&engine->calls);
  stats->memory_hits = stats->calls - atomic_load(&engine->slow_calls);
  store_warning(engine->build.cache, stats->cache_warning, sizeof stats->cache_warning);
  return JIG_SUCCESS;
}

/* ---- jig_info(). json_pack() takes "o" over, and NULL makes the whole NULL. */

static json_t *why_not(void) {
  return json_pack("{s:o}", "error", json_text(jig_last_error()));
}

/* A library: where it is, if that is known, and its version. */
static json_t *describe_library(const char *path, json_t *version) {
  json_t *json = json_pack("{s:n,s:o}", "library", "version", version);
  if (path == NULL || json_set_path(json, "library", path) == 0) return json;
  json_decref(json);
  return NULL;
}

static json_t *describe_driver(void) {
  const driver *cuda = driver_get();
  if (cuda == NULL) return why_not();
  return describe_library(cuda->path,
                          json_sprintf("%d.%d", cuda->version / 1000, cuda->version % 1000 / 10));
}

static json_t *describe_devices(void) {
  json_t *list = json_array();
  int count = 0;
  const device_info *devices = driver_devices(&count);
  for (int i = 0; devices != NULL && i < count; ++i) {
    (void)json_array_append_new(list, json_pack("{s:o,s:o,s:i}", "name", json_text(devices[i].name),
                                                "arch", json_sprintf("sm_%d", devices[i].sm),
                                                "multiprocessors", devices[i].multiprocessors));
  }
  return list;
}

static json_t *describe_compiler(void) {
  const compiler *c = compiler_get();
  if (c == NULL) return why_not();
  json_t *archs = json_array();
  for (int i = 0; i < c->arch_count; ++i)
    (void)json_array_append_new(archs, json_sprintf("sm_%d", c->archs[i]));
  json_t *json = describe_library(c->path, json_string(c->version));
  if (json_object_set_new(json, "architectures", archs) == 0) return json;
  json_decref(json);
  return NULL;
}

static json_t *describe_linker(void) {
  const linker *l = linker_get();
  return l == NULL ? why_not() : describe_library(l->path, json_string(l->version));
}

static json_t *describe_cache(const jig_engine *engine) {
  char warning[256];
  store_warning(engine->build.cache, warning, sizeof warning);
  json_t *layers = json_array();
  const char *layer;
  for (size_t i = 1; (layer = store_layer_dir(engine->build.cache, i)) != NULL; ++i) {
    (void)json_array_append_new(layers, json_text(layer));
  }
  json_t *json = json_pack("{s:o,s:o}", "layers", layers, "warning", json_text(warning));
  if (json_set_path(json, "directory", store_dir(engine->build.cache)) == 0) return json;
  json_decref(json);
  return NULL;
}

static void add_problem(void *list, const char *problem) {
  (void)json_array_append_new(list, json_text(problem));
}

static json_t *describe_environment(void) {
  json_t *problems = json_array();
  environment_check(add_problem, problems);
  return problems;
}

jig_status jig_info(jig_engine *engine, char **json) {
  error_clear();
  if (json == NULL) return error_set(JIG_ERROR_INVALID_ARGUMENT, "jig_info: json: the pointer is NULL");
  *json = NULL;
  jig_status status = engine_resolve(&engine);
  if (status != JIG_SUCCESS) return status;
  json_t *info = json_pack("{s:s,s:o,s:o,s:o,s:o,s:o,s:o}", "version", jig_version(), "driver",
                           describe_driver(), "devices", describe_devices(), "compiler",
                           describe_compiler(), "linker", describe_linker(), "cache",
                           describe_cache(engine), "environment_problems", describe_environment());
  *json = canonical_text(info);
  json_decref(info);
  error_clear(); /* what is missing is in the text */
  return *json != NULL ? JIG_SUCCESS : error_memory("information");
}
