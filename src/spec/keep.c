#include "spec/keep.h"

#include <string.h>

#include "util/integer.h"

void *block_take(block *b, const void *from, size_t size) {
  b->used = align_up(b->used, _Alignof(max_align_t));
  unsigned char *room = b->begin != NULL ? b->begin + b->used : NULL;
  if (room != NULL && from != NULL) memcpy(room, from, size);
  b->used += size;
  return room;
}

const char *block_text(block *b, const char *from) {
  return from != NULL ? block_take(b, from, strlen(from) + 1) : NULL;
}

jig_type keep_type(block *b, const jig_type *from) {
  const bool is_struct = from->kind == JIG_KIND_STRUCT;
  return (jig_type){.kind = from->kind,
                    .size = from->size,
                    .align = from->align,
                    .name = is_struct ? block_text(b, from->name) : NULL,
                    .definition = is_struct ? block_text(b, from->definition) : NULL};
}

jig_op keep_op(block *b, const jig_op *from) {
  jig_op op = {.kind = from->kind,
               .state_type = keep_type(b, &from->state_type),
               .commutative = from->commutative,
               .device_state = from->device_state,
               .by_pointer = from->by_pointer};
  const bool is_binary = from->kind == JIG_OP_BINARY;
  if (is_binary || from->kind == JIG_OP_FUNCTION) op.name = block_text(b, from->name);
  if (from->kind == JIG_OP_SOURCE || from->kind == JIG_OP_FUNCTION)
    op.source = block_text(b, from->source);
  if (!is_binary) return op;
  op.format = from->format;
  op.data = from->data != NULL ? block_take(b, from->data, from->size) : NULL;
  op.size = from->size;
  memcpy(op.digest, from->digest, sizeof op.digest);
  return op;
}
