#include "jit/ptx_merge.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jit/binary.h"
#include "util/error.h"
#include "util/text.h"

/* What a PTX text begins with: ".version 9.0 .target sm_90, debug .address_size 64", the last optional.
 */
typedef struct ptx_module {
  unsigned major, minor, sm;
  const char *body, *end;
} ptx_module;

/* Behind white space and comments. */
static const char *skip_blank(const char *c, const char *end) {
  while (c < end) {
    if (isspace((unsigned char)*c)) {
      ++c;
    } else if (end - c > 1 && c[0] == '/' && c[1] == '/') {
      while (c < end && *c != '\n') ++c;
    } else if (end - c > 1 && c[0] == '/' && c[1] == '*') {
      for (c += 2; c < end && !(c[-1] == '*' && c[0] == '/'); ++c) continue;
      c += c < end;
    } else {
      break;
    }
  }
  return c;
}

/* Behind a directive, if it comes next, and before its operand; NULL if it does not. */
static const char *take_directive(const char *c, const char *end, const char *directive) {
  const size_t length = strlen(directive);
  c = skip_blank(c, end);
  if ((size_t)(end - c) <= length || memcmp(c, directive, length) != 0) return NULL;
  return skip_blank(c + length, end);
}

static const char *take_number(const char *c, const char *end, unsigned *number) {
  for (*number = 0; c < end && isdigit((unsigned char)*c) && *number < 100000; ++c)
    *number = *number * 10 + (unsigned)(*c - '0');
  return c;
}

static bool read_module(const char *ptx, size_t size, ptx_module *m) {
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
  if (read_module(ptx, size, &m))
    (void)snprintf(version, version_size, "PTX %u.%u for sm_%u", m.major, m.minor, m.sm);
  else
    (void)snprintf(version, version_size, "PTX");
}

/* ---- declarations */

static bool is_name(char c) {
  return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/* Whether a declaration names one of the operators. Parameters' names are longer ones. */
static const jig_op *declared(const char *begin, const char *end, const jig_op *const *ops, int count) {
  for (int i = 0; i < count; ++i) {
    const size_t length = strlen(ops[i]->name);
    for (const char *c = begin; c + length < end; ++c) {
      if (memcmp(c, ops[i]->name, length) == 0 && !is_name(c[-1]) && !is_name(c[length])) return ops[i];
    }
  }
  return NULL;
}

/* The next ".extern .func ... ;" that declares an operator. */
static const char *find_declaration(const char *ptx, const jig_op *const *ops, int count,
                                    const char **end, const jig_op **op) {
  static const char directive[] = ".extern .func";
  for (; (ptx = strstr(ptx, directive)) != NULL; ptx = *end) {
    const char *semicolon = strchr(ptx, ';');
    if (semicolon == NULL) return NULL;
    *end = semicolon + 1;
    *op = declared(ptx + strlen(directive), semicolon, ops, count);
    if (*op != NULL) return ptx;
  }
  return NULL;
}

/* ---- merging */

static jig_status add_functions(text *out, const jig_op *op, const arch *target, ptx_module *all) {
  ptx_module m;
  if (!read_module(op->data, op->size, &m)) {
    return error_set(JIG_ERROR_COMPILE, "operator '%s': its PTX does not begin with .version and .target",
                     op->name);
  }
  if (m.sm > (unsigned)target->sm) {
    return error_set(JIG_ERROR_COMPILE, "operator '%s': its PTX is for sm_%u, and %s is needed here",
                     op->name, m.sm, target->name);
  }
  if (m.major > all->major || (m.major == all->major && m.minor > all->minor)) {
    all->major = m.major;
    all->minor = m.minor;
  }
  text_append(out, m.body, (size_t)(m.end - m.body));
  text_add(out, "\n");
  return JIG_SUCCESS;
}

/* A function may be declared .extern or defined in a module, not both: the program's declarations of what
 * the operators before it define are left out. */
static jig_status add_program(text *out, const char *body, const jig_op *const *ops, int count) {
  const char *at, *end;
  const jig_op *op;
  while ((at = find_declaration(body, ops, count, &end, &op)) != NULL) {
    if (op->format != JIG_FORMAT_PTX) return binary_lacks_symbol(op);
    text_append(out, body, (size_t)(at - body));
    body = end;
  }
  text_add(out, body);
  return JIG_SUCCESS;
}

/* "name (" of a function that the operators' PTX defines. */
static bool defines(const char *functions, const jig_op *op) {
  static const char directive[] = ".visible .func";
  for (const char *c = functions; (c = strstr(c, directive)) != NULL; ++c) {
    const char *end = c + strcspn(c, "{;");
    if (declared(c + strlen(directive), end, &op, 1) != NULL) return true;
  }
  return false;
}

static jig_status merge(text *out, const jig_op *const *ops, int count, const arch *target,
                        const ptx_module *program) {
  text functions = {0};
  ptx_module all = *program;
  jig_status status = JIG_SUCCESS;
  for (int i = 0; i < count && status == JIG_SUCCESS; ++i) {
    if (ops[i]->format == JIG_FORMAT_PTX && !binary_is_repeated(ops, i))
      status = add_functions(&functions, ops[i], target, &all);
  }
  for (int i = 0; i < count && status == JIG_SUCCESS; ++i) {
    if (ops[i]->format == JIG_FORMAT_PTX && !functions.failed && !defines(functions.data, ops[i]))
      status = binary_lacks_symbol(ops[i]);
  }
  text_format(out, ".version %u.%u\n.target sm_%u\n.address_size 64\n", all.major, all.minor, all.sm);
  if (functions.data != NULL) text_add(out, functions.data);
  if (status == JIG_SUCCESS) status = add_program(out, program->body, ops, count);
  text_free(&functions);
  return status;
}

jig_status ptx_merge(const jig_op *const *ops, int count, const arch *target, compiled *result) {
  ptx_module program;
  if (!read_module((const char *)result->payload, result->payload_size, &program))
    return error_set(JIG_ERROR_INTERNAL, "nvJitLink: its PTX does not begin with .version and .target");
  text out = {0};
  jig_status status = merge(&out, ops, count, target, &program);
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
