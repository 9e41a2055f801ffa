/* Building without running: jig_prewarm(), jig_source(). */
#include <jig/prewarm.h>

#include "engine/engine.h"
#include "spec/canonical.h"
#include "util/error.h"

static void report(const artifact *a, jig_prewarm_result *result) {
  *result = (jig_prewarm_result){.hit = a->from_cache,
                                 .compile_ms = a->compile_ms,
                                 .payload_bytes = a->payload_size,
                                 .registers = a->cost.registers,
                                 .spill_bytes = a->cost.spill_bytes,
                                 .shared_bytes = a->cost.shared_bytes};
  hash_hex(a->key, result->key);
}

static jig_status prewarm(jig_engine *engine, const spec *s, const arch *target,
                          jig_prewarm_result *result) {
  artifact a;
  jig_status status = build(&engine->build, s, target, &a);
  if (status != JIG_SUCCESS) {
    engine_count_failure(engine);
    return status;
  }
  engine_count_program(engine, s, &a, 0);
  if (result != NULL) report(&a, result);
  bool kept = a.kept;
  artifact_free(&a);
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
