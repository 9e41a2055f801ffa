/* Batches of buffers in tests: where they come from and go to, and whether they have got there, and
 * nothing else has. */
#ifndef JIG_TESTS_BATCHED_SUPPORT_H
#define JIG_TESTS_BATCHED_SUPPORT_H

#include <jig/jig.h>
#include <stdbool.h>

/* Runs a call by both phases, in poisoned temp storage of just the size that was asked for, `offset`
 * bytes off its alignment, and waits. */
void run_memcpy_batched(const jig_memcpy_batched_args *args, size_t offset);
void run_copy_batched(const jig_copy_batched_args *args, size_t offset);

/* How buffers lie in memory. */
typedef enum batch_layout {
  BATCH_ADJOINING, /* one after the other, on both sides */
  BATCH_APART,     /* with random gaps of up to 40 units between destinations; sources anywhere, one over
                      another */
  BATCH_SHUFFLED,  /* the same, in random order */
  BATCH_LAYOUTS
} batch_layout;

/* Where buffers begin among the source's and the target's units. */
typedef struct batch {
  size_t count, source_units, target_units;
  uint64_t *sizes, *from, *to;
} batch;

/* Of those sizes, malloc'ed. */
batch batch_of(const size_t *sizes, size_t count, batch_layout layout, uint64_t seed);
void free_batch(batch *b);

/* Copies the buffers, of bytes, between memory that is so far off its alignment, and looks at every byte
 * of the target. */
void check_memcpy_batch(const batch *b, size_t source_offset, size_t target_offset, const char *what);

/* What the target has to be: poison where nothing goes. Items of that many bytes; malloc'ed. */
unsigned char *batch_result(const batch *b, const unsigned char *source, size_t item);

/* Whether device memory holds that, naming the first unit that differs. */
void check_target(const void *device, const unsigned char *wanted, size_t units, size_t item,
                  const char *what);

#endif
