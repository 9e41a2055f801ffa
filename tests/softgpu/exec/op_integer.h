/* What the files of the integer family have from one another. */
#ifndef SOFTGPU_EXEC_OP_INTEGER_H
#define SOFTGPU_EXEC_OP_INTEGER_H

#include "exec/warp.h"

/* insn.arg[0] of what uses the carry flags: adds them, sets them; adds 1. */
enum { CARRY_IN = 1, CARRY_OUT = 2, CARRY_ONE = 4 };

/* Destination = a + b + carry, as arg[0] says. */
flow integer_add_carry_u32(warp *w, const insn *i, uint32_t mask, const uint32_t *a, const uint32_t *b);
flow integer_add_carry_u64(warp *w, const insn *i, uint32_t mask, const uint64_t *a, const uint64_t *b);

/* op_multiply.c */
bool decode_mul(decoder *d);
bool decode_mad(decoder *d);
bool decode_madc(decoder *d);
bool decode_mul24(decoder *d);
bool decode_mad24(decoder *d);
bool decode_dp4a(decoder *d);
bool decode_dp2a(decoder *d);

/* op_bits.c */
bool decode_popc(decoder *d);
bool decode_clz(decoder *d);
bool decode_bfind(decoder *d);
bool decode_fns(decoder *d);
bool decode_brev(decoder *d);
bool decode_bfe(decoder *d);
bool decode_bfi(decoder *d);
bool decode_bmsk(decoder *d);
bool decode_szext(decoder *d);

/* op_video.c: all of its opcodes. */
bool decode_video(decoder *d);

#endif
