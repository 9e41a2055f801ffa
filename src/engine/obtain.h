/* A program that is not in memory: from the cache, else from the compiler, as the driver takes it. */
#ifndef JIG_ENGINE_OBTAIN_H
#define JIG_ENGINE_OBTAIN_H

#include "engine/engine.h"

/* A new program, of a spec that lasts as long, with the kernels that are chosen, and those that the cache
 * has; without permission to build, with all. *unplanned: none were chosen, which is the failure. Machine
 * code for the device; PTX if the compiler is too old for the device or the driver refuses machine code.
 * What the driver refuses of what the cache has is passed over: entries of older compilers and other
 * layers come next, then the compiler, and what is damaged is set aside when there is another one in its
 * place. *p is the caller's. */
jig_status obtain_program(jig_engine *engine, const spec *s, const device_info *dev,
                          const kernel_choice *choice, program **p, bool *unplanned);

/* More of a program's kernels, all of which the caller has claimed; `given` are built already, and are
 * freed. The spec lasts, so that nothing of the caller's is needed. */
jig_status obtain_kernels(jig_engine *engine, program *p, kernel_set wanted, artifacts *given);

#endif
