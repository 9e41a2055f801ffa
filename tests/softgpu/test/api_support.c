#include "api_support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char api_ptx[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    /* *to = value */
    ".visible .entry store(.param .u64 to, .param .u32 value) {\n"
    "  .reg .b32 %r<4>; .reg .b64 %rd<4>;\n"
    "  ld.param.u64 %rd1, [to]; ld.param.u32 %r1, [value];\n"
    "  st.global.u32 [%rd1], %r1; ret;\n}\n"
    /* *to += value */
    ".visible .entry add(.param .u64 to, .param .u32 value) {\n"
    "  .reg .b32 %r<4>; .reg .b64 %rd<4>;\n"
    "  ld.param.u64 %rd1, [to]; ld.param.u32 %r1, [value];\n"
    "  ld.global.u32 %r2, [%rd1]; add.u32 %r2, %r2, %r1; st.global.u32 [%rd1], %r2; ret;\n}\n"
    /* Waits until *flag is not 0, then *to = value. */
    ".visible .entry wait(.param .u64 flag, .param .u64 to, .param .u32 value) {\n"
    "  .reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .pred %p<2>;\n"
    "  ld.param.u64 %rd1, [flag]; ld.param.u64 %rd2, [to]; ld.param.u32 %r1, [value];\n"
    "again: ld.relaxed.sys.global.u32 %r2, [%rd1]; setp.eq.u32 %p1, %r2, 0; @%p1 bra again;\n"
    "  st.global.u32 [%rd2], %r1; ret;\n}\n"
    /* The same, and lets the next kernel begin at once. */
    ".visible .entry first(.param .u64 flag, .param .u64 to, .param .u32 value) {\n"
    "  .reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .pred %p<2>;\n"
    "  griddepcontrol.launch_dependents;\n"
    "  ld.param.u64 %rd1, [flag]; ld.param.u64 %rd2, [to]; ld.param.u32 %r1, [value];\n"
    "again: ld.relaxed.sys.global.u32 %r2, [%rd1]; setp.eq.u32 %p1, %r2, 0; @%p1 bra again;\n"
    "  st.global.u32 [%rd2], %r1; ret;\n}\n"
    /* *flag = 1; waits for the kernel before; *to = *from. */
    ".visible .entry second(.param .u64 flag, .param .u64 from, .param .u64 to) {\n"
    "  .reg .b32 %r<4>; .reg .b64 %rd<4>;\n"
    "  ld.param.u64 %rd1, [flag]; ld.param.u64 %rd2, [from]; ld.param.u64 %rd3, [to];\n"
    "  mov.u32 %r1, 1; st.relaxed.sys.global.u32 [%rd1], %r1;\n"
    "  griddepcontrol.wait;\n"
    "  ld.global.u32 %r2, [%rd2]; st.global.u32 [%rd3], %r2; ret;\n}\n";

scene open_scene(void) {
  scene s;
  void *flag;
  GPU(gpu()->cuModuleLoadData(&s.module, api_ptx));
  GPU(gpu()->cuModuleGetFunction(&s.store, s.module, "store"));
  GPU(gpu()->cuModuleGetFunction(&s.add, s.module, "add"));
  GPU(gpu()->cuModuleGetFunction(&s.wait, s.module, "wait"));
  GPU(gpu()->cuModuleGetFunction(&s.first, s.module, "first"));
  GPU(gpu()->cuModuleGetFunction(&s.second, s.module, "second"));
  GPU(gpu()->cuMemAlloc(&s.memory, 64));
  GPU(gpu()->cuMemsetD8(s.memory, 0, 64));
  GPU(gpu()->cuStreamSynchronize(NULL));
  GPU(gpu()->cuMemHostAlloc(&flag, 4096, 0));
  memset(flag, 0, 4096);
  s.flag = flag;
  GPU(gpu()->cuStreamCreate(&s.a, CU_STREAM_NON_BLOCKING));
  GPU(gpu()->cuStreamCreate(&s.b, CU_STREAM_NON_BLOCKING));
  return s;
}

void close_scene(const scene *s) {
  GPU(gpu()->cuStreamDestroy(s->a));
  GPU(gpu()->cuStreamDestroy(s->b));
  GPU(gpu()->cuMemFree(s->memory));
  GPU(gpu()->cuMemFreeHost((void *)(uintptr_t)s->flag));
  GPU(gpu()->cuModuleUnload(s->module));
}

CUdeviceptr word(const scene *s, unsigned i) {
  return s->memory + 4 * i;
}

uint32_t read_word(const scene *s, unsigned i) {
  uint32_t value;
  GPU(gpu()->cuMemcpyDtoH(&value, word(s, i), 4));
  return value;
}

CUresult launch(CUfunction f, CUstream stream, void **parameters) {
  return gpu()->cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, stream, parameters, NULL);
}

void store(const scene *s, CUstream stream, CUdeviceptr to, uint32_t value) {
  void *parameters[] = {&to, &value};
  GPU(launch(s->store, stream, parameters));
}

void add(const scene *s, CUstream stream, CUdeviceptr to, uint32_t value) {
  void *parameters[] = {&to, &value};
  GPU(launch(s->add, stream, parameters));
}

void wait_and_store(const scene *s, CUfunction f, CUstream stream, CUdeviceptr to, uint32_t value) {
  CUdeviceptr flag = (CUdeviceptr)(uintptr_t)s->flag;
  void *parameters[] = {&flag, &to, &value};
  GPU(launch(f, stream, parameters));
}

void launch_pair(const scene *s, CUstream stream) {
  CUdeviceptr flag = (CUdeviceptr)(uintptr_t)s->flag, from = word(s, 0), to = word(s, 1);
  void *parameters[] = {&flag, &from, &to};
  CUlaunchAttribute attribute = {.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
                                 .value.programmaticStreamSerializationAllowed = 1};
  const CUlaunchConfig config = {.gridDimX = 1,
                                 .gridDimY = 1,
                                 .gridDimZ = 1,
                                 .blockDimX = 1,
                                 .blockDimY = 1,
                                 .blockDimZ = 1,
                                 .hStream = stream,
                                 .attrs = &attribute,
                                 .numAttrs = 1};
  wait_and_store(s, s->first, stream, word(s, 0), 7);
  GPU(gpu()->cuLaunchKernelEx(&config, s->second, parameters, NULL));
}

static bool is_software(void) {
  char name[64] = "";
  CUdevice device;
  if (gpu() == NULL || gpu()->path == NULL) return false;
  if (gpu()->cuDeviceGet(&device, 0) != CUDA_SUCCESS) return false;
  (void)gpu()->cuDeviceGetName(name, (int)sizeof name, device);
  return strcmp(name, "jig software GPU") == 0;
}

int api_run(const char *suite, const suite_test *tests, size_t count) {
  (void)setenv("JIG_SOFTGPU_EXIT", "0", 1); /* what is wrong here is meant to be */
  (void)setenv("JIG_SOFTGPU_DEVICES", "2", 1);
  (void)setenv("JIG_SOFTGPU_LOG", "/dev/null", 0);
  if (is_software()) return suite_run(suite, tests, count, true);
  printf("skipped: %s: all (the driver is not the software GPU)\n", suite);
  return EXIT_SUCCESS;
}
