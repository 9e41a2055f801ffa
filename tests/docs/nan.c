/* What the fragment about NaNs in docs/semantics.md stands in. */
#include <math.h>

#include "example.h"

static void print(jig_iter from, size_t count) {
  float numbers[4];
  CHECK_CUDA(cuMemcpyDtoH(numbers, (CUdeviceptr)from.pointer, count * sizeof numbers[0]));
  for (size_t i = 0; i < count; ++i)
    printf("%s\n", isnan(numbers[i]) ? "nan" : numbers[i] == 1 ? "1" : "another");
}

int main(void) {
  const float items[] = {2, NAN, 1};
  open_gpu();
  const jig_iter in = jig_device_pointer(copy_to_gpu(items, sizeof items), JIG_F32),
                 out = jig_device_pointer(allocate(sizeof items[0]), JIG_F32);
  /* here */
  return 0;
}
