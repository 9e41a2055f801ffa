/* Specs, as lines of a manifest: whatever they are, they are read or refused; and a spec that is read has
 * one canonical text, one hash and a program. */
#include <jig/jig.h>

#include "fuzz_file.h"
#include "jit/algorithm.h"
#include "jit/build.h"
#include "prewarm_jobs.h"
#include "spec/canonical.h"
#include "util/error.h"

static void write_program(const spec *s) {
  const build_settings settings = {.jobs = 1};
  char *source = NULL;
  arch target;
  MUST(arch_parse("sm_90", &target) == JIG_SUCCESS);
  if (build_source(&settings, s, &target, &source) == JIG_SUCCESS)
    MUST(source != NULL && source[0] != '\0');
  jig_free(source);
}

static void read_spec(const char *text) {
  parsed_spec first, second;
  char *canonical = NULL, *again = NULL;
  if (spec_parse(text, algorithm_schema, &first) != JIG_SUCCESS) {
    MUST(jig_last_error()[0] != '\0');
    return;
  }
  MUST(spec_write(&first.s, "fuzz", &canonical) == JIG_SUCCESS);
  MUST(spec_parse(canonical, algorithm_schema, &second) == JIG_SUCCESS);
  MUST(spec_write(&second.s, "fuzz", &again) == JIG_SUCCESS);
  MUST(strcmp(canonical, again) == 0);
  MUST(spec_hash(&first.s) == spec_hash(&second.s));
  write_program(&first.s);
  jig_free(canonical);
  jig_free(again);
  parsed_spec_free(&first);
  parsed_spec_free(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const arch_list archs = {.names = {"sm_90"}, .count = 1};
  job_list list = {0};
  error_clear();
  (void)jobs_add_manifest(&list, fuzz_file(data, size), &archs);
  for (size_t i = 0; i < list.count; ++i) read_spec(list.jobs[i].spec);
  jobs_free(&list);
  return 0;
}
