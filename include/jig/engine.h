/** Engines: what holds programs, compiles them and keeps them on disk. */
#ifndef JIG_ENGINE_H
#define JIG_ENGINE_H

#include <stddef.h>
#include <stdint.h>

#include <jig/status.h>

JIG_BEGIN_DECLS

/** Thread-safe: any number of threads may call one engine, on any number of GPUs. NULL stands for the
 * process-wide one, which whoever needs it first makes as the environment says, and nobody destroys. */
typedef struct jig_engine jig_engine;

/** Whether a program that is not in memory or cache may be compiled. */
typedef enum jig_build_mode {
  JIG_BUILD_DEFAULT = 0, /**< as $JIG_BUILD says, "never" or "on-demand"; without it on demand */
  JIG_BUILD_ON_DEMAND,
  JIG_BUILD_NEVER /**< a missing program is JIG_ERROR_NOT_BUILT */
} jig_build_mode;
JIG_INT_SIZED(jig_build_mode);

/** For what is on or off. */
typedef enum jig_switch {
  JIG_SWITCH_DEFAULT = 0, /**< as the environment or the default says */
  JIG_SWITCH_ON,
  JIG_SWITCH_OFF
} jig_switch;
JIG_INT_SIZED(jig_switch);

/** Stream-ordered device memory, of any alignment, for `bytes` of at least 1: NULL when there is none,
 * which makes the call JIG_ERROR_OUT_OF_MEMORY. It is called by the thread that makes the call, in the
 * stream's context, and also while the stream is being captured. Must not throw or call jig. */
typedef void *(*jig_allocate_fn)(void *user, size_t bytes, CUstream stream);
/** Gives back what jig_allocate_fn returned, in stream order, before the call returns; not NULL. */
typedef void (*jig_release_fn)(void *user, void *pointer, size_t bytes, CUstream stream);

/**
 * A header in memory, for what the sources of operators and types include.
 *
 * A name stands for one header: the one in memory, else the file in the first folder of the include path
 * that has one. A quoted name within "a/b.h" is first looked for in "a/". "jig/..." are jig's own
 * templates, such as <jig/core/half.cuh>.
 *
 * jig finds headers itself, and the compiler opens no file: names and contents of all headers that a
 * program includes, directly or not, are part of its cache key, and folders are not. So a header that has
 * changed means another program, wherever it lies. Files are read when a program's kernels are looked for
 * in the cache or compiled, which may be one after the other, as calls need them; what an engine has in
 * memory stays as it is.
 *
 * Since a source ends up within a function or a namespace, what it includes is included once, before all
 * sources, whatever #if or #define comes before the #include there. Headers' own #includes stay where
 * they are. An #include has to name its header itself, not by a macro; absolute paths and #include_next
 * are not taken. A header that is not there is an error where the compiler comes to its #include.
 *
 * No name leads out of the folders of the include path: not by ".." (within "a/b.h" the name "../c.h"
 * means "c.h"), nor by a link to what is in none of them, which is JIG_ERROR_INVALID_ARGUMENT. Headers
 * may nest as much as operators: see jig_op_source().
 */
typedef struct jig_header {
  const char *name; /**< as it is included, such as "geometry/vector.h" */
  const char *text;
  uint64_t reserved[2];
} jig_header;

/**
 * How an engine is set up. A zero field leaves the choice to the environment or the default. There is a
 * field for each variable that docs/configuration.md lists; $JIG_LOG has jig_set_log().
 */
typedef struct jig_engine_config {
  /** The user's cache directory. NULL: $JIG_CACHE_DIR, else $XDG_CACHE_HOME/jig, else ~/.cache/jig; the
   *  latter two only if they are absolute. "": none. A relative one starts at the working directory that
   *  the process has now; so do those of cache_path. */
  const char *cache_dir;
  /** Read-only cache directories, separated by ':', looked in next. NULL: $JIG_CACHE_PATH. */
  const char *cache_path;
  /** Bytes the user's cache may hold; least recently used entries go first. 0: $JIG_CACHE_MAX_SIZE (where
   *  0 is no limit), else 1 GiB. */
  uint64_t cache_max_size;
  jig_build_mode build;
  /** How many compilers may run at once. 0: $JIG_JOBS, else one per processor. */
  unsigned jobs;
  /** Where calls with temp_storage_bytes == NULL get their temp storage. Both or neither; NULL:
   *  cuMemAllocAsync and cuMemFreeAsync. */
  jig_allocate_fn allocate;
  jig_release_fn release;
  void *allocator_user;
  /** Folders of headers that the sources of operators and types may include, separated by ':'; relative
   *  ones to the working directory of the moment. NULL: $JIG_INCLUDE_PATH. "": none. */
  const char *include_path;
  /** Headers in memory, likewise; they come before files of the same name. */
  const jig_header *headers;
  size_t header_count;
  /** Options for NVRTC, after jig's own: -DNAME=VALUE, --use_fast_math, --fmad=false, -lineinfo,
   *  --maxrregcount=64, --std=c++20, --ptxas-options=-O2, ... Macros are there for the user's texts and
   *  headers, not for jig's templates; one called as a type, such as float or int32_t,
   *  is refused. NULL: $JIG_COMPILE_OPTIONS, separated by blanks. */
  const char *const *compile_options;
  size_t compile_option_count;
  /** A folder for source, compiler's log and cubin or PTX of all that is compiled. What cannot be written
   *  is logged and left out. NULL: $JIG_DUMP. "": none. */
  const char *dump;
  /** A file to which the spec of every program that a call asks for is appended; likewise. NULL:
   *  $JIG_RECORD. "": none. */
  const char *record;
  /** Only programs of the installed NVRTC's version are taken from the cache. Default:
   *  $JIG_CACHE_COMPILER, else off. */
  jig_switch exact_compiler;
  /** Temp storage is filled before every launch, and the call waits after it. Default: $JIG_DEBUG_SYNC,
   *  else off. */
  jig_switch debug_sync;
  /** An NVTX range around every call of an algorithm. Default: $JIG_NVTX, else on. */
  jig_switch nvtx;
  /** What a program has besides the kernels that calls have needed is compiled in the background, at low
   * priority; a call that needs what gets on too slowly there compiles it itself. Off: by the calls that
   * need it, while they wait. Default: $JIG_BACKGROUND, else on. */
  jig_switch background;
  /** This and the next three count for the whole process, from the first use on: a choice that comes
   * later and is another one is JIG_ERROR_INVALID_ARGUMENT. A folder from which templates are read
   * instead of those in the library. NULL: $JIG_TEMPLATE_PATH. "": those in the library. */
  const char *template_path;
  /** The files of the CUDA driver, NVRTC and nvJitLink; no others are tried. NULL: $JIG_DRIVER,
   *  $JIG_NVRTC, $JIG_NVJITLINK. "": where they are usually found. */
  const char *driver;
  const char *nvrtc;
  const char *nvjitlink;
  /** Of this engine: whether a first call may link its operators with kernels that were compiled before
   * for items of that size, and run these until its own are compiled in the background: see
   * docs/configuration.md. Not with `background` off. Default: $JIG_FIRST_TIER, else off. */
  jig_switch first_tier;
  uint32_t reserved32;
  /** Files of wisdom, separated by ':', of which later ones come first: how programs are tuned, as `jig
   *  tune` has found out. What cannot be read or used is logged and left out. Copied when the engine is
   *  made. NULL: $JIG_WISDOM, else <PREFIX>/share/jig/wisdom, $XDG_CONFIG_HOME/jig/wisdom or
   *  ~/.config/jig/wisdom where they are there. "": none. */
  const char *wisdom;
  uint64_t reserved[22];
} jig_engine_config;

