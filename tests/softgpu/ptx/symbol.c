/* What names mean: one hash table, by scope and name. */
#include <string.h>

#include "ptx/parser.h"

/* The slot a symbol is in, or belongs in. Names are interned: their addresses tell them apart. */
static size_t slot_of(const ptx_symbol *symbols, size_t capacity, const ptx_scope *scope,
                      const char *name) {
  uint64_t key = (uint64_t)(uintptr_t)scope * 0x9e3779b97f4a7c15u ^ (uint64_t)(uintptr_t)name;
  key *= 0xff51afd7ed558ccdu;
  size_t slot = (size_t)(key >> 32) & (capacity - 1);
  while (symbols[slot].name != NULL && (symbols[slot].name != name || symbols[slot].scope != scope))
    slot = (slot + 1) & (capacity - 1);
  return slot;
}

const ptx_symbol *ptx_find(const ptx_parser *p, const ptx_scope *scope, const char *name) {
  if (p->symbol_capacity == 0) return NULL;
  const ptx_symbol *found = &p->symbols[slot_of(p->symbols, p->symbol_capacity, scope, name)];
  return found->name != NULL ? found : NULL;
}

static void more_symbols(ptx_parser *p) {
  size_t capacity = p->symbol_capacity == 0 ? 2048 : p->symbol_capacity * 2;
  ptx_symbol *symbols = ptx_new(p, capacity, sizeof *symbols);
  for (size_t i = 0; i < p->symbol_capacity; ++i) {
    const ptx_symbol *each = &p->symbols[i];
    if (each->name != NULL) symbols[slot_of(symbols, capacity, each->scope, each->name)] = *each;
  }
  p->symbols = symbols;
  p->symbol_capacity = capacity;
}

void ptx_declare(ptx_parser *p, const ptx_symbol *symbol) {
  if (p->symbol_count * 2 >= p->symbol_capacity) more_symbols(p);
  size_t slot = slot_of(p->symbols, p->symbol_capacity, symbol->scope, symbol->name);
  if (p->symbols[slot].name != NULL) ptx_fail(p, "'%s' is declared twice", symbol->name);
  p->symbols[slot] = *symbol;
  ++p->symbol_count;
}

ptx_scope *ptx_scope_new(ptx_parser *p) {
  ptx_scope *scope = ptx_new(p, 1, sizeof *scope);
  scope->parent = p->scope;
  scope->function = p->function;
  return scope;
}
