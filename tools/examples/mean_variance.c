/* Mean and variance in one pass: each item becomes the moments of that one item, and an operator joins
 * the moments of two parts. Sums of x and of x * x would do the same with fewer operations, but lose the
 * variance's digits where the mean is large, as it is here. The operator is that of
 *
 *   T. F. Chan, G. H. Golub, R. J. LeVeque. Updating Formulae and a Pairwise Algorithm for Computing
 * Sample Variances. Technical Report STAN-CS-79-773, Stanford University, 1979.
 *
 *   mean_variance [<number of items>] */
#include <math.h>

#include "example.h"

/* m2 is the sum of squared distances from the mean. */
typedef struct moments {
  double count, mean, m2;
} moments;

static const char moments_source[] = "struct moments { double count, mean, m2; };";
static const char join_source[] =
    "double count = a.count + b.count, delta = b.mean - a.mean, share = b.count / count;\n"
    "return {count, a.mean + delta * share, a.m2 + b.m2 + delta * delta * a.count * share};";

/* In two passes. */
static moments moments_on_cpu(const double *items, size_t count) {
  moments m = {(double)count, 0, 0};
  double beyond_first = 0;
  for (size_t i = 0; i < count; ++i) beyond_first += items[i] - items[0];
  m.mean = items[0] + beyond_first / m.count;
  for (size_t i = 0; i < count; ++i) m.m2 += (items[i] - m.mean) * (items[i] - m.mean);
  return m;
}

/* The items lie between 999999 and 1000001, so a mean is off by some 1e-10 of their spread. */
static bool close_to_cpu(const moments *gpu, const double *items, size_t count) {
  const moments cpu = moments_on_cpu(items, count);
  return gpu->count == cpu.count && fabs(gpu->mean - cpu.mean) <= 1e-12 * cpu.mean &&
         fabs(gpu->m2 - cpu.m2) <= 1e-8 * cpu.m2;
}

int main(int argc, char **argv) {
  const size_t count = count_from(argc, argv), bytes = count * sizeof(double);
  double *items = host_items(count, sizeof *items);
  moments all;
  uint64_t seed = 1;
  for (size_t i = 0; i < count; ++i) items[i] = 1e6 + random_number(&seed);
  CUdevice device = open_gpu();
  CUdeviceptr d_items = copy_to_gpu(items, bytes), d_all = allocate(sizeof all);

  const jig_type type = jig_struct("moments", moments_source, sizeof(moments), _Alignof(moments));
  const jig_iter raw = jig_pointer((void *)d_items, JIG_F64);
  const jig_reduce_args args = {.in = jig_iter_transform(&raw, jig_op_source("return {1, x, 0};"), type),
                                .out = jig_pointer((void *)d_all, type),
                                .num_items = count,
                                .op = jig_op_commutative(jig_op_source(join_source))};

  size_t temp_bytes = 0;
  CHECK_JIG(jig_reduce(NULL, NULL, &temp_bytes, &args, NULL)); /* how much; builds the program */
  CUdeviceptr temp = allocate(temp_bytes);
  CHECK_JIG(jig_reduce(NULL, (void *)temp, &temp_bytes, &args, NULL)); /* only launches */
  CHECK_CUDA(cuMemcpyDtoH(&all, d_all, sizeof all));

  CUstream stream = begin_recording();
  for (int i = 0; i < RECORDED_CALLS; ++i)
    CHECK_JIG(jig_reduce(NULL, (void *)temp, &temp_bytes, &args, stream));
  const double us = replay(stream);

  printf("mean_variance: %zu items have mean %.6f and variance %.6f\n", count, all.mean,
         all.m2 / all.count);
  const int status = report(close_to_cpu(&all, items, count), us, bytes);
  CHECK_CUDA(cuMemFree(d_items));
  CHECK_CUDA(cuMemFree(d_all));
  CHECK_CUDA(cuMemFree(temp));
  CHECK_CUDA(cuDevicePrimaryCtxRelease(device));
  free(items);
  return status;
}
