/* PTX text as a tree: what a module declares, and its functions' instructions with all names resolved.
 * Grammar: NVIDIA's "PTX ISA", sections "Syntax", "State Spaces, Types, and Variables" and "Directives".
 *
 * The parser knows how instructions are written, not which there are: that is the decoder's business. */
#ifndef SOFTGPU_PTX_PTX_H
#define SOFTGPU_PTX_PTX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum ptx_space {
  SPACE_GENERIC, /* none is named */
  SPACE_REG,
  SPACE_GLOBAL,
  SPACE_SHARED, /* .shared, .shared::cta */
  SPACE_SHARED_CLUSTER,
  SPACE_LOCAL,
  SPACE_CONST,
  SPACE_PARAM,
} ptx_space;

typedef enum ptx_type {
  TYPE_NONE,
  TYPE_PRED,
  TYPE_B8,
  TYPE_B16,
  TYPE_B32,
  TYPE_B64,
  TYPE_B128,
  TYPE_U8,
  TYPE_U16,
  TYPE_U32,
  TYPE_U64,
  TYPE_S8,
  TYPE_S16,
  TYPE_S32,
  TYPE_S64,
  TYPE_F16,
  TYPE_F32,
  TYPE_F64,
  TYPE_BF16,
  TYPE_F16X2,
  TYPE_BF16X2,
  TYPE_U16X2,
  TYPE_S16X2,
  TYPE_F32X2,
  TYPE_TF32,
  TYPE_E4M3,
  TYPE_E5M2,
  TYPE_E4M3X2,
  TYPE_E5M2X2,
} ptx_type;

/* "u32" and so on, without the dot; TYPE_NONE if it is none. */
ptx_type ptx_type_of(const char *name);
const char *ptx_type_name(ptx_type type);
/* Bytes of a value; 0 for TYPE_PRED and TYPE_NONE. */
int ptx_type_size(ptx_type type);

typedef struct ptx_register {
  const char *name; /* "%r12" */
  ptx_type type;
  unsigned index; /* in the function's table */
} ptx_register;

struct ptx_variable;

/* A word of an initialiser that is an address: value at `offset` is the address of a variable or function
 * plus `addend`, shifted right by `shift` bits and cut to `size` bytes (mask() has size 1). */
typedef struct ptx_relocation {
  uint64_t offset;
  const char *symbol;
  int64_t addend;
  int size, shift;
  bool generic;                        /* generic(symbol) */
  const struct ptx_variable *variable; /* that symbol names; NULL: it is a function */
} ptx_relocation;

typedef struct ptx_variable {
  const char *name;
  ptx_space space;  /* never SPACE_REG */
  ptx_type type;    /* of an element */
  uint64_t size;    /* bytes in all; 0 for extern arrays without a length (dynamic shared memory) */
  uint32_t align;   /* given, or the natural one (vectors: of the whole vector) */
  uint8_t *initial; /* `size` bytes, or NULL: zeros */
  ptx_relocation *relocations;
  size_t relocation_count;
  bool is_extern;
  bool is_kernel_param; /* of an .entry, as against those of device functions and calls */
  unsigned line;
  size_t index; /* in the table it is in: the module's variables, or the function's */
  const struct ptx_function *function; /* that declares it; NULL: the module */
} ptx_variable;

typedef enum ptx_special {
  SPECIAL_TID, /* the three-dimensional ones: dimension in ptx_operand.dimension, 0..2 = x..z */
  SPECIAL_NTID,
  SPECIAL_CTAID,
  SPECIAL_NCTAID,
  SPECIAL_CLUSTERID,
  SPECIAL_NCLUSTERID,
  SPECIAL_CLUSTER_CTAID,
  SPECIAL_CLUSTER_NCTAID,
  SPECIAL_CLUSTER_CTARANK,
  SPECIAL_CLUSTER_NCTARANK,
  SPECIAL_IS_EXPLICIT_CLUSTER,
  SPECIAL_LANEID,
  SPECIAL_WARPID,
  SPECIAL_NWARPID,
  SPECIAL_SMID,
  SPECIAL_NSMID,
  SPECIAL_GRIDID,
  SPECIAL_LANEMASK_EQ,
  SPECIAL_LANEMASK_LE,
  SPECIAL_LANEMASK_LT,
  SPECIAL_LANEMASK_GE,
  SPECIAL_LANEMASK_GT,
  SPECIAL_CLOCK,
  SPECIAL_CLOCK_HI,
  SPECIAL_CLOCK64,
  SPECIAL_GLOBALTIMER,
  SPECIAL_GLOBALTIMER_LO,
  SPECIAL_GLOBALTIMER_HI,
  SPECIAL_DYNAMIC_SMEM_SIZE,
  SPECIAL_TOTAL_SMEM_SIZE,
  SPECIAL_AGGR_SMEM_SIZE,
  SPECIAL_RESERVED_SMEM, /* the offsets and the cap; all 0 here */
  SPECIAL_PM,            /* performance counters, %pm0..7 */
  SPECIAL_ENVREG,        /* %envreg0..31 */
  SPECIAL_CURRENT_GRAPH_EXEC,
} ptx_special;

