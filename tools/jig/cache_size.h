/* How large a cache directory is, by its files' sizes: none of them is read. */
#ifndef JIG_CLI_CACHE_SIZE_H
#define JIG_CLI_CACHE_SIZE_H

#include <stdint.h>

typedef struct cache_size {
  uint64_t entries, bytes;
} cache_size;

/* Of what cannot be looked into, nothing. */
cache_size cache_size_of(const char *directory);

#endif
