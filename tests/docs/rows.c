/* What the fragment about keys that are structs in docs/operators.md stands in. */
#include "example.h"

typedef struct row {
  int32_t year;
  float score;
} row;

int main(void) {
  const row rows[] = {{2025, 3}, {2024, 9}, {2025, -1}, {2024, 0.5F}};
  const uint64_t count = 4;
  row sorted[4];
  open_gpu();
  CUdeviceptr d_in = copy_to_gpu(rows, sizeof rows), d_out = allocate(sizeof sorted);
  /* here */
  CHECK_CUDA(cuMemcpyDtoH(sorted, d_out, sizeof sorted));
  for (uint64_t i = 0; i < count; ++i) printf("%d %g\n", sorted[i].year, (double)sorted[i].score);
  return 0;
}
