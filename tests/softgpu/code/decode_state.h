/* What decode.c and decode_operand.c share while a function is decoded. */
#ifndef SOFTGPU_CODE_DECODE_STATE_H
#define SOFTGPU_CODE_DECODE_STATE_H

#include "code/code.h"

/* A constant that has a register. */
typedef struct decode_constant {
  uint64_t low, high;
  int size;
  uint32_t offset;
} decode_constant;

struct decode_state {
  uint32_t *registers; /* offsets, by index in the function's table */
  decode_constant *constants;
  size_t constant_count;
  uint32_t sinks[17]; /* registers for what nobody wants, by size; 0: none yet */
};

/* Gives registers and local variables their places. */
bool decode_lay_out(decoder *d);
/* Makes the image of the constants. */
bool decode_finish(decoder *d);
void decode_state_free(struct decode_state *state);

/* "ld.global.u32" */
void ptx_write(const ptx_instruction *in, char *text, size_t size);

#endif
