/* The names of the cache's files: from keys to names and back. Pure functions.
 *
 *   <2 hex>/<30 hex>-<compiler>.jig       an entry
 *   <2 hex>/<30 hex>.lock                 the lock of a key
 *   <2 hex>/.tmp-<pid>-<16 hex>           an entry being written
 *
 * Parsing is strict: each file has one spelling only (lower-case digits, no leading zeros), and a name
 * that is spelt in any other way is somebody else's, never to be read or removed. */
#ifndef JIG_STORE_LAYOUT_H
#define JIG_STORE_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "util/hash.h"

enum {
  LAYOUT_SHARDS = 256,
  LAYOUT_SHARD_SIZE = 3,     /* "a9" and its NUL */
  LAYOUT_COMPILER_SIZE = 16, /* "13.0", at most 15 characters */
  LAYOUT_NAME_SIZE = 64,     /* any name of a file */
  LAYOUT_PATH_SIZE = 3 + 64, /* shard, '/', name */
};

/* The directory in which this format's files are. */
#define LAYOUT_VERSION "v1"

typedef enum layout_kind { LAYOUT_FOREIGN, LAYOUT_ENTRY, LAYOUT_LOCK, LAYOUT_TEMPORARY } layout_kind;

typedef struct layout_name {
  layout_kind kind;
  hash128 key;                         /* of an entry or a lock */
  char compiler[LAYOUT_COMPILER_SIZE]; /* of an entry */
} layout_name;

/* The shard of a key is its first two digits. */
static inline unsigned layout_shard_of(hash128 key) {
  return (unsigned)(key.high >> 56);
}
void layout_shard(unsigned shard, char name[LAYOUT_SHARD_SIZE]);

/* False if the compiler's version is not one that a name can hold. */
bool layout_entry(hash128 key, const char *compiler, char name[LAYOUT_NAME_SIZE]);
void layout_lock(hash128 key, char name[LAYOUT_NAME_SIZE]);
void layout_temporary(pid_t pid, uint64_t random, char name[LAYOUT_NAME_SIZE]);

/* What a name found in a shard's directory stands for. */
layout_name layout_parse(unsigned shard, const char *name);

/* Orders versions by their numbers: "12.9" < "12.10" < "13.0". */
int layout_compare_compilers(const char *a, const char *b);

#endif
