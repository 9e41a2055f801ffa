/** Operators: what is done to items. Well-known ones by name, any other as source text or as code that
 * another compiler made.
 *
 * The caller's operators are called with items and nothing else, so that an operator may index by its
 * operand: tests, orders, transforms and decomposers with items of the input; that of jig_iter_source()
 * with indices below the number of items; a fold with items and with folds of neighbouring items, the
 * left operand first, an initial value in front of them all, and never across the end of a run or
 * segment. Only if it is commutative may items be folded that are no neighbours, each of them once. An
 * operator may be called more than once for the same operands, and in any order. */
#ifndef JIG_OPERATOR_H
#define JIG_OPERATOR_H

#include <jig/type.h>

/** Every well-known operator that makes an item of two: enumerator, name in specs and on the command
 * line. */
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

/** The same of orders: whether one item comes before another. */
#define JIG_ORDER_MAP(X) \
  X(JIG_OP_LESS, "less") \
  X(JIG_OP_GREATER, "greater")

JIG_BEGIN_DECLS

/** What an operator is. */
typedef enum jig_op_kind {
  JIG_OP_NONE = 0, /**< no operator given: the documented default applies */
#define JIG_OP_ENUM(kind, name) kind,
  JIG_OP_MAP(JIG_OP_ENUM) JIG_OP_SOURCE, /**< a function body */
  JIG_OP_FUNCTION,                       /**< a function among other source */
  JIG_OP_BINARY,                         /**< a function that has been compiled */
  JIG_ORDER_MAP(JIG_OP_ENUM)
#undef JIG_OP_ENUM
} jig_op_kind;
JIG_INT_SIZED(jig_op_kind);

/** What compiled functions come in: enumerator, name in specs. */
#define JIG_FORMAT_MAP(X)        \
  X(JIG_FORMAT_LTO_IR, "lto_ir") \
  X(JIG_FORMAT_PTX, "ptx")       \
  X(JIG_FORMAT_CUBIN, "cubin")   \
  X(JIG_FORMAT_OBJECT, "object") \
  X(JIG_FORMAT_FATBIN, "fatbin")

/** What a compiled function comes in. */
typedef enum jig_format {
  JIG_FORMAT_NONE = 0,
#define JIG_FORMAT_ENUM(format, name) format,
  JIG_FORMAT_MAP(JIG_FORMAT_ENUM)
#undef JIG_FORMAT_ENUM
} jig_format;
JIG_INT_SIZED(jig_format);

/** An operator. Make one with the JIG_* values or the functions below. */
typedef struct jig_op {
  jig_op_kind kind;
  uint32_t reserved32;
  const char *source;  /**< borrowed */
  const char *name;    /**< of the function in source or data; borrowed */
  const void *state;   /**< host memory, state_type.size bytes, read during each call; or device memory */
  jig_type state_type; /**< kind JIG_KIND_NONE: no state */
  int commutative;     /**< 1, or anything but 0: operands may change places; see jig_op_commutative() */
  int device_state;    /**< likewise: state is in device memory; see jig_op_with_device_state() */
  int by_pointer;      /**< likewise: see jig_op_by_pointer() */
  jig_format format;   /**< of data */
  const void *data;    /**< borrowed */
  size_t size;         /**< of data, bytes */
  /** Of data; jig_op_binary() fills it in. It helps to find a program, and is not relied on: the data are
   *  compared. One that is not the data's is JIG_ERROR_INVALID_ARGUMENT when the operator is first used.
   */
  uint64_t digest[2];
  uint64_t reserved[3];
} jig_op;

/** The well-known operators: see JIG_OP_MAP. */
#define JIG_WELL_KNOWN_OP(kind)                                                                         \
  JIG_LITERAL(jig_op, kind, 0, NULL, NULL, NULL, {JIG_KIND_NONE, 0, 0, 0, NULL, NULL, {0, 0}}, 0, 0, 0, \
              JIG_FORMAT_NONE, NULL, 0, {0, 0}, {0, 0, 0})
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
 * Orders, for algorithms that take one, such as jig_merge_sort(): a < b, and b < a. Of structs, what the
 * definition's operator< says.
 *
 * Floating-point numbers are in order of their values, and NaNs come last by either order, as in NumPy
 * and PyTorch: all NaNs are equal to each other, whatever their signs and payloads, and so are -0 and 0.
 */
