/** Operators: what is done to items. Well-known ones by name, any other as source text. */
#ifndef JIG_OPERATOR_H
#define JIG_OPERATOR_H

#include <jig/type.h>

/** Every well-known operator: enumerator, name in specs and on the command line. */
#define JIG_OP_MAP(X)                  \
  X(JIG_OP_PLUS, "plus")               \
  X(JIG_OP_MULTIPLIES, "multiplies")   \
  X(JIG_OP_MIN, "min")                 \
  X(JIG_OP_MAX, "max")                 \
  X(JIG_OP_BIT_AND, "bit_and")         \
  X(JIG_OP_BIT_OR, "bit_or")           \
  X(JIG_OP_BIT_XOR, "bit_xor")         \
  X(JIG_OP_LOGICAL_AND, "logical_and") \
  X(JIG_OP_LOGICAL_OR, "logical_or")

JIG_BEGIN_DECLS

typedef enum jig_op_kind {
  JIG_OP_NONE = 0, /**< no operator given: the documented default applies */
#define JIG_OP_ENUM(kind, name) kind,
  JIG_OP_MAP(JIG_OP_ENUM)
#undef JIG_OP_ENUM
      JIG_OP_SOURCE, /**< a function body */
  JIG_OP_FUNCTION    /**< a function among other source */
} jig_op_kind;

/** An operator. Make one with the JIG_* values, jig_op_source() or jig_op_function(). */
typedef struct jig_op {
  jig_op_kind kind;
  const char *source;  /**< borrowed */
  const char *name;    /**< of the function in source; borrowed */
  const void *state;   /**< host memory, state_type.size bytes; read during each call */
  jig_type state_type; /**< kind JIG_KIND_NONE: no state */
  int commutative;     /**< 1: operands may change places; see jig_op_commutative() */
} jig_op;

#define JIG_WELL_KNOWN_OP(kind) \
  JIG_LITERAL(jig_op, kind, NULL, NULL, NULL, {JIG_KIND_NONE, 0, 0, NULL, NULL}, 0)
#define JIG_PLUS JIG_WELL_KNOWN_OP(JIG_OP_PLUS)
#define JIG_MULTIPLIES JIG_WELL_KNOWN_OP(JIG_OP_MULTIPLIES)
#define JIG_MIN JIG_WELL_KNOWN_OP(JIG_OP_MIN)
#define JIG_MAX JIG_WELL_KNOWN_OP(JIG_OP_MAX)
#define JIG_BIT_AND JIG_WELL_KNOWN_OP(JIG_OP_BIT_AND)
#define JIG_BIT_OR JIG_WELL_KNOWN_OP(JIG_OP_BIT_OR)
#define JIG_BIT_XOR JIG_WELL_KNOWN_OP(JIG_OP_BIT_XOR)
#define JIG_LOGICAL_AND JIG_WELL_KNOWN_OP(JIG_OP_LOGICAL_AND)
#define JIG_LOGICAL_OR JIG_WELL_KNOWN_OP(JIG_OP_LOGICAL_OR)

/**
 * An operator given as the body of a C++ function, such as "return a + b;".
 *
 * A binary operator's operands are `a` and `b`, a unary one's is `x`, that of jig_iter_source() is `i`;
 * by value. The body may use everything CUDA C++ offers to device code without headers, the names in
 * jig/type.h, and the headers of the engine, which it includes at its beginning: see jig_header.
 * Taken to be associative where the algorithm says so, and nothing else: operands keep their order.
 *
 * @param body borrowed for the duration of each call that uses the operator
 */
static inline jig_op jig_op_source(const char *body) {
  jig_op op = JIG_WELL_KNOWN_OP(JIG_OP_SOURCE);
  op.source = body;
  return op;
}

/**
 * An operator given as a function within source of its own, helper functions and all.
 *
 * @param source C++ text; functions need no __device__
 * @param name   the function to call, with the operands as arguments; with a state, that comes first
 * Both are borrowed for the duration of each call that uses the operator.
 */
static inline jig_op jig_op_function(const char *source, const char *name) {
  jig_op op = JIG_WELL_KNOWN_OP(JIG_OP_FUNCTION);
  op.source = source;
  op.name = name;
  return op;
}

/**
 * The same operator with a state: bytes that every call of it may read, as `state` in a body or as the
 * first argument of a function. The state is copied into the launch; changing it never recompiles.
 *
 * @param state host memory of type.size bytes, read during each call that uses the operator
 */
static inline jig_op jig_op_with_state(jig_op op, const void *state, jig_type type) {
  op.state = state;
  op.state_type = type;
  return op;
}

/**
 * The same operator, promised to be commutative: op(a, b) is as good as op(b, a). Reduce is a little
 * faster when it may change the order of the operands, as it does with the well-known operators.
 */
static inline jig_op jig_op_commutative(jig_op op) {
  op.commutative = 1;
  return op;
}

/** The well-known operator of that name ("plus", ...); kind JIG_OP_NONE if there is none. */
JIG_API jig_op jig_op_from_name(const char *name);

JIG_END_DECLS

#endif
