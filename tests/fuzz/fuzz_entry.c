/* Entries of the cache: bytes that nobody wrote are told from those that somebody did; an entry that is
 * read gives the same bytes again. What a fuzzer would never guess, the hashes, is put right in every
 * second attempt, so that what they protect is looked at, too. */
#include "fuzz.h"
#include "store/entry.h"

enum { HEADER = 88, AT_BODY_HASH = 64, AT_HEADER_HASH = 80 };

static void put(uint8_t *at, uint64_t value) {
  for (int i = 0; i < 8; ++i) at[i] = (uint8_t)(value >> (8 * i));
}

static void put_right(uint8_t *bytes, size_t size) {
  if (size < HEADER) return;
  const hash128 body = hash_bytes(bytes + HEADER, size - HEADER);
  put(bytes + AT_BODY_HASH, body.low);
  put(bytes + AT_BODY_HASH + 8, body.high);
  put(bytes + AT_HEADER_HASH, XXH3_64bits(bytes, AT_HEADER_HASH));
}

static void decode(const uint8_t *bytes, size_t size) {
  entry e;
  hash128 key;
  const char *fault = entry_decode(bytes, size, &e, &key);
  if (fault == NULL) {
    size_t encoded_size = 0;
    unsigned char *encoded = entry_encode(&e, key, &encoded_size);
    MUST(encoded != NULL && encoded_size == size && memcmp(encoded, bytes, size) == 0);
    free(encoded);
    entry_free(&e);
  } else {
    MUST(e.record == NULL && e.meta == NULL && e.payload == NULL);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  uint8_t *copy = fuzz_bytes(data, size);
  decode(data, size);
  put_right(copy, size);
  decode(copy, size);
  free(copy);
  return 0;
}
