/* bench-run: jig against CUB, and what jig itself costs. See README.md. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "commands.h"

static int command_list(const options *o) {
  for (const bench_family *const *family = bench_families; *family != NULL; ++family) {
    for (size_t i = 0; i < (*family)->count; ++i) {
      const bench_case *c = &(*family)->cases[i];
      char name[CASE_NAME_SIZE];
      case_name(c, name);
      if (options_want(o, name)) {
        (void)printf("%-44s %s\n", name, case_peer(c) != NULL ? "with CUB" : "without CUB");
      }
    }
  }
  return EXIT_DONE;
}

/* What is measured is jig as it is by default. */
static void forget_environment(void) {
  static const char *const variables[] = {
      "JIG_CACHE_PATH", "JIG_CACHE_MAX_SIZE", "JIG_CACHE_COMPILER", "JIG_BUILD",
      "JIG_JOBS",       "JIG_BACKGROUND",     "JIG_DUMP",           "JIG_LOG",
      "JIG_DEBUG_SYNC", "JIG_NVTX",           "JIG_TEMPLATE_PATH"};
  for (size_t i = 0; i < sizeof variables / sizeof variables[0]; ++i) (void)unsetenv(variables[i]);
}

int main(int argc, char **argv) {
  forget_environment();
  if (argc > 1 && strcmp(argv[1], FRESH_PROCESS) == 0) return command_fresh_process(argc, argv);
  if (argc > 1 && strcmp(argv[1], FIRST_CALL) == 0) return command_first_call(argc, argv);
  options o;
  if (!options_parse(argc, argv, &o)) return EXIT_USAGE;
  if (o.help) {
    options_help();
    return EXIT_DONE;
  }
  if (strcmp(o.command, "run") == 0) return command_run(&o);
  if (strcmp(o.command, "host") == 0) return command_host(&o);
  if (strcmp(o.command, "cold") == 0) return command_cold(&o);
  if (strcmp(o.command, "list") == 0) return command_list(&o);
  (void)fprintf(stderr, "bench: there is no command '%s'; see --help\n", o.command);
  return EXIT_USAGE;
}
