#include "completion.h"

#include <stdio.h>
#include <string.h>

#include <jig/jig.h>

#include "jit/algorithm.h"
#include "run_options.h"

/* ---- what there is */

static const char *path_of(const command *c) {
  return c->name + strlen(jig_command.name) + 1;
}

/* Calls `visit` for each command that has options of its own, such as "run", "run kernel" and "cache ls".
 */
typedef void (*command_fn)(const command *c, const char *path);
static void each_command(command_fn visit) {
  for (const command *const *c = jig_command.subcommands; *c != NULL; ++c) {
    visit(*c, path_of(*c));
    if ((*c)->kernel != NULL) visit((*c)->kernel, path_of((*c)->kernel));
    for (const command *const *sub = (*c)->subcommands; sub != NULL && *sub != NULL; ++sub)
      visit(*sub, path_of(*sub));
  }
}

typedef void (*option_visit_fn)(const command *c, const char *path, const option_row *row);
static void each_option(const command *c, const char *path, option_visit_fn visit) {
  for (const option_group *group = c->groups; group->title != NULL; ++group)
    for (const option_row *row = group->rows; row->id != 0; ++row) visit(c, path, row);
  visit(c, path, &help_option_rows[0]);
}

static const char *last_word(const char *path) {
  const char *blank = strchr(path, ' ');
  return blank != NULL ? blank + 1 : path;
}

/* In a list for shells' case: what two words are a command. */
static void print_two_words(const command *c, const char *path) {
  const bool is_first = c == jig_command.subcommands[0]->kernel;
  if (strchr(path, ' ') != NULL) printf("%s'%s'", is_first ? "" : " | ", path);
}

static void print_algorithm_names(void) {
  for (const algorithm *const *row = algorithm_table; *row != NULL; ++row)
    printf("%s%s", row == algorithm_table ? "" : " ", (*row)->schema.algorithm);
}

static void print_command_names(const command *of) {
  for (const command *const *sub = of->subcommands; *sub != NULL; ++sub)
    printf("%s%s", sub == of->subcommands ? "" : " ", (*sub)->name + strlen(of->name) + 1);
}

static void print_type_names(void) {
#define TYPE_NAME(kind, name, cxx, size) " " name
  printf("%s", &(JIG_TYPE_MAP(TYPE_NAME))[1]);
#undef TYPE_NAME
}

/* Some name a type, but for jig run a file. */
static bool is_type(const command *c, const option_row *row) {
  if (c->takes_files && run_option_of_file(row->id) != NULL) return false;
  return row->value != NULL && strcmp(row->value, "T") == 0;
}

/* Whether it is one of those that take a kernel, of which the first word has other options. */
static bool is_kernel(const command *c) {
  for (const command *const *of = jig_command.subcommands; *of != NULL; ++of)
    if ((*of)->kernel == c) return true;
  return false;
}

/* What a command takes besides, in so many words; NULL: something else. */
static const char *words_of(const command *c) {
  return c == &completion_command ? "bash zsh fish" : NULL;
}

/* A text of one line, within quotes, with a '\' before what the shell would take for its own. */
static void print_quoted(const char *text, const char *special) {
  for (; *text != '\0'; ++text) {
    const char c = *text == '\n' ? ' ' : *text;
    if (c == '\'')
      printf("'\\''");
    else
      printf("%s%c", strchr(special, c) != NULL ? "\\" : "", c);
  }
}

/* ---- bash */

static void bash_option(const command *c, const char *path, const option_row *row) {
  (void)c;
  (void)path;
  printf("--%s ", row->name);
}

static void bash_type_option(const command *c, const char *path, const option_row *row) {
  (void)path;
  if (is_type(c, row)) printf("--%s|", row->name);
}

/* What may come after a command's name in jig help. */
static void bash_help_of(const command *c) {
  if (c->help == NULL && c->subcommands == NULL) return;
  printf("        3-%s) names=\"", path_of(c));
  if (c->subcommands != NULL)
    print_command_names(c);
  else
    printf("$algorithms%s", c->kernel != NULL ? " kernel" : "");
  printf("\" ;;\n");
}

