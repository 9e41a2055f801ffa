#include "engine/table.h"

#include <stdint.h>
#include <stdlib.h>

#include "spec/identity.h"

program_key program_key_of(const spec *s, uint64_t place) {
  return (program_key){.hash = spec_hash(s) ^ place * 0x9e3779b97f4a7c15u, .s = s, .place = place};
}

bool program_key_equal(const program_key *given, const program_key *kept) {
  return given->hash == kept->hash && given->place == kept->place && spec_equal(given->s, kept->s);
}

typedef struct program_slot {
  program_key key;
  _Atomic(program *) program;
} program_slot;

struct program_slots {
  program_slots *outgrown; /* the one before, or NULL */
  size_t capacity;         /* a power of two */
  size_t used;
  program_slot slots[];
};

static program_slots *slots_new(size_t capacity, program_slots *outgrown) {
  program_slots *s = calloc(1, sizeof *s + capacity * sizeof s->slots[0]);
  if (s == NULL) return NULL;
  s->capacity = capacity;
  s->outgrown = outgrown;
  return s;
}

bool table_open(program_table *t) {
  enum { INITIAL_CAPACITY = 64 };
  atomic_init(&t->slots, slots_new(INITIAL_CAPACITY, NULL));
  for (int i = 0; i < TABLE_RECENT; ++i) atomic_init(&t->recent[i], NULL);
  return atomic_load(&t->slots) != NULL;
}

void table_close(program_table *t, bool unload) {
  program_slots *s = atomic_load(&t->slots);
  for (size_t i = 0; s != NULL && i < s->capacity; ++i) {
    program *p = atomic_load(&s->slots[i].program);
    if (p == NULL) continue;
    if (unload) program_unload(p);
    program_free(p);
    free((spec *)(uintptr_t)s->slots[i].key.s);
  }
  while (s != NULL) {
    program_slots *outgrown = s->outgrown;
    free(s);
    s = outgrown;
  }
}

/* ---- finding */

/* The same whenever a place in somebody's source asks for it, as texts are the same pointers then; what
 * these point to is not read. */
static size_t look_of(const spec *s, uint64_t place) {
  uint64_t look = (uintptr_t)s->schema + place;
  for (int i = 0, count = s->schema->slot_count; i < count; ++i) {
    const jig_iter *iter = s->slots[i].iter;
    const jig_op *op = iter != NULL ? &iter->op : s->slots[i].op;
    if (op != NULL) look = 31 * look + (uintptr_t)op->source + (uint64_t)op->kind;
    if (iter != NULL) look += (uint64_t)iter->type.kind << 8;
  }
  return look * 0x9e3779b97f4a7c15u >> (64 - TABLE_RECENT_BITS);
}

program *table_find_recent(program_table *t, const spec *s, uint64_t place) {
  _Atomic(const program_slot *) *recent = &t->recent[look_of(s, place)];
  const program_slot *here = atomic_load_explicit(recent, memory_order_acquire);
  if (here == NULL || here->key.place != place || !spec_equal(s, here->key.s)) return NULL;
  return atomic_load_explicit(&here->program, memory_order_relaxed);
}

program *table_find(program_table *t, const program_key *key) {
  program_slots *s = atomic_load_explicit(&t->slots, memory_order_acquire);
  for (size_t i = key->hash;; ++i) {
    program_slot *here = &s->slots[i & (s->capacity - 1)];
    program *p = atomic_load_explicit(&here->program, memory_order_acquire);
    if (p == NULL) return NULL;
    if (!program_key_equal(key, &here->key)) continue;
    atomic_store_explicit(&t->recent[look_of(key->s, key->place)], here, memory_order_release);
    return p;
  }
}

/* ---- adding */

static void put(program_slots *s, const program_key *key, program *p) {
  size_t i = key->hash;
  while (atomic_load_explicit(&s->slots[i & (s->capacity - 1)].program, memory_order_relaxed) != NULL)
    ++i;
  program_slot *here = &s->slots[i & (s->capacity - 1)];
  here->key = *key;
  atomic_store_explicit(&here->program, p, memory_order_release);
  ++s->used;
}

bool table_add(program_table *t, const program_key *key, program *p) {
  program_slots *s = atomic_load_explicit(&t->slots, memory_order_relaxed);
  if (2 * (s->used + 1) > s->capacity) {
    program_slots *larger = slots_new(2 * s->capacity, s);
    if (larger == NULL) return false;
    for (size_t i = 0; i < s->capacity; ++i) {
      program *moved = atomic_load_explicit(&s->slots[i].program, memory_order_relaxed);
      if (moved != NULL) put(larger, &s->slots[i].key, moved);
    }
    atomic_store_explicit(&t->slots, larger, memory_order_release);
    s = larger;
  }
  put(s, key, p);
  return true;
}
