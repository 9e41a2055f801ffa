/* The peer's side of the benchmark, for C: what a cub_*.cu offers. Read by C11 and by nvcc. */
#ifndef JIG_BENCH_CUB_BENCH_H
#define JIG_BENCH_CUB_BENCH_H

#include <stddef.h>
#include <stdint.h>

#include <jig/version.h>

JIG_BEGIN_DECLS

enum { BENCH_ARRAYS = 4, BENCH_ARGS_SIZE = 4096 };

/* What a case works on, at one size. */
typedef struct bench_data {
  void *in[BENCH_ARRAYS];  /* device memory; the same for jig and for CUB */
  void *out[BENCH_ARRAYS]; /* device memory; each has its own */
  uint64_t n;
  void *args; /* jig's arguments, which CUB's side may read, host memory, BENCH_ARGS_SIZE bytes; made by
                 the case's arrange(), once for each */
} bench_data;

/* Beside a cudaError_t: this case cannot have so many items in CUB. */
enum { CUB_LEFT_OUT = -1 };

/* Enqueues one call; with temp == NULL only writes *temp_bytes. Returns a cudaError_t or CUB_LEFT_OUT. */
typedef int (*cub_call)(void *temp, size_t *temp_bytes, const bench_data *data, CUstream stream);

typedef struct cub_case {
  const char *algorithm, *type, *variant; /* those of the case that it is the peer of */
  cub_call call;
} cub_case;

/* What one cub_<name>.cu defines, as cub_<name>. */
typedef struct cub_family {
  int version; /* CUB_VERSION */
  int toolkit; /* CUDART_VERSION */
  const cub_case *cases;
  size_t count;
} cub_family;

/* Ends with NULL; written by bench.mk; empty if nvcc was not there. */
extern const cub_family *const cub_families[];

JIG_END_DECLS

#endif
