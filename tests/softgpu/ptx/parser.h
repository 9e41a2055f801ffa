/* What the files of the PTX parser share. Every function here that meets an error does not return: it
 * goes to ptx_fail(), which leaves through a jump to ptx_parse(). All memory is the module's arena's, so
 * nothing has to be undone on the way. */
#ifndef SOFTGPU_PTX_PARSER_H
#define SOFTGPU_PTX_PARSER_H

#include <setjmp.h>

#include "ptx/ptx.h"

typedef struct ptx_parser ptx_parser;

/* memory.c */

typedef struct ptx_memory ptx_memory;

ptx_memory *ptx_memory_new(void);
void ptx_memory_free(ptx_memory *memory);
/* Zeroed memory. */
void *ptx_new(ptx_parser *p, size_t count, size_t size);
/* Room for one more item after `count` in an array that only this function has made longer; the array
 * returned may be another one. */
void *ptx_grow(ptx_parser *p, void *items, size_t count, size_t size);
/* The one copy of a name: equal names are equal pointers. */
const char *ptx_intern(ptx_parser *p, const char *text, size_t length);

/* symbol.c */

typedef struct ptx_scope {
  const struct ptx_scope *parent; /* NULL: the module */
  const ptx_function *function;
} ptx_scope;

typedef enum ptx_symbol_kind {
  SYMBOL_REGISTER,
  SYMBOL_VARIABLE,
  SYMBOL_LABEL,    /* index: of the instruction */
  SYMBOL_LIST,     /* index: in the function's lists */
  SYMBOL_FUNCTION, /* index: in the module's functions */
} ptx_symbol_kind;

typedef struct ptx_symbol {
  const ptx_scope *scope;
  const char *name; /* interned */
  ptx_symbol_kind kind;
  const ptx_register *reg;
  ptx_variable *variable;
  size_t index;
} ptx_symbol;

/* A name can be declared once in a scope. */
void ptx_declare(ptx_parser *p, const ptx_symbol *symbol);
/* Looks into this scope only; NULL if it has no such name. The pointer is good until the next
 * declaration. */
const ptx_symbol *ptx_find(const ptx_parser *p, const ptx_scope *scope, const char *name);
ptx_scope *ptx_scope_new(ptx_parser *p);

/* lex.c */

typedef enum ptx_token_kind {
  TOKEN_END,
  TOKEN_WORD,   /* name */
  TOKEN_DOT,    /* .name */
  TOKEN_NUMBER, /* number */
  TOKEN_STRING, /* name: what is between the quotes, escapes undone; length */
  TOKEN_MARK,   /* mark: the character, or MARK2() of two */
} ptx_token_kind;

#define MARK2(a, b) ((a)*256 + (b))

typedef struct ptx_constant {
  bool is_float, is_unsigned;
  bool is_f32; /* written as 0f... */
  int64_t integer;
  double real;
  uint32_t f32_bits;
} ptx_constant;

typedef struct ptx_token {
  ptx_token_kind kind;
  int mark;
  const char *name;
  size_t length;
  ptx_constant number;
  const char *start, *end; /* in the text */
  unsigned line;
} ptx_token;

struct ptx_pending;

struct ptx_parser {
  const char *text, *at; /* all of it; what is not yet read */
  unsigned line;
  ptx_token token;
  ptx_memory *memory;
  ptx_module *module;
  ptx_function *function; /* being read; NULL between functions */
  const ptx_scope *module_scope, *scope;
  ptx_symbol *symbols; /* a hash table */
  size_t symbol_count, symbol_capacity;
  struct ptx_pending *pending;
  size_t pending_count;
  const char *statement; /* where it starts in the text, and its line */
  unsigned statement_line;
  unsigned source_file, source_line; /* of .loc */
  int depth;                         /* of nested expressions and braces */
  ptx_error *error;
  jmp_buf failed;
};

