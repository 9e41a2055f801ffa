#include "jit/first_tier.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jit/assemble.h"
#include "jit/linked_spec.h"
#include "jit/linker.h"
#include "jit/ptx_merge.h"
#include "jit/tuned.h"
#include "spec/shared.h"
#include "util/error.h"
#include "util/log.h"

/* ---- what is served */

static bool has_options(const build_settings *settings) {
  return settings->options != NULL && settings->options[0] != NULL;
}

static bool same_policy(const policy *a, const policy *b) {
  if (a->count != b->count) return false;
  for (int i = 0; i < a->count; ++i)
    if (a->values[i] != b->values[i] || strcmp(a->names[i], b->names[i]) != 0) return false;
  return true;
}

static bool tuned_alike(const build_settings *settings, const spec *s, const linked_spec *l,
                        const kernel_row *kernel, const arch *target) {
  const policy own = tuned_policy(settings->wisdom, kernel, s, target->sm),
               linked = tuned_policy(settings->wisdom, kernel, l->s, target->sm);
  return same_policy(&own, &linked);
}

/* Options may say anything of how an operator is compiled. Where kernels of some numbers are tuned in
 * another way than those of others of that size, they have kernels of their own. */
static bool serves(const build_settings *settings, const spec *s, const kernel_row *kernel,
                   const arch *target, linked_spec *l) {
  if (spec_own_kernel(s) != NULL || has_options(settings)) return false;
  if (!linked_spec_of(s, true, l)) return false;
  return tuned_alike(settings, s, l, kernel, target) ||
         (linked_spec_of(s, false, l) && tuned_alike(settings, s, l, kernel, target));
}

/* ---- the kernel */

static jig_status have_kernel(const build_settings *settings, const linked_spec *l,
                              const kernel_row *kernel, const arch *target, bool only_cached,
                              artifact *a) {
  build_settings own = *settings;
  own.never |= only_cached;
  own.first_tier = false;
  own.relocatable = true;
  return build_kernel(&own, l->s, kernel, target, a);
}

static jig_status not_served(void) {
  return error_set(JIG_ERROR_UNSUPPORTED,
                   "no kernel is linked with the operators of this, see "
                   "docs/configuration.md#the-first-tier");
}

jig_status first_tier_prepare(const build_settings *settings, const spec *given, const kernel_row *kernel,
                              const arch *target, artifact *a) {
  shared_spec room;
  linked_spec l;
  return serves(settings, spec_shared(given, &room), kernel, target, &l)
             ? have_kernel(settings, &l, kernel, target, false, a)
             : not_served();
}

/* ---- the operators */

/* What a thread may have of registers, so that as many blocks fit a multiprocessor as every kernel is
 * planned for. */
static int most_registers(const build_settings *settings, const spec *s, int sm) {
  enum { ALL = 65536, UNIT = 8, MOST = 255 };
  tuning_told told = tuned_of(settings->wisdom, s, sm);
  int most = MOST;
  for (int i = 0; i < algorithm_kernel_count(s); ++i) {
    const policy tuning = kernel_policy(algorithm_kernel(s, i, sm), s, sm, &told);
    const int threads = (int)policy_threads(&tuning) * policy_value(&tuning, "min_blocks", 1);
    const int share = ALL / threads / UNIT * UNIT;
    if (share < most) most = share;
  }
  return most;
}

static jig_status compile_ops(const build_settings *settings, const spec *s, const linked_spec *l,
                              const arch *target, compiled *ops) {
  size_t count;
  const template_file *templates = templates_get(&count);
  header_set headers;
  char *program, limit[32];
  const compiler *c = compiler_get();
  if (templates == NULL || c == NULL) return JIG_ERROR_NO_COMPILER;
  jig_status status = headers_open(&headers, &settings->headers, templates, count);
  if (status != JIG_SUCCESS) return status;
  status = assemble_operators(s, l->ops, l->op_count, &headers, &program);
  if (status == JIG_SUCCESS) {
    (void)snprintf(limit, sizeof limit, "--maxrregcount=%d", most_registers(settings, s, target->sm));
    char *const options[] = {limit, NULL};
    const compile_request request = {.program = program,
                                     .files = headers.files,
                                     .file_count = headers.count,
                                     .options = options,
                                     .target = target,
                                     .relocatable = true,
                                     .jobs = settings->jobs};
    status = compiler_compile(c, &request, ops);
    free(program);
  }
  headers_close(&headers);
  return status;
}

