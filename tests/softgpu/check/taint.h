/* Values in registers that came from memory nobody wrote.
 *
 * Loading such bytes is no defect by itself: structs have padding, and copying moves it about. Computing
 * with them is: arithmetic, comparison, branching, addressing. So a load marks the register's bytes, what
 * copies carries the marks along, and everything else reports. Memory that gets such a value is unset
 * again. */
#ifndef SOFTGPU_CHECK_TAINT_H
#define SOFTGPU_CHECK_TAINT_H

#include "exec/warp.h"

/* Says which bytes of a destination of lane are marked, and which not: bit b of `unset` is byte b of
 * operand k (at most 16). */
void taint_mark(warp *w, const insn *i, int k, unsigned lane, uint32_t unset);
/* The marks of a source. */
uint32_t taint_of(const warp *w, const insn *i, int k, unsigned lane);
/* Whether anything is marked in the frame. */
static inline bool taint_any(const warp *w) {
  return w->frame->unset != NULL;
}

/* Computing with operand k of lanes that have marks is reported, once; then they are gone. False: a
 * fault. */
bool taint_use(warp *w, const insn *i, int k, uint32_t mask);

/* Before an instruction is executed in a frame that has marks: carries them, or reports. False: a fault.
 */
bool taint_step(warp *w, const insn *i, uint32_t mask);

#endif