/**
 * Makes an engine. Opens neither driver nor compiler: each is opened when first needed.
 * @param[out] engine free it with jig_engine_destroy()
 * @param config      copied, with all that it points to; NULL is all defaults
 * @return JIG_SUCCESS, JIG_ERROR_INVALID_ARGUMENT, JIG_ERROR_OUT_OF_MEMORY. A cache directory that cannot
 *         be used is no failure: the engine works without it, and jig_engine_get_stats() says why.
 *
 * A wrong value of $JIG_BUILD is JIG_ERROR_INVALID_ARGUMENT where the config leaves the build mode to it.
 * One of any other variable counts as unset, or as docs/configuration.md says; jig_info() lists it, and
 * so does the log ($JIG_LOG).
 *
 * JIG_ERROR_INVALID_ARGUMENT is also for a folder of the include path that cannot be opened, for a header
 * that no #include can name or that is there twice, and for compile options that would change what comes
 * out (the target, the kind of code), or that read or write files which the cache key knows nothing of.
 * All other options are part of the key. Those that the compiler does not know make the first build fail,
 * with JIG_ERROR_INVALID_ARGUMENT as well.
 */
JIG_API jig_status jig_engine_create(jig_engine **engine, const jig_engine_config *config);

/** Unloads its programs and frees it. What is being compiled for it in the background is cancelled. No
 * work of its programs may be running or captured in a graph that will still be launched. With drivers
 * older than CUDA 12.0 programs belong to contexts: there it has to be destroyed before any context that
 * it was used in. NULL is fine. */
JIG_API void jig_engine_destroy(jig_engine *engine);

/** Counts since the engine was made, or since the process began for the default engine. */
typedef struct jig_engine_stats {
  uint64_t calls;          /**< of algorithms, and of kernels of one's own, successful or not */
  uint64_t memory_hits;    /**< calls that found all that they needed in memory */
  uint64_t disk_hits;      /**< programs of which a call first found all that it needed in the cache */
  uint64_t misses;         /**< programs of which something had to be compiled then */
  uint64_t failed_builds;  /**< programs that could not be built or loaded */
  uint64_t evictions;      /**< cache entries removed to keep the size */
  uint64_t faults;         /**< cache entries set aside as damaged, foreign or refused by the driver */
  double compile_ms;       /**< spent compiling, all told */
  double load_ms;          /**< spent loading programs into the driver, all told */
  char last_miss[512];     /**< the spec last compiled and why it was not found; "" if none */
  char cache_warning[256]; /**< what is wrong with the user's cache directory, else with a layer; or "" */
  uint64_t kernels;        /**< compiled: a program has up to eight, and calls build what they need */
  uint64_t background_kernels; /**< of these, those that were compiled in the background */
  double wait_ms;              /**< what calls took that did not find all in memory, all told */
  double longest_wait_ms;      /**< the longest of them */
  uint64_t linked_kernels;     /**< of those compiled: only the operators were, see first_tier */
  uint64_t reserved[27];
} jig_engine_stats;

/** @param[out] stats filled in; consistent only while no other thread calls the engine */
JIG_API jig_status jig_engine_get_stats(jig_engine *engine, jig_engine_stats *stats);

/**
 * What jig found on this machine, as JSON: "version", "driver" (library, version, why not), "devices",
 * "compiler" and "linker" (library, version, architectures, why not), "cache" (directories),
 * "environment_problems" (a line for each variable with a value that it cannot have). Opens all of them.
 * @param[out] json free it with jig_free()
 */
JIG_API jig_status jig_info(jig_engine *engine, char **json);

/** Frees a string that jig handed out. NULL is fine. */
JIG_API void jig_free(void *pointer);

JIG_END_DECLS

#endif
