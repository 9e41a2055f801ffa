#include "request.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "slot_options.h"
#include "slot_text.h"
#include "type_text.h"

#define ROW(option, name, value, help) \
  { OPTION_OF_SPEC + (option), name, value, help }

const option_row spec_option_rows[] = {
    ROW(SPEC_TYPE, "type", "T",
        "item type: i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f16 bf16\n"
        "f32 f64 bool, or a --struct's name"),
    ROW(SPEC_STRUCT, "struct", "S",
        "defines a type, as NAME:SIZE:ALIGN:definition, such as\n"
        "'hit:8:4:struct hit { float d; int id; };'; may be repeated"),
    ROW(SPEC_OP, "op", "NAME",
        "the operator: plus, multiplies, min, max, bit_and, bit_or,\n"
        "bit_xor, logical_and, logical_or; of orders: less, greater;\n"
        "of tests equal_to, not_equal_to, less_equal, greater_equal,\n"
        "logical_not; and identity, negate, bit_not, minus, divides,\n"
        "modulus, min_magnitude, max_magnitude"),
    ROW(SPEC_OP_SOURCE, "op-source", "BODY",
        "the operator's body: of a fold 'return a + b;', of an order\n"
        "'return a.d < b.d;', of a test 'return x < 9;'"),
    ROW(SPEC_OP_FUNCTION, "op-function", "F:NAME",
        "the operator is function NAME in the source file F\n"
        "('-': standard input)"),
    ROW(SPEC_OP_BINARY, "op-binary", "FORMAT:F:NAME",
        "the operator is function NAME in the file F, which is\n"
        "lto_ir, ptx, cubin, object or fatbin"),
    ROW(SPEC_BY_POINTER, "by-pointer", NULL, "that function takes and returns by pointers"),
    ROW(SPEC_COMMUTATIVE, "commutative", NULL,
        "the operator of --op-source, --op-function or --op-binary\n"
        "may take its operands in either order"),
    ROW(SPEC_NAN, "nan", "WHAT", "for min and max: propagate (default) or ignore"),
    ROW(SPEC_TRANSFORM, "transform", "BODY", "applied to each item x first: 'return x * x;'"),
    ROW(SPEC_TRANSFORM_TYPE, "transform-type", "T", "what --transform returns; default: the item type"),
    ROW(SPEC_OUT_TYPE, "out-type", "T",
        "the result's type; default: the type of what goes in; in\njig run: the accumulator's"),
    ROW(SPEC_ACCUM, "accum", "T",
        "the accumulator, which the operator works on; default: see\njig/reduce.h"),
    ROW(SPEC_INIT_TYPE, "init-type", "T", "the init's type; default: the result's type"),
    ROW(SPEC_NO_VALUE, "no-value", NULL, "only the index is wanted"),
    ROW(SPEC_INDEX_TYPE, "index-type", "T", "the index's type; default: i64"),
    ROW(SPEC_EXCLUSIVE, "exclusive", NULL, "of the items before each; default: inclusive"),
    ROW(SPEC_FLAGS, "flags", "T",
        "there are flags of that type, which the operator tests, if\nthere is one"),
    ROW(SPEC_VALUES, "values", "T", "there are values of that type beside the keys"),
    ROW(SPEC_SECOND_OP_SOURCE, "second-op-source", "BODY", "the second operator's body"),
    ROW(SPEC_COUNT_TYPE, "count-type", "T", "what is counted in; default: i64"),
    ROW(SPEC_KEY_TYPE, "key-type", "T", "the keys' type; default: the item type"),
    ROW(SPEC_EQUALITY, "equality", "BODY",
        "whether two neighbouring keys, a and b, are equal; default:\nby =="),
    ROW(SPEC_DECOMPOSER, "decomposer", "LIST",
        "of structs: what keys are ordered by, the most significant\nfirst: 'x.d, x.id'"),
    ROW(SPEC_SORTED, "sorted", NULL, "the result comes in order, which takes a second program"),
    OPTION_END_ROW,
};

/* ---- taking */

const char *spec_option_name(int option) {
  if (option == SPEC_INIT) return "init";
  const option_row *row = spec_option_rows;
  while (row->id != OPTION_OF_SPEC + option) ++row;
  return row->name;
}

int spec_options_take(spec_options *o, int id, char *value, bool *mine) {
  static char flag[] = "";
  const int option = id - OPTION_OF_SPEC;
  *mine = option >= 0 && option < SPEC_OPTIONS;
  if (!*mine) return EXIT_OK;
  if (option == SPEC_STRUCT) {
    if (o->struct_count == MAX_STRUCTS) return usage_error("--struct: more than %d of them", MAX_STRUCTS);
    o->structs[o->struct_count++] = value;
  } else if (o->text[option] != NULL && value != NULL) {
    return usage_error("--%s: given twice", spec_option_name(option));
  }
  o->text[option] = value != NULL ? value : flag;
  return EXIT_OK;
}

