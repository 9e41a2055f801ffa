/* What a module declares, and what a thread finds out about itself: initialised variables with addresses,
 * dynamic shared memory, special registers, sleeping and dependent launches. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptx_support.h"

typedef ptx_thread_row row;

/* ---- initialised variables */

#define VARIABLES                                                                                  \
  ".global .align 16 .b8 bytes[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};\n"   \
  ".global .u16 halves[4] = {0xbeef, 2, 0x8000};\n.global .s32 negative = -5;\n"                   \
  ".global .f32 numbers[3] = {1.5, 0f40490fdb, -2.0};\n.global .f64 large = 0d7fefffffffffffff;\n" \
  ".global .u32 matrix[2][3] = {{1, 2, 3}, {4, 5, 6}};\n.global .u32 nothing[4];\n"                \
  ".global .u64 to_halves = halves;\n.global .u64 to_byte_5 = bytes+5;\n"                          \
  ".global .u64 generic_byte = generic(bytes)+7;\n.const .u64 from_const = generic(negative);\n"   \
  ".global .u64 addresses[3] = {matrix+12, 0, generic(numbers)};\n"                                \
  ".const .align 4 .b8 table[8] = {255, 254, 253, 252};\n.visible .global .align 4 .u32 visible = 77;\n"

START_TEST(initialised_variables) {
  static const char text[] = PTX_HEADER("8.0") VARIABLES PTX_ENTRY
      "ld.global.u32 %r0, [bytes+4];\nst.global.u32 [%out], %r0;\n"
      "ld.global.u16 %r0, [halves];\nst.global.u32 [%out+4], %r0;\n"
      "ld.global.u32 %r0, [halves+4];\nst.global.u32 [%out+8], %r0;\n"
      "ld.global.s32 %r0, [negative];\nst.global.u32 [%out+12], %r0;\n"
      "ld.global.f32 %f0, [numbers];\nst.global.f32 [%out+16], %f0;\n"
      "ld.global.f32 %f0, [numbers+4];\nst.global.f32 [%out+20], %f0;\n"
      "ld.global.f32 %f0, [numbers+8];\nst.global.f32 [%out+24], %f0;\n"
      "ld.global.f64 %g0, [large];\nst.global.f64 [%out+32], %g0;\n"
      "ld.global.u32 %r0, [matrix+16];\nst.global.u32 [%out+28], %r0;\n"
      "ld.global.u32 %r0, [nothing+12];\nst.global.u32 [%out+40], %r0;\n"
      "ld.global.u64 %w0, [to_halves];\nld.global.u16 %r0, [%w0];\nst.global.u32 [%out+44], %r0;\n"
      "ld.global.u64 %w0, [to_byte_5];\nld.global.u8 %r0, [%w0];\nst.global.u32 [%out+48], %r0;\n"
      "ld.global.u64 %w0, [generic_byte];\nld.u8 %r0, [%w0];\nst.global.u32 [%out+52], %r0;\n"
      "ld.const.u64 %w0, [from_const];\nld.u32 %r0, [%w0];\nst.global.u32 [%out+56], %r0;\n"
      "ld.global.u64 %w0, [addresses];\nld.global.u32 %r0, [%w0+4];\nst.global.u32 [%out+60], %r0;\n"
      "ld.global.u64 %w0, [addresses+16];\nld.u32 %r0, [%w0+4];\nst.global.u32 [%out+64], %r0;\n"
      "ld.global.u32 %r0, [addresses+8];\nst.global.u32 [%out+68], %r0;\n"
      "ld.const.u32 %r0, [table];\nst.global.u32 [%out+72], %r0;\n"
      "ld.const.u32 %r0, [table+4];\nst.global.u32 [%out+76], %r0;\n"
      "ld.global.u32 %r0, [visible];\nadd.u32 %r0, %r0, 1;\nst.global.u32 [visible], %r0;\n"
      "ld.global.u32 %r0, [visible];\nst.global.u32 [%out+80], %r0;\n" PTX_END;
  static const uint32_t wanted[] = {0x08070605, 0xbeef, 0x8000,     0xfffffffb, 0x3fc00000, 0x40490fdb,
                                    0xc0000000, 5,      0xffffffff, 0x7fefffff, 0,          0xbeef,
                                    6,          8,      0xfffffffb, 5,          0x40490fdb, 0,
                                    0xfcfdfeff, 0,      78};
  uint32_t out[COUNT_OF(wanted)];
  const ptx_program p = {.test = "initialised_variables",
                         .name = "all",
                         .text = text,
                         .blocks = 1,
                         .threads = 1,
                         .out = out,
                         .out_bytes = sizeof out};
  if (ptx_run(&p)) ptx_same("variables", out, wanted, COUNT_OF(wanted));
  ptx_end();
}
END_TEST

