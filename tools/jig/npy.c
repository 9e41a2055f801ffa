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

static const char *parse_dtype(npy_header *h) {
  const char *code = h->dtype;
  if (*code == '>') return "its items are big-endian";
  if (*code == '<' || *code == '|' || *code == '=') ++code;
  for (size_t i = 0; i < sizeof dtypes / sizeof dtypes[0]; ++i) {
    if (strcmp(code, dtypes[i].dtype) != 0) continue;
    h->type = jig_type_from_name(dtypes[i].name);
    h->item_size = h->type.size;
    return NULL;
  }
  static const char unknown[] = "its dtype has no counterpart in jig";
  h->is_void = *code == 'V';
  if (*code != 'V' && *code != 'c') return unknown; /* opaque bytes, complex numbers */
  char *end;
  h->item_size = strtoul(code + 1, &end, 10);
  return h->item_size > 0 && *end == '\0' ? NULL : unknown;
}

static const char *parse_descr(const char **at, npy_header *h) {
  if (take_string(at, h->dtype, sizeof h->dtype)) return parse_dtype(h);
  if (**at != '[') return "its 'descr' is neither a string nor a list";
  (void)snprintf(h->dtype, sizeof h->dtype, "a structured dtype");
  return skip_list(at) ? NULL : "its 'descr' is cut short";
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
