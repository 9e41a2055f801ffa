/* What compiled operators define and declare: nvJitLink links machine code that defines a name twice,
 * says so to nobody but stdout, and crashes the next time; and PTX to be merged is one module. */
#ifndef JIG_JIT_SYMBOLS_H
#define JIG_JIT_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct symbol {
  const char *name; /* within the file */
  size_t length;
  int file;          /* whose it is, by the caller's numbers */
  bool defined;      /* or only declared */
  bool is_given;     /* a block's dynamic shared memory, which is declared and nobody defines */
  bool is_visible;   /* to other files; a weak one, which may be defined twice, is not */
  const char *begin; /* of a declaration in PTX, with its semicolon */
  const char *end;
} symbol;

typedef struct symbol_list {
  symbol *all; /* in the order in which they were added */
  size_t count, capacity;
  const symbol **by_name; /* and by their names, those of one name as they were added: symbols_sort() */
  bool failed;            /* out of memory */
} symbol_list;

void symbols_free(symbol_list *list);

/* Adds the functions and variables of a PTX text from behind its first directives on. */
void symbols_of_ptx(symbol_list *list, const char *ptx, const char *end, int file);

/* Adds what a cubin defines for others; false if it has no symbols at all. */
bool symbols_of_cubin(symbol_list *list, const void *data, size_t size, int file);

bool symbol_is(const symbol *s, const char *name);

/* Once all are added, before any of the following. False, and list->failed, when out of memory. */
bool symbols_sort(symbol_list *list);

/* A symbol that two files define; NULL if there is none. */
const symbol *symbols_clash(const symbol_list *list, bool only_visible);

/* The first symbol of the same name: itself, perhaps. And the first that is defined, or NULL. */
const symbol *symbols_first(const symbol_list *list, const symbol *s);
const symbol *symbols_definition(const symbol_list *list, const symbol *s);

/* A word of PTX with its dots, a string, or any other character; an empty one at the end of the text. */
typedef struct ptx_token {
  const char *begin, *end;
} ptx_token;

ptx_token ptx_next_token(const char *c, const char *end);
bool ptx_token_is(ptx_token t, const char *text);

/* Behind white space and comments of PTX. */
const char *ptx_skip_blank(const char *c, const char *end);

#endif
