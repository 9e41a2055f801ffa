#include "jit/ptx_merge.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jit/binary.h"
#include "jit/symbols.h"
#include "util/error.h"
#include "util/text.h"

/* Behind a directive, if it comes next, and before its operand; NULL if it does not. */
static const char *take_directive(const char *c, const char *end, const char *directive) {
  const size_t length = strlen(directive);
  c = ptx_skip_blank(c, end);
  if ((size_t)(end - c) <= length || memcmp(c, directive, length) != 0) return NULL;
  return ptx_skip_blank(c + length, end);
}

static const char *take_number(const char *c, const char *end, unsigned *number) {
  for (*number = 0; c < end && isdigit((unsigned char)*c) && *number < 100000; ++c)
    *number = *number * 10 + (unsigned)(*c - '0');
  return c;
}

bool ptx_read_module(const char *ptx, size_t size, ptx_module *m) {
  const char *nul = memchr(ptx, '\0', size), *c;
  unsigned bits;
  *m = (ptx_module){.end = nul != NULL ? nul : ptx + size};
  c = take_directive(ptx, m->end, ".version");
  if (c == NULL) return false;
  c = take_number(c, m->end, &m->major);
  if (c < m->end && *c == '.') c = take_number(c + 1, m->end, &m->minor);
  c = take_directive(c, m->end, ".target");
  if (c == NULL || m->end - c < 4 || memcmp(c, "sm_", 3) != 0) return false;
  c = take_number(c + 3, m->end, &m->sm);
  while (c < m->end && *c != '\n' && *c != '.' && *c != '/') ++c;
  m->body = c;
  c = take_directive(c, m->end, ".address_size");
  if (c != NULL) m->body = take_number(c, m->end, &bits);
  return true;
}

void ptx_version(const char *ptx, size_t size, char *version, size_t version_size) {
  ptx_module m;
  if (ptx_read_module(ptx, size, &m))
    (void)snprintf(version, version_size, "PTX %u.%u for sm_%u", m.major, m.minor, m.sm);
  else
    (void)snprintf(version, version_size, "PTX");
}

/* ---- merging */

/* The texts that become one: the operators', each once, and last the program's. */
typedef struct part {
  const char *body, *end;
} part;

typedef struct merger {
  const jig_op *const *ops;
  int count;
  part parts[BINARY_MAX_COUNT + 1];
  int part_count;
  unsigned major, minor, sm; /* the newest PTX of all */
  symbol_list symbols;
} merger;

static void add_part(merger *m, const ptx_module *module) {
  symbols_of_ptx(&m->symbols, module->body, module->end, m->part_count);
  m->parts[m->part_count++] = (part){module->body, module->end};
}

static jig_status add_operator(merger *m, const jig_op *op, const arch *target) {
  ptx_module module;
  if (!ptx_read_module(op->data, op->size, &module)) {
    return error_set(JIG_ERROR_COMPILE, "operator '%s': its PTX does not begin with .version and .target",
                     op->name);
  }
  if (module.sm > (unsigned)target->sm) {
    return error_set(JIG_ERROR_COMPILE, "operator '%s': its PTX is for sm_%u, and %s is needed here",
                     op->name, module.sm, target->name);
  }
  if (module.major > m->major || (module.major == m->major && module.minor > m->minor)) {
    m->major = module.major;
    m->minor = module.minor;
  }
  add_part(m, &module);
  return JIG_SUCCESS;
}

/* ---- what is defined where */

/* Functions that device code may call and the driver has. */
static bool is_of_the_system(const symbol *s) {
  static const char *const names[] = {"vprintf", "malloc", "free", "__assertfail"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
    if (symbol_is(s, names[i])) return true;
  }
  return false;
}

static jig_status check_declared(const merger *m, const symbol *s) {
  if (s->defined || s->is_given || is_of_the_system(s) || symbols_definition(&m->symbols, s) != NULL)
    return JIG_SUCCESS;
  for (int i = 0; i < m->count; ++i) {
    if (symbol_is(s, m->ops[i]->name)) return binary_lacks_symbol(m->ops[i]);
  }
  return binary_undefined(s->name, s->length);
}

static jig_status check_symbols(merger *m) {
  if (!symbols_sort(&m->symbols)) return error_memory("the symbols of PTX");
  const symbol *twice = symbols_clash(&m->symbols, false);
  if (twice != NULL) return binary_clash(twice->name, twice->length);
  jig_status status = JIG_SUCCESS;
  for (size_t i = 0; i < m->symbols.count && status == JIG_SUCCESS; ++i)
    status = check_declared(m, &m->symbols.all[i]);
  return status;
}

/* ---- the text */

/* A function may be declared .extern or defined in a module, not both; and declared once is enough. */
static bool is_needless(const merger *m, const symbol *s) {
  return !s->defined && symbols_first(&m->symbols, s) != s;
}

static void write_declaration(text *out, const merger *m, const symbol *s) {
  static const char directive[] = ".extern";
  const char *rest = s->begin;
  if (symbols_definition(&m->symbols, s) != NULL && memcmp(rest, directive, strlen(directive)) == 0) {
    text_add(out, ".visible"); /* defined further down */
    rest += strlen(directive);
  }
  text_append(out, rest, (size_t)(s->end - rest));
}

static void write_part(text *out, const merger *m, int number) {
  const char *from = m->parts[number].body;
  for (size_t i = 0; i < m->symbols.count; ++i) {
    const symbol *s = &m->symbols.all[i];
    if (s->file != number || s->defined) continue;
    text_append(out, from, (size_t)(s->begin - from));
    if (!is_needless(m, s)) write_declaration(out, m, s);
    from = s->end;
  }
  text_append(out, from, (size_t)(m->parts[number].end - from));
  text_add(out, "\n");
}

static jig_status merge(merger *m, const arch *target, const ptx_module *program, text *out) {
  jig_status status = JIG_SUCCESS;
  for (int i = 0; i < m->count && status == JIG_SUCCESS; ++i) {
    if (m->ops[i]->format == JIG_FORMAT_PTX && !binary_is_repeated(m->ops, i))
      status = add_operator(m, m->ops[i], target);
  }
  if (status != JIG_SUCCESS) return status;
  add_part(m, program);
  status = check_symbols(m);
  if (status != JIG_SUCCESS) return status;
  text_format(out, ".version %u.%u\n.target sm_%u\n.address_size 64\n", m->major, m->minor, m->sm);
  for (int i = 0; i < m->part_count; ++i) write_part(out, m, i);
  return JIG_SUCCESS;
}

jig_status ptx_merge(const jig_op *const *ops, int count, const arch *target, compiled *result) {
  ptx_module program;
  if (!ptx_read_module((const char *)result->payload, result->payload_size, &program))
    return error_set(JIG_ERROR_INTERNAL, "nvJitLink: its PTX does not begin with .version and .target");
  merger m = {
      .ops = ops, .count = count, .major = program.major, .minor = program.minor, .sm = program.sm};
  text out = {0};
  jig_status status = merge(&m, target, &program, &out);
  symbols_free(&m.symbols);
  const size_t length = out.length;
  char *merged = text_take(&out);
  if (status == JIG_SUCCESS && merged == NULL) status = error_memory("merged PTX");
  if (status != JIG_SUCCESS) {
    free(merged);
    return status;
  }
  free(result->payload);
  result->payload = (unsigned char *)merged;
  result->payload_size = length + 1;
  return JIG_SUCCESS;
}
