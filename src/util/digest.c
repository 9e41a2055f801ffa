#include "util/digest.h"

void digest_begin(digester *d) {
  SHA256Init(&d->context);
}

void digest_add(digester *d, const void *bytes, size_t size) {
  if (size > 0) SHA256Update(&d->context, bytes, size);
}

digest digest_end(digester *d) {
  digest result;
  SHA256Final(result.bytes, &d->context);
  return result;
}

digest digest_of(const void *bytes, size_t size) {
  digester d;
  digest_begin(&d);
  digest_add(&d, bytes, size);
  return digest_end(&d);
}

static uint64_t big_endian(const unsigned char *bytes) {
  uint64_t word = 0;
  for (int i = 0; i < 8; ++i) word = word << 8 | bytes[i];
  return word;
}

hash128 digest_key(digest d) {
  return (hash128){.high = big_endian(d.bytes), .low = big_endian(d.bytes + 8)};
}

void digest_hex(digest d, char hex[DIGEST_HEX_SIZE]) {
  static const char digits[] = "0123456789abcdef";
  for (size_t i = 0; i < sizeof d.bytes; ++i) {
    hex[2 * i] = digits[d.bytes[i] >> 4];
    hex[2 * i + 1] = digits[d.bytes[i] & 15];
  }
  hex[DIGEST_HEX_SIZE - 1] = '\0';
}
