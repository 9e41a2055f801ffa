/* Loads and stores: PTX ISA, "Data Movement and Conversion Instructions" ld, st, cvta, isspacep, prefetch
 * and so on, and the fences. */
#include <string.h>

#include "ptx_support.h"

static uint64_t same(const ptx_case *c) {
  return c->a;
}
/* A loaded value is extended to its register by its type. */
static uint64_t extended(const ptx_case *c) {
  return (uint64_t)ptx_integer(c->type, c->a) & (UINT64_MAX >> (64 - 8 * c->result->size));
}

/* Without byte 3 and bytes 6 and 7. */
static uint64_t holes(const ptx_case *c) {
  return c->a & UINT64_C(0x0000ffff00ffffff);
}
static uint64_t mixed(const ptx_case *c) {
  return c->a ^ (c->b << 5 | c->b >> 59);
}

#define ALL "b8 u8 s8 b16 u16 s16 b32 u32 s32 b64 u64 s64 f32 f64"
#define SOME "s8 u16 b32 f64"
#define LARGE "b16 u32 s64 f32"
#define SCOPES ".cta .cluster .gpu .sys"

START_TEST(global_memory) {
  static const ptx_row rows[] = {
      PTX_ROW("ld.global.$ %d, [%pa];", "$ $", ALL, NULL, extended),
      PTX_ROW("ld.global.$ %d, [%pa];", "b32 $", "u8 s8 u16 s16 b16", NULL, extended),
      PTX_ROW("ld.global.$ %d, [%pa];", "b64 $", "u8 s8 u16 s16 b32 u32 s32", NULL, extended),
      PTX_ROW("ld.global?1.$ %d, [%pa];", "$ $", SOME,
              ".ca .cg .cs .lu .cv .volatile .weak .nc .ca.nc .cg.nc .cs.nc .weak.ca", extended),
      PTX_ROW("ld?1?2.global.$ %d, [%pa];", "$ $", SOME, ".relaxed .acquire | " SCOPES, extended),
      PTX_ROW("ld.global?1?2.$ %d, [%pa];", "$ $", "s8 b64",
              "- .nc | .L1::evict_normal .L1::evict_unchanged .L1::evict_first .L1::evict_last "
              ".L1::no_allocate .L2::64B .L2::128B .L2::256B .L1::no_allocate.L2::256B "
              ".L1::evict_last.L2::64B",
              extended),
      PTX_ROW("{ .reg .b64 %y; createpolicy.fractional.L2::evict_?1.b64 %y, 1.0; "
              "ld.global.L2::cache_hint.$ %d, [%pa], %y; }",
              "$ $", "u32 f64", "last first unchanged normal", extended),
      PTX_ROW("ldu.global.$ %d, [%pa];", "$ $", ALL, NULL, extended),
      PTX_ROW("st.global.b64 [%ps], -1; st.global.$ [%ps], %a; ld.global.$ %d, [%ps];", "$ $", ALL, NULL,
              extended),
      PTX_ROW("st.global?1.$ [%ps+8], %a; ld.global.$ %d, [%ps+8];", "$ $", SOME,
              ".wb .cg .cs .wt .volatile .weak .L1::evict_last .L1::no_allocate", extended),
      PTX_ROW("st?1?2.global.$ [%ps], %a; ld?1?2.global.$ %d, [%ps];", "$ $", LARGE, ".relaxed | " SCOPES,
              extended),
      PTX_ROW("st.release?1.global.$ [%ps], %a; ld.acquire?1.global.$ %d, [%ps];", "$ $", LARGE, SCOPES,
              extended),
      PTX_ROW("st.global.$ [%ps], %a; ld.global.$ %d, [%ps];", "b16 b32", "u8 s8", NULL, extended),
      /* the bytes around a small one stay as they are */
      PTX_ROW("st.global.b64 [%ps], %a; st.global.b8 [%ps+3], 0; st.global.b16 [%ps+6], 0;"
              " ld.global.b64 %d, [%ps];",
              "b64 b64", NULL, NULL, holes),
  };
  PTX_ROWS("global_memory", rows);
}
END_TEST

/* ---- other spaces */

#define GENERIC(space, address) "{ .reg .b64 %y; cvt.u64.u32 %y, " address "; cvta." space ".u64 %y, %y; "

