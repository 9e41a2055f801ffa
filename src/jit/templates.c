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
#include "util/view.h"

enum { MOST_BYTES = 1 << 20 }; /* of a template */

static struct {
  /* Of those from $JIG_TEMPLATE_PATH, kept for the life of the process; NULL: embedded ones. */
  digest *digests;
  char problem[512];
} the;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Either has named the folder. */
#define PATH_NAME "$JIG_TEMPLATE_PATH, or a config's template_path"

/* Puts a file's text in the place of what is embedded. */
static void read_template(const char *folder, template_file *file, digest *of_text) {
  char path[4096], *contents = NULL;
  (void)snprintf(path, sizeof path, "%s/%s", folder, file->name);
  if (text_file_read(path, MOST_BYTES, &contents, &file->length) != 0) {
    (void)snprintf(the.problem, sizeof the.problem, PATH_NAME ": %.400s cannot be read", path);
    return;
  }
  if (strlen(contents) != file->length) {
    (void)snprintf(the.problem, sizeof the.problem, PATH_NAME ": %.400s is no text", path);
    free(contents);
    return;
  }
  file->length = template_text_strip(contents, file->length);
  file->text = contents;
  *of_text = digest_of(contents, file->length);
}

static void find_templates(void) {
  for (size_t i = 0; i < embedded_template_count; ++i) {
    const char *name = embedded_texts + embedded_places[i].name;
    template_files[i] = (template_file){name, name + strlen(name) + 1, embedded_places[i].length};
  }
  const char *folder = env_get_fixed("JIG_TEMPLATE_PATH");
  if (folder == NULL) return;
  log_info("templates are read from %s", folder);
  the.digests = calloc(embedded_template_count, sizeof *the.digests);
  if (the.digests == NULL) (void)snprintf(the.problem, sizeof the.problem, PATH_NAME ": out of memory");
  for (size_t i = 0; i < embedded_template_count && the.problem[0] == '\0'; ++i)
    read_template(folder, &template_files[i], &the.digests[i]);
}

const template_file *templates_get(size_t *count) {
  (void)pthread_once(&once, find_templates);
  *count = embedded_template_count;
  if (the.problem[0] == '\0') return template_files;
  (void)error_set(JIG_ERROR_INVALID_ARGUMENT, "%s", the.problem);
  return NULL;
}

enum { MOST_MARKED = 1024 };

static int compare_name(const void *name, const void *file) {
  const view *wanted = name;
  const char *its = ((const template_file *)file)->name;
  const int order = strncmp((const char *)wanted->at, its, wanted->size);
  return order == 0 && its[wanted->size] != '\0' ? -1 : order;
}

/* Marks every template that a text includes, and what those include. Templates write their includes one
 * way only, and are in the order of their names. */
static void mark_included(const template_file *files, size_t count, const char *source, char *marked) {
  static const char directive[] = "#include <jig/";
  const size_t to_name = strlen("#include <");
  while ((source = strstr(source, directive)) != NULL) {
    source += to_name;
    const view name = view_of(source, strcspn(source, ">\n"));
    const template_file *file = bsearch(&name, files, count, sizeof *files, compare_name);
    if (file == NULL || marked[file - files]) continue;
    marked[file - files] = 1;
    mark_included(files, count, file->text, marked);
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
