/** Kernels of one's own: CUDA C++ text with a kernel in it, built, cached, prewarmed and loaded as the
 * programs of algorithms are, with jig's collectives for threads, warps and blocks at hand.
 *
 *     static const char text[] =
 *         "#include <jig/block/reduce.cuh>\n"
 *         "extern \"C\" __global__ void row_sum(const float *in, float *out, int columns) { ... }\n";
 *     jig_kernel *row_sum;
 *     check(jig_kernel_get(NULL, &(jig_kernel_config){.entry = "row_sum", .source = text}, &row_sum));
 *     const jig_kernel_arg args[] = {JIG_ARG(in), JIG_ARG(out), JIG_ARG(columns)};
 *     check(jig_kernel_launch(row_sum, &(jig_kernel_shape){.grid = {rows}, .block = {256}}, args, 3,
 *                             stream));
 *
 * docs/kernels.md shows how. */
#ifndef JIG_KERNEL_H
#define JIG_KERNEL_H

#include <jig/engine.h>
#include <jig/operator.h>
#include <jig/type.h>

JIG_BEGIN_DECLS

/** A kernel of a CUDA context, declared as cuda.h declares it. */
typedef struct CUfunc_st *CUfunction;

/** A kernel of the caller's, which belongs to an engine and is freed with it. Any number of threads may
 * use one, in any context, on any GPU. */
typedef struct jig_kernel jig_kernel;

/** What a definition is. */
typedef enum jig_definition_kind {
  JIG_DEFINITION_NONE = 0,
  JIG_DEFINITION_TEXT,    /**< a macro of any text */
  JIG_DEFINITION_INTEGER, /**< a macro: a number */
  JIG_DEFINITION_FLOAT,   /**< a macro: a number, of type float or double */
  JIG_DEFINITION_TYPE,    /**< a name for a type */
  JIG_DEFINITION_OP       /**< a name for the class of an operator */
} jig_definition_kind;
JIG_INT_SIZED(jig_definition_kind);

/** A name that a kernel's source goes by, and what it stands for. Make one with the functions below: what
 * its kind has no use for is zero. All strings, and what types and operators point to, are borrowed
 * during each call that is given them. */
typedef struct jig_definition {
  /** An identifier that does not begin with "jig"; of a type or an operator no keyword of C++17, of a
   * macro no built-in type and no word of one (float, int32_t, ...: see jig_struct()), nor true or false.
   */
  const char *name;
  jig_definition_kind kind;
  uint32_t arity;   /**< of an operator: how many operands it has */
  const char *text; /**< of TEXT */
  int64_t integer;  /**< of INTEGER; of a number from 2^63 on its 64 bits, with type JIG_U64 */
  double number;    /**< of FLOAT */
  /** The type; of an operator that of its operands; of a number what it is: JIG_I64, JIG_U64, JIG_F32 or
   * JIG_F64. */
  jig_type type;
  jig_type result; /**< of an operator */
  jig_op op;
  uint64_t reserved[6];
} jig_definition;

/** `#define name text`, as a compiler's option -D does it. */
JIG_API jig_definition jig_define_text(const char *name, const char *text);

/** `#define name value`: an int where it is one, else a long long. */
JIG_API jig_definition jig_define_int(const char *name, int64_t value);

/** `#define name value`: an unsigned int where it is one, else an unsigned long long. */
JIG_API jig_definition jig_define_uint(const char *name, uint64_t value);

/** `#define name value`, with every bit of the value, which has to be finite. */
JIG_API jig_definition jig_define_float(const char *name, float value);

/** The same of a double. */
JIG_API jig_definition jig_define_double(const char *name, double value);

/** `using name = type;`, after the definition of a struct. A struct is known by its own name, too. */
JIG_API jig_definition jig_define_type(const char *name, jig_type type);

/**
 * `using name = ...;`, a class that is called with operands: `name op; T sum = op(a, b);`.
 *
 * `name::commutative` tells whether operands may change places. An operator with a state is a struct of
 * that state: the kernel takes one as a parameter, `name op`, and an argument of the state's bytes goes
 * there; of a state in device memory the pointer to it.
 *
 * @param arity   1 for x, 2 for a and b, up to 8; 0 for an index i, an uint64_t
 * @param operand type of each operand; of an index it is ignored
 * @param result  kind JIG_KIND_NONE: that of the operands; JIG_BOOL of JIG_LESS and JIG_GREATER
 */
JIG_API jig_definition jig_define_op(const char *name, jig_op op, uint32_t arity, jig_type operand,
                                     jig_type result);

/** A text of several that make one program. */
typedef struct jig_kernel_text {
  const char *name; /**< what messages call it, such as "tile.cuh"; NULL: "source 1", ... */
  const char *text;
  uint64_t reserved[2];
} jig_kernel_text;

