#include "describe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Knows types, operators and iterators as they look in specs, but no algorithm: new ones need nothing
 * here. */

static const char *member(const json_t *object, const char *name) {
  return json_string_value(json_object_get(object, name));
}

/* A source text in quotes: one line, and not all of a long one. */
static void print_source(FILE *out, const char *source) {
  enum { LONGEST = 32 };
  const size_t length = strlen(source);
  (void)fputc('\'', out);
  for (size_t i = 0; i < length && i < LONGEST; ++i) {
    (void)fputc((unsigned char)source[i] < ' ' ? ' ' : source[i], out);
  }
  (void)fputs(length > LONGEST ? "...'" : "'", out);
}

static void print_value(FILE *out, const json_t *value);

/* kind(type), or kind(bases and operator) as type. */
static void print_iterator(FILE *out, const json_t *iterator, const char *kind) {
  const json_t *type = json_object_get(iterator, "type"), *base = json_object_get(iterator, "base"),
               *bases = json_object_get(iterator, "bases"), *op = json_object_get(iterator, "op");
  if (strcmp(kind, "pointer") == 0) {
    print_value(out, type);
    return;
  }
  (void)fprintf(out, "%s(", kind);
  const char *separator = "";
  for (size_t k = 0; k < json_array_size(bases); ++k) {
    (void)fputs(separator, out);
    print_value(out, json_array_get(bases, k));
    separator = ", ";
  }
  const json_t *others[] = {base, op};
  for (size_t k = 0; k < 2; ++k) {
    if (others[k] == NULL) continue;
    (void)fputs(separator, out);
    print_value(out, others[k]);
    separator = ", ";
  }
  if (*separator != '\0') (void)fputs(") as ", out);
  print_value(out, type);
  if (*separator == '\0') (void)fputc(')', out);
}

static void print_object(FILE *out, const json_t *value) {
  const char *kind = member(value, "kind"), *source = member(value, "source"),
             *name = member(value, "name"), *format = member(value, "format"),
             *entry = member(value, "entry");
  if (kind != NULL && strcmp(kind, "opaque") == 0) {
    (void)fprintf(out, "opaque(%d, %d)", (int)json_integer_value(json_object_get(value, "size")),
                  (int)json_integer_value(json_object_get(value, "align")));
  } else if (kind == NULL) {
    (void)fputs(name != NULL    ? name  /* a struct */
                : entry != NULL ? entry /* a kernel of one's own */
                                : "?",
                out);
  } else if (json_object_get(value, "type") != NULL) {
    print_iterator(out, value, kind);
  } else if (format != NULL) {
    (void)fprintf(out, "%s:%s()", format, name != NULL ? name : "?");
  } else if (source == NULL) {
    (void)fprintf(out, "%s%s", kind, member(value, "nan") != NULL ? "(nan ignored)" : "");
  } else if (name != NULL) {
    (void)fprintf(out, "%s()", name);
  } else {
    print_source(out, source);
  }
}

static void print_value(FILE *out, const json_t *value) {
  if (json_is_object(value))
    print_object(out, value);
  else
    (void)fputs(json_is_string(value) ? json_string_value(value) : "?", out);
}

char *describe_spec(json_t *spec) {
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  if (out == NULL) return NULL;
  const char *algorithm = member(spec, "algorithm"), *key;
  (void)fputs(algorithm != NULL ? algorithm : "?", out);
  json_t *value;
  json_object_foreach(spec, key, value) {
    if (strcmp(key, "algorithm") == 0) continue;
    (void)fprintf(out, json_is_true(value) ? " %s" : " %s=", key);
    if (!json_is_true(value)) print_value(out, value);
  }
  return fclose(out) == 0 ? text : (free(text), NULL);
}

char *describe_spec_text(const char *text) {
  json_t *spec = json_loads(text, 0, NULL);
  char *description = describe_spec(spec);
  json_decref(spec);
  return description;
}
