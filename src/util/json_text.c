#include "util/json_text.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/base64.h"
#include "util/text.h"

static bool is_utf8(const char *bytes) {
  return *text_past_utf8(bytes) == '\0';
}

json_t *json_text(const char *bytes) {
  if (is_utf8(bytes)) return json_string(bytes);
  text whole = {0};
  for (size_t length; *bytes != '\0'; bytes += length > 0 ? length : 1) {
    length = text_character_length(bytes);
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
