/* Races, barriers and masks gone wrong, and programs that never end. */
#include "planted.h"

#define RACE "shared-memory race"
#define BARRIER "barrier not reached by all"
#define MASK "invalid member mask"
#define WORDS ".shared .align 16 .b32 words[256];\n"
/* %r31: the thread's own word, %r30: the first one's */
#define OWN "mov.u32 %r30, words;\nshl.b32 %r31, %t, 2;\nadd.u32 %r31, %r31, %r30;\n"
/* %r29: the word of the thread that many further on, of 128 */
#define FURTHER(by)       \
  "add.u32 %r29, %t, " by \
  ";\nand.b32 %r29, %r29, 127;\nshl.b32 %r29, %r29, 2;\nadd.u32 %r29, %r29, %r30;\n"
#define SAVE "st.global.u32 [%po], %r0;\n"
#define RACING(text, ...)                                                                  \
  .body = OWN text, .declarations = WORDS, .threads = 128, .out_bytes = 512, .kind = RACE, \
  .says = {__VA_ARGS__}

/* Block i adds to what block i - 1 has published; %p0: this is the first block; %p1: this one publishes.
 */
#define LOOK_BACK(publishes)                                                                          \
  "setp.eq.u32 %p0, %cta, 0;\nmul.wide.u32 %w1, %cta, 8;\nadd.u64 %w1, %w1, %out;\nmov.u32 %r1, 0;\n" \
  "@%p0 bra publish;\nwait:\nld.acquire.gpu.global.v2.u32 {%r2, %r1}, [%w1+-8];\n"                    \
  "setp.eq.u32 %p2, %r2, 0;\n@%p2 bra wait;\npublish:\nadd.u32 %r1, %r1, %cta;\n" publishes           \
  "@%p1 st.global.u32 [%w1+4], %r1;\nfence.acq_rel.gpu;\n@%p1 st.relaxed.gpu.global.u32 [%w1], 1;\n"

