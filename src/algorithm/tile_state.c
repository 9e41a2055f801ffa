/* The size of tile states for kernels of a user's own: what jig::ScanTileState<T>::bytes() says. */
#include "algorithm/tile_state.h"

#include <jig/grid.h>
#include <limits.h>

#include "spec/type.h"
#include "util/error.h"

jig_status jig_tile_state_size(size_t state_size, uint64_t num_tiles, size_t *bytes) {
  error_clear();
  if (state_size == 0 || state_size > TYPE_HELD_SIZE)
    return error_set(JIG_ERROR_INVALID_ARGUMENT,
                     "jig_tile_state_size: state_size: a state has 1 to %d bytes, not %zu",
                     (int)TYPE_HELD_SIZE, state_size);
  if (num_tiles > INT_MAX)
    return error_set(JIG_ERROR_INVALID_ARGUMENT,
                     "jig_tile_state_size: num_tiles: a launch has up to %d tiles, not %llu", INT_MAX,
                     (unsigned long long)num_tiles);
  if (bytes == NULL)
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "jig_tile_state_size: bytes: the pointer is NULL");
  *bytes = (num_tiles + GROUP_TILES - 1) / GROUP_TILES * group_state_bytes(state_size) +
           num_tiles * tile_state_bytes(state_size);
  return JIG_SUCCESS;
}
