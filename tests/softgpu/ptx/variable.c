/* Declarations of variables, parameters and registers. */
#include <string.h>

#include "ptx/parser.h"

#define MOST_DIMENSIONS 16
#define MOST_BYTES ((uint64_t)1 << 40)
#define MOST_REGISTERS 1000000 /* of a function */

bool ptx_space_of(const char *name, ptx_space *space) {
  static const struct {
    const char *name;
    ptx_space space;
  } spaces[] = {{"global", SPACE_GLOBAL},      {"shared", SPACE_SHARED},
                {"shared::cta", SPACE_SHARED}, {"shared::cluster", SPACE_SHARED_CLUSTER},
                {"local", SPACE_LOCAL},        {"const", SPACE_CONST},
                {"param", SPACE_PARAM},        {"reg", SPACE_REG}};
  for (size_t i = 0; i < sizeof spaces / sizeof spaces[0]; ++i)
    if (strcmp(spaces[i].name, name) == 0) {
      *space = spaces[i].space;
      return true;
    }
  return false;
}

/* What stands between the space and the name. */
typedef struct qualifiers {
  ptx_type type;
  uint64_t vector; /* 1, 2, 4, 8 */
  uint32_t align;
} qualifiers;

static uint32_t parse_align(ptx_parser *p) {
  uint64_t align = ptx_number(p, 1 << 16);
  if (align == 0 || (align & (align - 1)) != 0) ptx_fail(p, "an alignment that is no power of 2");
  return (uint32_t)align;
}

void ptx_skip_attribute(ptx_parser *p) {
  if (!ptx_is(p, '(')) ptx_unexpected(p, "'('");
  ptx_skip_group(p, '(', ')');
}

static qualifiers parse_qualifiers(ptx_parser *p) {
  qualifiers q = {.vector = 1};
  bool is_pointer = false; /* .ptr: what follows is said of what it points to */
  while (p->token.kind == TOKEN_DOT) {
    const char *name = p->token.name;
    ptx_space space;
    ptx_type type = ptx_type_of(name);
    bool is_vector =
        name[0] == 'v' && name[1] != '\0' && name[2] == '\0' && strchr("248", name[1]) != NULL;
    if (type != TYPE_NONE && q.type != TYPE_NONE) ptx_fail(p, "a second type, .%s", name);
    if (type == TYPE_NONE && !is_vector && strcmp(name, "align") != 0 && strcmp(name, "ptr") != 0 &&
        strcmp(name, "attribute") != 0 && !(is_pointer && ptx_space_of(name, &space)))
      ptx_fail(p, "unknown .%s in a declaration", name);
    ptx_next(p);
    if (type != TYPE_NONE) q.type = type;
    if (is_vector) q.vector = (uint64_t)(name[1] - '0');
    if (strcmp(name, "ptr") == 0) is_pointer = true;
    if (strcmp(name, "attribute") == 0) ptx_skip_attribute(p);
    if (strcmp(name, "align") == 0) {
      uint32_t align = parse_align(p);
      if (!is_pointer) q.align = align;
    }
  }
  if (q.type == TYPE_NONE) ptx_unexpected(p, "a type");
  return q;
}

/* Of a redeclaration only what an extern one did not know is news: users have the old address. */
static void merge(ptx_parser *p, ptx_variable *old, const ptx_variable *new) {
  if (new->space != old->space || (!old->is_extern && !new->is_extern))
    ptx_fail(p, "'%s' is declared twice", new->name);
  if (new->is_extern) return;
  size_t index = old->index;
  *old = *new;
  old->index = index;
  for (size_t i = 0; i < old->relocation_count; ++i)
    ptx_resolve_relocation_later(p, &old->relocations[i]);
}

static void add_variable(ptx_parser *p, ptx_variable *variable) {
  ptx_function *f = p->function;
  const ptx_symbol *old = ptx_find(p, p->scope, variable->name);
  if (old != NULL && old->kind == SYMBOL_VARIABLE && f == NULL) {
    merge(p, old->variable, variable);
    return;
  }
  ptx_variable ***table = f != NULL ? &f->variables : &p->module->variables;
  size_t *count = f != NULL ? &f->variable_count : &p->module->variable_count;
  variable->function = f;
  variable->index = *count;
  *table = ptx_grow(p, *table, *count, sizeof **table);
  (*table)[(*count)++] = variable;
  if (strcmp(variable->name, "_") != 0)
    ptx_declare(p, &(ptx_symbol){p->scope, variable->name, SYMBOL_VARIABLE, .variable = variable});
  for (size_t i = 0; i < variable->relocation_count; ++i)
    ptx_resolve_relocation_later(p, &variable->relocations[i]);
}

/* [2][3] after the name; [] is 0. The vector's length comes last. */
static size_t parse_dimensions(ptx_parser *p, uint64_t vector, uint64_t dimensions[]) {
  size_t rank = 0;
  while (ptx_accept(p, '[')) {
    if (rank == MOST_DIMENSIONS - 1) ptx_fail(p, "too many dimensions");
    bool is_open = ptx_is(p, ']');
    if (is_open && rank > 0) ptx_fail(p, "only the first dimension can be left out");
    dimensions[rank] = is_open ? 0 : ptx_number(p, MOST_BYTES);
    if (!is_open && dimensions[rank] == 0) ptx_fail(p, "an array without elements");
    ++rank;
    ptx_expect(p, ']');
  }
  if (vector > 1) dimensions[rank++] = vector;
  return rank;
}

