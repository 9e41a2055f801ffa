/* The commands: which there are, their help, and how one is found and run. Each is a cmd_*.c file. */
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "jit/algorithm.h"
#include "screen.h"
#include "suggest.h"

static const command *const commands[] = {
    &run_command,  &prewarm_command, &source_command,     &tune_command, &cache_command,
    &info_command, &doctor_command,  &completion_command, &help_command, &version_command,
    NULL,
};

const command jig_command = {
    .name = "jig",
    .summary = "GPU algorithms compiled at run time: look at, prepare and try out what jig compiles.",
    .usage = "<command> [options]\nhelp [command]\n--version",
    .notes =
        "Each command has its own --help. Results go to standard output, diagnostics to standard error.\n"
        "\n"
        "environment:\n"
        "  JIG_CACHE_DIR        the user's cache directory\n"
        "  JIG_CACHE_PATH       read-only cache directories, separated by ':'\n"
        "  JIG_CACHE_MAX_SIZE   how large the user's cache may grow, such as 500M or 2G\n"
        "  JIG_CACHE_COMPILER=exact\n"
        "                       takes only what the installed NVRTC's version made from the cache\n"
        "  JIG_BUILD=never      compiles nothing: what the cache does not have is an error\n"
        "  JIG_FIRST_TIER=1     links the operators of first calls with kernels that are there\n"
        "  JIG_JOBS             how many compilers may run at once\n"
        "  JIG_BACKGROUND=0     compiles no kernel before a call needs it\n"
        "  JIG_INCLUDE_PATH     folders of headers that operators and structs may include\n"
        "  JIG_COMPILE_OPTIONS  options for the compiler, separated by blanks\n"
        "  JIG_DUMP             a folder for the source, log and code of all that is compiled\n"
        "  JIG_WISDOM           files of how programs are tuned, separated by ':'; see jig tune\n"
        "  JIG_RECORD           a file to which the specs of all calls are added, for jig prewarm\n"
        "  JIG_LOG=info|debug   tells on standard error what the library does\n"
        "  JIG_NVTX=0           no ranges for profilers\n"
        "  JIG_DEBUG_SYNC=1     waits after every launch\n"
        "  JIG_TEMPLATE_PATH    templates to use instead of the library's own\n"
        "  JIG_DRIVER, JIG_NVRTC, JIG_NVJITLINK\n"
        "                       the files of these libraries\n",
    .examples =
        "jig run reduce --op max prices.npy\n"
        "jig run radix_sort k.npy --values v.npy --out keys=a.npy --out values=b.npy\n"
        "jig prewarm scan --type f32 --arch sm_90\n",
    .subcommands = commands,
};

/* ---- help */

static void print_usage(const command *self) {
  const char *before = "usage:";
  for (const char *line = self->usage; *line != '\0'; before = "      ") {
    size_t length = strcspn(line, "\n");
    printf("%s %s%s%.*s\n", before, self->name, length > 0 ? " " : "", (int)length, line);
    line += length + (line[length] == '\n');
  }
  if (self->usage[0] == '\0') printf("usage: %s\n", self->name);
}

static void print_subcommands(const command *self) {
  printf("\ncommands:\n");
  for (const command *const *sub = self->subcommands; *sub != NULL; ++sub) {
    screen_wrap(printf("  %-10s ", (*sub)->name + strlen(self->name) + 1), (*sub)->summary);
  }
}

static void print_algorithms(void) {
  printf("\nalgorithms, each with its own --help:");
  const int width = screen_width();
  int column = 0;
  for (const algorithm *const *row = algorithm_table; *row != NULL; ++row) {
    const char *name = (*row)->schema.algorithm;
    if (column == 0 || column + 1 + (int)strlen(name) > width) column = printf("\n ") - 1;
    column += printf(" %s", name);
  }
  printf("\n");
}

void command_help(const command *self) {
  print_usage(self);
  printf("\n");
  screen_wrap(0, self->summary);
  if (self->subcommands != NULL) print_subcommands(self);
  if (self->help != NULL) print_algorithms();
  for (const option_group *group = self->groups; group->title != NULL; ++group) {
    if (group->is_hidden) continue;
    if (group->title[0] != '\0') printf("\n%s:\n", group->title);
    options_print(group->rows);
  }
  if (self->groups[0].title == NULL) printf("\noptions:\n");
  options_print(help_option_rows);
  if (self->notes != NULL) printf("\n");
  if (self->notes != NULL) screen_print_text(self->notes);
  command_examples(self->examples);
  command_help_end();
}

void command_examples(const char *lines) {
  const char *end = strchr(lines, '\n');
  printf("\nexample%s:\n", plural(end == NULL || end[1] == '\0' ? 1 : 2));
  for (; *lines != '\0'; lines = end + 1) {
    end = strchr(lines, '\n');
    printf("  %.*s\n", (int)(end - lines), lines);
  }
}

void command_help_end(void) {
  printf(
      "\nexit status:\n"
      "  0  all went well\n"
      "  1  the operation failed, or a check did not hold\n"
      "  2  the command line is wrong\n"
      "  3  a GPU is needed, and there is none that can be used\n");
}

void command_short_help(void) {
  screen_wrap(0, jig_command.summary);
  print_subcommands(&jig_command);
  command_examples(jig_command.examples);
  printf("\n");
  screen_wrap(0, "jig help <command> says more of one, jig run <algorithm> --help of an algorithm.");
}

/* ---- running */

const command *command_find(const command *self, const char *name) {
  const size_t prefix = strlen(self->name) + 1;
  for (const command *const *sub = self->subcommands; *sub != NULL; ++sub)
    if (strcmp(name, (*sub)->name + prefix) == 0) return *sub;
  return NULL;
}

const command *command_for(const command *self, const char *operand) {
  return self->kernel != NULL && strcmp(operand, "kernel") == 0 ? self->kernel : self;
}

static int no_command(const command *self, const char *word) {
  suggestions s = {.word = word};
  if (word[0] == '-') return usage_error("no such option: '%s'", word);
  for (const command *const *sub = self->subcommands; *sub != NULL; ++sub)
    suggest_try(&s, (*sub)->name + strlen(self->name) + 1);
  return usage_error("no such command: '%s'%s", word, suggest_text(&s));
}

int command_dispatch(const command *self, int argc, char **argv) {
  complain_as(self->name);
  if (argc < 2) return usage_error("no command is given");
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
    command_help(self);
    return EXIT_OK;
  }
  const command *sub = command_find(self, argv[1]);
  if (sub == NULL) return no_command(self, argv[1]);
  const command *instead = command_for(sub, argc > 2 ? argv[2] : "");
  if (instead != sub) {
    sub = instead;
    ++argv;
    --argc;
  }
  complain_as(sub->name);
  argv[1] = (char *)(uintptr_t)sub->name; /* what getopt_long() begins its messages with */
  return sub->run(sub, argc - 1, argv + 1);
}
