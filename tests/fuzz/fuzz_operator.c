/* Operators and the headers that they include: the lexer that decides whether a text may stand within
 * jig's, and what takes the place of #includes. The input is an operator, then names and texts of headers
 * in turn, with a NUL after each. */
#include <jig/jig.h>

#include "fuzz.h"
#include "jit/directive.h"
#include "jit/headers.h"
#include "jit/templates.h"
#include "spec/source.h"
#include "util/error.h"

enum { MOST_HEADERS = 8 };

static size_t lines_of(const char *text) {
  size_t lines = 0;
  for (; (text = strchr(text, '\n')) != NULL; ++text) ++lines;
  return lines;
}

/* Directives come one after the other, and names are within them. */
static void scan(const char *text) {
  const char *before = text, *end = text + strlen(text);
  token_reader reader = {.at = text};
  for (directive d; directive_next(&reader, &d); before = d.end) {
    MUST(before <= d.begin && d.begin < d.end && d.end <= end);
    if (d.name != NULL) MUST(d.begin < d.name && d.name + d.length < d.end);
  }
}

/* What comes out has the same lines, and no header but those that were found. */
static void find_headers(const char *text, const jig_engine_config *config) {
  size_t count;
  const template_file *templates = templates_get(&count);
  header_source source;
  if (header_source_open(&source, config) == JIG_SUCCESS) {
    header_set set;
    struct text out = {0};
    MUST(headers_open(&set, &source, templates, count) == JIG_SUCCESS);
    if (headers_add(&set, text, &out) == JIG_SUCCESS) {
      char *resolved = text_take(&out);
      MUST(resolved != NULL && lines_of(resolved) == lines_of(text));
      for (size_t i = set.template_count; i < set.count; ++i) {
        MUST(strlen(set.files[i].text) == set.files[i].length);
        MUST(strncmp(set.files[i].name, "..", 2) != 0 && set.files[i].name[0] != '/');
      }
      free(resolved);
    }
    text_free(&out);
    headers_close(&set);
  }
  header_source_close(&source);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *names[MOST_HEADERS], *texts[MOST_HEADERS];
  jig_header headers[MOST_HEADERS];
  char *body = fuzz_take_text(&data, &size);
  size_t count = 0;
  error_clear();
  for (; size > 0 && count < MOST_HEADERS; ++count) {
    names[count] = fuzz_take_text(&data, &size);
    texts[count] = fuzz_take_text(&data, &size);
    headers[count] = (jig_header){names[count], texts[count]};
    (void)source_check_header(texts[count], names[count]);
  }
  scan(body);
  if (source_check(body, "op", "operator") != JIG_SUCCESS)
    MUST(strncmp(jig_last_error(), "op: operator:", strlen("op: operator:")) == 0);
  find_headers(body, &(jig_engine_config){.headers = headers, .header_count = count, .include_path = ""});
  while (count-- > 0) {
    free(names[count]);
    free(texts[count]);
  }
  free(body);
  return 0;
}
