#include "prepared_support.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "jit/algorithm.h"
#include "reduce_support.h"
#include "spec/args_copy.h"

const struct_layout *prepared_layout(const char *function) {
  const algorithm *const *row = algorithm_table;
  while (*row != NULL && strcmp(function + strlen("jig_"), (*row)->schema.algorithm) != 0) ++row;
  ck_assert_msg(*row != NULL, "%s", function);
  return (*row)->args;
}

static void move_iter(jig_prepared *p, const char *name, const jig_iter *iter, bool by_pointer) {
  if (iter->kind == JIG_ITER_POINTER && by_pointer)
    OK(jig_prepared_set_pointer(p, name, iter->pointer));
  else
    OK(jig_prepared_set_iter(p, name, iter));
}

static void move_pointers(jig_prepared *p, const struct_field *field, void *const *pointers) {
  for (size_t i = 0; i < field->size / sizeof *pointers; ++i) {
    char name[64];
    (void)snprintf(name, sizeof name, "%s[%zu]", field->name, i);
    if (pointers[i] != NULL) OK(jig_prepared_set_pointer(p, name, pointers[i]));
  }
}

static void move_iters(jig_prepared *p, const struct_field *field, const void *args, bool by_pointer) {
  const jig_iter *const *iters = (const void *)((const char *)args + field->offset);
  for (size_t i = 0; i < args_iters(field, args); ++i) {
    char name[64];
    (void)snprintf(name, sizeof name, "%s[%zu]", field->name, i);
    move_iter(p, name, &(*iters)[i], by_pointer);
  }
}

static void move_field(jig_prepared *p, const struct_field *field, const void *args, bool by_pointer) {
  const void *at = (const char *)args + field->offset;
  if (field->kind == FIELD_ITER) {
    const jig_iter *iter = at;
    if (iter->kind != JIG_ITER_NONE) move_iter(p, field->name, iter, by_pointer);
  } else if (field->kind == FIELD_OP) {
    const jig_op *op = at;
    if (op_has_state(op)) OK(jig_prepared_set_pointer(p, field->name, op->state));
  } else if (field->content == CONTENT_COUNT) {
    OK(jig_prepared_set_count(p, field->name, *(const uint64_t *)at));
  } else if (field->content == CONTENT_POINTER) {
    OK(jig_prepared_set_pointer(p, field->name, *(void *const *)at));
  } else if (field->content == CONTENT_POINTERS) {
    move_pointers(p, field, at);
  } else if (field->content == CONTENT_ITERS) {
    move_iters(p, field, args, by_pointer);
  }
}

void move_prepared(jig_prepared *prepared, const char *function, const void *args, bool by_pointer) {
  const struct_layout *layout = prepared_layout(function);
  for (size_t i = 0; i < layout->field_count; ++i)
    move_field(prepared, &layout->fields[i], args, by_pointer);
}