static void bash_command(const command *c, const char *path) {
  printf("    '%s')\n      options='", path);
  each_option(c, path, bash_option);
  printf("'\n");
  if (c->help != NULL) {
    printf("      case $previous in ");
    each_option(c, path, bash_type_option);
    printf("--) names=$types ;; *) [ \"$COMP_CWORD\" -eq 2 ] && names=\"$algorithms%s\" ;; esac\n",
           c->kernel != NULL ? " kernel" : "");
  } else if (c->subcommands != NULL) {
    printf("      names='");
    print_command_names(c);
    printf("'\n");
  }
  if (c == &help_command) {
    printf("      case $COMP_CWORD-$previous in\n        2-*) names=$commands ;;\n");
    for (const command *const *sub = jig_command.subcommands; *sub != NULL; ++sub) bash_help_of(*sub);
    printf("      esac\n");
  }
  if (words_of(c) != NULL) printf("      names='%s'\n", words_of(c));
  printf("      ;;\n");
}

void completion_bash(void) {
  printf(
      "# bash completion for jig, made by jig completion bash.\n"
      "_jig() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} "
      "at=${COMP_WORDS[1]}\n"
      "  local options='--help --version' names='' algorithms types commands\n"
      "  commands='");
  print_command_names(&jig_command);
  printf("'\n  algorithms='");
  print_algorithm_names();
  printf("'\n  types='");
  print_type_names();
  printf(
      "'\n"
      "  [ \"$COMP_CWORD\" -eq 1 ] && at='' names=$commands\n"
      "  [ \"$COMP_CWORD\" -gt 2 ] && case \"$at ${COMP_WORDS[2]}\" in\n"
      "    ");
  each_command(print_two_words);
  printf(
      ") at=\"$at ${COMP_WORDS[2]}\" ;;\n"
      "  esac\n"
      "  case $at in\n");
  each_command(bash_command);
  printf(
      "  esac\n"
      "  [[ $word == -* ]] && names=$options\n"
      "  mapfile -t COMPREPLY < <(compgen -W \"$names\" -- \"$word\")\n"
      "}\n"
      "complete -o default -F _jig jig\n");
}

/* ---- zsh */

static void zsh_entries(const command *of) {
  for (const command *const *sub = of->subcommands; *sub != NULL; ++sub) {
    printf("      '%s:", (*sub)->name + strlen(of->name) + 1);
    print_quoted((*sub)->summary, ":\\");
    printf("'\n");
  }
}

static void zsh_option(const command *c, const char *path, const option_row *row) {
  (void)path;
  printf("        '*--%s[", row->name);
  print_quoted(row->help, "[]:\\");
  printf("]");
  if (row->value != NULL) {
    printf(":");
    print_quoted(row->value, ":\\");
    printf(":");
  }
  if (is_type(c, row)) {
    printf("(");
    print_type_names();
    printf(")");
  } else if (row->value != NULL) {
    printf("_files");
  }
  printf("'\n");
}

/* The operand at that place is one of those names. */
static void zsh_commands(int place, const command *of) {
  printf("        '%d:command:(", place);
  print_command_names(of);
  printf(")'\n");
}

static void zsh_algorithms(int place, const char *more) {
  printf("        '%d:algorithm:(", place);
  print_algorithm_names();
  printf("%s)'\n", more);
}

static void zsh_command(const command *c, const char *path) {
  printf("    '%s')\n      arguments=(\n", path);
  each_option(c, path, zsh_option);
  if (c->help != NULL) zsh_algorithms(1, c->kernel != NULL ? " kernel" : "");
  if (c->help != NULL || is_kernel(c)) printf("        '*:file:_files'\n");
  if (c->subcommands != NULL) zsh_commands(1, c);
  if (c == &help_command) {
    zsh_commands(1, &jig_command);
    zsh_algorithms(2, " kernel");
  }
  if (words_of(c) != NULL) printf("        '1:shell:(%s)'\n", words_of(c));
  printf("      )\n      ;;\n");
}

