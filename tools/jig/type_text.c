#include "type_text.h"

#include <string.h>

#include "report.h"
#include "spec/canonical.h"
#include "suggest.h"

/* A number before a ':', which is passed over; false if it is anything else. */
static bool take_number(const char **text, size_t *number) {
  enum { TOO_LARGE = 1 << 20 };
  const char *at = *text;
  for (*number = 0; *at >= '0' && *at <= '9' && *number < TOO_LARGE; ++at) {
    *number = *number * 10 + (size_t)(*at - '0');
  }
  if (at == *text || *at != ':') return false;
  *text = at + 1;
  return true;
}

/* Cuts it at the ':' that a digit follows: a NAME may have "::" in it. */
int struct_table_add(struct_table *structs, char *text) {
  char *colon = text;
  while ((colon = strchr(colon, ':')) != NULL && (colon[1] < '0' || colon[1] > '9')) ++colon;
  const char *rest = colon != NULL ? colon + 1 : NULL;
  size_t size, align;
  if (rest == NULL || !take_number(&rest, &size) || !take_number(&rest, &align)) {
    return usage_error("--struct: '%s' is not NAME:SIZE:ALIGN:definition", text);
  }
  *colon = '\0';
  structs->types[structs->count++] = jig_struct(text, rest, size, align);
  if (jig_type_from_name(text).kind == JIG_KIND_NONE) return EXIT_OK;
  return usage_error("--struct: '%s' is the name of a built-in type", text);
}

static json_t *opaque(text_reader *r) {
  unsigned size, align;
  int length = 0;
  if (sscanf(r->at, " ( %u , %u )%n", &size, &align, &length) != 2 || length == 0)
    return reader_wrong(r, "write opaque(SIZE, ALIGNMENT)");
  r->at += length;
  return json_pack("{s:i,s:s,s:i}", "align", (int)align, "kind", "opaque", "size", (int)size);
}

#define TYPE_TRY(kind, name, cxx, size) suggest_try(&s, name);
static json_t *no_type(text_reader *r, const char *name) {
  suggestions s = {.word = name};
  JIG_TYPE_MAP(TYPE_TRY)
  for (int i = 0; r->structs != NULL && i < r->structs->count; ++i)
    suggest_try(&s, r->structs->types[i].name);
  return reader_wrong(r, "'%s' is neither a built-in type nor the name of a --struct%s", name,
                      suggest_text(&s));
}

json_t *type_read(text_reader *r) {
  if (reader_is_object(r)) return reader_object(r);
  const char *begin = r->at;
  char name[TEXT_WORD_SIZE];
  reader_take_word(r, name);
  if (strcmp(name, "opaque") == 0) return opaque(r);
  if (jig_type_from_name(name).kind != JIG_KIND_NONE) return json_string(name);
  const jig_type *type = struct_named(r->structs, name);
  if (type == NULL) return no_type(r, name[0] != '\0' ? name : begin);
  json_t *json = type_to_json(type);
  return json != NULL ? json : reader_wrong(r, "the definition of '%s' is not UTF-8", name);
}
