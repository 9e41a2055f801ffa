/* Clusters of blocks: PTX ISA, mapa, getctarank, .shared::cluster, barrier.cluster, copies between
 * blocks. */
#include <stdio.h>
#include <string.h>

#include "ptx_support.h"

typedef ptx_thread_row row;
enum { BLOCKS = 8, CLUSTER = 4, THREADS = 64 };
#define DECLARED ".shared .align 8 .b64 bar;\n.shared .align 8 .b32 counter;\n"
#define ROW(name, text, wanted) \
  { name, text, THREADS, BLOCKS, CLUSTER, wanted, DECLARED, "8.1", false }

#define CLUSTER_SYNC "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n"
#define STORE "mad.lo.u32 %r1, %i, 3, 1;\nst.shared.u32 [%r31], %r1;\n"
/* %r20: own rank; %r21: the next block's; %r22: its copy of the thread's word */
#define RANKS                                                                                   \
  "mov.u32 %r20, %cluster_ctarank;\nadd.u32 %r21, %r20, 1;\nmov.u32 %r23, %cluster_nctarank;\n" \
  "setp.eq.u32 %p1, %r21, %r23;\nselp.u32 %r21, 0, %r21, %p1;\n"                                \
  "mapa.shared::cluster.u32 %r22, %r31, %r21;\n"

static uint32_t value_of(unsigned block, unsigned thread) {
  return (block * THREADS + thread) * 3 + 1;
}
static unsigned next_block(unsigned block) {
  return block / CLUSTER * CLUSTER + (block + 1) % CLUSTER;
}
static unsigned previous_block(unsigned block) {
  return block / CLUSTER * CLUSTER + (block + CLUSTER - 1) % CLUSTER;
}
static uint32_t of_next(const row *r, unsigned block, unsigned thread) {
  (void)r;
  return value_of(next_block(block), thread);
}
static uint32_t of_previous(const row *r, unsigned block, unsigned thread) {
  (void)r;
  return value_of(previous_block(block), thread);
}

/* ---- who is who */

static uint32_t ranks(const row *r, unsigned block, unsigned thread) {
  (void)r, (void)thread;
  return block % CLUSTER | CLUSTER << 4 | (block % CLUSTER) << 8 | CLUSTER << 12 |
         (block / CLUSTER) << 16 | BLOCKS / CLUSTER << 20 | 1 << 24;
}
static uint32_t alone(const row *r, unsigned block, unsigned thread) {
  (void)r, (void)thread;
  return 1 << 4 | 1 << 12 | block << 16 | BLOCKS << 20;
}
#define FIELD(value, shift) \
  "mov.u32 %r1, " value ";\nshl.b32 %r1, %r1, " shift ";\nor.b32 %r0, %r0, %r1;\n"
#define WHO \
  "mov.u32 %r0, %cluster_ctarank;\n" FIELD("%cluster_nctarank", "4") FIELD("%cluster_ctaid.x", "8")    \
  FIELD("%cluster_nctaid.x", "12") FIELD("%clusterid.x", "16") FIELD("%nclusterid.x", "20")            \
  "mov.pred %p1, %is_explicit_cluster;\nselp.u32 %r1, 1, 0, %p1;\nshl.b32 %r1, %r1, 24;\nor.b32 %r0, %r0, %r1;\n"

START_TEST(special_registers) {
  static const row rows[] = {
      ROW("in a cluster", WHO, ranks),
      {"without a cluster", WHO, THREADS, BLOCKS, 0, alone, NULL, NULL, false},
  };
  PTX_THREAD_ROWS("special_registers", rows);
}
END_TEST

/* ---- the others' shared memory */

