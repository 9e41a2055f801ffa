/* Decoded functions: what the interpreter executes.
 *
 * A register file belongs to a warp's activation of a function. Each register has its 32 lanes side by
 * side: width * 32 bytes, 64-byte aligned; a predicate is one 32-bit mask, bit = lane. Immediates,
 * addresses of variables and special registers that do not change are registers too, filled in advance,
 * so that every operand of an instruction is an offset into the file. */
#ifndef SOFTGPU_CODE_CODE_H
#define SOFTGPU_CODE_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ptx/ptx.h"

struct warp;
struct insn;

/* What the interpreter does after an instruction. */
typedef enum flow {
  FLOW_NEXT,  /* go on behind it */
  FLOW_JUMP,  /* the instruction has set where its lanes go on */
  FLOW_WAIT,  /* not possible yet: the lanes stay at it and try again */
  FLOW_YIELD, /* done, and a good moment for others to run */
  FLOW_FAULT, /* reported; the grid is over */
} flow;

/* Executes an instruction for the lanes of mask, never 0: those of its split whose guard holds. */
typedef flow insn_run(struct warp *w, const struct insn *i, uint32_t mask);

/* How unset bytes in sources matter; see check/taint.h. */
typedef enum taint_rule {
  TAINT_USE,      /* computing with them is the defect that is reported */
  TAINT_COPY,     /* the destination gets the bytes of the only source, cut or extended to its width */
  TAINT_PACK,     /* mov between a vector and a wide register: bytes side by side, in order */
  TAINT_SELECT,   /* selp: of the chosen one; the predicate must be set */
  TAINT_BITWISE,  /* and, or, xor, not, shifts, bfi, bfe, prmt, shf, lop3: moves bytes about; any unset
                   * byte of a source makes the whole destination unset unless taint.c knows better */
  TAINT_ADD,      /* integer add: as `or` where no bit can be set in both sources, which is how compilers
                   * join the fields of a word, or of 16 bits with set lower bytes, which is how they add
                   * bytes; otherwise it is computing */
  TAINT_MULTIPLY, /* integer mul: as a shift where a source is a power of two; otherwise it is computing
                   */
  TAINT_OWN,      /* the instruction's run function cares for it (loads, stores, shuffles, calls) */
} taint_rule;

enum { INSN_OPERANDS = 12 };
#define GUARD_NONE UINT32_MAX

typedef struct insn {
  insn_run *run;
  uint32_t guard; /* offset of a predicate, or GUARD_NONE */
  bool guard_negated;
  bool frame_relative;          /* what `offset` says counts from the activation's local memory */
  uint8_t count, dst_count;     /* of operands; the destinations come first */
  uint8_t taint;                /* taint_rule */
  uint8_t space;                /* ptx_space, of memory instructions */
  uint16_t negated;             /* bit k: predicate operand k is to be taken inverted */
  uint32_t op[INSN_OPERANDS];   /* offsets into the register file */
  uint8_t width[INSN_OPERANDS]; /* bytes per lane; 0: a predicate */
  int64_t offset;               /* what is added to an address */
  uint32_t target;              /* of a branch: index of an instruction */
  uint32_t arg[4];              /* the family's own: modes, sizes, limits */
  const void *more;             /* the family's own, of the code's memory (decode_memory()) */
  const ptx_instruction *ptx;   /* as written, for messages */
} insn;

/* A special register that is to be filled in when an activation begins. */
typedef struct code_fill {
  uint32_t offset;
  uint8_t width;
  uint8_t special, dimension; /* ptx_special */
} code_fill;

typedef struct code {
  const ptx_function *function;
  struct module *module;
  insn *insns; /* one for each of the function's instructions, and an exit or return at the end */
  size_t count;
  uint32_t file_bytes;     /* of the register file */
  uint32_t register_bytes; /* the registers lie in its first bytes, behind them what is filled in */
  uint8_t *fill_image;     /* what is behind the registers, but for special registers */
  code_fill *fills;        /* of special registers */
  size_t fill_count;
  uint32_t local_bytes;    /* .local variables, and .param variables other than a kernel's */
  uint32_t *local_offsets; /* of the function's variables, by their index */
  struct code_memory *memory;
} code;

/* ---- decoding: what the instruction families use */

typedef struct decoder {
  struct module *module;
  const ptx_function *function;
  const ptx_instruction *in;
  code *code;
  insn *out;   /* zeroed but for ptx and the guard */
  size_t part; /* the next part of in->parts to be taken */
  unsigned line_of_error;
  char error[512];
  struct decode_state *state; /* decode.c's own */
} decoder;

/* A row for each opcode of a family. decode() fills d->out or refuses; decode.c checks afterwards
 * that all parts were taken. The tables end with a NULL opcode. */
typedef struct decode_row {
  const char *opcode;
  bool (*decode)(decoder *d);
} decode_row;
extern const decode_row rows_integer[], rows_logic[], rows_move[], rows_compare[], rows_convert[],
    rows_float[], rows_half[], rows_special_function[], rows_memory[], rows_atomic[], rows_async[],
    rows_mbarrier[], rows_barrier[], rows_collective[], rows_control[], rows_misc[];

/* Says why an instruction is not understood, naming it; returns false. */
bool decode_refuse(decoder *d, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Takes the next part if it is this one. */
bool decode_take(decoder *d, const char *part);
/* Takes the next part as a type; TYPE_NONE, taking nothing, if it is none. */
ptx_type decode_type(decoder *d);
/* Whether the instruction's type is one of a set of widths etc. is the family's to check. */
bool decode_operand_count(decoder *d, size_t least, size_t most);

/* Each appends one operand to d->out (a destination raises dst_count too, so destinations first).
 * Sizes: 0 is a predicate, otherwise bytes. A register of another size is refused, but by the _any forms,
 * which take any size (loads, stores, cvt; see width[]). A source may be a register, immediate (converted
 * to the type), special register, or the address of a variable or function; a destination a register or
 * _. */
bool decode_dst(decoder *d, const ptx_operand *o, int size);
bool decode_dst_any(decoder *d, const ptx_operand *o, int size_of_sink);
bool decode_src(decoder *d, const ptx_operand *o, ptx_type type);
bool decode_src_any(decoder *d, const ptx_operand *o, ptx_type type);
/* A constant as a source. */
bool decode_src_constant(decoder *d, uint64_t low, uint64_t high, int size);
/* An address operand: one source of 4 or 8 bytes and out->offset, out->frame_relative. For a kernel's
 * parameters, the base is their offset in the parameter block; for .param of calls and device functions
 * and .local variables, the offset in the activation's local memory, frame_relative set. */
bool decode_address(decoder *d, const ptx_operand *o);
/* All of `count` operands are elements of a vector operand {..}, or the single operand itself. */
size_t decode_vector(const ptx_operand *o, const ptx_operand **elements); /* their count */

/* The index of an instruction that an operand labels, or a list of labels. */
bool decode_label(decoder *d, const ptx_operand *o, uint32_t *target);

/* Memory that lives as long as the code; zeroed. NULL without memory (and refused). */
void *decode_memory(decoder *d, size_t size);

/* The function's instructions decoded; NULL with error and its line. */
code *code_decode(struct module *m, const ptx_function *f, char *error, size_t error_size,
                  unsigned *line);
void code_free(code *c);

#endif
