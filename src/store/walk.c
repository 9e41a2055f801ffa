/* Showing what is in the cache, and clearing it; see store.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "store/inner.h"
#include "store/lock.h"
#include "util/text.h"

/* ---- what could not be done ---- */

/* Takes a text, which may be NULL, as another trouble. */
static void add_trouble(store_troubles *troubles, const char *said) {
  if (troubles == NULL || said == NULL) return;
  if (troubles->count++ == 0) (void)snprintf(troubles->first, sizeof troubles->first, "%s", said);
}

static void add_problem(store_troubles *troubles, const layer *l, const layer_problem *problem) {
  char said[STORE_TEXT_SIZE];
  add_trouble(troubles, store_describe(l, problem, false, said));
}

/* ---- showing ---- */

typedef struct walk {
  const layer *layer;
  int number;
  jig_cache_visit_fn visit;
  void *user;
  store_troubles *troubles;
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

static void walk_past(void *user, const layer_problem *problem) {
  const walk *w = user;
  add_problem(w->troubles, w->layer, problem);
}

void store_walk(store *s, jig_cache_visit_fn visit, void *user, store_troubles *troubles) {
  bool go_on = true;
  if (troubles != NULL) troubles->count = 0;
  for (size_t i = 0; go_on && i < s->layer_count; ++i) {
    const layer *l = &s->layers[i];
    layer_problem problem;
    int version = layer_open(l, false, &problem);
    if (version < 0) {
      add_problem(troubles, l, &problem);
      continue;
    }
    walk w = {.layer = l, .number = (int)i, .visit = visit, .user = user, .troubles = troubles};
    go_on = layer_visit(l, version, walk_file, walk_past, &w);
    (void)close(version);
  }
}

/* ---- clearing ---- */

typedef struct clearing {
  const layer *layer;
  uint64_t removed;
  uint64_t left; /* bytes of what could not be removed */
  bool is_whole; /* everything could be read */
  store_troubles *troubles;
} clearing;

static void cannot_remove(const clearing *c, const layer_file *file, int error) {
  char said[STORE_TEXT_SIZE], reason[STORE_ERROR_SIZE];
  (void)snprintf(said, sizeof said, "cannot remove %s/" LAYOUT_VERSION "/%02x/%s: %s", c->layer->path,
                 file->shard, file->name, store_error_text(error, reason));
  add_trouble(c->troubles, said);
}

static bool clear_file(void *user, const layer_file *file) {
  clearing *c = user;
  struct stat status;
  if (file->parsed.kind != LAYOUT_ENTRY) {
    const int error = lock_sweep(file->shard_fd, file->name, false);
    if (error != 0 && error != EBUSY) cannot_remove(c, file, error);
    return true;
  }
  const int error = files_remove(file->shard_fd, file->name);
  if (error == 0) ++c->removed;
  if (error == 0 || error == ENOENT) return true; /* somebody else clears, too */
  cannot_remove(c, file, error);
  bool there = fstatat(file->shard_fd, file->name, &status, AT_SYMLINK_NOFOLLOW) == 0;
  if (there && S_ISREG(status.st_mode)) c->left += (uint64_t)status.st_size;
  return true;
}

static void clear_past(void *user, const layer_problem *problem) {
  clearing *c = user;
  c->is_whole = false;
  add_problem(c->troubles, c->layer, problem);
}

uint64_t store_clear(store *s, store_troubles *troubles) {
  clearing c = {.layer = &s->layers[0], .is_whole = true, .troubles = troubles};
  layer_problem problem;
  if (troubles != NULL) troubles->count = 0;
  int version = layer_open(c.layer, false, &problem);
  if (version < 0) {
    add_problem(troubles, c.layer, &problem);
    return 0;
  }
  usage u;
  bool open = usage_open(version, false, &u);
  (void)layer_visit(c.layer, version, clear_file, clear_past, &c);
  if (open && c.is_whole) usage_set(&u, c.left);
  if (open && !c.is_whole) usage_forget(&u);
  usage_close(&u);
  (void)close(version);
  return c.removed;
}
