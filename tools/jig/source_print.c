#include "source_print.h"

#include <stdio.h>

#include "report.h"

int source_print(const build_options *build, const char *spec_text, const char *arch) {
  char *source = NULL;
  jig_engine *engine;
  int code = build_options_engine(build, (jig_engine_config){0}, &engine);
  if (code != EXIT_OK) return code;
  jig_status status = jig_source(engine, spec_text, arch, &source);
  if (status == JIG_SUCCESS)
    (void)fputs(source, stdout);
  else
    code = jig_failure(status);
  jig_free(source);
  jig_engine_destroy(engine);
  return code;
}
