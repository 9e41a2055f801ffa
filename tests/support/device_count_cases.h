/* Calls of every algorithm that take their counts from device memory, or from the host. */
#ifndef JIG_TESTS_DEVICE_COUNT_CASES_H
#define JIG_TESTS_DEVICE_COUNT_CASES_H

#include <jig/jig.h>

enum { DEVICE_COUNT_OUTPUTS = 4 };

/* What a call is made of: arrays of `limit` words of 32 bits each, and counts. */
typedef struct device_count_call {
  uint32_t *words;        /* of any value */
  uint32_t *keys;         /* in runs of equal ones */
  uint32_t *sorted;       /* in order */
  uint32_t *other_sorted; /* in order */
  uint32_t *offsets;      /* limit + 1 of them, in order, the last one `limit` */
  uint8_t *flags;
  uint32_t *outputs[DEVICE_COUNT_OUTPUTS]; /* each with room for 4 * limit + 4 bytes twice */
  uint64_t limit;
  uint64_t count, second_count; /* or how many there may be, if the GPU knows */
  const uint64_t *count_in, *second_count_in;
  char **spec; /* not NULL: no call, but its spec goes there */
  /* Not NULL: no call, but this gets its args. */
  jig_status (*take)(void *user, const char *function, const void *args, size_t size);
  void *user;
} device_count_call;

typedef struct device_count_case {
  const char *name;
  jig_status (*call)(jig_engine *engine, void *storage, size_t *bytes, const device_count_call *c,
                     CUstream stream);
} device_count_case;

/* Each ends with a name that is NULL. */
extern const device_count_case device_count_folds[], device_count_selections[], device_count_items[],
    device_count_sorts[], device_count_segments[];

#endif