START_TEST(shared_and_local_memory) {
  static const ptx_row rows[] = {
      PTX_ROW("st.shared.$ [%ss], %a; ld.shared.$ %d, [%ss];", "$ $", ALL, NULL, extended),
      PTX_ROW("st?1.shared.$ [%ss], %a; ld?1.shared.$ %d, [%ss];", "$ $", SOME, ".volatile .weak",
              extended),
      PTX_ROW("st.relaxed?1.shared.$ [%ss], %a; ld.relaxed?1.shared.$ %d, [%ss];", "$ $", LARGE, SCOPES,
              extended),
      PTX_ROW("st.release?1.shared.$ [%ss], %a; ld.acquire?1.shared.$ %d, [%ss];", "$ $", LARGE, SCOPES,
              extended),
      PTX_ROW("st.shared::cta.$ [%ss+16], %a; ld.shared::cta.$ %d, [%ss+16];", "$ $", ALL, NULL,
              extended),
      PTX_ROW("st.shared::cluster.$ [%ss], %a; ld.shared::cluster.$ %d, [%ss];", "$ $", ALL, NULL,
              extended),
      PTX_ROW("st.local.$ [%sl], %a; ld.local.$ %d, [%sl];", "$ $", ALL, NULL, extended),
      PTX_ROW("st.local?1.$ [%sl+24], %a; ld.local?2.$ %d, [%sl+24];", "$ $", SOME,
              ".wb .cg .cs .wt | .ca .cg .cs .lu", extended),
      /* by generic addresses, written by one kind of address and read by the other */
      PTX_ROW(GENERIC("shared", "%ss") "st.$ [%y], %a; ld.shared.$ %d, [%ss]; }", "$ $", ALL, NULL,
              extended),
      PTX_ROW(GENERIC("local", "%sl") "st.local.$ [%sl], %a; ld.$ %d, [%y]; }", "$ $", ALL, NULL,
              extended),
      PTX_ROW("{ .reg .b64 %y; cvta.global.u64 %y, %pa; ld?1.$ %d, [%y]; }", "$ $", SOME,
              "- .ca .volatile .relaxed.gpu .acquire.sys", extended),
      PTX_ROW("{ .reg .b64 %y; cvta.global.u64 %y, %ps; st?1.$ [%y], %a; ld.global.$ %d, [%ps]; }", "$ $",
              LARGE, "- .wt .volatile .relaxed.gpu .release.sys", extended),
      PTX_ROW(GENERIC("shared",
                      "%ss") "cvta.to.shared.u64 %y, %y; cvt.u32.u64 %r7, %y; st.shared.$ [%r7], %a;"
                             " ld.shared.$ %d, [%ss]; }",
              "$ $", "b32", NULL, extended),
      PTX_ROW(GENERIC("local",
                      "%sl") "cvta.to.local.u64 %y, %y; st.local.$ [%y], %a; ld.local.$ %d, [%sl]; }",
              "$ $", "b32", NULL, extended),
  };
  PTX_ROWS("shared_and_local_memory", rows);
}
END_TEST

/* ---- one instruction, and a lane's address is of this space or of that one: %y, by the thread's number
 */

#define TWO_WORDS "mov.b64 {%r0, %r1}, %a; "
#define ANY_SPACE                                                                                        \
  "{ .reg .b64 %y, %z; .reg .b32 %q; rem.u32 %q, %i, 3; setp.eq.u32 %p0, %q, 0; setp.eq.u32 %p1, %q, 1;" \
  " setp.eq.u32 %p2, %q, 2; cvta.global.u64 %y, %ps; cvt.u64.u32 %z, %ss; cvta.shared.u64 %z, %z;"       \
  " selp.b64 %y, %z, %y, %p1; "
#define OR_LOCAL "cvt.u64.u32 %z, %sl; cvta.local.u64 %z, %z; selp.b64 %y, %z, %y, %p2; "