START_TEST(dynamic_shared_memory) {
  static const char text[] =
      PTX_HEADER("8.0") ".extern .shared .align 16 .b8 dynamic[];\n" PTX_ENTRY
                        ".shared .align 4 .b8 fixed[20];\n"
                        "mov.u32 %r1, dynamic;\nshl.b32 %r2, %t, 2;\nadd.u32 %r1, %r1, "
                        "%r2;\nst.shared.u32 [%r1], %t;\n"
                        "setp.lt.u32 %p0, %t, 5;\nmov.u32 %r4, fixed;\nadd.u32 %r4, %r4, %r2;\n@%p0 "
                        "st.shared.u32 [%r4], 99;\n"
                        "bar.sync 0;\nmov.u32 %r5, %ntid.x;\nsub.u32 %r5, %r5, %t;\nadd.u32 %r5, %r5, "
                        "-1;\nshl.b32 %r5, %r5, 2;\n"
                        "mov.u32 %r6, dynamic;\nadd.u32 %r5, %r5, %r6;\nld.shared.u32 %r0, [%r5];\n"
                        "mov.u32 %r7, %dynamic_smem_size;\nmad.lo.u32 %r0, %r7, 1000, "
                        "%r0;\nst.global.u32 [%po], %r0;\n" PTX_END;
  enum { COUNT = 200 };
  uint32_t out[COUNT], wanted[COUNT];
  for (uint32_t i = 0; i < COUNT; ++i) wanted[i] = COUNT * 4 * 1000 + (COUNT - 1 - i);
  const ptx_program p = {.test = "dynamic_shared_memory",
                         .name = "mirror",
                         .text = text,
                         .blocks = 1,
                         .threads = COUNT,
                         .shared_bytes = COUNT * 4,
                         .out = out,
                         .out_bytes = sizeof out};
  if (ptx_run(&p)) ptx_same("dynamic shared memory", out, wanted, COUNT);
  ptx_end();
}
END_TEST

/* ---- special registers */

START_TEST(places_in_three_dimensions) {
  static const char text[] = PTX_HEADER("8.0") PTX_ENTRY
      "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %tid.y;\nmov.u32 %r3, %tid.z;\nmov.u32 %r4, %ntid.x;\n"
      "mov.u32 %r5, %ntid.y;\nmov.u32 %r6, %ntid.z;\nmov.u32 %r7, %ctaid.x;\nmov.u32 %r8, %ctaid.y;\n"
      "mov.u32 %r9, %ctaid.z;\nmov.u32 %r10, %nctaid.x;\nmov.u32 %r11, %nctaid.y;\nmov.u32 %r12, "
      "%nctaid.z;\n"
      "mad.lo.u32 %r13, %r9, %r11, %r8;\nmad.lo.u32 %r13, %r13, %r10, %r7;\nmad.lo.u32 %r14, %r3, %r5, "
      "%r2;\n"
      "mad.lo.u32 %r14, %r14, %r4, %r1;\nmul.lo.u32 %r15, %r4, %r5;\nmul.lo.u32 %r15, %r15, %r6;\n"
      "mad.lo.u32 %r16, %r13, %r15, %r14;\nshl.b32 %r17, %r3, 4;\nadd.u32 %r17, %r17, %r2;\n"
      "shl.b32 %r17, %r17, 4;\nadd.u32 %r17, %r17, %r1;\nshl.b32 %r18, %r9, 4;\nadd.u32 %r18, %r18, "
      "%r8;\n"
      "shl.b32 %r18, %r18, 4;\nadd.u32 %r18, %r18, %r7;\nshl.b32 %r18, %r18, 12;\nor.b32 %r0, %r17, "
      "%r18;\n"
      "and.b32 %r19, %r14, 31;\nmov.u32 %r20, %laneid;\nsetp.ne.u32 %p0, %r19, %r20;\n@%p0 mov.u32 %r0, "
      "0;\n"
      "mul.lo.u32 %r21, %r10, %r11;\nmul.lo.u32 %r21, %r21, %r12;\nsetp.ge.u32 %p0, %r13, %r21;\n"
      "@%p0 mov.u32 %r0, 0;\nmul.wide.u32 %w0, %r16, 4;\nadd.u64 %w1, %out, %w0;\nst.global.u32 [%w1], "
      "%r0;\n" PTX_END;
  enum { TX = 5, TY = 3, TZ = 7, BX = 4, BY = 2, BZ = 3, COUNT = TX * TY * TZ * BX * BY * BZ };
  static uint32_t out[COUNT], wanted[COUNT];
  for (uint32_t i = 0; i < COUNT; ++i) {
    const uint32_t t = i % (TX * TY * TZ), b = i / (TX * TY * TZ);
    wanted[i] = t % TX | t / TX % TY << 4 | t / TX / TY << 8 |
                (b % BX | b / BX % BY << 4 | b / BX / BY << 8) << 12;
  }
  const ptx_program p = {.test = "places_in_three_dimensions",
                         .name = "all",
                         .text = text,
                         .blocks = BX,
                         .threads = TX,
                         .blocks_yz = {BY, BZ},
                         .threads_yz = {TY, TZ},
                         .out = out,
                         .out_bytes = sizeof out};
  if (ptx_run(&p)) ptx_same("places", out, wanted, COUNT);
  ptx_end();
}
END_TEST

