/* The codec of entry.h: bytes in, an entry out, and back.
 *
 * Every number is put and got byte by byte, so that the bytes do not depend on the machine. The header is
 * verified by its own hash before any size in it is believed, and the sizes must add up to the number of
 * bytes that are there before anything is allocated: no input makes this file read past its end or ask
 * for more memory than the input itself has bytes. */
#include "store/entry.h"

#include <stdlib.h>
#include <string.h>

enum { FORMAT = 1, HEADER_SIZE = ENTRY_HEADER_SIZE };

/* Where in the header each field starts. */
enum {
  AT_MAGIC = 0,
  AT_FORMAT = 8,
  AT_HEADER_SIZE = 12,
  AT_KEY = 16,
  AT_RECORD_SIZE = 32,
  AT_META_SIZE = 40,
  AT_PAYLOAD_SIZE = 48,
  AT_KIND = 56,
  AT_RESERVED = 60,
  AT_BODY_HASH = 64,
  AT_HEADER_HASH = 80,
};

static const char magic[] = "JIGCACHE";
enum { MAGIC_SIZE = sizeof magic - 1 };

const char entry_no_memory[] = "out of memory";

typedef struct header {
  hash128 key, body_hash;
  uint64_t record_size, meta_size, payload_size;
  uint32_t kind;
} header;

/* ---- numbers ---- */

static void put_u32(unsigned char *at, uint32_t value) {
  for (int i = 0; i < 4; ++i) at[i] = (unsigned char)(value >> (8 * i));
}

static void put_u64(unsigned char *at, uint64_t value) {
  for (int i = 0; i < 8; ++i) at[i] = (unsigned char)(value >> (8 * i));
}

static void put_hash(unsigned char *at, hash128 value) {
  put_u64(at, value.low);
  put_u64(at + 8, value.high);
}

static uint32_t get_u32(const unsigned char *at) {
  uint32_t value = 0;
  for (int i = 0; i < 4; ++i) value |= (uint32_t)at[i] << (8 * i);
  return value;
}

static uint64_t get_u64(const unsigned char *at) {
  uint64_t value = 0;
  for (int i = 0; i < 8; ++i) value |= (uint64_t)at[i] << (8 * i);
  return value;
}

static hash128 get_hash(const unsigned char *at) {
  return (hash128){.low = get_u64(at), .high = get_u64(at + 8)};
}

/* ---- what both directions share ---- */

/* The size of the whole entry, or 0 if it is more than an entry may have. Each part is bounded first, so
 * that the sum cannot wrap. */
static size_t whole_size(uint64_t record, uint64_t meta, uint64_t payload) {
  if (record > ENTRY_MAX_SIZE || meta > ENTRY_MAX_SIZE || payload > ENTRY_MAX_SIZE) return 0;
  uint64_t size = HEADER_SIZE + record + meta + payload;
  return size <= ENTRY_MAX_SIZE ? (size_t)size : 0;
}

static uint64_t header_hash(const unsigned char *bytes) {
  return XXH3_64bits(bytes, AT_HEADER_HASH);
}

/* What is wrong with a payload of this kind; NULL if nothing is. The driver reads PTX up to its NUL. */
static const char *payload_fault(uint32_t kind, const unsigned char *payload, size_t size) {
  if (kind == PAYLOAD_CUBIN) return NULL;
  if (kind != PAYLOAD_PTX) return "unknown payload kind";
  return size > 0 && payload[size - 1] == '\0' ? NULL : "PTX without its final NUL";
}

/* ---- encoding ---- */

static void append(unsigned char **at, const void *bytes, size_t size) {
  if (size > 0) memcpy(*at, bytes, size);
  *at += size;
}

unsigned char *entry_encode(const entry *e, hash128 key, size_t *size) {
  const char *record = e->record != NULL ? e->record : "";
  const char *meta = e->meta != NULL ? e->meta : "";
  size_t record_size = strlen(record), meta_size = strlen(meta);
  size_t total = whole_size(record_size, meta_size, e->payload_size);
  if (total == 0 || payload_fault((uint32_t)e->kind, e->payload, e->payload_size) != NULL) return NULL;
  unsigned char *bytes = malloc(total);
  if (bytes == NULL) return NULL;

  unsigned char *at = bytes + HEADER_SIZE;
  append(&at, record, record_size);
  append(&at, meta, meta_size);
  append(&at, e->payload, e->payload_size);

  memcpy(bytes + AT_MAGIC, magic, MAGIC_SIZE);
  put_u32(bytes + AT_FORMAT, FORMAT);
  put_u32(bytes + AT_HEADER_SIZE, HEADER_SIZE);
  put_hash(bytes + AT_KEY, key);
  put_u64(bytes + AT_RECORD_SIZE, record_size);
  put_u64(bytes + AT_META_SIZE, meta_size);
  put_u64(bytes + AT_PAYLOAD_SIZE, e->payload_size);
  put_u32(bytes + AT_KIND, (uint32_t)e->kind);
  put_u32(bytes + AT_RESERVED, 0);
  put_hash(bytes + AT_BODY_HASH, hash_bytes(bytes + HEADER_SIZE, total - HEADER_SIZE));
  put_u64(bytes + AT_HEADER_HASH, header_hash(bytes));
  *size = total;
  return bytes;
}

