/* A program in the driver: its kernels, and what launching them takes. */
#ifndef JIG_JIT_PROGRAM_H
#define JIG_JIT_PROGRAM_H

#include <cuda.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include <jig/status.h>

#include "driver/driver.h"
#include "jit/build.h"

typedef struct loaded_kernel {
  const kernel_parameter *parameters; /* what a launch passes */
  CUlibrary library; /* NULL where the driver has only modules, which belong to one context */
  CUmodule module;
  /* A CUkernel in disguise if there is a library: it launches in any context. Another one takes the place
   * of one of the first tier. */
  _Atomic(CUfunction) function;
  CUlibrary first_library; /* what that one is of, which graphs and other threads may still launch */
  CUmodule first_module;
  policy tuning;
  unsigned shared_bytes; /* of a block's shared memory: what is asked for at the launch */
  /* Blocks of a cluster at most: a power of two; 1 where there are none. GPUs of one kind need not have
   * room for the same: it is what all contexts have that the kernel has become resident in. */
  atomic_uint max_cluster;
  struct own_limits *own; /* of a kernel of the user's own that is loaded; malloc'ed, or NULL */
} loaded_kernel;

/* Calls are planned by the kernels' tuning, which is there from the beginning. Kernels are loaded when a
 * call needs them. */
typedef struct program {
  loaded_kernel kernels[ALGORITHM_MAX_KERNELS];
  int count;
  _Atomic kernel_set loaded;    /* those that can be launched */
  _Atomic kernel_set linked;    /* of these, those of the first tier: first_tier.h */
  _Atomic kernel_set better;    /* of these, those that the background has built as well */
  const spec *s;                /* lasts as long as the program */
  arch target;                  /* which all kernels are tuned for, */
  const wisdom *tuned_by;       /* and by what; NULL: as their tables say */
  int multiprocessors;          /* that work is shared out for */
  bool can_pdl;                 /* see launch_shape */
  atomic_bool is_ptx;           /* some of it is, which the driver compiles for each context */
  pthread_mutex_t residence;    /* guards what `loaded` and the next one say together */
  _Atomic uint64_t resident_in; /* the latest context where all that is loaded is resident; 0: none */
  _Atomic(CUcontext) linked_in; /* where the first tier was loaded */
  atomic_bool stays_linked;     /* it is resident elsewhere, too, where nothing else would be */
  atomic_size_t variable_bytes; /* program_field_bytes(), once somebody has asked */
  const driver *cuda;
  /* What engine/kernels.c knows of kernels that are not loaded, under its lock. */
  kernel_set under_way;                   /* somebody builds or loads them */
  artifact *built[ALGORITHM_MAX_KERNELS]; /* in the background, for whoever needs it first; malloc'ed */
  /* The kernel of the user's own, which it is found by: engine/own_kernels.h. */
  _Atomic(struct jig_kernel *) own;
} program;

typedef struct launch_shape {
  unsigned grid;    /* blocks */
  unsigned threads; /* of a block; 0: the policy's, of which there are never more */
  /* Programmatic dependent launch: before the stream's previous kernel has completed, where the GPU can;
   * the kernel waits for that. On an H200 it shortens a queue of kernels by 0.2 to 0.8 us each, and
   * lengthens the wait for a single one by up to 0.9 us; the host is done with it 0.4 us earlier. */
  bool pdl;
  unsigned shared_bytes; /* 0: the policy's, of which there are never more */
  unsigned cluster; /* blocks of a cluster, by which the grid can be divided; 0 or 1: there are none */
} launch_shape;

/* Whether a failure is the driver's verdict on code, so that other code may fare better. */
typedef enum program_verdict {
  PROGRAM_ACCEPTED, /* or nothing is said of it */
  PROGRAM_UNFIT,    /* of no use here: to this driver, or to this device */
  PROGRAM_DAMAGED   /* of no use to anybody */
} program_verdict;

typedef struct program_refusal {
  program_verdict verdict;
  int kernel; /* of which the code was refused */
} program_refusal;

/* Makes a program of which nothing is loaded, tuned by that wisdom, which may be NULL and outlives it. */
void program_plan(program *p, const spec *s, const arch *target, const device_info *dev,
                  const wisdom *tuned_by);

/* Loads kernels of it for the current context's device. */
jig_status program_load(const artifacts *all, program *p, program_refusal *refusal);
void program_unload(program *p);

/* Of one that was malloc'ed; it is unloaded first if that can be done. */
void program_free(program *p);

/* Makes what is loaded resident in the current context, so that a later launch there loads nothing. */
jig_status program_make_resident(program *p);

/* How many bytes the fields have together that a decomposer makes of a key, which the compiler alone
 * knows: the size of a variable that every kernel has for that, of which one must be loaded. */
jig_status program_field_bytes(program *p, size_t *bytes);

jig_status program_launch(const program *p, int kernel, launch_shape shape, void **parameters,
                          CUstream stream);

/* The sizes of clusters of this thread's launches since the last time, as one number; 0 without any. */
uint64_t program_take_clusters(void);

#endif
