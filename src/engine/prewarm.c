/* Building without running: jig_prewarm(), jig_source(). A spec may name several programs. */
#include "engine/prewarm.h"

#include <stdlib.h>
#include <string.h>

#include <jig/prewarm.h>

#include "engine/engine.h"
#include "jit/first_tier.h"
#include "jit/tuned.h"
#include "spec/canonical.h"
#include "util/cancel.h"
#include "util/error.h"
#include "util/text.h"

static int larger(int a, int b) {
  return a > b ? a : b;
}

/* Adds a program's kernels to a result, which begins as that of none. */
static const jig_prewarm_result nothing = {
    .hit = 1, .registers = -1, .spill_bytes = -1, .shared_bytes = -1};
static void report(const artifacts *all, jig_prewarm_result *result) {
  for (int i = 0; i < ALGORITHM_MAX_KERNELS; ++i) {
    const artifact *a = &all->of[i];
    if (!kernel_set_has(all->built, i)) continue;
    result->hit &= a->from_cache;
    result->compile_ms += a->compile_ms;
    result->payload_bytes += a->payload_size;
    result->registers = larger(result->registers, a->cost.registers);
    result->spill_bytes = larger(result->spill_bytes, a->cost.spill_bytes);
    result->shared_bytes = larger(result->shared_bytes, a->cost.shared_bytes);
  }
  if (result->key[0] == '\0') hash_hex(all->of[0].key, result->key);
}

/* For operators to come. */
static jig_status build_first_tier(const build_settings *settings, const spec *s, const arch *target,
                                   artifacts *all) {
  jig_status status = JIG_SUCCESS;
  all->built = 0;
  for (int i = 0; i < algorithm_kernel_count(s) && status == JIG_SUCCESS; ++i) {
    status = first_tier_prepare(settings, s, algorithm_kernel(s, i, target->sm), target, &all->of[i]);
    if (status == JIG_SUCCESS) all->built |= kernel_set_of(i);
  }
  if (status != JIG_SUCCESS) artifacts_free(all);
  return status;
}

/* Counts what was built, and frees it. */
static jig_status take_in(jig_engine *engine, const spec *s, artifacts *all, jig_prewarm_result *result) {
  bool kept = true;
  engine_count_kernels(engine, s, all, 0);
  engine_count_in_cache(engine, false, s, all);
  report(all, result);
  for (int i = 0; i < algorithm_kernel_count(s); ++i) kept &= all->of[i].kept;
  artifacts_free(all);
  if (kept) return JIG_SUCCESS;
  char why[256];
  store_warning(engine->build.cache, why, sizeof why);
  return error_set(JIG_ERROR_CACHE, "the program was compiled, but there is no cache to keep it in%s%s",
                   why[0] != '\0' ? ": " : "", why);
}

static jig_status note_failure(jig_engine *engine, const spec *s, const arch *target, jig_status status) {
  engine_count_failure(engine);
  const bool is_tuned = tuned_of(engine->build.wisdom, s, target->sm).count > 0;
  return is_tuned ? error_prefix(status, "tuned by wisdom") : status;
}

typedef jig_status prewarm_function(jig_engine *engine, const spec *s, const arch *target,
                                    jig_prewarm_result *result);

static jig_status prewarm_linked(jig_engine *engine, const spec *s, const arch *target,
                                 jig_prewarm_result *result) {
  artifacts all;
  const jig_status status = build_first_tier(&engine->build, s, target, &all);
  return status == JIG_SUCCESS ? take_in(engine, s, &all, result)
                               : note_failure(engine, s, target, status);
}

/* What nothing may be built for links nothing, and lacks nothing of the first tier. */
static jig_status prewarm_program(jig_engine *engine, const spec *s, const arch *target,
                                  jig_prewarm_result *result) {
  build_settings settings = engine->build;
  artifacts all = {.built = 0}, linked;
  settings.first_tier = false;
  jig_status status = build(&settings, s, target, algorithm_kernels(s), &all);
  if (status == JIG_SUCCESS && engine->build.first_tier && !engine->build.never) {
    status = build_first_tier(&settings, s, target, &linked);
    if (status == JIG_SUCCESS) artifacts_free(&linked);
    if (status == JIG_ERROR_UNSUPPORTED) status = JIG_SUCCESS;
    if (status != JIG_SUCCESS) artifacts_free(&all);
  }
  return status == JIG_SUCCESS ? take_in(engine, s, &all, result)
                               : note_failure(engine, s, target, status);
}