#define JIG_LESS JIG_WELL_KNOWN_OP(JIG_OP_LESS)
#define JIG_GREATER JIG_WELL_KNOWN_OP(JIG_OP_GREATER)

/**
 * An operator given as the body of a C++ function, such as "return a + b;".
 *
 * A binary operator's operands are `a` and `b`, a unary one's is `x`, that of jig_iter_source() is `i`;
 * those of more operands are `a`, `b`, `c` and so on to `h`. All are passed by value. The body may use
 * everything CUDA C++ offers to device code without headers, the names in jig/type.h, and the headers of
 * the engine, which it includes at its beginning: see jig_header. It closes the brackets, comments and
 * #if that it opens and no others, has no #line, and nests neither more than 1000 brackets nor more than
 * 40000 tokens of statements: otherwise the call is refused with JIG_ERROR_INVALID_ARGUMENT. What does
 * not compile is JIG_ERROR_COMPILE. Either way, jig_last_error() shows the line and the column: lines
 * count from 1, and columns, in bytes, too. Its macros end with it, and those of structs' texts, headers
 * and options are there. Taken to be associative where the algorithm says so, and nothing else: operands
 * keep their order.
 *
 * @param body borrowed for the duration of each call that uses the operator
 */
JIG_API jig_op jig_op_source(const char *body);

/**
 * An operator given as a function within source of its own, helper functions and all.
 *
 * @param source C++ text, of which the same holds as of a body; functions need no __device__. It may
 *               repeat what texts of the call's structs declare; see jig_struct(). Not, though, within
 *               an #ifndef of a macro that a struct's text defines: nothing would be left of it.
 * @param name   the function to call, with the operands as arguments; with a state, that comes first
 * Both are borrowed for the duration of each call that uses the operator.
 */
JIG_API jig_op jig_op_function(const char *source, const char *name);

/**
 * An operator that another compiler made: nvcc, NVRTC, clang, Numba, ... jig links it with its own code.
 *
 * LTO-IR is inlined: such an operator costs what its source would. All other formats are called as
 * functions, at every application. A fatbin or object file may contain LTO-IR.
 *
 * The function must be visible (not static), of that very name (extern "C" in C++), and relocatable
 * device code (nvcc -dc or -rdc=true, with -dlto or not). It is called by value,
 *
 *     T symbol(T a, T b);       R symbol(T x);       T symbol(uint64_t i);
 *
 * for a binary operator, a unary one and that of jig_iter_source(), accordingly with up to 8 operands, or
 * as jig_op_by_pointer() says; one that tests its operands, for jig_select() and the like, returns bool.
 * With a state, a pointer to that comes before the operands: const void *state. Other functions in it,
 * and what it defines besides, must not be called what another operator's call theirs.
 *
 * A cubin is for one GPU architecture. LTO-IR must not be newer than nvJitLink, nor PTX; what is made for
 * an older architecture serves newer ones. Where a driver takes PTX only, LTO-IR and PTX can be used.
 *
 * Errors, of the call that is given it: JIG_ERROR_INVALID_ARGUMENT if the data is not of that format or
 * not whole, and JIG_ERROR_COMPILE if it cannot be linked: it has no such function, is too new, or is for
 * another architecture. JIG_ERROR_NO_COMPILER if nvJitLink is missing. jig checks whatever in the data
 * says where something is and how long. nvJitLink reads the code itself and believes it: what nobody's
 * compiler made can crash it, as it could crash the GPU's kernels, so take compiled operators from whom
 * you would take a library.
 *
 * @param data   its content is part of what the program is cached by; borrowed, unchanged, for as long
 *               as the operator is used. Every call compares it with what its program was made of, which
 *               takes about 0.1 us for 8 KiB. PTX is text, its NUL may be counted or not.
 * @param size   in bytes
 * @param symbol a C identifier, no keyword of C++17, that does not begin with "jig"; borrowed like data
 */
