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
  bool debug_sync;     /* $JIG_DEBUG_SYNC: wait for every launch and name the one that failed */
  unsigned generation; /* how often this process's ancestors had forked by then */
  uint64_t tag_seed;
  plan_limits limits;

  program_table programs;
  recorder specs; /* that calls have asked for */

  pthread_mutex_t mutex;         /* guards the pending builds, and additions to the table */
  struct pending_build *pending; /* programs being built */
  jig_engine_stats stats;        /* those that the build path counts; see engine_lock_stats() */

  _Alignas(64) _Atomic uint64_t calls; /* of algorithms */
  _Atomic uint64_t slow_calls;         /* those that did not find their program in memory */
  _Atomic uint64_t prefer_ptx; /* bit k: for devices of kind k the driver refused cubins and took PTX */
};

/* Puts the default engine in the place of NULL; fails as jig_engine_create() does, and leaves it NULL. */
jig_status engine_resolve(jig_engine **engine);

/* JIG_ERROR_FORKED if the engine was made before a fork() that led to this process. */
jig_status engine_check_fork(const jig_engine *engine);

/* Guard what is counted in engine->stats. */
void engine_lock_stats(void);
void engine_unlock_stats(void);

/* Counts a program that was compiled or found in the cache, and what loading it took; or one that could
 * not be had. */
void engine_count_program(jig_engine *engine, const spec *s, const artifacts *all, double load_ms);
void engine_count_failure(jig_engine *engine);

/* A 64-bit number that no other call of this process gets, made from the call's number in the engine; see
 * templates/jig/core/tile_state.cuh. */
uint64_t engine_tag(const jig_engine *engine, uint64_t call_number);

/* The program of a spec for the current context's device: from memory, else from the cache, else
 * compiled. On a miss the spec is checked; `who` is what its errors begin with. A program that is not in
 * memory is JIG_ERROR_NOT_BUILT while the stream is being captured. *in_memory says whether it was there.
 */
jig_status engine_program(jig_engine *engine, const spec *s, const char *who, CUstream stream,
                          program **p, bool *in_memory);

#endif
