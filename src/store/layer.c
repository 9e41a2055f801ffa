/* A directory of the cache, see layer.h. The check of a directory is made on its open descriptor, and
 * what is below is opened relative to it without following links, so that a check stays true. The
 * configured path itself may be or contain a link: that is the user's choice of a place. */
#include "store/layer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char cachedir_tag[] =
    "Signature: 8a477f597d28d172789f06886806bc55\n"
    "# This file marks a directory of jig's compiled kernels as a cache, which backups may leave out.\n"
    "# For information about cache directory tags see https://bford.info/cachedir/\n";

static files_trust trust_of(const layer *l) {
  return l->ours ? FILES_OURS : FILES_OURS_OR_ROOTS;
}

/* ---- the way down ---- */

/* Opens a directory and checks that it may be trusted. */
static int open_checked(const layer *l, int parent, const char *name, int flags, layer_problem *problem) {
  int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | flags);
  if (fd < 0) {
    problem->error = errno;
    problem->reason = errno == ENOTDIR || errno == ELOOP ? "not a directory" : NULL;
    return -1;
  }
  struct stat status;
  problem->error = fstat(fd, &status) == 0 ? 0 : errno;
  problem->reason = problem->error == 0 ? files_distrust(&status, trust_of(l)) : NULL;
  if (problem->error == 0 && problem->reason == NULL) return fd;
  (void)close(fd);
  return -1;
}

/* The layer's own directory. It gets its tag only if it is made here: in a directory that was there
 * before, other things may live that backups must not leave out. */
static int open_root(const layer *l, bool make, layer_problem *problem) {
  *problem = (layer_problem){.error = ENOENT};
  if (l->path == NULL) return -1;
  int fd = open_checked(l, AT_FDCWD, l->path, 0, problem);
  if (fd >= 0 || problem->error != ENOENT || !make) return fd;
  int made = files_make_directory(l->path);
  if (made != 0 && made != EEXIST) {
    problem->error = made;
    return -1;
  }
  fd = open_checked(l, AT_FDCWD, l->path, 0, problem);
  if (fd >= 0 && made == 0) files_write_new(fd, "CACHEDIR.TAG", cachedir_tag);
  return fd;
}

/* A directory below one that is trusted already. */
static int open_below(const layer *l, int parent, const char *name, bool make, layer_problem *problem) {
  int fd = open_checked(l, parent, name, O_NOFOLLOW, problem);
  if (fd >= 0 || problem->error != ENOENT || !make) return fd;
  if (mkdirat(parent, name, 0700) != 0 && errno != EEXIST) {
    problem->error = errno;
    return -1;
  }
  return open_checked(l, parent, name, O_NOFOLLOW, problem);
}

int layer_open(const layer *l, bool make, layer_problem *problem) {
  int root = open_root(l, make, problem);
  if (root < 0) return -1;
  (void)snprintf(problem->place, sizeof problem->place, "/" LAYOUT_VERSION);
  int version = open_below(l, root, LAYOUT_VERSION, make, problem);
  (void)close(root);
  return version;
}

int layer_open_shard(const layer *l, int version, unsigned shard, bool make, layer_problem *problem) {
  char name[LAYOUT_SHARD_SIZE];
  layout_shard(shard, name);
  *problem = (layer_problem){0};
  (void)snprintf(problem->place, sizeof problem->place, "/" LAYOUT_VERSION "/%s", name);
  return open_below(l, version, name, make, problem);
}

/* ---- what is there ---- */

bool layer_next_older(int shard, hash128 key, char compiler[LAYOUT_COMPILER_SIZE]) {
  DIR *list = files_list(shard);
  if (list == NULL) return false;
  char best[LAYOUT_COMPILER_SIZE] = "";
  unsigned number = layout_shard_of(key);
  for (struct dirent *file; (file = readdir(list)) != NULL;) {
    layout_name name = layout_parse(number, file->d_name);
    if (name.kind != LAYOUT_ENTRY || !hash_equal(name.key, key)) continue;
    bool older = compiler[0] == '\0' || layout_compare_compilers(name.compiler, compiler) < 0;
    bool newest = best[0] == '\0' || layout_compare_compilers(name.compiler, best) > 0;
    if (older && newest) memcpy(best, name.compiler, sizeof best);
  }
  (void)closedir(list);
  memcpy(compiler, best, sizeof best);
  return best[0] != '\0';
}

static layer_finding unreadable(layer_entry *e, int error) {
  e->error = error;
  return LAYER_UNREADABLE;
}

layer_finding layer_read(const layer *l, int shard, hash128 key, const char *compiler, layer_entry *e) {
  *e = (layer_entry){0};
  char name[LAYOUT_NAME_SIZE];
  if (!layout_entry(key, compiler, name)) return unreadable(e, ENOENT);
  files_content content;
  const files_rules rules = {.trust = trust_of(l),
                             .limit = ENTRY_MAX_SIZE,
                             .check_head = entry_check_header,
                             .head_size = ENTRY_HEADER_SIZE};
  int error = files_read(shard, name, &rules, &content, &e->fault);
  e->status = content.status;
  if (e->fault != NULL) return LAYER_DAMAGED;
  if (error != 0) return unreadable(e, error);

  hash128 found;
  e->fault = entry_decode(content.bytes, content.size, &e->content, &found);
  free(content.bytes);
  if (e->fault == entry_no_memory) {
    e->fault = NULL;
    return unreadable(e, ENOMEM);
  }
  if (e->fault == NULL && !hash_equal(found, key)) {
    entry_free(&e->content);
    e->fault = "entry of another key";
  }
  if (e->fault != NULL) return LAYER_DAMAGED;
  (void)snprintf(e->content.compiler, sizeof e->content.compiler, "%s", compiler);
  return LAYER_SOUND;
}

/* An errno: how far the directory could be read. */
static int visit_shard(int fd, unsigned shard, layer_visit_fn visit, void *user, bool *go_on) {
  DIR *list = files_list(fd);
  if (list == NULL) return errno;
  struct dirent *next;
  while (*go_on && (errno = 0, next = readdir(list)) != NULL) {
    const layer_file file = {fd, shard, next->d_name, layout_parse(shard, next->d_name)};
    if (file.parsed.kind != LAYOUT_FOREIGN) *go_on = visit(user, &file);
  }
  const int error = *go_on ? errno : 0;
  (void)closedir(list);
  return error;
}

bool layer_visit(const layer *l, int version, layer_visit_fn visit, layer_tell_fn tell, void *user) {
  bool go_on = true;
  for (unsigned shard = 0; go_on && shard < LAYOUT_SHARDS; ++shard) {
    layer_problem problem;
    int fd = layer_open_shard(l, version, shard, false, &problem);
    if (fd >= 0) {
      problem.error = visit_shard(fd, shard, visit, user, &go_on);
      (void)close(fd);
    }
    if (problem.reason != NULL || (problem.error != 0 && problem.error != ENOENT)) tell(user, &problem);
  }
  return go_on;
}