const planted_case cases_sync[] = {
    /* races */
    {.name = "write and write",
     RACING("st.shared.u32 [%r30], %t; //!\n", "write of 4 bytes", "the other: write")},
    {.name = "write and read",
     RACING(FURTHER("32") "st.shared.u32 [%r31], %t;\nld.shared.u32 %r0, [%r29]; //!\n" SAVE,
            "read of 4 bytes", "the other: write")},
    {.name = "read and write",
     RACING(FURTHER("32") "st.shared.u32 [%r31], %t;\nbar.sync 0;\nld.shared.u32 %r0, [%r29];\n"
                          "st.shared.u32 [%r31], %r0; //!\n" SAVE,
            "write of 4 bytes", "the other: read")},
    {.name = "no bar.warp.sync",
     RACING("xor.b32 %r29, %r31, 4;\nst.shared.u32 [%r31], %t;\nld.shared.u32 %r0, [%r29]; //!\n" SAVE,
            "the other: write")},
    {.name = "bar.warp.sync is not enough",
     RACING(FURTHER("32") "st.shared.u32 [%r31], %t;\nbar.warp.sync 0xffffffff;\nld.shared.u32 %r0, "
                          "[%r29]; //!\n" SAVE,
            "the other: write")},
    {.name = "across halves",
     RACING(FURTHER("64") "shr.u32 %r1, %t, 6;\nadd.u32 %r1, %r1, 1;\nst.shared.u32 [%r31], "
                          "%t;\nbar.sync %r1, 64;\n"
                          "ld.shared.u32 %r0, [%r29]; //!\n" SAVE,
            "the other: write")},
    {.name = "bytes of one word",
     RACING("and.b32 %r1, %t, 63;\nadd.u32 %r1, %r1, %r30;\nst.shared.u8 [%r1], %t; //!\n",
            "write of 1 byte")},
    {.name = "plain and atomic",
     RACING("setp.eq.u32 %p0, %t, 0;\n@%p0 st.shared.u32 [%r30], 0;\nbar.sync 0;\nsetp.eq.u32 %p1, %t, "
            "127;\n"
            "@!%p1 atom.shared.add.u32 %r0, [%r30], 1;\n@%p1 st.shared.u32 [%r30], 5;\n",
            "4 bytes")},
    {.name = "a flag without order",
     RACING(
         "setp.eq.u32 %p0, %t, 0;\nadd.u32 %r28, %r30, 512;\n@%p0 st.shared.u32 [%r28], 0;\nbar.sync 0;\n"
         "setp.eq.u32 %p1, %t, 64;\n@%p1 st.shared.u32 [%r28+4], 7;\n@%p1 st.shared.u32 [%r28], 1;\n"
         "setp.ne.u32 %p2, %t, 64;\n@%p2 ld.shared.u32 %r0, [%r28]; //!\n",
         "read of 4 bytes")},
    /* the copy has not been made yet */
    {.name = "cp.async without waiting",
     .body = OWN "cp.async.ca.shared.global [%r31], [%pi], 4;\nld.shared.u32 %r0, [%r31];\n"
                 "add.u32 %r0, %r0, 1; //!\n" SAVE "cp.async.wait_all;\n",
     .declarations = WORDS,
     .threads = 32,
     .in_bytes = 128,
     .out_bytes = 128,
     .kind = "uninitialised read"},
    {.name = "cp.async waits for its own only",
     .body = OWN FURTHER("1") "cp.async.ca.shared.global [%r31], [%pi], 4;\ncp.async.wait_all;\n"
                              "ld.shared.u32 %r0, [%r29]; //!\n" SAVE,
     .declarations = WORDS,
     .threads = 128,
     .in_bytes = 512,
     .out_bytes = 512,
     .kind = RACE},
    /* barriers */
    {.name = "half of a warp",
     .body = "setp.lt.u32 %p0, %lane, 16;\n@%p0 bar.sync 0; //!\nst.global.u32 [%po], %t;\n",
     .threads = 64,
     .out_bytes = 256,
     .kind = BARRIER,
     .result = CUDA_ERROR_LAUNCH_FAILED},
    {.name = "a warp that never comes",
     .body = "setp.ge.u32 %p0, %t, 96;\n@%p0 bra other;\nbar.sync 0; //!\nbra.uni end;\nother:\nbar.sync "
             "1;\nend:\n",
     .threads = 128,
     .kind = BARRIER,
     .result = CUDA_ERROR_LAUNCH_FAILED,
     .says = {"warp 3"}},
    {.name = "too few for a named barrier",
     .body = "setp.lt.u32 %p0, %t, 32;\n@!%p0 bra end;\nbar.sync 2, 64; //!\nend:\n",
     .threads = 64,
     .kind = BARRIER,
     .result = CUDA_ERROR_LAUNCH_FAILED},
    {.name = "not a multiple of a warp",
     .body = "mov.u32 %r1, 48;\nbar.sync 1, %r1; //!\n",
     .threads = 64,
     .kind = BARRIER,
     .result = CUDA_ERROR_LAUNCH_FAILED},
    /* member masks */
    {.name = "a caller that is no member",
     .body = "mov.u32 %r1, 0x0000ffff;\nshfl.sync.idx.b32 %r0, %t, 0, 0x1f, %r1; //!\n" SAVE,
     .threads = 32,
     .out_bytes = 128,
     .kind = MASK,
     .result = CUDA_ERROR_LAUNCH_FAILED,
     .says = {"0x0000ffff", "thread (16,0,0)"}},
    {.name = "a vote of others",
     .body = "mov.u32 %r1, 0xfffffffe;\nsetp.eq.u32 %p0, %t, %t;\nvote.sync.ballot.b32 %r0, %p0, %r1; "
             "//!\n" SAVE,
     .threads = 32,
     .out_bytes = 128,
     .kind = MASK,
     .result = CUDA_ERROR_LAUNCH_FAILED,
     .says = {"thread (0,0,0)"}},
    {.name = "a member that never comes",
     .body =
         "setp.lt.u32 %p0, %t, 16;\n@!%p0 bra other;\nshfl.sync.bfly.b32 %r0, %t, 1, 0x1f, 0xffffffff; "
         "//!\n"
         "bra end;\nother:\nbar.warp.sync 0xffff0000;\nvote.sync.any.pred %p1, %p0, 0xffffffff;\nend:\n",
     .threads = 32,
     .kind = MASK,
     .result = CUDA_ERROR_LAUNCH_FAILED,
     .says = {"which never come"}},
    /* programs that never end, stopped anywhere in their loops */
    {.name = "lost publication",
     .body = LOOK_BACK("setp.ne.u32 %p1, %cta, 1;\n"),
     .blocks = 4,
     .out_bytes = 32,
     .kind = "deadlock",
     .result = CUDA_ERROR_LAUNCH_TIMEOUT,
     .settings = {"JIG_SOFTGPU_WATCHDOG=1"},
     .says = {"block (2,0,0) warp 0", "block (3,0,0) warp 0", "PTX line", "kernel test"}},
    {.name = "lanes wait for each other",
     .body = "mov.u32 %r1, words;\nst.volatile.shared.u32 [%r1], 0;\nwait:\nld.volatile.shared.u32 %r0, "
             "[%r1];\n"
             "setp.eq.u32 %p0, %r0, 0;\n@%p0 bra wait;\nst.volatile.shared.u32 [%r1], 1;\n",
     .declarations = WORDS,
     .threads = 1,
     .kind = "deadlock",
     .result = CUDA_ERROR_LAUNCH_TIMEOUT,
     .settings = {"JIG_SOFTGPU_WATCHDOG=1"}},
    {.name = "an mbarrier that nobody completes",
     .body = "mov.u32 %r1, words;\nmbarrier.init.shared.b64 [%r1], 2;\nmbarrier.arrive.shared.b64 %w0, "
             "[%r1];\nwait:\n"
             "mbarrier.try_wait.shared.b64 %p0, [%r1], %w0;\n@!%p0 bra wait;\n",
     .declarations = WORDS,
     .threads = 1,
     .kind = "deadlock",
     .result = CUDA_ERROR_LAUNCH_TIMEOUT,
     .settings = {"JIG_SOFTGPU_WATCHDOG=1"}},
};
const size_t cases_sync_count = COUNT_OF(cases_sync);

