#include "spec/operator.h"

#include <string.h>

#include "spec/format.h"
#include "spec/name.h"
#include "spec/source.h"
#include "spec/type.h"
#include "util/error.h"
#include "util/hash.h"

static const char *const well_known[] = {
#define NAME_ROW(kind, name) [kind] = name,
    JIG_OP_MAP(NAME_ROW) JIG_ORDER_MAP(NAME_ROW)
#undef NAME_ROW
};
enum { KINDS = sizeof well_known / sizeof well_known[0] };

const char *op_name(jig_op_kind kind) {
  return (unsigned)kind < KINDS ? well_known[kind] : NULL;
}

bool op_is_well_known(const jig_op *op) {
  return op_name(op->kind) != NULL;
}

bool op_is_order(const jig_op *op) {
#define OR_KIND(which, name) || op->kind == which
  return false JIG_ORDER_MAP(OR_KIND);
#undef OR_KIND
}

const jig_op *op_order_given(const jig_op *op) {
  return op->kind == JIG_OP_NONE || (op->kind == JIG_OP_LESS && !op_has_state(op)) ? NULL : op;
}

jig_op jig_op_of_kind(jig_op_kind kind) {
  return (jig_op){.kind = op_name(kind) != NULL ? kind : JIG_OP_NONE};
}

/* Of two items by their distance from 0, which is taken below 0, where signed integers have one more; of
 * unsigned ones by that below the largest. */
#define BY_MAGNITUDE(order)                 \
  "auto p = -a, q = -b;"                    \
  "if (a < 0) p = a;"                       \
  "if (b < 0) q = b;"                       \
  "if (decltype(a)(-1) > decltype(a)(0)) {" \
  "  p = decltype(p)(p - 1);"               \
  "  q = decltype(q)(q - 1);"               \
  "}"                                       \
  "if (p == q) return a " order             \
  " b ? a : b;"                             \
  "return a != a || q " order " p ? a : b;"

static const struct {
  const char *name, *body;
} named[] = {
    {"identity", "return x;"},
    {"negate", "return -x;"},
    {"bit_not", "return ~x;"},
    {"logical_not", "return !x;"},
    {"minus", "return a - b;"},
    {"divides", "return a / b;"},
    {"modulus", "return a % b;"},
    {"equal_to", "return a == b;"},
    {"not_equal_to", "return a != b;"},
    {"less_equal", "return a <= b;"},
    {"greater_equal", "return a >= b;"},
    {"min_magnitude", BY_MAGNITUDE("<")},
    {"max_magnitude", BY_MAGNITUDE(">")},
};

const char *op_body_name(size_t i) {
  return i < sizeof named / sizeof named[0] ? named[i].name : NULL;
}

jig_op jig_op_from_name(const char *name) {
  jig_op op = {.kind = JIG_OP_NONE};
  for (unsigned kind = 0; name != NULL && kind < KINDS; ++kind) {
    if (well_known[kind] != NULL && strcmp(name, well_known[kind]) == 0) op.kind = (jig_op_kind)kind;
  }
  for (size_t i = 0; name != NULL && i < sizeof named / sizeof named[0]; ++i) {
    if (strcmp(name, named[i].name) == 0) op = jig_op_source(named[i].body);
  }
  return op;
}

/* ---- compiled ones */

static hash128 digest_of(const void *data, size_t size) {
  return data != NULL ? hash_bytes(data, size) : (hash128){0, 0};
}

jig_op jig_op_binary(jig_format format, const void *data, size_t size, const char *symbol) {
  jig_op op = JIG_WELL_KNOWN_OP(JIG_OP_BINARY);
  const hash128 digest = digest_of(data, size);
  op.name = symbol;
  op.format = format;
  op.data = data;
  op.size = size;
  op.digest[0] = digest.low;
  op.digest[1] = digest.high;
  return op;
}

/* ---- over structs */

