/* The parameters of a kernel. One list of them says what its entry point takes (entry.c), what a launch
 * passes (algorithm/packed_args.c), and the sizes and offsets that the compiler holds both to. */
#ifndef JIG_JIT_PARAMETER_H
#define JIG_JIT_PARAMETER_H

#include <stddef.h>

typedef enum parameter_kind {
  PARAMETERS_END,
  PARAMETER_SLOT,   /* the iterator or operator in a slot of the spec */
  PARAMETER_VALUE,  /* a member of the struct of values that the host has for a launch */
  PARAMETER_POINTED /* what such a member points to, which is of the type in a slot; NULL: nothing */
} parameter_kind;

/* A member of a struct that is a parameter. */
typedef struct parameter_field {
  const char *name;
  size_t offset, size;
} parameter_field;

/* It is `jig_<name>` in device code, where a slot's has the slot's name. */
typedef struct kernel_parameter {
  parameter_kind kind;
  int slot;                      /* of SLOT and POINTED */
  const char *name, *type;       /* of VALUE, the type as device code calls it */
  size_t offset, size;           /* of VALUE and POINTED: the member of the struct of values */
  const parameter_field *fields; /* of a VALUE that is a struct, ending with name NULL; or NULL */
} kernel_parameter;

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
#define PARAMETER_FIELD(struct_, member_) \
  { #member_, offsetof(struct_, member_), MEMBER_SIZE(struct_, member_) }

#endif
