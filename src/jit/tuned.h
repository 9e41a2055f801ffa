/* How a spec's programs are tuned: by what wisdom says of them, if there is any that can be used, else by
 * their tables. */
#ifndef JIG_JIT_TUNED_H
#define JIG_JIT_TUNED_H

#include "jit/algorithm.h"
#include "policy/wisdom.h"

_Static_assert((int)TUNING_MAX_KERNELS >= (int)ALGORITHM_MAX_KERNELS, "all kernels have room");

/* A program's spec as wisdom is found by it: malloc'ed, NULL when out of memory. */
char *tuned_spec_text(const spec *s);

/* The kernels of a program for an architecture that can be tuned, and nothing told of them. */
tuning_told tuned_spaces(const spec *s, int sm);

/* What tables say of all knobs. */
tuning_told tuned_defaults(const spec *s, int sm);

/* The kernel whose space that is; NULL: there is none. */
const kernel_row *tuned_kernel_of(const spec *s, int sm, const policy_space *space);

/* Whether programs may be tuned so: every value is one of its knob's, or what the table says; and blocks
 * of every kernel fit the multiprocessor. NULL if they may; else why not, in `room`. */
enum { TUNED_WHY_SIZE = 256 };
const char *tuned_fault(const spec *s, int sm, const tuning_told *told, char room[TUNED_WHY_SIZE]);

/* What wisdom says of a spec for an architecture; nothing if there is no wisdom (NULL), if it does not
 * say anything, or if that cannot be used, which is logged. An entry is taken as a whole, or not at all.
 * Specs whose folds are to have the same bits on every GPU are never tuned: bits depend on it. */
tuning_told tuned_of(const wisdom *w, const spec *s, int sm);

/* How one kernel is tuned, so. */
policy tuned_policy(const wisdom *w, const kernel_row *kernel, const spec *s, int sm);

/* Tells a kernel's value by its name and its knob's. False: there is none of that name. */
bool tuned_tell(tuning_told *told, const spec *s, int sm, const char *kernel, const char *knob,
                int value);

/* A line of wisdom that says so: the knobs of the kernels of which anything is told. A new reference,
 * NULL when out of memory. */
json_t *tuned_line(const spec *s, int sm, const tuning_told *told);

#endif
