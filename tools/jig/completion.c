#include "completion.h"

#include <stdio.h>
#include <string.h>

#include <jig/jig.h>

#include "jit/algorithm.h"
#include "run_options.h"

/* ---- what there is */

/* Calls `visit` for each command that has options of its own, such as "run" and "cache ls". */
typedef void (*command_fn)(const command *c, const char *path);
static void each_command(command_fn visit) {
  for (const command *const *c = jig_command.subcommands; *c != NULL; ++c) {
    const char *path = (*c)->name + strlen(jig_command.name) + 1;
    visit(*c, path);
    for (const command *const *sub = (*c)->subcommands; sub != NULL && *sub != NULL; ++sub)
      visit(*sub, (*sub)->name + strlen(jig_command.name) + 1);
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

/* What a command takes besides, in so many words; NULL: something else. */
static const char *words_of(const command *c) {
  return c == &completion_command ? "bash zsh fish" : NULL;
}

/* A text of one line, with a '\' before what the shell would take for its own; '' within quotes are left
 * out. */
static void print_quoted(const char *text, const char *special) {
  for (; *text != '\0'; ++text) {
    const char c = *text == '\n' ? ' ' : *text;
    if (c == '\'') continue;
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

static void bash_command(const command *c, const char *path) {
  printf("    '%s')\n      options='", path);
  each_option(c, path, bash_option);
  printf("'\n");
  if (c->help != NULL) {
    printf("      case $previous in ");
    each_option(c, path, bash_type_option);
    printf("--) names=$types ;; *) [ \"$COMP_CWORD\" -eq 2 ] && names=$algorithms ;; esac\n");
  } else if (c->subcommands != NULL) {
    printf("      names='");
    print_command_names(c);
    printf("'\n");
  }
  if (c == &help_command) printf("      names=$commands\n");
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
      "  [ \"$at\" = cache ] && [ \"$COMP_CWORD\" -gt 2 ] && at=\"cache ${COMP_WORDS[2]}\"\n"
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
static void zsh_operand(int place, const char *what, const command *of) {
  printf("        '%d:%s:(", place, what);
  if (of != NULL)
    print_command_names(of);
  else
    print_algorithm_names();
  printf(")'\n");
}

static void zsh_command(const command *c, const char *path) {
  printf("    '%s')\n      arguments=(\n", path);
  each_option(c, path, zsh_option);
  if (c->help != NULL) {
    zsh_operand(1, "algorithm", NULL);
    printf("        '*:file:_files'\n");
  }
  if (c->subcommands != NULL) zsh_operand(1, "command", c);
  if (c == &help_command) {
    zsh_operand(1, "command", &jig_command);
    zsh_operand(2, "algorithm", NULL);
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
      "  if [[ $at == cache ]] && (( CURRENT > 2 )); then\n"
      "    at=\"cache $words[2]\"\n"
      "    shift words\n"
      "    (( CURRENT-- ))\n"
      "  fi\n"
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
  (void)c;
  if (blank == NULL)
    printf("-n '__fish_seen_subcommand_from %s' ", path);
  else
    printf("-n '__fish_seen_subcommand_from %.*s; and __fish_seen_subcommand_from %s' ",
           (int)(blank - path), path, last_word(path));
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

static void fish_command(const command *c, const char *path) {
  const char *blank = strchr(path, ' ');
  if (blank == NULL)
    printf("complete -c jig -f -n '__fish_use_subcommand' -a %s -d '", path);
  else
    printf("complete -c jig -f -n '__fish_seen_subcommand_from %.*s' -a %s -d '", (int)(blank - path),
           path, last_word(path));
  print_quoted(c->summary, "\\");
  printf("'\n");
  each_option(c, path, fish_option);
  if (c->help != NULL)
    printf(
        "complete -c jig -n '__fish_seen_subcommand_from %s; and test (count (commandline -opc)) -eq 2' "
        "-a "
        "\"$jig_algorithms\"\n",
        path);
  if (c == &help_command)
    printf("complete -c jig -f -n '__fish_seen_subcommand_from help' -a \"$jig_commands\"\n");
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
