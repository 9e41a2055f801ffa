/* The arena a module lives in, and the table of its names. */
#include <stdlib.h>
#include <string.h>

#include "ptx/parser.h"

/* Less makes every allocation one of malloc()'s: for finding errors with a sanitizer. */
#ifndef PTX_CHUNK_SIZE
#define PTX_CHUNK_SIZE ((size_t)64 << 10)
#endif

typedef struct chunk {
  struct chunk *next;
  max_align_t bytes[];
} chunk;

typedef struct name_slot {
  const char *name;
  size_t length;
  uint32_t hash;
} name_slot;

struct ptx_memory {
  chunk *chunks;
  char *free;
  size_t left;
  name_slot *names; /* a hash table, freed with the rest */
  size_t name_count, name_capacity;
};

ptx_memory *ptx_memory_new(void) {
  return calloc(1, sizeof(ptx_memory));
}

void ptx_memory_free(ptx_memory *memory) {
  if (memory == NULL) return;
  for (chunk *next, *each = memory->chunks; each != NULL; each = next) {
    next = each->next;
    free(each);
  }
  free(memory->names);
  free(memory);
}

void *ptx_new(ptx_parser *p, size_t count, size_t size) {
  ptx_memory *memory = p->memory;
  if (size != 0 && count > (SIZE_MAX / 4) / size) ptx_fail(p, "out of memory");
  size_t bytes = (count * size + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
  if (bytes > memory->left) {
    size_t capacity = bytes > PTX_CHUNK_SIZE / 4 ? bytes : PTX_CHUNK_SIZE;
    chunk *more = calloc(1, sizeof *more + capacity);
    if (more == NULL) ptx_fail(p, "out of memory");
    more->next = memory->chunks;
    memory->chunks = more;
    if (capacity == bytes) return more->bytes;
    memory->free = (char *)more->bytes;
    memory->left = capacity;
  }
  void *result = memory->free;
  memory->free += bytes;
  memory->left -= bytes;
  return result;
}

/* Capacities are 8, 16, 32, ...: the count alone says when the array is full. */
void *ptx_grow(ptx_parser *p, void *items, size_t count, size_t size) {
  if (count == 0) return ptx_new(p, 8, size);
  if (count < 8 || (count & (count - 1)) != 0) return items;
  void *more = ptx_new(p, 2 * count, size);
  memcpy(more, items, count * size);
  return more;
}

static uint32_t hash_of(const char *text, size_t length) {
  uint32_t hash = 2166136261u;
  for (size_t i = 0; i < length; ++i) hash = (hash ^ (unsigned char)text[i]) * 16777619u;
  return hash ^ hash >> 15;
}

static bool more_names(ptx_memory *memory) {
  size_t capacity = memory->name_capacity == 0 ? 2048 : memory->name_capacity * 2;
  name_slot *names = calloc(capacity, sizeof *names);
  if (names == NULL) return false;
  for (size_t i = 0; i < memory->name_capacity; ++i) {
    if (memory->names[i].name == NULL) continue;
    size_t slot = memory->names[i].hash & (capacity - 1);
    while (names[slot].name != NULL) slot = (slot + 1) & (capacity - 1);
    names[slot] = memory->names[i];
  }
  free(memory->names);
  memory->names = names;
  memory->name_capacity = capacity;
  return true;
}

const char *ptx_intern(ptx_parser *p, const char *text, size_t length) {
  ptx_memory *memory = p->memory;
  if (memory->name_count * 2 >= memory->name_capacity && !more_names(memory))
    ptx_fail(p, "out of memory");
  uint32_t hash = hash_of(text, length);
  size_t slot = hash & (memory->name_capacity - 1);
  for (; memory->names[slot].name != NULL; slot = (slot + 1) & (memory->name_capacity - 1)) {
    const name_slot *found = &memory->names[slot];
    if (found->hash == hash && found->length == length && memcmp(found->name, text, length) == 0)
      return found->name;
  }
  char *name = ptx_new(p, length + 1, 1);
  memcpy(name, text, length);
  memory->names[slot] = (name_slot){name, length, hash};
  ++memory->name_count;
  return name;
}
