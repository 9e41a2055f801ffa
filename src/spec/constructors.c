/* What makes value types, operators and iterators: see jig/type.h, operator.h, iterator.h. They only fill
 * in a struct; the call that is given it checks it. */
#include <jig/iterator.h>

/* ---- types */

/* What has no room in a field is refused by the call, as what is too large. */
static uint32_t in_32_bits(size_t bytes) {
  return bytes < UINT32_MAX ? (uint32_t)bytes : UINT32_MAX;
}

jig_type jig_struct(const char *name, const char *definition, size_t size, size_t align) {
  return (jig_type){.kind = JIG_KIND_STRUCT,
                    .size = in_32_bits(size),
                    .align = in_32_bits(align),
                    .name = name,
                    .definition = definition};
}

jig_type jig_opaque(size_t size, size_t align) {
  return (jig_type){.kind = JIG_KIND_OPAQUE, .size = in_32_bits(size), .align = in_32_bits(align)};
}

/* ---- operators */

jig_op jig_op_source(const char *body) {
  return (jig_op){.kind = JIG_OP_SOURCE, .source = body};
}

jig_op jig_op_function(const char *source, const char *name) {
  return (jig_op){.kind = JIG_OP_FUNCTION, .source = source, .name = name};
}

jig_op jig_op_by_pointer(jig_op op) {
  op.by_pointer = 1;
  return op;
}

jig_op jig_op_with_state(jig_op op, const void *state, jig_type type) {
  op.state = state;
  op.state_type = type;
  op.device_state = 0;
  return op;
}

jig_op jig_op_with_device_state(jig_op op, const void *state, jig_type type) {
  op.state = state;
  op.state_type = type;
  op.device_state = 1;
  return op;
}

jig_op jig_op_commutative(jig_op op) {
  op.commutative = 1;
  return op;
}

/* ---- iterators */

jig_iter jig_pointer(const void *pointer, jig_type type) {
  return (jig_iter){.kind = JIG_ITER_POINTER, .type = type, .pointer = (void *)(uintptr_t)pointer};
}

jig_iter jig_device_pointer(CUdeviceptr pointer, jig_type type) {
  return jig_pointer((const void *)(uintptr_t)pointer, type);
}

jig_iter jig_counting(const void *start, jig_type type) {
  return (jig_iter){.kind = JIG_ITER_COUNTING, .type = type, .value = start};
}

jig_iter jig_counting_by(const void *start, const void *step, jig_type type) {
  return (jig_iter){.kind = JIG_ITER_COUNTING_BY, .type = type, .value = start, .step = step};
}

jig_iter jig_constant(const void *value, jig_type type) {
  return (jig_iter){.kind = JIG_ITER_CONSTANT, .type = type, .value = value};
}

jig_iter jig_iter_transform(const jig_iter *base, jig_op op, jig_type type) {
  return (jig_iter){.kind = JIG_ITER_TRANSFORM, .type = type, .base = base, .op = op};
}

jig_iter jig_pointer_hinted(const void *pointer, jig_type type, jig_cache_hint hint) {
  static const jig_iter_kind kinds[] = {
      [JIG_CACHE_NONE] = JIG_ITER_POINTER,
      [JIG_CACHE_STREAMING] = JIG_ITER_POINTER_STREAMING,
      [JIG_CACHE_GLOBAL] = JIG_ITER_POINTER_GLOBAL,
      [JIG_CACHE_KEEP] = JIG_ITER_POINTER_KEEP,
      [JIG_CACHE_READ_ONLY] = JIG_ITER_POINTER_READ_ONLY,
      [JIG_CACHE_LAST_USE] = JIG_ITER_POINTER_LAST_USE,
      [JIG_CACHE_WRITE_THROUGH] = JIG_ITER_POINTER_WRITE_THROUGH,
  };
  jig_iter iter = jig_pointer(pointer, type);
  /* What is no hint is no kind either, which the call says. */
  iter.kind = (unsigned)hint < sizeof kinds / sizeof kinds[0] ? kinds[hint] : (jig_iter_kind)-1;
  return iter;
}

jig_iter jig_strided(const void *pointer, int64_t stride_bytes, jig_type type) {
  return (jig_iter){.kind = JIG_ITER_STRIDED,
                    .type = type,
                    .pointer = (void *)(uintptr_t)pointer,
                    .stride = stride_bytes};
}

jig_iter jig_iter_reverse(const jig_iter *base, uint64_t count) {
  jig_iter iter = JIG_ZERO;
  iter.kind = JIG_ITER_REVERSE;
  if (base != NULL) iter.type = base->type;
  iter.base = base;
  iter.count = count;
  return iter;
}

jig_iter jig_permutation(const jig_iter *values, const jig_iter *indices) {
  jig_iter iter = JIG_ZERO;
  iter.kind = JIG_ITER_PERMUTATION;
  if (values != NULL) iter.type = values->type;
  iter.base = values;
  iter.indices = indices;
  return iter;
}

jig_iter jig_zip(const jig_iter *bases, size_t count, jig_type type) {
  return (jig_iter){.kind = JIG_ITER_ZIP, .type = type, .base = bases, .base_count = count};
}

jig_iter jig_zip_transform(const jig_iter *bases, size_t count, jig_op op, jig_type type) {
  return (jig_iter){
      .kind = JIG_ITER_ZIP_TRANSFORM, .type = type, .base = bases, .base_count = count, .op = op};
}

jig_iter jig_transform_output(const jig_iter *base, jig_op op, jig_type type) {
  return (jig_iter){.kind = JIG_ITER_TRANSFORM_OUTPUT, .type = type, .base = base, .op = op};
}

jig_iter jig_discard(jig_type type) {
  return (jig_iter){.kind = JIG_ITER_DISCARD, .type = type};
}

jig_iter jig_iter_source(jig_op op, jig_type type) {
  return (jig_iter){.kind = JIG_ITER_SOURCE, .type = type, .op = op};
}

jig_iter jig_iter_shuffle(uint64_t count, uint64_t seed, jig_type type) {
  return (jig_iter){.kind = JIG_ITER_SHUFFLE, .type = type, .count = count, .seed = seed};
}
