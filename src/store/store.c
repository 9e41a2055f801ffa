/* A store's life, its warnings and its locks; see store.h. Getting is in lookup.c, putting in publish.c,
 * showing and clearing in walk.c.
 *
 * A store holds no open files and no cached state of the disk, so there is nothing to keep in step with
 * other threads and processes: the file system is the only truth. What threads share is counters (atomic)
 * and the warning texts (under a mutex that is never held across a system call). */
#include "store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "store/inner.h"
#include "store/lock.h"
#include "util/log.h"
#include "util/text.h"

/* ---- warnings ---- */

/* One mutex for all stores, so that fork() can be told of it once: a child must not inherit it locked by
 * a thread that it does not have. */
static pthread_mutex_t warning_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t fork_once = PTHREAD_ONCE_INIT;

static void lock_warnings(void) {
  (void)pthread_mutex_lock(&warning_mutex);
}

static void unlock_warnings(void) {
  (void)pthread_mutex_unlock(&warning_mutex);
}

static void watch_forks(void) {
  (void)pthread_atfork(lock_warnings, unlock_warnings, unlock_warnings);
}

void store_warn(store *s, const char *format, ...) {
  char warning[STORE_TEXT_SIZE];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(warning, sizeof warning, format, arguments);
  va_end(arguments);
  lock_warnings();
  bool news = strcmp(s->warning, warning) != 0;
  if (news) memcpy(s->warning, warning, strlen(warning) + 1);
  unlock_warnings();
  if (news && warning[0] != '\0') log_info("%s", warning);
}

void store_warning(store *s, char *buffer, size_t size) {
  if (size == 0) return;
  lock_warnings();
  (void)snprintf(buffer, size, "%s", s->warning[0] != '\0' ? s->warning : s->layer_warning);
  unlock_warnings();
}

const char *store_error_text(int error, char buffer[STORE_ERROR_SIZE]) {
  return strerror_r(error, buffer, STORE_ERROR_SIZE);
}

/* ---- directories ---- */

const char *store_describe(const layer *l, const layer_problem *problem, bool make,
                           char said[STORE_TEXT_SIZE]) {
  const char *kind = l->ours ? "the cache directory" : "the read-only cache directory";
  const char *reason = problem->reason;
  char error[STORE_ERROR_SIZE];
  if (l->path == NULL || (!make && reason == NULL && problem->error == ENOENT)) return NULL;
  if (reason == NULL) reason = store_error_text(problem->error, error);
  (void)snprintf(said, STORE_TEXT_SIZE, "%s %s%s is not used: %s", kind, l->path, problem->place, reason);
  return said;
}

static void note_problem(store *s, size_t number, const layer_problem *problem, bool make) {
  const layer *l = &s->layers[number];
  char said[STORE_TEXT_SIZE];
  if (store_describe(l, problem, make, said) == NULL) return;
  if (l->ours) {
    store_warn(s, "%s", said);
  } else {
    log_debug("%s", said);
  }
}

int store_open_version(store *s, size_t number, bool make) {
  layer_problem problem;
  int fd = layer_open(&s->layers[number], make, &problem);
  if (fd < 0) note_problem(s, number, &problem, make);
  return fd;
}

int store_open_shard(store *s, size_t number, int version, hash128 key, bool make) {
  layer_problem problem;
  int fd = layer_open_shard(&s->layers[number], version, layout_shard_of(key), make, &problem);
  if (fd < 0) note_problem(s, number, &problem, make);
  return fd;
}

/* ---- opening and closing ---- */

/* A copy of a path, without slashes at its end, that stays true when the process changes its working
 * directory, which is `here`. NULL when out of memory. */
static char *absolute(const char *path, size_t length, const char *here) {
  while (length > 1 && path[length - 1] == '/') --length;
  text whole = {0};
  if (path[0] != '/') text_format(&whole, "%s/", strcmp(here, "/") == 0 ? "" : here);
  text_append(&whole, path, length);
  return text_take(&whole);
}

static bool add_layer(store *s, const char *path, size_t length) {
  char here[PATH_MAX];
  layer *layers = realloc(s->layers, (s->layer_count + 1) * sizeof *layers);
  if (layers == NULL) return false;
  s->layers = layers;
  layer *l = &layers[s->layer_count];
  *l = (layer){.ours = s->layer_count == 0};
  if (length > 0 && path[0] != '/' && getcwd(here, sizeof here) == NULL) {
    log_info("the cache directory '%.*s' is not used: the working directory has gone", (int)length, path);
    length = 0;
  }
  if (length > 0 || l->ours) ++s->layer_count;
  if (length == 0) return true;
  l->path = absolute(path, length, here);
  return l->path != NULL;
}

