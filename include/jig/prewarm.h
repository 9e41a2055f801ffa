/**
 * Specs and prewarming: building programs without running them, on a machine with or without a GPU.
 *
 * A spec is the text (one line of JSON) of everything that decides what is compiled for a call, and of
 * nothing else: no pointers, no counts, no devices. Each algorithm has a function that writes the spec of
 * its args; jig_prewarm() puts what it takes into the cache: a program, or several, as some calls take
 * more than one (a sorted jig_top_k() a merge sort's, too). A call finds all its programs there after its
 * own spec was prewarmed for its GPU, whatever its counts, pointers and values.
 *
 * $JIG_RECORD=<file> has an application write specs itself: a line for each program that an algorithm
 * asks for, once for each engine, appended to what is in the file. The file is a manifest for `jig
 * prewarm`.
 */
#ifndef JIG_PREWARM_H
#define JIG_PREWARM_H

#include <jig/engine.h>

JIG_BEGIN_DECLS

/** What became of a prewarm; of all kernels of all the spec's programs together. */
typedef struct jig_prewarm_result {
  int hit;              /**< 1: the cache had it all already */
  int registers;        /**< per thread, the most any kernel needs; -1 when not known (PTX) */
  int spill_bytes;      /**< per thread, loads and stores together; -1 when not known */
  int shared_bytes;     /**< static, per block; -1 when not known */
  double compile_ms;    /**< of each kernel, added up; 0 on a hit */
  size_t payload_bytes; /**< of the cubins or PTX */
  char key[40];         /**< the cache key of the first kernel, in hex */
  uint64_t reserved[8];
} jig_prewarm_result;

/**
 * Makes sure that the cache has the programs of a spec for one architecture. Needs no driver. If one of
 * them cannot be had, the others are built all the same. The engine counts programs.
 * @param spec        as the algorithms' *_spec() functions write it
 * @param arch        "sm_90", ...: machine code for that GPU; "compute_90", ...: PTX
 * @param[out] result may be NULL; filled in with JIG_SUCCESS and JIG_ERROR_CACHE, else left as it is
 * @return JIG_SUCCESS, JIG_ERROR_INVALID_ARGUMENT (the spec, the architecture, an unreadable header or an
 *         unknown compile option), JIG_ERROR_COMPILE,
 *         JIG_ERROR_TYPE_MISMATCH, JIG_ERROR_NO_COMPILER, JIG_ERROR_NOT_BUILT (building is not allowed),
 *         JIG_ERROR_CACHE (compiled, but there is no cache to put it in)
 */
JIG_API jig_status jig_prewarm(jig_engine *engine, const char *spec, const char *arch,
                               jig_prewarm_result *result);

/**
 * The source that would be compiled for a spec, without the templates and headers it includes: of all
 * kernels, one after the other.
 * @param[out] source free it with jig_free()
 */
JIG_API jig_status jig_source(jig_engine *engine, const char *spec, const char *arch, char **source);

JIG_END_DECLS

#endif
