/* .func and .entry: what stands before the body. */
#include <string.h>

#include "ptx/parser.h"

void ptx_skip_pragma(ptx_parser *p) {
  do {
    if (p->token.kind != TOKEN_STRING) ptx_unexpected(p, "a string");
    ptx_next(p);
  } while (ptx_accept(p, ','));
  ptx_expect(p, ';');
}

/* One to three numbers; those left out are 1. */
static void parse_three(ptx_parser *p, unsigned sizes[3]) {
  sizes[0] = sizes[1] = sizes[2] = 1;
  int i = 0;
  do {
    if (i == 3) ptx_fail(p, "more than three dimensions");
    sizes[i++] = (unsigned)ptx_number(p, UINT32_MAX);
  } while (ptx_accept(p, ','));
}

/* A directive between the parameters and the body. */
static void parse_directive(ptx_parser *p, ptx_function *f) {
  static const char *const with_number[] = {"maxnctapersm",  "maxnreg",      "maxclusterrank",
                                            "local_maxnreg", "abi_preserve", "abi_preserve_control"};
  const char *name = p->token.name;
  ptx_next(p);
  if (strcmp(name, "maxntid") == 0) {
    parse_three(p, f->max_threads);
  } else if (strcmp(name, "reqntid") == 0) {
    parse_three(p, f->required_threads);
  } else if (strcmp(name, "reqnctapercluster") == 0) {
    parse_three(p, f->required_cluster);
  } else if (strcmp(name, "minnctapersm") == 0) {
    f->min_blocks = (unsigned)ptx_number(p, UINT32_MAX);
  } else if (strcmp(name, "explicitcluster") == 0) {
    f->explicit_cluster = true;
  } else if (strcmp(name, "pragma") == 0) {
    ptx_skip_pragma(p);
  } else if (strcmp(name, "attribute") == 0) {
    ptx_skip_attribute(p);
  } else if (strcmp(name, "noreturn") != 0 && strcmp(name, "blocksareclusters") != 0) {
    size_t i = 0, count = sizeof with_number / sizeof with_number[0];
    while (i < count && strcmp(name, with_number[i]) != 0) ++i;
    if (i == count) ptx_fail(p, "unknown directive .%s of a function", name);
    (void)ptx_number(p, UINT32_MAX);
  }
}

static bool same_sizes(ptx_variable **a, size_t a_count, ptx_variable **b, size_t b_count) {
  if (a_count != b_count) return false;
  for (size_t i = 0; i < a_count; ++i)
    if (a[i]->size != b[i]->size) return false;
  return true;
}

/* Enters the function into the module; one declared before is replaced by its definition. Users know it
 * by its name alone. */
static void add_function(ptx_parser *p, ptx_function *f) {
  ptx_module *m = p->module;
  const ptx_symbol *symbol = ptx_find(p, p->module_scope, f->name);
  if (symbol == NULL) {
    ptx_declare(p, &(ptx_symbol){p->module_scope, f->name, SYMBOL_FUNCTION, .index = m->function_count});
    m->functions = ptx_grow(p, m->functions, m->function_count, sizeof *m->functions);
    m->functions[m->function_count++] = f;
    return;
  }
  if (symbol->kind != SYMBOL_FUNCTION) ptx_fail(p, "'%s' is declared twice", f->name);
  ptx_function *old = m->functions[symbol->index];
  if (!old->is_extern && !f->is_extern) ptx_fail(p, "'%s' is defined twice", f->name);
  if (old->is_entry != f->is_entry ||
      !same_sizes(old->params, old->param_count, f->params, f->param_count) ||
      !same_sizes(old->returns, old->return_count, f->returns, f->return_count))
    ptx_fail(p, "'%s' was declared otherwise before", f->name);
  if (!f->is_extern) m->functions[symbol->index] = f;
}

void ptx_parse_function(ptx_parser *p, bool is_entry) {
  ptx_function *f = ptx_new(p, 1, sizeof *f);
  f->is_entry = is_entry;
  f->line = p->token.line;
  p->function = f;
  p->scope = ptx_scope_new(p);
  p->source_file = p->source_line = 0;
  while (ptx_is_dot(p, "attribute") || ptx_is_dot(p, "noreturn")) parse_directive(p, f);
  if (ptx_is(p, '(')) {
    if (is_entry) ptx_fail(p, "an entry returns nothing");
    ptx_parameters returns = ptx_parse_parameters(p, true);
    f->returns = returns.items;
    f->return_count = returns.count;
  }
  f->line = p->token.line;
  f->name = ptx_expect_word(p, "a function's name");
  if (ptx_is(p, '(')) {
    ptx_parameters params = ptx_parse_parameters(p, true);
    f->params = params.items;
    f->param_count = params.count;
  }
  while (p->token.kind == TOKEN_DOT) parse_directive(p, f);
  f->is_extern = ptx_is(p, ';');
  if (!f->is_extern && !ptx_is(p, '{')) ptx_unexpected(p, "'{' or ';'");
  add_function(p, f);
  ptx_next(p);
  if (!f->is_extern) ptx_parse_body(p);
  p->scope = p->module_scope;
  p->function = NULL;
}
