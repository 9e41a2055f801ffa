/* The on-disk cache: entries of bytes under 128-bit keys, in a user's directory and read-only layers.
 *
 * Knows bytes and keys only. A failure of the cache is never a failure of the caller: it is logged,
 * counted, and looks like a miss. Every function may be called by several threads at once.
 *
 * Layout of a layer:   <dir>/v1/<2 hex digits>/<30 hex digits>-<compiler>.jig
 * where the 32 digits are the key and <compiler> is the compiler's version, such as "13.0". A new format
 * is a new "v" directory. The user's directory also holds CACHEDIR.TAG (the standard mark that keeps
 * backups out), v1/usage (see usage.h), v1/stats (see stats.h), and while they are needed lock files and
 * temporary files. */
#ifndef JIG_STORE_STORE_H
#define JIG_STORE_STORE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jig/cache.h>

#include "store/entry.h"
#include "store/stats.h"
#include "util/hash.h"

typedef struct store store;

/* Of texts about files, with their paths. */
enum { STORE_TEXT_SIZE = PATH_MAX + 256 };

typedef struct store_config {
  const char *dir;    /* the user's directory; NULL: none. Made when first written to */
  const char *layers; /* read-only directories, separated by ':'; NULL: none */
  uint64_t max_size;  /* bytes; 0: no limit */
} store_config;

/* Copies the config; relative paths start at the present working directory. A directory that exists but
 * must not be used (not a directory, owned by somebody else, writable by others; a read-only layer may
 * also be root's) is left out, and store_warning() says why. NULL only when out of memory. */
store *store_open(const store_config *config);
void store_close(store *s);

/* From now on there is the user's directory alone. Before any other thread knows the store. */
void store_leave_layers(store *s);

/* Why the user's directory is not in use, or why the last write to it failed, or else why a read-only
 * layer was left out; "" if all is well. The text is copied into the caller's buffer. */
void store_warning(store *s, char *text, size_t size);

/* The user's directory, whether or not it exists or may be used; "" if there is none. */
const char *store_dir(const store *s);

/* Whether there is such a directory, made if need be, that this process may write to; it may be full. */
bool store_is_writable(store *s);

/* The read-only directory number 1, 2, ...; NULL past the last one. */
const char *store_layer_dir(const store *s, size_t number);

/* Looks a key up, layer by layer, the newest compiler's entry first, or only the given compiler's if
 * compiler is not NULL. What is found has been verified: every byte is as it was written, and its record
 * is equal to `record`. A damaged entry is counted and passed over; in the user's directory it is also
 * set aside (removed). On a hit, true, and *found is the caller's to entry_free(). */
bool store_get(store *s, hash128 key, const char *record, const char *compiler, entry *found);

/* Entries that have turned out to be of no use. */
typedef struct store_place {
  hash128 key;
  char compiler[sizeof((entry *)NULL)->compiler];
  size_t layer;
} store_place;
typedef struct store_places {
  store_place *all; /* malloc'ed */
  size_t count, capacity;
} store_places;
bool store_places_add(store_places *places, const store_place *place); /* false when out of memory */
void store_places_free(store_places *places);

/* The same as store_get(), but for those entries, which are passed over; `but` may be NULL. */
bool store_get_but(store *s, hash128 key, const char *record, const char *compiler,
                   const store_places *but, entry *found);

/* Writes an entry to the user's directory, replacing one of the same key and compiler, so that a reader
 * sees the old one, the new one or none, whatever happens meanwhile; then keeps the size within its
 * limit. False if it could not be written; store_warning() says why. The compiler's version must be
 * numbers with dots between them, without leading zeros; anything else is refused. */
bool store_put(store *s, hash128 key, const entry *e);

/* Counts a verified entry that turned out to be of no use (the driver refused it) as a fault and, if it
 * is in the user's directory, removes it. One in a read-only layer stays, behind the one that is put
 * next. */
void store_set_aside(store *s, const store_place *place);

/* One builder per key, across threads and processes: waits until nobody else holds the key's lock, or
 * for at most timeout_ms. The lock of a process that died is free. Where locks do not work, or time is
 * up, the caller goes on without: store_unlock_key() takes whatever store_lock_key() returned. */
typedef struct store_lock {
  int fd;    /* -1: not held */
  bool busy; /* that is because somebody else has it still */
} store_lock;
store_lock store_lock_key(store *s, hash128 key, int timeout_ms);
void store_unlock_key(store *s, hash128 key, store_lock lock);

/* What could not be read or removed: how many files and directories, and what is wrong with the first. */
typedef struct store_troubles {
  uint64_t count;
  char first[STORE_TEXT_SIZE];
} store_troubles;

/* Shows every entry of every layer, sound or not. The first non-zero answer of visit ends the walk. Tells
 * of the directories that could not be looked into; `troubles` may be NULL. */
void store_walk(store *s, jig_cache_visit_fn visit, void *user, store_troubles *troubles);

/* Removes all entries of the user's directory, and all locks and temporary files that nobody holds.
 * Returns how many entries; what others remove meanwhile is theirs to count. Tells of what could not be
 * removed; `troubles` may be NULL. */
uint64_t store_clear(store *s, store_troubles *troubles);

/* Counts, in memory, what calls had of the cache and what they had to build. */
void store_count(store *s, const store_stats *change);
/* Adds that to v1/stats of the user's directory, if that is there and not busy; and what all have
 * counted. */
void store_add_stats(store *s);
store_stats store_get_stats(store *s);

typedef struct store_counts {
  uint64_t evictions, faults;
} store_counts;
store_counts store_get_counts(const store *s);

#endif
