#include "build_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

enum { OPTION_COMPILE_OPTION = OPTION_OF_BUILD };

const option_row build_option_rows[] = {
    {'I', "include-path", "DIR",
     "a folder of headers that operators and structs may include;\n"
     "may be repeated; default: $JIG_INCLUDE_PATH"},
    {OPTION_COMPILE_OPTION, "compile-option", "OPT",
     "an option for the compiler, such as -DN=3 or --use_fast_math;\n"
     "may be repeated; default: $JIG_COMPILE_OPTIONS"},
    OPTION_END_ROW,
};

int build_options_take(build_options *o, int id, const char *value, bool *mine) {
  *mine = id == 'I' || id == OPTION_COMPILE_OPTION;
  if (!*mine) return EXIT_OK;
  const char **list = id == 'I' ? o->folders : o->options;
  size_t *count = id == 'I' ? &o->folder_count : &o->option_count;
  if (*count == BUILD_OPTIONS_MAX) {
    return usage_error("%s: more than %d of them", id == 'I' ? "--include-path" : "--compile-option",
                       BUILD_OPTIONS_MAX);
  }
  list[(*count)++] = value;
  return EXIT_OK;
}

/* The folders with ':' between them; malloc'ed, NULL when out of memory. */
static char *join_folders(const build_options *o) {
  size_t size = 1;
  for (size_t i = 0; i < o->folder_count; ++i) size += strlen(o->folders[i]) + 1;
  char *path = calloc(size, 1);
  for (size_t i = 0; path != NULL && i < o->folder_count; ++i) {
    (void)strcat(path, o->folders[i]);
    (void)strcat(path, ":");
  }
  return path;
}

int build_options_engine(const build_options *o, jig_engine_config config, jig_engine **engine) {
  char *path = join_folders(o);
  if (path == NULL) {
    complain("out of memory: --include-path");
    return EXIT_FAILED;
  }
  if (o->folder_count > 0) config.include_path = path;
  if (o->option_count > 0) {
    config.compile_options = o->options;
    config.compile_option_count = o->option_count;
  }
  jig_status status = jig_engine_create(engine, &config);
  free(path);
  if (status == JIG_ERROR_INVALID_ARGUMENT) return usage_error("%s", jig_last_error());
  return status == JIG_SUCCESS ? EXIT_OK : jig_failure(status);
}