/* What the first of a program's kernels has compiled. *ms: how long that took this one. */
static jig_status share_ops(const build_settings *settings, const spec *s, const linked_spec *l,
                            const arch *target, linked_operators *ops, double *ms) {
  struct operators_code *code = &ops->of[l->as_bits];
  *ms = 0;
  (void)pthread_mutex_lock(&ops->mutex);
  if (code->tried) {
    if (code->status != JIG_SUCCESS) (void)error_set(code->status, "its operators do not compile");
  } else {
    code->tried = true;
    code->status = compile_ops(settings, s, l, target, &code->code);
    *ms = code->code.ms;
  }
  (void)pthread_mutex_unlock(&ops->mutex);
  return code->status;
}

void linked_operators_free(linked_operators *ops) {
  for (int i = 0; i < 2; ++i) compiled_free(&ops->of[i].code);
  (void)pthread_mutex_destroy(&ops->mutex);
}

/* ---- both */

/* Drivers that take PTX get it as one text. */
static jig_status merge(const artifact *kernel, const jig_op *ops, const arch *target, compiled *result) {
  *result = (compiled){.cost = {-1, -1, -1}, .payload = malloc(kernel->payload_size)};
  if (result->payload == NULL) return error_memory("a linked program");
  memcpy(result->payload, kernel->payload, kernel->payload_size);
  result->payload_size = kernel->payload_size;
  return ptx_merge(&ops, 1, target, result);
}

static jig_status link_machine_code(const build_settings *settings, const artifact *kernel,
                                    const jig_op *ops, const arch *target, compiled *result) {
  const compiled program = {.payload = kernel->payload, .payload_size = kernel->payload_size};
  const link_request request = {.program = &program,
                                .is_machine_code = true,
                                .compiler = kernel->compiler,
                                .binaries = &ops,
                                .count = 1,
                                .target = target,
                                .jobs = settings->jobs};
  const linker *l = linker_get();
  return l != NULL ? linker_link(l, &request, result) : JIG_ERROR_NO_COMPILER;
}

/* What was compiled is one binary, of the name that errors would speak of. */
static jig_status link_ops(const build_settings *settings, const artifact *kernel, const compiled *code,
                           const arch *target, artifact *a) {
  const jig_op ops = {.kind = JIG_OP_BINARY,
                      .name = "jig_linked",
                      .format = target->ptx ? JIG_FORMAT_PTX : JIG_FORMAT_CUBIN,
                      .data = code->payload,
                      .size = code->payload_size};
  compiled result = {0};
  const jig_status status = target->ptx ? merge(kernel, &ops, target, &result)
                                        : link_machine_code(settings, kernel, &ops, target, &result);
  if (status == JIG_SUCCESS) {
    a->payload = result.payload;
    a->payload_size = result.payload_size;
    result.payload = NULL;
    a->cost = kernel->cost;
    a->compile_ms = result.ms;
    a->linked = true;
    memcpy(a->compiler, kernel->compiler, sizeof a->compiler);
  }
  compiled_free(&result);
  return status;
}

static jig_status build_linked(const build_settings *settings, const spec *s, const linked_spec *l,
                               const artifact *kernel, linked_operators *ops, artifact *a) {
  double ms;
  jig_status status = share_ops(settings, s, l, &a->target, ops, &ms);
  if (status == JIG_SUCCESS)
    status = link_ops(settings, kernel, &ops->of[l->as_bits].code, &a->target, a);
  if (status == JIG_SUCCESS)
    a->compile_ms += ms;
  else
    log_info("%s cannot be linked: %s", a->name, jig_last_error());
  return status;
}

jig_status first_tier_build(const build_settings *settings, const spec *given, const kernel_row *row,
                            artifact *a) {
  shared_spec room;
  linked_spec l;
  artifact kernel;
  linked_operators own = LINKED_OPERATORS;
  const spec *s = spec_shared(given, &room);
  if (!serves(settings, s, row, &a->target, &l)) return not_served();
  jig_status status = have_kernel(settings, &l, row, &a->target, true, &kernel);
  if (status != JIG_SUCCESS) return status;
  status =
      build_linked(settings, s, &l, &kernel, settings->operators != NULL ? settings->operators : &own, a);
  linked_operators_free(&own);
  artifact_free(&kernel);
  return status;
}