static uint32_t sum_of_all(const row *r, unsigned block, unsigned thread) {
  uint32_t sum = 0;
  (void)r;
  for (unsigned k = 0; k < CLUSTER; ++k) sum += value_of(block / CLUSTER * CLUSTER + k, thread);
  return sum;
}
static uint32_t rank_of_next(const row *r, unsigned block, unsigned thread) {
  (void)r, (void)thread;
  return next_block(block) % CLUSTER | (block % CLUSTER) << 8 | (next_block(block) % CLUSTER) << 16;
}
static uint32_t all_threads(const row *r, unsigned block, unsigned thread) {
  (void)r, (void)block, (void)thread;
  return CLUSTER * THREADS;
}
#define COUNT_TEXT(address, add)                                              \
  "setp.ne.u32 %p9, %t, 0;\n@!%p9 st.shared.u32 [counter], 0;\n" CLUSTER_SYNC \
  "mov.u32 %r1, counter;\n" address add CLUSTER_SYNC "ld.shared::cluster.u32 %r0, [%r2];\n" CLUSTER_SYNC

START_TEST(distributed_memory) {
  static const row rows[] = {
      ROW("loads", STORE RANKS CLUSTER_SYNC "ld.shared::cluster.u32 %r0, [%r22];\n" CLUSTER_SYNC,
          of_next),
      ROW("loads of vectors",
          STORE RANKS CLUSTER_SYNC
          "and.b32 %r2, %r22, 0xfffffffb;\nld.shared::cluster.v2.u32 {%r3, %r4}, [%r2];\n"
          "and.b32 %r5, %t, 1;\nsetp.eq.u32 %p2, %r5, 0;\nselp.u32 %r0, %r3, %r4, %p2;\n" CLUSTER_SYNC,
          of_next),
      ROW("stores",
          RANKS CLUSTER_SYNC
          "mad.lo.u32 %r1, %i, 3, 1;\nst.shared::cluster.u32 [%r22], %r1;\n" CLUSTER_SYNC
          "ld.shared.u32 %r0, [%r31];\n",
          of_previous),
      ROW("generic addresses",
          STORE RANKS CLUSTER_SYNC
          "cvt.u64.u32 %w1, %r31;\ncvta.shared.u64 %w1, %w1;\nmapa.u64 %w2, %w1, %r21;\n"
          "ld.u32 %r0, [%w2];\n" CLUSTER_SYNC,
          of_next),
      ROW("addresses of 64 bits",
          STORE RANKS CLUSTER_SYNC "cvt.u64.u32 %w1, %r31;\nmapa.shared::cluster.u64 %w2, %w1, %r21;\n"
                                   "ld.shared::cluster.u32 %r0, [%w2];\n" CLUSTER_SYNC,
          of_next),
      ROW("a variable's address",
          STORE RANKS CLUSTER_SYNC
          "mapa.shared::cluster.u32 %r2, words, %r21;\nshl.b32 %r3, %t, 2;\n"
          "add.u32 %r2, %r2, %r3;\nld.shared::cluster.u32 %r0, [%r2];\n" CLUSTER_SYNC,
          of_next),
      ROW("everyone's",
          STORE CLUSTER_SYNC
          "mov.u32 %r0, 0;\nmov.u32 %r2, 0;\nmore:\nmapa.shared::cluster.u32 %r3, %r31, %r2;\n"
          "ld.shared::cluster.u32 %r4, [%r3];\nadd.u32 %r0, %r0, %r4;\nadd.u32 %r2, %r2, 1;\n"
          "setp.lt.u32 %p2, %r2, 4;\n@%p2 bra more;\n" CLUSTER_SYNC,
          sum_of_all),
      ROW("getctarank",
          RANKS
          "cvt.u64.u32 %w1, %r31;\ncvta.shared.u64 %w1, %w1;\nmapa.u64 %w2, %w1, %r21;\n"
          "getctarank.shared::cluster.u32 %r0, %r22;\ngetctarank.u64 %r2, %w1;\nshl.b32 %r2, %r2, 8;\n"
          "or.b32 %r0, %r0, %r2;\ngetctarank.u64 %r2, %w2;\nshl.b32 %r2, %r2, 16;\nor.b32 %r0, %r0, "
          "%r2;\n",
          rank_of_next),
      ROW("atom",
          COUNT_TEXT("mapa.shared::cluster.u32 %r2, %r1, 2;\n",
                     "atom.shared::cluster.add.u32 %r3, [%r2], 1;\n"),
          all_threads),
      ROW("red",
          COUNT_TEXT("mapa.shared::cluster.u32 %r2, %r1, 0;\n",
                     "red.relaxed.cluster.shared::cluster.add.u32 [%r2], 1;\n"),
          all_threads),
      ROW("cas",
          COUNT_TEXT(
              "mapa.shared::cluster.u32 %r2, %r1, 1;\n",
              "ld.relaxed.cluster.shared::cluster.u32 %r3, [%r2];\nagain:\nmov.u32 %r4, %r3;\n"
              "add.u32 %r5, %r4, 1;\natom.acq_rel.cluster.shared::cluster.cas.b32 %r3, [%r2], %r4, %r5;\n"
              "setp.ne.u32 %p3, %r3, %r4;\n@%p3 bra again;\n"),
          all_threads),
  };
  PTX_THREAD_ROWS("distributed_memory", rows);
}
END_TEST