START_TEST(spaces_that_differ_by_lane) {
  static const ptx_row rows[] = {
      PTX_ROW(ANY_SPACE OR_LOCAL "@%p0 st.global.$ [%ps+8], %a; @%p1 st.shared.$ [%ss+8], %a;"
                                 " @%p2 st.local.$ [%sl+8], %a; ld.$ %d, [%y+8]; }",
              "$ $", ALL, NULL, extended),
      PTX_ROW(ANY_SPACE OR_LOCAL "st.$ [%y+8], %a; @%p0 ld.global.$ %d, [%ps+8];"
                                 " @%p1 ld.shared.$ %d, [%ss+8]; @%p2 ld.local.$ %d, [%sl+8]; }",
              "$ $", ALL, NULL, extended),
      PTX_ROW(ANY_SPACE "st.$ [%y], %a; atom.exch.$ %d, [%y], 0; }", "$ $", "b32 b64", NULL, same),
      PTX_ROW(ANY_SPACE OR_LOCAL TWO_WORDS "st.v2.b32 [%y], {%r0, %r1}; ld.b64 %d, [%y]; }", "b64 b64",
              NULL, NULL, same),
  };
  PTX_ROWS("spaces_that_differ_by_lane", rows);
}
END_TEST

/* ---- vectors: through each space and back in pieces of another size */

#define FOUR_HALVES "mov.b64 {%h0, %h1, %h2, %h3}, %a; "
#define FOUR_BYTES "{ mov.b32 {%h0, %h2}, %a; shr.u16 %h1, %h0, 8; shr.u16 %h3, %h2, 8; "

START_TEST(vectors) {
  static const ptx_row rows[] = {
      PTX_ROW(TWO_WORDS "st.?1.v2.b32 [%?2+8], {%r0, %r1}; ld.?1.b64 %d, [%?2+8];", "b64 b64", NULL,
              "global | ps", same),
      PTX_ROW(TWO_WORDS "st.?1.v2.b32 [%?2+8], {%r0, %r1}; ld.?1.b64 %d, [%?2+8];", "b64 b64", NULL,
              "shared shared::cta shared::cluster | ss", same),
      PTX_ROW(TWO_WORDS "st.?1.v2.b32 [%?2+8], {%r0, %r1}; ld.?1.b64 %d, [%?2+8];", "b64 b64", NULL,
              "local | sl", same),
      PTX_ROW("st.?1.b64 [%?2], %a; ld.?1.v2?3 {%r0, %r1}, [%?2]; mov.b64 %d, {%r0, %r1};", "b64 b64",
              NULL, "global | ps | .b32 .u32 .s32 .f32", same),
      PTX_ROW("st.?1.b64 [%?2], %a; ld.?1.v2?3 {%r0, %r1}, [%?2]; mov.b64 %d, {%r0, %r1};", "b64 b64",
              NULL, "shared | ss | .b32 .u32 .s32 .f32", same),
      PTX_ROW(FOUR_HALVES "st.?1.v4.u16 [%?2], {%h0, %h1, %h2, %h3}; ld.?1.v2.u32 {%r0, %r1}, [%?2];"
                          " mov.b64 %d, {%r0, %r1};",
              "b64 b64", NULL, "global | ps", same),
      PTX_ROW("st.?1.b64 [%?2], %a; ld.?1.v4.b16 {%h0, %h1, %h2, %h3}, [%?2];"
              " mov.b64 %d, {%h0, %h1, %h2, %h3};",
              "b64 b64", NULL, "shared | ss", same),
      PTX_ROW(FOUR_BYTES
              "st.?1.v4.u8 [%?2], {%h0, %h1, %h2, %h3}; ld.?1.v4.u8 {%h0, %h1, %h2, %h3}, [%?2];"
              " shl.b16 %h1, %h1, 8; or.b16 %h0, %h0, %h1; shl.b16 %h3, %h3, 8;"
              " or.b16 %h2, %h2, %h3; mov.b32 %d, {%h0, %h2}; }",
              "b32 b32", NULL, "global | ps", same),
      PTX_ROW("mov.b32 {%h0, %h1}, %a; st.?1.v2.b16 [%?2+4], {%h0, %h1}; ld.?1.b32 %d, [%?2+4];",
              "b32 b32", NULL, "local | sl", same),
      PTX_ROW("st.?1.v2.b64 [%?2], {%a, %b}; ld.?1.v2.b64 {%w0, %w1}, [%?2];"
              " shl.b64 %w2, %w1, 5; shr.u64 %w3, %w1, 59; or.b64 %w2, %w2, %w3; xor.b64 %d, %w0, %w2;",
              "b64 b64 b64", NULL, "global | ps", mixed),
      PTX_ROW("st.?1.v2.f64 [%?2+16], {%a, %b}; ld.?1.v4?3 {%r0, %r1, %r2, %r3}, [%?2+16];"
              " mov.b64 %w0, {%r0, %r1}; mov.b64 %w1, {%r2, %r3};"
              " shl.b64 %w2, %w1, 5; shr.u64 %w3, %w1, 59; or.b64 %w2, %w2, %w3; xor.b64 %d, %w0, %w2;",
              "b64 f64 f64", NULL, "shared | ss | .b32 .u32 .s32 .f32", mixed),
      PTX_ROW("st.?1.v2.u64 [%?2+16], {%a, %b}; ld.?1.v4?3 {%r0, %r1, %r2, %r3}, [%?2+16];"
              " mov.b64 %w0, {%r0, %r1}; mov.b64 %w1, {%r2, %r3};"
              " shl.b64 %w2, %w1, 5; shr.u64 %w3, %w1, 59; or.b64 %w2, %w2, %w3; xor.b64 %d, %w0, %w2;",
              "b64 b64 b64", NULL, "local | sl | .b32 .f32", mixed),
      PTX_ROW("ld.global?1.v2.u32 {%r0, %r1}, [%pa]; mov.b64 %d, {%r0, %r1};", "b64 b64", NULL,
              ".nc .ca .cg .volatile .L1::no_allocate .nc.L2::128B", same),
      PTX_ROW("ld.global.v2.u32 {_, %r1}, [%pa]; mov.b64 {%r0, _}, %a; mov.b64 %d, {%r0, %r1};",
              "b64 b64", NULL, NULL, same),
      {"{ .reg .b128 %x; mov.b128 %x, {%a, %b}; st.?1.b128 [%?2], %x; ld.?1.b128 %x, [%?2];"
       " mov.b128 {%w0, %w1}, %x; shl.b64 %w2, %w1, 5; shr.u64 %w3, %w1, 59; or.b64 %w2, %w2, %w3;"
       " xor.b64 %d, %w0, %w2; }",
       "b64 b64 b64", NULL, "global | ps", mixed, NULL, NULL, "8.3", false, NULL},
      {"{ .reg .b128 %x; mov.b128 %x, {%a, %b}; st.?1.b128 [%?2], %x; ld.?1.b128 %x, [%?2];"
       " mov.b128 {%w0, %w1}, %x; shl.b64 %w2, %w1, 5; shr.u64 %w3, %w1, 59; or.b64 %w2, %w2, %w3;"
       " xor.b64 %d, %w0, %w2; }",
       "b64 b64 b64", NULL, "shared | ss", mixed, NULL, NULL, "8.3", false, NULL},
  };
  PTX_ROWS("vectors", rows);
}
END_TEST

