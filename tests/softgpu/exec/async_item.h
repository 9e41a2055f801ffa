/* Asynchronous work of a block: what bulk copies, st.async and red.async are to do when nobody looks. */
#ifndef SOFTGPU_EXEC_ASYNC_ITEM_H
#define SOFTGPU_EXEC_ASYNC_ITEM_H

#include "exec/async.h"
#include "exec/mbarrier.h"
#include "exec/op_atomic.h"

/* Global memory, or a block's shared memory. */
typedef struct async_place {
  bool is_shared;
  shared_place shared;
  uint64_t address;
} async_place;

typedef struct async_item {
  struct async_item *next;
  mbarrier_user user; /* who asked for it */
  async_place to, from;
  uint32_t size;
  atomic_form form; /* how to combine */
  bool reduces;     /* against copying */
  bool has_barrier; /* to be told of the bytes */
  shared_place barrier;
  bool has_group;
  uint32_t group; /* of the thread */
  unsigned delay; /* slices until it is due */
  uint8_t *data;  /* what was read, with its shadow behind it; NULL: not read yet */
} async_item;

/* Appends a copy of an item whose data, if any, become its own. False: no memory, which was reported. */
bool async_begin(const async_item *item);
/* Of a thread's groups: the one that is open, closing it, and completing all but the latest `left` closed
 * ones; reading: only what they read. False: a fault. */
uint32_t async_open_group(const mbarrier_user *u);
void async_close_group(const mbarrier_user *u);
bool async_wait_groups(const mbarrier_user *u, uint32_t left, bool reading);

#endif
