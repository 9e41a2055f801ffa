#include "policy/wisdom.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "spec/canonical.h"
#include "store/files.h"
#include "util/hash.h"
#include "util/text.h"
#include "util/text_file.h"

enum { MOST_BYTES = 16 << 20, MOST_ENTRIES = 1 << 14 };

/* ---- reading */

static void tell_of(wisdom_tell *tell, void *user, const char *place, const char *what) {
  char problem[1024];
  if (tell == NULL) return;
  (void)snprintf(problem, sizeof problem, "%.700s: %.300s", place, what);
  tell(user, problem);
}

static bool is_tuning(const json_t *tuning) {
  const char *kernel;
  json_t *knobs;
  if (!json_is_object(tuning) || json_object_size(tuning) == 0) return false;
  json_object_foreach((json_t *)(uintptr_t)tuning, kernel, knobs) {
    const char *knob;
    json_t *value;
    if (!json_is_object(knobs)) return false;
    json_object_foreach(knobs, knob, value) if (!json_is_integer(value)) return false;
  }
  return true;
}

/* What is wrong with a line; NULL: nothing. */
static const char *fault_of(const json_t *line) {
  const json_t *sm = json_object_get(line, "sm");
  if (!json_is_object(line)) return "it is no JSON object";
  if (!json_is_integer(sm) || json_integer_value(sm) < 1 || json_integer_value(sm) > 9999)
    return "\"sm\" is no architecture, such as 90";
  if (!json_is_object(json_object_get(line, "spec"))) return "\"spec\" is no spec";
  if (!is_tuning(json_object_get(line, "tuning")))
    return "\"tuning\" is no object of kernels, each with whole numbers by their names";
  return NULL;
}

static void free_entry(wisdom_entry *e) {
  free(e->spec);
  free(e->place);
  json_decref(e->line);
}

/* Where an entry for the same is, or is to be. */
static wisdom_entry *place_for(wisdom *w, const wisdom_entry *e) {
  for (size_t i = 0; i < w->count; ++i) {
    wisdom_entry *old = &w->entries[i];
    if (old->hash == e->hash && old->sm == e->sm && strcmp(old->spec, e->spec) == 0) return old;
  }
  if (w->count == w->capacity) {
    const size_t capacity = w->capacity > 0 ? 2 * w->capacity : 16;
    wisdom_entry *more = realloc(w->entries, capacity * sizeof *more);
    if (more == NULL) return NULL;
    w->entries = more;
    w->capacity = capacity;
  }
  w->entries[w->count] = (wisdom_entry){.line = NULL};
  return &w->entries[w->count++];
}

bool wisdom_add_line(wisdom *w, json_t *line, const char *place) {
  wisdom_entry e = {.line = line, .place = strdup(place)};
  if (fault_of(line) == NULL) {
    e.sm = (int)json_integer_value(json_object_get(line, "sm"));
    e.spec = canonical_text(json_object_get(line, "spec"));
  }
  if (e.spec != NULL) e.hash = hash_bytes(e.spec, strlen(e.spec)).low;
  wisdom_entry *to = e.spec != NULL && e.place != NULL ? place_for(w, &e) : NULL;
  if (to == NULL) {
    free_entry(&e);
    return false;
  }
  free_entry(to);
  *to = e;
  return true;
}

static bool add_line(wisdom *w, const char *place, const char *from, size_t length, wisdom_tell *tell,
                     void *user) {
  json_error_t error;
  json_t *line = json_loadb(from, length, JSON_REJECT_DUPLICATES, &error);
  const char *fault = line == NULL ? error.text : fault_of(line);
  if (fault == NULL && w->count >= MOST_ENTRIES) fault = "there are too many before";
  if (fault == NULL) return wisdom_add_line(w, line, place);
  tell_of(tell, user, place, fault);
  json_decref(line);
  return true;
}

bool wisdom_add_text(wisdom *w, const char *name, const char *lines, size_t length, wisdom_tell *tell,
                     void *user) {
  const char *end = lines + length;
  bool ok = true;
  for (unsigned number = 1; lines < end && ok; ++number) {
    const char *newline = memchr(lines, '\n', (size_t)(end - lines));
    const char *line = lines, *line_end = newline != NULL ? newline : end;
    char place[768];
    while (line < line_end && strchr(" \t\r", *line) != NULL && *line != '\0') ++line;
    (void)snprintf(place, sizeof place, "%.700s:%u", name, number);
    if (line < line_end && *line != '#')
      ok = add_line(w, place, line, (size_t)(line_end - line), tell, user);
    lines = newline != NULL ? newline + 1 : end;
  }
  return ok;
}

