/* Operands of instructions. */
#include <string.h>

#include "ptx/parser.h"

/* The function's own meaning of a name, from the innermost scope outwards. */
static const ptx_symbol *find_local(const ptx_parser *p, const char *name) {
  for (const ptx_scope *scope = p->scope; scope != p->module_scope; scope = scope->parent) {
    const ptx_symbol *found = ptx_find(p, scope, name);
    if (found != NULL && (found->kind == SYMBOL_REGISTER || found->kind == SYMBOL_VARIABLE)) return found;
  }
  return NULL;
}

const ptx_register *ptx_parse_register(ptx_parser *p) {
  if (p->token.kind != TOKEN_WORD) ptx_unexpected(p, "a register");
  const ptx_symbol *found = find_local(p, p->token.name);
  if (found == NULL || found->kind != SYMBOL_REGISTER)
    ptx_fail(p, "'%s' is no register declared here", p->token.name);
  const ptx_register *reg = found->reg;
  ptx_next(p);
  return reg;
}

static ptx_operand parse_constant(ptx_parser *p) {
  ptx_constant c = ptx_constant_expression(p);
  ptx_operand operand = {.kind = c.is_float ? OPERAND_FLOAT : OPERAND_INTEGER, .value = c.integer};
  if (c.is_float) {
    operand.real = c.real;
    operand.f32_bits = c.f32_bits;
    operand.is_f32 = c.is_f32;
  }
  return operand;
}

static ptx_operand parse_special(ptx_parser *p) {
  ptx_operand operand = {.kind = OPERAND_SPECIAL};
  const char *name = p->token.name;
  if (!ptx_special_of(name, &operand.special, &operand.dimension))
    ptx_fail(p, "'%s' is no register declared here", name);
  ptx_next(p);
  if (operand.dimension >= 0) return operand;
  if (p->token.kind != TOKEN_DOT || strlen(p->token.name) != 1 || strchr("xyz", *p->token.name) == NULL)
    ptx_fail(p, "'%s' has to be followed by .x, .y or .z", name);
  operand.dimension = *p->token.name - 'x';
  ptx_next(p);
  return operand;
}

/* + and a constant, which may follow a name; [name-8] has to be written [name+-8]. */
static int64_t parse_offset(ptx_parser *p) {
  return ptx_is(p, '+') ? ptx_integer_expression(p) : 0;
}

/* A name that is not the function's register or variable is looked up at the end of the module. */
static ptx_operand parse_name(ptx_parser *p) {
  const ptx_symbol *found = find_local(p, p->token.name);
  if (found == NULL && *p->token.name == '%') return parse_special(p);
  ptx_operand operand = {.kind = OPERAND_LABEL, .name = p->token.name};
  if (found != NULL) {
    bool is_register = found->kind == SYMBOL_REGISTER;
    operand.kind = is_register ? OPERAND_REGISTER : OPERAND_VARIABLE;
    operand.name = NULL;
    operand.reg = is_register ? found->reg : NULL;
    operand.variable = is_register ? NULL : found->variable;
  }
  ptx_next(p);
  if (operand.kind != OPERAND_REGISTER) operand.value = parse_offset(p);
  if (p->token.kind == TOKEN_DOT) ptx_fail(p, "a vector's element: vector registers are not supported");
  if (ptx_is(p, '[')) ptx_fail(p, "an array's element: name[index] is not supported, [name+offset] is");
  return operand;
}

/* Operands from after the opening mark to after the closing one. */
static void parse_elements(ptx_parser *p, ptx_operand *parent, int close, bool of_call) {
  ptx_enter(p);
  do {
    parent->elements = ptx_grow(p, parent->elements, parent->element_count, sizeof *parent->elements);
    parent->elements[parent->element_count++] = ptx_parse_operand(p, of_call);
  } while (ptx_accept(p, ','));
  ptx_expect(p, close);
  ptx_operands_done(p, parent->elements, parent->element_count);
  ptx_leave(p);
}

static ptx_operand parse_address(ptx_parser *p) {
  ptx_operand operand = {.kind = OPERAND_ADDRESS};
  if (p->token.kind == TOKEN_WORD && strcmp(p->token.name, "WARP_SZ") != 0) {
    ptx_operand base = parse_name(p);
    if (base.kind == OPERAND_SPECIAL) ptx_fail(p, "a special register is no address");
    operand.reg = base.reg;
    operand.variable = base.variable;
    operand.name = base.name;
    operand.value = base.kind == OPERAND_REGISTER ? parse_offset(p) : base.value;
  } else {
    operand.value = ptx_integer_expression(p);
  }
  if (ptx_accept(p, ',')) {
    parse_elements(p, &operand, ']', false);
  } else {
    ptx_expect(p, ']');
  }
  return operand;
}

/* The second of two destinations, a|b. */
static ptx_operand parse_pair(ptx_parser *p, ptx_operand first) {
  ptx_operand pair = {.kind = OPERAND_PAIR, .element_count = 2};
  pair.elements = ptx_new(p, 2, sizeof *pair.elements);
  pair.elements[0] = first;
  if (p->token.kind != TOKEN_WORD) ptx_unexpected(p, "a register");
  if (strcmp(p->token.name, "_") == 0) {
    pair.elements[1].kind = OPERAND_SINK;
    ptx_next(p);
  } else {
    pair.elements[1] = (ptx_operand){.kind = OPERAND_REGISTER, .reg = ptx_parse_register(p)};
  }
  return pair;
}

static ptx_operand parse_word(ptx_parser *p) {
  ptx_operand operand = {.kind = OPERAND_SINK};
  if (strcmp(p->token.name, "WARP_SZ") == 0) return parse_constant(p);
  if (strcmp(p->token.name, "_") == 0) {
    ptx_next(p);
  } else {
    operand = parse_name(p);
  }
  bool is_destination = operand.kind == OPERAND_REGISTER || operand.kind == OPERAND_SINK;
  return is_destination && ptx_accept(p, '|') ? parse_pair(p, operand) : operand;
}

/* What ! stands before decides: a register's is the operand's, a constant's is part of the expression. */
static ptx_operand parse_not(ptx_parser *p) {
  const ptx_token not = p->token;
  ptx_next(p);
  if (p->token.kind == TOKEN_WORD && strcmp(p->token.name, "WARP_SZ") != 0)
    return (ptx_operand){.kind = OPERAND_REGISTER, .negated = true, .reg = ptx_parse_register(p)};
  p->at = not .end;
  p->line = not .line;
  p->token = not ;
  return parse_constant(p);
}

ptx_operand ptx_parse_operand(ptx_parser *p, bool of_call) {
  ptx_operand operand = {0};
  if (p->token.kind == TOKEN_WORD) return parse_word(p);
  if (ptx_is(p, '!')) return parse_not(p);
  if (ptx_accept(p, '[')) return parse_address(p);
  if (ptx_accept(p, '{')) {
    operand.kind = OPERAND_VECTOR;
    parse_elements(p, &operand, '}', false);
    return operand;
  }
  if (of_call && ptx_accept(p, '(')) {
    operand.kind = OPERAND_LIST;
    if (!ptx_accept(p, ')')) parse_elements(p, &operand, ')', false);
    return operand;
  }
  if (p->token.kind != TOKEN_NUMBER && p->token.kind != TOKEN_MARK) ptx_unexpected(p, "an operand");
  return parse_constant(p);
}

void ptx_operands_done(ptx_parser *p, ptx_operand *operands, size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (operands[i].name != NULL) ptx_resolve_operand_later(p, &operands[i]);
}
