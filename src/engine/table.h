/* The in-memory table of programs: found without a lock, filled under one, never emptied.
 *
 * Open addressing. A slot's key is written before its program is published, and nothing is ever taken
 * out, so a reader needs one acquiring load per slot it looks at. A table that has grown leaves the
 * smaller one to readers who still have it; those are freed with the engine. */
#ifndef JIG_ENGINE_TABLE_H
#define JIG_ENGINE_TABLE_H

#include <stdatomic.h>
#include <stdbool.h>

#include "jit/program.h"
#include "util/hash.h"

typedef struct program_slots program_slots;
typedef struct program_table {
  _Atomic(program_slots *) slots;
} program_table;

bool table_open(program_table *t);

/* Frees the programs too, and unloads them if the process may still talk to the driver about them. */
void table_close(program_table *t, bool unload);

program *table_find(program_table *t, hash128 key);

/* Adds a program, which the table then owns. The caller holds the lock and the key is not in yet. False
 * when out of memory. */
bool table_add(program_table *t, hash128 key, program *p);

#endif
