/* What the fragment about compiled operators in docs/operators.md stands in. */
#include "example.h"

static const char data[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n"
    ".visible .func (.param .b32 result) add(.param .b32 a, .param .b32 b) {\n"
    "  .reg .b32 %r<4>;\n"
    "  ld.param.u32 %r1, [a];\n"
    "  ld.param.u32 %r2, [b];\n"
    "  add.s32 %r3, %r1, %r2;\n"
    "  st.param.b32 [result], %r3;\n"
    "  ret;\n"
    "}\n";

int main(void) {
  const int32_t items[] = {1, 2, 3, 4};
  const uint64_t count = 4;
  const size_t size = sizeof data;
  int32_t sum;
  open_gpu();
  CUdeviceptr d_sum = allocate(sizeof sum);
  const jig_iter in = jig_device_pointer(copy_to_gpu(items, sizeof items), JIG_I32),
                 out = jig_device_pointer(d_sum, JIG_I32);
  /* here */
  CHECK_CUDA(cuMemcpyDtoH(&sum, d_sum, sizeof sum));
  printf("%d\n", sum);
  return 0;
}
