#include "npy_struct.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "struct_fields.h"

/* ---- a struct of a dtype */

static bool is_identifier(const char *name) {
  if (!isalpha((unsigned char)name[0]) && name[0] != '_') return false;
  while (isalnum((unsigned char)*name) || *name == '_') ++name;
  return *name == '\0';
}

/* Whether fields lie where C puts them if padding is left out. Otherwise that is a member, too. */
static bool is_aligned(const npy_header *h, size_t *align) {
  size_t at = 0;
  *align = 1;
  for (int i = 0; i < h->field_count; ++i) {
    const npy_field *f = &h->fields[i];
    const size_t own = f->type.kind != JIG_KIND_NONE ? f->type.align : 1;
    if (f->name[0] != '\0' && at % own != 0) return false;
    if (f->name[0] != '\0' && own > *align) *align = own;
    at += f->item_size * f->length;
  }
  size_t end = 0; /* as C has it */
  at = 0;
  for (int i = 0; i < h->field_count; ++i) {
    const npy_field *f = &h->fields[i];
    const size_t own = f->type.kind != JIG_KIND_NONE ? f->type.align : 1;
    if (f->name[0] != '\0') {
      if ((end + own - 1) / own * own != at) return false;
      end = at + f->item_size * f->length;
    }
    at += f->item_size * f->length;
  }
  return (end + *align - 1) / *align * *align == h->item_size;
}

static const char *cxx_name(jig_type_kind kind) {
  switch (kind) {
#define CXX_ROW(row, name, cxx, size) \
  case row:                           \
    return cxx;
    JIG_TYPE_MAP(CXX_ROW)
#undef CXX_ROW
    default:
      return "unsigned char";
  }
}

static void write_member(FILE *out, const npy_field *f, int number) {
  const bool is_bytes = f->type.kind == JIG_KIND_NONE;
  const size_t length = is_bytes ? f->item_size * f->length : f->length;
  (void)fprintf(out, "%s ", cxx_name(f->type.kind));
  if (f->name[0] != '\0')
    (void)fprintf(out, "%s", f->name);
  else
    (void)fprintf(out, "padding%d", number);
  if (is_bytes || f->is_array) (void)fprintf(out, "[%zu]", length);
  (void)fprintf(out, "; ");
}

char *npy_definition(const npy_header *h, const char *name, size_t *align) {
  char *text = NULL;
  size_t length;
  for (int i = 0; i < h->field_count; ++i)
    if (h->fields[i].name[0] != '\0' && !is_identifier(h->fields[i].name)) return NULL;
  FILE *out = open_memstream(&text, &length);
  if (out == NULL) return NULL;
  const bool natural = is_aligned(h, align);
  if (!natural) *align = 1;
  (void)fprintf(out, "struct %s%s { ", natural ? "" : "__attribute__((packed)) ", name);
  for (int i = 0; i < h->field_count; ++i)
    if (!natural || h->fields[i].name[0] != '\0') write_member(out, &h->fields[i], i);
  (void)fprintf(out, "};");
  return fclose(out) == 0 ? text : NULL;
}

/* ---- a dtype of a type */

static const char *dtype_of(const jig_type *type, char text[16]) {
  static const char *const names[] = {
      [JIG_KIND_I8] = "|i1",  [JIG_KIND_I16] = "<i2", [JIG_KIND_I32] = "<i4", [JIG_KIND_I64] = "<i8",
      [JIG_KIND_U8] = "|u1",  [JIG_KIND_U16] = "<u2", [JIG_KIND_U32] = "<u4", [JIG_KIND_U64] = "<u8",
      [JIG_KIND_F16] = "<f2", [JIG_KIND_F32] = "<f4", [JIG_KIND_F64] = "<f8", [JIG_KIND_BOOL] = "|b1",
  };
  const bool is_known = (size_t)type->kind < sizeof names / sizeof names[0] && names[type->kind] != NULL;
  (void)snprintf(text, 16, "|V%u", type->size);
  return is_known ? names[type->kind] : text;
}

static void write_padding(FILE *out, size_t from, size_t to) {
  if (to > from) (void)fprintf(out, "('', '|V%zu'), ", to - from);
}

static void write_fields(FILE *out, const jig_type *type, const struct_fields *fields) {
  size_t at = 0;
  char text[16];
  (void)fprintf(out, "[");
  for (int i = 0; i < fields->count; ++i) {
    const struct_field *f = &fields->fields[i];
    write_padding(out, at, f->offset);
    (void)fprintf(out, "('%s', '%s'", f->name, dtype_of(&f->type, text));
    if (f->is_array) (void)fprintf(out, ", (%zu,)", f->length);
    (void)fprintf(out, "), ");
    at = f->offset + f->length * f->type.size;
  }
  write_padding(out, at, type->size);
  (void)fprintf(out, "]");
}

char *npy_descr(const jig_type *type) {
  char *text = NULL, name[16];
  size_t length;
  struct_fields fields;
  FILE *out = open_memstream(&text, &length);
  if (out == NULL) return NULL;
  if (type->kind == JIG_KIND_STRUCT && struct_fields_of(type, &fields))
    write_fields(out, type, &fields);
  else
    (void)fprintf(out, "'%s'", dtype_of(type, name));
  return fclose(out) == 0 ? text : NULL;
}
