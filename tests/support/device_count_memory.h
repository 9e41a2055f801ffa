/* Device memory of device_count_cases.h's calls, and what they leave there. */
#ifndef JIG_TESTS_DEVICE_COUNT_MEMORY_H
#define JIG_TESTS_DEVICE_COUNT_MEMORY_H

#include "device_count_cases.h"

/* A call on arrays of so many items, of other values for another seed; keys have runs of 1 to 16. */
device_count_call device_count_new(uint64_t limit, uint64_t seed);
void device_count_free(device_count_call *c);

/* Fills all outputs with a pattern; and reads them, one behind the other, malloc'ed. */
void device_count_poison(const device_count_call *c);
char *device_count_outputs(const device_count_call *c);

/* What `got`, which is freed, has to have; `format` is printed in front of where it does not. */
__attribute__((format(printf, 4, 5))) void device_count_expect(const device_count_call *c,
                                                               const char *wanted, char *got,
                                                               const char *format, ...);

#endif
