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

/* Reads, and so checks, every entry of every layer. EXIT_OK, or having complained another code, if a
 * directory could not be read or is not in use: the list then has what is in the others. */
int cache_list_read(cache_list *list);
int cache_list_read_quietly(cache_list *list); /* the same, without a complaint about directories */
void cache_list_free(cache_list *list);

/* The name of an entry's algorithm; "?" if it is damaged. */
const char *cached_algorithm(const cached *entry);

#endif
