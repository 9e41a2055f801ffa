#include "npy.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what is before the header's text */

static const unsigned char magic[] = {0x93, 'N', 'U', 'M', 'P', 'Y'};

bool npy_is(const unsigned char *prefix, size_t size) {
  return size >= sizeof magic && memcmp(prefix, magic, sizeof magic) == 0;
}

bool npy_measure(const unsigned char *prefix, size_t *start, size_t *length) {
  const unsigned char *version = prefix + sizeof magic, *size = version + 2;
  *start = version[0] == 1 ? 10 : 12;
  *length = size[0] | (size_t)size[1] << 8;
  if (version[0] > 1) *length |= (size_t)size[2] << 16 | (size_t)size[3] << 24;
  return version[0] >= 1 && version[0] <= 3 && version[1] == 0;
}

/* ---- the text: a Python dictionary, {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), } */

static void skip_blanks(const char **at) {
  *at += strspn(*at, " \t\r\n");
}

static bool take(const char **at, const char *wanted) {
  skip_blanks(at);
  const size_t length = strlen(wanted);
  if (strncmp(*at, wanted, length) != 0) return false;
  *at += length;
  return true;
}

/* A string in either kind of quotes; what does not fit in `text` is cut off. */
static bool take_string(const char **at, char *text, size_t size) {
  skip_blanks(at);
  const char quote = **at;
  if (quote != '\'' && quote != '"') return false;
  size_t length = 0;
  for (++*at; **at != quote; ++*at) {
    if (**at == '\\') ++*at;
    if (**at == '\0') return false;
    if (length + 1 < size) text[length++] = **at;
  }
  ++*at;
  text[length] = '\0';
  return true;
}

/* A list of fields: passed over, brackets, strings and all. */
static bool skip_list(const char **at) {
  char ignored[8];
  int depth = 0;
  do {
    skip_blanks(at);
    if (**at == '\'' || **at == '"') {
      if (!take_string(at, ignored, sizeof ignored)) return false;
      continue;
    }
    if (**at == '\0') return false;
    depth += **at == '[' || **at == '(';
    depth -= **at == ']' || **at == ')';
    ++*at;
  } while (depth > 0);
  return true;
}

static const char *parse_shape(const char **at, npy_header *h, int *long_dimensions) {
  h->count = 1;
  *long_dimensions = 0;
  if (!take(at, "(")) return "its 'shape' is not a tuple";
  while (!take(at, ")")) {
    if (!isdigit((unsigned char)**at)) return "its 'shape' has something that is no number";
    char *end;
    const unsigned long long extent = strtoull(*at, &end, 10);
    *at = end;
    if (__builtin_mul_overflow(h->count, extent, &h->count)) return "its 'shape' is too large";
    *long_dimensions += extent > 1;
    (void)take(at, "L"); /* Python 2 wrote 3L */
    if (!take(at, ",")) {
      if (!take(at, ")")) return "its 'shape' is not a tuple";
      break;
    }
  }
  return NULL;
}

/* ---- types */

static const struct {
  const char *dtype, *name;
} dtypes[] = {
    {"b1", "bool"}, {"i1", "i8"},  {"i2", "i16"}, {"i4", "i32"}, {"i8", "i64"}, {"u1", "u8"},
    {"u2", "u16"},  {"u4", "u32"}, {"u8", "u64"}, {"f2", "f16"}, {"f4", "f32"}, {"f8", "f64"},
};

static const char unknown_dtype[] = "its dtype has no counterpart in jig";

/* What a dtype's text says: of opaque bytes and complex numbers only how many bytes there are. */
static const char *dtype_read(const char *code, jig_type *type, size_t *size) {
  *type = jig_type_from_name(NULL);
  if (*code == '>') return "its items are big-endian";
  if (*code == '<' || *code == '|' || *code == '=') ++code;
  for (size_t i = 0; i < sizeof dtypes / sizeof dtypes[0]; ++i) {
    if (strcmp(code, dtypes[i].dtype) != 0) continue;
    *type = jig_type_from_name(dtypes[i].name);
    *size = type->size;
    return NULL;
  }
  if (*code != 'V' && *code != 'c') return unknown_dtype;
  char *end;
  *size = strtoul(code + 1, &end, 10);
  return *size > 0 && *end == '\0' ? NULL : unknown_dtype;
}

static const char *parse_dtype(npy_header *h) {
  const char *problem = dtype_read(h->dtype, &h->type, &h->item_size);
  h->is_void = h->dtype[strspn(h->dtype, "<|=")] == 'V';
  return problem;
}

/* ---- structured dtypes: [('d', '<f4'), ('id', '<i4', (3,))]. What is not understood, such as titles or
 * structs within, is passed over: the fields are not known then. */

