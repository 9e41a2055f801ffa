/* The parameters of a kernel. One list of them says what its entry point takes (entry.c), what a launch
 * passes (algorithm/packed_args.c), and the sizes and offsets that the compiler holds both to. */
#ifndef JIG_JIT_PARAMETER_H
#define JIG_JIT_PARAMETER_H

#include <stddef.h>
#include <stdint.h>

typedef enum __attribute__((packed)) parameter_kind {
  PARAMETERS_END,
  PARAMETER_SLOT,  /* the iterator or operator in a slot of the spec */
  PARAMETER_VALUE, /* a member of the struct of values that the host has for a launch */
  PARAMETER_COUNT, /* such a member that is an item_count; the choice in a slot says whether it is read on
                      the GPU */
  PARAMETER_POINTED /* what such a member points to, which is of the type in a slot; NULL: nothing */
} parameter_kind;

/* A member of a struct that is a parameter. */
typedef struct parameter_field {
  const char *name;
  unsigned short offset, size;
} parameter_field;

/* It is `jig_<name>` in device code, where a slot's has the slot's name. Small, as there are hundreds. */
typedef struct kernel_parameter {
  parameter_kind kind;
  unsigned char slot;            /* of SLOT, POINTED and COUNT */
  unsigned short offset, size;   /* of all but SLOT: the member of the struct of values */
  const char *name, *type;       /* of VALUE and COUNT, the type as device code calls it */
  const parameter_field *fields; /* of a VALUE that is a struct, ending with name NULL; or NULL */
  const char *count; /* of such a struct: its member that may be such a number, too, read where a
                        pointer beside it says, `<count>_in`; the slot tells; or NULL */
} kernel_parameter;

/* A number of items: `limit` or, if a pointer is given, what is there when the kernel runs, but no more
 * than that. In device code it is an uint64_t, as `limit` is its first member, or a jig::DeviceCount. */
typedef struct item_count {
  uint64_t limit;
  const uint64_t *in;
} item_count;

enum { KERNEL_MAX_PARAMETERS = 16 };

#define SLOT_PARAMETER(slot_) \
  { .kind = PARAMETER_SLOT, .slot = (slot_) }
#define MEMBER_SIZE(struct_, member_) sizeof(((struct_ *)NULL)->member_)
#define VALUE_PARAMETER(struct_, member_, type_)                                                      \
  {                                                                                                   \
    .kind = PARAMETER_VALUE, .name = #member_, .type = (type_), .offset = offsetof(struct_, member_), \
    .size = MEMBER_SIZE(struct_, member_)                                                             \
  }
#define POINTED_PARAMETER(struct_, member_, slot_)                                    \
  {                                                                                   \
    .kind = PARAMETER_POINTED, .slot = (slot_), .offset = offsetof(struct_, member_), \
    .size = MEMBER_SIZE(struct_, member_)                                             \
  }
/* A struct, passed as a __grid_constant__. */
#define STRUCT_PARAMETER(struct_, member_, type_, fields_)                                            \
  {                                                                                                   \
    .kind = PARAMETER_VALUE, .name = #member_, .type = (type_), .offset = offsetof(struct_, member_), \
    .size = MEMBER_SIZE(struct_, member_), .fields = (fields_)                                        \
  }
#define COUNT_PARAMETER(struct_, member_, slot_)                                      \
  {                                                                                   \
    .kind = PARAMETER_COUNT, .slot = (slot_), .name = #member_, .type = "uint64_t",   \
    .offset = offsetof(struct_, member_), .size = MEMBER_SIZE(struct_, member_.limit) \
  }
/* A struct with members `count_` and `count_`_in. */
#define COUNTED_STRUCT_PARAMETER(struct_, member_, type_, fields_, count_, slot_)                     \
  {                                                                                                   \
    .kind = PARAMETER_VALUE, .name = #member_, .type = (type_), .offset = offsetof(struct_, member_), \
    .size = MEMBER_SIZE(struct_, member_), .fields = (fields_), .count = #count_, .slot = (slot_)     \
  }
#define PARAMETER_FIELD(struct_, member_) \
  { #member_, offsetof(struct_, member_), MEMBER_SIZE(struct_, member_) }

#endif
