#include "prewarm_jobs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "describe.h"
#include "engine/prewarm.h"
#include "files.h"
#include "report.h"

static void *must(void *memory) {
  if (memory != NULL) return memory;
  complain("out of memory");
  exit(EXIT_FAILED);
}

/* Makes room for one more item. */
static void *grow(void *items, size_t count, size_t *capacity, size_t item_size) {
  if (count < *capacity) return items;
  *capacity = *capacity == 0 ? 64 : *capacity * 2;
  return must(realloc(items, *capacity * item_size));
}

static const char *keep(job_list *list, char *text) {
  list->texts = grow(list->texts, list->text_count, &list->text_capacity, sizeof *list->texts);
  return list->texts[list->text_count++] = must(text);
}

/* Takes over the text. */
static void add_program(job_list *list, char *spec, const char *file, size_t line,
                        const arch_list *archs) {
  const char *text = keep(list, spec), *shown = keep(list, describe_spec_text(spec));
  for (int i = 0; i < archs->count; ++i) {
    list->jobs = grow(list->jobs, list->count, &list->capacity, sizeof *list->jobs);
    job *j = &list->jobs[list->count++];
    *j = (job){.spec = text, .shown = shown, .arch = archs->names[i]};
    if (file != NULL && asprintf(&j->place, "%s:%zu", file, line) < 0) (void)must(j->place = NULL);
  }
}

void jobs_add_spec(job_list *list, const char *spec, const char *file, size_t line,
                   const arch_list *archs) {
  char *texts[PREWARM_MAX_PROGRAMS];
  const int count = prewarm_split(spec, texts);
  if (count == 0) add_program(list, strdup(spec), file, line, archs); /* to fail by itself */
  for (int i = 0; i < count; ++i) add_program(list, texts[i], file, line, archs);
}

/* Whether a line, of which the end has been cut off, is text. What is behind a NUL, or a carriage return
 * that does not end the line, would look to most editors like a part of it, or like a line of its own. */
static bool is_text(const char *line, size_t length, const char *path, size_t number) {
  const char *wrong = strlen(line) != length       ? "NUL"
                      : strchr(line, '\r') != NULL ? "carriage return"
                                                   : NULL;
  if (wrong != NULL) complain("%s:%zu: a %s within the line", path, number, wrong);
  return wrong == NULL;
}

static int add_lines(job_list *list, char *text, size_t size, const char *path, const arch_list *archs) {
  char *line = text, *const end = text + size;
  for (size_t number = 1; line < end; ++number) {
    char *newline = memchr(line, '\n', (size_t)(end - line));
    char *line_end = newline != NULL ? newline : end;
    char *const next = line_end + (newline != NULL);
    if (line_end > line && line_end[-1] == '\r') --line_end;
    *line_end = '\0';
    if (!is_text(line, (size_t)(line_end - line), path, number)) return EXIT_FAILED;
    line += strspn(line, " \t");
    if (*line != '\0' && *line != '#') jobs_add_spec(list, line, path, number, archs);
    line = next;
  }
  return EXIT_OK;
}

int jobs_add_manifest(job_list *list, const char *path, const arch_list *archs) {
  size_t size;
  char *text = file_read(path, &size);
  if (text == NULL) {
    complain("%s: %s", path, strerror(errno));
    return EXIT_FAILED;
  }
  const int code = add_lines(list, text, size, path, archs);
  free(text);
  return code;
}

void jobs_free(job_list *list) {
  for (size_t i = 0; i < list->count; ++i) {
    free(list->jobs[i].place);
    free(list->jobs[i].error);
  }
  for (size_t i = 0; i < list->text_count; ++i) free(list->texts[i]);
  free(list->jobs);
  free(list->texts);
  *list = (job_list){0};
}