/* Reads the next token into p->token. */
void ptx_next(ptx_parser *p);
void ptx_skip_line(ptx_parser *p);
bool ptx_is(const ptx_parser *p, int mark);
bool ptx_is_dot(const ptx_parser *p, const char *name);
bool ptx_accept(ptx_parser *p, int mark);
void ptx_expect(ptx_parser *p, int mark);
const char *ptx_expect_word(ptx_parser *p, const char *what);
/* Skips from an opening mark to after the matching closing one. */
void ptx_skip_group(ptx_parser *p, int open, int close);

/* An error at the current token; its text is added to the message. */
__attribute__((noreturn, format(printf, 2, 3))) void ptx_fail(ptx_parser *p, const char *format, ...);
/* An error at a place in the text. */
__attribute__((noreturn, format(printf, 4, 5))) void ptx_fail_at(ptx_parser *p, const char *at,
                                                                 unsigned line, const char *format, ...);
/* What comes now is not what it should be. */
__attribute__((noreturn)) void ptx_unexpected(ptx_parser *p, const char *wanted);
/* Guards recursion: what is read comes from anywhere. */
void ptx_enter(ptx_parser *p);
void ptx_leave(ptx_parser *p);

/* constant.c */

ptx_constant ptx_constant_expression(ptx_parser *p);
int64_t ptx_integer_expression(ptx_parser *p);
/* An integer between 0 and most. */
uint64_t ptx_number(ptx_parser *p, uint64_t most);
ptx_constant ptx_constant_of_real(double real);

/* operand.c */

ptx_operand ptx_parse_operand(ptx_parser *p, bool of_call);
/* Notes which of the operands have names that are still to be looked up. They must not move afterwards.
 */
void ptx_operands_done(ptx_parser *p, ptx_operand *operands, size_t count);
/* The register whose name is the current token. */
const ptx_register *ptx_parse_register(ptx_parser *p);

/* special.c */

/* Whether the name is a special register's; dimension is -1 if .x, .y or .z has to follow. */
bool ptx_special_of(const char *name, ptx_special *special, int *dimension);

/* variable.c */

typedef struct ptx_parameters {
  ptx_variable **items;
  size_t count;
} ptx_parameters;

bool ptx_space_of(const char *name, ptx_space *space);
/* Variables from after their space to after the semicolon. */
void ptx_parse_variables(ptx_parser *p, ptx_space space, bool is_extern);
/* Registers from after .reg to after the semicolon. */
void ptx_parse_registers(ptx_parser *p);
/* (.param ..., ...); declared: as variables of the current function. */
ptx_parameters ptx_parse_parameters(ptx_parser *p, bool declared);
/* .attribute(...), from after the word. */
void ptx_skip_attribute(ptx_parser *p);

/* initial.c */

/* What follows the = of a variable. dimensions: of the array, the outermost first, 0 if it is to be found
 * here, and the vector's last. Sets size if that was 0, initial and the relocations. */
void ptx_parse_initial(ptx_parser *p, ptx_variable *variable, const uint64_t *dimensions, size_t rank);

/* function.c */

/* From after .func or .entry. */
void ptx_parse_function(ptx_parser *p, bool is_entry);
/* After .pragma. */
void ptx_skip_pragma(ptx_parser *p);

/* statement.c */

/* From after the { to after the }. */
void ptx_parse_body(ptx_parser *p);

/* resolve.c: names that can be declared after they are used wait for the end of the module. */

void ptx_resolve_operand_later(ptx_parser *p, ptx_operand *operand);
void ptx_resolve_relocation_later(ptx_parser *p, ptx_relocation *relocation);
/* The names of one of the function's lists. */
void ptx_resolve_list_later(ptx_parser *p, size_t list);
/* The function named by alias is the one named by target. */
void ptx_resolve_alias_later(ptx_parser *p, const char *alias, const char *target);
void ptx_resolve_all(ptx_parser *p);

#endif
