/* Texts that need not be UTF-8, such as paths, in JSON, which has no other strings. */
#ifndef JIG_UTIL_JSON_TEXT_H
#define JIG_UTIL_JSON_TEXT_H

#include <jansson.h>

/* A JSON string of the text; what is not UTF-8 is U+FFFD, one for each byte. A new reference, or NULL
 * when out of memory. */
json_t *json_text(const char *bytes);

/* Sets member `name` of an object to the text, and if it is not UTF-8 `name`_base64, too, to its very
 * bytes. 0, or -1 when out of memory. */
int json_set_path(json_t *object, const char *name, const char *bytes);

#endif
