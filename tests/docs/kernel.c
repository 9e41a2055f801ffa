/* What the fragments in docs/kernels.md stand in: a matrix whose row r has the numbers 1 + r, a column of
 * results, and a kernel of its own text. */
#include "example.h"

enum { ROWS = 4, COLUMNS = 1000 };
static const char *const row_sum_text =
    "#include <jig/block/reduce.cuh>\n"
    "extern \"C\" __global__ void row_sum(const float *in, float *out, int columns) {\n"
    "  float sum = 0;\n"
    "  for (int i = threadIdx.x; i < columns; i += 256) sum += in[blockIdx.x * columns + i];\n"
    "  sum = jig::BlockReduce<float, 256>().Sum(sum);\n"
    "  if (threadIdx.x == 0) out[blockIdx.x] = sum;\n"
    "}\n";
CUdeviceptr in, out;
CUstream stream = NULL;
int columns = COLUMNS;

void print(const char *what) {
  float results[ROWS];
  CHECK_CUDA(cuMemcpyDtoH(results, out, sizeof results));
  printf("%s", what);
  for (int r = 0; r < ROWS; ++r) printf(" %g", (double)results[r]);
  printf("\n");
}

int main(void) {
  static float matrix[ROWS][COLUMNS];
  open_gpu();
  for (int r = 0; r < ROWS; ++r)
    for (int c = 0; c < COLUMNS; ++c) matrix[r][c] = (float)(1 + r);
  in = copy_to_gpu(matrix, sizeof matrix);
  out = allocate(ROWS * sizeof(float));
  /* here */
  return row_sum_text == NULL || stream != NULL || in == 0;
}
