/* A whole module: its directives, errors, and the way in and out. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptx/parser.h"

#define MOST_DEPTH 100
#define MOST_FILES 100000

/* Cuts the line out of the text. */
static void add_line_text(ptx_error *error, const char *text, const char *at) {
  const char *start = at, *end = at;
  while (start > text && start[-1] != '\n') --start;
  while (*start == ' ' || *start == '\t') ++start;
  if (end < start) end = start;
  while (*end != '\0' && *end != '\n' && *end != '\r') ++end;
  size_t used = strlen(error->message), left = sizeof error->message - used;
  if (end == start || left < 16) return;
  (void)snprintf(error->message + used, left, ": %.*s", end - start > 160 ? 160 : (int)(end - start),
                 start);
}

__attribute__((format(printf, 4, 0))) static void set_error(ptx_parser *p, const char *at, unsigned line,
                                                            const char *format, va_list arguments) {
  ptx_error *error = p->error;
  error->line = line;
  (void)vsnprintf(error->message, sizeof error->message / 2, format, arguments);
  add_line_text(error, p->text, at);
  for (char *c = error->message; *c != '\0'; ++c)
    if ((unsigned char)*c < ' ' || (unsigned char)*c > '~') *c = *c == '\t' ? ' ' : '?';
}

void ptx_fail(ptx_parser *p, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  set_error(p, p->token.start, p->token.line, format, arguments);
  va_end(arguments);
  longjmp(p->failed, 1);
}

void ptx_fail_at(ptx_parser *p, const char *at, unsigned line, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  set_error(p, at, line, format, arguments);
  va_end(arguments);
  longjmp(p->failed, 1);
}

void ptx_unexpected(ptx_parser *p, const char *wanted) {
  ptrdiff_t length = p->token.end - p->token.start;
  if (p->token.kind == TOKEN_END) ptx_fail(p, "expected %s, found the end of the text", wanted);
  ptx_fail(p, "expected %s, found '%.*s'", wanted, length > 80 ? 80 : (int)length, p->token.start);
}

void ptx_enter(ptx_parser *p) {
  if (++p->depth > MOST_DEPTH) ptx_fail(p, "too deeply nested");
}

void ptx_leave(ptx_parser *p) {
  --p->depth;
}

/* 9.0: a floating-point number only by its looks. */
static void parse_version(ptx_parser *p) {
  ptx_module *m = p->module;
  if (p->token.kind != TOKEN_NUMBER ||
      sscanf(p->token.start, "%3d.%3d", &m->version_major, &m->version_minor) != 2)
    ptx_unexpected(p, "a version");
  ptx_next(p);
}

/* sm_90a, and options as texmode_unified and debug, which change nothing here. */
static void parse_one_target(ptx_parser *p) {
  char suffix = '\0', rest;
  int sm;
  if (p->token.kind != TOKEN_WORD) ptx_unexpected(p, "a target");
  if (strncmp(p->token.name, "sm_", 3) == 0) {
    int found = sscanf(p->token.name, "sm_%4d%c%c", &sm, &suffix, &rest);
    if (found < 1 || found > 2 || (found == 2 && suffix != 'a' && suffix != 'f') || sm <= 0)
      ptx_fail(p, "unknown target '%s'", p->token.name);
    p->module->target_sm = sm;
    p->module->target_suffix = suffix;
  }
  ptx_next(p);
}

static void parse_target(ptx_parser *p) {
  do parse_one_target(p);
  while (ptx_accept(p, ','));
  if (p->module->target_sm == 0) ptx_fail(p, ".target without sm_");
}

/* .file number "name" [, time, size], no semicolon. */
static void parse_file(ptx_parser *p) {
  ptx_module *m = p->module;
  size_t number = (size_t)ptx_number(p, MOST_FILES);
  if (p->token.kind != TOKEN_STRING) ptx_unexpected(p, "a file's name");
  while (m->file_count <= number) {
    m->files = ptx_grow(p, m->files, m->file_count, sizeof *m->files);
    m->files[m->file_count++] = NULL;
  }
  m->files[number] = p->token.name;
  ptx_next(p);
  while (ptx_accept(p, ',')) (void)ptx_number(p, UINT64_MAX);
}

