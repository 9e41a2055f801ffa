/* Building without running: jig_prewarm(), jig_source(). */
#include <jig/prewarm.h>

#include "engine/engine.h"
#include "spec/canonical.h"
#include "util/error.h"

static int larger(int a, int b) {
  return a > b ? a : b;
}

static void report(const artifacts *all, jig_prewarm_result *result) {
  *result = (jig_prewarm_result){.hit = 1, .registers = -1, .spill_bytes = -1, .shared_bytes = -1};
  for (int i = 0; i < all->count; ++i) {
    const artifact *a = &all->of[i];
    result->hit &= a->from_cache;
    result->compile_ms += a->compile_ms;
    result->payload_bytes += a->payload_size;
    result->registers = larger(result->registers, a->cost.registers);
    result->spill_bytes = larger(result->spill_bytes, a->cost.spill_bytes);
    result->shared_bytes = larger(result->shared_bytes, a->cost.shared_bytes);
  }
  hash_hex(all->of[0].key, result->key);
}

static jig_status prewarm(jig_engine *engine, const spec *s, const arch *target,
                          jig_prewarm_result *result) {
  artifacts all;
  jig_status status = build(&engine->build, s, target, &all);
  if (status != JIG_SUCCESS) {
    engine_count_failure(engine);
    return status;
  }
  engine_count_program(engine, s, &all, 0);
  if (result != NULL) report(&all, result);
  bool kept = true;
  for (int i = 0; i < all.count; ++i) kept &= all.of[i].kept;
  artifacts_free(&all);
  if (kept) return JIG_SUCCESS;
  char why[256];
  store_warning(engine->build.cache, why, sizeof why);
  return error_set(JIG_ERROR_CACHE, "the program was compiled, but there is no cache to keep it in%s%s",
                   why[0] != '\0' ? ": " : "", why);
}

/* Reads what both functions are given. */
static jig_status read_request(const char *text, const char *arch_name, parsed_spec *parsed,
                               arch *target) {
  if (text == NULL) return error_set(JIG_ERROR_INVALID_ARGUMENT, "spec: the pointer is NULL");
  jig_status status = arch_parse(arch_name, target);
  return status != JIG_SUCCESS ? status : spec_parse(text, algorithm_schema, parsed);
}

jig_status jig_prewarm(jig_engine *engine, const char *spec_text, const char *arch_name,
                       jig_prewarm_result *result) {
  error_clear();
  jig_status status = engine_resolve(&engine);
  if (status != JIG_SUCCESS) return status;
  parsed_spec parsed;
  arch target;
  status = read_request(spec_text, arch_name, &parsed, &target);
  if (status != JIG_SUCCESS) return status;
  status = prewarm(engine, &parsed.s, &target, result);
  parsed_spec_free(&parsed);
  return status;
}

jig_status jig_source(jig_engine *engine, const char *spec_text, const char *arch_name, char **source) {
  error_clear();
  if (source == NULL) return error_set(JIG_ERROR_INVALID_ARGUMENT, "source: the pointer is NULL");
  *source = NULL;
  jig_status status = engine_resolve(&engine);
  if (status != JIG_SUCCESS) return status;
  parsed_spec parsed;
  arch target;
  status = read_request(spec_text, arch_name, &parsed, &target);
  if (status != JIG_SUCCESS) return status;
  status = build_source(&engine->build, &parsed.s, &target, source);
  parsed_spec_free(&parsed);
  return status;
}