bool wisdom_add_file(wisdom *w, const char *path, wisdom_tell *tell, void *user) {
  char *content;
  size_t length;
  if (strcmp(path, "/dev/null") == 0) return true;
  const int problem = text_file_read(path, MOST_BYTES, &content, &length);
  if (problem != 0) {
    tell_of(tell, user, path, problem == EINVAL ? "it is no file" : strerror(problem));
    return false;
  }
  const bool ok = wisdom_add_text(w, path, content, length, tell, user);
  if (!ok) tell_of(tell, user, path, "out of memory");
  free(content);
  return ok;
}

void wisdom_free(wisdom *w) {
  for (size_t i = 0; i < w->count; ++i) free_entry(&w->entries[i]);
  free(w->entries);
  *w = (wisdom){.count = 0};
}

/* ---- looking up */

const wisdom_entry *wisdom_find(const wisdom *w, const char *spec_text, int sm) {
  const uint64_t hash = hash_bytes(spec_text, strlen(spec_text)).low;
  for (size_t i = 0; i < w->count; ++i) {
    const wisdom_entry *e = &w->entries[i];
    if (e->hash == hash && e->sm == sm && strcmp(e->spec, spec_text) == 0) return e;
  }
  return NULL;
}

/* ---- writing */

static int in_order(const void *left, const void *right) {
  const wisdom_entry *a = *(const wisdom_entry *const *)left, *b = *(const wisdom_entry *const *)right;
  const int by_spec = strcmp(a->spec, b->spec);
  return by_spec != 0 ? by_spec : a->sm - b->sm;
}

static void write_all(text *out, const wisdom_entry *const *sorted, size_t count) {
  text_add(out, "# jig's wisdom: how programs are tuned, a line each; see jig tune --help\n");
  for (size_t i = 0; i < count; ++i) {
    char *line = canonical_text(sorted[i]->line);
    if (line == NULL) out->failed = true;
    if (line != NULL) text_format(out, "%s\n", line);
    free(line);
  }
}

char *wisdom_text(const wisdom *w) {
  const wisdom_entry **sorted = calloc(w->count + 1, sizeof *sorted);
  text out = {0};
  if (sorted == NULL) return NULL;
  for (size_t i = 0; i < w->count; ++i) sorted[i] = &w->entries[i];
  qsort(sorted, w->count, sizeof *sorted, in_order);
  write_all(&out, sorted, w->count);
  free(sorted);
  return text_take(&out);
}

static int save_in(int dir, const char *name, const char *content) {
  files_temporary temporary;
  const int problem = files_write(dir, content, strlen(content), &temporary);
  if (problem != 0) return problem;
  (void)fchmod(temporary.fd, 0644); /* it is to be committed and shipped */
  return files_publish(dir, &temporary, name);
}

bool wisdom_can_be_at(const char *path) {
  struct stat status;
  return stat(path, &status) != 0 || S_ISREG(status.st_mode);
}

/* A link is followed to the folder of what it names, so that it stays a link. */
int wisdom_save(const wisdom *w, const char *path) {
  if (!wisdom_can_be_at(path)) return EINVAL;
  char *real = realpath(path, NULL), *folder = strdup(real != NULL ? real : path);
  char *content = wisdom_text(w), *slash = folder != NULL ? strrchr(folder, '/') : NULL;
  const char *name = slash != NULL ? slash + 1 : folder;
  int problem = folder == NULL || content == NULL ? ENOMEM : *name == '\0' ? EISDIR : 0;
  char *file = problem == 0 ? strdup(name) : NULL;
  if (problem == 0 && slash != NULL) slash[slash == folder] = '\0';
  const char *where = slash != NULL ? folder : ".";
  if (problem == 0 && access(where, F_OK) != 0) problem = files_make_directory(where);
  const int dir = problem == 0 ? open(where, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  if (problem == 0) problem = dir < 0 ? errno : file == NULL ? ENOMEM : save_in(dir, file, content);
  if (dir >= 0) (void)close(dir);
  free(file);
  free(content);
  free(folder);
  free(real);
  return problem;
}
