#include "finished.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "contender.h"
#include "gpu.h"
#include "util/text_file.h"

static bool starts_with(const char *text, const char *start) {
  return strncmp(text, start, strlen(start)) == 0;
}

/* The first line of the text with that start, up to its end; NULL if there is none. */
static const char *find_line(const char *text, const char *start, size_t *length) {
  for (const char *line = text; line != NULL && *line != '\0';) {
    const char *end = strchr(line, '\n');
    if (starts_with(line, start)) {
      *length = end != NULL ? (size_t)(end - line) : strlen(line);
      return line;
    }
    line = end != NULL ? end + 1 : NULL;
  }
  return NULL;
}

static void check_header(const char *path, const char *text, const char *header) {
  static const char *const same[] = {
      "# gpu: ", "# driver: ", "# toolkit: ", "# cub: ", "# templates: ", "# commit: "};
  for (size_t i = 0; i < sizeof same / sizeof same[0]; ++i) {
    size_t was_length = 0, is_length = 0;
    const char *was = find_line(text, same[i], &was_length), *is = find_line(header, same[i], &is_length);
    if (was_length == is_length && (is == NULL || memcmp(was, is, is_length) == 0)) continue;
    die("--resume: %s has been begun with '%.*s', and this is '%.*s'", path, (int)was_length,
        was != NULL ? was : "", (int)is_length, is != NULL ? is : "");
  }
}

/* Of a case that is compared the peer's row is the last one. */
static bool is_last_row(const char *line) {
  char impl[8] = "";
  if (sscanf(line, "%*[^,#],%*[^,],%*[^,],%*[^,],%7[^,],", impl) != 1) return false;
  const char *verified = strrchr(line, ',') + 1;
  return strcmp(impl, contender_names[BENCH_CUB]) == 0 || strcmp(verified, "unchecked") == 0;
}

static void take_rows(finished *f) {
  size_t lines = 0;
  for (const char *at = f->text; *at != '\0'; ++at) lines += *at == '\n';
  f->rows = calloc(lines + 1, sizeof *f->rows);
  if (f->rows == NULL) die("out of memory");
  char *rest = f->text;
  for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
    if (!is_last_row(line)) continue;
    f->rows[f->count++] = line;
    f->differed |= strcmp(strrchr(line, ',') + 1, "NO") == 0;
  }
}

finished finished_read(const char *path, const char *header) {
  enum { MOST_BYTES = 64 << 20 };
  finished f = {0};
  size_t length;
  const int failed = text_file_read(path, MOST_BYTES, &f.text, &length);
  if (failed == ENOENT) return (finished){0};
  if (failed != 0) die("%s: %s", path, strerror(failed));
  char *end = strrchr(f.text, '\n');
  const size_t whole = end != NULL ? (size_t)(end + 1 - f.text) : 0;
  if (whole < length && truncate(path, (off_t)whole) != 0) die("%s: %s", path, strerror(errno));
  f.text[whole] = '\0';
  if (whole > 0) check_header(path, f.text, header);
  take_rows(&f);
  return f;
}

void finished_free(finished *f) {
  free(f->text);
  free(f->rows);
  *f = (finished){0};
}

bool finished_has(const finished *f, const bench_case *c, uint64_t n) {
  char start[CASE_NAME_SIZE + 32];
  (void)snprintf(start, sizeof start, "%s,%s,%s,%llu,", c->algorithm, c->type, c->variant,
                 (unsigned long long)n);
  for (size_t i = 0; i < f->count; ++i) {
    if (starts_with(f->rows[i], start)) return true;
  }
  return false;
}
