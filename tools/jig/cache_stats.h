/* The cache's content, added up. */
#ifndef JIG_CLI_CACHE_STATS_H
#define JIG_CLI_CACHE_STATS_H

#include "cache_list.h"

/* {"entries", "bytes", "damaged", "oldest", "newest", "layers": [{"layer", "entries", "bytes"}],
 *  "algorithms": {name: {"entries", "bytes"}}}. Oldest and newest are seconds since the epoch of the last
 * uses, or null. The caller's to json_decref(). */
json_t *cache_stats(const cache_list *list);

/* Adds "hits", "misses", "kernels_found", "kernels_built", "build_ms" and, if it can be told, "saved_ms",
 * of all that have used the user's directory. */
void cache_stats_add_use(json_t *stats);

/* The same for people, on standard output. */
void cache_stats_print(const json_t *stats);

#endif
