#include "spec/type.h"

#include <stdio.h>
#include <string.h>

#include "spec/declarations.h"
#include "spec/name.h"
#include "spec/source.h"
#include "util/error.h"
#include "util/hash.h"

typedef struct builtin_type {
  const char *name, *cxx;
  uint32_t size;
} builtin_type;

static const builtin_type builtin[] = {
#define BUILTIN_ROW(kind, name, cxx, size) [kind] = {name, cxx, size},
    JIG_TYPE_MAP(BUILTIN_ROW)
#undef BUILTIN_ROW
};

bool type_is_number(const jig_type *type) {
  return type->kind > JIG_KIND_NONE && type->kind < JIG_KIND_STRUCT;
}

bool type_is_half(const jig_type *type) {
  return type->kind == JIG_KIND_F16 || type->kind == JIG_KIND_BF16;
}

bool type_is_integer(const jig_type *type) {
  return type_is_number(type) && !type_is_half(type) && type->kind != JIG_KIND_F32 &&
         type->kind != JIG_KIND_F64;
}

bool type_has_nan(const jig_type *type) {
  return type_is_number(type) && !type_is_integer(type);
}

const char *jig_type_name(const jig_type *type) {
  if (type == NULL) return "none";
  if (type->kind == JIG_KIND_OPAQUE) return "opaque";
  if (type_is_number(type)) return builtin[type->kind].name;
  return type->kind == JIG_KIND_STRUCT && type->name != NULL ? type->name : "none";
}

const char *type_cxx_name(const jig_type *type, char buffer[TYPE_NAME_SIZE]) {
  if (type->kind == JIG_KIND_OPAQUE) {
    (void)snprintf(buffer, TYPE_NAME_SIZE, "jig::opaque<%u, %u>", type->size, type->align);
    return buffer;
  }
  if (type_is_number(type)) return builtin[type->kind].cxx;
  if (!name_is_hidden(type->name, strlen(type->name))) return type->name;
  (void)snprintf(buffer, TYPE_NAME_SIZE, "::%s", type->name);
  return buffer;
}

jig_type jig_type_of_kind(jig_type_kind kind) {
  const jig_type of_kind = {.kind = kind};
  if (!type_is_number(&of_kind)) return (jig_type){.kind = JIG_KIND_NONE};
  return (jig_type){.kind = kind, .size = builtin[kind].size, .align = builtin[kind].size};
}

jig_type jig_type_from_name(const char *name) {
  for (jig_type_kind kind = JIG_KIND_NONE + 1; name != NULL && kind < JIG_KIND_STRUCT; ++kind) {
    if (strcmp(name, builtin[kind].name) == 0) return jig_type_of_kind(kind);
  }
  return (jig_type){.kind = JIG_KIND_NONE};
}

bool type_equal(const jig_type *a, const jig_type *b) {
  if (a->kind != b->kind) return false;
  if (type_is_number(a)) return true;
  if (a->size != b->size || a->align != b->align) return false;
  return a->kind == JIG_KIND_OPAQUE ||
         (strcmp(a->name, b->name) == 0 && source_defines_same(a->definition, b->definition, a->name));
}

bool type_is_unsigned(const jig_type *type) {
  switch (type->kind) {
    case JIG_KIND_U8:
    case JIG_KIND_U16:
    case JIG_KIND_U32:
    case JIG_KIND_U64:
    case JIG_KIND_U128:
    case JIG_KIND_BOOL:
      return true;
    default:
      return false;
  }
}

uint64_t type_largest(const jig_type *type) {
  const unsigned bits = 8 * type->size - !type_is_unsigned(type);
  return bits >= 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
}

jig_type type_common(const jig_type *a, const jig_type *b, bool promote) {
  if (a->kind == b->kind && (!promote || !type_is_integer(a) || a->size >= 4)) return *a;
  if (a->kind == JIG_KIND_F64 || b->kind == JIG_KIND_F64) return JIG_F64;
  if (!type_is_integer(a) && !type_is_integer(b)) return JIG_F32; /* f32 with a half, or two halves */
  if (!type_is_integer(a)) return *a;
  if (!type_is_integer(b)) return *b;
  /* Two integers: both promoted to at least i32, then the wider, and of one width the unsigned one. */
  jig_type x = a->size < 4 ? JIG_I32 : *a;
  jig_type y = b->size < 4 ? JIG_I32 : *b;
  if (x.size != y.size) return x.size > y.size ? x : y;
  return type_is_unsigned(&x) ? x : y;
}

