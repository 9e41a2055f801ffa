/* Values from memory that nobody has written: using them is reported, carrying them about is not. */
#include "planted.h"

#define UNINITIALISED "uninitialised read"
#define WORDS ".shared .align 16 .b8 words[256];\n"
#define LOAD "ld.global.u32 %r0, [%in];\n"

const planted_case cases_unset[] = {
    {.name = "unset in arithmetic",
     .body = LOAD "add.u32 %r1, %r0, 1; //!\nst.global.u32 [%out], %r1;\n",
     .unset = true,
     .kind = UNINITIALISED,
     .says = {"thread (0,0,0) of block (0,0,0)"}},
    {.name = "unset in a branch",
     .body = LOAD "setp.eq.u32 %p0, %r0, 5; //!\n@%p0 bra on;\nst.global.u32 [%out], 1;\non:\n",
     .unset = true,
     .kind = UNINITIALISED},
    {.name = "unset in an address",
     .body = "ld.global.u64 %w0, [%in];\nld.global.u32 %r0, [%w0]; //!\n",
     .unset = true,
     .kind = UNINITIALISED,
     .result = CUDA_ERROR_ILLEGAL_ADDRESS},
    {.name = "unset as an operand of atom",
     .body = LOAD "atom.global.add.u32 %r1, [%out], %r0; //!\n",
     .unset = true,
     .kind = UNINITIALISED},
    {.name = "atom on unset memory",
     .body = "atom.global.add.u32 %r1, [%in], 1; //!\n",
     .unset = true,
     .kind = UNINITIALISED},
    {.name = "unset in a shuffled sum",
     .body = "ld.global.u32 %r0, [%pi];\nshfl.sync.bfly.b32 %r1, %r0, 1, 0x1f, 0xffffffff;\n"
             "add.u32 %r2, %r1, %t; //!\nst.global.u32 [%po], %r2;\n",
     .threads = 32,
     .in_bytes = 128,
     .out_bytes = 128,
     .unset = true,
     .kind = UNINITIALISED},
    {.name = "unset shared memory",
     .body = "mov.u32 %r1, words;\nld.shared.u32 %r0, [%r1+8];\nmul.lo.u32 %r2, %r0, 3; //!\n"
             "st.global.u32 [%out], %r2;\n",
     .declarations = WORDS,
     .kind = UNINITIALISED},
    {.name = "unset dynamic shared memory",
     .body = "mov.u32 %r1, dynamic;\nld.shared.f32 %f0, [%r1];\nadd.f32 %f1, %f0, %f0; //!\n",
     .declarations = ".extern .shared .align 4 .b8 dynamic[];\n",
     .shared_bytes = 64,
     .kind = UNINITIALISED},
    {.name = "unset local memory",
     .body = ".local .align 4 .b8 array[32];\nmov.u64 %w0, array;\nst.local.u32 [%w0], 1;\n"
             "ld.local.u32 %r0, [%w0+4];\nxor.b32 %r1, %r0, 1;\nsetp.eq.u32 %p0, %r1, 1; //!\n"
             "selp.u32 %r2, 1, 2, %p0;\nst.global.u32 [%out], %r2;\n",
     .kind = UNINITIALISED},
    {.name = "one unset byte of a word",
     .body = "st.global.u8 [%in], 1;\nst.global.u16 [%in+2], 1;\n" LOAD "add.u32 %r1, %r0, 1; //!\n",
     .unset = true,
     .kind = UNINITIALISED},
    {.name = "unset after a copy",
     .body =
         LOAD "st.global.u32 [%out+16], %r0;\nld.global.u32 %r1, [%out+16];\nadd.u32 %r2, %r1, 1; //!\n",
     .unset = true,
     .kind = UNINITIALISED},
    {.name = "unset in one lane of a warp",
     .body = "setp.ne.u32 %p0, %t, 5;\n@%p0 st.global.u32 [%pi], %t;\nld.global.u32 %r0, [%pi];\n"
             "add.u32 %r1, %r0, 1; //!\nst.global.u32 [%po], %r1;\n",
     .threads = 32,
     .in_bytes = 128,
     .out_bytes = 128,
     .unset = true,
     .kind = UNINITIALISED,
     .says = {"thread (5,0,0)"}},
    {.name = "unset in global memory, of lanes with local memory, too",
     .body = ".local .align 4 .b8 array[32];\nmov.u64 %w0, array;\ncvta.local.u64 %w0, %w0;\n"
             "st.local.u32 [array], %t;\nsetp.ne.u32 %p0, %t, 5;\nselp.b64 %w0, %w0, %pi, %p0;\n"
             "ld.u32 %r0, [%w0];\nadd.u32 %r1, %r0, 1; //!\nst.global.u32 [%po], %r1;\n",
     .threads = 32,
     .in_bytes = 128,
     .out_bytes = 128,
     .unset = true,
     .kind = UNINITIALISED,
     .says = {"thread (5,0,0)"}},
    {.name = "unset of another block's shared memory",
     .body = "mov.u32 %r1, words;\nsetp.eq.u32 %p0, %cta, 0;\n@%p0 st.shared.u32 [%r1], 1;\n"
             "ld.shared.u32 %r0, [%r1];\nadd.u32 %r2, %r0, 1; //!\nst.global.u32 [%po], %r2;\n",
     .declarations = WORDS,
     .blocks = 2,
     .kind = UNINITIALISED,
     .says = {"block (1,0,0)"}},
    {.name = "unset added to bits that are set",
     .body = "st.global.u8 [%in], 1;\n" LOAD "add.u32 %r1, %r0, 256; //!\nst.global.u32 [%out], %r1;\n",
     .unset = true,
     .kind = UNINITIALISED},
    {.name = "unset padding that add has brought to a sum",
     .body = "st.global.u8 [%in], 1;\n" LOAD "shl.b32 %r0, %r0, 16;\nadd.u32 %r1, %r0, 7;\n"
             "add.u32 %r2, %r1, 0x01000000; //!\nst.global.u32 [%out], %r2;\n",
     .unset = true,
     .kind = UNINITIALISED},
    {.name = "unset padding behind a byte that a sum of bytes has moved",
     .body = "st.global.u8 [%in], 1;\nld.global.u16 %h0, [%in];\nadd.s16 %h1, %h0, 3;\n"
             "add.s16 %h1, %h1, %h0;\nsetp.eq.u16 %p0, %h1, 5; //!\nselp.u32 %r0, 1, 2, %p0;\n"
             "st.global.u32 [%out], %r0;\n",
     .unset = true,
     .kind = UNINITIALISED},
    {.name = "unset times what is no power of two",
     .body =
         "st.global.u8 [%in], 1;\n" LOAD "mul.lo.u32 %r1, %r0, 768; //!\nst.global.u32 [%out], %r1;\n",
     .unset = true,
     .kind = UNINITIALISED},
    /* nothing to say about these */
    {.name = "padding shifted by a product",
     .body = "st.global.u8 [%in], 1;\n" LOAD "mul.lo.u32 %r1, %r0, 65536;\nmul.wide.u16 %r2, 7, 256;\n"
             "st.global.u32 [%out], %r1;\nld.global.u8 %r3, [%out+2];\nadd.u32 %r3, %r3, %r2;\n"
             "st.global.u32 [%out+4], %r3;\n",
     .unset = true},
    {.name = "fields with padding joined by add",
     .body = "st.global.u8 [%in], 1;\n" LOAD "shl.b32 %r1, %r0, 16;\nadd.u32 %r2, %r1, 7;\n"
             "st.global.u32 [%out], %r2;\nand.b32 %r3, %r2, 0xffffff;\nadd.u32 %r4, %r3, 1;\n"
             "st.global.u32 [%out+4], %r4;\n",
     .unset = true},
    {.name = "padding behind a byte in a sum of bytes",
     .body = "st.global.u8 [%in], 1;\nld.global.u16 %h0, [%in];\nadd.s16 %h1, %h0, 3;\n"
             "and.b16 %h2, %h1, 255;\nadd.s16 %h2, %h2, 1;\nst.global.u16 [%out], %h2;\n",
     .unset = true},
    {.name = "padding copied",
     .body = "st.global.u8 [%in], 1;\nst.global.u32 [%in+4], 2;\nld.global.v2.u32 {%r0, %r1}, [%in];\n"
             "st.global.v2.u32 [%out], {%r0, %r1};\nld.global.u64 %w0, [%out];\nst.global.u64 [%out+8], "
             "%w0;\n"
             "mov.b64 {%r2, %r3}, %w0;\nadd.u32 %r4, %r3, 1;\nst.global.u32 [%out+16], %r4;\n"
             "ld.global.u8 %r5, [%out+8];\nadd.u32 %r5, %r5, 1;\nst.global.u32 [%out+20], %r5;\n",
     .unset = true},
    {.name = "padding through shared memory and a shuffle",
     .body = "mov.u32 %r1, words;\nshl.b32 %r2, %t, 2;\nadd.u32 %r1, %r1, %r2;\nst.global.u8 [%pi], %t;\n"
             "ld.global.u32 %r0, [%pi];\nst.shared.u32 [%r1], %r0;\nld.shared.u32 %r3, [%r1];\n"
             "shfl.sync.idx.b32 %r4, %r3, 3, 0x1f, 0xffffffff;\nst.global.u32 [%po], %r4;\n"
             "cvt.u32.u8 %r5, %r4;\nadd.u32 %r6, %r5, 1;\nst.global.u8 [%po], %r6;\n",
     .declarations = WORDS,
     .threads = 32,
     .in_bytes = 128,
     .out_bytes = 128,
     .unset = true},
    {.name = "unset but unused",
     .body = LOAD "setp.eq.u32 %p0, %t, %t;\nselp.u32 %r1, 7, %r0, %p0;\nadd.u32 %r1, %r1, 1;\n"
                  "st.global.u32 [%out], %r1;\n",
     .unset = true},
    {.name = "unset and not asked for",
     .body = LOAD "add.u32 %r1, %r0, 1;\nst.global.u32 [%out], %r1;\n",
     .unset = true,
     .settings = {"JIG_SOFTGPU_CHECK=0"}},
    {.name = "written before",
     .body = "st.global.u32 [%pi], %t;\nld.global.u32 %r0, [%pi];\nadd.u32 %r1, %r0, 1;\n"
             "st.global.u32 [%po], %r1;\n",
     .threads = 16,
     .unset = true},
};
const size_t cases_unset_count = COUNT_OF(cases_unset);
