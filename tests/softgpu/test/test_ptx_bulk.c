/* Bulk copies and asynchronous stores within a block: PTX ISA, cp.async.bulk, cp.reduce.async.bulk,
 * st.async, red.async. */
#include <stdio.h>
#include <string.h>

#include "ptx_support.h"

typedef ptx_thread_row row;
enum { BLOCKS = 4, CLUSTER = 2, THREADS = 128 };
#define BAR ".shared .align 8 .b64 bar;\n"
#define ROW(name, text, wanted) \
  { name, text, THREADS, BLOCKS, CLUSTER, wanted, BAR, "8.1", false }

/* %r28: an mbarrier that waits for thread 0 and the bytes it expects; %p9: not thread 0. */
#define INIT                                                                                 \
  "mov.u32 %r28, bar;\nsetp.ne.u32 %p9, %t, 0;\n@!%p9 mbarrier.init.shared.b64 [%r28], 1;\n" \
  "@!%p9 fence.mbarrier_init.release.cluster;\n@!%p9 fence.proxy.async.shared::cta;\nbar.sync 0;\n"
#define EXPECT(bytes) "@!%p9 mbarrier.arrive.expect_tx.shared.b64 _, [%r28], " bytes ";\n"
#define WAIT "wait:\nmbarrier.try_wait.parity.shared.b64 %p0, [%r28], 0;\n@!%p0 bra wait;\n"
#define LOAD "ld.shared.u32 %r0, [%r31];\n"
/* %w5, %w6: the block's part of the input and the output; 512 bytes */
#define PARTS \
  "mul.lo.u32 %r3, %cta, 512;\ncvt.u64.u32 %w4, %r3;\nadd.u64 %w5, %in, %w4;\nadd.u64 %w6, %out, %w4;\n"
#define IN_ORDER "fence.proxy.async;\nbar.sync 0;\n"
#define COMMIT "@!%p9 cp.async.bulk.commit_group;\n@!%p9 cp.async.bulk.wait_group 0;\nbar.sync 0;\n"
#define LOAD_BACK "fence.proxy.async;\nld.global.u32 %r0, [%po];\nbar.sync 0;\n"

/* %r24, %r26, %r27: `words`, the mbarrier and the thread's own word as addresses in the cluster */
#define SELF                                                                      \
  "mov.u32 %r25, %cluster_ctarank;\nmapa.shared::cluster.u32 %r27, %r31, %r25;\n" \
  "mapa.shared::cluster.u32 %r26, %r28, %r25;\nmapa.shared::cluster.u32 %r24, words, %r25;\n"

static uint32_t own_word(const row *r, unsigned block, unsigned thread) {
  return ptx_word(block * r->threads + thread);
}
static uint32_t three_t(const row *r, unsigned block, unsigned thread) {
  (void)r;
  return thread * 3 + block;
}
static uint32_t half_and_half(const row *r, unsigned block, unsigned thread) {
  return thread < 64 ? thread * 3 + block : own_word(r, block, thread);
}
#define STORE "mad.lo.u32 %r1, %t, 3, %cta;\nst.shared.u32 [%r31], %r1;\n"

