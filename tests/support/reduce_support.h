/* Calling jig_reduce() and jig_arg_reduce() in tests, by both phases, with everything checked around it.
 */
#ifndef JIG_TESTS_REDUCE_SUPPORT_H
#define JIG_TESTS_REDUCE_SUPPORT_H

#include <jig/jig.h>

/* Fails the test, with jig's own words, unless a call succeeded. */
#define OK(call) check_status((call), JIG_SUCCESS, #call, __FILE__, __LINE__)
/* Fails the test unless a call returned that status with an error text that contains `part`. */
#define FAILS(call, status, part) check_failure((call), (status), (part), #call, __FILE__, __LINE__)
void check_status(jig_status got, jig_status wanted, const char *call, const char *file, int line);
void check_failure(jig_status got, jig_status wanted, const char *part, const char *call,
                   const char *file, int line);

/* Runs a reduce whose output is already set: queries the size, checks it, takes poisoned temp storage of
 * just that size, `storage_offset` bytes off its alignment, launches and waits. */
void run_reduce(const jig_reduce_args *args, size_t storage_offset);
void run_arg_reduce(const jig_arg_reduce_args *args, size_t storage_offset);

/* The same with an output of its own, copied to `result` (size of the output type). */
void reduce_to_host(jig_reduce_args args, jig_type out_type, void *result);

/* The same for an arg-reduce; both outputs are its own. */
typedef struct arg_result {
  unsigned char value[16]; /* type.size bytes of it */
  int64_t index;
} arg_result;
arg_result arg_reduce_to_host(jig_arg_reduce_args args);

#endif
