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
  F(s, stride) F(s, count) F(s, indices) F(s, base_count) R(s, reserved)
#define FIELDS_OF_jig_header(s, F, R)                                                                 \
  F(s, name) F(s, text) R(s, reserved)
#define FIELDS_OF_jig_engine_config(s, F, R)                                                          \
  F(s, cache_dir) F(s, cache_path) F(s, cache_max_size) F(s, build) F(s, jobs) F(s, allocate)         \
  F(s, release) F(s, allocator_user) F(s, include_path) F(s, headers) F(s, header_count)              \
  F(s, compile_options) F(s, compile_option_count) F(s, dump) F(s, record) F(s, exact_compiler)       \
  F(s, debug_sync) F(s, nvtx) R(s, reserved32) F(s, template_path) F(s, driver) F(s, nvrtc)           \
  F(s, nvjitlink) R(s, reserved)
#define FIELDS_OF_jig_engine_stats(s, F, R)                                                           \
  F(s, calls) F(s, memory_hits) F(s, disk_hits) F(s, misses) F(s, failed_builds) F(s, evictions)      \
  F(s, faults) F(s, compile_ms) F(s, load_ms) F(s, last_miss) F(s, cache_warning) R(s, reserved)
#define FIELDS_OF_jig_cache_entry(s, F, R)                                                            \
  F(s, path) F(s, key) F(s, spec) F(s, arch) F(s, compiler) F(s, bytes) F(s, last_used) F(s, layer)   \
  F(s, sound) F(s, fault) R(s, reserved)
#define FIELDS_OF_jig_prewarm_result(s, F, R)                                                         \
  F(s, hit) F(s, registers) F(s, spill_bytes) F(s, shared_bytes) F(s, compile_ms)                     \
  F(s, payload_bytes) F(s, key) R(s, reserved)

#define FIELDS_OF_jig_reduce_args(s, F, R)                                                            \
  F(s, in) F(s, out) F(s, num_items) F(s, op) F(s, init) F(s, init_type) F(s, init_in)                \
  F(s, accum_type) F(s, nan) F(s, determinism) R(s, reserved)
#define FIELDS_OF_jig_arg_reduce_args(s, F, R)                                                        \
  F(s, in) F(s, value_out) F(s, index_out) F(s, num_items) F(s, op) F(s, nan) F(s, determinism)       \
  F(s, compare) R(s, reserved)
#define FIELDS_OF_jig_scan_args(s, F, R)                                                              \
  F(s, in) F(s, out) F(s, num_items) F(s, op) F(s, init) F(s, init_type) F(s, init_in)                \
  F(s, accum_type) F(s, nan) F(s, determinism) F(s, mode) R(s, reserved32) R(s, reserved)
#define FIELDS_OF_jig_scan_by_key_args(s, F, R)                                                       \
  F(s, keys_in) F(s, values_in) F(s, values_out) F(s, num_items) F(s, op) F(s, equality) F(s, init)   \
  F(s, init_type) F(s, init_in) F(s, accum_type) F(s, nan) F(s, determinism) F(s, mode)               \
  R(s, reserved32) R(s, reserved)
#define FIELDS_OF_jig_segmented_scan_args(s, F, R)                                                    \
  F(s, in) F(s, out) F(s, begin_offsets) F(s, end_offsets) F(s, out_offsets) F(s, num_segments)       \
  F(s, op) F(s, init) F(s, init_type) F(s, init_in) F(s, accum_type) F(s, nan) F(s, determinism)      \
  F(s, mode) R(s, reserved32) R(s, reserved)
#define FIELDS_OF_jig_reduce_by_key_args(s, F, R)                                                     \
  F(s, keys_in) F(s, unique_out) F(s, values_in) F(s, aggregates_out) F(s, num_runs_out)              \
  F(s, num_items) F(s, op) F(s, equality) F(s, accum_type) F(s, nan) F(s, determinism)                \
  R(s, reserved)
#define FIELDS_OF_jig_run_length_encode_args(s, F, R)                                                 \
  F(s, in) F(s, unique_out) F(s, lengths_out) F(s, num_runs_out) F(s, num_items) F(s, equality)       \
  R(s, reserved)
#define FIELDS_OF_jig_non_trivial_runs_args(s, F, R)                                                  \
  F(s, in) F(s, offsets_out) F(s, lengths_out) F(s, num_runs_out) F(s, num_items) F(s, equality)      \
  R(s, reserved)
#define FIELDS_OF_jig_select_args(s, F, R)                                                            \
  F(s, in) F(s, flags) F(s, out) F(s, num_selected_out) F(s, num_items) F(s, op) R(s, reserved)
#define FIELDS_OF_jig_unique_args(s, F, R)                                                            \
  F(s, in) F(s, out) F(s, values_in) F(s, values_out) F(s, num_selected_out) F(s, num_items)          \
  F(s, equality) R(s, reserved)