START_TEST(bulk_copies) {
  static const row rows[] = {
      ROW("global to shared",
          INIT PARTS EXPECT(
              "512") "@!%p9 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [words], "
                     "[%w5], 512, [%r28];\n" WAIT LOAD,
          own_word),
      ROW("in pieces",
          INIT PARTS EXPECT(
              "512") "and.b32 %r3, %t, 31;\nsetp.ne.u32 %p1, %r3, 3;\nbar.sync 0;\n"
                     "mad.lo.u32 %r4, %warp, 128, %r30;\nmad.wide.u32 %w7, %warp, 128, %w5;\n"
                     "@!%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r4], "
                     "[%w7], 128, [%r28];\n" WAIT LOAD,
          own_word),
      ROW("hint",
          INIT PARTS EXPECT("512") "createpolicy.fractional.L2::evict_first.b64 %w1, 1.0;\n"
                                   "@!%p9 "
                                   "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2:"
                                   ":cache_hint [words], [%w5],"
                                   " 512, [%r28], %w1;\n" WAIT LOAD,
          own_word),
      ROW("shared to global",
          INIT PARTS STORE IN_ORDER
          "@!%p9 cp.async.bulk.global.shared::cta.bulk_group [%w6], [words], 512;\n" COMMIT LOAD_BACK,
          three_t),
      ROW("read out",
          INIT PARTS STORE IN_ORDER
          "@!%p9 cp.async.bulk.global.shared::cta.bulk_group [%w6], [words], 512;\n"
          "@!%p9 cp.async.bulk.commit_group;\n@!%p9 cp.async.bulk.wait_group.read 0;\nbar.sync 0;\n"
          "st.shared.u32 [%r31], 0;\n@!%p9 cp.async.bulk.wait_group 0;\nbar.sync 0;\n" LOAD_BACK,
          three_t),
      ROW("two groups",
          INIT PARTS STORE IN_ORDER
          "@!%p9 cp.async.bulk.global.shared::cta.bulk_group [%w6], [words], 256;\n"
          "@!%p9 cp.async.bulk.commit_group;\n"
          "@!%p9 cp.async.bulk.global.shared::cta.bulk_group [%w6+256], [words+256], 256;\n"
          "@!%p9 cp.async.bulk.commit_group;\n@!%p9 cp.async.bulk.wait_group 1;\n" COMMIT LOAD_BACK,
          three_t),
      ROW("shared to shared",
          INIT PARTS STORE
          "ld.global.u32 %r4, [%pi];\nst.shared.u32 [%r31+2048], %r4;\n" IN_ORDER EXPECT("256") SELF
          "@!%p9 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r24+256],"
          " [words+2304], 256, [%r26];\n" WAIT LOAD,
          half_and_half),
      ROW("prefetch", PARTS "cp.async.bulk.prefetch.L2.global [%w5], 512;\nld.global.u32 %r0, [%pi];\n",
          own_word),
  };
  PTX_THREAD_ROWS("bulk_copies", rows);
}
END_TEST

/* ---- reductions in bulk: of 3 * t + block and t * 7 */

typedef uint32_t combination(uint32_t a, uint32_t b);
static uint32_t add_u32(uint32_t a, uint32_t b) {
  return a + b;
}
static uint32_t min_u32(uint32_t a, uint32_t b) {
  return a < b ? a : b;
}
static uint32_t max_u32(uint32_t a, uint32_t b) {
  return a > b ? a : b;
}
static uint32_t min_s32(uint32_t a, uint32_t b) {
  return (int32_t)a < (int32_t)b ? a : b;
}
static uint32_t max_s32(uint32_t a, uint32_t b) {
  return (int32_t)a > (int32_t)b ? a : b;
}
static uint32_t inc_u32(uint32_t a, uint32_t b) {
  return a >= b ? 0 : a + 1;
}
static uint32_t dec_u32(uint32_t a, uint32_t b) {
  return a == 0 || a > b ? b : a - 1;
}
static uint32_t and_b32(uint32_t a, uint32_t b) {
  return a & b;
}
static uint32_t or_b32(uint32_t a, uint32_t b) {
  return a | b;
}
static uint32_t xor_b32(uint32_t a, uint32_t b) {
  return a ^ b;
}
static const struct {
  const char *name;
  combination *combine;
} combinations[] = {{"add.u32", add_u32}, {"add.s32", add_u32}, {"min.u32", min_u32},
                    {"max.u32", max_u32}, {"min.s32", min_s32}, {"max.s32", max_s32},
                    {"inc.u32", inc_u32}, {"dec.u32", dec_u32}, {"and.b32", and_b32},
                    {"or.b32", or_b32},   {"xor.b32", xor_b32}};

/* What is there, and what is combined with it. */
static uint32_t present(unsigned block, unsigned thread) {
  return thread * 3 + block;
}
static uint32_t other(unsigned thread) {
  return (thread * 7 - 300) & 0xfffffff3;
}
#define OTHER "mul.lo.u32 %r2, %t, 7;\nadd.u32 %r2, %r2, -300;\nand.b32 %r2, %r2, 0xfffffff3;\n"
static uint32_t combined(const row *r, unsigned block, unsigned thread) {
  for (size_t k = 0; k < COUNT_OF(combinations); ++k) {
    if (strcmp(combinations[k].name, strchr(r->name, ' ') + 1) == 0)
      return combinations[k].combine(present(block, thread), other(thread));
  }
  ck_abort_msg("no %s", r->name);
  return 0;
}
/* 64 bits: the words of two threads side by side. */
static uint32_t combined_wide(const row *r, unsigned block, unsigned thread) {
  const unsigned first = thread & ~1U;
  const uint64_t a = present(block, first) | (uint64_t)present(block, first + 1) << 32;
  const uint64_t b = other(first) | (uint64_t)other(first + 1) << 32;
  const char *op = strchr(r->name, ' ') + 1;
  const bool less = strstr(op, "s64") != NULL ? (int64_t)a < (int64_t)b : a < b;
  const uint64_t value = strncmp(op, "add", 3) == 0   ? a + b
                         : strncmp(op, "min", 3) == 0 ? (less ? a : b)
                         : strncmp(op, "max", 3) == 0 ? (less ? b : a)
                         : strncmp(op, "and", 3) == 0 ? a & b
                         : strncmp(op, "xor", 3) == 0 ? a ^ b
                                                      : a | b;
  return (uint32_t)(thread == first ? value : value >> 32);
}

