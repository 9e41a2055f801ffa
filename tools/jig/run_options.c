#include "run_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report.h"
#include "suggest.h"
#include "util/env.h"

enum { MOST_REPEATS = 1000000 };

const option_row run_option_rows[] = {
    {OPTION_IN, "in", "NAME=FILE",
     "the file of an input, by its name, such as keys for keys_in;\nmay be repeated"},
    {OPTION_KEYS, "keys", "FILE", "the keys"},
    {OPTION_NEEDLES, "needles", "FILE", "what is looked for"},
    {OPTION_STENCIL, "stencil", "FILE", "which items there is to be a result for"},
    {OPTION_OFFSETS, "offsets", "FILE", "where each segment begins, and where the last one ends"},
    {OPTION_OUT, "out", "NAME=FILE",
     "where an output is stored: .npy or, by any other name, raw;\n'-': standard output; without NAME=, "
     "the first one; may be\nrepeated"},
    RUN_NUMBER_ROWS,
    {OPTION_LEVELS, "levels", "FILE", "the levels between bins, in order, the last one included"},
    {OPTION_EXTENTS, "extents", "N,N,...", "of an index in several dimensions, with rank=..."},
    {OPTION_COUNT, "count", "N",
     "how many items of a raw file, by default up to its end; or of\nwhat has no end"},
    {OPTION_OFFSET, "offset", "BYTES", "where in a raw file they start"},
    {OPTION_REPEAT, "repeat", "N", "runs it N more times and shows how long the GPU takes"},
    {OPTION_MEMORY, "memory", "SIZE",
     "how much of the GPU's memory it may take, such as 2G; what does\nnot fit is read in chunks"},
    {OPTION_SOFTWARE, "software", NULL,
     "runs on the software GPU, which checks as it executes on the CPU"},
    {OPTION_TIME, "time", NULL, "shows on standard error where the time went, and GB/s"},
    {'v', "verbose", NULL, "the same"},
    OPTION_JSON_ROW,
    OPTION_END_ROW,
};

/* ---- taking */

/* Options that name an input, or are a number, are for algorithms that have it: the input, or the args'
 * field. */
static const struct {
  int id;
  const char *input, *field;
} needs[] = {
    {OPTION_KEYS, NULL, NULL},
    {OPTION_NEEDLES, "needles", NULL},
    {OPTION_STENCIL, "stencil", NULL},
    {OPTION_OF_SPEC + SPEC_VALUES, "values", NULL},
    {OPTION_OF_SPEC + SPEC_FLAGS, "flags", NULL},
    {OPTION_OFFSETS, "begin_offsets", NULL},
    {OPTION_SEGMENT_SIZE, NULL, "segment_size"},
    {OPTION_K, NULL, "k"},
    {OPTION_NTH, NULL, "nth"},
    {OPTION_DESCENDING, NULL, "order"},
    {OPTION_SMALLEST, NULL, "choice"},
    {OPTION_BEGIN_BIT, NULL, "begin_bit"},
    {OPTION_END_BIT, NULL, "end_bit"},
    {OPTION_BINS, NULL, "num_bins"},
    {OPTION_LOWER, NULL, "num_bins"},
    {OPTION_UPPER, NULL, "num_bins"},
    {OPTION_LEVELS, NULL, "num_bins"},
    {OPTION_EXTENTS, NULL, "extents"},
};

bool run_option_fits(const run_row *row, int id) {
  for (size_t i = 0; i < sizeof needs / sizeof needs[0]; ++i) {
    if (needs[i].id != id) continue;
    if (needs[i].input != NULL && run_input_named(row, needs[i].input, strlen(needs[i].input)) == NULL)
      return false;
    if (needs[i].field != NULL && run_field(run_algorithm_of(row), needs[i].field) == NULL) return false;
  }
  if (id == OPTION_MEMORY) return row->chunks != NULL;
  return id != OPTION_KEYS || run_input_named(row, "keys", 4) != NULL;
}

const option_row *run_option_of_file(int id) {
  static const option_row rows[] = {
      {OPTION_OF_SPEC + SPEC_VALUES, "values", "FILE",
       "the values beside the keys; TYPE@FILE if it is raw"},
      {OPTION_OF_SPEC + SPEC_FLAGS, "flags", "FILE", "a flag for each item; TYPE@FILE if it is raw"},
      OPTION_END_ROW,
  };
  const option_row *row = rows;
  while (row->id != 0 && row->id != id) ++row;
  return row->id != 0 ? row : NULL;
}

static int take_input(run_settings *s, const char *option, const char *name, const char *text) {
  if (s->input_count == RUN_MAX_OPTIONS_OF_FILES) return usage_error("%s: too many of them", option);
  run_binding b = {
      .option = option, .name = name, .name_length = name != NULL ? strlen(name) : 0, .text = text};
  if (name == NULL) {
    const size_t length = strcspn(text, "=");
    if (text[length] != '=') return usage_error("%s: '%s' is not NAME=FILE", option, text);
    b = (run_binding){.option = option, .name = text, .name_length = length, .text = text + length + 1};
  }
  s->inputs[s->input_count++] = b;
  return EXIT_OK;
}

