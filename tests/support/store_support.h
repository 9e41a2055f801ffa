/* For the tests of the store: a directory of their own, entries by number, and files seen from outside.
 */
#ifndef JIG_TESTS_STORE_SUPPORT_H
#define JIG_TESTS_STORE_SUPPORT_H

#include <check.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "store/store.h"

enum { SCRATCH_PATH = 4096 };

/* Fixture: makes an empty directory and removes it, with all that is in it. */
void scratch_setup(void);
void scratch_teardown(void);

/* A path in that directory; several results may be in use at once. */
const char *scratch_path(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A store whose user's directory is scratch_path("cache"); the limit may be 0 for none. */
store *scratch_store(uint64_t max_size);
/* The same with read-only layers, and any directory. */
store *scratch_store_at(const char *dir, const char *layers, uint64_t max_size);

/* Entry number `n`: record, meta and payload depend on it; the payload has `size` bytes. The strings and
 * bytes live until the next call from the same thread with the same n modulo 8. */
entry sample_entry(unsigned n, size_t size, const char *compiler);
/* Its key, spread evenly over the shards, and its record. */
hash128 sample_key(unsigned n);
const char *sample_record(unsigned n);
/* How many bytes its file has. */
uint64_t sample_size(unsigned n, size_t size);
/* The path of its file in a layer. */
const char *sample_path(const char *dir, unsigned n, const char *compiler);
/* The path of its shard in scratch_path("cache"). */
const char *shard_path(unsigned n);

bool sample_put(store *s, unsigned n, size_t size);
/* Whether there is such an entry; fails the test if what is found is not exactly that entry. */
bool sample_get(store *s, unsigned n);
bool sample_get_compiler(store *s, unsigned n, const char *compiler, char found_compiler[16]);
/* Whether every byte of an entry is that of number `n`, of any payload size. */
bool sample_is(const entry *e, unsigned n);

/* ---- files ---- */
bool file_exists(const char *path);
size_t file_read(const char *path, unsigned char *bytes, size_t capacity);
void file_write(const char *path, const void *bytes, size_t size);
void file_flip(const char *path, size_t offset, unsigned char mask);
/* Sets the time of last modification to now plus so many seconds; the absolute form takes an epoch. */
void file_set_age(const char *path, double seconds_from_now);
void file_set_time(const char *path, int64_t epoch);
int64_t file_time(const char *path);
/* How many files below a directory have a name that contains `part`; their bytes, too. */
unsigned files_count(const char *dir, const char *part);
uint64_t files_bytes(const char *dir, const char *part);
/* What v1/usage of scratch_path("cache") says; UINT64_MAX if it is not a number. */
uint64_t usage_number(void);
/* One number for all names, contents and times below a directory. */
uint64_t tree_fingerprint(const char *dir);

/* Names that layout_parse() is to take for somebody else's; the first three cannot be files. */
enum { FOREIGN_NAMES = 33 };
extern const char *const foreign_names[];

/* ---- the rest ---- */
/* Puts an entry into scratch_path("cache") with a store of its own. */
void put_one(unsigned n);
/* Makes a layer with one entry, of which the payload has `size` bytes. */
void make_layer(const char *name, unsigned n, size_t size);
store_counts counts_of(store *s);
const char *warning_of(store *s);
double now_ms(void);
/* Under valgrind, which makes a file even when it then denies the descriptor. */
bool under_valgrind(void);
/* Ends a forked child at once, past whatever the process it came from wanted done at its exit. */
_Noreturn void end_child(int status);

typedef struct survey {
  unsigned sound, damaged;
} survey;
survey survey_of(store *s);

/* A private copy of the mounts, so that the test may mount what it likes and nothing stays behind. False
 * where that is not allowed. */
bool private_mounts(void);

/* Runs all tests; main()'s answer. */
int run_suite(const char *name, void (*fill)(TCase *), double timeout_s);

#endif