/* ---- barrier.cluster */

#define SYNC_BY(arrive, wait) \
  STORE RANKS arrive ";\n" wait ";\nld.shared::cluster.u32 %r0, [%r22];\n" CLUSTER_SYNC

static uint32_t after_rounds(const row *r, unsigned block, unsigned thread) {
  uint32_t words[CLUSTER] = {0}, next[CLUSTER];
  (void)r, (void)thread;
  for (uint32_t round = 0; round < 6; ++round) {
    for (uint32_t k = 0; k < CLUSTER; ++k) next[k] = words[(k + 1) % CLUSTER] * 5 + k + round + 1;
    memcpy(words, next, sizeof words);
  }
  return words[block % CLUSTER] + thread * 15625;
}

START_TEST(cluster_barriers) {
  static const row rows[] = {
      ROW("release and acquire",
          SYNC_BY("barrier.cluster.arrive.release", "barrier.cluster.wait.acquire"), of_next),
      ROW("unaligned", SYNC_BY("barrier.cluster.arrive", "barrier.cluster.wait"), of_next),
      ROW("relaxed",
          SYNC_BY("fence.acq_rel.cluster;\nbarrier.cluster.arrive.relaxed.aligned",
                  "barrier.cluster.wait.aligned"),
          of_next),
      ROW("by two ways",
          STORE RANKS
          "and.b32 %r2, %t, 1;\nsetp.eq.u32 %p2, %r2, 0;\n@%p2 bra even;\nbarrier.cluster.arrive;\n"
          "barrier.cluster.wait;\nbra "
          "both;\neven:\nbarrier.cluster.arrive;\nbarrier.cluster.wait;\nboth:\n"
          "ld.shared::cluster.u32 %r0, [%r22];\n" CLUSTER_SYNC,
          of_next),
      ROW("work between",
          STORE RANKS "barrier.cluster.arrive;\nmov.u32 %r2, %t;\nwork:\nadd.u32 %r2, %r2, -1;\n"
                      "setp.gt.s32 %p2, %r2, 0;\n@%p2 bra work;\nbarrier.cluster.wait;\n"
                      "ld.shared::cluster.u32 %r0, [%r22];\n" CLUSTER_SYNC,
          of_next),
      /* words[t] of the next block in six rounds; the threads' words start as t */
      ROW("rounds",
          RANKS
          "st.shared.u32 [%r31], %t;\nmov.u32 %r2, 1;\nround:\n" CLUSTER_SYNC
          "ld.shared::cluster.u32 %r3, [%r22];\nmad.lo.u32 %r3, %r3, 5, %r20;\nadd.u32 %r3, %r3, "
          "%r2;\n" CLUSTER_SYNC
          "st.shared.u32 [%r31], %r3;\nadd.u32 %r2, %r2, 1;\nsetp.le.u32 %p2, %r2, 6;\n@%p2 bra round;\n"
          "mov.u32 %r0, %r3;\n",
          after_rounds),
  };
  PTX_THREAD_ROWS("cluster_barriers", rows);
}
END_TEST

/* ---- mbarriers and copies of others */

