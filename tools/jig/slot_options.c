#include "slot_options.h"

#include <string.h>

#include "option_values.h"
#include "report.h"
#include "slot_text.h"

/* ---- which slots an option is about */

static bool is_iterator(const slot_schema *slot) {
  return slot->kind == SLOT_ITER;
}

static bool is_operator(const slot_schema *slot) {
  return slot->kind == SLOT_OP;
}

/* What a name can stand for: a choice, a fold or an order. */
static bool is_named(const slot_schema *slot) {
  return slot->kind == SLOT_CHOICE || (slot->kind == SLOT_OP && !slot->test && !slot->lists);
}

static bool commutes(const slot_schema *slot) {
  return slot->commutes;
}

static bool is_fold(const slot_schema *slot) {
  return slot->kind == SLOT_OP && slot->arity == 2 && !slot->test && !slot->orders;
}

typedef struct option_use option_use;
struct option_use {
  const char *slots;                     /* the `option` of these slots' schema */
  bool (*fits)(const slot_schema *slot); /* which of them; NULL: all */
  const char *also;                      /* other slots, of which all fit */
  /* Puts it into the draft. NULL: another option's function looks at it. */
  int (*put)(request *r, const slot_schema *slot, int option);
};

static const option_use uses[SPEC_OPTIONS] = {
    [SPEC_TYPE] = {"type", .put = put_type},
    [SPEC_OUT_TYPE] = {"out-type", .put = put_type},
    [SPEC_ACCUM] = {"accum", .put = put_type},
    [SPEC_INIT] = {"init", .put = put_init},
    [SPEC_INIT_TYPE] = {"init"},
    [SPEC_OP] = {"op", is_named, .put = put_name},
    [SPEC_OP_SOURCE] = {"op", is_operator, .put = put_body},
    [SPEC_OP_FUNCTION] = {"op", is_operator, .put = put_function},
    [SPEC_OP_BINARY] = {"op", is_operator, .put = put_binary},
    [SPEC_BY_POINTER] = {"op", is_operator, .put = put_mark},
    [SPEC_COMMUTATIVE] = {"op", commutes, .put = put_mark},
    [SPEC_NAN] = {"op", is_fold, .also = "nan", .put = put_nan},
    [SPEC_KEY_TYPE] = {"key-type", .put = put_type},
    [SPEC_TRANSFORM] = {"type", is_iterator, .put = put_transform},
    [SPEC_TRANSFORM_TYPE] = {"type", is_iterator},
    [SPEC_NO_VALUE] = {"value", .put = put_none},
    [SPEC_INDEX_TYPE] = {"index-type", .put = put_type},
    [SPEC_EXCLUSIVE] = {"exclusive", .put = put_choice},
    [SPEC_FLAGS] = {"flags", .put = put_type},
    [SPEC_VALUES] = {"values", .put = put_type},
    [SPEC_SECOND_OP_SOURCE] = {"second-op", .put = put_body},
    [SPEC_COUNT_TYPE] = {"count-type", .put = put_type},
    [SPEC_EQUALITY] = {"equality", .put = put_body},
    [SPEC_DECOMPOSER] = {"decomposer", .put = put_body},
    [SPEC_SORTED] = {"sorted", .put = put_flag},
};

bool slot_option_fits(int option, const slot_schema *slot) {
  const option_use *use = &uses[option];
  if (slot->option == NULL || use->slots == NULL) return false;
  if (use->also != NULL && strcmp(slot->option, use->also) == 0) return true;
  return strcmp(slot->option, use->slots) == 0 && (use->fits == NULL || use->fits(slot));
}

bool schema_has_option(const spec_schema *schema, int option) {
  if (option == SPEC_STRUCT) return true;
  for (int i = 0; i < schema->slot_count; ++i)
    if (slot_option_fits(option, &schema->slots[i])) return true;
  return false;
}

bool schema_has_choice_of_operators(const spec_schema *schema) {
  for (int i = 0; i < schema->slot_count; ++i)
    if (schema->slots[i].kind == SLOT_CHOICE && slot_option_fits(SPEC_OP, &schema->slots[i])) return true;
  return false;
}

/* ---- all of them */

static int check_op_options(const spec_schema *schema, char *const *text) {
  const bool takes_both = schema_has_choice_of_operators(schema);
  const int user =
      (text[SPEC_OP_SOURCE] != NULL) + (text[SPEC_OP_FUNCTION] != NULL) + (text[SPEC_OP_BINARY] != NULL);
  if (user + (text[SPEC_OP] != NULL && !takes_both) > 1)
    return usage_error("give only one of %s--op-source, --op-function and --op-binary",
                       takes_both ? "" : "--op, ");
  if (text[SPEC_COMMUTATIVE] != NULL && user == 0)
    return usage_error("--commutative: only for --op-source, --op-function and --op-binary");
  if (text[SPEC_BY_POINTER] != NULL && text[SPEC_OP_BINARY] == NULL)
    return usage_error("--by-pointer: only for --op-binary");
  return EXIT_OK;
}

int slot_options_check(const spec_schema *schema, const spec_options *o) {
  for (int option = 0; option < SPEC_OPTIONS; ++option) {
    if (o->text[option] != NULL && !schema_has_option(schema, option))
      return usage_error("--%s: %s has no such option", spec_option_name(option), schema->algorithm);
  }
  if (o->text[SPEC_INIT_TYPE] != NULL && o->text[SPEC_INIT] == NULL)
    return usage_error("--init-type: there is no --init");
  if (o->text[SPEC_TRANSFORM_TYPE] != NULL && o->text[SPEC_TRANSFORM] == NULL)
    return usage_error("--transform-type: there is no --transform");
  return check_op_options(schema, o->text);
}

/* Where nothing tells the items, and nothing else does. */
static int check_items(const request *r) {
  for (int i = 0; i < r->schema->slot_count; ++i) {
    const slot_schema *slot = &r->schema->slots[i];
    if (!slot_option_fits(SPEC_TYPE, slot) || slot->like != NULL) continue;
    if (json_object_get(r->draft, slot->name) != NULL) continue;
    return usage_error("--type is missing, or %s=...", slot->name);
  }
  return EXIT_OK;
}

/* Keys are of the items' own type, not of what a transform makes of them. */
static int put_keys(request *r) {
  int code = EXIT_OK;
  for (int i = 0; i < r->schema->slot_count && code == EXIT_OK; ++i) {
    const slot_schema *slot = &r->schema->slots[i];
    const bool is_told = json_object_get(r->draft, slot->name) != NULL;
    if (!is_told && r->options->text[SPEC_TYPE] != NULL && slot_option_fits(SPEC_KEY_TYPE, slot))
      code = put_type(r, slot, SPEC_TYPE);
  }
  return code;
}

int slot_options_put(request *r) {
  int code = EXIT_OK;
  for (int option = 0; option < SPEC_OPTIONS && code == EXIT_OK; ++option) {
    if (option == SPEC_TRANSFORM) code = put_keys(r);
    if (r->options->text[option] == NULL || uses[option].put == NULL) continue;
    for (int i = 0; i < r->schema->slot_count && code == EXIT_OK; ++i)
      if (slot_option_fits(option, &r->schema->slots[i]))
        code = uses[option].put(r, &r->schema->slots[i], option);
  }
  return code == EXIT_OK ? check_items(r) : code;
}
