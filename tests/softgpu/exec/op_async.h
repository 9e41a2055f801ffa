/* cp.async, st.async, red.async and the bulk copies. */
#ifndef SOFTGPU_EXEC_OP_ASYNC_H
#define SOFTGPU_EXEC_OP_ASYNC_H

#include "exec/warp.h"

/* Frees what lanes have asked for by cp.async and not waited for. */
void copies_forget(warp *w, uint32_t lanes);

/* Behind cp.async.bulk and cp.reduce.async.bulk. */
bool decode_bulk(decoder *d, bool reduces);

#endif