static bool parse_length(const char **at, npy_field *f) {
  char *end;
  f->is_array = true;
  const bool is_tuple = take(at, "(");
  do {
    skip_blanks(at);
    if (!isdigit((unsigned char)**at)) break;
    const unsigned long long extent = strtoull(*at, &end, 10);
    *at = end;
    if (__builtin_mul_overflow(f->length, extent, &f->length)) return false;
  } while (is_tuple && take(at, ","));
  return !is_tuple || take(at, ")");
}

/* False: not understood. */
static bool parse_field(const char **at, npy_header *h, const char **problem) {
  char dtype[NPY_DTYPE_SIZE];
  if (h->field_count == NPY_MAX_FIELDS) return false;
  npy_field *f = &h->fields[h->field_count++];
  *f = (npy_field){.length = 1};
  if (!take(at, "(") || !take_string(at, f->name, sizeof f->name) || !take(at, ",")) return false;
  if (!take_string(at, dtype, sizeof dtype)) return false;
  *problem = dtype_read(dtype, &f->type, &f->item_size);
  if (*problem == unknown_dtype) *problem = NULL;
  if (*problem != NULL || f->item_size == 0) return false;
  if (take(at, ",") && !parse_length(at, f)) return false;
  size_t bytes;
  if (__builtin_mul_overflow(f->item_size, f->length, &bytes)) return false;
  return take(at, ")") && !__builtin_add_overflow(h->item_size, bytes, &h->item_size);
}

static const char *parse_fields(const char **at, npy_header *h) {
  const char *begin = *at, *problem = NULL;
  (void)snprintf(h->dtype, sizeof h->dtype, "a structured dtype");
  bool is_known = take(at, "[");
  while (is_known && !take(at, "]")) {
    is_known = parse_field(at, h, &problem);
    if (problem != NULL) return problem;
    if (is_known && !take(at, ",")) {
      is_known = take(at, "]");
      break;
    }
  }
  if (is_known && h->field_count > 0) return NULL;
  h->field_count = 0;
  h->item_size = 0;
  *at = begin;
  return skip_list(at) ? NULL : "its 'descr' is cut short";
}

static const char *parse_descr(const char **at, npy_header *h) {
  if (take_string(at, h->dtype, sizeof h->dtype)) return parse_dtype(h);
  if (**at != '[') return "its 'descr' is neither a string nor a list";
  return parse_fields(at, h);
}

/* ---- writing */

char *npy_header_text(const char *descr, uint64_t count, size_t least, size_t *length) {
  enum { ALIGNMENT = 64, PREFIX = 12 };
  const size_t size = strlen(descr) + 128 + ALIGNMENT + least;
  char *text = malloc(size);
  if (text == NULL) return NULL;
  int end = PREFIX + snprintf(text + PREFIX, size - PREFIX,
                              "{'descr': %s, 'fortran_order': False, 'shape': (%llu,), }", descr,
                              (unsigned long long)count);
  while ((end + 1) % ALIGNMENT != 0 || (size_t)end + 1 < least) text[end++] = ' ';
  text[end++] = '\n';
  memcpy(text, magic, sizeof magic);
  const unsigned after = (unsigned)(end - PREFIX);
  const unsigned char rest[] = {2,
                                0,
                                (unsigned char)after,
                                (unsigned char)(after >> 8),
                                (unsigned char)(after >> 16),
                                (unsigned char)(after >> 24)};
  memcpy(text + sizeof magic, rest, sizeof rest);
  *length = (size_t)end;
  return text;
}

/* ---- all of it */

typedef struct seen {
  bool descr, order, shape, fortran;
  int long_dimensions;
} seen;

static const char *parse_member(const char **at, npy_header *h, seen *s) {
  char key[32];
  if (!take_string(at, key, sizeof key) || !take(at, ":")) return "its header is not a dictionary";
  skip_blanks(at);
  if (strcmp(key, "descr") == 0) {
    s->descr = true;
    return parse_descr(at, h);
  }
  if (strcmp(key, "shape") == 0) {
    s->shape = true;
    return parse_shape(at, h, &s->long_dimensions);
  }
  if (strcmp(key, "fortran_order") != 0) return "its header has an unknown member";
  s->order = true;
  s->fortran = take(at, "True");
  return s->fortran || take(at, "False") ? NULL : "its 'fortran_order' is neither True nor False";
}

const char *npy_parse(const char *text, npy_header *h) {
  *h = (npy_header){.type = jig_type_from_name(NULL)};
  seen s = {.descr = false};
  const char *at = text;
  if (!take(&at, "{")) return "its header is not a dictionary";
  while (!take(&at, "}")) {
    const char *problem = parse_member(&at, h, &s);
    if (problem != NULL) return problem;
    if (take(&at, ",")) continue;
    if (!take(&at, "}")) return "its header is not a dictionary";
    break;
  }
  if (!s.descr || !s.order || !s.shape) return "its header lacks 'descr', 'fortran_order' or 'shape'";
  /* In one dimension, both orders are the same. */
  if (s.fortran && s.long_dimensions > 1)
    return "it is in Fortran order; save numpy.ascontiguousarray() of it";
  return NULL;
}
