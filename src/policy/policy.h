/* Policies: the numbers that tune a program and never change its results.
 *
 * Each family of algorithms has a header and a table of rows of its own beside this one. Among the rows
 * that fit a spec, the one with the highest architecture at or below the target's is taken; a row for SM
 * 75, the oldest supported, always fits. */
#ifndef JIG_POLICY_POLICY_H
#define JIG_POLICY_POLICY_H

#include <stddef.h>
#include <string.h>

#include "spec/spec.h"
#include "util/name.h"

enum { POLICY_MAX_VALUES = 10, POLICY_OLDEST_SM = 75 };

/* A fold that is to have the same bits on every GPU (spec_is_gpu_to_gpu()) is associated in the same way
 * on each: it is made of the kernels of POLICY_OLDEST_SM, its work is shared out as on a GPU of so many
 * multiprocessors, and what its policies say of tiles does not depend on the architecture. Blocks only
 * wait for blocks with lower indices, so there may be more of them than a GPU has room for. */
enum { GPU_TO_GPU_MULTIPROCESSORS = 128 };

/* What all kernels have in common: named numbers, the first of them "threads", the threads of a block.
 * All of them are constants of `jig_policy` in device code; the host goes by some of them too when it
 * launches, and knows those by a struct, see POLICY_STRUCT(). */
typedef struct policy {
  int count;
  const char *const *names;
  int values[POLICY_MAX_VALUES];
} policy;

static inline unsigned policy_threads(const policy *p) {
  return (unsigned)p->values[0];
}

/* The value of that name; `otherwise` if there is none. */
static inline int policy_value(const policy *p, const char *name, int otherwise) {
  for (int i = 0; i < p->count; ++i)
    if (name_equal(p->names[i], name)) return p->values[i];
  return otherwise;
}

/* An algorithm's policy for a spec on an architecture (90 is SM 9.0, at least 75). */
typedef policy (*policy_choose)(const spec *s, int sm);

/* ---- a kernel's policy as a struct
 *
 *   #define SCAN_TUNING(FIELD) FIELD(threads) FIELD(rows)
 *   POLICY_STRUCT(scan_tuning, SCAN_TUNING);
 *
 * makes
 *
 *   typedef struct scan_tuning { int threads; int rows; } scan_tuning;
 *   policy scan_tuning_pack(scan_tuning fields);
 *   scan_tuning scan_tuning_of(const policy *p);
 *
 * The policy's names, which device code has, are those of the fields. A policy can also be read as a
 * struct with only its first fields, if both lists begin with one and the same list. */
#define POLICY_FIELD(name) int name;
#define POLICY_NAME(name) #name,
#define POLICY_STRUCT(type, LIST)                                             \
  typedef struct type {                                                       \
    LIST(POLICY_FIELD)                                                        \
  } type;                                                                     \
  static inline policy type##_pack(type fields) {                             \
    static const char *const names[] = {LIST(POLICY_NAME)};                   \
    policy p = {.count = sizeof names / sizeof names[0], .names = names};     \
    memcpy(p.values, &fields, sizeof fields);                                 \
    return p;                                                                 \
  }                                                                           \
  static inline type type##_of(const policy *p) {                             \
    type fields;                                                              \
    memcpy(&fields, p->values, sizeof fields);                                \
    return fields;                                                            \
  }                                                                           \
  _Static_assert(offsetof(type, threads) == 0, #type " begins with threads"); \
  _Static_assert(sizeof(type) / sizeof(int) <= POLICY_MAX_VALUES, #type       \
                 " has more fields than a "                                   \
                 "policy")

#endif
