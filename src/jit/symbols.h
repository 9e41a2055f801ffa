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
  symbol *all; /* malloc'ed; free it */
  size_t count, capacity;
  bool failed; /* out of memory */
} symbol_list;

/* Adds the functions and variables of a PTX text from behind its first directives on. */
void symbols_of_ptx(symbol_list *list, const char *ptx, const char *end, int file);

/* Adds what a cubin, known to be whole, defines for others. */
void symbols_of_cubin(symbol_list *list, const void *data, size_t size, int file);

bool symbol_is(const symbol *s, const char *name);
bool symbols_equal(const symbol *a, const symbol *b);

/* A symbol that two files define; NULL if there is none. */
const symbol *symbols_clash(const symbol_list *list, bool only_visible);

/* Behind white space and comments of PTX. */
const char *ptx_skip_blank(const char *c, const char *end);

#endif
