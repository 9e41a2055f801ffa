/* What reduce, scan, select and histogram do with a chunk, and what they carry from one to the next. */
#ifndef JIG_CLI_CHUNK_METHODS_H
#define JIG_CLI_CHUNK_METHODS_H

#include "chunks.h"

/* One of the chunks that are under way. Each has its stream. */
typedef struct chunk_slot {
  CUstream stream;
  CUevent begun, copied, computed;
  unsigned char *host_in, *device_in;
  unsigned char *host_out, *device_out;     /* an item for each */
  unsigned char *host_small, *device_small; /* counts */
  uint64_t items, out_items;                /* 0 items: it is free */
  bool is_collected;
} chunk_slot;

typedef struct chunk_method chunk_method;
typedef struct chunk_state {
  const chunk_method *method;
  uint64_t room;
  run_array *output; /* an item for each; NULL: there is none */
  size_t small_bytes;
  jig_reduce_args fold; /* of reduce and scan */
  unsigned char *carry; /* device memory: what all chunks so far have been folded to */
  bool has_carry;
  uint64_t kept;         /* of select */
  unsigned char *counts; /* of histogram, added up; like small ones */
} chunk_state;

struct chunk_method {
  const char *name, *output;
  /* Has the programs, for `room` items, and says how many small bytes there are. */
  int (*prepare)(chunk_run *c, chunk_state *s);
  /* Enqueues its kernels. Inputs are pointed to. */
  int (*enqueue)(chunk_run *c, chunk_state *s, chunk_slot *slot);
  /* Takes the small ones, once they are in host memory, and says how many items are out. */
  int (*take)(chunk_run *c, chunk_state *s, chunk_slot *slot);
  /* Puts into outputs what there is one of. */
  int (*finish)(chunk_run *c, chunk_state *s);
};

/* The method of an algorithm. */
const chunk_method *chunk_method_named(const char *name);

#endif
