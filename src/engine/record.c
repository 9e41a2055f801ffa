#include "engine/record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "spec/canonical.h"
#include "util/log.h"
#include "util/text.h"

void recorder_open(recorder *r, const char *path) {
  *r = (recorder){.path = path != NULL ? strdup(path) : NULL};
  (void)pthread_mutex_init(&r->mutex, NULL);
}

void recorder_close(recorder *r) {
  free(r->path);
  free(r->lines);
  (void)pthread_mutex_destroy(&r->mutex);
}

/* Whether a line is new, and notes it. */
static bool is_new(recorder *r, digest line) {
  for (size_t i = 0; i < r->count; ++i)
    if (memcmp(&r->lines[i], &line, sizeof line) == 0) return false;
  if (r->count == r->capacity) {
    const size_t capacity = r->capacity > 0 ? 2 * r->capacity : 64;
    digest *lines = realloc(r->lines, capacity * sizeof *lines);
    if (lines == NULL) return true; /* rather twice than not at all */
    r->lines = lines;
    r->capacity = capacity;
  }
  r->lines[r->count++] = line;
  return true;
}

/* At once, so that the lines of several processes stay whole. */
static int append(const char *path, const char *bytes, size_t size) {
  const int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
  if (fd < 0) return errno;
  ssize_t written;
  do {
    written = write(fd, bytes, size);
  } while (written < 0 && errno == EINTR);
  int problem = written < 0 ? errno : (size_t)written < size ? ENOSPC : 0;
  /* What follows a line that was cut is to be one of its own. */
  if (written > 0 && problem != 0) (void)!write(fd, "\n", 1);
  if (close(fd) != 0 && problem == 0) problem = errno;
  return problem;
}

static char *line_of(const spec *s) {
  json_t *json = spec_to_json(s, SPEC_WHOLE);
  char *spec_text = canonical_text(json);
  text line = {0};
  json_decref(json);
  if (spec_text == NULL) return NULL;
  text_format(&line, "%s\n", spec_text);
  free(spec_text);
  return text_take(&line);
}

void recorder_add(recorder *r, const spec *s) {
  if (r->path == NULL) return;
  char *line = line_of(s);
  if (line == NULL) return; /* building it fails for the same reason, and says so */
  const size_t length = strlen(line);
  int problem = 0;
  (void)pthread_mutex_lock(&r->mutex);
  if (is_new(r, digest_of(line, length))) problem = append(r->path, line, length);
  (void)pthread_mutex_unlock(&r->mutex);
  if (problem != 0) log_info("JIG_RECORD: cannot append to '%s': %s", r->path, strerror(problem));
  free(line);
}
