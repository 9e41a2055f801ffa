/* The dot product of two vectors: a sum over products, which are computed as the vectors are loaded.
 *
 *   dot [<number of items>] */
#include <math.h>

#include "example.h"

typedef struct pair {
  float a, b;
} pair;

/* An f32 sum is rounded at every step: how far off it may be goes with the sum of magnitudes. */
static bool close_to_cpu(float gpu, const float *x, const float *y, size_t count) {
  double dot = 0, magnitudes = 0;
  for (size_t i = 0; i < count; ++i) {
    const double product = (double)x[i] * (double)y[i];
    dot += product;
    magnitudes += fabs(product);
  }
  return fabs((double)gpu - dot) <= 1e-5 * magnitudes;
}

int main(int argc, char **argv) {
  const size_t count = count_from(argc, argv), bytes = count * sizeof(float);
  float *x = host_items(count, sizeof *x), *y = host_items(count, sizeof *y), dot;
  uint64_t seed = 1;
  for (size_t i = 0; i < count; ++i) {
    x[i] = (float)random_number(&seed);
    y[i] = (float)random_number(&seed);
  }
  CUdevice device = open_gpu();
  CUdeviceptr d_x = copy_to_gpu(x, bytes), d_y = copy_to_gpu(y, bytes), d_dot = allocate(sizeof dot);

  /* The vectors side by side, then each pair's product. */
  const jig_iter sides[] = {jig_pointer((void *)d_x, JIG_F32), jig_pointer((void *)d_y, JIG_F32)};
  const jig_iter pairs =
      jig_zip(sides, 2, jig_struct("pair", "struct pair { float a, b; };", sizeof(pair), _Alignof(pair)));
  const jig_reduce_args args = {
      .in = jig_iter_transform(&pairs, jig_op_source("return x.a * x.b;"), JIG_F32),
      .out = jig_pointer((void *)d_dot, JIG_F32),
      .num_items = count,
      .op = JIG_PLUS};

  size_t temp_bytes = 0;
  CHECK_JIG(jig_reduce(NULL, NULL, &temp_bytes, &args, NULL)); /* how much; builds the program */
  CUdeviceptr temp = allocate(temp_bytes);
  CHECK_JIG(jig_reduce(NULL, (void *)temp, &temp_bytes, &args, NULL)); /* only launches */
  CHECK_CUDA(cuMemcpyDtoH(&dot, d_dot, sizeof dot));

  CUstream stream = begin_recording();
  for (int i = 0; i < RECORDED_CALLS; ++i)
    CHECK_JIG(jig_reduce(NULL, (void *)temp, &temp_bytes, &args, stream));
  const double us = replay(stream);

  printf("dot: the product of two vectors of %zu is %g\n", count, (double)dot);
  const int status = report(close_to_cpu(dot, x, y, count), us, 2 * bytes);
  CHECK_CUDA(cuMemFree(d_x));
  CHECK_CUDA(cuMemFree(d_y));
  CHECK_CUDA(cuMemFree(d_dot));
  CHECK_CUDA(cuMemFree(temp));
  CHECK_CUDA(cuDevicePrimaryCtxRelease(device));
  free(x);
  free(y);
  return status;
}