static void run_combination(const char *test, const char *kind, const char *op,
                            const char *format, /* ? is op */
                            uint32_t (*wanted)(const row *r, unsigned block, unsigned thread)) {
  char text[4096], name[64];
  const char *hole = strchr(format, '?');
  (void)snprintf(text, sizeof text, "%.*s%s%s", (int)(hole - format), format, op, hole + 1);
  (void)snprintf(name, sizeof name, "%s %s", kind, op);
  const row r = ROW(name, text, wanted);
  ptx_thread_rows(test, &r, 1);
}

#define TO_GLOBAL                                                                                \
  INIT PARTS OTHER                                                                               \
      "mad.lo.u32 %r1, %t, 3, %cta;\nst.global.u32 [%po], %r1;\n"                                \
      "st.shared.u32 [%r31], %r2;\n" IN_ORDER                                                    \
      "@!%p9 cp.reduce.async.bulk.global.shared::cta.bulk_group.? [%w6], [words], 512;\n" COMMIT \
          LOAD_BACK
#define TO_SHARED \
  INIT PARTS SELF OTHER STORE "st.shared.u32 [%r31+2048], %r2;\n" IN_ORDER EXPECT("512")                  \
  "@!%p9 cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.?"            \
  " [%r24], [words+2048], 512, [%r26];\n" WAIT LOAD

/* Sums of floating-point numbers: small whole ones, of which they are exact. */
static uint32_t pack_halves(const number_format *f, double low, double high) {
  return (uint32_t)(number_round(f, (long double)low, ROUND_NEAREST) |
                    number_round(f, (long double)high, ROUND_NEAREST) << 16);
}
static uint32_t float_sum(const row *r, unsigned block, unsigned thread) {
  const double a = thread * 3 + block, b = thread;
  const char *op = strchr(r->name, ' ') + 1;
  if (strstr(op, "f32") != NULL) return (uint32_t)float_bits((float)(a + b));
  const number_format *f = strstr(op, "bf16") != NULL ? &BF16 : &F16;
  const double x = number_value(f, number_round(f, (long double)a, ROUND_NEAREST)), y = b;
  const double value = strncmp(op, "add", 3) == 0 ? x + y : strncmp(op, "min", 3) == 0 ? y : x;
  return pack_halves(f, value, value);
}
START_TEST(bulk_reductions_to_global_memory) {
  for (size_t k = 0; k < COUNT_OF(combinations); ++k)
    run_combination("bulk_reductions", "global", combinations[k].name, TO_GLOBAL, combined);
  static const char *const wide[] = {"add.u64", "min.u64", "max.u64", "min.s64",
                                     "max.s64", "and.b64", "or.b64",  "xor.b64"};
  for (size_t k = 0; k < COUNT_OF(wide); ++k)
    run_combination("bulk_reductions", "global", wide[k], TO_GLOBAL, combined_wide);
}
END_TEST

START_TEST(bulk_reductions_to_shared_memory) {
  for (size_t k = 0; k < COUNT_OF(combinations); ++k)
    run_combination("bulk_reductions", "shared", combinations[k].name, TO_SHARED, combined);
  run_combination("bulk_reductions", "shared", "add.u64", TO_SHARED, combined_wide);
}
END_TEST

#define FLOATS(convert)                                                                                 \
  INIT PARTS "mad.lo.u32 %r1, %t, 3, %cta;\n" convert                                                   \
             "st.global.u32 [%po], %r1;\nst.shared.u32 [%r31], %r2;\n" IN_ORDER                         \
             "@!%p9 cp.reduce.async.bulk.global.shared::cta.bulk_group.? [%w6], [words], 512;\n" COMMIT \
                 LOAD_BACK
#define AS_F32 "cvt.rn.f32.u32 %f1, %r1;\nmov.b32 %r1, %f1;\ncvt.rn.f32.u32 %f2, %t;\nmov.b32 %r2, %f2;\n"
#define AS_HALVES(type)                                                   \
  "cvt.rn." type ".u32 %h1, %r1;\nmov.b32 %r1, {%h1, %h1};\ncvt.rn." type \
  ".u32 %h2, %t;\n"                                                       \
  "mov.b32 %r2, {%h2, %h2};\n"

