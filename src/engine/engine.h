/* The engine as the algorithms see it. */
#ifndef JIG_ENGINE_ENGINE_H
#define JIG_ENGINE_ENGINE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include <jig/engine.h>

#include "engine/plan_limits.h"
#include "engine/record.h"
#include "engine/table.h"
#include "jit/build.h"

struct pending_build;

struct jig_engine {
  /* Set when the engine is made. */
  build_settings build;
  jig_allocate_fn allocate;
  jig_release_fn release;
  void *allocator_user;
  bool has_ranges;     /* an NVTX range for every call */
  bool background;     /* kernels that no call has needed are compiled */
  double patience_ms;  /* how long a call looks at how the background gets on; for tests to set */
  bool debug_sync;     /* $JIG_DEBUG_SYNC: wait for every launch and name the one that failed */
  unsigned generation; /* how often this process's ancestors had forked by then */
  uint64_t tag_seed;
  plan_limits limits;
  wisdom known; /* build.wisdom, if there is any */

  program_table programs;
  recorder specs; /* that calls have asked for */

  pthread_mutex_t mutex; /* guards the pending builds, and additions to the table and the kernels */
  struct pending_build *pending; /* programs being built */
  struct jig_kernel *kernels;    /* of the users' own: own_kernels.h */
  jig_engine_stats stats;        /* those that the build path counts; see engine_lock_stats() */

  _Alignas(64) _Atomic uint64_t calls; /* of algorithms */
  _Atomic uint64_t slow_calls;         /* those that did not find their program in memory */
  _Atomic uint64_t misplanned; /* of tests: launches that no plan tells of, and the other way round */
  _Atomic uint64_t prefer_ptx; /* bit k: for devices of kind k the driver refused cubins and took PTX */
};

/* Puts the default engine in the place of NULL; fails as jig_engine_create() does, and leaves it NULL. */
jig_status engine_resolve(jig_engine **engine);

/* The user's own wisdom, malloc'ed: $XDG_CONFIG_HOME/jig/wisdom, else ~/.config/jig/wisdom. NULL: there
 * is neither, or no memory. */
char *engine_wisdom_file(void);

/* Gives an engine that nobody has used yet wisdom in the place of its own; takes it over. */
void engine_take_wisdom(jig_engine *engine, wisdom *known);

/* JIG_ERROR_FORKED if the engine was made before a fork() that led to this process. */
jig_status engine_check_fork(const jig_engine *engine);

/* Guard what is counted in engine->stats. */
void engine_lock_stats(void);
void engine_unlock_stats(void);

/* Counts kernels that were compiled or found in the cache, and what loading them took; as those of a new
 * program, unless `s` is NULL. Or something that could not be had. */
void engine_count_kernels(jig_engine *engine, const spec *s, const artifacts *all, double load_ms);

/* Counts for `jig cache stats`: kernels that a call wanted, likewise, or that were built beforehand. */
void engine_count_in_cache(jig_engine *engine, bool wanted, const spec *s, const artifacts *all);
void engine_count_failure(jig_engine *engine);

/* Counts a kernel that was built in the background, which then is not counted again. */
void engine_count_background(jig_engine *engine, artifact *a);

/* Counts a call, `who`, that did not find in memory what it needed; tells of long ones. */
void engine_count_wait(jig_engine *engine, const char *who, double ms);

/* A 64-bit number that no other call of this process gets, made from the call's number in the engine; see
 * templates/jig/core/tile_state.cuh. */
uint64_t engine_tag(const jig_engine *engine, uint64_t call_number);

/* Which kernels of a program a call needs, by the program's tuning, as far as that can be told before any
 * is loaded; none: all. It may be asked several times, of other tunings. */
typedef struct kernel_choice {
  jig_status (*choose)(void *user, program *p, kernel_set *needed);
  void *user;
} kernel_choice;

/* Where programs are loaded that can be launched in the current context: a kind of devices, or, where the
 * driver has no libraries, that context. */
jig_status engine_place(uint64_t *place);

/* The program of a spec for the current context's device: from memory, else from the cache, else
 * compiled, as far as the call needs it. On a miss the spec is checked; `who` is what its errors begin
 * with. While the stream is being captured, a program that is not in memory and that nobody is building
 * is JIG_ERROR_NOT_BUILT. *in_memory says whether it was there; if not, *slow_since is when that turned
 * out, unless it is set already. */
jig_status engine_program(jig_engine *engine, const spec *s, const char *who, CUstream stream,
                          const kernel_choice *choice, program **p, bool *in_memory, double *slow_since);

#endif
