/* Barriers of a block: PTX ISA, bar{.cta}, barrier{.cta} with sync, arrive and red. Each thread writes
 * what it has seen, and what that must be is written out for each program. */
#include <stdio.h>
#include <string.h>

#include "ptx_support.h"

enum { MOST_THREADS = 256, BLOCKS = 3 };
typedef ptx_thread_row row;

/* ---- the whole block */

static uint32_t mirrored(const row *r, unsigned block, unsigned thread) {
  (void)block;
  return (r->threads - 1 - thread) * 3 + 1;
}
#define STORE "mad.lo.u32 %r1, %t, 3, 1;\nst.shared.u32 [%r31], %r1;\n"
#define LOAD_MIRRORED                                                                              \
  "sub.u32 %r2, %r29, %t;\nadd.u32 %r2, %r2, -1;\nshl.b32 %r2, %r2, 2;\nadd.u32 %r2, %r2, %r30;\n" \
  "ld.shared.u32 %r0, [%r2];"

/* Thread t has added t + round to its neighbour's word in every round. */
static uint32_t after_rounds(const row *r, unsigned block, unsigned thread) {
  (void)block;
  uint32_t words[MOST_THREADS] = {0}, next[MOST_THREADS];
  for (uint32_t round = 0; round < 10; ++round) {
    for (unsigned t = 0; t < r->threads; ++t) next[t] = words[(t + 1) % r->threads] + t + round;
    memcpy(words, next, sizeof words);
  }
  return words[thread];
}
#define ROUNDS                                                                                       \
  "st.shared.u32 [%r31], 0;\nmov.u32 %r3, 0;\nadd.u32 %r4, %t, 1;\nsetp.eq.u32 %p0, %r4, %r29;\n"    \
  "selp.u32 %r4, 0, %r4, %p0;\nshl.b32 %r4, %r4, 2;\nadd.u32 %r4, %r4, %r30;\nround:\nbar.sync 0;\n" \
  "ld.shared.u32 %r5, [%r4];\nadd.u32 %r5, %r5, %t;\nadd.u32 %r5, %r5, %r3;\nbar.sync 0;\n"          \
  "st.shared.u32 [%r31], %r5;\nadd.u32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, 10;\n@%p1 bra round;\n"   \
  "mov.u32 %r0, %r5;"

/* The last warp has left; its words stay what they were before that. */
static uint32_t without_last_warp(const row *r, unsigned block, unsigned thread) {
  (void)block;
  return thread + 32 >= r->threads ? 0xcdcdcdcd : (thread + 32) * 3 + 1;
}
static uint32_t by_two_ways(const row *r, unsigned block, unsigned thread) {
  (void)r, (void)block;
  return (thread ^ 1) * 3 + 1;
}

