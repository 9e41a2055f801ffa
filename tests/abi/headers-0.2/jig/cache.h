/** The cache on disk: what is in it, whether it is sound, and clearing it. */
#ifndef JIG_CACHE_H
#define JIG_CACHE_H

#include <jig/engine.h>

JIG_BEGIN_DECLS

/** One entry. The strings live as long as the call that shows them. */
typedef struct jig_cache_entry {
  const char *path;
  const char *key;      /**< hex */
  const char *spec;     /**< "" if the entry is damaged */
  const char *arch;     /**< "sm_90", ...; "" if the entry is damaged */
  const char *compiler; /**< "13.0", ... */
  uint64_t bytes;       /**< of the file */
  int64_t last_used;    /**< seconds since the epoch, to within an hour */
  int layer;            /**< 0: the user's directory; 1, 2, ...: read-only ones */
  int sound;            /**< 1: every byte is as it was written */
  const char *fault;    /**< what is wrong with it; "" if it is sound */
  uint64_t reserved[8];
} jig_cache_entry;

/** Called for each entry; anything but 0 ends the walk. Must not call jig. */
typedef int (*jig_cache_visit_fn)(void *user, const jig_cache_entry *entry);

/** The user's cache directory, whether or not it exists yet; "" if the engine has none. Lives as long as
 *  the engine; NULL if the default engine cannot be made. */
JIG_API const char *jig_cache_path(jig_engine *engine);

/** Shows every entry of every layer, reading and checking each in full.
 *  @return JIG_SUCCESS; JIG_ERROR_CACHE, after showing all the others, if there are directories that must
 *          not be used or cannot be read: jig_last_error() names the first and says how many */
JIG_API jig_status jig_cache_walk(jig_engine *engine, jig_cache_visit_fn visit, void *user);

/** Removes every entry of the user's directory, and nothing that jig did not write there.
 *  @param[out] removed how many; may be NULL. What others remove at the same time is not counted
 *  @return JIG_SUCCESS, also where there is no directory; JIG_ERROR_CACHE, after removing all the
 *          others, if something could not be read or removed, or the directory must not be used:
 *          jig_last_error() names the first and says how many */
JIG_API jig_status jig_cache_clear(jig_engine *engine, uint64_t *removed);

JIG_END_DECLS

#endif
