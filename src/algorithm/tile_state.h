/* What the plans of algorithms share whose blocks hand each other results. */
#ifndef JIG_ALGORITHM_TILE_STATE_H
#define JIG_ALGORITHM_TILE_STATE_H

#include <stddef.h>

#include "util/integer.h"

/* Up to so many items somebody more likely waits for the result than queues more of the kind. */
enum { MAX_ITEMS_WITHOUT_PDL = 512 };

/* sizeof(jig::TileState<T>): half of every 8-byte word is tag, and words come in pairs. */
static inline size_t tile_state_bytes(size_t value_bytes) {
  return (value_bytes + 7) / 8 * 16;
}

/* jig::group_tiles, and sizeof(jig::GroupState<T>): what a group of tiles comes to, and with all before
 * it. */
enum { GROUP_TILES = 32 };
static inline size_t group_state_bytes(size_t value_bytes) {
  return align_up(2 * tile_state_bytes(value_bytes), 128);
}

#endif