START_TEST(whole_blocks) {
  static const row rows[] = {
      {"bar.sync", STORE "bar.sync 0;\n" LOAD_MIRRORED, 256, BLOCKS, 0, mirrored, NULL, NULL, false},
      {"bar.cta.sync", STORE "bar.cta.sync 0;\n" LOAD_MIRRORED, 100, BLOCKS, 0, mirrored, NULL, NULL,
       false},
      {"barrier.sync.aligned", STORE "barrier.sync.aligned 0;\n" LOAD_MIRRORED, 33, BLOCKS, 0, mirrored,
       NULL, NULL, false},
      {"barrier.cta.sync", STORE "barrier.cta.sync 7;\n" LOAD_MIRRORED, 200, BLOCKS, 0, mirrored, NULL,
       NULL, false},
      {"bar.sync register", STORE "mov.u32 %r3, 15;\nbar.sync %r3;\n" LOAD_MIRRORED, 128, BLOCKS, 0,
       mirrored, NULL, NULL, false},
      {"bar.sync counted", STORE "bar.sync 3, 128;\n" LOAD_MIRRORED, 128, BLOCKS, 0, mirrored, NULL, NULL,
       false},
      {"bar.sync counted by registers", STORE "mov.u32 %r3, 3;\nbar.sync %r3, %r29;\n" LOAD_MIRRORED, 96,
       BLOCKS, 0, mirrored, NULL, NULL, false},
      {"one warp", STORE "bar.sync 0;\n" LOAD_MIRRORED, 32, BLOCKS, 0, mirrored, NULL, NULL, false},
      {"one thread", STORE "bar.sync 0;\n" LOAD_MIRRORED, 1, BLOCKS, 0, mirrored, NULL, NULL, false},
      {"rounds", ROUNDS, 160, BLOCKS, 0, after_rounds, NULL, NULL, false},
      {"rounds of a partly filled warp", ROUNDS, 77, BLOCKS, 0, after_rounds, NULL, NULL, false},
      {"a warp has left",
       STORE "setp.ge.u32 %p0, %t, 96;\n@%p0 bra gone;\nbar.sync 0;\nbra.uni on;\ngone:\nret;\non:\n"
             "add.u32 %r3, %t, 32;\nsetp.ge.u32 %p1, %r3, 96;\n@%p1 mad.lo.u32 %r0, %r3, 3, 1;\n"
             "@!%p1 ld.shared.u32 %r0, [%r31+128];",
       128, BLOCKS, 0, without_last_warp, NULL, NULL, false},
      /* the halves of each warp come to barriers at different places */
      {"two ways",
       STORE
       "and.b32 %r3, %t, 1;\nsetp.eq.u32 %p0, %r3, 1;\n@%p0 bra odd;\nbarrier.sync 0;\nbra both;\nodd:\n"
       "barrier.sync 0;\nboth:\nxor.b32 %r4, %t, 1;\nshl.b32 %r4, %r4, 2;\nadd.u32 %r4, %r4, %r30;\n"
       "ld.shared.u32 %r0, [%r4];",
       128, BLOCKS, 0, by_two_ways, NULL, NULL, false},
      {"at different times",
       STORE
       "and.b32 %r3, %t, 7;\nwait:\nadd.u32 %r3, %r3, -1;\nsetp.gt.s32 %p0, %r3, 0;\n@%p0 bra wait;\n"
       "barrier.sync 0;\n" LOAD_MIRRORED,
       128, BLOCKS, 0, mirrored, NULL, NULL, false},
  };
  PTX_THREAD_ROWS("whole_blocks", rows);
}
END_TEST

/* ---- parts of a block */

/* Within each pair of warps, what the other warp wrote. */
static uint32_t of_other_warp(const row *r, unsigned block, unsigned thread) {
  (void)r, (void)block;
  return (thread ^ 32) * 3 + 1;
}
#define LOAD_OTHER_WARP \
  "xor.b32 %r4, %t, 32;\nshl.b32 %r4, %r4, 2;\nadd.u32 %r4, %r4, %r30;\nld.shared.u32 %r0, [%r4];"

/* Warps 0 and 1 produce five rounds, warps 2 and 3 add them up; both sides say what the sum is of. */
static uint32_t consumed(const row *r, unsigned block, unsigned thread) {
  (void)r, (void)block;
  uint32_t sum = 0;
  for (uint32_t round = 0; round < 5; ++round) sum += thread % 64 * 7 + round;
  return thread < 64 ? 5 : sum;
}
#define PRODUCE_AND_CONSUME                                                                              \
  "mov.u32 %r3, 0;\nmov.u32 %r0, 0;\nsetp.ge.u32 %p0, %t, 64;\n@%p0 bra consumer;\nproduce:\n"           \
  "bar.sync 2, 128;\n" /* it may be written to */                                                        \
  "mad.lo.u32 %r4, %t, 7, %r3;\nst.shared.u32 [%r31], %r4;\nbar.arrive 1, 128;\n"                        \
  "add.u32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, 5;\n@%p1 bra produce;\nmov.u32 %r0, %r3;\nbra.uni end;\n" \
  "consumer:\nbar.arrive 2, 128;\nconsume:\nbar.sync 1, 128;\nld.shared.u32 %r4, [%r31+-256];\n"         \
  "add.u32 %r0, %r0, %r4;\nadd.u32 %r3, %r3, 1;\nsetp.ge.u32 %p1, %r3, 5;\n@%p1 bra end;\n"              \
  "bar.arrive 2, 128;\nbra.uni consume;\nend:"

