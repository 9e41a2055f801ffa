#include "text_reader.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "report.h"
#include "spec/canonical.h"

json_t *reader_wrong(text_reader *r, const char *format, ...) {
  char problem[512];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(problem, sizeof problem, format, arguments);
  va_end(arguments);
  r->code = usage_error("%s: %s", r->label, problem);
  return NULL;
}

json_t *reader_string(text_reader *r, const char *text, size_t length) {
  json_t *json = json_stringn(text, length);
  return json != NULL ? json : reader_wrong(r, "the text is not UTF-8");
}

void reader_skip_blanks(text_reader *r) {
  while (isspace((unsigned char)*r->at)) ++r->at;
}

bool reader_take(text_reader *r, char c) {
  reader_skip_blanks(r);
  if (*r->at != c || c == '\0') return false;
  ++r->at;
  return true;
}

void reader_take_word(text_reader *r, char word[TEXT_WORD_SIZE]) {
  reader_skip_blanks(r);
  size_t length = 0;
  for (;; ++length) {
    const char *c = &r->at[length];
    if (c[0] == ':' && c[1] == ':' && c[2] != ':')
      ++length;
    else if (!isalnum((unsigned char)*c) && *c != '_')
      break;
  }
  word[0] = '\0';
  if (length >= TEXT_WORD_SIZE) return;
  memcpy(word, r->at, length);
  word[length] = '\0';
  r->at += length;
}

bool reader_is_object(const text_reader *r) {
  const char *at = r->at;
  while (isspace((unsigned char)*at)) ++at;
  if (*at++ != '{') return false;
  while (isspace((unsigned char)*at)) ++at;
  return *at == '"';
}

bool reader_enter(text_reader *r) {
  if (r->depth == ITER_MAX_DEPTH)
    return reader_wrong(r, "nested more than %d deep", (int)ITER_MAX_DEPTH) != NULL;
  ++r->depth;
  return true;
}

void reader_leave(text_reader *r) {
  --r->depth;
}

/* ---- objects. Types are in members of these names, wherever they are. */

const jig_type *struct_named(const struct_table *structs, const char *name) {
  for (int i = 0; name != NULL && i < structs->count; ++i)
    if (strcmp(structs->types[i].name, name) == 0) return &structs->types[i];
  return NULL;
}

static void name_structs(const struct_table *structs, json_t *object) {
  static const char *const typed[] = {"type", "state"};
  for (size_t i = 0; i < sizeof typed / sizeof typed[0]; ++i) {
    const jig_type *type = struct_named(structs, json_string_value(json_object_get(object, typed[i])));
    if (type != NULL) (void)json_object_set_new(object, typed[i], type_to_json(type));
  }
  json_t *bases = json_object_get(object, "bases"), *base;
  size_t i;
  json_array_foreach(bases, i, base) name_structs(structs, base);
  if ((base = json_object_get(object, "base")) != NULL) name_structs(structs, base);
  if ((base = json_object_get(object, "op")) != NULL) name_structs(structs, base);
}

json_t *reader_object(text_reader *r) {
  json_error_t problem;
  json_t *json = json_loads(r->at, JSON_DISABLE_EOF_CHECK | JSON_REJECT_DUPLICATES, &problem);
  if (json == NULL) return reader_wrong(r, "column %d of the JSON: %s", problem.column, problem.text);
  r->at += problem.position; /* as many bytes as were read */
  name_structs(r->structs, json);
  return json;
}

/* ---- the rest */

json_t *reader_up_to_parenthesis(text_reader *r) {
  int depth = 1;
  for (const char *c = r->at; *c != '\0'; ++c) {
    depth += (*c == '(') - (*c == ')');
    if (depth > 0) continue;
    json_t *json = reader_string(r, r->at, (size_t)(c - r->at));
    r->at = c + 1;
    return json;
  }
  return reader_wrong(r, "there is no ')' for a '('");
}

json_t *reader_end(text_reader *r, json_t *json) {
  if (json == NULL) return NULL;
  reader_skip_blanks(r);
  if (*r->at == '\0') return json;
  json_decref(json);
  return reader_wrong(r, "'%s' is not expected there", r->at);
}