JIG_API jig_op jig_op_binary(jig_format format, const void *data, size_t size, const char *symbol);

/**
 * The same operator of jig_op_binary(), which takes and returns by pointers, as compilers of other
 * languages have it: void symbol(const void *a, const void *b, void *result), or (x, result), or (i,
 * result); with a state, a pointer to that first. Operands and result do not overlap and are aligned as
 * their types are. The only form for jig_opaque() types.
 */
JIG_API jig_op jig_op_by_pointer(jig_op op);

/**
 * The same operator with a state: bytes that every call of it may read, as `state` in a body, as the
 * first argument of a function, by a pointer to them in a compiled one. The state is copied into the
 * launch; changing it never recompiles.
 *
 * @param state host memory of type.size bytes, read during each call that uses the operator
 * @param type  of any size that a kernel's parameters have room for: 3584 bytes for all iterators and
 *              operators of a call together, 3328 of a histogram
 */
JIG_API jig_op jig_op_with_state(jig_op op, const void *state, jig_type type);

/**
 * The same operator with a state in device memory, of any size; `state` is the same to the operator as
 * with jig_op_with_state(). It is read while the algorithm runs.
 *
 * @param state device pointer to one object of that type, aligned to type.align. Neither it nor what is
 *              there is compiled in.
 */
JIG_API jig_op jig_op_with_device_state(jig_op op, const void *state, jig_type type);

/**
 * The same operator, promised to be commutative: op(a, b) is as good as op(b, a). Reduce is a little
 * faster when it may change the order of the operands, as it does with the well-known operators.
 */
JIG_API jig_op jig_op_commutative(jig_op op);

/** The well-known operator of that kind: JIG_PLUS is jig_op_of_kind(JIG_OP_PLUS), and so on; for callers
 * that have no C macros. Kind JIG_OP_NONE for any other kind, which calls take for one that is left out.
 */
JIG_API jig_op jig_op_of_kind(jig_op_kind kind);

/** The well-known operator of that name ("plus", ...), or one of those below; kind JIG_OP_NONE if there
 * is none: look at it, as calls take that for an operator that is left out. */
JIG_API jig_op jig_op_from_name(const char *name);

/**
 * More operators by name. Each is a line of C++ as jig_op_source() takes it: it works in C++'s
 * arithmetic, over structs by the operators of their definitions, and what comes of it is converted to
 * the type of the result.
 */
#define JIG_IDENTITY jig_op_from_name("identity")           /* x */
#define JIG_NEGATE jig_op_from_name("negate")               /* -x */
#define JIG_BIT_NOT jig_op_from_name("bit_not")             /* ~x */
#define JIG_LOGICAL_NOT jig_op_from_name("logical_not")     /* !x */
#define JIG_MINUS jig_op_from_name("minus")                 /* a - b */
#define JIG_DIVIDES jig_op_from_name("divides")             /* a / b */
#define JIG_MODULUS jig_op_from_name("modulus")             /* a % b, of integers */
#define JIG_EQUAL_TO jig_op_from_name("equal_to")           /* a == b */
#define JIG_NOT_EQUAL_TO jig_op_from_name("not_equal_to")   /* a != b */
#define JIG_LESS_EQUAL jig_op_from_name("less_equal")       /* a <= b, which is no strict weak order */
#define JIG_GREATER_EQUAL jig_op_from_name("greater_equal") /* a >= b, which is none either */
/** The item that is nearer to 0, or further from it; of -x and x the smaller, or the larger, one. A NaN
 * among the operands is the result. For numbers. */
#define JIG_MIN_MAGNITUDE jig_op_from_name("min_magnitude")
#define JIG_MAX_MAGNITUDE jig_op_from_name("max_magnitude")

JIG_END_DECLS

#endif
