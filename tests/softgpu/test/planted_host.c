/* Traps and calls gone wrong, and what the host does wrong. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "planted.h"
#include "ptx_internal.h"

static void copy_past_the_end(const planted_case *c);
static void read_past_the_end(const planted_case *c);
static void set_past_the_end(const planted_case *c);
static void free_twice(const planted_case *c);
static void free_something_else(const planted_case *c);
static void leak(const planted_case *c);
static void copy_freed(const planted_case *c);
static void load_unknown(const planted_case *c);

#define FUNCTIONS                                                                                       \
  ".extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 " \
  "e);\n"                                                                                               \
  ".global .align 1 .b8 message[] = {120, 32, 62, 32, 48, 0};\n"                                        \
  ".global .align 1 .b8 file[] = {97, 46, 99, 117, 0};\n.global .align 1 .b8 name[] = {102, 0};\n"      \
  ".func deeper(.param .b32 x)\n{\n.reg .b32 %r<2>;\n.local .align 4 .b8 frame[1024];\n"                \
  "ld.param.u32 %r0, [x];\nst.local.u32 [frame], %r0;\n{\n.param .b32 p;\nst.param.b32 [p], %r0;\n"     \
  "call deeper, (p);\n}\nld.local.u32 %r1, [frame];\nret;\n}\n"
#define ASSERT_FAIL                                                                                    \
  "{\n.param .b64 a;\n.param .b64 b;\n.param .b32 c;\n.param .b64 d;\n.param .b64 e;\nmov.u64 %w0, "   \
  "message;\n"                                                                                         \
  "cvta.global.u64 %w0, %w0;\nmov.u64 %w1, file;\ncvta.global.u64 %w1, %w1;\nmov.u64 %w2, name;\n"     \
  "cvta.global.u64 %w2, %w2;\nst.param.b64 [a], %w0;\nst.param.b64 [b], %w1;\nst.param.b32 [c], 42;\n" \
  "st.param.b64 [d], %w2;\nst.param.b64 [e], 1;\n"                                                     \
  "call __assertfail, (a, b, c, d, e); //!\n}\n"

const planted_case cases_host[] = {
    {.name = "trap",
     .body = "setp.eq.u32 %p0, %t, 3;\n@%p0 trap; //!\n",
     .threads = 32,
     .kind = "trap",
     .result = CUDA_ERROR_LAUNCH_FAILED,
     .says = {"thread (3,0,0) of block (0,0,0)"}},
    {.name = "failed assertion",
     .body = "setp.ne.u32 %p0, %cta, 1;\n@%p0 bra end;\n" ASSERT_FAIL "end:\n",
     .declarations = FUNCTIONS,
     .blocks = 2,
     .kind = "trap",
     .result = CUDA_ERROR_ASSERT,
     .says = {"x > 0", "a.cu:42", "block (1,0,0)"}},
    {.name = "endless recursion",
     .body = "{\n.param .b32 p;\nst.param.b32 [p], %t;\ncall deeper, (p);\n}\n",
     .declarations = FUNCTIONS,
     .kind = "trap",
     .result = CUDA_ERROR_LAUNCH_FAILED,
     .says = {"stack overflow", ": call"}},
    {.name = "a call of nothing",
     .body = "mov.u64 %w0, 0;\n{\nprototype: .callprototype _ ();\ncall %w0, prototype; //!\n}\n",
     .kind = "trap",
     .result = CUDA_ERROR_LAUNCH_FAILED},
    {.name = "unknown instruction", .host = load_unknown, .result = CUDA_ERROR_INVALID_PTX},
    {.name = "copy to the device past the end",
     .host = copy_past_the_end,
     .kind = "host call",
     .result = CUDA_ERROR_INVALID_VALUE,
     .says = {"cuMemcpyHtoD", "100 bytes"}},
    {.name = "copy from the device past the end",
     .host = read_past_the_end,
     .kind = "host call",
     .result = CUDA_ERROR_INVALID_VALUE,
     .says = {"cuMemcpyDtoH"}},
    {.name = "memset past the end",
     .host = set_past_the_end,
     .kind = "host call",
     .result = CUDA_ERROR_INVALID_VALUE,
     .says = {"cuMemsetD8"}},
    {.name = "freed twice",
     .host = free_twice,
     .kind = "host call",
     .result = CUDA_ERROR_INVALID_VALUE,
     .says = {"cuMemFree", "freed"}},
    {.name = "freed in the middle",
     .host = free_something_else,
     .kind = "host call",
     .result = CUDA_ERROR_INVALID_VALUE,
     .says = {"cuMemFree"}},
    {.name = "copy of freed memory",
     .host = copy_freed,
     .kind = "host call",
     .result = CUDA_ERROR_INVALID_VALUE,
     .says = {"freed"}},
    {.name = "leak", .host = leak, .kind = "leak", .says = {"1000 bytes", "cuMemAlloc"}},
    {.name = "leak that is not asked for", .host = leak, .settings = {"JIG_SOFTGPU_LEAKS=0"}},
};
const size_t cases_host_count = COUNT_OF(cases_host);

enum { SIZE = 100 };

static CUdeviceptr hundred_bytes(void) {
  CUdeviceptr p;
  GPU(gpu()->cuMemAlloc(&p, SIZE));
  gpu_fill((void *)(uintptr_t)p, 0, SIZE);
  return p;
}

static void copy_past_the_end(const planted_case *c) {
  static const char bytes[SIZE + 1];
  (void)c;
  const CUdeviceptr p = hundred_bytes();
  planted_tell(gpu()->cuMemcpyHtoD(p, bytes, SIZE + 1));
  (void)gpu()->cuMemFree(p);
}

static void read_past_the_end(const planted_case *c) {
  char bytes[SIZE];
  (void)c;
  const CUdeviceptr p = hundred_bytes();
  planted_tell(gpu()->cuMemcpyDtoH(bytes, p + 4, SIZE));
  (void)gpu()->cuMemFree(p);
}

static void set_past_the_end(const planted_case *c) {
  (void)c;
  const CUdeviceptr p = hundred_bytes();
  planted_tell(gpu()->cuMemsetD8(p + SIZE - 1, 0, 2));
  (void)gpu()->cuMemFree(p);
}

static void free_twice(const planted_case *c) {
  (void)c;
  const CUdeviceptr p = hundred_bytes();
  GPU(gpu()->cuMemFree(p));
  planted_tell(gpu()->cuMemFree(p));
}

static void free_something_else(const planted_case *c) {
  (void)c;
  const CUdeviceptr p = hundred_bytes();
  planted_tell(gpu()->cuMemFree(p + 16));
  (void)gpu()->cuMemFree(p);
}

static void copy_freed(const planted_case *c) {
  char bytes[SIZE];
  (void)c;
  const CUdeviceptr p = hundred_bytes();
  GPU(gpu()->cuMemFree(p));
  planted_tell(gpu()->cuMemcpyDtoH(bytes, p, SIZE));
}

static void leak(const planted_case *c) {
  CUdeviceptr p;
  (void)c;
  planted_tell(gpu()->cuMemAlloc(&p, 1000));
}

/* The translator's log names what it is and where; nothing is reported. */
static void load_unknown(const planted_case *c) {
  static const char text[] = PTX_HEADER("8.0") "\n.visible .entry test()\n{\n.reg .b32 %r<2>;\n"
                                               "mov.u32 %r0, 1;\nfrobnicate.u32 %r1, %r0; // line 9\nret;\n}\n";
  __typeof__(cuModuleLoadDataEx) *load = NULL;
  char log[4096] = "";
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log, (void *)(uintptr_t)sizeof log};
  CUmodule module;
  (void)c;
  *(void **)&load = ptx_symbol("cuModuleLoadDataEx");
  const CUresult result = load(&module, text, (unsigned)COUNT_OF(options), options, values);
  if (strstr(log, "frobnicate") != NULL && strstr(log, "line 9") != NULL) {
    planted_tell(result);
  } else {
    printf("the log says: %s\n", log);
  }
}
