/* bench-run: jig against CUB, and what jig itself costs. See README.md. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "commands.h"

static int command_list(const options *o) {
  for (size_t f = 0; bench_families[f] != NULL; ++f) {
    for (size_t i = 0; i < bench_families[f]->count; ++i) {
      const bench_case *c = &bench_families[f]->cases[i];
      char name[CASE_NAME_SIZE];
      case_name(c, name);
      if (options_want(o, f, i)) {
        (void)printf("%-44s %s\n", name, case_peer(c) != NULL ? "with CUB" : "without CUB");
      }
    }
  }
  return EXIT_DONE;
}

static int command_families(void) {
  for (const char *const *name = bench_family_names; *name != NULL; ++name) (void)puts(*name);
  return EXIT_DONE;
}

static bool is_family(const char *wanted) {
  for (const char *const *name = bench_family_names; *name != NULL; ++name) {
    if (strcmp(*name, wanted) == 0) return true;
  }
  return false;
}

/* What is measured is jig as it is by default. Which driver, which libraries and which templates are to
 * be measured may be said; the file says so of templates. */
static void forget_environment(bool told) {
  static const char *const variables[] = {"JIG_CACHE_PATH",      "JIG_CACHE_MAX_SIZE",
                                          "JIG_CACHE_COMPILER",  "JIG_BUILD",
                                          "JIG_FIRST_TIER",      "JIG_JOBS",
                                          "JIG_BACKGROUND",      "JIG_DUMP",
                                          "JIG_INCLUDE_PATH",    "JIG_LOG",
                                          "JIG_COMPILE_OPTIONS", "JIG_RECORD",
                                          "JIG_DEBUG_SYNC",      "JIG_NVTX"};
  for (size_t i = 0; i < sizeof variables / sizeof variables[0]; ++i) {
    if (getenv(variables[i]) == NULL) continue;
    if (told) {
      (void)fputs("bench: ", stderr);
      (void)fputs(variables[i], stderr);
      (void)fputs(" is left out: jig is measured as it is by default\n", stderr);
    }
    (void)unsetenv(variables[i]);
  }
}

int main(int argc, char **argv) {
  const bool is_fresh = argc > 1 && strcmp(argv[1], FRESH_PROCESS) == 0;
  const bool is_first = argc > 1 && strcmp(argv[1], FIRST_CALL) == 0;
  forget_environment(!is_fresh && !is_first);
  if (is_fresh) return command_fresh_process(argc, argv);
  if (is_first) return command_first_call(argc, argv);
  options o;
  if (!options_parse(argc, argv, &o)) return EXIT_USAGE;
  if (o.help) {
    options_help();
    return EXIT_DONE;
  }
  if (o.family != NULL && !is_family(o.family)) {
    (void)fprintf(stderr, "bench: there is no family '%s'; see bench-run families\n", o.family);
    return EXIT_USAGE;
  }
  if (strcmp(o.command, "run") == 0) return command_run(&o);
  if (strcmp(o.command, "host") == 0) return command_host(&o);
  if (strcmp(o.command, "cold") == 0) return command_cold(&o);
  if (strcmp(o.command, "linked") == 0) return command_linked(&o);
  if (strcmp(o.command, "list") == 0) return command_list(&o);
  if (strcmp(o.command, "families") == 0) return command_families();
  (void)fprintf(stderr, "bench: there is no command '%s'; see --help\n", o.command);
  return EXIT_USAGE;
}