/** What a kernel is made of: a zero field is its default. All of it decides which kernel it is. */
typedef struct jig_kernel_config {
  /** The kernel's name, which does not begin with "jig"; in the source it is `extern "C" __global__
   *  void`. */
  const char *entry;
  /**
   * CUDA C++17, to be compiled by NVRTC as a file of its own: what is no kernel is device code, without
   * __device__. As every text of the user's, it closes the brackets, comments and #if that it opens, and
   * has no #line.
   *
   * The integer names of <stdint.h> and all of jig's templates are there: `#include
   * <jig/block/reduce.cuh>`; and the headers of the engine, see jig_header. Templates are included first,
   * wherever their #include stands, so that no macro gets in their way. Then come the definitions, and
   * then the texts, with their headers where they include them.
   */
  const char *source;
  const char *source_name; /**< what messages call it, such as "softmax.cu"; NULL: "source" */
  /** Texts that come before it, in this order. */
  const jig_kernel_text *texts;
  size_t text_count;
  const jig_definition *definitions;
  size_t definition_count;
  /** What JIG_LAUNCH_BOUNDS stands for in the source: __launch_bounds__(max_threads, min_blocks), as in
   * `extern "C" __global__ void JIG_LAUNCH_BOUNDS row_sum(...)`; nothing if max_threads is 0. A launch
   * of more threads is refused. */
  uint32_t max_threads;
  uint32_t min_blocks; /**< of a multiprocessor; 0: no matter */
  uint64_t reserved[16];
} jig_kernel_config;

/** How a kernel is launched: a zero field is its default. */
typedef struct jig_kernel_shape {
  uint32_t grid[3];      /**< blocks; 0 is 1: where there is nothing to do, do not launch */
  uint32_t block[3];     /**< threads of a block; 0 is 1 */
  uint32_t cluster[3];   /**< blocks of a cluster, from SM 90; 0 is 1, and all 0 are none */
  uint32_t shared_bytes; /**< dynamic shared memory of a block; more than 48 KB need nothing else */
  int cooperative;       /**< 1: all blocks run at once, so that they can wait for each other */
  /** 1: programmatic dependent launch: the kernel begins before the stream's previous one has ended, and
   * waits for it by jig::ptx::wait_for_prerequisite_grids(). Where the GPU or the driver has no such
   * thing it begins after that one. */
  int pdl;
  uint64_t reserved[4];
} jig_kernel_shape;

/** An argument: where it is, and how many bytes of it. */
typedef struct jig_kernel_arg {
  const void *value;
  size_t size;
} jig_kernel_arg;
/** JIG_ARG(n) is that of a variable n. */
#define JIG_ARG(variable) JIG_LITERAL(jig_kernel_arg, &(variable), sizeof(variable))

/**
 * The kernel of a config: from memory, else from the cache, else compiled; and loaded for the current
 * context, so that launches there do nothing but launch; also while streams are being captured, as with
 * jig_prepare(). The same content is the same kernel, whatever pointers it came by: asking again takes
 * less than a microsecond.
 *
 * @param engine      NULL: the default one
 * @param[out] kernel the engine's; there is nothing to free. What the config points to is not needed any
 *                    more
 * @return JIG_SUCCESS; JIG_ERROR_INVALID_ARGUMENT; JIG_ERROR_COMPILE, where jig_last_error() points into
 *         the text, "softmax.cu:3:9: error: ...", or names the kernels that there are, or one that has
 *         more than 48 KB of static shared memory; what else an algorithm's size query returns
 */
JIG_API jig_status jig_kernel_get(jig_engine *engine, const jig_kernel_config *config,
                                  jig_kernel **kernel);

/**
 * Launches a kernel in the current context. It may be captured into a graph: in a context where the
 * kernel is not loaded yet, that is JIG_ERROR_NOT_BUILT.
 *
 * @param args  of which the kernel's parameters take their values during the call: as many, in order,
 *              each of the parameter's size
 * @param count of them
 * @return JIG_SUCCESS; JIG_ERROR_INVALID_ARGUMENT, which names the argument: of another number or size, a
 *         block of more threads than the launch bounds or the GPU have, more shared memory than there is,
 *         a grid that clusters do not divide; JIG_ERROR_UNSUPPORTED: no clusters on this GPU, a
 *         cluster that it has no room for, or more blocks of a cooperative launch than run at once; as
 *         jig_kernel_get() where it has to load the kernel
 */
JIG_API jig_status jig_kernel_launch(jig_kernel *kernel, const jig_kernel_shape *shape,
                                     const jig_kernel_arg *args, size_t count, CUstream stream);

/** What a kernel takes of a GPU, and how much of it that runs at once. */
typedef struct jig_occupancy {
  uint32_t blocks;           /**< of a multiprocessor, by the shape */
  uint32_t multiprocessors;  /**< of the current context's GPU */
  uint32_t clusters;         /**< of the GPU; 0: the shape has none */
  uint32_t max_threads;      /**< of a block, by the kernel's registers and launch bounds */
  uint32_t registers;        /**< of a thread */
  uint32_t local_bytes;      /**< of a thread, spilled registers included */
  uint32_t shared_bytes;     /**< of a block, static */
  uint32_t max_shared_bytes; /**< dynamic ones that a launch may ask for */
  uint32_t parameters;       /**< how many the kernel has */
  uint32_t reserved32;
  uint64_t reserved[6];
} jig_occupancy;

/**
 * How much of a kernel runs at once in the current context.
 * @param shape its grid is not looked at
 */
JIG_API jig_status jig_kernel_occupancy(jig_kernel *kernel, const jig_kernel_shape *shape,
                                        jig_occupancy *occupancy);

/** The kernel as the driver's functions take it, in the current context; the engine's, which unloads it
 * when it is destroyed. Its dynamic shared memory may have to be allowed: see cuFuncSetAttribute(). */
JIG_API jig_status jig_kernel_function(jig_kernel *kernel, CUfunction *function);

/** The spec of a config's program; see jig_reduce_spec(). Headers and compile options are the engine's.
 *  @param[out] spec free it with jig_free() */
JIG_API jig_status jig_kernel_spec(const jig_kernel_config *config, char **spec);

JIG_END_DECLS

#endif
