#include "jit/templates.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jit/template_text.h"
#include "util/env.h"
#include "util/error.h"
#include "util/log.h"
#include "util/text_file.h"

enum { MOST_BYTES = 1 << 20 }; /* of a template */

static struct {
  /* From $JIG_TEMPLATE_PATH, kept for the life of the process; NULL: embedded ones. */
  template_file *read;
  digest *digests;
  char problem[512];
} the;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void read_templates(void) {
  const char *folder = env_get_fixed("JIG_TEMPLATE_PATH");
  if (folder == NULL) return;
  log_info("templates are read from %s", folder);
  template_file *read = calloc(embedded_template_count, sizeof *read);
  digest *digests = calloc(embedded_template_count, sizeof *digests);
  for (size_t i = 0; i < embedded_template_count; ++i) {
    char path[4096], *contents = NULL;
    (void)snprintf(path, sizeof path, "%s/%s", folder, embedded_templates[i].name);
    if (read == NULL || digests == NULL ||
        text_file_read(path, MOST_BYTES, &contents, &read[i].length) != 0) {
      (void)snprintf(the.problem, sizeof the.problem, "$JIG_TEMPLATE_PATH: %.400s cannot be read", path);
      break;
    }
    if (strlen(contents) != read[i].length) {
      (void)snprintf(the.problem, sizeof the.problem, "$JIG_TEMPLATE_PATH: %.400s is no text", path);
      free(contents);
      break;
    }
    read[i].name = embedded_templates[i].name;
    read[i].length = template_text_strip(contents, read[i].length);
    read[i].text = contents;
    digests[i] = digest_of(contents, read[i].length);
  }
  the.read = read;
  the.digests = digests;
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

/* A name cannot contain the NUL that ends it, and a digest has one length. */
digest templates_digest(const template_file *files, size_t count, const char *program) {
  const digest *digests = the.digests != NULL ? the.digests : embedded_digests;
  char marked[MOST_MARKED] = {0};
  digester all;
  digest_begin(&all);
  if (count <= MOST_MARKED) mark_included(files, count, program, marked);
  for (size_t i = 0; i < count; ++i) {
    if (count <= MOST_MARKED && !marked[i]) continue;
    digest_add(&all, files[i].name, strlen(files[i].name) + 1);
    digest_add(&all, digests[i].bytes, sizeof digests[i].bytes);
  }
  return digest_end(&all);
}

size_t templates_size(const template_file *files, size_t count, const char *program) {
  char marked[MOST_MARKED] = {0};
  size_t size = 0;
  if (count > MOST_MARKED) count = MOST_MARKED;
  mark_included(files, count, program, marked);
  for (size_t i = 0; i < count; ++i) size += marked[i] ? files[i].length : 0;
  return size;
}

digest files_digest(const template_file *files, size_t count) {
  digester all;
  digest_begin(&all);
  for (size_t i = 0; i < count; ++i) {
    const uint64_t length = files[i].length;
    digest_add(&all, files[i].name, strlen(files[i].name) + 1);
    digest_add(&all, &length, sizeof length);
    digest_add(&all, files[i].text, files[i].length);
  }
  return digest_end(&all);
}
