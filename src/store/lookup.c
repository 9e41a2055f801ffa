/* Getting an entry, and doing away with one that is of no use; see store.h. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "store/inner.h"
#include "util/log.h"

/* Removes an entry from the user's directory, unless another has taken its place since it was looked at;
 * v1/usage is told. */
static void remove_entry(store *s, int version, int shard, const char *name, const struct stat *status,
                         bool damaged) {
  usage u;
  (void)usage_open(version, false, &u);
  bool removed = files_remove_same(shard, name, status);
  if (removed && damaged) usage_forget(&u);
  if (removed && !damaged && S_ISREG(status->st_mode)) store_tell(s, &u, -(int64_t)status->st_size);
  usage_close(&u);
}

/* An hour is fine enough to tell what is in use, and spares the disk a write per hit. By name rather than
 * by descriptor: should the file have been replaced meanwhile, its successor is as recent anyway. */
static void refresh(int shard, const char *name, const struct stat *status) {
  if (files_is_old(status)) (void)utimensat(shard, name, NULL, AT_SYMLINK_NOFOLLOW);
}

/* The entry of one compiler in one layer. */
static bool get_entry(store *s, const layer *l, int version, int shard, hash128 key, const char *record,
                      const char *compiler, entry *found) {
  char name[LAYOUT_NAME_SIZE];
  if (!layout_entry(key, compiler, name)) return false;
  layer_entry e;
  switch (layer_read(l, shard, key, compiler, &e)) {
    case LAYER_UNREADABLE:
      return false;
    case LAYER_DAMAGED:
      store_count_fault(s, key, compiler, e.fault);
      if (l->ours) remove_entry(s, version, shard, name, &e.status, true);
      return false;
    case LAYER_SOUND:
      break;
  }
  if (strcmp(e.content.record, record) != 0) {
    log_debug("cache entry %s in %s has another record", name, l->path);
    entry_free(&e.content);
    return false;
  }
  if (l->ours) refresh(shard, name, &e.status);
  *found = e.content;
  return true;
}

static bool get_from_layer(store *s, size_t number, hash128 key, const char *record, const char *compiler,
                           entry *found) {
  const layer *l = &s->layers[number];
  int version = store_open_version(s, number, false);
  if (version < 0) return false;
  bool hit = false;
  int shard = store_open_shard(s, number, version, key, false);
  if (shard < 0) goto cleanup;
  if (compiler != NULL) {
    hit = get_entry(s, l, version, shard, key, record, compiler, found);
    goto cleanup;
  }
  char next[LAYOUT_COMPILER_SIZE] = "";
  while (!hit && layer_next_older(shard, key, next)) {
    hit = get_entry(s, l, version, shard, key, record, next, found);
  }
cleanup:
  if (shard >= 0) (void)close(shard);
  (void)close(version);
  return hit;
}

bool store_get(store *s, hash128 key, const char *record, const char *compiler, entry *found) {
  for (size_t i = 0; i < s->layer_count; ++i) {
    if (get_from_layer(s, i, key, record, compiler, found)) return true;
  }
  return false;
}

void store_set_aside(store *s, hash128 key, const char *compiler) {
  store_count_fault(s, key, compiler, "set aside");
  char name[LAYOUT_NAME_SIZE];
  if (!layout_entry(key, compiler, name)) return;
  int version = store_open_version(s, 0, false);
  if (version < 0) return;
  int shard = store_open_shard(s, 0, version, key, false);
  struct stat status;
  if (shard >= 0 && fstatat(shard, name, &status, AT_SYMLINK_NOFOLLOW) == 0) {
    remove_entry(s, version, shard, name, &status, false);
  }
  if (shard >= 0) (void)close(shard);
  (void)close(version);
}