static int take_number(uint64_t *number, const char *option, const char *value) {
  return options_number(option, value, 0, INT64_MAX, number) ? EXIT_OK : EXIT_USAGE;
}

static int take_bit(uint64_t *number, const char *option, const char *value) {
  return options_number(option, value, 0, 1 << 20, number) ? EXIT_OK : EXIT_USAGE;
}

static int take_extents(run_numbers *n, const char *value) {
  for (n->extent_count = 0; n->extent_count < RUN_MAX_EXTENTS;) {
    char *end;
    if (*value < '0' || *value > '9') break;
    n->extents[n->extent_count++] = strtoull(value, &end, 10);
    if (*end == '\0') return EXIT_OK;
    if (*end != ',') break;
    value = end + 1;
  }
  return usage_error("--extents: '%s' is no list of up to %d numbers", value, RUN_MAX_EXTENTS);
}

static int take_for_algorithm(run_settings *s, int id, char *value) {
  run_numbers *n = &s->numbers;
  switch (id) {
    case OPTION_SEGMENT_SIZE:
      return take_number(&n->segment_size, "--segment-size", value);
    case OPTION_K:
      n->has_k = true;
      return take_number(&n->k, "--k", value);
    case OPTION_NTH:
      n->has_nth = true;
      return take_number(&n->nth, "--nth", value);
    case OPTION_BEGIN_BIT:
      return take_bit(&n->begin_bit, "--begin-bit", value);
    case OPTION_END_BIT:
      return take_bit(&n->end_bit, "--end-bit", value);
    case OPTION_EXTENTS:
      return take_extents(n, value);
    default:
      break;
  }
  n->descending |= id == OPTION_DESCENDING;
  n->smallest |= id == OPTION_SMALLEST;
  if (id == OPTION_BINS) n->bins = value;
  if (id == OPTION_LOWER) n->lower = value;
  if (id == OPTION_UPPER) n->upper = value;
  if (id == OPTION_LEVELS) s->levels = value;
  if (id == OPTION_OFFSETS) s->offsets = value;
  return EXIT_OK;
}

static int take_file(run_settings *s, int id, char *value, bool *mine) {
  *mine = true;
  switch (id) {
    case OPTION_IN:
      return take_input(s, "--in", NULL, value);
    case OPTION_KEYS:
      return take_input(s, "--keys", "keys", value);
    case OPTION_OF_SPEC + SPEC_VALUES:
      return take_input(s, "--values", "values", value);
    case OPTION_OF_SPEC + SPEC_FLAGS:
      return take_input(s, "--flags", "flags", value);
    case OPTION_NEEDLES:
      return take_input(s, "--needles", "needles", value);
    case OPTION_STENCIL:
      return take_input(s, "--stencil", "stencil", value);
    case OPTION_OUT:
      if (s->output_count == RUN_MAX_OPTIONS_OF_FILES) return usage_error("--out: too many of them");
      s->outputs[s->output_count++] = value;
      return EXIT_OK;
    default:
      *mine = false;
      return EXIT_OK;
  }
}

static int take_numbered(run_settings *s, int id, char *value) {
  enum { MOST = sizeof((run_settings *)0)->number_options / sizeof(int) };
  if (s->number_count < MOST) s->number_options[s->number_count++] = id;
  return take_for_algorithm(s, id, value);
}

int run_numbers_take(run_settings *s, int id, char *value, bool *mine) {
  *mine = id >= OPTION_SEGMENT_SIZE && id <= OPTION_UPPER;
  return *mine ? take_numbered(s, id, value) : EXIT_OK;
}

int run_option_take(void *user, int id, char *value) {
  run_settings *s = user;
  bool mine;
  int code = take_file(s, id, value, &mine);
  if (mine) return code;
  if (id >= OPTION_OFFSETS && id <= OPTION_EXTENTS) return take_numbered(s, id, value);
  switch (id) {
    case 'v':
    case OPTION_TIME:
      s->verbose = true;
      return EXIT_OK;
    case OPTION_JSON:
      s->json = true;
      return EXIT_OK;
    case OPTION_SOFTWARE:
      s->software = true;
      return EXIT_OK;
    case OPTION_MEMORY:
      if (env_parse_size(value, &s->numbers.memory) && s->numbers.memory > 0) return EXIT_OK;
      return usage_error("--memory: '%s' is no size, such as 500M or 2G", value);
    case OPTION_REPEAT:
      return options_number("--repeat", value, 1, MOST_REPEATS, &s->repeats) ? EXIT_OK : EXIT_USAGE;
    case OPTION_COUNT:
      s->part.has_count = true;
      return options_number("--count", value, 0, UINT64_MAX, &s->part.count) ? EXIT_OK : EXIT_USAGE;
    case OPTION_OFFSET:
      s->part.has_offset = true;
      return options_number("--offset", value, 0, UINT64_MAX, &s->part.offset) ? EXIT_OK : EXIT_USAGE;
    default:
      code = build_options_take(&s->build, id, value, &mine);
      return mine ? code : spec_options_take(&s->spec, id, value, &mine);
  }
}

