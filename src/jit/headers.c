#include "jit/headers.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jit/directive.h"
#include "jit/own_macros.h"
#include "spec/source.h"
#include "util/error.h"
#include "util/strings.h"

enum { MOST_HEADERS = 4096 };

static const size_t NO_HEADER = SIZE_MAX;

/* ---- what a program has of them */

jig_status headers_open(header_set *set, const header_source *source, const template_file *templates,
                        size_t template_count) {
  *set = (header_set){.source = source, .count = template_count, .capacity = template_count};
  set->template_count = template_count;
  set->files = malloc(template_count * sizeof *set->files);
  if (set->files == NULL) return error_memory("the templates");
  memcpy(set->files, templates, template_count * sizeof *set->files);
  return JIG_SUCCESS;
}

void headers_close(header_set *set) {
  for (size_t i = set->template_count; i < set->count; ++i) header_file_free(&set->files[i]);
  free(set->files);
  text_free(&set->include_templates);
  text_free(&set->include_headers);
}

bool headers_mention(const header_set *set, const char *part) {
  bool mentioned = false;
  for (size_t i = set->template_count; i < set->count; ++i)
    mentioned = mentioned || strstr(set->files[i].text, part) != NULL;
  return mentioned;
}

void headers_include(const header_set *set, text *out) {
  if (set->include_headers.data == NULL) return;
  text_add(out, set->include_headers.data);
  for (size_t i = set->template_count; i < set->count; ++i) {
    own_macros_refuse(out, set->files[i].name, set->files[i].text);
    own_macros_note(out, set->files[i].name, set->files[i].text);
  }
}

static void fail_for_memory(header_set *set) {
  if (set->status == JIG_SUCCESS) set->status = error_memory("headers");
}

/* ---- finding one */

static bool make_room(header_set *set) {
  if (set->count < set->capacity) return true;
  const size_t capacity = 2 * set->capacity;
  template_file *files = realloc(set->files, capacity * sizeof *files);
  if (files == NULL) return false;
  set->files = files;
  set->capacity = capacity;
  return true;
}

/* Adds a header; the text, malloc'ed, is the set's from now on. */
static void add_header(header_set *set, const char *name, char *content, size_t length) {
  char *name_copy = strdup(name);
  set->bytes += length;
  if (set->count - set->template_count == MOST_HEADERS || set->bytes > HEADER_MOST_BYTES) {
    set->status = error_set(JIG_ERROR_INVALID_ARGUMENT,
                            "more than %d headers or %d MiB are included; '%s' is one too many",
                            (int)MOST_HEADERS, HEADER_MOST_BYTES >> 20, name);
  } else if (name_copy == NULL || !make_room(set)) {
    fail_for_memory(set);
  } else {
    set->files[set->count++] = (template_file){name_copy, content, length};
    return;
  }
  free(name_copy);
  free(content);
}

/* The header of that full name, put into the set unless it is there. */
static size_t find(header_set *set, const char *name) {
  for (size_t i = 0; i < set->count; ++i) {
    if (strcmp(set->files[i].name, name) == 0) return i;
  }
  size_t length;
  char *content = NULL;
  if (!header_is_template(name)) set->status = header_source_read(set->source, name, &content, &length);
  if (content != NULL) set->status = source_check_header(content, name);
  if (set->status != JIG_SUCCESS) {
    free(content);
    return NO_HEADER;
  }
  if (content != NULL) add_header(set, name, content, length);
  return content != NULL && set->status == JIG_SUCCESS ? set->count - 1 : NO_HEADER;
}

/* What a directive stands for in a header, or in a text of the user's, which is called "". */
static size_t resolve(header_set *set, const directive *d, const char *includer) {
  char name[HEADER_NAME_SIZE];
  size_t found = NO_HEADER;
  if (d->name == NULL) return NO_HEADER;
  if (d->quoted && header_full_name(includer, d->name, d->length, name)) found = find(set, name);
  if (found == NO_HEADER && set->status == JIG_SUCCESS && header_full_name("", d->name, d->length, name))
    found = find(set, name);
  return found;
}

/* ---- texts with nothing left to be found */

/* Blanks for what is left out, as many lines of it; the last one goes on. */
static void add_blanks(text *out, const char *begin, const char *end) {
  for (const char *c = begin; c < end; ++c) text_add(out, *c == '\n' ? "\\\n" : " ");
}

/* Of names that stand for nothing, within whatever header. */
static bool leads_out(const directive *d) {
  char full[HEADER_NAME_SIZE];
  return !header_full_name("", d->name, d->length, full) && memmem(d->name, d->length, "..", 2) != NULL;
}

/* The template whose name is spelt most like what there is none of, if it is like it at all. */
static void add_nearest(text *out, const header_set *set, const directive *d) {
  char name[HEADER_NAME_SIZE];
  const template_file *nearest = NULL;
  size_t least = 4;
  if (!header_full_name("", d->name, d->length, name)) return;
  for (size_t i = 0; i < set->template_count; ++i) {
    const size_t distance = strings_distance(name, set->files[i].name);
    if (distance >= least) continue;
    least = distance;
    nearest = &set->files[i];
  }
  if (nearest != NULL) text_format(out, "; did you mean <%s>?", nearest->name);
}

