/* What the fragments in docs/algorithms.md stand in. Everything is in device memory but `items` and the
 * like. */
#include "example.h"

enum { ROOM = 16 };
const int32_t items[] = {3, 1, 4, 1, 5, 9, 2, 6}, more_items[] = {1, 1, 2, 5, 5, 8},
              few_items[] = {1, 2, 3, 5};
const int32_t all_keys[] = {1, 1, 2, 2, 2, 3, 1, 1}, some_offsets[] = {0, 3, 3, 8};
jig_iter in, keys, sorted, few, offsets, ends, out, values_out, other_out, number, truth;

static jig_iter on_gpu(const void *values, size_t bytes) {
  return jig_device_pointer(copy_to_gpu(values, bytes), JIG_I32);
}
static jig_iter room(jig_type type) {
  CUdeviceptr memory = allocate(ROOM * 8);
  CHECK_CUDA(cuMemsetD8(memory, 0, ROOM * 8));
  CHECK_CUDA(cuStreamSynchronize(NULL));
  return jig_device_pointer(memory, type);
}

void print(jig_iter from, size_t count) {
  int32_t numbers[ROOM];
  int64_t long_numbers[ROOM];
  CHECK_CUDA(cuMemcpyDtoH(numbers, (CUdeviceptr)from.pointer, sizeof numbers));
  CHECK_CUDA(cuMemcpyDtoH(long_numbers, (CUdeviceptr)from.pointer, sizeof long_numbers));
  for (size_t i = 0; i < count; ++i)
    printf("%s%lld", i > 0 ? " " : "", from.type.size == 8 ? (long long)long_numbers[i] : numbers[i]);
  printf("\n");
}

int main(void) {
  open_gpu();
  in = on_gpu(items, sizeof items);
  keys = on_gpu(all_keys, sizeof all_keys);
  sorted = on_gpu(more_items, sizeof more_items);
  few = on_gpu(few_items, sizeof few_items);
  offsets = on_gpu(some_offsets, sizeof some_offsets);
  ends = jig_pointer((const int32_t *)offsets.pointer + 1, JIG_I32);
  out = room(JIG_I32);
  values_out = room(JIG_I32);
  other_out = room(JIG_I32);
  number = room(JIG_I64);
  truth = room(JIG_I32);
  /* here */
  return 0;
}
