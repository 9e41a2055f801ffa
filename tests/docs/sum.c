/* What the sum in README.md stands in. */
#include "example.h"

static void check(jig_status status) {
  CHECK_JIG(status);
}

int main(void) {
  const float items[] = {1, 2, 3, 4, 5, 6, 7, 8};
  const uint64_t n = sizeof items / sizeof items[0];
  CUstream stream = NULL;
  float total;
  open_gpu();
  CUdeviceptr x = copy_to_gpu(items, sizeof items), result = allocate(sizeof total);
  /* here */
  CHECK_CUDA(cuMemcpyDtoH(&total, result, sizeof total));
  printf("the sum is %g\n", (double)total);
  return 0;
}
