#include "jit/templates.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/env.h"
#include "util/error.h"
#include "util/log.h"
#include "util/text_file.h"

enum { MOST_BYTES = 1 << 20 }; /* of a template */

static struct {
  template_file
      *read; /* from $JIG_TEMPLATE_PATH, kept for the life of the process; NULL: embedded ones */
  char problem[512];
} the;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void read_templates(void) {
  const char *folder = env_get("JIG_TEMPLATE_PATH");
  if (folder == NULL) return;
  log_info("templates are read from %s", folder);
  template_file *read = calloc(embedded_template_count, sizeof *read);
  for (size_t i = 0; i < embedded_template_count; ++i) {
    char path[4096], *contents = NULL;
    (void)snprintf(path, sizeof path, "%s/%s", folder, embedded_templates[i].name);
    if (read == NULL || text_file_read(path, MOST_BYTES, &contents, &read[i].length) != 0) {
      (void)snprintf(the.problem, sizeof the.problem, "$JIG_TEMPLATE_PATH: %.400s cannot be read", path);
      break;
    }
    read[i].name = embedded_templates[i].name;
    read[i].text = contents;
  }
  the.read = read;
}

const template_file *templates_get(size_t *count) {
  (void)pthread_once(&once, read_templates);
  *count = embedded_template_count;
  if (the.problem[0] == '\0') return the.read != NULL ? the.read : embedded_templates;
  (void)error_set(JIG_ERROR_INVALID_ARGUMENT, "%s", the.problem);
  return NULL;
}

enum { MOST_MARKED = 1024 };

/* Marks every template that a text includes, and what those include. Templates write their includes one
 * way only. */
static void mark_included(const template_file *files, size_t count, const char *source, char *marked) {
  static const char directive[] = "#include <jig/";
  const size_t to_name = strlen("#include <");
  while ((source = strstr(source, directive)) != NULL) {
    source += to_name;
    size_t length = strcspn(source, ">\n");
    for (size_t i = 0; i < count; ++i) {
      if (marked[i] || strlen(files[i].name) != length || memcmp(files[i].name, source, length) != 0)
        continue;
      marked[i] = 1;
      mark_included(files, count, files[i].text, marked);
    }
  }
}

static hash128 digest(const template_file *files, size_t count, const char *marked) {
  XXH3_state_t state;
  (void)XXH3_128bits_reset(&state);
  for (size_t i = 0; i < count; ++i) {
    if (marked != NULL && !marked[i]) continue;
    uint64_t length = files[i].length;
    (void)XXH3_128bits_update(&state, files[i].name, strlen(files[i].name) + 1);
    (void)XXH3_128bits_update(&state, &length, sizeof length);
    (void)XXH3_128bits_update(&state, files[i].text, files[i].length);
  }
  XXH128_hash_t digest = XXH3_128bits_digest(&state);
  return (hash128){digest.low64, digest.high64};
}

hash128 templates_digest(const template_file *files, size_t count, const char *program) {
  char marked[MOST_MARKED] = {0};
  if (count > MOST_MARKED) return digest(files, count, NULL);
  mark_included(files, count, program, marked);
  return digest(files, count, marked);
}

size_t templates_size(const template_file *files, size_t count, const char *program) {
  char marked[MOST_MARKED] = {0};
  size_t size = 0;
  if (count > MOST_MARKED) count = MOST_MARKED;
  mark_included(files, count, program, marked);
  for (size_t i = 0; i < count; ++i) size += marked[i] ? files[i].length : 0;
  return size;
}

hash128 files_digest(const template_file *files, size_t count) {
  return digest(files, count, NULL);
}
