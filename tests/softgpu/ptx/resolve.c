/* Names that wait for the module's end: labels, functions and module variables can come after their uses.
 */
#include "ptx/parser.h"

typedef struct ptx_pending {
  ptx_operand *operand; /* one of these four */
  ptx_relocation *relocation;
  ptx_label_list *list;
  const char *alias, *target;
  const ptx_scope *scope; /* of the use */
  const char *at;         /* in the text */
  unsigned line;
} ptx_pending;

static void add(ptx_parser *p, ptx_pending pending) {
  pending.scope = p->scope;
  pending.at = p->function != NULL ? p->statement : p->token.start;
  pending.line = p->function != NULL ? p->statement_line : p->token.line;
  p->pending = ptx_grow(p, p->pending, p->pending_count, sizeof *p->pending);
  p->pending[p->pending_count++] = pending;
}

void ptx_resolve_operand_later(ptx_parser *p, ptx_operand *operand) {
  add(p, (ptx_pending){.operand = operand});
}

void ptx_resolve_relocation_later(ptx_parser *p, ptx_relocation *relocation) {
  add(p, (ptx_pending){.relocation = relocation});
}

/* The list itself moves as the function's table grows: its targets do not. */
void ptx_resolve_list_later(ptx_parser *p, size_t list) {
  ptx_label_list *lists = p->function->lists;
  lists[list].targets = ptx_new(p, lists[list].count, sizeof *lists[list].targets);
  ptx_label_list *copy = ptx_new(p, 1, sizeof *copy);
  *copy = lists[list];
  add(p, (ptx_pending){.list = copy});
}

void ptx_resolve_alias_later(ptx_parser *p, const char *alias, const char *target) {
  add(p, (ptx_pending){.alias = alias, .target = target});
}

/* Registers and the function's variables must be declared before they are used: those are known by now,
 * so what has their names only later does not count, except for the addresses in initial values. */
static const ptx_symbol *find(ptx_parser *p, const ptx_pending *use, const char *name) {
  for (const ptx_scope *scope = use->scope; scope != NULL; scope = scope->parent) {
    const ptx_symbol *found = ptx_find(p, scope, name);
    bool counts = scope == p->module_scope || use->relocation != NULL ||
                  (found != NULL && (found->kind == SYMBOL_LABEL || found->kind == SYMBOL_LIST));
    if (found != NULL && counts) return found;
  }
  ptx_fail_at(p, use->at, use->line, "'%s' is not declared", name);
}

static void resolve_operand(ptx_parser *p, const ptx_pending *use) {
  ptx_operand *operand = use->operand;
  const ptx_symbol *found = find(p, use, operand->name);
  if (found->kind == SYMBOL_VARIABLE) {
    operand->variable = found->variable;
    operand->name = NULL;
    if (operand->kind != OPERAND_ADDRESS) operand->kind = OPERAND_VARIABLE;
    return;
  }
  if (operand->kind == OPERAND_ADDRESS || operand->value != 0)
    ptx_fail_at(p, use->at, use->line, "'%s' is no variable", operand->name);
  switch (found->kind) {
    case SYMBOL_LABEL:
      operand->target = found->index;
      break;
    case SYMBOL_LIST:
      operand->list = &found->scope->function->lists[found->index];
      break;
    default:
      operand->kind = OPERAND_FUNCTION;
  }
}

static void resolve_relocation(ptx_parser *p, const ptx_pending *use) {
  const ptx_symbol *found = find(p, use, use->relocation->symbol);
  if (found->kind != SYMBOL_VARIABLE && found->kind != SYMBOL_FUNCTION)
    ptx_fail_at(p, use->at, use->line, "'%s' has no address", use->relocation->symbol);
  if (found->kind == SYMBOL_VARIABLE) use->relocation->variable = found->variable;
}

static void resolve_list(ptx_parser *p, const ptx_pending *use) {
  const ptx_label_list *list = use->list;
  bool is_branch = list->kind == LIST_BRANCH_TARGETS;
  for (size_t i = 0; i < list->count; ++i) {
    const ptx_symbol *found = find(p, use, list->names[i]);
    if (found->kind != (is_branch ? SYMBOL_LABEL : SYMBOL_FUNCTION))
      ptx_fail_at(p, use->at, use->line, "'%s' is no %s", list->names[i],
                  is_branch ? "label" : "function");
    if (is_branch) list->targets[i] = found->index;
  }
}

/* The alias was declared as a function without a body; it gets the other's. */
static void resolve_alias(ptx_parser *p, const ptx_pending *use) {
  const ptx_symbol *alias = find(p, use, use->alias), *target = find(p, use, use->target);
  ptx_function **functions = p->module->functions;
  if (alias->kind != SYMBOL_FUNCTION || target->kind != SYMBOL_FUNCTION ||
      !functions[alias->index]->is_extern || functions[target->index]->is_extern)
    ptx_fail_at(p, use->at, use->line, "'%s' cannot be an alias of '%s'", use->alias, use->target);
  *functions[alias->index] = *functions[target->index];
  functions[alias->index]->name = use->alias;
  functions[alias->index]->alias_of = use->target;
}

void ptx_resolve_all(ptx_parser *p) {
  for (size_t i = 0; i < p->pending_count; ++i) {
    const ptx_pending *use = &p->pending[i];
    if (use->operand != NULL) {
      resolve_operand(p, use);
    } else if (use->relocation != NULL) {
      resolve_relocation(p, use);
    } else if (use->list != NULL) {
      resolve_list(p, use);
    } else {
      resolve_alias(p, use);
    }
  }
}
