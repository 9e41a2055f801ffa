#include "spec/args_copy.h"

#include <stdlib.h>
#include <string.h>

#include "spec/iterator.h"
#include "util/integer.h"

/* All is copied twice: without a block, to find out how large it has to be, and into it. */
typedef struct block {
  unsigned char *begin; /* NULL: nothing is written */
  size_t used;
  unsigned iters_left; /* of those that there may be */
} block;

static void *take(block *b, const void *from, size_t size) {
  void *room = b->begin != NULL ? b->begin + b->used : NULL;
  if (room != NULL && size > 0) memcpy(room, from, size);
  b->used = align_up(b->used + size, _Alignof(max_align_t));
  return room;
}

static const char *copy_text(block *b, const char *text) {
  return text != NULL ? take(b, text, strlen(text) + 1) : NULL;
}

/* What a kind does not have is not looked at. */
static jig_type copy_type(block *b, const jig_type *from) {
  jig_type type = *from;
  const bool is_struct = from->kind == JIG_KIND_STRUCT;
  type.name = is_struct ? copy_text(b, from->name) : NULL;
  type.definition = is_struct ? copy_text(b, from->definition) : NULL;
  return type;
}

static jig_op copy_op(block *b, const jig_op *from) {
  jig_op op = *from;
  const bool is_binary = from->kind == JIG_OP_BINARY, is_function = from->kind == JIG_OP_FUNCTION;
  const bool is_source = from->kind == JIG_OP_SOURCE;
  op.source = is_source || is_function ? copy_text(b, from->source) : NULL;
  op.name = is_binary || is_function ? copy_text(b, from->name) : NULL;
  op.data = is_binary && from->data != NULL ? take(b, from->data, from->size) : NULL;
  op.state_type = copy_type(b, &from->state_type);
  return op;
}

static const jig_iter *copy_iters(block *b, const jig_iter *from, size_t count, int depth);

static jig_iter copy_iter(block *b, const jig_iter *from, int depth) {
  jig_iter iter = *from;
  iter.type = copy_type(b, &from->type);
  iter.op = copy_op(b, &from->op);
  iter.base = iter.indices = NULL;
  if (!iter_kind_exists(from->kind)) return iter;
  const unsigned bases = iter_base_count(from);
  const bool has_indices = bases > 1 && iter_base_at(from, 1) == from->indices;
  iter.base = copy_iters(b, from->base, has_indices ? 1 : bases, depth + 1);
  if (has_indices) iter.indices = copy_iters(b, from->indices, 1, depth + 1);
  return iter;
}

static const jig_iter *copy_iters(block *b, const jig_iter *from, size_t count, int depth) {
  if (from == NULL || count == 0 || count > b->iters_left || depth > ITER_MAX_DEPTH) return NULL;
  b->iters_left -= (unsigned)count;
  jig_iter *room = take(b, from, count * sizeof *from);
  for (size_t i = 0; i < count; ++i) {
    const jig_iter iter = copy_iter(b, &from[i], depth);
    if (room != NULL) room[i] = iter;
  }
  return room;
}

size_t args_iters(const struct_field *field, const void *args) {
  uint32_t count;
  memcpy(&count, (const char *)args + field[1].offset, sizeof count);
  return count;
}

/* What a plain field points to. */
static const void *copy_content(block *b, const struct_field *field, const void *args) {
  const void *content;
  memcpy(&content, (const char *)args + field->offset, sizeof content);
  if (field->content == CONTENT_TEXT) return copy_text(b, content);
  return copy_iters(b, content, args_iters(field, args), 1);
}

static void copy_field(block *b, const struct_field *field, const void *args, void *to) {
  const void *from = (const char *)args + field->offset;
  unsigned char *member = (unsigned char *)to + field->offset;
  if (field->kind == FIELD_TYPE) {
    const jig_type type = copy_type(b, from);
    if (to != NULL) memcpy(member, &type, sizeof type);
  } else if (field->kind == FIELD_OP) {
    const jig_op op = copy_op(b, from);
    if (to != NULL) memcpy(member, &op, sizeof op);
  } else if (field->kind == FIELD_ITER) {
    const jig_iter iter = copy_iter(b, from, 1);
    if (to != NULL) memcpy(member, &iter, sizeof iter);
  } else if (field->content == CONTENT_TEXT || field->content == CONTENT_ITERS) {
    const void *content = copy_content(b, field, args);
    if (to != NULL) memcpy(member, &content, sizeof content);
  }
}

static void copy_all(block *b, const struct_layout *layout, const void *args) {
  void *to = take(b, args, layout->size);
  for (size_t i = 0; i < layout->field_count; ++i) copy_field(b, &layout->fields[i], args, to);
}

void *args_copy(const struct_layout *layout, const void *args) {
  block b = {.iters_left = ITER_MAX_COUNT};
  copy_all(&b, layout, args);
  unsigned char *begin = malloc(b.used);
  if (begin == NULL) return NULL;
  b = (block){.begin = begin, .iters_left = ITER_MAX_COUNT};
  copy_all(&b, layout, args);
  return begin;
}

void iter_move(jig_iter *copy, const jig_iter *from) {
  copy->pointer = from->pointer;
  copy->value = from->value;
  copy->step = from->step;
  copy->stride = from->stride;
  copy->count = from->count;
  copy->seed = from->seed;
  copy->op.state = from->op.state;
  for (unsigned k = 0; k < iter_base_count(copy); ++k)
    iter_move((jig_iter *)(uintptr_t)iter_base_at(copy, k), iter_base_at(from, k));
}
