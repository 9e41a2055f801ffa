/** What the host needs for kernels of one's own that use jig's collectives of grids:
 * docs/grid-collectives.md. */
#ifndef JIG_GRID_H
#define JIG_GRID_H

#include <jig/status.h>
#include <stddef.h>
#include <stdint.h>

JIG_BEGIN_DECLS

/**
 * How much global memory the tile states of a launch take, jig::ScanTileState<T>::bytes(num_tiles): to be
 * aligned to 128 bytes, and set to zero before each launch.
 *
 * @param state_size sizeof(T), 1 to 256
 * @param num_tiles  0 to 2^31 - 1
 * @param[out] bytes 0 for no tiles
 * @return JIG_SUCCESS or JIG_ERROR_INVALID_ARGUMENT
 */
JIG_API jig_status jig_tile_state_size(size_t state_size, uint64_t num_tiles, size_t *bytes);

JIG_END_DECLS

#endif
