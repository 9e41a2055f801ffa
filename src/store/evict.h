/* Keeps the user's directory within its size. */
#ifndef JIG_STORE_EVICT_H
#define JIG_STORE_EVICT_H

#include <stdint.h>

#include "store/layer.h"
#include "store/usage.h"

/* Counts all entries and, if they have more than max_size bytes, removes the least recently used until
 * they have at most nine tenths of it. The entry of `key` and `compiler`, just written, is not touched.
 * Sweeps what dead processes left. Tells `u` the new total, or that it is not known, if a directory could
 * not be read; returns how many entries were removed. */
uint64_t evict_trim(const layer *l, int version, uint64_t max_size, hash128 key, const char *compiler,
                    usage *u);

#endif
