#include "program_support.h"

#include <check.h>
#include <jig/jig.h>

#include "jit/algorithm.h"
#include "reduce_support.h"
#include "spec/canonical.h"

program program_of(const spec *s, int sm, int multiprocessors) {
  program p = {.count = algorithm_kernel_count(s), .multiprocessors = multiprocessors};
  for (int k = 0; k < p.count; ++k) {
    p.kernels[k].tuning = kernel_policy(algorithm_kernel(s, k, sm), s, sm, NULL);
    p.kernels[k].max_cluster = (unsigned)policy_value(&p.kernels[k].tuning, "cluster", 1);
  }
  return p;
}

program program_of_spec(char *text, int sm, int multiprocessors) {
  parsed_spec parsed;
  OK(spec_parse(text, algorithm_schema, &parsed));
  const program p = program_of(&parsed.s, sm, multiprocessors);
  parsed_spec_free(&parsed);
  jig_free(text);
  return p;
}

program program_here(char *text) {
  int count;
  const device_info *dev = driver_devices(&count);
  return program_of_spec(text, dev->sm, dev->multiprocessors);
}

plan_limits *limits_of(jig_engine *engine) {
  OK(engine_resolve(&engine));
  return &engine->limits;
}

void check_spec_text(char *text, const char *wanted) {
  parsed_spec parsed;
  ck_assert_str_eq(text, wanted);
  OK(spec_parse(text, algorithm_schema, &parsed));
  parsed_spec_free(&parsed);
  jig_free(text);
}

void check_refused_specs(const refused_spec *specs, size_t count) {
  parsed_spec parsed;
  for (size_t i = 0; i < count; ++i)
    FAILS(spec_parse(specs[i].text, algorithm_schema, &parsed), JIG_ERROR_INVALID_ARGUMENT, specs[i].why);
}
