/* Operators: checks, names, and how a call carries their state. */
#ifndef JIG_SPEC_OPERATOR_H
#define JIG_SPEC_OPERATOR_H

#include <stdbool.h>

#include <jig/iterator.h>
#include <jig/status.h>

/* The name of a well-known operator; NULL for any other. */
const char *op_name(jig_op_kind kind);

/* The names of those that are bodies; NULL after the last. */
const char *op_body_name(size_t i);

bool op_is_well_known(const jig_op *op);

/* Whether it is a well-known one that tells an order of two operands. */
bool op_is_order(const jig_op *op);

/* Whether it is a well-known one over numbers, so that jig knows its identity and that its operands may
 * change places. Over a struct it is whatever the struct defines, see op_of_struct(). */
bool op_is_built_in(const jig_op *op, const jig_type *operand);

/* Whether it is a function that programs declare and call, and nobody has compiled yet: the first tier's,
 * never the user's. */
static inline bool op_is_called(const jig_op *op) {
  return op != NULL && op->kind == JIG_OP_BINARY && op->size == 0;
}

/* The body of a well-known operator over a struct, in terms of an operator of C++ that the struct's
 * definition must have; NULL for those that make no sense there. */
const char *op_of_struct(jig_op_kind kind);

static inline bool op_has_state(const jig_op *op) {
  return op->state_type.kind != JIG_KIND_NONE;
}

/* What device code needs to know of an operator beside its text. */
typedef struct op_signature {
  int arity;               /* 0: of an index i; 1: of x; otherwise of a, b, ... */
  const jig_type *operand; /* of every operand, */
  const jig_iter *inputs;  /* or each is an item of one of these; NULL: of `operand` */
  const jig_type *result;  /* NULL: it returns nothing, and may change its state in device memory */
  bool orders;             /* whether a comes before b */
  bool by_reference;       /* its operand is the item itself */
  int rank;                /* of an index in so many dimensions: beside i it has `at`, an array; or 0 */
} op_signature;

enum { OP_MAX_ARITY = 8 };

/* What an index is. */
const jig_type *op_index_type(void);

static inline const jig_type *op_operand(const op_signature *signature, int k) {
  return signature->inputs != NULL ? &signature->inputs[k].type : signature->operand;
}

/* The operator of an args struct that tells an order; NULL: none is given, or the default, so that both
 * have one program. */
const jig_op *op_order_given(const jig_op *op);

/* JIG_SUCCESS, or JIG_ERROR_INVALID_ARGUMENT saying what is wrong with the operator `what`: an incomplete
 * one, a well-known one that is not defined for its operands, a compiled one that is not what it is said
 * to be, one whose text, which messages call `text_name`, cannot be what it should. */
jig_status op_check(const jig_op *op, const op_signature *signature, const char *what,
                    const char *text_name);

/* The same about items that are to be compared by ==, or by <, or subtracted, where no operator is given.
 */
jig_status op_check_equality(const jig_type *type, const char *what);
jig_status op_check_order(const jig_type *type, const char *what);
jig_status op_check_difference(const jig_type *type, const char *what);

/* The same about the state of a checked operator in a call: that there is one, and that it is aligned. */
jig_status op_check_state_value(const jig_op *op, const char *what);

/* A kernel has so many bytes of parameters (CUDA 12.1 and later have more from SM 7.0 on). That much of
 * them is for the iterators and operators of a spec; the rest is for an init value, for what an algorithm
 * has besides, and for what alignments of up to 16 bytes add. Where that does not do, a schema says so:
 * spec.h. */
enum {
  PARAMETER_ALL = 4096,
  PARAMETER_OTHERS = 512,
  PARAMETER_MAX_SIZE = PARAMETER_ALL - PARAMETER_OTHERS
};

typedef struct value_layout {
  size_t size, align;
} value_layout;
/* How a kernel's parameter carries a checked operator: its state, a pointer to it, or nothing. */
static inline value_layout op_layout(const jig_op *op) {
  if (!op_has_state(op)) return (value_layout){1, 1};
  if (op->device_state) return (value_layout){sizeof op->state, _Alignof(const void *)};
  return (value_layout){op->state_type.size, op->state_type.align};
}

/* Writes it; how many bytes that are. */
size_t op_pack(const jig_op *op, unsigned char *bytes);

#endif
