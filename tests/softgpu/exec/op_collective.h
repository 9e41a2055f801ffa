#ifndef SOFTGPU_EXEC_OP_COLLECTIVE_H
#define SOFTGPU_EXEC_OP_COLLECTIVE_H

#include "code/code.h"

/* bar.warp.sync, behind "bar.warp". */
bool decode_warp_sync(decoder *d);

#endif
