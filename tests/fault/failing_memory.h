/* An allocator that fails when it is told to, for a program of its own: its functions are defined here,
 * in front of the C library's, so that its own callers (opendir(), strdup()) and other libraries fail as
 * well. Where a sanitizer's allocator would not be found behind them, CAN_FAIL is 0, and there is none.
 */
#ifndef JIG_TESTS_FAILING_MEMORY_H
#define JIG_TESTS_FAILING_MEMORY_H

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#if defined(__SANITIZE_THREAD__)
#define CAN_FAIL 0
#elif defined(__clang__) && defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define CAN_FAIL 0
#endif
#endif
#ifndef CAN_FAIL
#define CAN_FAIL 1
#endif

#if CAN_FAIL

static struct {
  atomic_bool counting; /* in all threads; what is done elsewhere neither fails nor counts */
  atomic_bool persistent, failed;
  atomic_long until_failure, live;
} memory;

/* The allocation after so many more fails, and with `persistent` every one from then on. */
static void memory_fail_after(long count, bool persistent) {
  memory.until_failure = count;
  memory.persistent = persistent;
  memory.failed = false;
  memory.live = 0;
}

static bool memory_fails(void) {
  if (!memory.counting) return false;
  if (atomic_fetch_sub(&memory.until_failure, 1) > 0) return false;
  if (memory.failed && !memory.persistent) return false;
  memory.failed = true;
  errno = ENOMEM;
  return true;
}

static void *memory_counted(void *block) {
  if (memory.counting && block != NULL) ++memory.live;
  return block;
}

/* Which other libraries find. */
#define SEEN __attribute__((visibility("default")))

SEEN void *malloc(size_t size) {
  static void *(*real)(size_t);
  if (real == NULL) *(void **)&real = dlsym(RTLD_NEXT, "malloc");
  return memory_fails() ? NULL : memory_counted(real(size));
}

SEEN void *calloc(size_t count, size_t size) {
  static void *(*real)(size_t, size_t);
  if (real == NULL) *(void **)&real = dlsym(RTLD_NEXT, "calloc");
  return memory_fails() ? NULL : memory_counted(real(count, size));
}

SEEN void *aligned_alloc(size_t alignment, size_t size) {
  static void *(*real)(size_t, size_t);
  if (real == NULL) *(void **)&real = dlsym(RTLD_NEXT, "aligned_alloc");
  return memory_fails() ? NULL : memory_counted(real(alignment, size));
}

SEEN void *realloc(void *old, size_t size) {
  static void *(*real)(void *, size_t);
  if (real == NULL) *(void **)&real = dlsym(RTLD_NEXT, "realloc");
  if (memory_fails()) return NULL;
  void *block = real(old, size);
  return old == NULL ? memory_counted(block) : block;
}

SEEN void free(void *block) {
  static void (*real)(void *);
  if (real == NULL) *(void **)&real = dlsym(RTLD_NEXT, "free");
  if (memory.counting && block != NULL) --memory.live;
  real(block);
}

#endif
#endif