/* ---- once the algorithm is known */

static const char *name_of(int id) {
  const option_row *row = run_option_rows;
  while (row->id != id) ++row;
  return row->name;
}

int run_numbers_check(const run_settings *s, const run_row *row) {
  for (int i = 0; i < s->number_count; ++i) {
    if (!run_option_fits(row, s->number_options[i]))
      return usage_error("--%s: %s has no such option", name_of(s->number_options[i]), row->name);
  }
  return EXIT_OK;
}

/* Whether it looks like a slot of another name: a word, a '=' and no file that is called so. */
static bool is_misspelt_slot(const char *text) {
  const size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyz_0123456789");
  return length > 0 && text[length] == '=' && access(text, F_OK) != 0;
}

static int no_such_slot(const spec_schema *schema, const char *text) {
  char name[64];
  (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(text, "="), text);
  suggestions s = {.word = name};
  for (int i = 0; i < schema->slot_count; ++i) suggest_try(&s, schema->slots[i].name);
  return usage_error("%s has no slot '%s'%s", schema->algorithm, name, suggest_text(&s));
}

static int add_operands(run_settings *s, run_files *files, const operand_list *operands) {
  const spec_schema *schema = &run_algorithm_of(files->row)->schema;
  int code = EXIT_OK;
  for (int i = 0; i < operands->count && code == EXIT_OK; ++i) {
    char *text = operands->names[i];
    const operand_list one = {&text, 1};
    if (run_files_is_slot(schema, text))
      code = spec_options_take_slots(&s->spec, &one);
    else if (is_misspelt_slot(text))
      code = no_such_slot(schema, text);
    else
      code = run_files_add(files, "", NULL, text);
  }
  return code;
}

/* Options that are the specs' own elsewhere: what is stored by bulk, made of several files, or in order
 * without another program. */
static void take_over(run_settings *s, run_files *files) {
  const algorithm *a = run_algorithm_of(files->row);
  char **text = s->spec.text;
  int count = 0;
  for (int i = 0; i < files->binding_count; ++i) count += files->bindings[i].name == NULL;
  if (files->row->has_array && text[SPEC_OP_SOURCE] != NULL) {
    files->array_op = text[SPEC_OP_SOURCE];
    files->array_type = text[SPEC_TYPE];
    text[SPEC_OP_SOURCE] = text[SPEC_TYPE] = NULL;
  }
  if (schema_slot(&a->schema, "is_sorted") < 0 && run_field(a, "is_sorted") != NULL) {
    s->numbers.sorted = text[SPEC_SORTED] != NULL;
    text[SPEC_SORTED] = NULL;
  }
  if (strcmp(files->row->name, "transform") == 0 && count > 1) {
    files->zip_body = text[SPEC_TRANSFORM];
    files->zip_type = text[SPEC_TRANSFORM_TYPE];
    text[SPEC_TRANSFORM] = text[SPEC_TRANSFORM_TYPE] = NULL;
  }
}

int run_options_finish(run_settings *s, run_files *files, const operand_list *operands) {
  int code = run_numbers_check(s, files->row);
  if (code == EXIT_OK && s->numbers.memory != 0 && files->row->chunks == NULL)
    return usage_error("--memory: %s has no such option", files->row->name);
  if (code == EXIT_OK && s->numbers.memory != 0 && s->repeats > 0)
    return usage_error("--repeat: not beside --memory: all that is repeated is on the GPU");
  for (int i = 0; i < s->input_count && code == EXIT_OK; ++i)
    files->bindings[files->binding_count++] = s->inputs[i];
  if (code == EXIT_OK) code = add_operands(s, files, operands);
  for (int i = 0; i < s->output_count && code == EXIT_OK; ++i)
    code = run_files_add_output(files, s->outputs[i]);
  files->offsets = s->offsets;
  files->levels = s->levels;
  files->part = s->part;
  s->numbers.init = s->spec.text[SPEC_INIT];
  s->numbers.has_count = s->part.has_count;
  s->numbers.count = s->part.count;
  s->numbers.is_json = s->json;
  s->numbers.may_chunk = files->row->chunks != NULL && s->repeats == 0;
  take_over(s, files);
  const bool has_inputs = files->binding_count > 0 || s->spec.slot_count > 0;
  if (code == EXIT_OK && files->row->inputs[0].slot != NULL && !has_inputs)
    return usage_error("give an algorithm and a file for it");
  return code;
}