static const struct {
  const char *needed, *body;
} of_struct[] = {
    [JIG_OP_PLUS] = {"+", "return a + b;"},        [JIG_OP_MULTIPLIES] = {"*", "return a * b;"},
    [JIG_OP_MIN] = {"<", "return b < a ? b : a;"}, [JIG_OP_MAX] = {"<", "return a < b ? b : a;"},
    [JIG_OP_BIT_AND] = {"&", "return a & b;"},     [JIG_OP_BIT_OR] = {"|", "return a | b;"},
    [JIG_OP_BIT_XOR] = {"^", "return a ^ b;"},     [JIG_OP_LESS] = {"<", "return a < b;"},
    [JIG_OP_GREATER] = {"<", "return b < a;"},
};

const char *op_of_struct(jig_op_kind kind) {
  return of_struct[kind].body;
}

/* Whether a definition says "operator+" and the like. What it includes may say so, too. */
static bool mentions_operator(const char *definition, const char *needed) {
  static const char keyword[] = "operator";
  if (needed == NULL) return false;
  if (strchr(definition, '#') != NULL && strstr(definition, "include") != NULL) return true;
  while ((definition = strstr(definition, keyword)) != NULL) {
    definition += strlen(keyword);
    const char *c = definition + strspn(definition, " \t");
    if (strncmp(c, needed, strlen(needed)) == 0 && strchr("=<+&|->", c[strlen(needed)]) == NULL)
      return true;
  }
  return false;
}

static jig_status check_struct_operator(const jig_op *op, const jig_type *type, const char *what) {
  const char *needed = of_struct[op->kind].needed;
  if (mentions_operator(type->definition, needed)) return JIG_SUCCESS;
  if (needed == NULL) {
    return error_set(JIG_ERROR_INVALID_ARGUMENT,
                     "%s: '%s' is not defined for struct %s; give jig_op_source()", what,
                     op_name(op->kind), type->name);
  }
  return error_set(JIG_ERROR_INVALID_ARGUMENT,
                   "%s: '%s' is not defined for struct %s; give jig_op_source(), or an operator%s to its "
                   "definition",
                   what, op_name(op->kind), type->name, needed);
}

/* Whether a type has the operator of C++ that stands in for one that is not given. */
static jig_status check_default(const jig_type *type, const char *spelling, const char *what) {
  if (type_is_number(type)) return JIG_SUCCESS;
  if (type->kind == JIG_KIND_STRUCT && mentions_operator(type->definition, spelling)) return JIG_SUCCESS;
  if (type->kind == JIG_KIND_STRUCT)
    return error_set(JIG_ERROR_INVALID_ARGUMENT,
                     "%s: '%s' is not defined for struct %s; give an operator, or an operator%s to its "
                     "definition",
                     what, spelling, type->name, spelling);
  return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: '%s' is not defined for %s; give an operator", what,
                   spelling, jig_type_name(type));
}

jig_status op_check_equality(const jig_type *type, const char *what) {
  return check_default(type, "==", what);
}

jig_status op_check_order(const jig_type *type, const char *what) {
  return check_default(type, "<", what);
}

jig_status op_check_difference(const jig_type *type, const char *what) {
  return check_default(type, "-", what);
}

bool op_is_built_in(const jig_op *op, const jig_type *operand) {
  return op_is_well_known(op) && type_is_number(operand);
}

const jig_type *op_index_type(void) {
  static const jig_type index = {
      .kind = JIG_KIND_U64, .size = sizeof(uint64_t), .align = sizeof(uint64_t)};
  return &index;
}

/* ---- checks */

static bool defined_for(jig_op_kind kind, const jig_type *operand) {
  switch (kind) {
    case JIG_OP_BIT_AND:
    case JIG_OP_BIT_OR:
    case JIG_OP_BIT_XOR:
      return type_is_integer(operand);
    default:
      return type_is_number(operand);
  }
}

