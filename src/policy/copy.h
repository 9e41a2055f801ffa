/* How copy is tuned. */
#ifndef JIG_POLICY_COPY_H
#define JIG_POLICY_COPY_H

#include "policy/vector.h"

policy copy_policy(const spec *s, int sm);
/* The same of jig_transform(), whose `stencil` may be there. */
policy transform_policy(const spec *s, int sm);

/* Of jig_reverse(). */
policy reverse_policy(const spec *s, int sm);

#endif
