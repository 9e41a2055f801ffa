#include "prewarm_jobs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "describe.h"
#include "engine/prewarm.h"
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

int prewarm_settings_take(prewarm_settings *settings, int id, const char *value, bool *mine) {
  enum { MOST_THREADS = 1024 };
  uint64_t threads;
  *mine = true;
  switch (id) {
    case OPTION_TO:
      settings->to = value;
      return EXIT_OK;
    case OPTION_DRY_RUN:
      settings->dry = true;
      return EXIT_OK;
    case OPTION_JSON:
      settings->json = true;
      return EXIT_OK;
    case 'j':
      if (!options_number("--jobs", value, 1, MOST_THREADS, &threads)) return EXIT_USAGE;
      settings->threads = (unsigned)threads;
      return EXIT_OK;
    default:
      *mine = false;
      return EXIT_OK;
  }
}