#define FIELDS_OF_jig_partition_args(s, F, R)                                                         \
  F(s, in) F(s, flags) F(s, out) F(s, unselected_out) F(s, num_selected_out) F(s, num_items)          \
  F(s, op) R(s, reserved)
#define FIELDS_OF_jig_three_way_partition_args(s, F, R)                                               \
  F(s, in) F(s, first_out) F(s, second_out) F(s, unselected_out) F(s, num_selected_out)               \
  F(s, num_items) F(s, first_op) F(s, second_op) R(s, reserved)
#define FIELDS_OF_jig_merge_args(s, F, R)                                                             \
  F(s, first_keys_in) F(s, second_keys_in) F(s, keys_out) F(s, first_values_in)                       \
  F(s, second_values_in) F(s, values_out) F(s, first_num_items) F(s, second_num_items) F(s, compare)  \
  R(s, reserved)
#define FIELDS_OF_jig_merge_sort_args(s, F, R)                                                        \
  F(s, keys_in) F(s, keys_out) F(s, values_in) F(s, values_out) F(s, num_items) F(s, compare)         \
  R(s, reserved)
#define FIELDS_OF_jig_radix_sort_args(s, F, R)                                                        \
  F(s, keys_in) F(s, keys_out) F(s, values_in) F(s, values_out) F(s, num_items) F(s, order)           \
  F(s, begin_bit) F(s, end_bit) R(s, reserved32) F(s, selector) F(s, decomposer) R(s, reserved)
#define FIELDS_OF_jig_segmented_sort_args(s, F, R)                                                    \
  F(s, keys_in) F(s, keys_out) F(s, values_in) F(s, values_out) F(s, num_items) F(s, begin_offsets)   \
  F(s, end_offsets) F(s, num_segments) F(s, order) F(s, begin_bit) F(s, end_bit) R(s, reserved32)     \
  F(s, selector) F(s, decomposer) R(s, reserved)
#define FIELDS_OF_jig_top_k_args(s, F, R)                                                             \
  F(s, keys_in) F(s, keys_out) F(s, values_in) F(s, values_out) F(s, num_items) F(s, k) F(s, choice)  \
  F(s, is_sorted) F(s, decomposer) R(s, reserved)
/* clang-format on */

/* ---- the tables */

#define MEMBER(s, f) ((const s *)0)->f
/* clang-format off */
#define KIND_OF(s, f)                                                        \
  _Generic(MEMBER(s, f), jig_type: FIELD_TYPE, jig_op: FIELD_OP, jig_iter: FIELD_ITER, \
           default: FIELD_PLAIN)
#define BITS_OF(x)                                                           \
  _Generic((x), jig_type: reserved_of_type, jig_op: reserved_of_op, jig_iter: reserved_of_iter, \
           default: reserved_of_plain)(&(x))
/* clang-format on */
#define OR_FIELD(s, f) | BITS_OF(value->f)
#define OR_RESERVED(s, f) | reserved_of_words(&value->f, sizeof value->f)
#define RESERVED_FUNCTION(s, bytes)                    \
  static uint64_t reserved_of_##s(const void *given) { \
    const s *value = given;                            \
    return 0 FIELDS_OF_##s(s, OR_FIELD, OR_RESERVED);  \
  }
PUBLIC_STRUCTS(RESERVED_FUNCTION)

#define FIELD_ROW(s, f) {#f, offsetof(s, f), sizeof(MEMBER(s, f)), KIND_OF(s, f)},
#define RESERVED_ROW(s, f) {#f, offsetof(s, f), sizeof(MEMBER(s, f)), FIELD_RESERVED},
#define ADD_SIZE(s, f) +sizeof(MEMBER(s, f))

#define FIELD_TABLE(s, bytes)                                                              \
  static const struct_field fields_of_##s[] = {FIELDS_OF_##s(s, FIELD_ROW, RESERVED_ROW)}; \
  _Static_assert(0 FIELDS_OF_##s(s, ADD_SIZE, ADD_SIZE) == sizeof(s),                      \
                 #s " has a hole, or a field that is not in its list");
PUBLIC_STRUCTS(FIELD_TABLE)

#if UINTPTR_MAX == UINT64_MAX
#define CHECK_SIZE(s, bytes) \
  _Static_assert(sizeof(s) == (bytes), #s " has another size: this breaks programs that are compiled");
PUBLIC_STRUCTS(CHECK_SIZE)
#endif

#define LAYOUT_ROW(s, bytes)                                                                       \
  [LAYOUT_OF_##s] = {#s, sizeof(s), fields_of_##s, sizeof fields_of_##s / sizeof fields_of_##s[0], \
                     reserved_of_##s},
const struct_layout layouts[LAYOUTS] = {PUBLIC_STRUCTS(LAYOUT_ROW)};

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
