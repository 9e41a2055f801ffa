/* mbarriers and asynchronous copies within a block: PTX ISA, mbarrier.*, cp.async, cp.async.bulk,
 * cp.reduce.async.bulk, st.async, red.async. */
#include <stdio.h>
#include <string.h>

#include "ptx_support.h"

typedef ptx_thread_row row;
enum { BLOCKS = 3 };
#define BAR ".shared .align 8 .b64 bar;\n.shared .align 8 .b64 bar_2;\n"
#define ROW(name, text, threads, wanted) \
  { name, text, threads, BLOCKS, 0, wanted, BAR, NULL, false }

/* %r28: the mbarrier, which thread 0 initialises; %p9: not thread 0. */
#define INIT(count)                                                                            \
  "mov.u32 %r28, bar;\nsetp.ne.u32 %p9, %t, 0;\n@!%p9 mbarrier.init.shared.b64 [%r28], " count \
  ";\n"                                                                                        \
  "@!%p9 fence.mbarrier_init.release.cluster;\n@!%p9 fence.proxy.async.shared::cta;\nbar.sync 0;\n"
#define STORE "mad.lo.u32 %r1, %t, 3, 1;\nst.shared.u32 [%r31], %r1;\n"
#define LOAD_MIRRORED                                                                              \
  "sub.u32 %r2, %r29, %t;\nadd.u32 %r2, %r2, -1;\nshl.b32 %r2, %r2, 2;\nadd.u32 %r2, %r2, %r30;\n" \
  "ld.shared.u32 %r0, [%r2];\n"
#define WAIT(name, instruction) name ":\n" instruction "\n@!%p0 bra " name ";\n"
#define WAIT_PARITY(name, parity) \
  WAIT(name, "mbarrier.try_wait.parity.shared.b64 %p0, [%r28], " parity ";")

static uint32_t mirrored(const row *r, unsigned block, unsigned thread) {
  (void)block;
  return (r->threads - 1 - thread) * 3 + 1;
}

/* ---- arriving and waiting */

#define ARRIVE_AND(arrive, wait) INIT("%r29") STORE arrive "\n" WAIT("wait", wait) LOAD_MIRRORED
#define TEST_WAIT "mbarrier.test_wait.shared.b64 %p0, [%r28], %w9;"

START_TEST(arrivals) {
  static const row rows[] = {
      ROW("arrive test_wait", ARRIVE_AND("mbarrier.arrive.shared.b64 %w9, [%r28];", TEST_WAIT), 128,
          mirrored),
      ROW("arrive try_wait",
          ARRIVE_AND("mbarrier.arrive.shared::cta.b64 %w9, [%r28];",
                     "mbarrier.try_wait.shared::cta.b64 %p0, [%r28], %w9;"),
          100, mirrored),
      ROW("try_wait with a time",
          ARRIVE_AND("mbarrier.arrive.release.cta.shared.b64 %w9, [%r28];",
                     "mbarrier.try_wait.acquire.cta.shared.b64 %p0, [%r28], %w9, 1000;"),
          64, mirrored),
      ROW("test_wait.parity",
          ARRIVE_AND("mbarrier.arrive.release.cluster.shared::cta.b64 %w9, [%r28];",
                     "mbarrier.test_wait.parity.acquire.cluster.shared.b64 %p0, [%r28], 0;"),
          96, mirrored),
      ROW("try_wait.parity",
          ARRIVE_AND("mbarrier.arrive.shared.b64 _, [%r28];",
                     "mbarrier.try_wait.parity.shared.b64 %p0, [%r28], 0, 100000;"),
          33, mirrored),
      ROW("counted",
          INIT("192") STORE "mbarrier.arrive.shared.b64 %w9, [%r28], 3;\n" WAIT("wait", TEST_WAIT)
              LOAD_MIRRORED,
          64, mirrored),
      ROW("generic addresses",
          INIT("%r29") STORE
          "cvt.u64.u32 %w8, %r28;\ncvta.shared.u64 %w8, %w8;\nmbarrier.arrive.b64 %w9, [%w8];\n" WAIT(
              "wait", "mbarrier.test_wait.b64 %p0, [%w8], %w9;") LOAD_MIRRORED,
          64, mirrored),
      ROW("divergent arrivals",
          INIT("%r29") STORE "and.b32 %r3, %t, 3;\nsetp.lt.u32 %p1, %r3, 2;\n@%p1 bra one;\n"
                             "mbarrier.arrive.shared.b64 %w9, [%r28];\n" WAIT(
                                 "wait_1", TEST_WAIT) "bra both;\none:\n"
                                                      "mbarrier.arrive.shared.b64 %w9, [%r28];\n" WAIT(
                                                          "wait_2", TEST_WAIT) "both:\n" LOAD_MIRRORED,
          128, mirrored),
      ROW("no completion by the others",
          INIT("%r29") STORE "@%p9 mbarrier.arrive.noComplete.shared.b64 %w9, [%r28], 1;\nbar.sync 0;\n"
                             "@!%p9 mbarrier.arrive.shared.b64 %w9, [%r28];\nbar.sync 0;\n" WAIT_PARITY(
                                 "wait", "0") LOAD_MIRRORED,
          64, mirrored),
  };
  PTX_THREAD_ROWS("arrivals", rows);
}
END_TEST

