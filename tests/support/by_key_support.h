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

/* Sums of integers, which wrap around, or of f32 or f64. */
scan_model sum_model(jig_type type);

/* scan_on_host() of every run by itself. */
void scan_runs_on_host(const scan_model *model, jig_scan_mode mode, const void *init, const bool *heads,
                       const void *in, size_t count, void *out);

/* Runs a scan by key as run_scan() does a scan. */
void run_scan_by_key(const jig_scan_by_key_args *args, size_t storage_offset);

/* The same into memory of its own, as check_scan(). */
void check_scan_by_key(jig_scan_by_key_args args, jig_type out_type, size_t out_offset,
                       const void *wanted, const char *what);

/* The fold of every run by itself; how many runs there are. */
size_t fold_runs_on_host(const scan_model *model, const bool *heads, const void *in, size_t count,
                         void *aggregates);

/* The first or the last key of every run; the caller's to free. */
void *keys_of_runs(const key_list *list, bool last);

/* Runs a reduce by key as run_scan() does a scan. */
void run_reduce_by_key(const jig_reduce_by_key_args *args, size_t storage_offset);

/* The same into memory of its own, just large enough for so many runs, `out_offset` items off its
 * alignment, of the types that the outputs in the args have; and compares. */
void check_reduce_by_key(jig_reduce_by_key_args args, const void *unique, const void *aggregates,
                         size_t runs, size_t out_offset, const char *what);

#endif
