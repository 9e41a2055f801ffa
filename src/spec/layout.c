#include "spec/layout.h"

#include "spec/reserved.h"
#include "util/error.h"

/* ---- the fields of every struct, in order. F: a field, R: what is reserved. */

/* clang-format off */
#define FIELDS_OF_jig_type(s, F, R)                                                                   \
  F(s, kind) F(s, size) F(s, align) R(s, reserved32) F(s, name) F(s, definition) R(s, reserved)
#define FIELDS_OF_jig_op(s, F, R)                                                                     \
  F(s, kind) R(s, reserved32) F(s, source) F(s, name) F(s, state) F(s, state_type) F(s, commutative)  \
  F(s, device_state) F(s, by_pointer) F(s, format) F(s, data) F(s, size) F(s, digest) R(s, reserved)
#define FIELDS_OF_jig_iter(s, F, R)                                                                   \
  F(s, kind) R(s, reserved32) F(s, type) F(s, pointer) F(s, value) F(s, base) F(s, op) F(s, step)     \
  F(s, stride) F(s, count) F(s, indices) F(s, base_count) F(s, seed) R(s, reserved)
#define FIELDS_OF_jig_header(s, F, R)                                                                 \
  F(s, name) F(s, text) R(s, reserved)
#define FIELDS_OF_jig_engine_config(s, F, R)                                                          \
  F(s, cache_dir) F(s, cache_path) F(s, cache_max_size) F(s, build) F(s, jobs) F(s, allocate)         \
  F(s, release) F(s, allocator_user) F(s, include_path) F(s, headers) F(s, header_count)              \
  F(s, compile_options) F(s, compile_option_count) F(s, dump) F(s, record) F(s, exact_compiler)       \
  F(s, debug_sync) F(s, nvtx) F(s, background) F(s, template_path) F(s, driver) F(s, nvrtc)           \
  F(s, nvjitlink) F(s, first_tier) R(s, reserved32) F(s, wisdom) R(s, reserved)
#define FIELDS_OF_jig_engine_stats(s, F, R)                                                           \
  F(s, calls) F(s, memory_hits) F(s, disk_hits) F(s, misses) F(s, failed_builds) F(s, evictions)      \
  F(s, faults) F(s, compile_ms) F(s, load_ms) F(s, last_miss) F(s, cache_warning) F(s, kernels)           \
  F(s, background_kernels) F(s, wait_ms) F(s, longest_wait_ms) F(s, linked_kernels) R(s, reserved)
#define FIELDS_OF_jig_cache_entry(s, F, R)                                                            \
  F(s, path) F(s, key) F(s, spec) F(s, arch) F(s, compiler) F(s, bytes) F(s, last_used) F(s, layer)   \
  F(s, sound) F(s, fault) R(s, reserved)
#define FIELDS_OF_jig_prewarm_result(s, F, R)                                                         \
  F(s, hit) F(s, registers) F(s, spill_bytes) F(s, shared_bytes) F(s, compile_ms)                     \
  F(s, payload_bytes) F(s, key) R(s, reserved)
#define FIELDS_OF_jig_definition(s, F, R)                                                             \
  F(s, name) F(s, kind) F(s, arity) F(s, text) F(s, integer) F(s, number) F(s, type) F(s, result)     \
  F(s, op) R(s, reserved)
#define FIELDS_OF_jig_kernel_text(s, F, R)                                                            \
  F(s, name) F(s, text) R(s, reserved)
#define FIELDS_OF_jig_kernel_config(s, F, R)                                                          \
  F(s, entry) F(s, source) F(s, source_name) F(s, texts) F(s, text_count) F(s, definitions)           \
  F(s, definition_count) F(s, max_threads) F(s, min_blocks) R(s, reserved)
#define FIELDS_OF_jig_kernel_shape(s, F, R)                                                           \
  F(s, grid) F(s, block) F(s, cluster) F(s, shared_bytes) F(s, cooperative) F(s, pdl) R(s, reserved)
#define FIELDS_OF_jig_kernel_arg(s, F, R)                                                             \
  F(s, value) F(s, size)
#define FIELDS_OF_jig_occupancy(s, F, R)                                                              \
  F(s, blocks) F(s, multiprocessors) F(s, clusters) F(s, max_threads) F(s, registers)                 \
  F(s, local_bytes) F(s, shared_bytes) F(s, max_shared_bytes) F(s, parameters) R(s, reserved32)       \
  R(s, reserved)
/* clang-format on */

/* ---- the tables */

#define DEFINE(name, bytes) STRUCT_LAYOUT(name, bytes, FIELDS_OF_##name);
PUBLIC_STRUCTS(DEFINE)

#define LAYOUT_ROW(name, bytes) [LAYOUT_OF_##name] = &layout_of_##name,
const struct_layout *const layouts[LAYOUTS] = {PUBLIC_STRUCTS(LAYOUT_ROW)};

/* ---- errors */

static uint64_t reserved_of_field(const struct_field *field, const void *value) {
  const void *member = (const char *)value + field->offset;
  switch (field->kind) {
    case FIELD_TYPE:
      return reserved_of_type(member);
    case FIELD_OP:
      return reserved_of_op(member);
    case FIELD_ITER:
      return reserved_of_iter(member);
    case FIELD_RESERVED:
      return reserved_of_words(member, field->size);
    default:
      return 0;
  }
}

/* Where in a member it is not zero. */
static const char *place_in_type(const jig_type *type, const char *inside) {
  return reserved_of_type(type) != 0 ? inside : "";
}
static const char *place_in(const struct_field *field, const void *member) {
  const jig_iter *iter = member;
  if (field->kind == FIELD_OP)
    return place_in_type(&((const jig_op *)member)->state_type, "state_type: ");
  if (field->kind != FIELD_ITER) return "";
  if (reserved_of_type(&iter->op.state_type) != 0) return "op: state_type: ";
  return reserved_of_op(&iter->op) != 0 ? "op: " : place_in_type(&iter->type, "type: ");
}

jig_status layout_check(const struct_layout *layout, const void *value, const char *who,
                        const char *name) {
  if (layout->reserved(value) == 0) return JIG_SUCCESS;
  const struct_field *field = layout->fields;
  while (reserved_of_field(field, value) == 0) ++field;
  const bool is_own = field->kind == FIELD_RESERVED;
  return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: %s: %s" RESERVED_PROBLEM, who,
                   is_own ? name : field->name, place_in(field, (const char *)value + field->offset));
}
