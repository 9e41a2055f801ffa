/* What the fragment about complex numbers in docs/operators.md stands in. */
#include "example.h"

int main(void) {
  const float numbers[] = {1, 1, 1, 2}; /* (1 + i)(1 + 2i) */
  const uint64_t count = 2;
  float result[2];
  open_gpu();
  CUdeviceptr d_numbers = copy_to_gpu(numbers, sizeof numbers), d_result = allocate(sizeof result);
  /* here */
  CHECK_CUDA(cuMemcpyDtoH(result, d_result, sizeof result));
  printf("%g + %gi\n", (double)result[0], (double)result[1]);
  return 0;
}