START_TEST(parts_of_blocks) {
  static const row rows[] = {
      {"pairs of warps",
       STORE "shr.u32 %r3, %t, 6;\nadd.u32 %r3, %r3, 5;\nbar.sync %r3, 64;\n" LOAD_OTHER_WARP, 256,
       BLOCKS, 0, of_other_warp, NULL, NULL, false},
      {"pairs of warps by constants",
       STORE "setp.lt.u32 %p0, %t, 64;\n@%p0 bra low;\nbar.sync 1, 64;\nbra.uni both;\nlow:\n"
             "bar.sync 2, 64;\nboth:\n" LOAD_OTHER_WARP,
       128, BLOCKS, 0, of_other_warp, NULL, NULL, false},
      {"barrier.sync of pairs",
       STORE
       "shr.u32 %r3, %t, 6;\nadd.u32 %r3, %r3, 12;\nbarrier.cta.sync.aligned %r3, 64;\n" LOAD_OTHER_WARP,
       256, BLOCKS, 0, of_other_warp, NULL, NULL, false},
      {"produce and consume", PRODUCE_AND_CONSUME, 128, BLOCKS, 0, consumed, NULL, NULL, false},
  };
  PTX_THREAD_ROWS("parts_of_blocks", rows);
}
END_TEST

/* ---- reductions of predicates */

static uint32_t count_of_thirds(const row *r, unsigned block, unsigned thread) {
  (void)block, (void)thread;
  return (r->threads + 2) / 3;
}
static uint32_t count_of_others(const row *r, unsigned block, unsigned thread) {
  return r->threads - count_of_thirds(r, block, thread);
}
/* Bit k is the k-th reduction's result. */
static uint32_t and_and_or(const row *r, unsigned block, unsigned thread) {
  (void)r, (void)block, (void)thread;
  return 1 << 1 | 1 << 2;
}
static uint32_t of_own_half(const row *r, unsigned block, unsigned thread) {
  (void)r, (void)block;
  return thread < 64 ? 64 : 1;
}
#define THIRDS "rem.u32 %r3, %t, 3;\nsetp.eq.u32 %p0, %r3, 0;\n"
#define AND_OR(opcode)                                                                                  \
  THIRDS opcode ".and.pred %p1, 0, %p0;\nsetp.eq.u32 %p4, %t, %t;\n" opcode                             \
                ".and.pred %p2, 0, %p4;\n" opcode ".or.pred %p3, 0, %p0;\n" opcode                      \
                ".or.pred %p5, 0, !%p4;\nselp.u32 %r4, 1, 0, %p1;\n"                                    \
                "selp.u32 %r5, 2, 0, %p2;\nselp.u32 %r6, 4, 0, %p3;\nselp.u32 %r7, 8, 0, %p5;\nor.b32 " \
                "%r0, %r4, %r5;\n"                                                                      \
                "or.b32 %r0, %r0, %r6;\nor.b32 %r0, %r0, %r7;"

START_TEST(reductions) {
  static const row rows[] = {
      {"bar.red.popc", THIRDS "bar.red.popc.u32 %r0, 0, %p0;", 100, BLOCKS, 0, count_of_thirds, NULL,
       NULL, false},
      {"bar.red.popc not", THIRDS "bar.red.popc.u32 %r0, 4, !%p0;", 96, BLOCKS, 0, count_of_others, NULL,
       NULL, false},
      {"barrier.cta.red.popc.aligned", THIRDS "barrier.cta.red.popc.aligned.u32 %r0, 1, 128, %p0;", 128,
       BLOCKS, 0, count_of_thirds, NULL, NULL, false},
      {"bar.red.and.or", AND_OR("bar.red"), 128, BLOCKS, 0, and_and_or, NULL, NULL, false},
      {"barrier.red.and.or", AND_OR("barrier.red"), 60, BLOCKS, 0, and_and_or, NULL, NULL, false},
      {"halves",
       "shr.u32 %r3, %t, 6;\nadd.u32 %r4, %r3, 1;\nsetp.lt.u32 %p0, %t, 65;\nbar.red.popc.u32 %r0, %r4, "
       "64, %p0;",
       128, BLOCKS, 0, of_own_half, NULL, NULL, false},
      {"one after the other",
       THIRDS "bar.red.popc.u32 %r0, 0, %p0;\nbar.red.popc.u32 %r4, 0, !%p0;\nadd.u32 %r0, %r0, %r4;\n"
              "bar.red.popc.u32 %r4, 0, !%p0;\nsub.u32 %r0, %r0, %r4;",
       192, BLOCKS, 0, count_of_thirds, NULL, NULL, false},
  };
  PTX_THREAD_ROWS("reductions", rows);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {SUITE_TEST(whole_blocks), SUITE_TEST(parts_of_blocks),
                                     SUITE_TEST(reductions)};
  return PTX_SUITE_RUN("ptx/barrier", tests);
}
