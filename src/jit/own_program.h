/* The text of a program with a kernel of the user's own: templates, definitions, and the user's texts. */
#ifndef JIG_JIT_OWN_PROGRAM_H
#define JIG_JIT_OWN_PROGRAM_H

#include "jit/headers.h"
#include "spec/spec.h"

/* As assemble() does it. */
jig_status own_program(const spec *s, header_set *headers, char **program);

#endif
