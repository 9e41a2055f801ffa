/* One entry of the cache as bytes. Pure functions over memory: no file is touched here.
 *
 * All numbers are little-endian.
 *
 *   entry    = header record meta payload
 *   header   = magic[8] = "JIGCACHE"
 *              format      u32  = 1
 *              header size u32  = 88
 *              key         u64 low, u64 high
 *              record size u64, meta size u64, payload size u64     bytes; the entry is at most 1 GiB
 *              payload kind u32 (1 cubin, 2 PTX), reserved u32 = 0
 *              body hash   u64 low, u64 high    XXH3-128 of record, meta and payload together
 *              header hash u64                  XXH3-64 of the header's bytes before this field
 *   record   = canonical JSON: the whole request, with SHA-256 digests of what is long (jit/build.c)
 *   meta     = JSON: "arch", "compiler", "kernel", what else is worth knowing
 *   payload  = a cubin, or PTX with its final NUL
 *
 * The key is a hash of the record; a reader compares the whole record, so a collision is a miss. The
 * hashes in the header tell damage and nothing else: who may write an entry may write any. No path, time,
 * host or process is in an entry: a cache may be copied anywhere. */
#ifndef JIG_STORE_ENTRY_H
#define JIG_STORE_ENTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/hash.h"

enum { ENTRY_MAX_SIZE = 1 << 30 };

typedef enum payload_kind { PAYLOAD_CUBIN = 1, PAYLOAD_PTX = 2 } payload_kind;

typedef struct entry {
  char *record; /* NUL-terminated */
  char *meta;   /* NUL-terminated */
  unsigned char *payload;
  size_t payload_size;
  payload_kind kind;
  /* Where it is, which is not in its bytes: "13.0", part of the file's name; the number of its layer. */
  char compiler[16];
  size_t layer;
} entry;

/* Frees what an entry owns and empties it. */
void entry_free(entry *e);

/* The bytes of an entry, malloc'ed, or NULL when out of memory, too large, or not an entry that
 * entry_decode() would take (an unknown kind, PTX without its final NUL). */
unsigned char *entry_encode(const entry *e, hash128 key, size_t *size);

/* What is wrong with a file of so many bytes, as far as its first ENTRY_HEADER_SIZE tell, or all of them
 * if it is shorter: NULL, or what entry_decode() would answer. */
enum { ENTRY_HEADER_SIZE = 88 };
const char *entry_check_header(const unsigned char *bytes, size_t size, uint64_t file_size);

/* Takes bytes apart. NULL if they are a sound entry, then in *e, the caller's to entry_free(), and *key;
 * otherwise *e is empty and the answer is what is wrong with them ("truncated", ...), a static string,
 * or entry_no_memory itself, which says nothing about the bytes. */
extern const char entry_no_memory[];
const char *entry_decode(const unsigned char *bytes, size_t size, entry *e, hash128 *key);

#endif