/* ---- decoding ---- */

/* Magic, format and header size come before the header's hash: an entry of another format may keep its
 * hash elsewhere, and should be told from a damaged one. */
static const char *get_header(const unsigned char *bytes, size_t size, header *h) {
  if (size < MAGIC_SIZE) return "truncated";
  if (memcmp(bytes + AT_MAGIC, magic, MAGIC_SIZE) != 0) return "not a jig cache entry";
  if (size < HEADER_SIZE) return "truncated";
  if (get_u32(bytes + AT_FORMAT) != FORMAT) return "unknown format";
  if (get_u32(bytes + AT_HEADER_SIZE) != HEADER_SIZE) return "wrong header size";
  if (get_u64(bytes + AT_HEADER_HASH) != header_hash(bytes)) return "damaged header";
  *h = (header){
      .key = get_hash(bytes + AT_KEY),
      .body_hash = get_hash(bytes + AT_BODY_HASH),
      .record_size = get_u64(bytes + AT_RECORD_SIZE),
      .meta_size = get_u64(bytes + AT_META_SIZE),
      .payload_size = get_u64(bytes + AT_PAYLOAD_SIZE),
      .kind = get_u32(bytes + AT_KIND),
  };
  return get_u32(bytes + AT_RESERVED) == 0 ? NULL : "reserved field in use";
}

static const char *check_size(const header *h, uint64_t size) {
  const size_t expected = whole_size(h->record_size, h->meta_size, h->payload_size);
  if (expected == 0) return "impossible sizes";
  if (size < expected) return "truncated";
  return size > expected ? "trailing bytes" : NULL;
}

const char *entry_check_header(const unsigned char *bytes, size_t size, uint64_t file_size) {
  header h;
  const char *fault = get_header(bytes, size, &h);
  return fault == NULL ? check_size(&h, file_size) : fault;
}

static const char *check_body(const unsigned char *bytes, size_t size, const header *h) {
  const unsigned char *record = bytes + HEADER_SIZE;
  if (!hash_equal(hash_bytes(record, size - HEADER_SIZE), h->body_hash)) return "damaged body";
  const unsigned char *meta = record + h->record_size;
  if (memchr(record, '\0', (size_t)h->record_size) != NULL) return "NUL in the record";
  if (memchr(meta, '\0', (size_t)h->meta_size) != NULL) return "NUL in the meta data";
  return payload_fault(h->kind, meta + h->meta_size, (size_t)h->payload_size);
}

/* A NUL is added, which costs nothing where it is not needed and spares malloc(0). */
static void *copy(const unsigned char *bytes, uint64_t size) {
  char *copied = malloc((size_t)size + 1);
  if (copied == NULL) return NULL;
  memcpy(copied, bytes, (size_t)size);
  copied[size] = '\0';
  return copied;
}

const char *entry_decode(const unsigned char *bytes, size_t size, entry *e, hash128 *key) {
  *e = (entry){0};
  header h;
  const char *fault = get_header(bytes, size, &h);
  if (fault == NULL) fault = check_size(&h, size);
  if (fault == NULL) fault = check_body(bytes, size, &h);
  if (fault != NULL) return fault;

  const unsigned char *body = bytes + HEADER_SIZE;
  e->record = copy(body, h.record_size);
  e->meta = copy(body + h.record_size, h.meta_size);
  e->payload = copy(body + h.record_size + h.meta_size, h.payload_size);
  if (e->record == NULL || e->meta == NULL || e->payload == NULL) {
    entry_free(e);
    return entry_no_memory;
  }
  e->payload_size = (size_t)h.payload_size;
  e->kind = (payload_kind)h.kind;
  *key = h.key;
  return NULL;
}

void entry_free(entry *e) {
  free(e->record);
  free(e->meta);
  free(e->payload);
  *e = (entry){0};
}