/* .section name { ... }: debug information. */
static void skip_section(ptx_parser *p) {
  if (p->token.kind != TOKEN_DOT && p->token.kind != TOKEN_WORD) ptx_unexpected(p, "a section's name");
  ptx_next(p);
  if (!ptx_is(p, '{')) ptx_unexpected(p, "'{'");
  ptx_skip_group(p, '{', '}');
}

static void parse_alias(ptx_parser *p) {
  const char *alias = ptx_expect_word(p, "a function's name");
  ptx_expect(p, ',');
  const char *target = ptx_expect_word(p, "a function's name");
  ptx_resolve_alias_later(p, alias, target);
  ptx_expect(p, ';');
}

/* Linkage and attributes, then a function or variables. */
static void parse_declaration(ptx_parser *p) {
  bool is_extern = false;
  ptx_space space;
  for (;; ptx_next(p)) {
    if (ptx_is_dot(p, "extern")) {
      is_extern = true;
    } else if (!ptx_is_dot(p, "visible") && !ptx_is_dot(p, "weak") && !ptx_is_dot(p, "common") &&
               !ptx_is_dot(p, "internal")) {
      break;
    }
  }
  if (p->token.kind != TOKEN_DOT) ptx_unexpected(p, "a declaration");
  const char *name = p->token.name;
  bool is_entry = strcmp(name, "entry") == 0;
  if (is_entry || strcmp(name, "func") == 0) {
    ptx_next(p);
    ptx_parse_function(p, is_entry);
  } else if (ptx_space_of(name, &space) && space != SPACE_REG && space != SPACE_LOCAL &&
             space != SPACE_PARAM) {
    ptx_next(p);
    ptx_parse_variables(p, space, is_extern);
  } else {
    ptx_fail(p, "unknown directive .%s", name);
  }
}

static void parse_directive(ptx_parser *p) {
  static const struct {
    const char *name;
    void (*parse)(ptx_parser *p);
  } directives[] = {{"version", parse_version}, {"target", parse_target},    {"file", parse_file},
                    {"section", skip_section},  {"pragma", ptx_skip_pragma}, {"alias", parse_alias}};
  if (ptx_is_dot(p, "address_size")) {
    ptx_next(p);
    if (p->token.kind != TOKEN_NUMBER || p->token.number.integer != 64)
      ptx_fail(p, "addresses have to have 64 bits");
    ptx_next(p);
    return;
  }
  for (size_t i = 0; i < sizeof directives / sizeof directives[0]; ++i)
    if (ptx_is_dot(p, directives[i].name)) {
      ptx_next(p);
      directives[i].parse(p);
      return;
    }
  parse_declaration(p);
}

static void parse_module(ptx_parser *p) {
  p->module_scope = p->scope = ptx_scope_new(p);
  ptx_next(p);
  while (p->token.kind != TOKEN_END) {
    if (p->token.kind == TOKEN_DOT) {
      parse_directive(p);
    } else if (ptx_accept(p, '@')) {
      /* @@DWARF lines, of old compilers */
      if (!ptx_is(p, '@')) ptx_unexpected(p, "a directive");
      ptx_skip_line(p);
      ptx_next(p);
    } else if (!ptx_accept(p, ';')) {
      ptx_unexpected(p, "a directive");
    }
  }
  if (p->module->version_major == 0) ptx_fail(p, "there is no .version");
  if (p->module->target_sm == 0) ptx_fail(p, "there is no .target");
  ptx_resolve_all(p);
}

ptx_module *ptx_parse(const char *text, ptx_error *error) {
  *error = (ptx_error){0};
  ptx_parser *p = calloc(1, sizeof *p);
  ptx_memory *memory = ptx_memory_new();
  if (p == NULL || memory == NULL) {
    (void)snprintf(error->message, sizeof error->message, "out of memory");
    free(p);
    ptx_memory_free(memory);
    return NULL;
  }
  p->text = p->at = p->token.start = text;
  p->line = p->token.line = 1;
  p->memory = memory;
  p->error = error;
  if (setjmp(p->failed) != 0) {
    free(p);
    ptx_memory_free(memory);
    return NULL;
  }
  p->module = ptx_new(p, 1, sizeof *p->module);
  p->module->memory = memory;
  parse_module(p);
  ptx_module *module = p->module;
  free(p);
  return module;
}

void ptx_free(ptx_module *module) {
  if (module != NULL) ptx_memory_free(module->memory);
}
