/* The public view of an engine's cache. */
#include <jig/cache.h>

#include <stdlib.h>

#include "engine/engine.h"
#include "spec/canonical.h"
#include "util/error.h"

const char *jig_cache_path(jig_engine *engine) {
  error_clear();
  return engine_resolve(&engine) == JIG_SUCCESS ? store_dir(engine->build.cache) : NULL;
}

/* The store knows of records; what callers want to see is the spec within. */
typedef struct spec_visitor {
  jig_cache_visit_fn visit;
  void *user;
} spec_visitor;

static int visit_with_spec(void *visitor, const jig_cache_entry *found) {
  const spec_visitor *to = visitor;
  jig_cache_entry shown = *found;
  json_t *record = json_loads(found->spec, 0, NULL);
  char *only_spec = canonical_text(json_object_get(record, "spec"));
  if (only_spec != NULL) shown.spec = only_spec;
  int answer = to->visit(to->user, &shown);
  free(only_spec);
  json_decref(record);
  return answer;
}

jig_status jig_cache_walk(jig_engine *engine, jig_cache_visit_fn visit, void *user) {
  error_clear();
  if (visit == NULL) return error_set(JIG_ERROR_INVALID_ARGUMENT, "visit: the pointer is NULL");
  jig_status status = engine_resolve(&engine);
  if (status != JIG_SUCCESS) return status;
  spec_visitor to = {visit, user};
  store_walk(engine->build.cache, visit_with_spec, &to);
  return JIG_SUCCESS;
}

jig_status jig_cache_clear(jig_engine *engine, uint64_t *removed) {
  error_clear();
  jig_status status = engine_resolve(&engine);
  if (status != JIG_SUCCESS) return status;
  store *cache = engine->build.cache;
  uint64_t count = store_clear(cache);
  if (removed != NULL) *removed = count;
  if (!store_is_refused(cache)) return JIG_SUCCESS;
  char why[512];
  store_warning(cache, why, sizeof why);
  return error_set(JIG_ERROR_CACHE, "%s", why);
}
