/* Many cases of one collective in one program: a body, written once, that a kernel for each shape of
 * block runs for several types, one a block of the grid. Items are small numbers, which every type can
 * hold, so that one reference, over int, is what all types have to come to. */
#ifndef JIG_TESTS_COLLECTIVE_SUPPORT_H
#define JIG_TESTS_COLLECTIVE_SUPPORT_H

#include <limits.h>
#include <stddef.h>

typedef struct collective_shape {
  int x, y, z, items; /* threads of a block, and items of each */
  const char *types;  /* of C++, by commas: those of numbers, and `odd`, a struct of 7 bytes */
} collective_shape;

/* What a result is expected to be that means nothing. */
enum { ANY = INT_MIN };
/* Items are from 0 to MOST_VALUE; bf16 has every number up to 256. */
enum { MOST_VALUE = 100, MOST_HOW = 4 };

typedef struct collective_test {
  const char *name;
  const char *source; /* definitions, among them what `body` is said to be below */
  const collective_shape *shapes;
  size_t shape_count;
  int slots;    /* how many results of a tile each the body writes */
  int in_extra; /* how many items there are beside the tile's */
  const int (*how)[MOST_HOW];
  size_t how_count; /* launches, each with other numbers for the body */
  /* What the results are to be. */
  void (*expect)(const collective_shape *s, const int *in, const int *how, int *wanted);
} collective_test;

/* `source` defines
 *     template <class T, class S> __device__ void body(const int *in, int *out, const int *how);
 * which has S::x, y, z, threads, n and tile, S::thread(), make<T>(int), value(T), and writes result i of
 * slot s as out[s * S::tile + i]. */
void collective_check(const collective_test *test);

int collective_threads(const collective_shape *s);
int collective_tile(const collective_shape *s);

/* The places of so many keys, from the first one on, in the order of the keys, and of equal ones as they
 * are. */
void collective_sort_places(const int *keys, int first, int count, int *places);

#endif
