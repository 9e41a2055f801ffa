/* What the plans of algorithms share whose blocks hand each other results. */
#ifndef JIG_ALGORITHM_TILE_STATE_H
#define JIG_ALGORITHM_TILE_STATE_H

#include <stddef.h>

/* Up to so many items somebody more likely waits for the result than queues more of the kind. */
enum { MAX_ITEMS_WITHOUT_PDL = 512 };

/* sizeof(jig::TileState<T>): half of every 8-byte word is tag, and words come in pairs. */
static inline size_t tile_state_bytes(size_t value_bytes) {
  return (value_bytes + 7) / 8 * 16;
}

#endif
