/* Bytes as text: RFC 4648, section 4, the alphabet with + and /, padded. */
#ifndef JIG_UTIL_BASE64_H
#define JIG_UTIL_BASE64_H

#include <stddef.h>

/* NUL-terminated and malloc'ed; NULL when out of memory. */
char *base64_encode(const void *bytes, size_t size);

/* malloc'ed, *size bytes; NULL if the text is no base64, or when out of memory. */
unsigned char *base64_decode(const char *text, size_t *size);

#endif
