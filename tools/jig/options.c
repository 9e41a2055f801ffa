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
  char shorts[2 * OPTIONS_MAX + 1];
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
  *t = (getopt_tables){.count = 0};
  for (const option_group *group = self->groups; group->title != NULL; ++group) {
    for (const option_row *row = group->rows; row->id != 0; ++row) add_row(t, row);
  }
  add_row(t, &help_option_rows[0]);
}

/* getopt_long() has said what is wrong. */
static int unknown(const getopt_tables *t, char **argv) {
  const char *word = argv[optind - 1];
  if (optopt == 0 && strncmp(word, "--", 2) == 0) {
    char name[64];
    (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(word + 2, "="), word + 2);
    suggestions s = {.word = name, .prefix = "--"};
    for (int i = 0; i < t->count; ++i) suggest_try(&s, t->longs[i].name);
    const char *text = suggest_text(&s);
    if (text[0] != '\0') complain("no such option: --%s%s", name, text);
  }
  return usage_hint();
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
    *code = id == '?' ? unknown(&tables, argv) : take(user, id, optarg);
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
