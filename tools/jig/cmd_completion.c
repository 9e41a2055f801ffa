/* jig completion: scripts for shells. */
#include <string.h>

#include "completion.h"
#include "suggest.h"

static const struct {
  const char *name;
  void (*print)(void);
} shells[] = {{"bash", completion_bash}, {"zsh", completion_zsh}, {"fish", completion_fish}};

static int run(const command *self, int argc, char **argv) {
  operand_list operands;
  int code;
  if (!options_read(self, argc, argv, NULL, NULL, &operands, &code)) return code;
  if (operands.count == 0) return usage_error("give a shell: bash, zsh or fish");
  code = operands_at_most(&operands, 1);
  if (code != EXIT_OK) return code;
  suggestions s = {.word = operands.names[0]};
  for (size_t i = 0; i < sizeof shells / sizeof shells[0]; ++i) {
    suggest_try(&s, shells[i].name);
    if (strcmp(shells[i].name, operands.names[0]) != 0) continue;
    shells[i].print();
    return EXIT_OK;
  }
  return usage_error("'%s' is not bash, zsh or fish%s", operands.names[0], suggest_text(&s));
}

const command completion_command = {
    .name = "jig completion",
    .summary = "Prints a script that completes command lines in bash, zsh or fish.",
    .usage = "bash|zsh|fish",
    .notes =
        "make install puts them where shells look for them. Without that, in bash:\n"
        "  . <(jig completion bash)\n",
    .examples = "jig completion fish > jig.fish\n",
    .run = run,
};