/* ---- which space an address is of: bit by bit global, shared, local, const, shared::cta,
 * shared::cluster */

#define ISSPACEP(space, number) \
  "isspacep." space " %p0, %y; selp.b32 %r0, " number ", 0, %p0; or.b32 %d, %d, %r0; "
#define ALL_SPACES                                                                         \
  "mov.u32 %d, 0; " ISSPACEP("global", "1") ISSPACEP("shared", "2") ISSPACEP("local", "4") \
      ISSPACEP("const", "8") ISSPACEP("shared::cta", "16") ISSPACEP("shared::cluster", "32")

static uint64_t is_global(const ptx_case *c) {
  (void)c;
  return 1;
}
static uint64_t is_shared(const ptx_case *c) {
  (void)c;
  return 2 | 16 | 32;
}
static uint64_t is_local(const ptx_case *c) {
  (void)c;
  return 4;
}

START_TEST(spaces_of_addresses) {
  static const ptx_row rows[] = {
      PTX_ROW("{ .reg .b64 %y; cvta.global.u64 %y, %pa; " ALL_SPACES "}", "b32 b32", NULL, NULL,
              is_global),
      PTX_ROW(GENERIC("shared", "%ss") ALL_SPACES "}", "b32 b32", NULL, NULL, is_shared),
      PTX_ROW(GENERIC("local", "%sl") ALL_SPACES "}", "b32 b32", NULL, NULL, is_local),
  };
  PTX_ROWS("spaces_of_addresses", rows);
}
END_TEST

