/* Runs of equal neighbouring keys for tests, at the sizes at which algorithms by key go another way. */
#ifndef JIG_TESTS_BY_KEY_SUPPORT_H
#define JIG_TESTS_BY_KEY_SUPPORT_H

#include <jig/jig.h>

#include "scan_support.h"

/* Keys on the host, and where their runs begin. */
typedef struct key_list {
  jig_type type;
  size_t count, runs;
  unsigned char *keys;
  bool *heads;
} key_list;

/* Of a built-in type, in runs of random lengths, `average` on average; 0: one run. Keys come again, but
 * not in the next run. */
key_list new_keys(jig_type_kind kind, size_t count, size_t average);
void free_keys(key_list *list);

/* As in scan_support.h, of an algorithm by key whose spec is that, with values in that slot. Frees it. */
scan_marks by_key_marks(char *spec, const char *values, size_t state_bytes);

/* scan_on_host() of every run by itself. */
void scan_runs_on_host(const scan_model *model, jig_scan_mode mode, const void *init, const bool *heads,
                       const void *in, size_t count, void *out);

/* Runs a scan by key as run_scan() does a scan. */
void run_scan_by_key(const jig_scan_by_key_args *args, size_t storage_offset);

/* The same into memory of its own, as check_scan(). */
void check_scan_by_key(jig_scan_by_key_args args, jig_type out_type, size_t out_offset,
                       const void *wanted, const char *what);

#endif
