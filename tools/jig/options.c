#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "screen.h"
#include "suggest.h"

const option_row help_option_rows[] = {{'h', "help", NULL, "shows this text"}, OPTION_END_ROW};

enum { OPTIONS_MAX = 80 };

/* What getopt_long() wants to be told. */
typedef struct getopt_tables {
  struct option longs[OPTIONS_MAX + 1];
  char shorts[2 * OPTIONS_MAX + 2];
  int count;
} getopt_tables;

static void add_row(getopt_tables *t, const option_row *row) {
  if (t->count == OPTIONS_MAX) abort(); /* a table of this program's own is too long */
  t->longs[t->count++] = (struct option){
      .name = row->name, .has_arg = row->value != NULL ? required_argument : no_argument, .val = row->id};
  if (row->id >= FIRST_LONG_OPTION) return;
  const char letter[] = {(char)row->id, row->value != NULL ? ':' : '\0', '\0'};
  (void)strcat(t->shorts, letter);
}

static void make_tables(getopt_tables *t, const command *self) {
  *t = (getopt_tables){.shorts = ":"}; /* tells what lacks its value, and prints nothing */
  for (const option_group *group = self->groups; group->title != NULL; ++group) {
    for (const option_row *row = group->rows; row->id != 0; ++row) add_row(t, row);
  }
  add_row(t, &help_option_rows[0]);
}

/* ---- what is wrong with one */

/* Of the beginning of several, all of these; of none, what is near. */
static int no_such_option(const getopt_tables *t, const char *word) {
  char name[64];
  (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(word + 2, "="), word + 2);
  suggestions begun = {.word = name, .prefix = "--"}, near = begun;
  for (int i = 0; i < t->count; ++i) {
    suggest_try(&near, t->longs[i].name);
    if (strncmp(t->longs[i].name, name, strlen(name)) == 0) suggest_try(&begun, t->longs[i].name);
  }
  return usage_error("no such option: '--%s'%s", name, suggest_text(begun.count > 1 ? &begun : &near));
}

/* `id` is what getopt_long() has returned. */
static int wrong_option(const getopt_tables *t, int id, char **argv) {
  const char *word = argv[optind - 1];
  const bool is_long = strncmp(word, "--", 2) == 0;
  if (id == ':' && is_long) return usage_error("'%s' needs a value", word);
  if (id == ':') return usage_error("'-%c' needs a value", optopt);
  if (is_long && optopt == 0) return no_such_option(t, word);
  if (is_long) return usage_error("'%.*s' takes no value", (int)strcspn(word, "="), word);
  return usage_error("no such option: '-%c'", optopt);
}

bool options_read(const command *self, int argc, char **argv, option_fn take, void *user,
                  operand_list *operands, int *code) {
  getopt_tables tables;
  make_tables(&tables, self);
  bool help = false;
  *code = EXIT_OK;
  for (int id; (id = getopt_long(argc, argv, tables.shorts, tables.longs, NULL)) != -1;) {
    if (id == 'h') {
      help = true;
      continue;
    }
    *code = id == '?' || id == ':' ? wrong_option(&tables, id, argv) : take(user, id, optarg);
    if (*code != EXIT_OK) return false;
  }
  *operands = (operand_list){argv + optind, argc - optind};
  if (help && self->help != NULL)
    *code = self->help(self, operands);
  else if (help)
    command_help(self);
  return !help;
}

int operands_at_most(const operand_list *operands, int count) {
  return operands->count <= count ? EXIT_OK
                                  : usage_error("unexpected argument '%s'", operands->names[count]);
}

void options_print(const option_row *rows) {
  enum { HELP_COLUMN = 26 };
  for (; rows->id != 0; ++rows) {
    int width = rows->id < FIRST_LONG_OPTION ? printf("  -%c, ", rows->id) : printf("      ");
    width += printf("--%s", rows->name);
    if (rows->value != NULL) width += printf(" %s", rows->value);
    if (width >= HELP_COLUMN) width = printf("\n") - 1;
    printf("%*s", HELP_COLUMN - width, "");
    screen_wrap(HELP_COLUMN, rows->help);
  }
}

bool options_number(const char *option, const char *text, uint64_t low, uint64_t high, uint64_t *number) {
  char *end;
  errno = 0;
  *number = strtoull(text, &end, 10);
  bool whole = text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0;
  if (whole && *number >= low && *number <= high) return true;
  if (whole || (errno == ERANGE && *end == '\0')) {
    (void)usage_error("%s: %s is not between %" PRIu64 " and %" PRIu64, option, text, low, high);
  } else {
    (void)usage_error("%s: '%s' is not a whole number", option, text);
  }
  return false;
}
