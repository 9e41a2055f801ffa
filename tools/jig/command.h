/* A command of the tool: what it is called, what it takes, what its help says. */
#ifndef JIG_CLI_COMMAND_H
#define JIG_CLI_COMMAND_H

#include "options.h"
#include "report.h"

typedef struct command command;
struct command {
  const char *name;       /* in full: "jig cache ls" */
  const char *summary;    /* one line, for lists of commands and on top of the help */
  const char *usage;      /* what comes after the name, a line for each way to call it */
  option_group groups[6]; /* ends where the title is NULL; --help is not among them */
  const char *notes;    /* after the options: paragraphs, and lines that begin with blanks; NULL: none */
  const char *examples; /* command lines, each ends with '\n' */
  const command *const *subcommands; /* ends with NULL; NULL: it has none */
  /* Of a command that takes an algorithm: --help beside operands, of which there may be none. Returns an
   * exit status. */
  int (*help)(const command *self, const operand_list *operands);
  const char *algorithm_usage; /* what comes after the algorithm's name */
  const char *example_end;     /* what an example of an algorithm ends with; NULL: nothing */
  const command *kernel;       /* what stands for it where the first operand is "kernel"; NULL: none */
  bool takes_files;            /* for the algorithm's inputs and outputs: jig run */
  bool has_run_options;        /* those of jig run, of which an algorithm may not have all */
  /* argv[0] is the command's own name. Returns an exit code. */
  int (*run)(const command *self, int argc, char **argv);
};

extern const command info_command, source_command, prewarm_command, cache_command, run_command,
    doctor_command, completion_command, help_command, version_command, tune_command;
extern const command run_kernel_command, prewarm_kernel_command, source_kernel_command;

/* All of it: what the names of commands begin with, and what they are found in. */
extern const command jig_command;

/* Prints a command's help on stdout; and what all help ends with: command lines, each with a '\n', and
 * this. */
void command_help(const command *self);
void command_examples(const char *lines);
void command_help_end(void);

/* What there is, for who types "jig" alone. */
void command_short_help(void);

/* The subcommand that is called so after the command's own name; NULL: there is none. */
const command *command_find(const command *self, const char *name);

/* What stands for a command where its first operand is that; the command itself otherwise. */
const command *command_for(const command *self, const char *operand);

/* The `run` of a command that only has subcommands: finds the one that argv[1] names and runs it. */
int command_dispatch(const command *self, int argc, char **argv);

#endif
