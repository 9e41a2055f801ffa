/* Options: tables that getopt_long() reads and that the help is printed from. */
#ifndef JIG_CLI_OPTIONS_H
#define JIG_CLI_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct option_row {
  int id;            /* a letter: also a short option. The last row's is 0 */
  const char *name;  /* without the dashes */
  const char *value; /* what its value is called; NULL: it takes none */
  const char *help;  /* a '\n' is as good as a blank */
} option_row;

typedef struct option_group {
  const char *title; /* "options"; "": goes on with the group before */
  const option_row *rows;
  bool is_hidden; /* from command_help() */
} option_group;

/* Options without a letter: an enum for each table, so that tables can be combined. */
enum {
  FIRST_LONG_OPTION = 256,
  OPTION_JSON = FIRST_LONG_OPTION,
  OPTION_DRY_RUN,
  OPTION_TO,
  OPTION_OF_SPEC = 300,
  OPTION_OF_BUILD = 350,
  OPTION_OF_COMMAND = 400
};

#define OPTION_END_ROW \
  { 0, NULL, NULL, NULL }
#define OPTION_JSON_ROW \
  { OPTION_JSON, "json", NULL, "for machines: JSON, with names that stay as they are" }

/* --help, which every command has without saying so. */
extern const option_row help_option_rows[];

struct command;

/* Looks at one option; value is NULL for a flag. Returns EXIT_OK or, having complained, an exit code. */
typedef int (*option_fn)(void *user, int id, char *value);

typedef struct operand_list {
  char **names;
  int count;
} operand_list;

/* Reads all options of a command, in argv. True: they were fine, and *operands is what else there is.
 * False: the command is over, with *code, be it that help was asked for or that something is wrong; that
 * has been printed. */
bool options_read(const struct command *command, int argc, char **argv, option_fn take, void *user,
                  operand_list *operands, int *code);

/* Complains if there are more operands than that: EXIT_OK or EXIT_USAGE. */
int operands_at_most(const operand_list *operands, int count);

/* The help's lines for a table. */
void options_print(const option_row *rows);

/* A whole number from low to high, all of the text; complains, naming the option, if it is none. */
bool options_number(const char *option, const char *text, uint64_t low, uint64_t high, uint64_t *number);

#endif
