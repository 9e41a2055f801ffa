#include "option_values.h"

#include <stdio.h>
#include <string.h>

#include "op_text.h"
#include "report.h"
#include "slot_options.h"
#include "slot_text.h"
#include "type_text.h"

static const char *text_of(const request *r, int option) {
  return r->options->text[option];
}

/* The label is the option with its dashes, for as long as the buffer. */
enum { LABEL_SIZE = 32 };
static text_reader reader_of(const request *r, int option, char label[LABEL_SIZE]) {
  (void)snprintf(label, LABEL_SIZE, "--%s", spec_option_name(option));
  return (text_reader){.label = label, .at = text_of(r, option), .structs = &r->structs};
}

static int put_or_fail(request *r, const slot_schema *slot, const text_reader *reader, json_t *json) {
  return json != NULL ? request_put(r, slot, reader->label, json) : reader->code;
}

int put_type(request *r, const slot_schema *slot, int option) {
  char label[LABEL_SIZE];
  text_reader reader = reader_of(r, option, label);
  json_t *type = reader_end(&reader, type_read(&reader));
  return put_or_fail(r, slot, &reader, slot->kind == SLOT_ITER ? pointer_to(type) : type);
}

int put_init(request *r, const slot_schema *slot, int option) {
  char label[LABEL_SIZE];
  json_t *type = NULL;
  if (text_of(r, SPEC_INIT_TYPE) != NULL) {
    text_reader reader = reader_of(r, SPEC_INIT_TYPE, label);
    type = reader_end(&reader, type_read(&reader));
    if (type == NULL) return reader.code;
  }
  const text_reader reader = reader_of(r, option, label);
  if (slot->kind == SLOT_TYPE) return put_or_fail(r, slot, &reader, type != NULL ? type : json_true());
  json_t *constant = json_pack("{s:s}", "kind", "constant");
  if (type != NULL) (void)json_object_set_new(constant, "type", type);
  return put_or_fail(r, slot, &reader, constant);
}

int put_name(request *r, const slot_schema *slot, int option) {
  char label[LABEL_SIZE];
  text_reader reader = reader_of(r, option, label);
  if (slot->kind == SLOT_CHOICE) return put_or_fail(r, slot, &reader, slot_read(&reader, slot));
  if (schema_has_choice_of_operators(r->schema)) return EXIT_OK;
  return put_or_fail(r, slot, &reader, op_named(&reader, reader.at));
}

int put_body(request *r, const slot_schema *slot, int option) {
  char label[LABEL_SIZE];
  text_reader reader = reader_of(r, option, label);
  return put_or_fail(r, slot, &reader, op_body(&reader, reader.at, strlen(reader.at)));
}

int put_function(request *r, const slot_schema *slot, int option) {
  char label[LABEL_SIZE];
  text_reader reader = reader_of(r, option, label);
  return put_or_fail(r, slot, &reader, op_function(&reader, reader.at));
}

int put_binary(request *r, const slot_schema *slot, int option) {
  char label[LABEL_SIZE];
  text_reader reader = reader_of(r, option, label);
  return put_or_fail(r, slot, &reader, op_binary(&reader, reader.at));
}

int put_mark(request *r, const slot_schema *slot, int option) {
  json_t *op = json_object_get(r->draft, slot->name);
  if (op == NULL) return EXIT_OK;
  const char *mark = option == SPEC_COMMUTATIVE ? "commutative" : "by_pointer";
  (void)json_object_set_new(r->draft, slot->name, op_marked(json_incref(op), mark));
  return EXIT_OK;
}

int put_nan(request *r, const slot_schema *slot, int option) {
  char label[LABEL_SIZE];
  const text_reader reader = reader_of(r, option, label);
  const bool ignore = strcmp(reader.at, "ignore") == 0;
  if (!ignore && strcmp(reader.at, "propagate") != 0)
    return usage_error("--nan: '%s' is neither propagate nor ignore", reader.at);
  if (slot->kind == SLOT_CHOICE) return put_or_fail(r, slot, &reader, json_string(reader.at));
  json_t *op = json_object_get(r->draft, slot->name);
  if (op != NULL && ignore)
    (void)json_object_set_new(r->draft, slot->name, op_ignoring_nan(json_incref(op)));
  return EXIT_OK;
}

int put_transform(request *r, const slot_schema *slot, int option) {
  char label[LABEL_SIZE];
  json_t *base = json_object_get(r->draft, slot->name), *type = NULL;
  if (base == NULL) return EXIT_OK;
  if (text_of(r, SPEC_TRANSFORM_TYPE) != NULL) {
    text_reader reader = reader_of(r, SPEC_TRANSFORM_TYPE, label);
    type = reader_end(&reader, type_read(&reader));
    if (type == NULL) return reader.code;
  } else {
    type = json_incref(json_object_get(base, "type"));
  }
  text_reader reader = reader_of(r, option, label);
  json_t *op = op_body(&reader, reader.at, strlen(reader.at));
  if (op == NULL) {
    json_decref(type);
    return reader.code;
  }
  json_t *around =
      json_pack("{s:O,s:s,s:o,s:o}", "base", base, "kind", "transform", "op", op, "type", type);
  (void)json_object_set_new(r->draft, slot->name, around);
  return EXIT_OK;
}

int put_none(request *r, const slot_schema *slot, int option) {
  (void)option;
  return request_put(r, slot, slot->name, json_null());
}

int put_choice(request *r, const slot_schema *slot, int option) {
  return request_put(r, slot, slot->name, json_string(spec_option_name(option)));
}

int put_flag(request *r, const slot_schema *slot, int option) {
  (void)option;
  return request_put(r, slot, slot->name, json_true());
}
