/* What stands in a function's body: instructions, labels, declarations, inner scopes. */
#include <string.h>

#include "ptx/parser.h"

static void parse_guard(ptx_parser *p, ptx_instruction *instruction) {
  instruction->guard_negated = ptx_accept(p, '!');
  instruction->guard = ptx_parse_register(p);
  if (instruction->guard->type != TYPE_PRED)
    ptx_fail(p, "the guard '%s' is no predicate", instruction->guard->name);
}

/* From after the opcode to after the semicolon. */
static void parse_instruction(ptx_parser *p, ptx_instruction instruction) {
  ptx_function *f = p->function;
  ptx_instruction *i = &instruction;
  bool is_call = strcmp(i->opcode, "call") == 0;
  i->line = p->statement_line;
  i->source_file = p->source_file;
  i->source_line = p->source_line;
  for (; p->token.kind == TOKEN_DOT; ptx_next(p)) {
    i->parts = ptx_grow(p, i->parts, i->part_count, sizeof *i->parts);
    i->parts[i->part_count++] = p->token.name;
  }
  if (!ptx_is(p, ';')) {
    do {
      i->operands = ptx_grow(p, i->operands, i->operand_count, sizeof *i->operands);
      i->operands[i->operand_count++] = ptx_parse_operand(p, is_call);
    } while (ptx_accept(p, ','));
  }
  if (!ptx_is(p, ';')) ptx_unexpected(p, "',' or ';'");
  ptx_operands_done(p, i->operands, i->operand_count);
  ptx_next(p);
  f->instructions = ptx_grow(p, f->instructions, f->instruction_count, sizeof *f->instructions);
  f->instructions[f->instruction_count++] = instruction;
}

static void parse_targets(ptx_parser *p, ptx_label_list *list) {
  do {
    list->names = ptx_grow(p, list->names, list->count, sizeof *list->names);
    list->names[list->count++] = ptx_expect_word(p, "a target's name");
  } while (ptx_accept(p, ','));
}

/* (returned) _ (parameters): what is returned comes first, if at all. */
static void parse_prototype(ptx_parser *p, ptx_label_list *list) {
  ptx_parameters returns = {0}, params = {0};
  if (ptx_is(p, '(')) returns = ptx_parse_parameters(p, false);
  (void)ptx_expect_word(p, "'_'");
  if (ptx_is(p, '(')) params = ptx_parse_parameters(p, false);
  while (p->token.kind == TOKEN_DOT) {
    bool has_number = ptx_is_dot(p, "abi_preserve") || ptx_is_dot(p, "abi_preserve_control");
    if (!has_number && !ptx_is_dot(p, "noreturn")) ptx_unexpected(p, "';'");
    ptx_next(p);
    if (has_number) (void)ptx_number(p, UINT32_MAX);
  }
  list->return_count = returns.count;
  list->count = returns.count + params.count;
  list->targets = ptx_new(p, list->count, sizeof *list->targets);
  for (size_t i = 0; i < list->count; ++i) {
    bool is_return = i < returns.count;
    list->targets[i] = (size_t)(is_return ? returns.items[i] : params.items[i - returns.count])->size;
  }
}

/* Whether it was one: the label of .branchtargets, .calltargets or .callprototype. */
static bool parse_list(ptx_parser *p, const char *name) {
  ptx_function *f = p->function;
  ptx_label_list list = {.name = name};
  if (ptx_is_dot(p, "branchtargets")) {
    list.kind = LIST_BRANCH_TARGETS;
  } else if (ptx_is_dot(p, "calltargets")) {
    list.kind = LIST_CALL_TARGETS;
  } else if (ptx_is_dot(p, "callprototype")) {
    list.kind = LIST_PROTOTYPE;
  } else {
    return false;
  }
  ptx_next(p);
  if (list.kind == LIST_PROTOTYPE) {
    parse_prototype(p, &list);
  } else {
    parse_targets(p, &list);
  }
  ptx_declare(p, &(ptx_symbol){p->scope, name, SYMBOL_LIST, .index = f->list_count});
  f->lists = ptx_grow(p, f->lists, f->list_count, sizeof *f->lists);
  f->lists[f->list_count++] = list;
  if (list.kind != LIST_PROTOTYPE) ptx_resolve_list_later(p, f->list_count - 1);
  ptx_expect(p, ';');
  return true;
}

static void parse_label_or_instruction(ptx_parser *p) {
  const char *name = p->token.name;
  ptx_next(p);
  if (!ptx_is(p, ':')) {
    parse_instruction(p, (ptx_instruction){.opcode = name});
    return;
  }
  if (ptx_find(p, p->scope, name) != NULL) ptx_fail(p, "'%s' is declared twice", name);
  ptx_next(p);
  if (!parse_list(p, name))
    ptx_declare(p, &(ptx_symbol){p->scope, name, SYMBOL_LABEL, .index = p->function->instruction_count});
}

/* .loc file line column [, function_name label [+ offset], inlined_at file line column], no semicolon. */
static void parse_loc(ptx_parser *p) {
  uint64_t numbers[3];
  for (int i = 0; i < 3; ++i) numbers[i] = ptx_number(p, UINT32_MAX);
  p->source_file = (unsigned)numbers[0];
  p->source_line = (unsigned)numbers[1];
  while (ptx_accept(p, ',')) {
    const char *name = ptx_expect_word(p, "function_name or inlined_at");
    if (strcmp(name, "function_name") == 0) {
      (void)ptx_expect_word(p, "a label");
      if (ptx_accept(p, '+')) (void)ptx_number(p, UINT32_MAX);
    } else if (strcmp(name, "inlined_at") == 0) {
      for (int i = 0; i < 3; ++i) (void)ptx_number(p, UINT32_MAX);
    } else {
      ptx_fail(p, "unknown '%s' in .loc", name);
    }
  }
}

static void parse_directive(ptx_parser *p) {
  const char *name = p->token.name;
  ptx_space space;
  ptx_next(p);
  if (strcmp(name, "reg") == 0) {
    ptx_parse_registers(p);
  } else if (ptx_space_of(name, &space)) {
    ptx_parse_variables(p, space, false);
  } else if (strcmp(name, "loc") == 0) {
    parse_loc(p);
  } else if (strcmp(name, "pragma") == 0) {
    ptx_skip_pragma(p);
  } else {
    ptx_fail(p, "unknown directive .%s in a function", name);
  }
}

static void parse_statement(ptx_parser *p) {
  if (p->token.kind == TOKEN_WORD) {
    parse_label_or_instruction(p);
  } else if (p->token.kind == TOKEN_DOT) {
    parse_directive(p);
  } else if (ptx_accept(p, '@')) {
    ptx_instruction instruction = {0};
    parse_guard(p, &instruction);
    instruction.opcode = ptx_expect_word(p, "an instruction");
    parse_instruction(p, instruction);
  } else {
    ptx_unexpected(p, "a statement");
  }
}

void ptx_parse_body(ptx_parser *p) {
  const ptx_scope *outermost = p->scope;
  for (;;) {
    p->statement = p->token.start;
    p->statement_line = p->token.line;
    if (p->token.kind == TOKEN_END) ptx_fail(p, "the function '%s' does not end", p->function->name);
    if (ptx_accept(p, '{')) {
      p->scope = ptx_scope_new(p);
    } else if (ptx_is(p, '}')) {
      ptx_next(p);
      if (p->scope == outermost) return;
      p->scope = p->scope->parent;
    } else {
      parse_statement(p);
    }
  }
}
