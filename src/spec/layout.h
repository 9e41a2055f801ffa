/* The public structs: what is in them, that they have no holes and keep their sizes, and that what is
 * reserved in them is zero. docs/abi.md has the rule, docs/abi-structs.md the table that is made of this
 * one.
 *
 * A new public struct is a list of its fields and a row in layout.c; the args of a new algorithm are a
 * list of their fields in its own file. */
#ifndef JIG_SPEC_LAYOUT_H
#define JIG_SPEC_LAYOUT_H

#include <stdbool.h>

#include <jig/jig.h>

#include "spec/reserved.h"

typedef enum __attribute__((packed)) field_kind {
  FIELD_PLAIN,
  FIELD_TYPE,
  FIELD_OP,
  FIELD_ITER,
  FIELD_RESERVED
} field_kind;

/* What a plain one is to calls that are prepared (args_copy.h). */
typedef enum __attribute__((packed)) field_content {
  CONTENT_OTHER,
  CONTENT_COUNT,    /* a uint64_t */
  CONTENT_POINTER,  /* to device memory, or to host memory that calls read, or write */
  CONTENT_POINTERS, /* an array of such */
  CONTENT_TEXT,     /* a string, or NULL */
  CONTENT_ITERS /* points to an array of iterators; the field behind it says to how many, in 32 bits */
} field_content;

/* Small, as there are hundreds. */
typedef struct struct_field {
  const char *name;
  unsigned short offset, size;
  field_kind kind;
  field_content content;
} struct_field;

typedef struct struct_layout {
  const char *name; /* "jig_reduce_args" */
  size_t size;
  const struct_field *fields;
  size_t field_count;
  uint64_t (*reserved)(const void *value); /* all that is reserved in it, or-ed together */
} struct_layout;

/* ---- defining one
 *
 *   #define FIELDS(s, F, R) F(s, in) F(s, out) F(s, num_items) R(s, reserved)
 *   STRUCT_LAYOUT(jig_thing_args, 664, FIELDS);
 *
 * makes layout_of_jig_thing_args. F: a field, R: what is reserved; in order. The number is the struct's
 * size on 64-bit machines, which it has to keep. */
#define LAYOUT_MEMBER(s, f) ((const s *)0)->f
/* clang-format off */
#define LAYOUT_KIND_OF(s, f)                                                 \
  _Generic(LAYOUT_MEMBER(s, f), jig_type: FIELD_TYPE, jig_op: FIELD_OP, jig_iter: FIELD_ITER, \
           default: FIELD_PLAIN)
#define LAYOUT_CONTENT_OF(s, f)                                              \
  _Generic(LAYOUT_MEMBER(s, f), uint64_t: CONTENT_COUNT, void *: CONTENT_POINTER, const void *: CONTENT_POINTER, \
           const uint64_t *: CONTENT_POINTER, int *: CONTENT_POINTER, void *const *: CONTENT_POINTERS, \
           const void *const *: CONTENT_POINTERS, const char *: CONTENT_TEXT, const jig_iter *: CONTENT_ITERS, \
           default: CONTENT_OTHER)
#define LAYOUT_BITS_OF(x)                                                    \
  _Generic((x), jig_type: reserved_of_type, jig_op: reserved_of_op, jig_iter: reserved_of_iter, \
           default: reserved_of_plain)(&(x))
/* clang-format on */
#define LAYOUT_OR_FIELD(s, f) | LAYOUT_BITS_OF(value->f)
#define LAYOUT_OR_RESERVED(s, f) | reserved_of_words(&value->f, sizeof value->f)
#define LAYOUT_FIELD(s, f) \
  {#f, offsetof(s, f), sizeof(LAYOUT_MEMBER(s, f)), LAYOUT_KIND_OF(s, f), LAYOUT_CONTENT_OF(s, f)},
#define LAYOUT_RESERVED(s, f) \
  {#f, offsetof(s, f), sizeof(LAYOUT_MEMBER(s, f)), FIELD_RESERVED, CONTENT_OTHER},
#define LAYOUT_SIZE(s, f) +sizeof(LAYOUT_MEMBER(s, f))
#define STRUCT_LAYOUT(s, bytes, FIELDS)                                                   \
  static uint64_t reserved_of_##s(const void *given) {                                    \
    const s *value = given;                                                               \
    return 0 FIELDS(s, LAYOUT_OR_FIELD, LAYOUT_OR_RESERVED);                              \
  }                                                                                       \
  static const struct_field fields_of_##s[] = {FIELDS(s, LAYOUT_FIELD, LAYOUT_RESERVED)}; \
  _Static_assert(0 FIELDS(s, LAYOUT_SIZE, LAYOUT_SIZE) == sizeof(s),                      \
                 #s " has a hole, or a field that is not in its list");                   \
  _Static_assert(UINTPTR_MAX != UINT64_MAX || sizeof(s) == (bytes),                       \
                 #s " has another size: this breaks programs that are compiled");         \
  static const struct_layout layout_of_##s = {                                            \
      #s, sizeof(s), fields_of_##s, sizeof fields_of_##s / sizeof fields_of_##s[0], reserved_of_##s}

/* ---- the public structs, but for algorithms' args, which their own files define: its name, and its size
 * on 64-bit machines. */
#define PUBLIC_STRUCTS(X)    \
  X(jig_type, 48)            \
  X(jig_op, 152)             \
  X(jig_iter, 296)           \
  X(jig_header, 32)          \
  X(jig_engine_config, 352)  \
  X(jig_engine_stats, 1096)  \
  X(jig_cache_entry, 136)    \
  X(jig_prewarm_result, 136) \
  X(jig_definition, 336)     \
  X(jig_kernel_text, 32)     \
  X(jig_kernel_config, 192)  \
  X(jig_kernel_shape, 80)    \
  X(jig_kernel_arg, 16)      \
  X(jig_occupancy, 88)

enum {
#define LAYOUT_NUMBER(name, size) LAYOUT_OF_##name,
  PUBLIC_STRUCTS(LAYOUT_NUMBER)
#undef LAYOUT_NUMBER
      LAYOUTS
};
extern const struct_layout *const layouts[LAYOUTS];

/* LAYOUT(jig_engine_config) */
#define LAYOUT(name) (layouts[LAYOUT_OF_##name])

/* Whether all that is reserved in a struct is zero, and in what lies in it by value: JIG_SUCCESS, or
 * JIG_ERROR_INVALID_ARGUMENT, which says where it is not. Iterators' bases are for iter_check(). `who` is
 * what the error begins with, `name` what the struct is called there: "jig_reduce", "args". Warm calls
 * pass here. */
jig_status layout_check(const struct_layout *layout, const void *value, const char *who,
                        const char *name);

#endif