static jig_status check_well_known(const jig_op *op, const op_signature *signature, const char *what) {
  const jig_type *operand = signature->operand;
  if (op_has_state(op)) {
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: '%s' has no state; give jig_op_source()", what,
                     op_name(op->kind));
  }
  if (signature->result == NULL) {
    return error_set(JIG_ERROR_INVALID_ARGUMENT,
                     "%s: '%s' only computes, and nothing is done with its result here; give "
                     "jig_op_source()",
                     what, op_name(op->kind));
  }
  if (signature->arity != 2) {
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: '%s' has two operands; %s is needed here", what,
                     op_name(op->kind),
                     signature->arity == 0   ? "an operator of an index"
                     : signature->arity == 1 ? "a unary operator"
                                             : "an operator of more");
  }
  if (!type_equal(operand, op_operand(signature, 1))) {
    return error_set(JIG_ERROR_INVALID_ARGUMENT,
                     "%s: '%s' has two operands of one type, not %s and %s; "
                     "give jig_op_source()",
                     what, op_name(op->kind), jig_type_name(operand),
                     jig_type_name(op_operand(signature, 1)));
  }
  if (op_is_order(op) != signature->orders) {
    return error_set(JIG_ERROR_INVALID_ARGUMENT,
                     op_is_order(op)
                         ? "%s: '%s' tells an order of two operands, which is not what is needed here"
                         : "%s: '%s' tells no order; give 'less', 'greater' or jig_op_source()",
                     what, op_name(op->kind));
  }
  if (!signature->orders && !type_equal(operand, signature->result)) {
    return error_set(JIG_ERROR_INVALID_ARGUMENT,
                     "%s: '%s' makes %s of two; what is needed here makes %s of them", what,
                     op_name(op->kind), jig_type_name(operand), jig_type_name(signature->result));
  }
  if (operand->kind == JIG_KIND_STRUCT) return check_struct_operator(op, operand, what);
  if (defined_for(op->kind, operand)) return JIG_SUCCESS;
  return error_set(
      JIG_ERROR_INVALID_ARGUMENT, "%s: '%s' is not defined for %s; give %s", what, op_name(op->kind),
      jig_type_name(operand),
      operand->kind == JIG_KIND_OPAQUE ? "jig_op_by_pointer() of a compiled one" : "jig_op_source()");
}

static jig_status check_source(const jig_op *op, const char *what, const char *text_name) {
  if (op->source == NULL || op->source[0] == '\0') {
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: the operator's source is empty", what);
  }
  if (op->kind == JIG_OP_FUNCTION && (op->name == NULL || !is_identifier(op->name))) {
    return error_set(JIG_ERROR_INVALID_ARGUMENT,
                     "%s: jig_op_function() needs a function's name, not '%s'", what,
                     op->name != NULL ? op->name : "(null)");
  }
  if (op->kind == JIG_OP_FUNCTION) {
    jig_status status = name_check_keyword(op->name, what);
    if (status != JIG_SUCCESS) return status;
  }
  return source_check(op->source, what, text_name);
}

static jig_status check_data(const jig_op *op, const char *what) {
  const char *stated = format_name(op->format);
  if (stated == NULL) {
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: jig_op_binary() has no such format (%d)", what,
                     (int)op->format);
  }
  if (op->data == NULL || op->size == 0) {
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: jig_op_binary() was given no data", what);
  }
  const jig_format found = format_of(op->data, op->size);
  if (found != op->format) {
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: the data of jig_op_binary() is %s, not %s", what,
                     found != JIG_FORMAT_NONE ? format_name(found) : "of no format that jig knows",
                     stated);
  }
  if (!format_is_whole(op->format, op->data, op->size)) {
    return error_set(JIG_ERROR_INVALID_ARGUMENT,
                     "%s: the data of jig_op_binary() is damaged, or has more than these %zu bytes", what,
                     op->size);
  }
  const hash128 digest = digest_of(op->data, op->size);
  if (digest.low == op->digest[0] && digest.high == op->digest[1]) return JIG_SUCCESS;
  return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: the data has changed since jig_op_binary()", what);
}

