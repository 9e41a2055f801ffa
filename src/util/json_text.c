#include "util/json_text.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/base64.h"
#include "util/text.h"

/* How many bytes the character at the beginning has; 0 if it is none (RFC 3629: the shortest form of what
 * is neither a surrogate nor beyond U+10FFFF). */
static size_t character_length(const char *bytes) {
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

static bool is_utf8(const char *bytes) {
  size_t length;
  while (*bytes != '\0' && (length = character_length(bytes)) > 0) bytes += length;
  return *bytes == '\0';
}

json_t *json_text(const char *bytes) {
  if (is_utf8(bytes)) return json_string(bytes);
  text whole = {0};
  for (size_t length; *bytes != '\0'; bytes += length > 0 ? length : 1) {
    length = character_length(bytes);
    text_append(&whole, length > 0 ? bytes : "\xef\xbf\xbd", length > 0 ? length : 3);
  }
  char *mended = text_take(&whole);
  json_t *json = mended != NULL ? json_string(mended) : NULL;
  free(mended);
  return json;
}

int json_set_path(json_t *object, const char *name, const char *bytes) {
  if (json_object_set_new(object, name, json_text(bytes)) != 0) return -1;
  if (is_utf8(bytes)) return 0;
  char member[64], *exact = base64_encode(bytes, strlen(bytes));
  (void)snprintf(member, sizeof member, "%s_base64", name);
  const int failed = exact != NULL ? json_object_set_new(object, member, json_string(exact)) : -1;
  free(exact);
  return failed;
}
