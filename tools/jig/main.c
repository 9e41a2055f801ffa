/* jig, the command-line tool. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <jig/jig.h>

#include "command.h"
#include "engine/environment.h"

/* Results that could not be written are a failure, too: a full disk, say. */
static int finish(int code) {
  if (fflush(stdout) == 0 && !ferror(stdout)) return code;
  complain("standard output: %s", strerror(errno));
  return code == EXIT_OK ? EXIT_FAILED : code;
}

static void warn(void *unused, const char *problem) {
  (void)unused;
  complain("warning: %s", problem);
}

int main(int argc, char **argv) {
  if (argc == 2 && strcmp(argv[1], "--version") == 0) {
    printf("jig %s\n", jig_version());
    return finish(EXIT_OK);
  }
  if (argc == 1) {
    command_short_help();
    return finish(EXIT_OK);
  }
  environment_check(warn, NULL);
  return finish(command_dispatch(&jig_command, argc, argv));
}