/* What programs written for nvcc begin with, and what NVRTC has without them. */
static bool is_built_in(const directive *d) {
  static const char *const names[] = {"stdint.h", "cstdint", "cuda_runtime.h",
                                      "device_launch_parameters.h"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
    if (strlen(names[i]) == d->length && memcmp(d->name, names[i], d->length) == 0) return true;
  }
  return false;
}

static void add_error(text *out, const header_set *set, const directive *d) {
  if (d->name == NULL) {
    text_add(
        out,
        "#error jig takes an #include by a name in quotes or angle brackets, and no #include_next: ");
  } else if (!header_name_is_plain(d->name, d->length)) {
    text_add(out, "#error cannot include what has no name, or one with quotes, brackets or backslashes");
  } else {
    text_format(out, "#error cannot include \"%.*s\": %s", (int)d->length, d->name,
                d->name[0] == '/' ? "it is an absolute path; put its folder into config->include_path"
                : leads_out(d)    ? "it leads out of the folders of config->include_path"
                : is_built_in(d)  ? "what device code needs of it is there without it; leave it out"
                : header_is_template(d->name)
                    ? "there is no such template"
                    : "neither config->headers nor a folder of config->include_path has it");
    if (header_is_template(d->name)) add_nearest(out, set, d);
  }
}

/* A line for the program, once. */
static void add_line(text *lines, const char *name) {
  char line[HEADER_NAME_SIZE + 16];
  (void)snprintf(line, sizeof line, "#include <%s>\n", name);
  if (lines->data == NULL || strstr(lines->data, line) == NULL) text_add(lines, line);
}

/* What is being resolved. */
typedef enum text_kind {
  TEXT_HEADER,
  TEXT_PART, /* a text of the user's that stands within a function or a namespace */
  TEXT_FILE  /* one that stands by itself */
} text_kind;

/* Appends what takes the place of an #include. */
static void add_include(header_set *set, const directive *d, size_t found, text_kind kind, text *out) {
  const bool template = found < set->template_count;
  /* A template comes before all headers, as these may define macros of any name. */
  if (template) add_line(&set->include_templates, set->files[found].name);
  if (kind == TEXT_PART && found != NO_HEADER && !template)
    add_line(&set->include_headers, set->files[found].name);
  if ((kind == TEXT_PART && found != NO_HEADER) || (kind == TEXT_FILE && template)) {
    add_blanks(out, d->begin, d->end);
    return;
  }
  for (const char *c = d->begin; c < d->end; ++c) {
    if (*c == '\n') text_add(out, "\n");
  }
  if (found == NO_HEADER)
    add_error(out, set, d);
  else
    text_format(out, "#include <%s>", set->files[found].name);
}

/* Appends a text with nothing left to be found; `includer` is the header's name, or "". */
static void add_resolved(header_set *set, const char *source, const char *includer, text_kind kind,
                         text *out) {
  token_reader reader = {.at = source};
  for (directive d; directive_next(&reader, &d) && set->status == JIG_SUCCESS; source = d.end) {
    text_append(out, source, (size_t)(d.begin - source));
    const size_t found = resolve(set, &d, includer);
    if (!d.question) {
      add_include(set, &d, found, kind, out);
    } else {
      text_add(out, found != NO_HEADER ? "1" : "0");
      add_blanks(out, d.begin + 1, d.end);
    }
  }
  text_add(out, source);
}

static void resolve_header(header_set *set, size_t i) {
  static const char byte_order_mark[] = "\xef\xbb\xbf"; /* NVRTC takes no header with one */
  const char *source = set->files[i].text, *name = set->files[i].name;
  text out = {0};
  if (strncmp(source, byte_order_mark, strlen(byte_order_mark)) == 0) source += strlen(byte_order_mark);
  add_resolved(set, source, name, TEXT_HEADER, &out);
  template_file *file = &set->files[i]; /* which may have moved */
  free((char *)(uintptr_t)file->text);
  file->length = out.length;
  file->text = text_take(&out);
  if (file->text == NULL) fail_for_memory(set);
}

static jig_status add_text(header_set *set, const char *source, text_kind kind, text *out) {
  size_t next = set->count;
  add_resolved(set, source, "", kind, out);
  while (next < set->count && set->status == JIG_SUCCESS) resolve_header(set, next++);
  if (set->include_templates.failed || set->include_headers.failed) fail_for_memory(set);
  return set->status;
}

jig_status headers_add(header_set *set, const char *source, text *out) {
  return add_text(set, source, TEXT_PART, out);
}

jig_status headers_add_file(header_set *set, const char *source, text *out) {
  return add_text(set, source, TEXT_FILE, out);
}
