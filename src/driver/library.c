#include "driver/library.h"

#include <dlfcn.h>
#include <glob.h>
#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/env.h"
#include "util/log.h"
#include "util/text.h"

/* Where libraries are that the loader does not look at by itself: folders as glob patterns, below what an
 * environment variable names if there is one. A row whose variable is unset is left out, and so is a
 * relative path: libraries are code, and the working directory may be anybody's. */
typedef struct place {
  const char *variable;
  const char *folder;
} place;

static const place driver_places[] = {
    {NULL, "/usr/lib/x86_64-linux-gnu"},
    {NULL, "/usr/lib/aarch64-linux-gnu"},
    {NULL, "/usr/lib64"},
    {NULL, "/usr/lib/wsl/lib"},
    {NULL, "/usr/local/nvidia/lib64"},
    {NULL, "/run/opengl-driver/lib"},
};

static const place toolkit_places[] = {
    {"CUDA_HOME", "/lib64"},
    {"CUDA_HOME", "/lib"},
    {"CUDA_HOME", "/targets/*/lib"},
    {"CUDA_PATH", "/lib64"},
    {"CUDA_PATH", "/lib"},
    {"CUDA_PATH", "/targets/*/lib"},
    {NULL, "/usr/local/cuda/lib64"},
    {NULL, "/usr/local/cuda-1[0-9]*/lib64"},
    {NULL, "/opt/cuda/lib64"},
    {"CONDA_PREFIX", "/lib"},
    {"CONDA_PREFIX", "/targets/*/lib"},
    {"CONDA_PREFIX", "/lib/python3*/site-packages/nvidia/*/lib"},
    {"VIRTUAL_ENV", "/lib/python3*/site-packages/nvidia/*/lib"},
    {"PYTHONPATH", "/nvidia/*/lib"},
    {"HOME", "/.local/lib/python3*/site-packages/nvidia/*/lib"},
    {NULL, "/usr/local/lib/python3*/site-packages/nvidia/*/lib"},
    {NULL, "/usr/local/lib/python3*/dist-packages/nvidia/*/lib"},
    {NULL, "/usr/lib/python3*/site-packages/nvidia/*/lib"},
    {NULL, "/usr/lib/python3*/dist-packages/nvidia/*/lib"},
};

static void remember_path(library *l) {
  struct link_map *map = NULL;
  char resolved[PATH_MAX];
  if (dlinfo(l->handle, RTLD_DI_LINKMAP, &map) == 0 && map->l_name[0] != '\0') {
    l->path = strdup(realpath(map->l_name, resolved) != NULL ? resolved : map->l_name);
  }
}

/* Keeps why the first file that is there cannot be opened. */
static bool open_file(library *l, const char *path) {
  l->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (l->handle == NULL) {
    const char *reason = dlerror();
    log_debug("%s: %s", path, reason);
    if (l->problem == NULL && strchr(path, '/') != NULL && access(path, F_OK) == 0)
      l->problem = strdup(reason);
    return false;
  }
  remember_path(l);
  free(l->problem);
  l->problem = NULL;
  return true;
}

static bool open_in_folder(library *l, const library_search *search, const char *folder) {
  for (const char *const *name = search->names; *name != NULL; ++name) {
    char path[PATH_MAX];
    size_t length = strlen(folder) + strlen(*name) + 2;
    if (length > sizeof path) continue;
    memcpy(path, folder, strlen(folder));
    path[strlen(folder)] = '/';
    memcpy(path + strlen(folder) + 1, *name, strlen(*name) + 1);
    if (access(path, F_OK) == 0 && open_file(l, path)) return true;
  }
  return false;
}

/* Tries every folder that a pattern stands for. */
static bool open_in_folders(library *l, const library_search *search, const char *pattern, text *looked) {
  bool found = false;
  glob_t folders = {0};
  if (glob(pattern, 0, NULL, &folders) == 0) {
    for (size_t i = folders.gl_pathc; i-- > 0 && !found;) { /* sorted: the newest version is last */
      found = open_in_folder(l, search, folders.gl_pathv[i]);
    }
  }
  globfree(&folders);
  if (!found) text_format(looked, "%s%s", looked->length > 0 ? ", " : "", pattern);
  return found;
}

/* Tries a place; a variable may hold several, separated by ':'. */
static bool open_in_place(library *l, const library_search *search, const place *p, text *looked) {
  const char *value = p->variable == NULL ? "/" : env_get(p->variable);
  bool found = false;
  for (size_t length; !found && value != NULL && *value != '\0';
       value += length + (value[length] == ':')) {
    length = strcspn(value, ":");
    if (value[0] != '/') continue;
    text pattern = {0};
    if (p->variable != NULL) text_append(&pattern, value, length);
    text_add(&pattern, p->folder);
    if (!pattern.failed) found = open_in_folders(l, search, pattern.data, looked);
    text_free(&pattern);
  }
  return found;
}

static void describe_problem(library *l, const library_search *search, const char *named, text *looked) {
  text problem = {0};
  text_format(&problem, "%s (%s) %s; looked ", search->what, search->names[0],
              l->problem != NULL ? "cannot be loaded" : "was not found");
  if (named != NULL) {
    text_format(&problem, "only at %s, which $%s or an engine's config names", named, search->variable);
  } else {
    text_format(&problem, "on the loader's path and in %s", looked->data != NULL ? looked->data : "");
  }
  if (l->problem != NULL) text_format(&problem, ": %s", l->problem);
  text_format(&problem, ". %s, or name the file in $%s.", search->advice, search->variable);
  free(l->problem);
  l->problem = text_take(&problem);
}

library library_open(const library_search *search) {
  library l = {0};
  const char *named = env_get_fixed(search->variable);
  if (named != NULL) {
    if (!open_file(&l, named)) describe_problem(&l, search, named, NULL);
    return l;
  }
  for (const char *const *name = search->names; *name != NULL; ++name) {
    if (open_file(&l, *name)) return l;
  }
  const place *places = search->toolkit ? toolkit_places : driver_places;
  size_t count =
      search->toolkit ? sizeof toolkit_places / sizeof *places : sizeof driver_places / sizeof *places;
  text looked = {0};
  for (size_t i = 0; i < count; ++i) {
    if (open_in_place(&l, search, &places[i], &looked)) break;
  }
  if (l.handle == NULL) describe_problem(&l, search, NULL, &looked);
  text_free(&looked);
  return l;
}

void library_close(library *l) {
  if (l->handle != NULL) (void)dlclose(l->handle);
  free(l->path);
  free(l->problem);
  *l = (library){0};
}
