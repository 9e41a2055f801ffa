#include "slot_help.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "algorithms.h"
#include "jit/algorithm.h"
#include "request.h"
#include "slot_options.h"

enum { WIDTH = 96, HELP_COLUMN = 26 };

/* ---- lines. Words go to the next line where the column is too far. */

typedef struct paragraph {
  int indent, column;
} paragraph;

static void print_word(paragraph *p, const char *word, size_t length) {
  if (p->column > p->indent && p->column + 1 + (int)length > WIDTH) {
    printf("\n%*s", p->indent, "");
    p->column = p->indent;
  } else if (p->column > p->indent) {
    printf(" ");
    ++p->column;
  }
  printf("%.*s", (int)length, word);
  p->column += (int)length;
}

static void print_words(paragraph *p, const char *text) {
  for (size_t length; *(text += strspn(text, " ")) != '\0'; text += length) {
    length = strcspn(text, " ");
    print_word(p, text, length);
  }
}

/* ---- an algorithm */

static const char *kind_of(const slot_schema *slot) {
  switch (slot->kind) {
    case SLOT_TYPE:
      return "TYPE";
    case SLOT_ITER:
      return "ITERATOR";
    case SLOT_OP:
      return slot->lists ? "LIST" : "OPERATOR";
    case SLOT_CHOICE:
      return "CHOICE";
    default:
      return NULL;
  }
}

static void print_choices(paragraph *p, const slot_schema *slot) {
  printf(":");
  ++p->column;
  for (int i = 0; slot->choices[i] != NULL; ++i) {
    char words[TEXT_WORD_SIZE];
    (void)snprintf(words, sizeof words, "%s%s%s", slot->choices[i], i == 0 ? " (default)" : "",
                   slot->choices[i + 1] != NULL ? "," : "");
    print_words(p, words);
  }
}

/* What it is where it is left out. */
static void print_default(paragraph *p, const spec_schema *schema, const slot_schema *slot) {
  char words[128] = "";
  if (slot->optional && slot->follows)
    (void)snprintf(words, sizeof words, "default: like %s%s; may be none", slot->like,
                   schema->slots[schema_slot(schema, slot->like)].optional ? ", if that is there" : "");
  else if (slot->optional && slot->like != NULL)
    (void)snprintf(words, sizeof words, "optional, by default of the type of %s", slot->like);
  else if (slot->optional)
    (void)snprintf(words, sizeof words, "optional");
  else if (slot->like != NULL)
    (void)snprintf(words, sizeof words, "default: like %s", slot->like);
  else if (slot->usually != NULL)
    (void)snprintf(words, sizeof words, "default: %s", slot->usually);
  if (words[0] == '\0') return;
  printf(";");
  ++p->column;
  print_words(p, words);
}

/* The option that fills it, the first of several. */
static void print_option(paragraph *p, const spec_schema *schema, const slot_schema *slot) {
  for (int option = 0; option < SPEC_OPTIONS; ++option) {
    if (!slot_option_fits(option, slot)) continue;
    if (option == SPEC_OP && slot->kind == SLOT_OP && schema_has_choice_of_operators(schema)) continue;
    char words[TEXT_WORD_SIZE];
    (void)snprintf(words, sizeof words, "[--%s]", spec_option_name(option));
    print_words(p, words);
    return;
  }
}

static void print_slot(const spec_schema *schema, const slot_schema *slot) {
  const char *kind = kind_of(slot);
  int width = printf("  %s%s%s", slot->name, kind != NULL ? "=" : "", kind != NULL ? kind : "");
  if (width >= HELP_COLUMN) width = printf("\n") - 1;
  printf("%*s", HELP_COLUMN - width, "");
  paragraph p = {HELP_COLUMN, HELP_COLUMN};
  print_words(&p, slot->help);
  if (slot->kind == SLOT_CHOICE)
    print_choices(&p, slot);
  else
    print_default(&p, schema, slot);
  if (slot->formerly != NULL) {
    char words[TEXT_WORD_SIZE];
    (void)snprintf(words, sizeof words, "(formerly %s)", slot->formerly);
    print_words(&p, words);
  }
  print_option(&p, schema, slot);
  printf("\n");
}

/* Of a table of spec options those that the algorithm has. */
static void print_options(const spec_schema *schema, const option_row *rows) {
  for (; rows->id != 0; ++rows) {
    const option_row one[] = {*rows, OPTION_END_ROW};
    if (schema_has_option(schema, rows->id - OPTION_OF_SPEC)) options_print(one);
  }
}

static void help_of(const command *self, const spec_schema *schema) {
  printf("usage: %s %s [slot=value]... --arch ... [options]\n\nslots:\n", self->name, schema->algorithm);
  for (int i = 0; i < schema->slot_count; ++i) print_slot(schema, &schema->slots[i]);
  printf(
      "\n"
      "  TYPE      i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f16 bf16 f32 f64 bool, opaque(SIZE, ALIGN), "
      "or\n"
      "            the name of a --struct\n"
      "  ITERATOR  a type, which is a pointer to such items, or counting(i32), constant(f32), "
      "reverse(f32),\n"
      "            permutation(f32, i32), transform(f32, 'return x * x;') as f64, zip(f32, i32) as pair, "
      "...\n"
      "  OPERATOR  its name, such as plus or min(nan ignored); its body, such as '{ return a + b; }';\n"
      "            function(FILE:NAME), binary(FORMAT:FILE:NAME); commutative(...), by_pointer(...)\n"
      "  Each may be JSON as well, as specs have it. 'none' leaves out what is optional.\n"
      "\noptions that fill slots:\n");
  for (const option_group *group = self->groups; group->title != NULL; ++group)
    if (group->is_hidden) print_options(schema, group->rows);
  for (const option_group *group = self->groups; group->title != NULL; ++group) {
    if (group->is_hidden) continue;
    if (group->title[0] != '\0') printf("\n%s:\n", group->title);
    options_print(group->rows);
  }
  options_print(help_option_rows);
  command_help_end();
}

int slot_help(const command *self, const operand_list *operands) {
  const char *name = operands->count > 0 ? operands->names[0] : NULL;
  const spec_schema *schema = name != NULL ? algorithm_schema(name) : NULL;
  if (schema != NULL)
    help_of(self, schema);
  else if (name == NULL || access(name, F_OK) == 0)
    command_help(self);
  else
    return usage_error("there is no algorithm '%s' (there are: %s)", name, algorithm_names());
  return EXIT_OK;
}
