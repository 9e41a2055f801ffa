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

typedef struct slot {
  program_key key;
  _Atomic(program *) program;
} slot;

struct program_slots {
  program_slots *outgrown; /* the one before, or NULL */
  size_t capacity;         /* a power of two */
  size_t used;
  slot slots[];
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

program *table_find(program_table *t, const program_key *key) {
  program_slots *s = atomic_load_explicit(&t->slots, memory_order_acquire);
  for (size_t i = key->hash;; ++i) {
    slot *here = &s->slots[i & (s->capacity - 1)];
    program *p = atomic_load_explicit(&here->program, memory_order_acquire);
    if (p == NULL || program_key_equal(key, &here->key)) return p;
  }
}

static void put(program_slots *s, const program_key *key, program *p) {
  size_t i = key->hash;
  while (atomic_load_explicit(&s->slots[i & (s->capacity - 1)].program, memory_order_relaxed) != NULL)
    ++i;
  slot *here = &s->slots[i & (s->capacity - 1)];
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
