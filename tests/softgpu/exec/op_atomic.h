/* What atomic operations do to a value in memory. */
#ifndef SOFTGPU_EXEC_OP_ATOMIC_H
#define SOFTGPU_EXEC_OP_ATOMIC_H

#include "exec/warp.h"

typedef enum atomic_op {
  ATOMIC_AND,
  ATOMIC_OR,
  ATOMIC_XOR,
  ATOMIC_EXCH,
  ATOMIC_ADD,
  ATOMIC_INC,
  ATOMIC_DEC,
  ATOMIC_MIN,
  ATOMIC_MAX,
  ATOMIC_CAS,
} atomic_op;

typedef struct atomic_form {
  atomic_op op;
  ptx_type type;
  unsigned size; /* of the type */
  bool ftz;      /* f32: subnormal numbers are zeros */
} atomic_form;

/* Takes .add and so on. */
bool atomic_decode_op(decoder *d, atomic_form *f);
/* What becomes of a, at most 8 bytes: combined with b, or if it is b replaced by c. */
uint64_t atomic_operate(const atomic_form *f, uint64_t a, uint64_t b, uint64_t c);
/* The same at an address of the host, aligned to the size, at once. What was there before. */
uint64_t atomic_at(const atomic_form *f, uint8_t *at, uint64_t b, uint64_t c);

#endif
