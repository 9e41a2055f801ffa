/* How copy is tuned. */
#ifndef JIG_POLICY_COPY_H
#define JIG_POLICY_COPY_H

#include "policy/vector.h"

extern const policy_space copy_space;
/* The same of jig_transform(), whose `stencil` may be there. */
extern const policy_space transform_space;

/* Of jig_reverse(). */
extern const policy_space reverse_space;

#endif
