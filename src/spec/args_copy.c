#include "spec/args_copy.h"

#include <stdlib.h>
#include <string.h>

#include "spec/keep.h"

typedef struct copying {
  block block;
  unsigned iters_left; /* of those that there may be */
} copying;

/* Where a state is may change, and goes along. */
static jig_op copy_op(block *b, const jig_op *from) {
  const jig_op kept = keep_op(b, from);
  jig_op op = *from;
  op.source = kept.source;
  op.name = kept.name;
  op.data = kept.data;
  op.state_type = kept.state_type;
  return op;
}

static const jig_iter *copy_iters(copying *c, const jig_iter *from, size_t count, int depth);

static jig_iter copy_iter(copying *c, const jig_iter *from, int depth) {
  jig_iter iter = *from;
  iter.type = keep_type(&c->block, &from->type);
  iter.op = copy_op(&c->block, &from->op);
  iter.base = iter.indices = NULL;
  if (!iter_kind_exists(from->kind)) return iter;
  const unsigned bases = iter_base_count(from);
  const bool has_indices = bases > 1 && iter_base_at(from, 1) == from->indices;
  iter.base = copy_iters(c, from->base, has_indices ? 1 : bases, depth + 1);
  if (has_indices) iter.indices = copy_iters(c, from->indices, 1, depth + 1);
  return iter;
}

static const jig_iter *copy_iters(copying *c, const jig_iter *from, size_t count, int depth) {
  if (from == NULL || count == 0 || count > c->iters_left || depth > ITER_MAX_DEPTH) return NULL;
  c->iters_left -= (unsigned)count;
  jig_iter *room = block_take(&c->block, from, count * sizeof *from);
  for (size_t i = 0; i < count; ++i) {
    const jig_iter iter = copy_iter(c, &from[i], depth);
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
static const void *copy_content(copying *c, const struct_field *field, const void *args) {
  const void *content;
  memcpy(&content, (const char *)args + field->offset, sizeof content);
  if (field->content == CONTENT_TEXT) return block_text(&c->block, content);
  return copy_iters(c, content, args_iters(field, args), 1);
}

static void copy_field(copying *c, const struct_field *field, const void *args, void *to) {
  const void *from = (const char *)args + field->offset;
  unsigned char *member = (unsigned char *)to + field->offset;
  if (field->kind == FIELD_TYPE) {
    const jig_type type = keep_type(&c->block, from);
    if (to != NULL) memcpy(member, &type, sizeof type);
  } else if (field->kind == FIELD_OP) {
    const jig_op op = copy_op(&c->block, from);
    if (to != NULL) memcpy(member, &op, sizeof op);
  } else if (field->kind == FIELD_ITER) {
    const jig_iter iter = copy_iter(c, from, 1);
    if (to != NULL) memcpy(member, &iter, sizeof iter);
  } else if (field->content == CONTENT_TEXT || field->content == CONTENT_ITERS) {
    const void *content = copy_content(c, field, args);
    if (to != NULL) memcpy(member, &content, sizeof content);
  }
}

static void copy_all(copying *c, const struct_layout *layout, const void *args) {
  void *to = block_take(&c->block, args, layout->size);
  for (size_t i = 0; i < layout->field_count; ++i) copy_field(c, &layout->fields[i], args, to);
}

void *args_copy(const struct_layout *layout, const void *args) {
  copying c = {.iters_left = ITER_MAX_COUNT};
  copy_all(&c, layout, args);
  unsigned char *begin = malloc(c.block.used);
  if (begin == NULL) return NULL;
  c = (copying){.block = {.begin = begin}, .iters_left = ITER_MAX_COUNT};
  copy_all(&c, layout, args);
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
