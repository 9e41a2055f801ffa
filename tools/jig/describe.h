/* Specs in short, for people: "reduce accum=f32 in=f32 op=plus out=f32". */
#ifndef JIG_CLI_DESCRIBE_H
#define JIG_CLI_DESCRIBE_H

#include <jansson.h>

/* Of a spec as JSON; the caller's to free(), NULL if memory is out. What is no spec is "?". */
char *describe_spec(json_t *spec);

/* The same of a spec's text. */
char *describe_spec_text(const char *text);

#endif