START_TEST(bulk_reductions_of_floats) {
  run_combination("bulk_reductions", "global", "add.f32", FLOATS(AS_F32), float_sum);
  static const char *const halves[] = {"add.noftz.f16", "min.f16", "max.f16"};
  for (size_t k = 0; k < COUNT_OF(halves); ++k)
    run_combination("bulk_reductions", "global", halves[k], FLOATS(AS_HALVES("f16")), float_sum);
  static const char *const others[] = {"add.noftz.bf16", "min.bf16", "max.bf16"};
  for (size_t k = 0; k < COUNT_OF(others); ++k)
    run_combination("bulk_reductions", "global", others[k], FLOATS(AS_HALVES("bf16")), float_sum);
}
END_TEST

/* ---- asynchronous stores and reductions of single values */

#define COMPLETE "shared::cluster.mbarrier::complete_tx::bytes"

static uint32_t pairs(const row *r, unsigned block, unsigned thread) {
  (void)r;
  return (thread & ~1U) * 3 + block + (thread & 1) * 1000;
}
static uint32_t quads(const row *r, unsigned block, unsigned thread) {
  (void)r;
  return (thread & ~3U) * 3 + block + (thread & 3) * 1000;
}
#define VALUES                                                                                         \
  "mad.lo.u32 %r1, %t, 3, %cta;\nadd.u32 %r2, %r1, 1000;\nadd.u32 %r3, %r1, 2000;\nadd.u32 %r4, %r1, " \
  "3000;\n"
#define EVERY(mask) "and.b32 %r5, %t, " mask ";\nsetp.eq.u32 %p1, %r5, 0;\n"

START_TEST(asynchronous_stores) {
  static const row rows[] = {
      ROW("b32",
          INIT SELF EXPECT("512") VALUES "bar.sync 0;\nst.async.weak." COMPLETE
                                         ".b32 [%r27], %r1, [%r26];\n" WAIT LOAD,
          three_t),
      ROW("f32",
          INIT SELF EXPECT("512") VALUES "mov.b32 %f1, %r1;\nbar.sync 0;\n"
                                         "st.async." COMPLETE ".f32 [%r27], %f1, [%r26];\n" WAIT LOAD,
          three_t),
      ROW("v2.u32",
          INIT SELF EXPECT("512") VALUES EVERY("1") "bar.sync 0;\n"
                                                    "@%p1 st.async.weak." COMPLETE
                                                    ".v2.u32 [%r27], {%r1, %r2}, [%r26];\n" WAIT LOAD,
          pairs),
      ROW("b64",
          INIT SELF EXPECT("512") VALUES EVERY("1") "bar.sync 0;\nmov.b64 %w1, {%r1, %r2};\n"
                                                    "@%p1 st.async.weak." COMPLETE
                                                    ".b64 [%r27], %w1, [%r26];\n" WAIT LOAD,
          pairs),
      ROW("v4.s32",
          INIT SELF EXPECT("512")
              VALUES EVERY("3") "bar.sync 0;\n"
                                "@%p1 st.async.weak." COMPLETE
                                ".v4.s32 [%r27], {%r1, %r2, %r3, %r4}, [%r26];\n" WAIT LOAD,
          quads),
      ROW("v2.u64",
          INIT SELF EXPECT("512")
              VALUES EVERY("3") "bar.sync 0;\nmov.b64 %w1, {%r1, %r2};\n"
                                "mov.b64 %w2, {%r3, %r4};\n@%p1 st.async.weak." COMPLETE
                                ".v2.u64 [%r27], {%w1, %w2}, [%r26];\n" WAIT LOAD,
          quads),
  };
  PTX_THREAD_ROWS("asynchronous_stores", rows);
}
END_TEST

#define RED_ASYNC \
  INIT SELF OTHER STORE EXPECT("512") "bar.sync 0;\n"                                                  \
  "red.async.relaxed.cluster." COMPLETE ".? [%r27], %r2, [%r26];\n" WAIT LOAD

START_TEST(asynchronous_reductions) {
  for (size_t k = 0; k < COUNT_OF(combinations); ++k)
    run_combination("asynchronous_reductions", "one", combinations[k].name, RED_ASYNC, combined);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {SUITE_TEST(bulk_copies),
                                     SUITE_TEST(bulk_reductions_to_global_memory),
                                     SUITE_TEST(bulk_reductions_to_shared_memory),
                                     SUITE_TEST(bulk_reductions_of_floats),
                                     SUITE_TEST(asynchronous_stores),
                                     SUITE_TEST(asynchronous_reductions)};
  return PTX_SUITE_RUN("ptx/bulk", tests);
}
