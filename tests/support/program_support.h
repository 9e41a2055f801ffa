/* Specs, and the programs that plans are made of, without a compiler or a GPU. */
#ifndef JIG_TESTS_PROGRAM_SUPPORT_H
#define JIG_TESTS_PROGRAM_SUPPORT_H

#include "engine/engine.h"
#include "jit/program.h"

/* The tuning of all kernels of a spec, for so many multiprocessors of that SM. */
program program_of(const spec *s, int sm, int multiprocessors);
/* The same of a text, which is freed; and for the GPU at hand. */
program program_of_spec(char *text, int sm, int multiprocessors);
program program_here(char *text);

/* What the plans of an engine's calls go by, for a test to change; NULL: the default engine. */
plan_limits *limits_of(jig_engine *engine);

/* Whether a spec's text is that, and can be read back. Frees it. */
void check_spec_text(char *text, const char *wanted);

typedef struct refused_spec {
  const char *text, *why;
} refused_spec;
void check_refused_specs(const refused_spec *specs, size_t count);

#endif
