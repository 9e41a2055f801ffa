/* Items of sizes up to the largest, for tests of what moves items. An item's first byte is its key, of
 * which there are few; its others tell it from all items of the same key. */
#ifndef JIG_TESTS_WIDE_ITEMS_H
#define JIG_TESTS_WIDE_ITEMS_H

#include <jig/jig.h>

/* Of 3, 24, 504, 4096 and, bytes in no alignment, 505 bytes. */
enum { WIDE_TYPES = 5 };
jig_type wide_type(int number);

/* Operators of the keys. */
#define WIDE_TEST jig_op_source("return x.m[0] < 9;")
#define WIDE_EQUAL jig_op_source("return a.m[0] == b.m[0];")
#define WIDE_LESS jig_op_source("return a.m[0] < b.m[0];")

/* Some of them, on the host and on the device, with keys below 16; and an array of as many indices. */
typedef struct wide_items {
  jig_type type;
  size_t count;
  unsigned char *host;
  void *device;
  size_t *order; /* scratch */
  jig_iter in;
} wide_items;
wide_items wide_make(jig_type type, size_t count, unsigned seed);
/* The same in runs of up to five equal keys, or in order. */
wide_items wide_make_runs(jig_type type, size_t count, unsigned seed);
wide_items wide_make_sorted(jig_type type, size_t count, unsigned seed);
void wide_free(wide_items *w);

static inline unsigned char wide_key(const wide_items *w, size_t i) {
  return w->host[i * w->type.size];
}

/* Checks that the first items of `out` are those whose indices are in w->order. */
void wide_expect(const wide_items *w, const void *out, size_t count, const char *what);
/* That the input is still what it was. */
void wide_expect_kept(const wide_items *w, const char *what);
/* A number of 8 bytes that is on the device. */
int64_t wide_count(const void *device);

/* Calls fn(type, count) for every type, and for few items and some. */
void wide_for_all(void (*fn)(jig_type type, size_t count));

#endif
