/* What texts of the user's have that decides whether the compiler may give them other bits where they are
 * functions that are called than where they are a part of what calls them: see first_tier.h. */
#ifndef JIG_JIT_EXACT_TEXT_H
#define JIG_JIT_EXACT_TEXT_H

#include <stdbool.h>

typedef struct exact_text {
  bool has_floats;   /* names a floating-point type, or has such a number */
  bool has_products; /* multiplies or divides, whatever it is */
  bool is_unknown;   /* calls what is not known, or is hidden */
  bool is_hidden;    /* may keep a state, or has what this does not look into: directives, assembler */
} exact_text;

exact_text exact_text_read(const char *source);
void exact_text_add(exact_text *all, exact_text one);

#endif