/* ---- what must not change anything */

START_TEST(hints_and_fences) {
  static const ptx_row rows[] = {
      PTX_ROW("prefetch.global?1 [%pa]; mov.b32 %d, %a;", "b32 b32", NULL,
              ".L1 .L2 .L2::evict_last .L2::evict_normal", same),
      PTX_ROW("{ .reg .b64 %y; cvta.global.u64 %y, %pa; prefetchu.L1 [%y]; prefetch.L2 [%y]; mov.b32 %d, "
              "%a; }",
              "b32 b32", NULL, NULL, same),
      PTX_ROW("st.global.b32 [%ps], %a; ?1; ld.global.b32 %d, [%ps];", "b32 b32", NULL,
              "membar.cta membar.gl membar.sys fence.sc.cta fence.sc.cluster fence.sc.gpu fence.sc.sys "
              "fence.acq_rel.cta fence.acq_rel.cluster fence.acq_rel.gpu fence.acq_rel.sys fence.cta "
              "fence.gpu "
              "fence.proxy.alias fence.proxy.async fence.proxy.async.global "
              "fence.proxy.async.shared::cta fence.proxy.async.shared::cluster "
              "fence.mbarrier_init.release.cluster "
              "membar.proxy.alias",
              same),
      PTX_ROW("createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 %w0, 0.5;"
              " createpolicy.range.global.L2::evict_last.L2::evict_first.b64 %w1, [%pa], 4096, 8192;"
              " createpolicy.cvt.L2.b64 %w2, 0x10f0000000000000;"
              " ld.global.nc.L1::no_allocate.L2::cache_hint.L2::256B.v2.u32 {%d, _}, [%pa], %w0;",
              "b32 b32", NULL, NULL, same),
  };
  PTX_ROWS("hints_and_fences", rows);
}
END_TEST

/* ---- parameters and constants */

#define CONSTANTS                                                                                      \
  ".const .align 8 .b8 table[16] = {1, 2, 3, 4, 5, 6, 7, 8, 0xff, 0xfe, 0x80, 0x7f, 9, 10, 11, 12};\n" \
  ".const .u32 word = 0x12345678;\n.const .f32 third = 0f3EAAAAAB;\n.const .u64 big = "                \
  "0xfedcba9876543210;\n"

START_TEST(constant_memory) {
  static const char text[] = PTX_HEADER("8.0") CONSTANTS PTX_ENTRY
      "ld.const.u32 %r0, [table];\nst.global.u32 [%out], %r0;\n"
      "ld.const.s8 %r0, [table+8];\nst.global.u32 [%out+4], %r0;\n"
      "ld.const.u16 %r0, [table+10];\nst.global.u32 [%out+8], %r0;\n"
      "mov.u64 %w0, table;\nld.const.v2.u32 {%r0, %r1}, [%w0+8];\nst.global.u32 [%out+12], %r1;\n"
      "ld.const.u32 %r0, [word];\nst.global.u32 [%out+16], %r0;\n"
      "ld.const.f32 %f0, [third];\nst.global.f32 [%out+20], %f0;\n"
      "ld.const.u64 %w1, [big];\nst.global.u64 [%out+24], %w1;\n"
      "cvta.const.u64 %w2, %w0;\nld.u8 %r0, [%w2+3];\nst.global.u32 [%out+32], %r0;\n"
      "isspacep.const %p0, %w2;\nselp.u32 %r0, 1, 0, %p0;\nst.global.u32 [%out+36], %r0;\n"
      "isspacep.global %p0, %w2;\nselp.u32 %r0, 1, 0, %p0;\nst.global.u32 [%out+40], %r0;\n"
      "cvta.to.const.u64 %w3, %w2;\nld.const.u32 %r0, [%w3+4];\nst.global.u32 [%out+44], %r0;\n" PTX_END;
  static const uint32_t wanted[] = {0x04030201, 0xffffffff, 0x7f80, 0x0c0b0a09, 0x12345678, 0x3eaaaaab,
                                    0x76543210, 0xfedcba98, 4,      1,          0,          0x08070605};
  uint32_t out[COUNT_OF(wanted)];
  const ptx_program p = {.test = "constant_memory",
                         .name = "table",
                         .text = text,
                         .blocks = 1,
                         .threads = 1,
                         .out = out,
                         .out_bytes = sizeof out};
  if (ptx_run(&p)) ptx_same("constants", out, wanted, COUNT_OF(wanted));
  ptx_end();
}
END_TEST

