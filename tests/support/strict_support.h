/* Calls that have nothing but what their own specs prewarm: an empty cache is filled from a call's spec
 * and nothing else, and then the call is made by an engine that never compiles, with several counts. */
#ifndef JIG_TESTS_STRICT_SUPPORT_H
#define JIG_TESTS_STRICT_SUPPORT_H

#include <jig/jig.h>
#include <stdbool.h>

#include "gpu.h"
#include "reduce_support.h"

enum { STRICT_SEGMENT = 100, STRICT_RUN = 7, STRICT_OUTPUTS = 3, STRICT_WIDE = 24 };

/* What a call is made of. Host arrays of n items, and the same on the device; NULL there while only the
 * spec is asked for. */
typedef struct strict_call {
  jig_engine *engine; /* NULL: only the spec is wanted, */
  char *text;         /* which goes here */
  uint64_t n, segments;
  const uint32_t *keys;   /* random ones below 1000 */
  const uint32_t *values; /* i */
  const uint32_t *runs;   /* i / STRICT_RUN */
  const uint8_t *flags;   /* whether 3 divides i */
  const int64_t *offsets; /* segments + 1, of STRICT_SEGMENT items each */
  void *d_keys, *d_values, *d_runs, *d_flags, *d_offsets;
  void *d_wide;              /* n items of STRICT_WIDE bytes, of which the first 4 are i */
  void *out[STRICT_OUTPUTS]; /* with room for n items of STRICT_WIDE bytes, and for some if n is 0 */
  void *d_count;             /* two numbers of 8 bytes */
  unsigned char *host;       /* for strict_read() */
} strict_call;

/* Makes a call of `args` by both phases and waits; or writes its spec and leaves the function. */
#define STRICT(t, function, args)                                \
  do {                                                           \
    size_t bytes_ = 0;                                           \
    if ((t)->engine == NULL) {                                   \
      OK(function##_spec(&(args), &(t)->text));                  \
      return;                                                    \
    }                                                            \
    OK(function((t)->engine, NULL, &bytes_, &(args), NULL));     \
    void *storage_ = gpu_alloc(bytes_, 0);                       \
    OK(function((t)->engine, storage_, &bytes_, &(args), NULL)); \
    GPU(gpu()->cuStreamSynchronize(NULL));                       \
    gpu_free(storage_);                                          \
  } while (0)

/* What is at a device address, good until the next of these. */
const void *strict_read(const strict_call *t, const void *device, size_t bytes);
uint64_t strict_count(const strict_call *t, int which);

typedef struct strict_case {
  const char *name;
  void (*make)(strict_call *t);
} strict_case;
#define STRICT_CASE(name) \
  { #name, name }

/* All of it for each case. */
void check_strict(const strict_case *cases, size_t count);

/* The same with programs of PTX for an older GPU. */
void check_strict_of(const strict_case *cases, size_t count, const char *arch);

#endif
