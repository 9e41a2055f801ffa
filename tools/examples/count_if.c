/* How many items are above a threshold that is known only at run time: it is the state of an operator,
 * which goes along with each call. Another threshold needs no other program.
 *
 *   count_if [<number of items>] */
#include "example.h"

static uint64_t count_on_cpu(const float *items, size_t count, float threshold) {
  uint64_t above = 0;
  for (size_t i = 0; i < count; ++i) above += items[i] > threshold;
  return above;
}

/* Programs that the default engine has got so far; compiled or, if this ran before, found on disk. */
static uint64_t programs_built(void) {
  jig_engine_stats stats;
  CHECK_JIG(jig_engine_get_stats(NULL, &stats));
  return stats.misses + stats.disk_hits;
}

int main(int argc, char **argv) {
  const size_t count = count_from(argc, argv), bytes = count * sizeof(float);
  const float thresholds[] = {0.5F, -0.25F};
  float *items = host_items(count, sizeof *items), threshold = thresholds[0];
  uint64_t seed = 1;
  for (size_t i = 0; i < count; ++i) items[i] = (float)random_number(&seed);
  CUdevice device = open_gpu();
  CUdeviceptr d_items = copy_to_gpu(items, bytes), d_above = allocate(sizeof(uint64_t));

  /* `threshold` is read during each call. */
  const jig_op is_above = jig_op_with_state(jig_op_source("return x > state;"), &threshold, JIG_F32);
  const jig_iter raw = jig_pointer((void *)d_items, JIG_F32);
  const jig_reduce_args args = {.in = jig_iter_transform(&raw, is_above, JIG_U64),
                                .out = jig_pointer((void *)d_above, JIG_U64),
                                .num_items = count,
                                .op = JIG_PLUS};

  size_t temp_bytes = 0;
  CHECK_JIG(jig_reduce(NULL, NULL, &temp_bytes, &args, NULL)); /* how much; builds the program */
  CUdeviceptr temp = allocate(temp_bytes);
  bool agrees = true;
  for (int t = 0; t < 2; ++t) {
    uint64_t above;
    jig_engine_stats stats;
    threshold = thresholds[t];
    CHECK_JIG(jig_reduce(NULL, (void *)temp, &temp_bytes, &args, NULL)); /* only launches */
    CHECK_CUDA(cuMemcpyDtoH(&above, d_above, sizeof above));
    CHECK_JIG(jig_engine_get_stats(NULL, &stats));
    printf("count_if: of %zu items, %llu are above %g; misses so far: %llu\n", count,
           (unsigned long long)above, (double)threshold, (unsigned long long)stats.misses);
    agrees = agrees && above == count_on_cpu(items, count, threshold);
  }
  agrees = agrees && programs_built() == 1;

  CUstream stream = begin_recording();
  for (int i = 0; i < RECORDED_CALLS; ++i)
    CHECK_JIG(jig_reduce(NULL, (void *)temp, &temp_bytes, &args, stream));
  const double us = replay(stream);

  const int status = report(agrees, us, bytes);
  CHECK_CUDA(cuMemFree(d_items));
  CHECK_CUDA(cuMemFree(d_above));
  CHECK_CUDA(cuMemFree(temp));
  CHECK_CUDA(cuDevicePrimaryCtxRelease(device));
  free(items);
  return status;
}
