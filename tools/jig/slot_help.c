#include "slot_help.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "algorithms.h"
#include "jit/algorithm.h"
#include "request.h"
#include "run_options.h"
#include "run_rows.h"
#include "screen.h"
#include "slot_options.h"
#include "suggest.h"

enum { HELP_COLUMN = 26 };

/* ---- lines. Words go to the next line where the column is too far. */

static int width(void) {
  enum { MOST = 96 };
  return screen_width() < MOST ? screen_width() : MOST;
}

typedef struct paragraph {
  int indent, column;
} paragraph;

static void print_word(paragraph *p, const char *word, size_t length) {
  if (p->column > p->indent && p->column + 1 + (int)length > width()) {
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
  int column = printf("  %s%s%s", slot->name, kind != NULL ? "=" : "", kind != NULL ? kind : "");
  if (column >= HELP_COLUMN) column = printf("\n") - 1;
  printf("%*s", HELP_COLUMN - column, "");
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

/* ---- inputs and outputs, each with its slot if it has one */

static void print_plain(const char *name, const char *help) {
  const int column = printf("  %s", name);
  printf("%*s", HELP_COLUMN - column, "");
  screen_wrap(HELP_COLUMN, help);
}

static void print_inputs(const spec_schema *schema, const run_row *row) {
  if (row->takes_buffers) print_plain("file...", "what is copied, one behind the other");
  for (const run_input *i = row->inputs; i->slot != NULL; ++i)
    print_slot(schema, &schema->slots[schema_slot(schema, i->slot)]);
}

static void print_outputs(const spec_schema *schema, const run_row *row) {
  for (const run_output *o = row->outputs; o->slot != NULL; ++o) {
    const int slot = schema_slot(schema, o->slot);
    if (slot >= 0 && strcmp(o->slot, "in") != 0)
      print_slot(schema, &schema->slots[slot]);
    else
      print_plain(o->slot, o->help);
  }
}

static bool is_side(const run_row *row, const char *slot) {
  for (const run_input *i = row->inputs; i->slot != NULL; ++i)
    if (strcmp(i->slot, slot) == 0) return true;
  for (const run_output *o = row->outputs; o->slot != NULL; ++o)
    if (strcmp(o->slot, slot) == 0) return true;
  return false;
}

/* ---- all of it */

static void print_slots(const command *self, const spec_schema *schema, const run_row *row) {
  if (self->takes_files && (row->inputs[0].slot != NULL || row->takes_buffers)) {
    printf("\ninputs, in the order of files; by name --in NAME=FILE, or slot=@FILE:\n");
    print_inputs(schema, row);
  }
  if (self->takes_files) {
    printf("\noutputs; stored by --out NAME=FILE:\n");
    print_outputs(schema, row);
  }
  printf("\n%s:\n", self->takes_files ? "other slots" : "slots");
  for (int i = 0; i < schema->slot_count; ++i) {
    const char *name = schema->slots[i].name, *suffix = strstr(name, "_in");
    /* jig run has counts on the host. */
    const bool is_count = schema->slots[i].kind == SLOT_CHOICE && suffix != NULL && suffix[3] == '\0';
    if (!self->takes_files || (!is_side(row, name) && !is_count)) print_slot(schema, &schema->slots[i]);
  }
}

/* Of options of the command itself those that the algorithm has. */
static void print_own_options(const command *self, const run_row *row, const option_row *rows) {
  for (; rows->id != 0; ++rows) {
    const option_row one[] = {*rows, OPTION_END_ROW};
    if (!self->has_run_options || run_option_fits(row, rows->id)) options_print(one);
  }
}

static void print_slot_options(const command *self, const spec_schema *schema, const run_row *row) {
  printf("\noptions that fill slots:\n");
  for (const option_group *group = self->groups; group->title != NULL; ++group) {
    for (const option_row *option = group->rows; group->is_hidden && option->id != 0; ++option) {
      const option_row *file = self->takes_files ? run_option_of_file(option->id) : NULL;
      const option_row one[] = {file != NULL ? *file : *option, OPTION_END_ROW};
      if (file == NULL)
        print_options(schema, one);
      else if (run_option_fits(row, option->id))
        options_print(one);
    }
  }
}

/* What the words of slots stand for. */
static void print_words_for(void) {
  static const char *const words[][2] = {
      {"TYPE",
       "i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f16 bf16 f32 f64 bool, opaque(SIZE, ALIGN), or the name "
       "of a "
       "--struct"},
      {"ITERATOR",
       "a type, which is a pointer to such items, or counting(i32), constant(f32), reverse(f32), "
       "permutation(f32, i32), transform(f32, 'return x * x;') as f64, zip(f32, i32) as pair, ..."},
      {"OPERATOR",
       "its name, such as plus or min(nan ignored); its body, such as '{ return a + b; }'; "
       "function(FILE:NAME), binary(FORMAT:FILE:NAME); commutative(...), by_pointer(...)"},
  };
  printf("\n");
  for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i)
    screen_wrap(printf("  %-10s", words[i][0]), words[i][1]);
  printf("  ");
  screen_wrap(2, "Each may be JSON as well, as specs have it. 'none' leaves out what is optional.");
}

static void print_chunks(const run_row *row) {
  printf("\n");
  screen_wrap(
      0,
      "More than 64 MiB, what does not fit into --memory, and pipes go through the GPU in chunks, so "
      "that reading, copying, computing and writing overlap.");
  screen_wrap(0, row->chunks);
}

static void print_example(const command *self, const run_row *row) {
  if (self->takes_files)
    printf("\nexample:\n  jig run %s\n", row->example);
  else
    printf("\nexample:\n  %s %s%s%s%s\n", self->name, row->name, row->spec[0] != '\0' ? " " : "",
           row->spec, self->example_end != NULL ? self->example_end : "");
}

static void help_of(const command *self, const spec_schema *schema) {
  const run_row *row = run_row_named(schema->algorithm);
  printf("usage: %s %s %s\n\n%s\n", self->name, schema->algorithm, self->algorithm_usage, row->summary);
  print_slots(self, schema, row);
  print_words_for();
  print_slot_options(self, schema, row);
  for (const option_group *group = self->groups; group->title != NULL; ++group) {
    if (group->is_hidden) continue;
    if (group->title[0] != '\0') printf("\n%s:\n", group->title);
    print_own_options(self, row, group->rows);
  }
  options_print(help_option_rows);
  if (self->takes_files && row->chunks != NULL) print_chunks(row);
  print_example(self, row);
  command_help_end();
}

int slot_help(const command *self, const operand_list *operands) {
  const char *name = operands->count > 0 ? operands->names[0] : NULL;
  const spec_schema *schema = name != NULL ? algorithm_schema(name) : NULL;
  const command *instead = command_for(self, name != NULL ? name : "");
  if (instead != self) return command_help(instead), EXIT_OK;
  if (schema != NULL)
    help_of(self, schema);
  else if (name == NULL || access(name, F_OK) == 0)
    command_help(self);
  else
    return usage_error("there is no algorithm '%s'%s", name, suggest_algorithm(name));
  return EXIT_OK;
}
