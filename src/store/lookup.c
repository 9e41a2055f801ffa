/* Getting an entry, and doing away with one that is of no use; see store.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/inner.h"
#include "util/log.h"

/* Removes an entry from the user's directory, unless another has taken its place since it was looked at;
 * v1/usage is told. What cannot be removed, such as a directory that is not empty, is named. */
static void remove_entry(store *s, int version, int shard, hash128 key, const char *compiler,
                         const struct stat *status, bool damaged) {
  char name[LAYOUT_NAME_SIZE];
  if (!layout_entry(key, compiler, name)) return;
  usage u;
  (void)usage_open(version, false, &u);
  const int error = files_remove_same(shard, name, status);
  const bool removed = error == 0;
  if (!removed && error != ENOENT && error != ESTALE) {
    char reason[STORE_ERROR_SIZE];
    store_warn(s, "cannot remove %s/" LAYOUT_VERSION "/%02x/%s, which is of no use: %s", store_dir(s),
               layout_shard_of(key), name, store_error_text(error, reason));
  }
  if (removed && damaged) usage_forget(&u);
  if (removed && !damaged && S_ISREG(status->st_mode)) store_tell(s, &u, -(int64_t)status->st_size);
  usage_close(&u);
}

/* An hour is fine enough to tell what is in use, and spares the disk a write per hit. By name rather than
 * by descriptor: should the file have been replaced meanwhile, its successor is as recent anyway. */
static void refresh(int shard, const char *name, const struct stat *status) {
  if (files_is_old(status)) (void)utimensat(shard, name, NULL, AT_SYMLINK_NOFOLLOW);
}

/* ---- entries of no use */

bool store_places_add(store_places *places, const store_place *place) {
  if (places->count == places->capacity) {
    const size_t capacity = places->capacity == 0 ? 8 : 2 * places->capacity;
    store_place *all = realloc(places->all, capacity * sizeof *all);
    if (all == NULL) return false;
    places->all = all;
    places->capacity = capacity;
  }
  places->all[places->count++] = *place;
  return true;
}

void store_places_free(store_places *places) {
  free(places->all);
  *places = (store_places){0};
}

static bool is_among(const store_places *places, size_t number, hash128 key, const char *compiler) {
  for (size_t i = 0; places != NULL && i < places->count; ++i) {
    const store_place *p = &places->all[i];
    if (p->layer == number && hash_equal(p->key, key) && strcmp(p->compiler, compiler) == 0) return true;
  }
  return false;
}

/* ---- looking up */

typedef struct wanted {
  hash128 key;
  const char *record;
  const char *compiler; /* NULL: the newest */
  const store_places *but;
} wanted;

/* The entry of one compiler in one layer. */
static bool get_entry(store *s, size_t number, int version, int shard, const wanted *w,
                      const char *compiler, entry *found) {
  const layer *l = &s->layers[number];
  char name[LAYOUT_NAME_SIZE];
  if (is_among(w->but, number, w->key, compiler) || !layout_entry(w->key, compiler, name)) return false;
  layer_entry e;
  switch (layer_read(l, shard, w->key, compiler, &e)) {
    case LAYER_UNREADABLE:
      return false;
    case LAYER_DAMAGED:
      store_count_fault(s, w->key, compiler, e.fault);
      if (l->ours) remove_entry(s, version, shard, w->key, compiler, &e.status, true);
      return false;
    case LAYER_SOUND:
      break;
  }
  if (strcmp(e.content.record, w->record) != 0) {
    log_debug("cache entry %s in %s has another record", name, l->path);
    entry_free(&e.content);
    return false;
  }
  if (l->ours) refresh(shard, name, &e.status);
  *found = e.content;
  found->layer = number;
  return true;
}

static bool get_from_layer(store *s, size_t number, const wanted *w, entry *found) {
  int version = store_open_version(s, number, false);
  if (version < 0) return false;
  bool hit = false;
  int shard = store_open_shard(s, number, version, w->key, false);
  if (shard < 0) goto cleanup;
  if (w->compiler != NULL) {
    hit = get_entry(s, number, version, shard, w, w->compiler, found);
    goto cleanup;
  }
  char next[LAYOUT_COMPILER_SIZE] = "";
  while (!hit && layer_next_older(shard, w->key, next)) {
    hit = get_entry(s, number, version, shard, w, next, found);
  }
cleanup:
  if (shard >= 0) (void)close(shard);
  (void)close(version);
  return hit;
}

bool store_get_but(store *s, hash128 key, const char *record, const char *compiler,
                   const store_places *but, entry *found) {
  const wanted w = {.key = key, .record = record, .compiler = compiler, .but = but};
  for (size_t i = 0; i < s->layer_count; ++i) {
    if (get_from_layer(s, i, &w, found)) return true;
  }
  return false;
}

bool store_get(store *s, hash128 key, const char *record, const char *compiler, entry *found) {
  return store_get_but(s, key, record, compiler, NULL, found);
}

void store_set_aside(store *s, const store_place *place) {
  store_count_fault(s, place->key, place->compiler, "set aside");
  char name[LAYOUT_NAME_SIZE];
  if (place->layer != 0 || !layout_entry(place->key, place->compiler, name)) return;
  int version = store_open_version(s, 0, false);
  if (version < 0) return;
  int shard = store_open_shard(s, 0, version, place->key, false);
  struct stat status;
  if (shard >= 0 && fstatat(shard, name, &status, AT_SYMLINK_NOFOLLOW) == 0) {
    remove_entry(s, version, shard, place->key, place->compiler, &status, false);
  }
  if (shard >= 0) (void)close(shard);
  (void)close(version);
}
