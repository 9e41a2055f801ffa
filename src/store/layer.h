/* A layer: one directory of the cache and the way down into it, checked at every step.
 *
 * Nothing stays open between calls: whoever removes or replaces a cache under a running program gets what
 * he expects, and a forked child inherits no descriptors. */
#ifndef JIG_STORE_LAYER_H
#define JIG_STORE_LAYER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "store/entry.h"
#include "store/files.h"
#include "store/layout.h"

typedef struct layer {
  char *path; /* absolute; NULL: there is none */
  bool ours;  /* the user's own directory, which may be written to, not a read-only layer */
} layer;

/* Why a directory could not be opened. */
typedef struct layer_problem {
  char place[8];      /* below the layer's path: "", "/v1" or "/v1/ab" */
  const char *reason; /* why it is not trusted, or NULL: then error is an errno; ENOENT is no fault */
  int error;
} layer_problem;

/* Opens <dir>/v1, or one shard of it; makes what is missing if asked to. -1, and why, on failure. */
int layer_open(const layer *l, bool make, layer_problem *problem);
int layer_open_shard(const layer *l, int version, unsigned shard, bool make, layer_problem *problem);

/* The newest compiler's entry of a key that is older than `compiler`, or the newest of all if that is "".
 * Replaces `compiler`. False if there is none. */
bool layer_next_older(int shard, hash128 key, char compiler[LAYOUT_COMPILER_SIZE]);

typedef enum layer_finding {
  LAYER_SOUND,
  LAYER_DAMAGED,   /* or not to be trusted: `fault` says what is wrong */
  LAYER_UNREADABLE /* absent, or not to be had now: `error` is an errno */
} layer_finding;

typedef struct layer_entry {
  entry content; /* of a sound one, the caller's to entry_free() */
  struct stat status;
  const char *fault;
  int error;
} layer_entry;

/* Reads and verifies the entry of a key and compiler: every byte is as it was written, under that key. */
layer_finding layer_read(const layer *l, int shard, hash128 key, const char *compiler, layer_entry *e);

typedef struct layer_file {
  int shard_fd;
  unsigned shard;
  const char *name;
  layout_name parsed;
} layer_file;

/* Shows every file that is ours by its name, shard by shard, until `visit` says false; then so does this
 * function. Files may be removed meanwhile. `tell` learns of each directory that could not be read, or
 * not to its end: what is in there was not shown. */
typedef bool (*layer_visit_fn)(void *user, const layer_file *file);
typedef void (*layer_tell_fn)(void *user, const layer_problem *problem);
bool layer_visit(const layer *l, int version, layer_visit_fn visit, layer_tell_fn tell, void *user);

#endif
