#include "util/text.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Makes room for `more` bytes and a NUL. */
static bool reserve(text *t, size_t more) {
  if (t->failed || more > SIZE_MAX / 4 - t->length) {
    t->failed = true;
    return false;
  }
  size_t needed = t->length + more + 1;
  if (needed <= t->capacity) return true;
  size_t capacity = needed < 256 ? 256 : needed * 2;
  char *data = realloc(t->data, capacity);
  if (data == NULL) {
    t->failed = true;
    return false;
  }
  t->data = data;
  t->capacity = capacity;
  return true;
}

void text_append(text *t, const char *bytes, size_t length) {
  if (!reserve(t, length)) return;
  memcpy(t->data + t->length, bytes, length);
  t->length += length;
  t->data[t->length] = '\0';
}

void text_add(text *t, const char *string) {
  text_append(t, string, strlen(string));
}

void text_format(text *t, const char *format, ...) {
  va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  int length = vsnprintf(NULL, 0, format, arguments);
  va_end(arguments);
  if (length < 0) {
    t->failed = true;
  } else if (reserve(t, (size_t)length)) {
    (void)vsnprintf(t->data + t->length, (size_t)length + 1, format, again);
    t->length += (size_t)length;
  }
  va_end(again);
}

/* RFC 3629: the shortest form of what is neither a surrogate nor beyond U+10FFFF. */
size_t text_character_length(const char *bytes) {
  const unsigned char *c = (const unsigned char *)bytes;
  if (c[0] < 0x80) return 1;
  const size_t length = c[0] >= 0xc2 && c[0] <= 0xdf   ? 2
                        : c[0] >= 0xe0 && c[0] <= 0xef ? 3
                        : c[0] >= 0xf0 && c[0] <= 0xf4 ? 4
                                                       : 0;
  for (size_t i = 1; i < length; ++i) {
    if ((c[i] & 0xc0) != 0x80) return 0; /* the NUL, too */
  }
  const bool overlong = (c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xf0 && c[1] < 0x90);
  const bool beyond = (c[0] == 0xed && c[1] > 0x9f) || (c[0] == 0xf4 && c[1] > 0x8f);
  return overlong || beyond ? 0 : length;
}

const char *text_past_utf8(const char *bytes) {
  size_t length;
  while (*bytes != '\0' && (length = text_character_length(bytes)) > 0) bytes += length;
  return bytes;
}

/* A character's bytes but the first, which has its column. */
static bool continues(char c) {
  return ((unsigned char)c & 0xc0) == 0x80;
}

void text_excerpt(text *t, const char *line, size_t length, int column) {
  enum { BEFORE = 120, AFTER = 80 };
  while (length > 0 && (line[length - 1] == '\r' || line[length - 1] == '\n')) --length;
  const size_t at = column > 1 ? (size_t)column - 1 : 0;
  size_t begin = at > BEFORE && at <= length ? at - BEFORE : 0;
  size_t end = length > at && length - at > AFTER ? at + AFTER : length;
  while (begin > 0 && continues(line[begin])) --begin;
  while (end < length && continues(line[end])) ++end;
  const char *cut = begin > 0 ? "... " : "";
  text_format(t, "\n  %s", cut);
  text_append(t, line + begin, end - begin);
  text_format(t, "%s\n  %*s", end < length ? " ..." : "", (int)strlen(cut), "");
  for (size_t i = begin; i < at; ++i) {
    const char c = i < length ? line[i] : ' ';
    if (!continues(c)) text_add(t, c == '\t' ? "\t" : " ");
  }
  text_add(t, "^");
}

char *text_take(text *t) {
  if (!t->failed) (void)reserve(t, 0);
  char *data = t->data;
  if (t->failed) {
    free(data);
    data = NULL;
  } else {
    data[t->length] = '\0';
  }
  *t = (text){0};
  return data;
}

void text_free(text *t) {
  free(t->data);
  *t = (text){0};
}
