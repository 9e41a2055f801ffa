/* What policies reckon with, mostly those that fill shared memory. */
#ifndef JIG_POLICY_SHARED_MEMORY_H
#define JIG_POLICY_SHARED_MEMORY_H

enum {
  KIBIBYTE = 1024,
  STATIC_SHARED_BYTES = 48 * KIBIBYTE, /* what a block may have without asking */
};

/* KiB of shared memory that a multiprocessor has; a block may have one less. */
static inline int shared_kibibytes(int sm) {
  if (sm < 80) return 65;
  return sm == 86 || sm == 89 || sm >= 120 ? 100 : sm < 90 ? 164 : 228;
}

/* How many threads a multiprocessor has room for. */
static inline int multiprocessor_threads(int sm) {
  if (sm < 80) return 1024;
  return sm == 86 || sm == 89 || sm >= 120 ? 1536 : 2048;
}

static inline int smaller(int a, int b) {
  return a < b ? a : b;
}

static inline int larger(int a, int b) {
  return a > b ? a : b;
}

static inline int round_up(int bytes, int to) {
  return (bytes + to - 1) / to * to;
}

#endif
