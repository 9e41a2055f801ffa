/* Cryptographic digests (SHA-256, by libmd): what is too large to be kept and compared byte for byte is
 * known by one. Nobody can make two contents of one digest, which the hashes of hash.h do not promise. */
#ifndef JIG_UTIL_DIGEST_H
#define JIG_UTIL_DIGEST_H

#include <sha2.h>
#include <stddef.h>

#include "util/hash.h"

typedef struct digest {
  unsigned char bytes[SHA256_DIGEST_LENGTH];
} digest;

enum { DIGEST_HEX_SIZE = 2 * SHA256_DIGEST_LENGTH + 1 };

/* Of several pieces together. The caller keeps them apart, by their lengths or by what ends them. */
typedef struct digester {
  SHA2_CTX context;
} digester;
void digest_begin(digester *d);
void digest_add(digester *d, const void *bytes, size_t size);
digest digest_end(digester *d);

digest digest_of(const void *bytes, size_t size);

/* The first 128 bits: a name, for what is compared in full when it is found by that name. */
hash128 digest_key(digest d);

/* 64 hex digits and a NUL, as sha256sum prints them. */
void digest_hex(digest d, char hex[DIGEST_HEX_SIZE]);

#endif
