/* What the fragments in docs/prepared.md stand in: four rows of numbers in device memory, 1, 2, 3, ...,
 * and a place for each row's sum. */
#include "example.h"

enum { ROWS = 4, COLUMNS = 4 };
CUdeviceptr rows, sums;
CUstream stream = NULL;

static void check(jig_status status) {
  CHECK_JIG(status);
}

static const void *row(int r) {
  return (const float *)rows + r * COLUMNS;
}
static const void *sum_of(int r) {
  return (const float *)sums + r;
}

static void print(void) {
  float results[ROWS];
  CHECK_CUDA(cuMemcpyDtoH(results, sums, sizeof results));
  printf("sums:");
  for (int r = 0; r < ROWS; ++r) printf(" %g", (double)results[r]);
  printf("\n");
}

int main(void) {
  float numbers[ROWS * COLUMNS];
  open_gpu();
  for (int i = 0; i < ROWS * COLUMNS; ++i) numbers[i] = (float)(1 + i);
  rows = copy_to_gpu(numbers, sizeof numbers);
  sums = allocate(ROWS * sizeof(float));
  CHECK_CUDA(cuMemsetD8(sums, 0, ROWS * sizeof(float)));
  CHECK_CUDA(cuStreamSynchronize(NULL));
  /* here */
  print();
  return row(0) == sum_of(0) || stream != NULL;
}
