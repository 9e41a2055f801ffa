/* What texts of the user's have that decides whether the compiler may give them other bits where they are
 * functions that are called than where they are a part of what calls them: see first_tier.h. */
#ifndef JIG_JIT_EXACT_TEXT_H
#define JIG_JIT_EXACT_TEXT_H

#include <stdbool.h>

typedef struct exact_text {
  bool has_floats; /* names a floating-point type, or a function of such numbers, or has one */
  int products;    /* how often it says that something is multiplied or divided, whatever it is */
  bool repeats;    /* may do so more often: loops, lambdas */
  bool is_unknown; /* calls what is not known; may keep a state; or has what this does not look into:
                      directives, assembler */
} exact_text;

exact_text exact_text_read(const char *source);
/* The same of structs: what is declared beside them, such as variables, is unknown. */
exact_text exact_text_read_definition(const char *definition);
void exact_text_add(exact_text *all, exact_text one);

#endif
