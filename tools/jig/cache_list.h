/* What is in the cache, read into memory. */
#ifndef JIG_CLI_CACHE_LIST_H
#define JIG_CLI_CACHE_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>
#include <jig/jig.h>

typedef struct cached {
  char *path, *key, *arch, *compiler, *fault;
  json_t *spec; /* NULL: damaged */
  uint64_t bytes;
  int64_t last_used;
  int layer;
  bool sound;
} cached;

typedef struct cache_list {
  cached *entries; /* by last use, the newest last */
  size_t count, capacity;
  bool failed; /* memory was short while it was read */
} cache_list;

/* Reads, and so checks, every entry of every layer. EXIT_OK, or having complained another code. A cache
 * directory that is not in use is a warning on stderr. */
int cache_list_read(cache_list *list);
void cache_list_free(cache_list *list);

/* The name of an entry's algorithm; "?" if it is damaged. */
const char *cached_algorithm(const cached *entry);

#endif
