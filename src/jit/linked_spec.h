/* The spec of the kernel that the first tier links a call's operators with: where the call's own spec has
 * operators from source, it has functions that are declared and that nobody defines. Structs are opaque
 * there, and numbers that only operators look at are unsigned integers, so that one kernel serves many
 * calls. */
#ifndef JIG_JIT_LINKED_SPEC_H
#define JIG_JIT_LINKED_SPEC_H

#include "jit/define_op.h"
#include "jit/exact_text.h"
#include "spec/shared.h"

enum { LINKED_MAX_OPS = 8 };

/* It points into itself, and into the spec that it was made of. */
typedef struct linked_spec {
  const spec *s;
  called_op ops[LINKED_MAX_OPS];
  int op_count;

  /* What s is made of, and what is known of the call's own. */
  shared_spec room, bits;
  bool as_bits;
  exact_text text; /* all of them, and of types, as one */
  int others;      /* operators that are no such functions */
  bool is_apart;   /* an operator that has nothing but memory around it */
} linked_spec;

/* Makes it, of a spec that is as programs share it. False: the tier does not serve that. With `as_bits`
 * false numbers stay what they are. */
bool linked_spec_of(const spec *s, bool as_bits, linked_spec *l);

#endif
