/* The in-memory table of programs: found without a lock, filled under one, never emptied.
 *
 * Open addressing, by a hash of the key. The key itself, a copy of the whole spec, is compared on every
 * hit: whoever makes two operators of one hash gets two programs. A slot's key is written before its
 * program is published, and nothing is ever taken out, so a reader needs one acquiring load per slot it
 * looks at. A table that has grown leaves the smaller one to readers who still have it; those are freed
 * with the engine.
 *
 * Warm calls do not come to the hash, which has to read every text: what was found last for a spec that
 * looks alike is compared first. */
#ifndef JIG_ENGINE_TABLE_H
#define JIG_ENGINE_TABLE_H

#include <stdatomic.h>
#include <stdbool.h>

#include "jit/program.h"
#include "spec/spec.h"

/* What a program is found by. */
typedef struct program_key {
  uint64_t hash; /* of the rest */
  const spec *s;
  uint64_t place; /* where it is loaded: a kind of devices, or a context */
} program_key;

program_key program_key_of(const spec *s, uint64_t place);

/* Whether a caller's key is that of a program; `kept` is a copy of a spec that was checked. */
bool program_key_equal(const program_key *given, const program_key *kept);

enum { TABLE_RECENT_BITS = 6, TABLE_RECENT = 1 << TABLE_RECENT_BITS };

typedef struct program_slots program_slots;
typedef struct program_table {
  _Atomic(program_slots *) slots;
  _Atomic(const struct program_slot *) recent[TABLE_RECENT]; /* by what specs look like; or NULL */
} program_table;

bool table_open(program_table *t);

/* Frees programs and keys too, and unloads programs if the process may still talk to the driver about
 * them. */
void table_close(program_table *t, bool unload);

/* The program of a spec if it is the one that was found last for specs that look alike; NULL: it may be
 * in the table nevertheless. */
program *table_find_recent(program_table *t, const spec *s, uint64_t place);

program *table_find(program_table *t, const program_key *key);

/* Adds a program, which the table then owns, as it does the key's spec, of spec_copy(). The caller holds
 * the lock and the key is not in yet. False when out of memory. */
bool table_add(program_table *t, const program_key *key, program *p);

#endif