#define INIT(count)                                                                            \
  "mov.u32 %r28, bar;\nsetp.ne.u32 %p9, %t, 0;\n@!%p9 mbarrier.init.shared.b64 [%r28], " count \
  ";\n"                                                                                        \
  "@!%p9 fence.mbarrier_init.release.cluster;\n@!%p9 fence.proxy.async.shared::cta;\n" CLUSTER_SYNC
#define WAIT \
  "wait:\nmbarrier.try_wait.parity.acquire.cluster.shared.b64 %p0, [%r28], 0;\n@!%p0 bra wait;\n"
#define EXPECT(bytes) "@!%p9 mbarrier.arrive.expect_tx.shared.b64 _, [%r28], " bytes ";\n"
#define NEXT_BAR "mapa.shared::cluster.u32 %r27, %r28, %r21;\n"
#define COMPLETE "shared::cluster.mbarrier::complete_tx::bytes"
#define LOAD "ld.shared.u32 %r0, [%r31];\n" CLUSTER_SYNC

static uint32_t of_first_input(const row *r, unsigned block, unsigned thread) {
  (void)r;
  return block % CLUSTER == 2 ? 7 : ptx_word(block / CLUSTER * CLUSTER * THREADS + thread);
}

START_TEST(copies_between_blocks) {
  static const row rows[] = {
      ROW("remote arrive",
          RANKS INIT("64") NEXT_BAR
          "mad.lo.u32 %r1, %i, 3, 1;\nst.shared::cluster.u32 [%r22], %r1;\n"
          "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r27];\n" WAIT LOAD,
          of_previous),
      ROW("remote arrive.expect_tx",
          RANKS INIT("1") NEXT_BAR
          "@!%p9 mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%r27], 256;\n"
          "mad.lo.u32 %r1, %i, 3, 1;\nst.async.weak." COMPLETE ".u32 [%r22], %r1, [%r27];\n" WAIT LOAD,
          of_previous),
      ROW("st.async",
          RANKS INIT("1") NEXT_BAR EXPECT("256") "mad.lo.u32 %r1, %i, 3, 1;\nst.async.weak." COMPLETE
                                                 ".b32 [%r22], %r1, [%r27];\n" WAIT LOAD,
          of_previous),
      ROW("red.async",
          RANKS INIT("1") NEXT_BAR EXPECT(
              "256") "mad.lo.u32 %r1, %i, 3, -99;\nst.shared.u32 [%r31], 100;\n" CLUSTER_SYNC
                     "red.async.relaxed.cluster." COMPLETE ".add.s32 [%r22], %r1, [%r27];\n" WAIT LOAD,
          of_previous),
      ROW("bulk copy",
          STORE RANKS INIT("1") NEXT_BAR EXPECT(
              "256") "mapa.shared::cluster.u32 %r26, words, %r21;\n"
                     "fence.proxy.async;\nbar.sync 0;\n"
                     "@!%p9 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes "
                     "[%r26+512], [words], 256,"
                     " [%r27];\n" WAIT "ld.shared.u32 %r0, [%r31+512];\n" CLUSTER_SYNC,
          of_previous),
      /* to blocks 0, 1 and 3 */
      ROW("multicast",
          RANKS "st.shared.u32 [%r31], 7;\n" INIT(
              "1") "setp.ne.u32 %p2, %r20, 2;\n"
                   "@%p2 bra expect;\nbra.uni send;\nexpect:\n" EXPECT(
                       "256") "send:\nsetp.eq.u32 %p3, %r20, 0;\n"
                              "mad.wide.u32 %w1, %cta, 256, %in;\nmov.u16 %h1, 11;\n@!%p3 bra on;\n"
                              "@!%p9 "
                              "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes."
                              "multicast::cluster [words], [%w1], 256, [%r28], %h1;\non:\n"
                              "@!%p2 bra none;\n" WAIT "none:\nld.shared.u32 %r0, [%r31];\n" CLUSTER_SYNC,
          of_first_input),
  };
  PTX_THREAD_ROWS("copies_between_blocks", rows);
}
END_TEST

/* ---- as large as they may be */

