/* Manifests: what jig prewarm is to do, from files; see prewarm_jobs.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms.h"
#include "files.h"
#include "jit/algorithm.h"
#include "prewarm_jobs.h"
#include "report.h"
#include "request.h"

/* Whether a line, of which the end has been cut off, is text. What is behind a NUL, or a carriage return
 * that does not end the line, would look to most editors like a part of it, or like a line of its own. */
static bool is_text(const char *line, size_t length, const char *path, size_t number) {
  const char *wrong = strlen(line) != length       ? "NUL"
                      : strchr(line, '\r') != NULL ? "carriage return"
                                                   : NULL;
  if (wrong != NULL) complain("%s:%zu: a %s within the line", path, number, wrong);
  return wrong == NULL;
}

/* A line of words: an algorithm, and slot=value for its slots. */
static int add_words(job_list *list, char *line, const char *path, size_t number,
                     const arch_list *archs) {
  spec_options options = {.slot_count = 0};
  char *rest = NULL, *text = NULL, *word = strtok_r(line, " \t", &rest);
  const spec_schema *schema = algorithm_schema(word);
  if (schema == &own_kernel_algorithm.schema) schema = NULL; /* it has no words */
  int code = schema != NULL ? EXIT_OK : EXIT_FAILED;
  if (schema == NULL) complain("'%s' is no algorithm (%s)", word, algorithm_names());
  while (code == EXIT_OK && (word = strtok_r(NULL, " \t", &rest)) != NULL)
    code = spec_options_take_slots(&options, &(operand_list){&word, 1});
  request r = {.draft = NULL};
  if (code == EXIT_OK) code = request_resolve(&r, schema, &options, NULL);
  if (code == EXIT_OK) code = request_text(&r, &text);
  if (code == EXIT_OK) jobs_add_spec(list, text, path, number, archs);
  if (code != EXIT_OK) complain("%s:%zu: this line is no spec", path, number);
  jig_free(text);
  request_free(&r);
  return code == EXIT_OK ? EXIT_OK : EXIT_FAILED;
}

static int add_line(job_list *list, char *line, const char *path, size_t number, const arch_list *archs) {
  line += strspn(line, " \t");
  if (*line == '\0' || *line == '#') return EXIT_OK;
  /* Texts that begin with a letter are no JSON object. */
  if ((*line >= 'a' && *line <= 'z') || *line == '_') return add_words(list, line, path, number, archs);
  jobs_add_spec(list, line, path, number, archs);
  return EXIT_OK;
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
    if (add_line(list, line, path, number, archs) != EXIT_OK) return EXIT_FAILED;
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