void completion_zsh(void) {
  printf(
      "#compdef jig\n"
      "# zsh completion for jig, made by jig completion zsh.\n"
      "_jig() {\n"
      "  local at=$words[2]\n"
      "  local -a arguments commands\n"
      "  if (( CURRENT == 2 )); then\n"
      "    commands=(\n");
  zsh_entries(&jig_command);
  printf(
      "    )\n"
      "    _describe command commands\n"
      "    return\n"
      "  fi\n"
      "  shift words\n"
      "  (( CURRENT-- ))\n"
      "  (( CURRENT > 2 )) && case \"$at $words[2]\" in\n"
      "    ");
  each_command(print_two_words);
  printf(
      ")\n"
      "      at=\"$at $words[2]\"\n"
      "      shift words\n"
      "      (( CURRENT-- ))\n"
      "      ;;\n"
      "  esac\n"
      "  case $at in\n");
  each_command(zsh_command);
  printf(
      "  esac\n"
      "  _arguments $arguments\n"
      "}\n"
      "_jig \"$@\"\n");
}

/* ---- fish */

static void fish_condition(const command *c, const char *path) {
  const char *blank = strchr(path, ' ');
  printf("-n '__fish_seen_subcommand_from %.*s", (int)strcspn(path, " "), path);
  if (blank != NULL) printf("; and __fish_seen_subcommand_from %s", last_word(path));
  if (c->kernel != NULL) printf("; and not __fish_seen_subcommand_from kernel");
  printf("' ");
}

/* The same of the word at that place behind "jig". */
static void fish_place(const char *path, int place) {
  printf(
      "complete -c jig -n '__fish_seen_subcommand_from %.*s; and test (count (commandline -opc)) -eq "
      "%d' ",
      (int)strcspn(path, " "), path, place);
}

static void fish_option(const command *c, const char *path, const option_row *row) {
  printf("complete -c jig ");
  fish_condition(c, path);
  if (row->id < FIRST_LONG_OPTION) printf("-s %c ", row->id);
  printf("-l %s ", row->name);
  if (row->value != NULL) printf("-r ");
  if (is_type(c, row)) printf("-a \"$jig_types\" ");
  printf("-d '");
  print_quoted(row->help, "\\");
  printf("'\n");
}

/* Its name, and what it does. */
static void fish_name(const command *c, const char *path) {
  if (is_kernel(c))
    fish_place(path, 2); /* beside files */
  else if (strchr(path, ' ') == NULL)
    printf("complete -c jig -f -n '__fish_use_subcommand' ");
  else
    printf("complete -c jig -f -n '__fish_seen_subcommand_from %.*s' ", (int)strcspn(path, " "), path);
  printf("-a %s -d '", last_word(path));
  print_quoted(c->summary, "\\");
  printf("'\n");
}

static void fish_command(const command *c, const char *path) {
  fish_name(c, path);
  each_option(c, path, fish_option);
  if (c->help != NULL) {
    fish_place(path, 2);
    printf("-a \"$jig_algorithms\"\n");
  }
  if (c == &help_command) {
    fish_place(path, 2);
    printf("-f -a \"$jig_commands\"\n");
    fish_place(path, 3);
    printf("-f -a \"$jig_algorithms kernel\"\n");
  }
  if (words_of(c) != NULL)
    printf("complete -c jig -f -n '__fish_seen_subcommand_from %s' -a '%s'\n", path, words_of(c));
}

void completion_fish(void) {
  printf("# fish completion for jig, made by jig completion fish.\nset -g jig_commands '");
  print_command_names(&jig_command);
  printf("'\nset -g jig_algorithms '");
  print_algorithm_names();
  printf("'\nset -g jig_types '");
  print_type_names();
  printf("'\n");
  each_command(fish_command);
}
