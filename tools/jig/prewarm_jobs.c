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

/* Whether a line is text to its end. What is behind a NUL, or a carriage return that does not end the
 * line, would look to most editors like a part of it, or like a line of its own, and is neither. */
static bool is_line(const char *line, size_t length, const char *path, size_t number) {
  const size_t end = strcspn(line, "\r");
  if (strlen(line) != length)
    complain("%s:%zu: a NUL within the line", path, number);
  else if (line[end] == '\r' && strcmp(line + end, "\r\n") != 0 && strcmp(line + end, "\r") != 0)
    complain("%s:%zu: a carriage return within the line", path, number);
  else
    return true;
  return false;
}

static void add_line(job_list *list, char *line, const char *path, size_t number,
                     const arch_list *archs) {
  const char *text = line + strspn(line, " \t\r\n");
  if (*text == '\0' || *text == '#') return;
  line[strcspn(line, "\r\n")] = '\0';
  jobs_add_spec(list, text, path, number, archs);
}

static int add_lines(job_list *list, FILE *file, const char *path, const arch_list *archs) {
  char *line = NULL;
  size_t capacity = 0, number = 0;
  int code = EXIT_OK;
  for (ssize_t length; code == EXIT_OK && (length = getline(&line, &capacity, file)) >= 0;) {
    if (is_line(line, (size_t)length, path, ++number))
      add_line(list, line, path, number, archs);
    else
      code = EXIT_FAILED;
  }
  free(line);
  if (!ferror(file)) return code;
  complain("%s: %s", path, strerror(errno));
  return EXIT_FAILED;
}

int jobs_add_manifest(job_list *list, const char *path, const arch_list *archs) {
  FILE *file = file_open(path);
  if (file == NULL) {
    complain("%s: %s", path, strerror(errno));
    return EXIT_FAILED;
  }
  const int code = add_lines(list, file, path, archs);
  file_close(file);
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