int spec_options_take_slots(spec_options *o, const operand_list *operands) {
  for (int i = 0; i < operands->count; ++i) {
    if (o->slot_count == MAX_SLOT_TEXTS)
      return usage_error("unexpected argument '%s'", operands->names[i]);
    o->slots[o->slot_count++] = operands->names[i];
  }
  return EXIT_OK;
}

const char *spec_options_first(const spec_options *o) {
  static char dashed[32];
  for (int option = 0; option < SPEC_OPTIONS; ++option) {
    if (o->text[option] == NULL) continue;
    (void)snprintf(dashed, sizeof dashed, "--%s", spec_option_name(option));
    return dashed;
  }
  return NULL;
}

/* ---- slots by their names */

/* A slot's name and its value, or only the name of a flag, which then is true. */
static int put_slot_text(request *r, const char *text) {
  char name[TEXT_WORD_SIZE];
  const size_t length = strcspn(text, "=");
  (void)snprintf(name, sizeof name, "%.*s", (int)length, text);
  const int i = length < sizeof name ? schema_slot(r->schema, name) : -1;
  if (i < 0 && text[length] == '\0') return usage_error("unexpected argument '%s'", text);
  if (i < 0) return jig_failure(schema_refuse(r->schema, name)), EXIT_USAGE;
  const slot_schema *slot = &r->schema->slots[i];
  const bool is_bare = text[length] == '\0';
  if (is_bare && slot->kind != SLOT_FLAG) return usage_error("%s: write '%s=...'", name, name);
  return request_put_text(r, slot, name, is_bare ? "true" : text + length + 1);
}

int request_put_text(request *r, const slot_schema *slot, const char *label, const char *text) {
  leaf_list *leaves = r->files != NULL ? &r->files->leaves : NULL;
  const int first = leaves != NULL ? leaves->count : 0;
  text_reader reader = {.label = label, .at = text, .structs = &r->structs, .leaves = leaves};
  json_t *json = slot_read(&reader, slot);
  if (leaves != NULL)
    r->leaves[slot - r->schema->slots] = (leaf_range){.first = first, .count = leaves->count - first};
  return json != NULL ? request_put(r, slot, label, json) : reader.code;
}

int request_put(request *r, const slot_schema *slot, const char *label, json_t *json) {
  if (json_object_get(r->draft, slot->name) != NULL) {
    json_decref(json);
    return usage_error("%s: slot '%s' is given twice", label, slot->name);
  }
  if (json_object_set_new(r->draft, slot->name, json) == 0) return EXIT_OK;
  complain("out of memory");
  return EXIT_FAILED;
}

/* ---- all of it */

static int read_structs(request *r, spec_options *o) {
  int code = EXIT_OK;
  for (int i = 0; i < o->struct_count && code == EXIT_OK; ++i)
    code = struct_table_add(&r->structs, o->structs[i]);
  return code;
}

static int failure(jig_status status) {
  const int code = jig_failure(status);
  return status == JIG_ERROR_INVALID_ARGUMENT || status == JIG_ERROR_UNSUPPORTED ? EXIT_USAGE : code;
}

static int complete(request *r) {
  if (r->is_read) parsed_spec_free(&r->spec);
  const jig_status status = spec_complete(json_deep_copy(r->draft), r->schema, &r->spec);
  r->is_read = status == JIG_SUCCESS;
  return status == JIG_SUCCESS ? EXIT_OK : failure(status);
}

int request_resolve(request *r, const spec_schema *schema, spec_options *o, request_files *files) {
  *r = (request){.schema = schema, .options = o, .draft = json_object(), .files = files};
  if (files != NULL) files->leaves.structs = &r->structs;
  int code = slot_options_check(schema, o);
  if (code == EXIT_OK) code = read_structs(r, o);
  for (int i = 0; i < o->slot_count && code == EXIT_OK; ++i) code = put_slot_text(r, o->slots[i]);
  if (code == EXIT_OK && files != NULL) code = files->put(r, files->user);
  if (code == EXIT_OK) code = slot_options_put(r);
  return code == EXIT_OK ? complete(r) : code;
}

int request_point(request *r, const char *slot, const jig_type *type) {
  (void)json_object_set_new(r->draft, slot, pointer_to(type_to_json(type)));
  return complete(r);
}

int request_text(const request *r, char **text) {
  const jig_status status = spec_write(&r->spec.s, r->schema->algorithm, text);
  return status == JIG_SUCCESS ? EXIT_OK : failure(status);
}

void request_free(request *r) {
  json_decref(r->draft);
  if (r->is_read) parsed_spec_free(&r->spec);
  r->draft = NULL;
  r->is_read = false;
}
