/* Calls by both phases. */
#ifndef JIG_TESTS_PHASES_H
#define JIG_TESTS_PHASES_H

#include "gpu.h"
#include "reduce_support.h"

/* Asks how much temp storage there has to be, calls with just as much of it, poisoned and `offset` bytes
 * off its alignment, and waits. */
#define RUN_PHASES(function, args, offset)             \
  do {                                                 \
    size_t bytes_ = 0;                                 \
    OK(function(NULL, NULL, &bytes_, args, NULL));     \
    ck_assert_uint_ge(bytes_, 1);                      \
    void *storage_ = gpu_alloc(bytes_, offset);        \
    OK(function(NULL, storage_, &bytes_, args, NULL)); \
    GPU(gpu()->cuStreamSynchronize(NULL));             \
    gpu_free(storage_);                                \
  } while (0)

/* The same of what asks for a byte, and does not use it. */
#define RUN_WITHOUT_STORAGE(function, args)            \
  do {                                                 \
    size_t bytes_ = 0;                                 \
    OK(function(NULL, NULL, &bytes_, args, NULL));     \
    ck_assert_uint_eq(bytes_, 1);                      \
    void *storage_ = gpu_alloc(bytes_, 0);             \
    OK(function(NULL, storage_, &bytes_, args, NULL)); \
    GPU(gpu()->cuStreamSynchronize(NULL));             \
    ck_assert(gpu_is_untouched(storage_, bytes_));     \
    gpu_free(storage_);                                \
  } while (0)

#endif
