/* Search spaces: which numbers of a kernel's policy may be tuned, and the values that are worth a try.
 *
 * A policy is made of a row of its table, a struct of ints, and of what follows from these. A kernel that
 * can be tuned declares its space beside its table, and takes what a tuning says of it into the row
 * first:
 *
 *   static policy choose_lookback(const spec *s, int sm, tuning_told *told) {
 *     chain_tuning to = find_row(s)->lookback;
 *     tuning_take(told, &scan_lookback_space, &to);
 *     return make_policy(s, to);
 *   }
 *   const policy_space scan_lookback_space = {
 *       .choose = choose_lookback,
 *       .knobs = {KNOB(chain_tuning, threads, 128, 256, 512), KNOB(chain_tuning, rows, 4, 6, 8)}};
 *
 * and stands in the kernel's row in the place of its policy. So what shared memory, tiles and temp
 * storage take follows from what was chosen as it does from the table. Results are the same whatever is
 * chosen, but for how floating-point folds are grouped. */
#ifndef JIG_POLICY_SPACE_H
#define JIG_POLICY_SPACE_H

#include "policy/policy.h"

enum { KNOB_MAX_VALUES = 12, SPACE_MAX_KNOBS = 8, TUNING_MAX_KERNELS = 8, KNOB_UNTOLD = -1 };

/* One number of the row: its name, where it is, and its values in order, all of them above 0, no more
 * than KNOB_MAX_VALUES. */
typedef struct policy_knob {
  const char *name;
  unsigned short offset, count;
  const int *values;
} policy_knob;

#define KNOB(row, field, ...)                                                             \
  {                                                                                       \
    .name = #field, .offset = offsetof(row, field), .values = (const int[]){__VA_ARGS__}, \
    .count = sizeof((const int[]){__VA_ARGS__}) / sizeof(int)                             \
  }

struct tuning_told;

typedef struct policy_space {
  policy (*choose)(const spec *s, int sm, struct tuning_told *told); /* `told` may be NULL */
  policy_knob knobs[SPACE_MAX_KNOBS + 1];                            /* ends where the name is NULL */
  /* What choices have to hold beside policy_fits(), for this spec; NULL: nothing. */
  bool (*allows)(const spec *s, int sm, const policy *p);
} policy_space;

/* What is told of some kernels of a program: of each knob a value, or KNOB_UNTOLD. */
typedef struct tuned_kernel {
  const policy_space *space;
  int values[SPACE_MAX_KNOBS];
} tuned_kernel;
typedef struct tuning_told {
  tuned_kernel of[TUNING_MAX_KERNELS];
  int count;
} tuning_told;

/* What is told of a kernel; NULL: nothing. */
tuned_kernel *tuning_find(tuning_told *told, const policy_space *space);

/* Puts what is told into a row, and into what is told of the kernel what the row says of the others. */
void tuning_take(tuning_told *told, const policy_space *space, void *row);

int space_knob_count(const policy_space *space);

/* The knob of that name, which need not end there; -1: there is none. */
int space_knob(const policy_space *space, const char *name);

/* Whether a value is among a knob's. */
bool knob_has(const policy_knob *knob, int value);

/* Whether a multiprocessor has room for as many blocks of such a policy as that says. */
bool policy_fits(const policy *p, int sm);

#endif
