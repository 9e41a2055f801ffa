/* A program that is not in memory: from the cache, else from the compiler, as the driver takes it. */
#ifndef JIG_ENGINE_OBTAIN_H
#define JIG_ENGINE_OBTAIN_H

#include "engine/engine.h"

/* Machine code for the device; PTX if the compiler is too old for the device or the driver refuses
 * machine code. What the driver refuses of what the cache has is passed over: entries of older compilers
 * and other layers come next, then the compiler, and what is damaged is set aside when there is another
 * one in its place. *p is the caller's. */
jig_status obtain_program(jig_engine *engine, const spec *s, const device_info *dev, program **p);

#endif