typedef enum ptx_operand_kind {
  OPERAND_REGISTER,
  OPERAND_INTEGER, /* also true-false of predicates, and WARP_SZ */
  OPERAND_FLOAT,   /* 0f..., 0d..., decimal */
  OPERAND_SPECIAL,
  OPERAND_VARIABLE, /* its address, plus value */
  OPERAND_FUNCTION, /* its address; or the callee of a call */
  OPERAND_ADDRESS,  /* [base + value], base a register, variable or nothing; with elements: what follows
                     * in the brackets, as the coordinates in [map, {x, y}] */
  OPERAND_LABEL,    /* of an instruction, or of .branchtargets, .calltargets, .callprototype */
  OPERAND_VECTOR,   /* {a, b, ...} */
  OPERAND_PAIR,     /* a|b, two destinations */
  OPERAND_LIST,     /* (a, b, ...) of a call */
  OPERAND_SINK,     /* _ */
} ptx_operand_kind;

typedef struct ptx_operand {
  ptx_operand_kind kind;
  bool negated;                 /* !%p; also -imm folded into value, never here */
  const ptx_register *reg;      /* REGISTER; the base of an ADDRESS */
  const ptx_variable *variable; /* VARIABLE; the base of an ADDRESS */
  ptx_special special;
  int dimension;                     /* of %pm and %envreg: which of them */
  int64_t value;                     /* INTEGER; what is added to a VARIABLE or within an ADDRESS */
  double real;                       /* FLOAT: as f64 (exact for 0f...) */
  uint32_t f32_bits;                 /* FLOAT: as written for 0f..., else rounded from real */
  bool is_f32;                       /* written as 0f... */
  const char *name;                  /* as written: FUNCTION, LABEL; NULL for others */
  size_t target;                     /* LABEL of an instruction: its index (instruction_count: the end) */
  const struct ptx_label_list *list; /* LABEL of .branchtargets and so on; NULL: of an instruction */
  struct ptx_operand *elements;      /* VECTOR, PAIR, LIST */
  size_t element_count;
} ptx_operand;

typedef struct ptx_instruction {
  const char *opcode; /* "ld"; the first of the dotted parts */
  const char **parts; /* the others, verbatim: "global", "v4", "u32", "L2::128B" */
  size_t part_count;
  const ptx_register *guard; /* @%p, @!%p; NULL: none */
  bool guard_negated;
  ptx_operand *operands;
  size_t operand_count;
  unsigned line;        /* in the PTX text, from 1 */
  unsigned source_file; /* of .file, and line, from .loc; 0: not known */
  unsigned source_line;
} ptx_instruction;

typedef enum ptx_list_kind { LIST_BRANCH_TARGETS, LIST_CALL_TARGETS, LIST_PROTOTYPE } ptx_list_kind;

/* .branchtargets, .calltargets: names; .callprototype: the sizes of what is passed. */
typedef struct ptx_label_list {
  ptx_list_kind kind;
  const char *name;
  const char **names; /* of targets; NULL for .callprototype */
  size_t *targets;    /* of .branchtargets: instruction indices; of .callprototype: sizes in bytes */
  size_t count;
  size_t return_count; /* of .callprototype: the first so many are returned, the others parameters */
} ptx_label_list;

typedef struct ptx_function {
  const char *name;
  bool is_entry, is_extern; /* extern: declared only */
  ptx_variable **returns;   /* in variables */
  size_t return_count;
  ptx_variable **params;
  size_t param_count;
  ptx_register **registers;
  size_t register_count;
  ptx_variable **variables; /* .param, .local, .shared, .const, .global declared within, and the above */
  size_t variable_count;
  ptx_instruction *instructions;
  size_t instruction_count;
  ptx_label_list *lists;
  size_t list_count;
  unsigned max_threads[3], required_threads[3], required_cluster[3]; /* 0: not given */
  unsigned min_blocks;
  bool explicit_cluster;
  unsigned line;
  const char *alias_of; /* .alias: the name of the function whose contents these are; or NULL */
} ptx_function;

typedef struct ptx_module {
  int version_major, version_minor, target_sm; /* .target sm_90a: 90 */
  char target_suffix;                          /* 'a', 'f', or 0 */
  ptx_variable **variables;
  size_t variable_count;
  ptx_function **functions; /* a forward declaration and its definition are one */
  size_t function_count;
  const char **files; /* by number; NULL where there is none */
  size_t file_count;
  struct ptx_memory *memory; /* owns everything */
} ptx_module;

typedef struct ptx_error {
  unsigned line;
  char message[512]; /* names what was found, and the line's text */
} ptx_error;

/* NULL with *error set if the text is no PTX. The module is the caller's to ptx_free(). */
ptx_module *ptx_parse(const char *text, ptx_error *error);
void ptx_free(ptx_module *module);

#endif