/* ---- phases */

enum { ROUNDS = 7 };
static uint32_t after_rounds(const row *r, unsigned block, unsigned thread) {
  uint32_t words[256] = {0}, next[256];
  (void)block;
  for (uint32_t round = 0; round < ROUNDS; ++round) {
    for (unsigned t = 0; t < r->threads; ++t) next[t] = words[(t + 1) % r->threads] * 3 + t + round;
    memcpy(words, next, sizeof words);
  }
  return words[thread];
}
#define ROUND_TEXT \
  "st.shared.u32 [%r31], 0;\nmov.u32 %r3, 0;\nadd.u32 %r4, %t, 1;\nsetp.eq.u32 %p1, %r4, %r29;\n"       \
  "selp.u32 %r4, 0, %r4, %p1;\nshl.b32 %r4, %r4, 2;\nadd.u32 %r4, %r4, %r30;\nround:\n"                 \
  "mbarrier.arrive.shared.b64 _, [%r28];\n" WAIT_PARITY("wait_1", "0")                                  \
  "ld.shared.u32 %r5, [%r4];\nmad.lo.u32 %r5, %r5, 3, %t;\nadd.u32 %r5, %r5, %r3;\n"                    \
  "mbarrier.arrive.shared.b64 _, [%r28];\n" WAIT_PARITY("wait_2", "1")                                  \
  "st.shared.u32 [%r31], %r5;\nadd.u32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, 7;\n@%p1 bra round;\n"       \
  "mov.u32 %r0, %r5;\n"

static uint32_t five(const row *r, unsigned block, unsigned thread) {
  (void)r, (void)block, (void)thread;
  return 5;
}
/* What test_wait said before and after each step: before is no, after is yes. */
static uint32_t no_then_yes(const row *r, unsigned block, unsigned thread) {
  (void)r, (void)block, (void)thread;
  return 2;
}
static uint32_t counts(const row *r, unsigned block, unsigned thread) {
  (void)r, (void)block, (void)thread;
  return 5 << 8 | 4;
}
#define ASK(state, value)                                                       \
  "mbarrier.test_wait.shared.b64 %p0, [%r28], " state ";\nselp.u32 %r3, " value \
  ", 0, %p0;\n"                                                                 \
  "or.b32 %r0, %r0, %r3;\n"

