#include "spec/iterator.h"

#include <string.h>

#include "spec/operator.h"
#include "spec/type.h"
#include "util/error.h"

static jig_status check_at_depth(const jig_iter *iter, iter_role role, const char *what, int depth) {
  if (depth > ITER_MAX_DEPTH) {
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: iterators are nested more than %d deep", what,
                     (int)ITER_MAX_DEPTH);
  }
  if (iter->kind < JIG_ITER_POINTER || iter->kind > JIG_ITER_TRANSFORM) {
    return error_set(JIG_ERROR_INVALID_ARGUMENT,
                     "%s: no iterator is given, or one that does not exist (kind %d)", what,
                     (int)iter->kind);
  }
  if (role == ITER_OUTPUT && iter->kind != JIG_ITER_POINTER) {
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: an output must be a jig_pointer()", what);
  }
  jig_status status = type_check(&iter->type, what);
  if (status != JIG_SUCCESS) return status;
  if (iter->kind == JIG_ITER_COUNTING &&
      (!type_is_number(&iter->type) || iter->type.kind == JIG_KIND_BOOL)) {
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: jig_counting() cannot count in %s", what,
                     jig_type_name(&iter->type));
  }
  if (iter->kind != JIG_ITER_TRANSFORM) return JIG_SUCCESS;
  if (iter->base == NULL) {
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: jig_transform() was given no iterator", what);
  }
  status = check_at_depth(iter->base, role, what, depth + 1);
  if (status != JIG_SUCCESS) return status;
  const op_signature signature = {1, &iter->base->type, &iter->type};
  return op_check(&iter->op, &signature, what);
}

jig_status iter_check(const jig_iter *iter, iter_role role, const char *what) {
  jig_status status = check_at_depth(iter, role, what, 1);
  if (status == JIG_SUCCESS && iter_layout(iter).size > PARAMETER_MAX_SIZE) {
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: values and states add up to more than %d bytes",
                     what, (int)PARAMETER_MAX_SIZE);
  }
  return status;
}

static jig_status check_pointer(const jig_iter *iter, const char *what) {
  if (iter->pointer == NULL) {
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: the pointer is NULL", what);
  }
  if ((uintptr_t)iter->pointer % iter->type.align != 0) {
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: pointer %p is not aligned to the %u bytes of %s",
                     what, iter->pointer, iter->type.align, jig_type_name(&iter->type));
  }
  return JIG_SUCCESS;
}

jig_status iter_check_values(const jig_iter *iter, const char *what) {
  switch (iter->kind) {
    case JIG_ITER_POINTER:
      return check_pointer(iter, what);
    case JIG_ITER_CONSTANT:
      if (iter->value != NULL) return JIG_SUCCESS;
      return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: jig_constant() was given no value", what);
    case JIG_ITER_TRANSFORM:
      if (iter->op.state_type.kind != JIG_KIND_NONE && iter->op.state == NULL) {
        return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: the operator's state is NULL", what);
      }
      return iter_check_values(iter->base, what);
    default:
      return JIG_SUCCESS;
  }
}

static size_t align_up(size_t offset, size_t align) {
  return (offset + align - 1) & ~(align - 1);
}

value_layout op_layout(const jig_op *op) {
  if (op->state_type.kind == JIG_KIND_NONE) return (value_layout){1, 1};
  return (value_layout){op->state_type.size, op->state_type.align};
}

value_layout iter_layout(const jig_iter *iter) {
  if (iter->kind == JIG_ITER_POINTER) return (value_layout){sizeof(void *), _Alignof(void *)};
  if (iter->kind != JIG_ITER_TRANSFORM) return (value_layout){iter->type.size, iter->type.align};
  value_layout base = iter_layout(iter->base), op = op_layout(&iter->op);
  size_t align = base.align > op.align ? base.align : op.align;
  return (value_layout){align_up(align_up(base.size, op.align) + op.size, align), align};
}

const char *iter_name(jig_iter_kind kind) {
  static const char *const names[] = {
      [JIG_ITER_POINTER] = "pointer",
      [JIG_ITER_COUNTING] = "counting",
      [JIG_ITER_CONSTANT] = "constant",
      [JIG_ITER_TRANSFORM] = "transform",
  };
  return names[kind];
}

const jig_iter *iter_base(const jig_iter *iter) {
  return iter->kind == JIG_ITER_TRANSFORM ? iter->base : NULL;
}

unsigned iter_run_items(const jig_iter *iter) {
  enum { VECTOR_BYTES = 16, MAX_RUN_BYTES = 64, GENERATED_ITEMS = 4 };
  if (iter->kind == JIG_ITER_TRANSFORM) return iter_run_items(iter->base);
  if (iter->kind != JIG_ITER_POINTER) return GENERATED_ITEMS;
  /* The shortest run that fills whole vectors, unless that is long: what divides an item's size and a
   * vector's is a power of two. */
  const unsigned shared = iter->type.size & -iter->type.size;
  const unsigned items = shared > 0 && shared < VECTOR_BYTES ? VECTOR_BYTES / shared : 1;
  return items * iter->type.size <= MAX_RUN_BYTES ? items : 1;
}

void op_pack(const jig_op *op, unsigned char *bytes) {
  value_layout l = op_layout(op);
  if (op->state_type.kind == JIG_KIND_NONE || op->state == NULL)
    memset(bytes, 0, l.size);
  else
    memcpy(bytes, op->state, l.size);
}

void iter_pack(const jig_iter *iter, unsigned char *bytes) {
  switch (iter->kind) {
    case JIG_ITER_POINTER:
      memcpy(bytes, &iter->pointer, sizeof iter->pointer);
      break;
    case JIG_ITER_TRANSFORM: {
      memset(bytes, 0, iter_layout(iter).size);
      iter_pack(iter->base, bytes);
      op_pack(&iter->op, bytes + align_up(iter_layout(iter->base).size, op_layout(&iter->op).align));
      break;
    }
    default:
      if (iter->value != NULL)
        memcpy(bytes, iter->value, iter->type.size);
      else
        memset(bytes, 0, iter->type.size);
  }
}

bool iter_overlaps(const jig_iter *iter, uint64_t num_items, const void *begin, size_t size) {
  if (iter->kind == JIG_ITER_TRANSFORM) return iter_overlaps(iter->base, num_items, begin, size);
  if (iter->kind != JIG_ITER_POINTER || num_items == 0 || size == 0) return false;
  uintptr_t first = (uintptr_t)iter->pointer, other = (uintptr_t)begin;
  uint64_t bytes = num_items > UINT64_MAX / iter->type.size ? UINT64_MAX : num_items * iter->type.size;
  return other >= first ? other - first < bytes : first - other < size;
}
