/* Copies that go on while the threads that asked for them do something else.
 *
 * To show where a wait is missing, the destination counts as unset until a copy is complete, and data are
 * read and written no sooner than somebody may rely on it. */
#ifndef SOFTGPU_EXEC_ASYNC_H
#define SOFTGPU_EXEC_ASYNC_H

#include "exec/warp.h"

/* Bulk copies get on; must: nothing else can happen, so one of them has to be completed. Once the block's
 * threads are over, all are completed, and those that still need its shared memory are reported. Whether
 * there were any. */
bool async_progress(block *b, bool must);
/* Frees what is left. */
void async_end(block *b);

/* st.async and red.async, behind those parts. */
bool decode_st_async(decoder *d);
bool decode_red_async(decoder *d);

#endif