/* ---- programs that are right: nothing is reported, and each ends */

#define RIGHT(text) \
  .body = OWN text, .declarations = WORDS, .threads = 128, .in_bytes = 512, .out_bytes = 512

const planted_case cases_right[] = {
    {.name = "right: write, barrier, read",
     RIGHT(
         FURTHER("32") "st.shared.u32 [%r31], %t;\nbar.sync 0;\nld.shared.u32 %r0, [%r29];\nbar.sync 0;\n"
                       "st.shared.u32 [%r31], %r0;\n" SAVE)},
    {.name = "right: bar.warp.sync",
     RIGHT("xor.b32 %r29, %r31, 4;\nst.shared.u32 [%r31], %t;\nbar.warp.sync 0xffffffff;\n"
           "ld.shared.u32 %r0, [%r29];\n" SAVE)},
    {.name = "right: within halves",
     RIGHT("xor.b32 %r29, %r31, 128;\nshr.u32 %r1, %t, 6;\nadd.u32 %r1, %r1, 1;\nst.shared.u32 [%r31], "
           "%t;\n"
           "bar.sync %r1, 64;\nld.shared.u32 %r0, [%r29];\n" SAVE)},
    {.name = "right: halves and then all",
     RIGHT(FURTHER(
         "64") "shr.u32 %r1, %t, 6;\nadd.u32 %r1, %r1, 1;\nst.shared.u32 [%r31], %t;\nbar.sync %r1, 64;\n"
               "bar.sync 0;\nld.shared.u32 %r0, [%r29];\n" SAVE)},
    {.name = "right: bytes of their own",
     RIGHT("add.u32 %r1, %t, %r30;\nst.shared.u8 [%r1], %t;\nld.shared.u8 %r0, [%r1];\n" SAVE)},
    {.name = "right: atomics",
     RIGHT("setp.eq.u32 %p0, %t, 0;\n@%p0 st.shared.u32 [%r30], 0;\nbar.sync 0;\natom.shared.add.u32 "
           "%r0, [%r30], 1;\n"
           "bar.sync 0;\nld.shared.u32 %r0, [%r30];\n" SAVE)},
    {.name = "right: a flag with order",
     RIGHT(
         "setp.eq.u32 %p0, %t, 0;\nadd.u32 %r28, %r30, 512;\n@%p0 st.shared.u32 [%r28], 0;\nbar.sync 0;\n"
         "setp.ne.u32 %p1, %t, 64;\n@%p1 bra wait;\nst.shared.u32 [%r28+4], 7;\n"
         "st.release.cta.shared.u32 [%r28], 1;\nbra end;\nwait:\nld.acquire.cta.shared.u32 %r1, [%r28];\n"
         "setp.eq.u32 %p2, %r1, 0;\n@%p2 bra wait;\nld.shared.u32 %r0, [%r28+4];\n" SAVE "end:\n")},
    {.name = "right: fences and volatile",
     RIGHT(
         "setp.eq.u32 %p0, %t, 0;\nadd.u32 %r28, %r30, 512;\n@%p0 st.shared.u32 [%r28], 0;\nbar.sync 0;\n"
         "setp.ne.u32 %p1, %t, 64;\n@%p1 bra wait;\nst.shared.u32 [%r28+4], 7;\nmembar.cta;\n"
         "st.volatile.shared.u32 [%r28], 1;\nbra end;\nwait:\nld.volatile.shared.u32 %r1, [%r28];\n"
         "setp.eq.u32 %p2, %r1, 0;\n@%p2 bra wait;\nmembar.cta;\nld.shared.u32 %r0, [%r28+4];\n" SAVE
         "end:\n")},
    {.name = "right: mbarrier",
     RIGHT(FURTHER(
         "40") "setp.eq.u32 %p0, %t, 0;\nadd.u32 %r28, %r30, 512;\n"
               "@%p0 mbarrier.init.shared.b64 [%r28], 128;\nbar.sync 0;\nst.shared.u32 [%r31], %t;\n"
               "mbarrier.arrive.shared.b64 %w1, [%r28];\nwait:\nmbarrier.try_wait.shared.b64 %p1, "
               "[%r28], %w1;\n"
               "@!%p1 bra wait;\nld.shared.u32 %r0, [%r29];\n" SAVE)},
    {.name = "right: cp.async",
     RIGHT(FURTHER("1") "cp.async.ca.shared.global [%r31], [%pi], 4;\ncp.async.wait_all;\nbar.sync 0;\n"
                        "ld.shared.u32 %r0, [%r29];\n" SAVE)},
    {.name = "right: a warp has left",
     RIGHT("setp.ge.u32 %p0, %t, 96;\n@%p0 bra end;\nbar.sync 0;\nst.global.u32 [%po], %t;\nend:\n")},
    {.name = "right: members have left",
     RIGHT("setp.ge.u32 %p0, %lane, 16;\n@%p0 bra end;\nshfl.sync.bfly.b32 %r0, %t, 3, 0x1f, "
           "0xffffffff;\n" SAVE "end:\n")},
    {.name = "right: half of a warp by barrier.sync",
     RIGHT("setp.lt.u32 %p0, %lane, 16;\n@%p0 bra low;\nbarrier.sync 0;\nbra end;\nlow:\nbarrier.sync "
           "0;\nend:\n")},
    {.name = "right: look-back",
     .body = LOOK_BACK("setp.eq.u32 %p1, %cta, %cta;\n"),
     .blocks = 300,
     .out_bytes = 2400,
     .settings = {"JIG_SOFTGPU_WATCHDOG=5"}},
    {.name = "right: look-back by one worker",
     .body = LOOK_BACK("setp.eq.u32 %p1, %cta, %cta;\n"),
     .blocks = 300,
     .out_bytes = 2400,
     .settings = {"JIG_SOFTGPU_WORKERS=1", "JIG_SOFTGPU_SEED=7"}},
    /* for the seeds: what the blocks and warps leave depends on their order, or does not */
    {.name = "order of blocks",
     .body = "ld.volatile.global.u32 %r0, [%out];\nmad.lo.u32 %r0, %r0, 31, %cta;\n"
             "st.volatile.global.u32 [%out], %r0;\n",
     .blocks = 32},
    {.name = "order of warps",
     .body = "atom.global.exch.b32 %r0, [%out], %warp;\nshl.b32 %r1, %warp, 2;\ncvt.u64.u32 %w0, %r1;\n"
             "add.u64 %w0, %w0, %out;\nsetp.eq.u32 %p0, %lane, 31;\n@%p0 st.global.u32 [%w0+4], %r0;\n",
     .threads = 256},
    {.name = "a sum by atomics",
     .body = "mad.lo.u32 %r0, %i, 31, 7;\nred.global.add.u32 [%out], %r0;\nred.global.max.u32 [%out+4], "
             "%r0;\n",
     .blocks = 32,
     .threads = 64},
};
const size_t cases_right_count = COUNT_OF(cases_right);
