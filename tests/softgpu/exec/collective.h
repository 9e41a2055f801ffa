/* Instructions that lanes of a warp execute together, wherever each of them is. */
#ifndef SOFTGPU_EXEC_COLLECTIVE_H
#define SOFTGPU_EXEC_COLLECTIVE_H

#include "exec/warp.h"

void collective_end(warp *w);

/* The members that lanes waiting at a collective instruction miss; 0 if they do not wait at one. */
uint32_t collective_missing(const warp *w, uint32_t lanes);

#endif
