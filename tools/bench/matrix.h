/* A custom type and an operator that is associative and nothing more: 2 x 2 matrices over the integers
 * modulo 2^32, with odd determinants, so that products never become zeros. As in cub_matrix.cuh. */
#ifndef JIG_BENCH_MATRIX_H
#define JIG_BENCH_MATRIX_H

#define MATRIX_SOURCE "struct matrix { unsigned a, b, c, d; };"

#define MATRIX_MULTIPLY                                         \
  "return matrix{a.a * b.a + a.b * b.c, a.a * b.b + a.b * b.d," \
  " a.c * b.a + a.d * b.c, a.c * b.b + a.d * b.d};"

/* For gpu_fill(). */
#define MATRIX_ITEM                                                                                      \
  MATRIX_SOURCE                                                                                          \
  " typedef matrix item;"                                                                                \
  "inline item make(uint64_t r, uint64_t) {"                                                             \
  "  return matrix{unsigned(r) | 1, unsigned(r >> 32), unsigned(r >> 16) & ~1u, unsigned(r >> 8) | 1}; " \
  "}"

#endif