static bool add_layers(store *s, const store_config *config) {
  const char *dir = config->dir != NULL ? config->dir : "";
  if (!add_layer(s, dir, strlen(dir))) return false;
  const char *rest = config->layers != NULL ? config->layers : "";
  while (*rest != '\0') {
    size_t length = strcspn(rest, ":");
    if (length > 0 && !add_layer(s, rest, length)) return false;
    rest += length + (rest[length] == ':');
  }
  return true;
}

/* Says at once which directories are going to be refused. They are checked again at each use. */
static void check_layers(store *s) {
  for (size_t i = 0; i < s->layer_count; ++i) {
    const layer *l = &s->layers[i];
    layer_problem problem;
    int fd = layer_open(l, false, &problem);
    if (fd >= 0) {
      (void)close(fd);
    } else if (l->ours) {
      note_problem(s, i, &problem, false);
    } else if (s->layer_warning[0] == '\0' && store_describe(l, &problem, false, s->layer_warning)) {
      log_info("%s", s->layer_warning);
    }
  }
}

store *store_open(const store_config *config) {
  (void)pthread_once(&fork_once, watch_forks);
  store *s = calloc(1, sizeof *s);
  if (s == NULL) return NULL;
  s->max_size = config->max_size;
  if (!add_layers(s, config)) {
    store_close(s);
    return NULL;
  }
  check_layers(s);
  return s;
}

void store_close(store *s) {
  if (s == NULL) return;
  for (size_t i = 0; i < s->layer_count; ++i) free(s->layers[i].path);
  free(s->layers);
  free(s);
}

void store_leave_layers(store *s) {
  while (s->layer_count > 1) free(s->layers[--s->layer_count].path);
  s->layer_warning[0] = '\0';
}

const char *store_dir(const store *s) {
  const char *path = s->layers[0].path;
  return path != NULL ? path : "";
}

bool store_is_writable(store *s) {
  const int version = s->layers[0].path != NULL ? store_open_version(s, 0, true) : -1;
  if (version < 0) return false;
  const bool is_writable = faccessat(version, ".", W_OK, AT_EACCESS) == 0;
  (void)close(version);
  return is_writable;
}

const char *store_layer_dir(const store *s, size_t number) {
  return number < s->layer_count ? s->layers[number].path : NULL;
}

/* ---- counting ---- */

store_counts store_get_counts(const store *s) {
  return (store_counts){.evictions = atomic_load(&s->evictions), .faults = atomic_load(&s->faults)};
}

void store_count_fault(store *s, hash128 key, const char *compiler, const char *fault) {
  (void)atomic_fetch_add(&s->faults, 1);
  char hex[HASH_HEX_SIZE];
  hash_hex(key, hex);
  log_info("cache entry %s of compiler %s is of no use: %s", hex, compiler, fault);
}

void store_tell(store *s, usage *u, int64_t change) {
  if (u->fd < 0) {
    (void)atomic_fetch_add(&s->untold, change);
  } else {
    usage_change(u, change + (int64_t)atomic_exchange(&s->untold, 0));
  }
}

void store_count(store *s, const store_stats *change) {
  lock_warnings();
  s->uncounted = stats_sum(&s->uncounted, change);
  unlock_warnings();
}

static store_stats take_uncounted(store *s) {
  lock_warnings();
  const store_stats all = s->uncounted;
  s->uncounted = (store_stats){0};
  unlock_warnings();
  return all;
}

void store_add_stats(store *s) {
  const store_stats all = take_uncounted(s);
  const int version =
      all.hits + all.misses + all.found + all.built > 0 ? store_open_version(s, 0, false) : -1;
  if (version < 0) return;
  if (!stats_add(version, &all)) store_count(s, &all); /* for the next time */
  (void)close(version);
}

store_stats store_get_stats(store *s) {
  const int version = store_open_version(s, 0, false);
  if (version < 0) return (store_stats){0};
  const store_stats stats = stats_read(version);
  (void)close(version);
  return stats;
}

/* ---- locks ---- */

store_lock store_lock_key(store *s, hash128 key, int timeout_ms) {
  store_lock lock = {.fd = -1};
  int version = store_open_version(s, 0, true);
  if (version < 0) return lock;
  int shard = store_open_shard(s, 0, version, key, true);
  if (shard >= 0) {
    char name[LAYOUT_NAME_SIZE];
    layout_lock(key, name);
    lock.fd = lock_take(shard, name, timeout_ms, &lock.busy);
    (void)close(shard);
  }
  (void)close(version);
  return lock;
}

void store_unlock_key(store *s, hash128 key, store_lock lock) {
  if (lock.fd < 0) return;
  int version = store_open_version(s, 0, false);
  int shard = version >= 0 ? store_open_shard(s, 0, version, key, false) : -1;
  char name[LAYOUT_NAME_SIZE];
  layout_lock(key, name);
  lock_drop(shard, name, lock.fd);
  if (shard >= 0) (void)close(shard);
  if (version >= 0) (void)close(version);
}