/* All of them, even if one fails, which is the outcome then. */
static jig_status prewarm(jig_engine *engine, const spec *s, const arch *target, prewarm_function *one_of,
                          jig_prewarm_result *result) {
  const algorithm_programs programs = algorithm_programs_of(s);
  jig_status status = JIG_SUCCESS;
  char *problem = NULL;
  *result = nothing;
  for (int i = 0; i < programs.count; ++i) {
    const jig_status one = one_of(engine, &programs.of[i], target, result);
    if (status != JIG_SUCCESS || one == JIG_SUCCESS) continue;
    status = one;
    problem = strdup(jig_last_error());
  }
  if (problem != NULL) (void)error_set(status, "%s", problem);
  free(problem);
  return status;
}

/* Reads what both functions are given. */
static jig_status read_request(const char *who, const char *spec_text, const char *arch_name,
                               parsed_spec *parsed, arch *target) {
  if (spec_text == NULL || arch_name == NULL)
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: %s: the pointer is NULL", who,
                     spec_text == NULL ? "spec" : "arch");
  jig_status status = arch_parse(arch_name, target);
  return status != JIG_SUCCESS ? status : spec_parse(spec_text, algorithm_schema, parsed);
}

static jig_status prewarm_text(jig_engine *engine, const char *spec_text, const char *arch_name,
                               prewarm_function *one_of, jig_prewarm_result *result) {
  error_clear();
  jig_status status = engine_resolve(&engine);
  if (status != JIG_SUCCESS) return status;
  parsed_spec parsed;
  arch target;
  jig_prewarm_result all;
  status = read_request("jig_prewarm", spec_text, arch_name, &parsed, &target);
  if (status != JIG_SUCCESS) return status;
  const int cancelling = cancel_put_off();
  status = prewarm(engine, &parsed.s, &target, one_of, &all);
  cancel_allow(cancelling);
  if (result != NULL && (status == JIG_SUCCESS || status == JIG_ERROR_CACHE)) *result = all;
  parsed_spec_free(&parsed);
  return status;
}

jig_status jig_prewarm(jig_engine *engine, const char *spec_text, const char *arch_name,
                       jig_prewarm_result *result) {
  return prewarm_text(engine, spec_text, arch_name, prewarm_program, result);
}

jig_status prewarm_first_tier(jig_engine *engine, const char *spec_text, const char *arch_name,
                              jig_prewarm_result *result) {
  return prewarm_text(engine, spec_text, arch_name, prewarm_linked, result);
}

int prewarm_split(const char *spec_text, char *texts[PREWARM_MAX_PROGRAMS]) {
  _Static_assert(PREWARM_MAX_PROGRAMS >= (int)ALGORITHM_MAX_PROGRAMS, "all programs have room");
  parsed_spec parsed;
  error_clear();
  if (spec_parse(spec_text, algorithm_schema, &parsed) != JIG_SUCCESS) return 0;
  const algorithm_programs programs = algorithm_programs_of(&parsed.s);
  int count = 0;
  while (count < programs.count && spec_write(&programs.of[count], "spec", &texts[count]) == JIG_SUCCESS)
    ++count;
  parsed_spec_free(&parsed);
  if (count == programs.count) return count;
  while (count > 0) free(texts[--count]);
  return 0;
}

void prewarm_leave_layers(jig_engine *engine) {
  store_leave_layers(engine->build.cache);
}

/* The texts of all programs, one after the other. */
static jig_status write_sources(jig_engine *engine, const spec *s, const arch *target, char **source) {
  const algorithm_programs programs = algorithm_programs_of(s);
  text all = {0};
  for (int i = 0; i < programs.count; ++i) {
    char *one;
    jig_status status = build_source(&engine->build, &programs.of[i], target, &one);
    if (status != JIG_SUCCESS) {
      text_free(&all);
      return status;
    }
    text_format(&all, "%s%s", i > 0 ? "\n" : "", one);
    free(one);
  }
  *source = text_take(&all);
  return *source != NULL ? JIG_SUCCESS : error_memory("the programs' texts");
}

jig_status jig_source(jig_engine *engine, const char *spec_text, const char *arch_name, char **source) {
  error_clear();
  if (source == NULL)
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "jig_source: source: the pointer is NULL");
  *source = NULL;
  jig_status status = engine_resolve(&engine);
  if (status != JIG_SUCCESS) return status;
  parsed_spec parsed;
  arch target;
  status = read_request("jig_source", spec_text, arch_name, &parsed, &target);
  if (status != JIG_SUCCESS) return status;
  const int cancelling = cancel_put_off();
  status = write_sources(engine, &parsed.s, &target, source);
  cancel_allow(cancelling);
  parsed_spec_free(&parsed);
  return status;
}