static ptx_variable *parse_variable(ptx_parser *p, ptx_space space, qualifiers q, bool is_extern) {
  ptx_variable *variable = ptx_new(p, 1, sizeof *variable);
  uint64_t dimensions[MOST_DIMENSIONS];
  uint64_t element = (uint64_t)ptx_type_size(q.type);
  if (element == 0) ptx_fail(p, "a variable cannot be .%s", ptx_type_name(q.type));
  variable->line = p->token.line;
  variable->name = ptx_expect_word(p, "a variable's name");
  variable->space = space;
  variable->type = q.type;
  variable->is_extern = is_extern;
  variable->align = q.align != 0 ? q.align : (uint32_t)(element * q.vector);
  variable->size = element;
  if (ptx_is(p, '<')) ptx_fail(p, "a range of variables is not supported");
  size_t rank = parse_dimensions(p, q.vector, dimensions);
  for (size_t i = rank; i-- > 0;) { /* the first may be 0 */
    if (dimensions[i] > MOST_BYTES / variable->size) ptx_fail(p, "'%s' is too large", variable->name);
    variable->size *= dimensions[i];
  }
  if (ptx_accept(p, '=')) {
    if (is_extern || (space != SPACE_GLOBAL && space != SPACE_CONST))
      ptx_fail(p, "'%s' cannot have an initial value", variable->name);
    ptx_parse_initial(p, variable, dimensions, rank);
  } else if (variable->size == 0 && !is_extern && space != SPACE_PARAM) {
    ptx_fail(p, "'%s' has no length", variable->name);
  }
  return variable;
}

void ptx_parse_variables(ptx_parser *p, ptx_space space, bool is_extern) {
  qualifiers q = parse_qualifiers(p);
  do add_variable(p, parse_variable(p, space, q, is_extern));
  while (ptx_accept(p, ','));
  ptx_expect(p, ';');
}

ptx_parameters ptx_parse_parameters(ptx_parser *p, bool declared) {
  ptx_parameters list = {0};
  ptx_expect(p, '(');
  if (ptx_accept(p, ')')) return list;
  do {
    if (ptx_is_dot(p, "reg")) ptx_fail(p, "parameters in registers are not supported");
    if (!ptx_is_dot(p, "param")) ptx_unexpected(p, ".param");
    ptx_next(p);
    ptx_variable *variable = parse_variable(p, SPACE_PARAM, parse_qualifiers(p), false);
    variable->is_kernel_param = declared && p->function->is_entry;
    if (declared) add_variable(p, variable);
    list.items = ptx_grow(p, list.items, list.count, sizeof *list.items);
    list.items[list.count++] = variable;
  } while (ptx_accept(p, ','));
  ptx_expect(p, ')');
  return list;
}

static void add_register(ptx_parser *p, ptx_register *reg, const char *name, ptx_type type) {
  ptx_function *f = p->function;
  if (f->register_count >= MOST_REGISTERS) ptx_fail(p, "too many registers");
  *reg = (ptx_register){name, type, (unsigned)f->register_count};
  f->registers = ptx_grow(p, f->registers, f->register_count, sizeof *f->registers);
  f->registers[f->register_count++] = reg;
  ptx_declare(p, &(ptx_symbol){p->scope, name, SYMBOL_REGISTER, .reg = reg});
}

/* %r<3> is %r0, %r1 and %r2. */
static void add_range(ptx_parser *p, const char *prefix, size_t count, ptx_type type) {
  char name[512];
  size_t length = strlen(prefix);
  if (length + 16 > sizeof name) ptx_fail(p, "'%s' is too long a name for a range", prefix);
  memcpy(name, prefix, length);
  ptx_register *regs = ptx_new(p, count, sizeof *regs);
  for (size_t i = 0; i < count; ++i) {
    char digits[24];
    size_t used = 0;
    for (size_t rest = i; rest != 0 || used == 0; rest /= 10) digits[used++] = (char)('0' + rest % 10);
    for (size_t k = 0; k < used; ++k) name[length + k] = digits[used - 1 - k];
    add_register(p, &regs[i], ptx_intern(p, name, length + used), type);
  }
}

void ptx_parse_registers(ptx_parser *p) {
  if (p->function == NULL) ptx_fail(p, "a register outside of functions");
  if (ptx_is_dot(p, "v2") || ptx_is_dot(p, "v4")) ptx_fail(p, "vector registers are not supported");
  qualifiers q = parse_qualifiers(p);
  if (q.vector != 1) ptx_fail(p, "vector registers are not supported");
  do {
    const char *name = ptx_expect_word(p, "a register's name");
    if (ptx_accept(p, '<')) {
      /* Not an expression: the > would be taken for an operator. */
      if (p->token.kind != TOKEN_NUMBER || p->token.number.is_float || p->token.number.integer < 0 ||
          p->token.number.integer > MOST_REGISTERS)
        ptx_unexpected(p, "a number of registers");
      size_t count = (size_t)p->token.number.integer;
      ptx_next(p);
      ptx_expect(p, '>');
      add_range(p, name, count, q.type);
    } else {
      add_register(p, ptx_new(p, 1, sizeof(ptx_register)), name, q.type);
    }
  } while (ptx_accept(p, ','));
  ptx_expect(p, ';');
}
