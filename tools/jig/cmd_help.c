/* jig help and jig version: other ways to say --help and --version. */
#include <stdio.h>
#include <string.h>

#include <jig/jig.h>

#include "command.h"
#include "suggest.h"

/* The subcommand of that name; NULL having complained. */
static const command *find(const command *of, const char *name) {
  const command *found = command_find(of, name);
  suggestions s = {.word = name};
  if (found != NULL) return found;
  for (const command *const *sub = of->subcommands; *sub != NULL; ++sub)
    suggest_try(&s, (*sub)->name + strlen(of->name) + 1);
  (void)usage_error("no such command: '%s'%s", name, suggest_text(&s));
  return NULL;
}

static int help(const command *self, int argc, char **argv) {
  operand_list operands;
  int code;
  if (!options_read(self, argc, argv, NULL, NULL, &operands, &code)) return code;
  const command *of = &jig_command;
  for (; of->subcommands != NULL && operands.count > 0; ++operands.names, --operands.count) {
    of = find(of, operands.names[0]);
    if (of == NULL) return EXIT_USAGE;
  }
  const command *instead = command_for(of, operands.count > 0 ? operands.names[0] : "");
  if (instead != of) return command_help(instead), EXIT_OK;
  if (of->help != NULL) return of->help(of, &operands);
  if (operands.count > 0) return usage_error("unexpected argument '%s'", operands.names[0]);
  command_help(of);
  return EXIT_OK;
}

static int version(const command *self, int argc, char **argv) {
  operand_list operands;
  int code;
  if (!options_read(self, argc, argv, NULL, NULL, &operands, &code)) return code;
  code = operands_at_most(&operands, 0);
  if (code == EXIT_OK) printf("jig %s\n", jig_version());
  return code;
}

const command help_command = {
    .name = "jig help",
    .summary = "Shows the help of a command, or of an algorithm in it.",
    .usage = "[command [subcommand | algorithm]]",
    .examples =
        "jig help cache ls\n"
        "jig help run radix_sort\n",
    .run = help,
};

const command version_command = {
    .name = "jig version",
    .summary = "Prints the version.",
    .usage = "",
    .examples = "jig version\n",
    .run = version,
};