/* Of a struct or an opaque type. */
static jig_status check_layout(const jig_type *type, uint32_t max_size, const char *what) {
  const bool named = type->kind == JIG_KIND_STRUCT;
  const char *kind = named ? "struct '" : "jig_opaque()", *name = named ? type->name : "";
  const char *end = named ? "'" : "";
  if (type->size == 0 || type->size > max_size) {
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: %s%s%s has size %u; 1 to %u bytes are supported",
                     what, kind, name, end, type->size, max_size);
  }
  if (type->align == 0 || (type->align & (type->align - 1)) != 0 || type->size % type->align != 0) {
    return error_set(JIG_ERROR_INVALID_ARGUMENT,
                     "%s: %s%s%s has alignment %u; it must be a power of two that divides size %u", what,
                     kind, name, end, type->align, type->size);
  }
  return JIG_SUCCESS;
}

static jig_status check_texts(const jig_type *type, const char *what) {
  if (type->name == NULL || !is_identifier(type->name)) {
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: a struct's name must be an identifier, not '%s'",
                     what, type->name != NULL ? type->name : "(null)");
  }
  jig_status status = name_check(type->name, what);
  if (status != JIG_SUCCESS) return status;
  if (type->definition == NULL || type->definition[0] == '\0') {
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: struct '%s' has no definition", what, type->name);
  }
  char name[256];
  source_name_of_struct(name, sizeof name, type->name);
  return source_check(type->definition, what, name);
}

/* Some calls check their structs each time. So a thread remembers those that it has found sound lately,
 * by a hash of their texts. */
enum { REMEMBERED = 4 };
static _Thread_local hash128 sound[REMEMBERED];
static _Thread_local unsigned next_sound;

static hash128 hash_texts(const jig_type *type) {
  const hash128 name = hash_bytes(type->name, strlen(type->name)),
                definition = hash_bytes(type->definition, strlen(type->definition));
  return (hash128){name.low ^ definition.high, name.high ^ definition.low};
}

static jig_status check_struct(const jig_type *type, const char *what) {
  if (type->name == NULL || type->definition == NULL) return check_texts(type, what);
  const hash128 hash = hash_texts(type);
  for (int i = 0; i < REMEMBERED; ++i)
    if (hash_equal(sound[i], hash)) return JIG_SUCCESS;
  const jig_status status = check_texts(type, what);
  if (status == JIG_SUCCESS) sound[next_sound++ % REMEMBERED] = hash;
  return status;
}

static jig_status check_number(const jig_type *type, const char *what) {
  const builtin_type *row = &builtin[type->kind];
  if (type->size == row->size && type->align == row->size) return JIG_SUCCESS;
  return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: %s has size and alignment %u, not %u and %u", what,
                   row->name, row->size, type->size, type->align);
}

static jig_status check_up_to(const jig_type *type, uint32_t max_size, const char *what) {
  if (type_is_number(type)) return check_number(type, what);
  if (type->kind != JIG_KIND_STRUCT && type->kind != JIG_KIND_OPAQUE) {
    return error_set(JIG_ERROR_INVALID_ARGUMENT,
                     "%s: no type is given, or one that does not exist (kind %d)", what, (int)type->kind);
  }
  jig_status status = type->kind == JIG_KIND_STRUCT ? check_struct(type, what) : JIG_SUCCESS;
  return status == JIG_SUCCESS ? check_layout(type, max_size, what) : status;
}

jig_status type_check(const jig_type *type, const char *what) {
  return check_up_to(type, TYPE_MAX_SIZE, what);
}

jig_status type_check_held(const jig_type *type, const char *what) {
  if (!type_is_wide(type)) return JIG_SUCCESS;
  return error_set(JIG_ERROR_UNSUPPORTED,
                   "%s: %s has %u bytes; what is folded has %d at most, though items may be larger", what,
                   jig_type_name(type), type->size, (int)TYPE_HELD_SIZE);
}

/* A type as messages show it beside another one: all opaque ones have one name. */
typedef struct shown_type {
  char text[48];
} shown_type;

static const char *show(shown_type *shown, const jig_type *type) {
  if (type->kind != JIG_KIND_OPAQUE) return jig_type_name(type);
  (void)snprintf(shown->text, sizeof shown->text, "opaque(%u, %u)", type->size, type->align);
  return shown->text;
}

jig_status type_check_same(const jig_type *type, const char *what, const jig_type *wanted,
                           const char *other) {
  shown_type shown[2];
  if (type_equal(type, wanted)) return JIG_SUCCESS;
  return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: its type must be that of %s, %s, not %s", what, other,
                   show(&shown[0], wanted), show(&shown[1], type));
}

jig_status type_check_state(const jig_type *type, const char *what) {
  return check_up_to(type, INT32_MAX, what);
}

jig_status type_check_conversion(const jig_type *from, const jig_type *to, const char *what) {
  shown_type shown[2];
  if ((type_is_number(from) && type_is_number(to)) || type_equal(from, to)) return JIG_SUCCESS;
  return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: %s does not convert to %s", what,
                   show(&shown[0], from), show(&shown[1], to));
}
