/* From a spec to machine code: policy, key, the cache, and the compiler if need be. Needs no driver. */
#ifndef JIG_JIT_BUILD_H
#define JIG_JIT_BUILD_H

#include <stdbool.h>

#include <jig/status.h>

#include "jit/algorithm.h"
#include "jit/arch.h"
#include "jit/compiler.h"
#include "jit/header_source.h"
#include "policy/wisdom.h"
#include "store/store.h"

/* Under which conditions programs are built. */
typedef struct build_settings {
  store *cache;
  const wisdom *wisdom;               /* how programs are tuned; NULL: as their tables say */
  bool never;                         /* only from the cache */
  bool exact_compiler;                /* only what the installed compiler made */
  bool first_tier;                    /* what no cache has may be linked: first_tier.h */
  struct linked_operators *operators; /* that kernels share which are linked; NULL: each has its own */
  bool relocatable;                   /* operators are called, and linked later */
  const store_places *refused;        /* entries of the cache that are passed over; NULL: none */
  /* Not NULL: nobody waits for what is built. It is given up once this stops, and left to whoever is
   * building the same. */
  background_work *background;
  unsigned jobs;
  header_source headers;
  char **options; /* the user's, for the compiler; ends with NULL */
  char *dump;     /* a folder for sources, logs and results; NULL: none */
} build_settings;

/* A built program, not yet loaded. */
typedef struct artifact {
  const char *name; /* of the kernel */
  arch target;
  policy tuning;
  hash128 key;
  unsigned char *payload; /* malloc'ed */
  size_t payload_size;
  kernel_cost cost;
  char compiler[16]; /* the version that made it */
  bool from_cache;
  size_t layer;      /* of the cache, if it is from there */
  bool kept;         /* it is in the cache now */
  bool linked;       /* of the first tier */
  double compile_ms; /* 0 if from the cache */
} artifact;
void artifact_free(artifact *a);

/* Builds one of a spec's kernels for one target, looking in the cache first. JIG_ERROR_NOT_BUILT names
 * the spec. */
jig_status build_kernel(const build_settings *settings, const spec *s, const kernel_row *kernel,
                        const arch *target, artifact *a);

/* Kernels of a spec, in the order of the algorithm's rows. */
typedef struct artifacts {
  artifact of[ALGORITHM_MAX_KERNELS];
  kernel_set built; /* those that are there */
} artifacts;
void artifacts_free(artifacts *all);

/* Builds those that are wanted and not there, side by side. On failure there is nothing to free. */
jig_status build(const build_settings *settings, const spec *s, const arch *target, kernel_set wanted,
                 artifacts *all);

/* The same from none, but only if the cache has all of them; false, with no error set, if it does not. */
bool build_from_cache(const build_settings *settings, const spec *s, const arch *target,
                      kernel_set wanted, artifacts *all);

/* The texts that would be compiled, one after the other; malloc'ed. */
jig_status build_source(const build_settings *settings, const spec *s, const arch *target, char **source);

#endif
