/* Eviction by least recent use, see evict.h.
 *
 * "Used" is the modification time, which a hit refreshes once an hour (access times are mostly switched
 * off). The whole directory is walked, but only when the running total passes the limit, and a tenth of
 * the limit is freed then, so that the walk is paid for by many puts. */
#include "store/evict.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "store/lock.h"

typedef struct item {
  struct timespec used;
  uint64_t size;
  char path[LAYOUT_PATH_SIZE];
} item;

typedef struct census {
  char newest[LAYOUT_PATH_SIZE]; /* the entry that has just been written */
  uint64_t total;
  bool whole;  /* everything could be read */
  item *items; /* all other entries */
  size_t count, capacity;
} census;

/* When memory is short an entry is counted but not listed: it is then safe for this time. */
static item *add_item(census *c) {
  if (c->count == c->capacity) {
    size_t capacity = c->capacity == 0 ? 256 : 2 * c->capacity;
    item *items = realloc(c->items, capacity * sizeof *items);
    if (items == NULL) return NULL;
    c->items = items;
    c->capacity = capacity;
  }
  return &c->items[c->count++];
}

static void path_of(unsigned shard, const char *name, char path[LAYOUT_PATH_SIZE]) {
  char directory[LAYOUT_SHARD_SIZE];
  layout_shard(shard, directory);
  (void)snprintf(path, LAYOUT_PATH_SIZE, "%s/%s", directory, name);
}

/* A clock that was wrong must not make an entry immortal: a time in the future tells nothing, and what
 * is in use gets a better one at its next hit. */
static struct timespec last_use(const struct stat *status) {
  struct timespec now;
  (void)clock_gettime(CLOCK_REALTIME, &now);
  bool ahead = status->st_mtime > now.tv_sec && files_is_old(status);
  return ahead ? (struct timespec){0} : status->st_mtim;
}

static void count_entry(census *c, const layer_file *file) {
  struct stat status;
  if (fstatat(file->shard_fd, file->name, &status, AT_SYMLINK_NOFOLLOW) != 0) return;
  if (!S_ISREG(status.st_mode)) return;
  c->total += (uint64_t)status.st_size;
  char path[LAYOUT_PATH_SIZE];
  path_of(file->shard, file->name, path);
  if (strcmp(path, c->newest) == 0) return;
  item *i = add_item(c);
  if (i == NULL) return;
  i->used = last_use(&status);
  i->size = (uint64_t)status.st_size;
  memcpy(i->path, path, sizeof path);
}

static bool count_or_sweep(void *user, const layer_file *file) {
  if (file->parsed.kind == LAYOUT_ENTRY) {
    count_entry(user, file);
  } else {
    (void)lock_sweep(file->shard_fd, file->name, file->parsed.kind == LAYOUT_TEMPORARY);
  }
  return true;
}

static void note_gap(void *user, const layer_problem *problem) {
  census *c = user;
  (void)problem;
  c->whole = false;
}

static int compare_items(const void *left, const void *right) {
  const item *a = left, *b = right;
  if (a->used.tv_sec != b->used.tv_sec) return a->used.tv_sec < b->used.tv_sec ? -1 : 1;
  if (a->used.tv_nsec != b->used.tv_nsec) return a->used.tv_nsec < b->used.tv_nsec ? -1 : 1;
  return strcmp(a->path, b->path);
}

static uint64_t remove_oldest(census *c, int version, uint64_t target) {
  uint64_t removed = 0;
  if (c->count > 0) qsort(c->items, c->count, sizeof *c->items, compare_items);
  for (size_t i = 0; i < c->count && c->total > target; ++i) {
    const bool done = unlinkat(version, c->items[i].path, 0) == 0;
    if (!done && errno != ENOENT) continue; /* what somebody else has removed makes room as well */
    c->total -= c->items[i].size;
    removed += done;
  }
  return removed;
}

uint64_t evict_trim(const layer *l, int version, uint64_t max_size, hash128 key, const char *compiler,
                    usage *u) {
  census c = {.whole = true};
  char name[LAYOUT_NAME_SIZE];
  if (layout_entry(key, compiler, name)) path_of(layout_shard_of(key), name, c.newest);
  (void)layer_visit(l, version, count_or_sweep, note_gap, &c);
  uint64_t removed = 0;
  if (c.total > max_size) removed = remove_oldest(&c, version, max_size - max_size / 10);
  if (c.whole)
    usage_set(u, c.total);
  else
    usage_forget(u); /* so that it is counted again, perhaps with better luck */
  free(c.items);
  return removed;
}
