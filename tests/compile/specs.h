/* What the compile matrix compiles, gathered in families: every specs_<name>.c in this folder defines
 * one, void specs_<name>(void), and is found by its name. */
#ifndef JIG_TESTS_SPECS_H
#define JIG_TESTS_SPECS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct specs_family {
  void (*add)(void); /* adds its specs by the functions below */
} specs_family;

/* Ends with NULL; written by the Makefile. */
extern const specs_family *const specs_families[];

/* What holds for the specs that a family adds from here on; at first, neither. */
enum {
  SPECS_EVERYWHERE = 1, /* for all architectures, and not only those that have kernels of their own */
  SPECS_OF_PRODUCT =
      2 /* types x operators, keys x values: each factor meets every group of architectures */
};
void specs_go(int traits);

/* Takes over a spec's text, which must not be NULL. Registers may spill only where it is said. */
void specs_add(char *text, bool may_spill);

#endif