START_TEST(phases) {
  static const row rows[] = {
      ROW("rounds", INIT("%r29") ROUND_TEXT, 160, after_rounds),
      ROW("rounds of few", INIT("%r29") ROUND_TEXT, 5, after_rounds),
      /* those who drop out in the first phase are not waited for in the second */
      ROW("arrive_drop",
          INIT("%r29") "and.b32 %r3, %t, 1;\nsetp.eq.u32 %p1, %r3, 1;\nmov.u32 %r0, 5;\n"
                       "@%p1 mbarrier.arrive_drop.shared.b64 _, [%r28];\n@%p1 bra end;\n"
                       "mbarrier.arrive.shared.b64 _, [%r28];\n" WAIT_PARITY(
                           "wait_1",
                           "0") "mbarrier.arrive.shared.b64 _, [%r28];\n" WAIT_PARITY("wait_2",
                                                                                      "1") "end:\n",
          128, five),
      ROW("arrive_drop of all but one",
          INIT("%r29") "mov.u32 %r0, 5;\n@%p9 mbarrier.arrive_drop.release.cta.shared.b64 %w9, "
                       "[%r28], 1;\n"
                       "@%p9 bra end;\nmbarrier.arrive.shared.b64 _, [%r28];\n" WAIT_PARITY(
                           "wait_1",
                           "0") "mbarrier.arrive.shared.b64 _, [%r28];\n" WAIT_PARITY("wait_2",
                                                                                      "1") "end:\n",
          70, five),
      ROW("pending_count",
          INIT("5") "mbarrier.arrive.shared.b64 %w1, [%r28];\nmbarrier.arrive.shared.b64 %w2, "
                    "[%r28];\n"
                    "mbarrier.pending_count.b64 %r3, %w1;\nmbarrier.pending_count.b64 %r4, %w2;\n"
                    "shl.b32 %r3, %r3, 8;\nor.b32 %r0, %r3, %r4;\n",
          1, counts),
      ROW("expect_tx",
          INIT("1") "mov.u32 %r0, 0;\nmbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r28], 16;\n"
                    "mbarrier.arrive.shared.b64 %w1, [%r28];\n" ASK(
                        "%w1", "1") "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%r28], "
                                    "16;\n" ASK("%w1", "2"),
          1, no_then_yes),
      ROW("arrive.expect_tx",
          INIT("1") "mov.u32 %r0, 0;\nmbarrier.arrive.expect_tx.shared.b64 %w1, [%r28], 48;\n" ASK(
              "%w1", "1") "mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%r28], "
                          "32;\n" ASK("%w1", "4") "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 "
                                                  "[%r28], 16;\n" ASK("%w1", "2"),
          1, no_then_yes),
      ROW("inval",
          INIT("7") "mov.u32 %r0, 0;\nmbarrier.inval.shared.b64 [%r28];\nmbarrier.init.shared.b64 "
                    "[%r28], 2;\n"
                    "mbarrier.arrive.shared.b64 %w1, [%r28];\n" ASK(
                        "%w1", "1") "mbarrier.arrive.shared.b64 %w2, [%r28];\n" ASK("%w1", "2"),
          1, no_then_yes),
  };
  PTX_THREAD_ROWS("phases", rows);
}
END_TEST

/* ---- cp.async */

static uint32_t own_word(const row *r, unsigned block, unsigned thread) {
  return ptx_word(block * r->threads + thread);
}
static uint32_t first_two(const row *r, unsigned block, unsigned thread) {
  const unsigned i = block * r->threads + thread;
  return ptx_word(2 * i) ^ ptx_word(2 * i + 1) << 1;
}
static uint32_t fold(uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
  return a ^ b << 1 ^ c << 2 ^ d << 3;
}
static uint32_t first_four(const row *r, unsigned block, unsigned thread) {
  const unsigned i = 4 * (block * r->threads + thread);
  return fold(ptx_word(i), ptx_word(i + 1), ptx_word(i + 2), ptx_word(i + 3));
}
/* The first thread % 17 bytes of 16, the others zero. */
static uint32_t partly(const row *r, unsigned block, unsigned thread) {
  uint32_t words[4];
  uint8_t bytes[16];
  for (unsigned k = 0; k < 4; ++k) words[k] = ptx_word(4 * (block * r->threads + thread) + k);
  memcpy(bytes, words, sizeof bytes);
  memset(bytes + thread % 17, 0, sizeof bytes - thread % 17);
  memcpy(words, bytes, sizeof words);
  return fold(words[0], words[1], words[2], words[3]);
}
static uint32_t every_second(const row *r, unsigned block, unsigned thread) {
  return thread % 2 == 0 ? 0 : own_word(r, block, thread);
}
static uint32_t of_two_groups(const row *r, unsigned block, unsigned thread) {
  const unsigned i = block * r->threads + thread;
  return ptx_word(i) ^ ptx_word(i + 1024) << 1;
}
static uint32_t of_mirror(const row *r, unsigned block, unsigned thread) {
  return ptx_word(block * r->threads + r->threads - 1 - thread);
}
/* %r27, %w7: the thread's `bytes` in shared memory and in the input */
#define PLACES(bytes) "mad.lo.u32 %r27, %t, " bytes ", %r30;\nmad.wide.u32 %w7, %i, " bytes ", %in;\n"
#define LOAD_ONE "ld.shared.u32 %r0, [%r31];\n"
#define LOAD_TWO "ld.shared.v2.u32 {%r0, %r1}, [%r27];\nshl.b32 %r1, %r1, 1;\nxor.b32 %r0, %r0, %r1;\n"
#define LOAD_FOUR                                                                                \
  "ld.shared.v4.u32 {%r0, %r1, %r2, %r3}, [%r27];\nshl.b32 %r1, %r1, 1;\nshl.b32 %r2, %r2, 2;\n" \
  "shl.b32 %r3, %r3, 3;\nxor.b32 %r0, %r0, %r1;\nxor.b32 %r0, %r0, %r2;\nxor.b32 %r0, %r0, %r3;\n"

