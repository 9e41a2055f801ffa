/* What is measured: cases, gathered in families, one file each (bench_<name>.c). */
#ifndef JIG_BENCH_CASES_H
#define JIG_BENCH_CASES_H

#include <stdbool.h>

#include <jig/jig.h>

#include "cub_bench.h"

enum { NOT_COUNTED = -1 };

/* What outputs are filled with before a call that is verified. */
enum { JIG_POISON = 0xcd, CUB_POISON = 0x5a };

/* Whether neither side has written an item of an output: each has its own poison. */
static inline bool is_unwritten(const char *jig, const char *cub) {
  return (unsigned char)*jig == JIG_POISON && (unsigned char)*cub == CUB_POISON;
}

/* One array of a case: per_item * n + fixed bytes. Neither: there is no such array. */
typedef struct bench_array {
  size_t per_item, fixed;
  /* Of an output of which fewer items are written: 1 + the number of the output of which an int32_t says
   * how many, and which one; NOT_COUNTED: all that these do not count. */
  int counted_by, count_item;
  unsigned share; /* there is only an item for each `share` of the input's; 0: for each */
  unsigned fewer; /* so many items of the others' are not there */
  unsigned whole; /* there are as many as make whole groups of so many, if not n of them */
} bench_array;

/* A kernel that does nothing, launched the way the case's own is: what a call costs the host at least.
 * For cases that are one launch. */
typedef struct bench_null {
  const char *definitions; /* CUDA C++ that the parameters need; "" if none */
  const char *parameters;  /* of the kernel, as in C++ */
  unsigned parameter_count;
} bench_null;

typedef struct bench_case bench_case;
struct bench_case {
  const char *algorithm, *type, *variant;
  bench_array in[BENCH_ARRAYS], out[BENCH_ARRAYS];

  /* Fills the inputs with random data: the same for the same seed, never zeros. On gpu_stream(). */
  void (*fill)(const bench_case *c, const bench_data *data, uint64_t seed);
  /* Makes data->args of the rest of *data, whose pointers may be NULL. */
  void (*arrange)(const bench_case *c, const bench_data *data);
  /* One call of jig: the size query if temp is NULL. Should do nothing else. */
  jig_status (*call)(const bench_data *data, jig_engine *engine, void *temp, size_t *temp_bytes,
                     CUstream stream);
  /* The spec of the args, for jig_prewarm(). */
  jig_status (*spec)(const bench_data *data, char **text);
  /* Whether two results of output number `output` agree, for `bytes` bytes of host memory; NULL: they are
   * to be the same bytes. Large outputs are shown in pieces of whole items. */
  bool (*agree)(const bench_case *c, int output, const void *jig, const void *cub, size_t bytes,
                uint64_t n);
  /* Instead of agree(), where items may be in any order: a digest of `bytes` bytes of host memory, which
   * begin `offset` bytes into the output and are whole items. The sum of all pieces' is to be the same.
   */
  uint64_t (*digest)(const bench_case *c, int output, const void *items, size_t bytes, size_t offset,
                     uint64_t n);
  /* Bytes that a call must move at least; NULL: all inputs and outputs once. */
  uint64_t (*bytes)(const bench_case *c, uint64_t n);

  /* CUB waits for the stream in the middle of a call, so that it cannot be captured. */
  bool cub_waits;

  const bench_null *null_kernel; /* NULL: the case is not among the host figures */
  const void *own;               /* for the family's own functions */
};

/* What one bench_<name>.c defines, as bench_<name>. */
typedef struct bench_family {
  const bench_case *cases;
  size_t count;
} bench_family;

/* Both end with NULL; written by bench.mk. The name of bench_<name>.c is "<name>". */
extern const bench_family *const bench_families[];
extern const char *const bench_family_names[];

/* "reduce/f32/sum". */
enum { CASE_NAME_SIZE = 96 };
void case_name(const bench_case *c, char name[CASE_NAME_SIZE]);
const bench_case *case_find(const char *name);

/* Fills a cache with what a case takes: all of its programs by jig_prewarm(), or what else is like it. */
typedef jig_status prewarm_function(jig_engine *engine, const char *spec, const char *arch,
                                    jig_prewarm_result *result);
void case_prewarm(const bench_case *c, const char *cache, const char *arch, prewarm_function *prewarm);

/* The same case in CUB; NULL if there is none. */
const cub_case *case_peer(const bench_case *c);

/* n items, or as many more as make whole groups. */
uint64_t whole_items(uint64_t n, uint64_t group);

/* Bytes of an array, of all arrays that a call reads or writes, and of what it must move at least. */
size_t array_bytes(const bench_array *array, uint64_t n);
uint64_t case_footprint(const bench_case *c, uint64_t n);
uint64_t case_moved_bytes(const bench_case *c, uint64_t n);

#endif