START_TEST(kernel_parameters) {
  static const char text[] = PTX_HEADER(
      "8.0") ".visible .entry test(" PTX_PARAMS
             ", .param .u8 p_byte, .param .f64 p_double, .param .u16 p_half,\n"
             "  .param .align 8 .b8 p_struct[24], .param .s8 p_last)\n{\n" PTX_REGISTERS PTX_PROLOGUE
             "ld.param.u8 %r0, [p_byte];\nst.global.u32 [%out], %r0;\n"
             "ld.param.f64 %g0, [p_double];\nst.global.f64 [%out+8], %g0;\n"
             "ld.param.u16 %h0, [p_half];\ncvt.u32.u16 %r0, %h0;\nst.global.u32 [%out+4], %r0;\n"
             "ld.param.v2.u32 {%r0, %r1}, [p_struct+8];\nst.global.u32 [%out+16], %r1;\n"
             "mov.b64 %w0, p_struct;\nld.param.s16 %r0, [%w0+22];\nst.global.u32 [%out+20], %r0;\n"
             "cvta.param.u64 %w0, %w0;\nld.u32 %r0, [%w0+20];\nst.global.u32 [%out+32], %r0;\n"
             "ld.param.s8 %r0, [p_last];\nst.global.u32 [%out+24], %r0;\n"
             "ld.param.u64 %w1, [p_struct+16];\nshr.u64 %w1, %w1, 60;\nst.global.u32 [%out+28], "
             "%w1;\n" PTX_END;
  uint8_t byte = 0xa5;
  double number = -2.5;
  uint16_t half = 0xbeef;
  uint32_t words[6] = {1, 2, 3, 0x44444444, 5, 0x8765ffff};
  int8_t last = -3;
  uint32_t out[9],
      wanted[9] = {0xa5, 0xbeef, 0, 0xc0040000, 0x44444444, 0xffff8765, 0xfffffffd, 8, 0x8765ffff};
  const ptx_program p = {.test = "kernel_parameters",
                         .name = "types",
                         .text = text,
                         .blocks = 1,
                         .threads = 1,
                         .out = out,
                         .out_bytes = sizeof out,
                         .more = {&byte, &number, &half, words, &last}};
  if (ptx_run(&p)) ptx_same("parameters", out, wanted, COUNT_OF(wanted));
  ptx_end();
}
END_TEST

/* Cache lines given up or kept: what lies beside them stays as it is. */
START_TEST(cache_lines) {
  static const char text[] = PTX_HEADER("8.0") PTX_ENTRY
      "st.global.u32 [%out], 5;\nst.global.u32 [%out+256], 6;\n"
      "applypriority.global.L2::evict_normal [%out], 128;\ndiscard.global.L2 [%out+128], 128;\n" PTX_END;
  uint32_t out[65];
  const ptx_program p = {.test = "cache_lines",
                         .name = "priority",
                         .text = text,
                         .blocks = 1,
                         .threads = 1,
                         .out = out,
                         .out_bytes = sizeof out,
                         .varies = true};
  if (ptx_run(&p)) {
    const uint32_t got[] = {out[0], out[1], out[31], out[64]}, wanted[] = {5, 0xcdcdcdcd, 0xcdcdcdcd, 6};
    ptx_same("cache lines", got, wanted, COUNT_OF(wanted));
  }
  ptx_end();
}
END_TEST

int main(void) {
  static const suite_test tests[] = {SUITE_TEST(global_memory),
                                     SUITE_TEST(shared_and_local_memory),
                                     SUITE_TEST(spaces_that_differ_by_lane),
                                     SUITE_TEST(vectors),
                                     SUITE_TEST(spaces_of_addresses),
                                     SUITE_TEST(hints_and_fences),
                                     SUITE_TEST(constant_memory),
                                     SUITE_TEST(kernel_parameters),
                                     SUITE_TEST(cache_lines)};
  return PTX_SUITE_RUN("ptx/memory", tests);
}
