/* A program's kernels, beyond those that it was obtained with: whoever needs one first builds and loads
 * it, and those that nobody has needed so far are compiled in the background.
 *
 * One thread of the process does that, of low priority, one kernel after the other. It only compiles, and
 * never talks to the driver: no context, stream capture or running kernel has to do with it. Calls load
 * what it has made. On a busy machine it may get next to nothing of a processor, and a thread without
 * rights cannot be given back its priority: so a call that needs what it is at looks how it gets on, and
 * compiles that itself if need be; and what calls compile takes its place among $JIG_JOBS. What another
 * process is compiling is left to that; if it is to replace a linked kernel (jit/first_tier.h), which no
 * call waits for, the background looks for it again. */
#ifndef JIG_ENGINE_KERNELS_H
#define JIG_ENGINE_KERNELS_H

#include "engine/engine.h"

/* Sees to it that kernels of a program of this engine are loaded. Those that another thread is at are
 * waited for, also while a stream is being captured; the background as long as it gets half a processor.
 */
jig_status kernels_have(jig_engine *engine, program *p, kernel_set needed);

/* Has the rest of a program that is in the table compiled in the background, if the engine has one,
 * anything may be compiled, and the process has compiled something. */
void kernels_begin_rest(jig_engine *engine, program *p);

/* Ends what is under way for an engine that is to be destroyed. A compilation is stopped where the
 * compiler can be (NVRTC from CUDA 12.9 on), and waited for otherwise. */
void kernels_forget(const jig_engine *engine);

/* Around a fork(): the child has no background thread. */
void kernels_before_fork(void);
void kernels_after_fork(void);
void kernels_in_child(void);

#endif
