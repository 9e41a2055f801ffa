/* How copy is tuned. */
#ifndef JIG_POLICY_COPY_H
#define JIG_POLICY_COPY_H

#include "policy/vector.h"

extern const policy_space copy_space;
/* The same of jig_transform(), whose `stencil` may be there. */
extern const policy_space transform_space;
/* Of its kernel for items that go through shared memory, and whether a spec has it. */
extern const policy_space transform_staged_space;
bool transform_is_staged(const spec *s);

/* Of jig_reverse(). */
extern const policy_space reverse_space;

#endif