START_TEST(small_copies) {
  static const row rows[] = {
      ROW("ca 4", "cp.async.ca.shared.global [%r31], [%pi], 4;\ncp.async.wait_all;\n" LOAD_ONE, 128,
          own_word),
      ROW("ca 8",
          PLACES("8") "cp.async.ca.shared::cta.global [%r27], [%w7], 8;\ncp.async.wait_all;\n" LOAD_TWO,
          100, first_two),
      ROW("ca 16",
          PLACES("16") "cp.async.ca.shared.global.L2::128B [%r27], [%w7], "
                       "16;\ncp.async.wait_all;\n" LOAD_FOUR,
          96, first_four),
      ROW("cg 16",
          PLACES("16") "cp.async.cg.shared.global.L2::256B [%r27], [%w7], 16;\n"
                       "cp.async.commit_group;\ncp.async.wait_group 0;\n" LOAD_FOUR,
          64, first_four),
      ROW("hint",
          PLACES("16") "createpolicy.fractional.L2::evict_first.b64 %w1, 1.0;\n"
                       "cp.async.cg.shared.global.L2::cache_hint [%r27], [%w7], 16, "
                       "%w1;\ncp.async.wait_all;\n" LOAD_FOUR,
          64, first_four),
      ROW("size",
          PLACES("16") "rem.u32 %r5, %t, 17;\ncp.async.ca.shared.global [%r27], [%w7], 16, %r5;\n"
                       "cp.async.wait_all;\n" LOAD_FOUR,
          96, partly),
      ROW("size of cg",
          PLACES("16") "rem.u32 %r5, %t, 17;\ncp.async.cg.shared.global [%r27], [%w7], 16, %r5;\n"
                       "cp.async.wait_all;\n" LOAD_FOUR,
          96, partly),
      ROW("ignored source",
          "and.b32 %r5, %t, 1;\nsetp.eq.u32 %p1, %r5, 0;\n"
          "cp.async.ca.shared.global [%r31], [%pi], 4, %p1;\ncp.async.wait_all;\n" LOAD_ONE,
          96, every_second),
      ROW("guarded",
          "and.b32 %r5, %t, 1;\nsetp.eq.u32 %p1, %r5, 0;\nst.shared.u32 [%r31], 0;\n"
          "@!%p1 cp.async.ca.shared.global [%r31], [%pi], 4;\ncp.async.wait_all;\n" LOAD_ONE,
          96, every_second),
      ROW("groups",
          "cp.async.ca.shared.global [%r31], [%pi], 4;\ncp.async.commit_group;\n"
          "cp.async.ca.shared.global [%r31+2048], [%pi+4096], "
          "4;\ncp.async.commit_group;\ncp.async.commit_group;\n"
          "cp.async.wait_group 2;\n" LOAD_ONE "cp.async.wait_group 1;\nld.shared.u32 %r1, [%r31+2048];\n"
          "shl.b32 %r1, %r1, 1;\nxor.b32 %r0, %r0, %r1;\n",
          128, of_two_groups),
      ROW("shared with the block",
          "cp.async.ca.shared.global [%r31], [%pi], 4;\ncp.async.wait_all;\nbar.sync 0;\n" LOAD_MIRRORED,
          100, of_mirror),
      ROW("mbarrier.arrive",
          INIT("%r29") "cp.async.ca.shared.global [%r31], [%pi], 4;\n"
                       "cp.async.mbarrier.arrive.shared.b64 [%r28];\nmbarrier.arrive.shared.b64 _, "
                       "[%r28];\n" WAIT_PARITY("wait", "0") LOAD_MIRRORED,
          128, of_mirror),
      ROW("mbarrier.arrive.noinc",
          INIT("%r29") "cp.async.ca.shared.global [%r31], [%pi], 4;\n"
                       "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%r28];\n" WAIT_PARITY("wait", "0")
                           LOAD_MIRRORED,
          128, of_mirror),
  };
  PTX_THREAD_ROWS("small_copies", rows);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {SUITE_TEST(arrivals), SUITE_TEST(phases), SUITE_TEST(small_copies)};
  return PTX_SUITE_RUN("ptx/async", tests);
}
