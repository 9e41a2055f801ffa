/* The public view of an engine's cache. */
#include <jig/cache.h>

#include <inttypes.h>
#include <stdlib.h>

#include "engine/engine.h"
#include "spec/canonical.h"
#include "util/cancel.h"
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

/* JIG_SUCCESS if there were none. */
static jig_status tell_troubles(const store_troubles *troubles) {
  if (troubles->count == 0) return JIG_SUCCESS;
  if (troubles->count == 1) return error_set(JIG_ERROR_CACHE, "%s", troubles->first);
  return error_set(JIG_ERROR_CACHE, "%s (and %" PRIu64 " more such problem%s)", troubles->first,
                   troubles->count - 1, troubles->count == 2 ? "" : "s");
}

jig_status jig_cache_walk(jig_engine *engine, jig_cache_visit_fn visit, void *user) {
  error_clear();
  if (visit == NULL)
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "jig_cache_walk: visit: the pointer is NULL");
  jig_status status = engine_resolve(&engine);
  if (status != JIG_SUCCESS) return status;
  spec_visitor to = {visit, user};
  store_troubles troubles;
  const int cancelling = cancel_put_off();
  store_walk(engine->build.cache, visit_with_spec, &to, &troubles);
  cancel_allow(cancelling);
  return tell_troubles(&troubles);
}

jig_status jig_cache_clear(jig_engine *engine, uint64_t *removed) {
  error_clear();
  jig_status status = engine_resolve(&engine);
  if (status != JIG_SUCCESS) return status;
  store_troubles troubles;
  const int cancelling = cancel_put_off();
  uint64_t count = store_clear(engine->build.cache, &troubles);
  cancel_allow(cancelling);
  if (removed != NULL) *removed = count;
  return tell_troubles(&troubles);
}
