/* For the tests of engines: surroundings of their own, threads and processes, and libraries that stand in
 * for CUDA's. */
#ifndef JIG_TESTS_ENGINE_SUPPORT_H
#define JIG_TESTS_ENGINE_SUPPORT_H

#include <jig/jig.h>
#include <stdbool.h>

/* Around each test: a scratch directory (store_support.h) of which "cache" is the cache, and none of
 * jig's variables set but those that name libraries. */
void engine_setup(void);
void engine_teardown(void);

/* Sets or, with NULL, unsets a variable. */
void set_variable(const char *name, const char *value);

jig_engine *engine_with(jig_engine_config config);
jig_engine_stats stats_of(jig_engine *engine);

/* The spec of a sum of f32 by an operator of its own; and by what any cache may have. To be freed with
 * jig_free(). */
char *spec_of(const char *body);
char *spec_of_op(jig_op op);

/* How many entries there are in scratch_path("cache"), and files of any other kind that jig puts into
 * shards: locks and temporary files. */
unsigned entries_in_cache(void);
unsigned litter_in_cache(void);

/* Whether a library whose path contains this is loaded in this process. */
bool is_mapped(const char *library);

/* Runs `work` in as many threads, which start as one; number counts from 0. */
void run_together(int threads, void (*work)(void *user, int number), void *user);

/* Runs `work` in a thread with so much stack beside its thread-local variables, of which the tests have
 * many. */
void run_with_stack(size_t size, void (*work)(void *user), void *user);

/* Whether `test` is true in that many processes, which run at the same time; in one of its own. */
bool is_true_in_children(int count, bool (*test)(void));
bool is_true_in_a_child(bool (*test)(void));

/* ---- stand-ins: see tests/unit/fake_nvrtc.c, tests/cli/fake_cuda.c */

/* Compiles both and names them in $JIG_NVRTC and $JIG_DRIVER; false, having said why, if that cannot be
 * done here. To be called before any test, and fakes_close() after all. */
bool fakes_open(const char *suite);
/* The same with another driver, such as tests/unit/bare_cuda.c. */
bool fakes_open_with(const char *suite, const char *driver);
void fakes_close(void);

/* The same of the driver alone, beside whatever compiler there is. */
bool fake_driver_open(const char *suite);

/* How long every compilation is to take. */
void fake_compile_ms(int ms);

/* What was compiled since engine_setup(), by any process: how many programs, and how many compilers of
 * one process were at it at once at most. */
typedef struct fake_compilations {
  int count, most_at_once;
} fake_compilations;
fake_compilations fake_compiled(void);

#endif
