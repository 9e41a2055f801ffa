/* Showing what is in the cache, and clearing it; see store.h. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "store/inner.h"
#include "store/lock.h"
#include "util/text.h"

/* ---- showing ---- */

typedef struct walk {
  const layer *layer;
  int number;
  jig_cache_visit_fn visit;
  void *user;
} walk;

/* Shows one entry that has been read. The strings need to live no longer than this call. */
static int show(const walk *w, const layer_file *file, const layer_entry *e, const char *fault) {
  char shard[LAYOUT_SHARD_SIZE], key[HASH_HEX_SIZE];
  layout_shard(file->shard, shard);
  hash_hex(file->parsed.key, key);
  text path = {0};
  text_format(&path, "%s/" LAYOUT_VERSION "/%s/%s", w->layer->path, shard, file->name);
  bool sound = fault[0] == '\0';
  json_t *meta = sound ? json_loads(e->content.meta, 0, NULL) : NULL;
  const char *arch = json_string_value(json_object_get(meta, "arch"));
  jig_cache_entry shown = {
      .path = path.failed ? "" : path.data,
      .key = key,
      .spec = sound ? e->content.record : "",
      .arch = arch != NULL ? arch : "",
      .compiler = file->parsed.compiler,
      .bytes = (uint64_t)e->status.st_size,
      .last_used = (int64_t)e->status.st_mtime,
      .layer = w->number,
      .sound = sound,
      .fault = fault,
  };
  int answer = w->visit(w->user, &shown);
  json_decref(meta);
  text_free(&path);
  return answer;
}

static bool walk_file(void *user, const layer_file *file) {
  const walk *w = user;
  if (file->parsed.kind != LAYOUT_ENTRY) return true;
  layer_entry e;
  char error[STORE_ERROR_SIZE];
  const char *fault = "";
  switch (layer_read(w->layer, file->shard_fd, file->parsed.key, file->parsed.compiler, &e)) {
    case LAYER_SOUND:
      break;
    case LAYER_DAMAGED:
      fault = e.fault;
      break;
    case LAYER_UNREADABLE:
      /* Gone since the directory was read? Otherwise it is there, and the user wants to know. */
      if (fstatat(file->shard_fd, file->name, &e.status, AT_SYMLINK_NOFOLLOW) != 0) return true;
      fault = store_error_text(e.error, error);
      break;
  }
  bool go_on = show(w, file, &e, fault) == 0;
  entry_free(&e.content);
  return go_on;
}

void store_walk(store *s, jig_cache_visit_fn visit, void *user) {
  bool go_on = true;
  for (size_t i = 0; go_on && i < s->layer_count; ++i) {
    int version = store_open_version(s, i, false);
    if (version < 0) continue;
    walk w = {.layer = &s->layers[i], .number = (int)i, .visit = visit, .user = user};
    go_on = layer_visit(w.layer, version, walk_file, &w);
    (void)close(version);
  }
}

/* ---- clearing ---- */

typedef struct clearing {
  uint64_t removed;
  uint64_t left; /* bytes of what could not be removed */
} clearing;

static bool clear_file(void *user, const layer_file *file) {
  clearing *c = user;
  if (file->parsed.kind != LAYOUT_ENTRY) {
    (void)lock_sweep(file->shard_fd, file->name, false);
    return true;
  }
  if (unlinkat(file->shard_fd, file->name, 0) == 0) {
    ++c->removed;
    return true;
  }
  struct stat status;
  bool there = fstatat(file->shard_fd, file->name, &status, AT_SYMLINK_NOFOLLOW) == 0;
  if (there && S_ISREG(status.st_mode)) c->left += (uint64_t)status.st_size;
  return true;
}

uint64_t store_clear(store *s) {
  int version = store_open_version(s, 0, false);
  if (version < 0) return 0;
  clearing c = {0};
  usage u;
  bool open = usage_open(version, false, &u);
  (void)layer_visit(&s->layers[0], version, clear_file, &c);
  if (open) usage_set(&u, c.left);
  usage_close(&u);
  (void)close(version);
  return c.removed;
}
