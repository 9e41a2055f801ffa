/* The sample that lies farthest from a line: the largest |y - 3 x| and where it is. The distances are
 * computed as samples are loaded and stored nowhere.
 *
 *   argmax_computed [<number of items>] */
#include <math.h>

#include "example.h"

typedef struct sample {
  float x, y;
} sample;

static const char sample_source[] = "struct sample { float x, y; };";
/* An operator's operand is called x, whatever it is made of. In f64 the product of 3 and an f32 is exact,
 * so that it makes no difference whether the compiler contracts it with the subtraction: the CPU finds
 * the very same number. */
static const char distance_source[] = "return fabs(x.y - 3.0 * x.x);";

static double distance(float x, float y) {
  return fabs((double)y - 3.0 * (double)x);
}

static size_t farthest_on_cpu(const float *x, const float *y, size_t count) {
  size_t farthest = 0;
  for (size_t i = 1; i < count; ++i)
    if (distance(x[i], y[i]) > distance(x[farthest], y[farthest])) farthest = i;
  return farthest;
}

int main(int argc, char **argv) {
  const size_t count = count_from(argc, argv), bytes = count * sizeof(float);
  float *x = host_items(count, sizeof *x), *y = host_items(count, sizeof *y);
  struct {
    double distance;
    int64_t index;
  } found;
  uint64_t seed = 1;
  for (size_t i = 0; i < count; ++i) {
    x[i] = (float)random_number(&seed);
    y[i] = (float)(3 * (double)x[i] + random_number(&seed));
  }
  CUdevice device = open_gpu();
  CUdeviceptr d_x = copy_to_gpu(x, bytes), d_y = copy_to_gpu(y, bytes), d_found = allocate(sizeof found);

  const jig_iter sides[] = {jig_pointer((void *)d_x, JIG_F32), jig_pointer((void *)d_y, JIG_F32)};
  const jig_iter samples =
      jig_zip(sides, 2, jig_struct("sample", sample_source, sizeof(sample), _Alignof(sample)));
  const jig_arg_reduce_args args = {
      .in = jig_iter_transform(&samples, jig_op_source(distance_source), JIG_F64),
      .value_out = jig_pointer((void *)d_found, JIG_F64),
      .index_out = jig_pointer((void *)(d_found + sizeof found.distance), JIG_I64),
      .num_items = count,
      .op = JIG_MAX};

  size_t temp_bytes = 0;
  CHECK_JIG(jig_arg_reduce(NULL, NULL, &temp_bytes, &args, NULL)); /* how much; builds the program */
  CUdeviceptr temp = allocate(temp_bytes);
  CHECK_JIG(jig_arg_reduce(NULL, (void *)temp, &temp_bytes, &args, NULL)); /* only launches */
  CHECK_CUDA(cuMemcpyDtoH(&found, d_found, sizeof found));

  CUstream stream = begin_recording();
  for (int i = 0; i < RECORDED_CALLS; ++i)
    CHECK_JIG(jig_arg_reduce(NULL, (void *)temp, &temp_bytes, &args, stream));
  const double us = replay(stream);

  printf("argmax_computed: of %zu samples, sample %lld is farthest from the line: %.9g\n", count,
         (long long)found.index, found.distance);
  const size_t expected = farthest_on_cpu(x, y, count);
  const bool agrees =
      found.index == (int64_t)expected && found.distance == distance(x[expected], y[expected]);
  const int status = report(agrees, us, 2 * bytes);
  CHECK_CUDA(cuMemFree(d_x));
  CHECK_CUDA(cuMemFree(d_y));
  CHECK_CUDA(cuMemFree(d_found));
  CHECK_CUDA(cuMemFree(temp));
  CHECK_CUDA(cuDevicePrimaryCtxRelease(device));
  free(x);
  free(y);
  return status;
}
