#include "util/base64.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

char *base64_encode(const void *bytes, size_t size) {
  const unsigned char *in = bytes;
  char *text = malloc(size / 3 * 4 + 5), *out = text;
  if (text == NULL) return NULL;
  for (size_t i = 0; i < size; i += 3) {
    const size_t left = size - i;
    const uint32_t group =
        (uint32_t)in[i] << 16 | (left > 1 ? (uint32_t)in[i + 1] << 8 : 0) | (left > 2 ? in[i + 2] : 0u);
    *out++ = alphabet[group >> 18];
    *out++ = alphabet[group >> 12 & 63];
    *out++ = left > 1 ? alphabet[group >> 6 & 63] : '=';
    *out++ = left > 2 ? alphabet[group & 63] : '=';
  }
  *out = '\0';
  return text;
}

/* Four characters, the last `padding` of which are '='; false if they are not of the alphabet, or have
 * bits set that are not part of any byte. */
static bool decode_group(const char *text, int padding, unsigned char out[3]) {
  uint32_t group = 0;
  for (int i = 0; i < 4; ++i) {
    const char *found = i < 4 - padding ? memchr(alphabet, text[i], sizeof alphabet - 1) : alphabet;
    if (found == NULL) return false;
    group = group << 6 | (uint32_t)(found - alphabet);
  }
  for (int i = 0; i < 3; ++i) out[i] = (unsigned char)(group >> (16 - 8 * i));
  return (group & ((1u << 8 * padding) - 1)) == 0;
}

unsigned char *base64_decode(const char *text, size_t *size) {
  const size_t length = strlen(text);
  if (length % 4 != 0) return NULL;
  const int padding = length == 0 ? 0 : (text[length - 1] == '=') + (text[length - 2] == '=');
  unsigned char *bytes = malloc(length / 4 * 3 + 1);
  for (size_t i = 0; bytes != NULL && i < length; i += 4) {
    if (decode_group(text + i, i + 4 == length ? padding : 0, bytes + i / 4 * 3)) continue;
    free(bytes);
    return NULL;
  }
  *size = length / 4 * 3 - (size_t)padding;
  return bytes;
}