/* Block b puts thread t's word into block (b + t) % 16's memory, at t * bytes / threads, and reads what
 * came to the same place of its own. */
START_TEST(large_clusters) {
  enum { CLUSTER_BLOCKS = 16, ALL = 2 * CLUSTER_BLOCKS, MOST = 1024 };
  static const char text[] =
      PTX_HEADER("8.0") ".extern .shared .align 16 .b8 dynamic[];\n" PTX_ENTRY
                        "mov.u32 %r1, %cluster_ctarank;\nmov.u32 %r2, %cluster_nctarank;\n"
                        "add.u32 %r3, %r1, %t;\nrem.u32 %r3, %r3, %r2;\n"
                        "mov.u32 %r4, %dynamic_smem_size;\nmov.u32 %r5, %ntid.x;\n"
                        "div.u32 %r4, %r4, %r5;\nand.b32 %r4, %r4, 0xfffffffc;\n"
                        "mov.u32 %r5, dynamic;\nmad.lo.u32 %r5, %r4, %t, %r5;\n"
                        "mapa.shared::cluster.u32 %r6, %r5, %r3;\n" CLUSTER_SYNC
                        "mad.lo.u32 %r7, %i, 3, 1;\nst.shared::cluster.u32 [%r6], %r7;\n" CLUSTER_SYNC
                        "ld.shared.u32 %r0, [%r5];\nst.global.u32 [%po], %r0;\n" PTX_END;
  static const unsigned threads[] = {512, MOST};
  static uint32_t out[ALL * MOST], wanted[ALL * MOST];
  for (size_t k = 0; k < COUNT_OF(threads); ++k) {
    const ptx_program p = {.test = "large_clusters",
                           .name = k == 0 ? "512" : "1024",
                           .text = text,
                           .blocks = ALL,
                           .threads = threads[k],
                           .cluster = CLUSTER_BLOCKS,
                           .shared_bytes = 200 << 10,
                           .out = out,
                           .out_bytes = ALL * threads[k] * sizeof *out};
    if (!ptx_run(&p)) continue;
    for (unsigned b = 0; b < ALL; ++b) {
      for (unsigned t = 0; t < threads[k]; ++t) {
        const unsigned from =
            b / CLUSTER_BLOCKS * CLUSTER_BLOCKS + (b + MOST - t) % CLUSTER_BLOCKS; /* MOST: a multiple */
        wanted[b * threads[k] + t] = (from * threads[k] + t) * 3 + 1;
      }
    }
    ptx_same(p.name, out, wanted, ALL * threads[k]);
  }
  ptx_end();
}
END_TEST

/* ---- clusters that the kernel itself asks for */

START_TEST(required_clusters) {
  static const char text[] =
      PTX_HEADER("8.0") ".visible .entry test(" PTX_PARAMS
                        ")\n"
                        ".explicitcluster\n.reqnctapercluster 2, 1, 1\n{\n" PTX_REGISTERS PTX_PROLOGUE
                        "mov.u32 %r0, %cluster_nctarank;\nmov.u32 %r1, %cluster_ctarank;\nmad.lo.u32 "
                        "%r0, %r0, 16, %r1;\n"
                        "st.global.u32 [%po], %r0;\n" PTX_END;
  uint32_t out[6];
  static const uint32_t wanted[6] = {0x20, 0x21, 0x20, 0x21, 0x20, 0x21};
  const ptx_program p = {.test = "required_clusters",
                         .name = "two",
                         .text = text,
                         .blocks = 6,
                         .threads = 1,
                         .out = out,
                         .out_bytes = sizeof out};
  if (ptx_run(&p)) ptx_same("ranks", out, wanted, COUNT_OF(wanted));
  ptx_end();
}
END_TEST

int main(void) {
  static const suite_test tests[] = {SUITE_TEST(special_registers), SUITE_TEST(distributed_memory),
                                     SUITE_TEST(cluster_barriers),  SUITE_TEST(copies_between_blocks),
                                     SUITE_TEST(large_clusters),    SUITE_TEST(required_clusters)};
  return PTX_SUITE_RUN("ptx/cluster", tests);
}
