/* Putting an entry into the user's directory; see store.h.
 *
 * The bytes are written to a temporary file first, which takes its time, and then given their name by
 * rename(), which is atomic: dying at any point leaves the old entry or the new one, and at most a
 * temporary file, swept later. Only the renaming and its bookkeeping are done under the lock on v1/usage;
 * if that is busy, the entry is published all the same and the bookkeeping catches up. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "store/evict.h"
#include "store/inner.h"
#include "util/log.h"

static int64_t size_of(int shard, const char *name) {
  struct stat status;
  if (fstatat(shard, name, &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(status.st_mode)) return 0;
  return (int64_t)status.st_size;
}

static void trim(store *s, int version, hash128 key, const char *compiler, usage *u) {
  uint64_t removed = evict_trim(&s->layers[0], version, s->max_size, key, compiler, u);
  (void)atomic_fetch_add(&s->evictions, removed);
  if (removed > 0) log_info("removed %" PRIu64 " entries from the cache in %s", removed, store_dir(s));
}

/* Names the written file and keeps the cache within its size. An errno. */
static int publish(store *s, int version, int shard, files_temporary *temporary, const char *name,
                   hash128 key, const char *compiler, size_t size) {
  usage u;
  (void)usage_open(version, s->max_size > 0, &u);
  int64_t old_size = size_of(shard, name);
  int error = files_publish(shard, temporary, name);
  if (error == 0) store_tell(s, &u, (int64_t)size - old_size);
  bool count = !u.known || u.total > s->max_size;
  if (error == 0 && u.fd >= 0 && s->max_size > 0 && count) trim(s, version, key, compiler, &u);
  usage_close(&u);
  return error;
}

/* An errno, or -1 if the directories cannot be used and the warning says so already. */
static int put_bytes(store *s, hash128 key, const char *compiler, const char *name,
                     const unsigned char *bytes, size_t size) {
  int version = store_open_version(s, 0, true);
  if (version < 0) return -1;
  int error = -1;
  int shard = store_open_shard(s, 0, version, key, true);
  if (shard < 0) goto cleanup;
  files_temporary temporary;
  error = files_write(shard, bytes, size, &temporary);
  if (error == 0) error = publish(s, version, shard, &temporary, name, key, compiler, size);
  (void)close(shard);
cleanup:
  (void)close(version);
  return error;
}

bool store_put(store *s, hash128 key, const entry *e) {
  if (s->layers[0].path == NULL) return false;
  char name[LAYOUT_NAME_SIZE];
  if (!layout_entry(key, e->compiler, name)) {
    store_warn(s, "cannot cache the output of a compiler of version '%s'", e->compiler);
    return false;
  }
  size_t size = 0;
  unsigned char *bytes = entry_encode(e, key, &size);
  if (bytes == NULL) {
    store_warn(s, "cannot write to the cache directory %s: the entry cannot be encoded", store_dir(s));
    return false;
  }
  if (s->max_size > 0 && size > s->max_size) {
    free(bytes);
    store_warn(s, "an entry of %zu bytes is larger than the cache directory %s may be", size,
               store_dir(s));
    return false;
  }
  int error = put_bytes(s, key, e->compiler, name, bytes, size);
  free(bytes);
  char reason[STORE_ERROR_SIZE];
  if (error > 0) {
    store_warn(s, "cannot write to the cache directory %s: " LAYOUT_VERSION "/%02x/%s: %s", store_dir(s),
               layout_shard_of(key), name, store_error_text(error, reason));
  } else if (error == 0) {
    store_warn(s, "%s", "");
  }
  return error == 0;
}
