// Matrices of two rows and columns, whose product is associative and nothing more, for CUB's side of scans.
#ifndef JIG_BENCH_CUB_MATRIX_CUH
#define JIG_BENCH_CUB_MATRIX_CUH

#include <cstdint>

struct matrix {
  uint32_t a, b, c, d;
};

struct multiply {
  __host__ __device__ matrix operator()(const matrix &x, const matrix &y) const {
    return matrix{x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c, x.c * y.b + x.d * y.d};
  }
};

#endif
