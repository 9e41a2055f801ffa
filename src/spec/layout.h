/* The public structs: what is in them, that they have no holes and keep their sizes, and that what is
 * reserved in them is zero. docs/abi.md has the rule, docs/abi-structs.md the table that is made of this
 * one.
 *
 * A new public struct is a list of its fields and a row in layout.c. */
#ifndef JIG_SPEC_LAYOUT_H
#define JIG_SPEC_LAYOUT_H

#include <stdbool.h>

#include <jig/jig.h>

typedef enum field_kind { FIELD_PLAIN, FIELD_TYPE, FIELD_OP, FIELD_ITER, FIELD_RESERVED } field_kind;

typedef struct struct_field {
  const char *name;
  size_t offset, size;
  field_kind kind;
} struct_field;

typedef struct struct_layout {
  const char *name; /* "jig_reduce_args" */
  size_t size;
  const struct_field *fields;
  size_t field_count;
  uint64_t (*reserved)(const void *value); /* all that is reserved in it, or-ed together */
} struct_layout;

/* Every public struct: its name, and its size on 64-bit machines. */
#define PUBLIC_STRUCTS(X)               \
  X(jig_type, 48)                       \
  X(jig_op, 152)                        \
  X(jig_iter, 296)                      \
  X(jig_header, 32)                     \
  X(jig_engine_config, 352)             \
  X(jig_engine_stats, 1096)             \
  X(jig_cache_entry, 136)               \
  X(jig_prewarm_result, 136)            \
  X(jig_reduce_args, 1224)              \
  X(jig_arg_reduce_args, 1272)          \
  X(jig_scan_args, 1232)                \
  X(jig_scan_by_key_args, 1680)         \
  X(jig_segmented_scan_args, 2120)      \
  X(jig_reduce_by_key_args, 1912)       \
  X(jig_run_length_encode_args, 1408)   \
  X(jig_non_trivial_runs_args, 1408)    \
  X(jig_select_args, 1408)              \
  X(jig_unique_args, 1704)              \
  X(jig_partition_args, 1704)           \
  X(jig_three_way_partition_args, 1856) \
  X(jig_merge_args, 2008)               \
  X(jig_merge_sort_args, 1408)          \
  X(jig_radix_sort_args, 1288)          \
  X(jig_segmented_sort_args, 1888)      \
  X(jig_top_k_args, 1280)

enum {
#define LAYOUT_NUMBER(name, size) LAYOUT_OF_##name,
  PUBLIC_STRUCTS(LAYOUT_NUMBER)
#undef LAYOUT_NUMBER
      LAYOUTS
};
extern const struct_layout layouts[LAYOUTS];

/* LAYOUT(jig_reduce_args) */
#define LAYOUT(name) (&layouts[LAYOUT_OF_##name])

/* Whether all that is reserved in a struct is zero, and in what lies in it by value: JIG_SUCCESS, or
 * JIG_ERROR_INVALID_ARGUMENT, which says where it is not. Iterators' bases are for iter_check(). `who` is
 * what the error begins with, `name` what the struct is called there: "jig_reduce", "args". Warm calls
 * pass here. */
jig_status layout_check(const struct_layout *layout, const void *value, const char *who,
                        const char *name);

#endif