static uint32_t lane_masks(const row *r, unsigned block, unsigned thread) {
  (void)r, (void)block;
  const unsigned lane = thread % 32;
  const uint32_t eq = UINT32_C(1) << lane, lt = eq - 1;
  return (eq ^ lt * 3) + (lt | eq) * 5 + ~lt * 7 + ~(lt | eq) * 11;
}
static uint32_t all_right(const row *r, unsigned block, unsigned thread) {
  (void)r, (void)block, (void)thread;
  return 0;
}
static uint32_t warp_size(const row *r, unsigned block, unsigned thread) {
  (void)r, (void)block, (void)thread;
  return 32 + 4;
}
/* Adds a bit to %r0 if the predicate is true. */
#define WRONG_IF(compare, bit) compare ";\nselp.u32 %r9, " bit ", 0, %p0;\nor.b32 %r0, %r0, %r9;\n"

START_TEST(special_registers) {
  static const row rows[] = {
      {"lane masks",
       "mov.u32 %r1, %lanemask_eq;\nmov.u32 %r2, %lanemask_lt;\nmov.u32 %r3, %lanemask_le;\n"
       "mov.u32 %r4, %lanemask_ge;\nmov.u32 %r5, %lanemask_gt;\nmul.lo.u32 %r2, %r2, 3;\nxor.b32 %r0, "
       "%r1, %r2;\n"
       "mad.lo.u32 %r0, %r3, 5, %r0;\nmad.lo.u32 %r0, %r4, 7, %r0;\nmad.lo.u32 %r0, %r5, 11, %r0;\n",
       100, 2, 0, lane_masks, NULL, NULL, false},
      {"times go on",
       "mov.u32 %r0, 0;\nmov.u64 %w1, %clock64;\nmov.u32 %r1, %clock;\nmov.u64 %w3, %globaltimer;\n"
       "mov.u32 %r2, 100;\nwork:\nadd.u32 %r2, %r2, -1;\nsetp.ne.u32 %p0, %r2, 0;\n@%p0 bra work;\n"
       "mov.u64 %w2, %clock64;\nmov.u32 %r3, %clock;\nmov.u64 %w4, %globaltimer;\nmov.u32 %r4, "
       "%clock_hi;\n"
       "mov.u32 %r5, %globaltimer_hi;\nmov.u32 %r6, %globaltimer_lo;\n" WRONG_IF(
           "setp.le.s64 %p0, %w2, %w1", "1") WRONG_IF("setp.eq.u32 %p0, %r3, %r1", "2")
           WRONG_IF("setp.lt.u64 %p0, %w4, %w3", "4") WRONG_IF("setp.eq.u32 %p0, %r5, 0", "8"),
       64, 2, 0, all_right, NULL, NULL, false},
      {"numbers within bounds",
       "mov.u32 %r0, 0;\nmov.u32 %r1, %smid;\nmov.u32 %r2, %nsmid;\nmov.u32 %r3, %warpid;\nmov.u32 %r4, "
       "%nwarpid;\n"
       "mov.u64 %w1, %gridid;\nmov.u32 %r5, %total_smem_size;\n" WRONG_IF(
           "setp.ge.u32 %p0, %r1, %r2", "1") WRONG_IF("setp.ge.u32 %p0, %r3, %r4", "2")
           WRONG_IF("setp.lt.u32 %p0, %r5, 4096", "4"),
       96, 4, 0, all_right, NULL, NULL, false},
      {"WARP_SZ", "mov.u32 %r0, WARP_SZ;\nadd.u32 %r0, %r0, 4;\n", 32, 1, 0, warp_size, NULL, NULL,
       false},
      {"sleeping",
       "mov.u32 %r0, 0;\nnanosleep.u32 100;\nmov.u32 %r1, 20;\nnanosleep.u32 %r1;\npmevent 3;\n", 64, 2,
       0, all_right, NULL, NULL, false},
      {"dependent launches", "griddepcontrol.wait;\nmov.u32 %r0, 0;\ngriddepcontrol.launch_dependents;\n",
       64, 2, 0, all_right, NULL, NULL, false},
  };
  PTX_THREAD_ROWS("special_registers", rows);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {SUITE_TEST(initialised_variables), SUITE_TEST(dynamic_shared_memory),
                                     SUITE_TEST(places_in_three_dimensions),
                                     SUITE_TEST(special_registers)};
  return PTX_SUITE_RUN("ptx/module", tests);
}