static jig_status check_binary(const jig_op *op, const op_signature *signature, const char *what) {
  if (op->name == NULL || !is_identifier(op->name) || strchr(op->name, ':') != NULL) {
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: jig_op_binary() needs a symbol, not '%s'", what,
                     op->name != NULL ? op->name : "(null)");
  }
  jig_status status = name_check(op->name, what);
  if (status != JIG_SUCCESS) return status;
  bool opaque = signature->result != NULL && signature->result->kind == JIG_KIND_OPAQUE;
  for (int k = 0; k < signature->arity && !signature->by_reference; ++k)
    opaque = opaque || op_operand(signature, k)->kind == JIG_KIND_OPAQUE;
  if (opaque && !op->by_pointer) {
    return error_set(JIG_ERROR_INVALID_ARGUMENT,
                     "%s: opaque types cannot be passed by value; use jig_op_by_pointer()", what);
  }
  return check_data(op, what);
}

static jig_status check_state(const jig_op *op, const char *what) {
  if (!op_has_state(op) && (op->state != NULL || op->device_state))
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: the type of the operator's state is missing", what);
  if (!op_has_state(op)) return JIG_SUCCESS;
  jig_status status = type_check_state(&op->state_type, what);
  if (status != JIG_SUCCESS || op->device_state || op->state_type.size <= PARAMETER_MAX_SIZE)
    return status;
  return error_set(
      JIG_ERROR_INVALID_ARGUMENT,
      "%s: a state of %u bytes has no room among a kernel's parameters, where %d are left for "
      "such; give it in device memory, by jig_op_with_device_state()",
      what, op->state_type.size, (int)PARAMETER_MAX_SIZE);
}

static jig_status check_user_op(const jig_op *op, const op_signature *signature, const char *what,
                                const char *text_name) {
  switch (op->kind) {
    case JIG_OP_SOURCE:
    case JIG_OP_FUNCTION:
      return check_source(op, what, text_name);
    case JIG_OP_BINARY:
      return check_binary(op, signature, what);
    default:
      return error_set(JIG_ERROR_INVALID_ARGUMENT,
                       "%s: no operator is given, or one that does not exist (kind %d)", what,
                       (int)op->kind);
  }
}

jig_status op_check(const jig_op *op, const op_signature *signature, const char *what,
                    const char *text_name) {
  const jig_status status = op_is_well_known(op) ? check_well_known(op, signature, what)
                                                 : check_user_op(op, signature, what, text_name);
  if (status == JIG_SUCCESS && op->by_pointer && op->kind != JIG_OP_BINARY) {
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: jig_op_by_pointer() is for jig_op_binary() only",
                     what);
  }
  return status == JIG_SUCCESS ? check_state(op, what) : status;
}

jig_status op_check_state_value(const jig_op *op, const char *what) {
  if (!op_has_state(op)) return JIG_SUCCESS;
  if (op->state == NULL)
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: the operator's state is NULL", what);
  if (!op->device_state || (uintptr_t)op->state % op->state_type.align == 0) return JIG_SUCCESS;
  return error_set(JIG_ERROR_INVALID_ARGUMENT,
                   "%s: the operator's state, %p, is not aligned to the %u bytes of %s", what, op->state,
                   op->state_type.align, jig_type_name(&op->state_type));
}

/* ---- what moves */

size_t op_pack(const jig_op *op, unsigned char *bytes) {
  const size_t size = op_layout(op).size;
  if (!op_has_state(op) || op->state == NULL)
    memset(bytes, 0, size);
  else
    memcpy(bytes, op->device_state ? (const void *)&op->state : op->state, size);
  return size;
}
