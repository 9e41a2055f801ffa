/* What the files that implement store.h share. */
#ifndef JIG_STORE_INNER_H
#define JIG_STORE_INNER_H

#include <stdatomic.h>

#include "store/layer.h"
#include "store/store.h"
#include "store/usage.h"

enum { STORE_ERROR_SIZE = 128 };

struct store {
  layer *layers; /* [0] is the user's directory, the others are read-only */
  size_t layer_count;
  uint64_t max_size;
  atomic_uint_fast64_t evictions, faults;
  /* Change of size that could not be told to v1/usage, because it was busy; the next one tells it. */
  atomic_int_fast64_t untold;
  /* What v1/stats has not been told yet; under the mutex of the warnings. */
  store_stats uncounted;
  char warning[STORE_TEXT_SIZE];       /* about the user's directory */
  char layer_warning[STORE_TEXT_SIZE]; /* about the first read-only layer that is refused */
};

/* The text of an errno, in the caller's buffer or static. */
const char *store_error_text(int error, char buffer[STORE_ERROR_SIZE]);

/* What is wrong with a directory, or NULL: one that is not there is a problem only if it was to be made.
 */
const char *store_describe(const layer *l, const layer_problem *problem, bool make,
                           char said[STORE_TEXT_SIZE]);

/* Sets the warning about the user's directory; logs it if it is news. "" ends it. */
void store_warn(store *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Open v1, or one shard, of a layer; -1 on failure, after a warning if the reason is one. */
int store_open_version(store *s, size_t number, bool make);
int store_open_shard(store *s, size_t number, int version, hash128 key, bool make);

/* Tells `u` a change of size, with what could not be told before. */
void store_tell(store *s, usage *u, int64_t change);

/* Counts and logs an entry that turned out to be of no use. */
void store_count_fault(store *s, hash128 key, const char *compiler, const char *fault);

#endif
