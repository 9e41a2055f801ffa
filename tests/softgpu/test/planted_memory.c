/* Accesses to places where there is nothing, nothing any more, or nothing of that shape. */
#include "planted.h"

#include <stdio.h>

#include "ptx_internal.h"

#define WORDS ".shared .align 16 .b8 words[64];\n.const .align 4 .b8 table[16] = {1, 2, 3, 4};\n"
#define BAD_ADDRESS CUDA_ERROR_ILLEGAL_ADDRESS
#define BAD_ALIGNMENT CUDA_ERROR_MISALIGNED_ADDRESS
#define OUT_OF_BOUNDS "out of bounds"
#define MISALIGNED "misaligned access"

static void use_freed(const planted_case *c);

const planted_case cases_memory[] = {
    /* global memory */
    {.name = "read past the end",
     .body = "ld.global.u32 %r0, [%pi]; //!\nst.global.u32 [%out], %r0;\n",
     .threads = 17,
     .result = BAD_ADDRESS,
     .kind = OUT_OF_BOUNDS,
     .says = {"read of 4 bytes", "thread (16,0,0) of block (0,0,0)",
              "past the end of 64 bytes allocated by cuMemAlloc"}},
    {.name = "write past the end in another block",
     .body = "st.global.u32 [%po], %t; //!\n",
     .blocks = 2,
     .threads = 32,
     .out_bytes = 132,
     .result = BAD_ADDRESS,
     .kind = OUT_OF_BOUNDS,
     .says = {"write of 4 bytes", "thread (1,0,0) of block (1,0,0)", "right past the end of 132 bytes"}},
    {.name = "one byte past the end",
     .body = "st.global.u8 [%out+63], %r0;\nst.global.u8 [%out+64], 1; //!\n",
     .result = BAD_ADDRESS,
     .kind = OUT_OF_BOUNDS,
     .says = {"write of 1 byte", "right past the end of 64 bytes"}},
    {.name = "a word half past the end",
     .body = "ld.global.u32 %r0, [%in+60]; //!\n",
     .in_bytes = 62,
     .result = BAD_ADDRESS,
     .kind = OUT_OF_BOUNDS,
     .says = {"read of 4 bytes"}},
    {.name = "before the start",
     .body = "ld.global.u32 %r0, [%in+-4]; //!\nst.global.u32 [%out], %r0;\n",
     .result = BAD_ADDRESS,
     .kind = OUT_OF_BOUNDS,
     .says = {"4 bytes before"}},
    {.name = "a vector across the end",
     .body = "ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%in+48]; //!\n",
     .in_bytes = 56,
     .result = BAD_ADDRESS,
     .kind = OUT_OF_BOUNDS,
     .says = {"read of 16 bytes"}},
    {.name = "null pointer",
     .body = "mov.u64 %w0, 0;\nld.global.u32 %r0, [%w0]; //!\n",
     .result = BAD_ADDRESS,
     .kind = OUT_OF_BOUNDS,
     .says = {"address 0x0"}},
    {.name = "a member of null",
     .body = "mov.u64 %w0, 0;\nst.u32 [%w0+24], %t; //!\n",
     .result = BAD_ADDRESS,
     .kind = OUT_OF_BOUNDS},
    {.name = "far away",
     .body = "mov.u64 %w0, 0xdeadbeef00;\nst.global.u32 [%w0], %t; //!\n",
     .result = BAD_ADDRESS,
     .kind = OUT_OF_BOUNDS},
    {.name = "atomic past the end",
     .body = "atom.global.add.u32 %r0, [%out+64], 1; //!\n",
     .result = BAD_ADDRESS,
     .kind = OUT_OF_BOUNDS,
     .says = {"right past the end"}},
    {.name = "guarded lanes are not meant",
     .body =
         "setp.lt.u32 %p0, %t, 16;\n@%p0 ld.global.u32 %r0, [%pi];\n@!%p0 bra end;\nadd.u32 %r1, %t, 1;\n"
         "mad.wide.u32 %w0, %r1, 4, %in;\nld.global.u32 %r0, [%w0]; //!\nend:\n",
     .threads = 32,
     .result = BAD_ADDRESS,
     .kind = OUT_OF_BOUNDS,
     .says = {"thread (15,0,0)"}},
    {.name = "cp.async past the end",
     .body =
         "mov.u32 %r1, words;\ncp.async.ca.shared.global [%r1], [%in+56], 16; //!\ncp.async.wait_all;\n",
     .declarations = WORDS,
     .result = BAD_ALIGNMENT,
     .kind = MISALIGNED},
    {.name = "cp.async across the end",
     .body =
         "mov.u32 %r1, words;\ncp.async.cg.shared.global [%r1], [%in+48], 16; //!\ncp.async.wait_all;\n",
     .declarations = WORDS,
     .in_bytes = 60,
     .result = BAD_ADDRESS,
     .kind = OUT_OF_BOUNDS},
    {.name = "bulk copy past the end",
     .body = "fence.proxy.async;\ncp.async.bulk.global.shared::cta.bulk_group [%out], [words], 128; //!\n"
             "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\n",
     .declarations = WORDS,
     .result = BAD_ADDRESS,
     .kind = OUT_OF_BOUNDS},
    /* others */
    {.name = "shared past the end",
     .body = "mov.u32 %r1, words;\nst.shared.u32 [%r1+64], %t; //!\n",
     .declarations = WORDS,
     .result = BAD_ADDRESS,
     .kind = OUT_OF_BOUNDS,
     .says = {"write of 4 bytes", "shared memory"}},
    {.name = "shared across the end",
     .body = "mov.u32 %r1, words;\nst.shared.v2.u64 [%r1+56], {%in, %out}; //!\n",
     .declarations = ".shared .align 8 .b8 words[64];\n",
     .result = BAD_ALIGNMENT,
     .kind = MISALIGNED},
    {.name = "dynamic shared past the end",
     .body = "mov.u32 %r1, dynamic;\nshl.b32 %r2, %t, 2;\nadd.u32 %r1, %r1, %r2;\nst.shared.u32 [%r1], "
             "%t; //!\n",
     .declarations = ".extern .shared .align 4 .b8 dynamic[];\n",
     .threads = 33,
     .shared_bytes = 128,
     .result = BAD_ADDRESS,
     .kind = OUT_OF_BOUNDS,
     .says = {"thread (32,0,0)", "128 bytes"}},
    {.name = "generic shared past the end",
     .body = "mov.u64 %w0, words;\ncvta.shared.u64 %w0, %w0;\nld.u32 %r0, [%w0+1000]; //!\n",
     .declarations = WORDS,
     .result = BAD_ADDRESS,
     .kind = OUT_OF_BOUNDS,
     .says = {"shared memory"}},
    {.name = "local past the end",
     .body =
         ".local .align 4 .b8 array[32];\nmov.u64 %w0, array;\nld.local.u32 %r0, [%w0+1000000]; //!\n",
     .result = BAD_ADDRESS,
     .kind = OUT_OF_BOUNDS,
     .says = {"local memory"}},
    {.name = "generic past the end, of lanes with local memory, too",
     .body = ".local .align 4 .b8 array[32];\nmov.u64 %w0, array;\ncvta.local.u64 %w0, %w0;\n"
             "st.local.u32 [array], %t;\nand.b32 %r1, %t, 1;\nsetp.ne.u32 %p0, %r1, 0;\n"
             "selp.b64 %w0, %w0, %pi, %p0;\nld.u32 %r0, [%w0]; //!\n",
     .threads = 32,
     .result = BAD_ADDRESS,
     .kind = OUT_OF_BOUNDS,
     .says = {"read of 4 bytes", "thread (16,0,0)", "right past the end of 64 bytes"}},
    {.name = "local past the end, of lanes with global memory, too",
     .body = ".local .align 4 .b8 array[32];\nmov.u64 %w0, array;\ncvta.local.u64 %w0, %w0;\n"
             "add.u64 %w0, %w0, 1000000;\nsetp.eq.u32 %p0, %t, 5;\n"
             "selp.b64 %w0, %w0, %pi, %p0;\nst.u32 [%w0], %t; //!\n",
     .threads = 16,
     .result = BAD_ADDRESS,
     .kind = OUT_OF_BOUNDS,
     .says = {"write of 4 bytes", "thread (5,0,0)", "local memory"}},
    {.name = "parameter past the end",
     .body = "mov.b64 %w0, p_in;\nld.param.u32 %r0, [%w0+4096]; //!\n",
     .result = BAD_ADDRESS,
     .kind = OUT_OF_BOUNDS,
     .says = {"parameter"}},
    {.name = "constant past the end",
     .body = "mov.u64 %w0, table;\nld.const.u32 %r0, [%w0+1000000]; //!\n",
     .declarations = WORDS,
     .result = BAD_ADDRESS,
     .kind = OUT_OF_BOUNDS},
    {.name = "constant just past the end",
     .body = "mov.u64 %w0, table;\nld.const.u32 %r0, [%w0+16]; //!\n",
     .declarations = WORDS,
     .result = BAD_ADDRESS,
     .kind = OUT_OF_BOUNDS,
     .says = {"16 bytes", "table"}},
    {.name = "variable past the end",
     .body = "mov.u64 %w0, array;\nst.global.u8 [%w0+10], 1; //!\n",
     .declarations = ".global .align 4 .b8 array[10];\n",
     .result = BAD_ADDRESS,
     .kind = OUT_OF_BOUNDS,
     .says = {"right past the end of 10 bytes", "array"}},
    {.name = "write to constants",
     .body = "mov.u64 %w0, table;\ncvta.const.u64 %w0, %w0;\nst.u32 [%w0], 5; //!\n",
     .declarations = WORDS,
     .result = BAD_ADDRESS,
     .kind = "write to read-only memory",
     .says = {"table"}},
    /* freed */
    {.name = "use after free",
     .body = "ld.global.u32 %r0, [%in+8]; //!\nst.global.u32 [%out], %r0;\n",
     .result = BAD_ADDRESS,
     .kind = "use after free",
     .host = use_freed,
     .says = {"at byte 8 of 64 bytes allocated by cuMemAlloc", "freed",
              "thread (0,0,0) of block (0,0,0)"}},
    /* misaligned */
    {.name = "misaligned global",
     .body = "ld.global.u32 %r0, [%in+2]; //!\n",
     .result = BAD_ALIGNMENT,
     .kind = MISALIGNED,
     .says = {"read of 4 bytes"}},
    {.name = "misaligned vector",
     .body = "st.global.v2.u32 [%out+4], {%t, %t}; //!\n",
     .result = BAD_ALIGNMENT,
     .kind = MISALIGNED,
     .says = {"write of 8 bytes", "multiple of 8"}},
    {.name = "misaligned atomic",
     .body = "red.global.add.u64 [%out+12], 1; //!\n",
     .result = BAD_ALIGNMENT,
     .kind = MISALIGNED},
    {.name = "misaligned shared",
     .body = "mov.u32 %r1, words;\nst.shared.u64 [%r1+4], %in; //!\n",
     .declarations = WORDS,
     .result = BAD_ALIGNMENT,
     .kind = MISALIGNED},
    {.name = "misaligned local",
     .body = ".local .align 8 .b8 array[32];\nmov.u64 %w0, array;\nst.local.u16 [%w0+1], 1; //!\n",
     .result = BAD_ALIGNMENT,
     .kind = MISALIGNED},
    {.name = "misaligned constant",
     .body = "mov.u64 %w0, table;\nld.const.u32 %r0, [%w0+3]; //!\n",
     .declarations = WORDS,
     .result = BAD_ALIGNMENT,
     .kind = MISALIGNED},
    {.name = "misaligned parameter",
     .body = "mov.b64 %w0, p_in;\nld.param.u32 %r0, [%w0+2]; //!\n",
     .result = BAD_ALIGNMENT,
     .kind = MISALIGNED},
};
const size_t cases_memory_count = COUNT_OF(cases_memory);

static void use_freed(const planted_case *c) {
  CUfunction function;
  CUdeviceptr in, out;
  unsigned n = 0;
  if (planted_load(c, &function) == NULL) return;
  GPU(gpu()->cuMemAlloc(&in, 64));
  GPU(gpu()->cuMemAlloc(&out, 64));
  gpu_fill((void *)(uintptr_t)in, 0, 64);
  GPU(gpu()->cuMemFree(in));
  void *parameters[] = {&in, &out, &n};
  GPU(gpu()->cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL));
  planted_tell(gpu()->cuCtxSynchronize());
}
