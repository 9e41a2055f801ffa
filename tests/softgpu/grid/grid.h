/* Kernels in execution: what to launch, and the workers that execute its blocks. */
#ifndef SOFTGPU_GRID_GRID_H
#define SOFTGPU_GRID_GRID_H

#include <cuda.h>
#include <stdbool.h>
#include <stdint.h>

struct kernel;

typedef struct grid_launch {
  const struct kernel *kernel;
  int device;
  unsigned blocks[3], threads[3];
  unsigned cluster[3]; /* 1, 1, 1: no clusters */
  unsigned dynamic_shared_bytes;
  unsigned char *params; /* kernel->param_bytes of them; the grid's from grid_begin() on */
  uint64_t id;           /* %gridid */
  struct watch *watch;   /* what its accesses are looked at for; NULL: nothing. The caller's */
  /* All of these are called on a worker, without any lock held. */
  void (*triggered)(void *data); /* once: every block has called griddepcontrol.launch_dependents or is
                                  * over; before done(). May be NULL. */
  bool (*may_pass)(void *data);  /* whether griddepcontrol.wait has nothing more to wait for. May be NULL:
                                  * always. */
  void (*done)(void *data, CUresult result); /* the last call: every block is over. result as the real
                                              * driver has it: CUDA_ERROR_ILLEGAL_ADDRESS, ... */
  void *data;
} grid_launch;

/* Has the blocks executed from now on; returns at once. The launch has been checked by the caller. */
void grid_begin(const grid_launch *launch);

/* Has run(data) executed by a worker; returns at once. */
void pool_task(void (*run)(void *data), void *data);

/* The calling worker's number, from 0. */
unsigned grid_worker(void);

/* How many blocks an SM of the software GPU holds at once. */
int grid_blocks_per_sm(const struct kernel *k, unsigned threads_per_block, uint64_t dynamic_shared_bytes);

#endif
