#include "struct_fields.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct reader {
  const char *at;
  size_t size, align; /* of the members so far */
  bool is_packed;
} reader;

static void skip_blanks(reader *r) {
  r->at += strspn(r->at, " \t\r\n");
}

static bool take(reader *r, char wanted) {
  skip_blanks(r);
  if (*r->at != wanted) return false;
  ++r->at;
  return true;
}

/* A word: an identifier with its "::"s, or nothing. */
static bool take_word(reader *r, char word[FIELD_NAME_SIZE]) {
  skip_blanks(r);
  size_t length = 0;
  while (isalnum((unsigned char)r->at[length]) || r->at[length] == '_' || r->at[length] == ':') ++length;
  if (length == 0 || length >= FIELD_NAME_SIZE || isdigit((unsigned char)r->at[0])) return false;
  memcpy(word, r->at, length);
  word[length] = '\0';
  r->at += length;
  return true;
}

static jig_type type_named(const char *cxx) {
  static const struct {
    const char *cxx, *name;
  } names[] = {
#define NAMES_ROW(kind, name, cxx, size) {cxx, name},
      JIG_TYPE_MAP(NAMES_ROW)
#undef NAMES_ROW
          {"int", "i32"},
      {"unsigned", "u32"},
      {"short", "i16"},
      {"long", "i64"},
      {"char", "i8"},
      {"size_t", "u64"},
      {"signed char", "i8"},
      {"unsigned char", "u8"},
      {"unsigned int", "u32"},
      {"unsigned short", "u16"},
      {"unsigned long", "u64"},
      {"long long", "i64"},
      {"unsigned long long", "u64"},
  };
  for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
    if (strcmp(names[i].cxx, cxx) == 0) return jig_type_from_name(names[i].name);
  }
  return jig_type_from_name(NULL);
}

/* A built-in type: the longest run of words that names one. */
static bool take_type(reader *r, jig_type *type) {
  char words[3 * FIELD_NAME_SIZE] = "", word[FIELD_NAME_SIZE];
  *type = jig_type_from_name(NULL);
  const char *end = NULL;
  for (int i = 0; i < 3 && take_word(r, word); ++i) {
    if (i > 0) (void)strcat(words, " ");
    (void)strcat(words, word);
    const jig_type longer = type_named(words);
    if (longer.kind == JIG_KIND_NONE) continue;
    *type = longer;
    end = r->at;
  }
  if (end != NULL) r->at = end;
  return end != NULL;
}

static size_t align_up(size_t offset, size_t align) {
  return (offset + align - 1) / align * align;
}

/* "[4]" or nothing. */
static bool take_length(reader *r, struct_field *f) {
  f->length = 1;
  f->is_array = take(r, '[');
  if (!f->is_array) return true;
  char *end;
  skip_blanks(r);
  if (!isdigit((unsigned char)*r->at)) return false;
  f->length = strtoul(r->at, &end, 10);
  r->at = end;
  return f->length > 0 && f->length <= 256 && take(r, ']');
}

/* "d, e;" after a type. */
static bool take_names(reader *r, const jig_type *type, struct_fields *fields) {
  do {
    if (fields->count == FIELDS_MAX) return false;
    struct_field *f = &fields->fields[fields->count++];
    f->type = *type;
    if (!take_word(r, f->name) || strchr(f->name, ':') != NULL || !take_length(r, f)) return false;
    const size_t align = r->is_packed ? 1 : type->align;
    f->offset = align_up(r->size, align);
    r->size = f->offset + f->length * type->size;
    if (align > r->align) r->align = align;
  } while (take(r, ','));
  return take(r, ';');
}

bool struct_fields_of(const jig_type *type, struct_fields *fields) {
  reader r = {.at = type->definition, .size = 0, .align = 1};
  static const char packed[] = "__attribute__((packed))";
  char word[FIELD_NAME_SIZE];
  fields->count = 0;
  if (!take_word(&r, word) || strcmp(word, "struct") != 0) return false;
  skip_blanks(&r);
  r.is_packed = strncmp(r.at, packed, sizeof packed - 1) == 0;
  if (r.is_packed) r.at += sizeof packed - 1;
  if (!take_word(&r, word) || strcmp(word, type->name) != 0 || !take(&r, '{')) return false;
  while (!take(&r, '}')) {
    jig_type member;
    if (!take_type(&r, &member) || !take_names(&r, &member, fields)) return false;
  }
  (void)take(&r, ';');
  skip_blanks(&r);
  return *r.at == '\0' && r.align == type->align && align_up(r.size, r.align) == type->size;
}
