/* Branches, calls and what belongs to a program as a whole: PTX ISA, "Control Flow Instructions",
 * functions and their parameters, indirect calls, vprintf. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ptx_support.h"

typedef ptx_thread_row row;
enum { BLOCKS = 3, THREADS = 100 };
#define ROW(name, text, wanted) \
  { name, text, THREADS, BLOCKS, 0, wanted, FUNCTIONS, NULL, false }

/* ---- branches */

static uint32_t nested(const row *r, unsigned block, unsigned thread) {
  (void)r, (void)block;
  uint32_t x = thread * 7;
  if (thread % 2 == 0) {
    x += 1;
    x = thread % 3 == 0 ? x * 5 : x + (thread < 40 ? 100 : 200);
  } else if (thread % 5 != 0) {
    x ^= 0xff;
  }
  return x + 3;
}
#define NESTED                                                                                    \
  "mul.lo.u32 %r0, %t, 7;\nand.b32 %r1, %t, 1;\nsetp.ne.u32 %p0, %r1, 0;\n@%p0 bra is_odd;\n"     \
  "add.u32 %r0, %r0, 1;\nrem.u32 %r1, %t, 3;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra no_third;\n"     \
  "mul.lo.u32 %r0, %r0, 5;\nbra end;\nno_third:\nsetp.lt.u32 %p2, %t, 40;\n@!%p2 bra large;\n"    \
  "add.u32 %r0, %r0, 100;\nbra.uni end;\nlarge:\nadd.u32 %r0, %r0, 200;\nbra end;\nis_odd:\n"     \
  "rem.u32 %r1, %t, 5;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra end;\nxor.b32 %r0, %r0, 0xff;\nend:\n" \
  "add.u32 %r0, %r0, 3;\n"

static uint32_t collatz(const row *r, unsigned block, unsigned thread) {
  uint32_t x = block * r->threads + thread + 1, steps = 0;
  for (; x != 1; ++steps) x = x % 2 == 0 ? x / 2 : 3 * x + 1;
  return steps;
}
#define COLLATZ                                                                                         \
  "add.u32 %r1, %i, 1;\nmov.u32 %r0, 0;\nloop:\nsetp.eq.u32 %p0, %r1, 1;\n@%p0 bra end;\n"              \
  "and.b32 %r2, %r1, 1;\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra is_even;\nmad.lo.u32 %r1, %r1, 3, 1;\nbra " \
  "next;\n"                                                                                             \
  "is_even:\nshr.u32 %r1, %r1, 1;\nnext:\nadd.u32 %r0, %r0, 1;\nbra loop;\nend:\n"

static uint32_t switched(const row *r, unsigned block, unsigned thread) {
  static const uint32_t added[] = {10, 200, 3000, 200};
  return added[(thread + block) % 4] + (r->threads - thread);
}
#define SWITCH                                                                                         \
  "add.u32 %r1, %t, %cta;\nand.b32 %r1, %r1, 3;\ntargets: .branchtargets zero, one, two, one;\n"       \
  "@%p0 brx.idx %r1, targets;\nzero:\nmov.u32 %r0, 10;\nbra end;\none:\nmov.u32 %r0, 200;\nbra end;\n" \
  "two:\nmov.u32 %r0, 3000;\nend:\nsub.u32 %r2, %r29, %t;\nadd.u32 %r0, %r0, %r2;\n"

/* Lanes of one warp wait for each other: each hands on to the next. */
static uint32_t handed_on(const row *r, unsigned block, unsigned thread) {
  (void)r, (void)block;
  return (thread % 32 + 1) * (thread % 32) / 2;
}
#define HAND_ON                                                                                       \
  "shl.b32 %r1, %warp, 2;\nadd.u32 %r1, %r1, %r30;\nand.b32 %r3, %t, 31;\nsetp.ne.u32 %p0, %r3, 0;\n" \
  "@!%p0 st.volatile.shared.u32 [%r1], 0;\nbar.sync 0;\nwait:\nld.volatile.shared.u32 %r2, [%r1];\n"  \
  "shr.u32 %r4, %r2, 16;\nsetp.ne.u32 %p1, %r4, %r3;\n@%p1 bra wait;\nand.b32 %r0, %r2, 0xffff;\n"    \
  "add.u32 %r0, %r0, %r3;\nadd.u32 %r4, %r4, 1;\nshl.b32 %r4, %r4, 16;\nor.b32 %r4, %r4, %r0;\n"      \
  "st.volatile.shared.u32 [%r1], %r4;\n"

static uint32_t gone_early(const row *r, unsigned block, unsigned thread) {
  (void)r, (void)block;
  return thread % 3 == 0 ? 0xcdcdcdcd : 1000 + thread / 3 * 3;
}
#define GONE_EARLY                                                                        \
  "rem.u32 %r1, %t, 3;\nsetp.eq.u32 %p0, %r1, 0;\nsetp.eq.u32 %p1, %r1, 1;\n@%p0 exit;\n" \
  "sub.u32 %r2, %t, %r1;\nadd.u32 %r0, %r2, 1000;\n@!%p1 bra end;\nst.global.u32 [%po], " \
  "%r0;\nret;\nend:\n"

/* ---- calls */

#define FUNCTIONS                                                                                        \
  ".func (.param .b32 result) twice(.param .b32 x)\n{\n.reg .b32 %r<2>;\nld.param.u32 %r0, [x];\n"       \
  "shl.b32 %r1, %r0, 1;\nst.param.b32 [result], %r1;\nret;\n}\n"                                         \
  ".func (.param .b32 result) plus_5(.param .b32 x)\n{\n.reg .b32 %r<2>;\nld.param.u32 %r0, [x];\n"      \
  "add.u32 %r1, %r0, 5;\nst.param.b32 [result], %r1;\nret;\n}\n"                                         \
  ".func (.param .b32 result) fibonacci(.param .b32 x);\n"                                               \
  ".func (.param .b32 result) fibonacci(.param .b32 x)\n{\n.reg .b32 %r<6>;\n.reg .pred %p;\n"           \
  "ld.param.u32 %r0, [x];\nsetp.lt.u32 %p, %r0, 2;\n@%p bra small;\nadd.u32 %r1, %r0, -1;\n{\n"          \
  ".param .b32 p;\n.param .b32 q;\nst.param.b32 [p], %r1;\ncall.uni (q), fibonacci, (p);\n"              \
  "ld.param.b32 %r2, [q];\n}\nadd.u32 %r1, %r0, -2;\n{\n.param .b32 p;\n.param .b32 q;\n"                \
  "st.param.b32 [p], %r1;\ncall (q), fibonacci, (p);\nld.param.b32 %r3, [q];\n}\n"                       \
  "add.u32 %r4, %r2, %r3;\nst.param.b32 [result], %r4;\nret;\nsmall:\nst.param.b32 [result], "           \
  "%r0;\nret;\n}\n"                                                                                      \
  ".func (.param .align 16 .b8 result[16]) swapped(.param .align 8 .b8 pair[16], .param .b32 "           \
  "shift)\n{\n"                                                                                          \
  ".reg .b64 %w<4>;\n.reg .b32 %s;\nld.param.u64 %w0, [pair];\nld.param.u64 %w1, [pair+8];\n"            \
  "ld.param.u32 %s, [shift];\nshl.b64 %w2, %w0, %s;\nst.param.v2.b64 [result], {%w1, %w2};\nret;\n}\n"   \
  ".func fill(.param .b64 to, .param .b32 from)\n{\n.reg .b64 %w<3>;\n.reg .b32 %r<4>;\n.reg .pred "     \
  "%p;\n"                                                                                                \
  "ld.param.u64 %w0, [to];\nld.param.u32 %r0, [from];\nmov.u32 %r1, 0;\nmore:\nadd.u32 %r2, %r0, %r1;\n" \
  "mul.wide.u32 %w1, %r1, 4;\nadd.u64 %w2, %w0, %w1;\nst.u32 [%w2], %r2;\nadd.u32 %r1, %r1, 1;\n"        \
  "setp.lt.u32 %p, %r1, 8;\n@%p bra more;\nret;\n}\n"                                                    \
  ".func (.param .b32 result) even(.param .b32 x);\n"                                                    \
  ".func (.param .b32 result) odd(.param .b32 x)\n{\n.reg .b32 %r<3>;\n.reg .pred %p;\n"                 \
  "ld.param.u32 %r0, [x];\nmov.u32 %r1, 0;\nsetp.eq.u32 %p, %r0, 0;\n@%p bra end;\nadd.u32 %r0, %r0, "   \
  "-1;\n"                                                                                                \
  "{\n.param .b32 p;\n.param .b32 q;\nst.param.b32 [p], %r0;\ncall (q), even, (p);\nld.param.b32 %r1, "  \
  "[q];\n}\n"                                                                                            \
  "end:\nst.param.b32 [result], %r1;\nret;\n}\n"                                                         \
  ".func (.param .b32 result) even(.param .b32 x)\n{\n.reg .b32 %r<3>;\n.reg .pred %p;\n"                \
  "ld.param.u32 %r0, [x];\nmov.u32 %r1, 1;\nsetp.eq.u32 %p, %r0, 0;\n@%p bra end;\nadd.u32 %r0, %r0, "   \
  "-1;\n"                                                                                                \
  "{\n.param .b32 p;\n.param .b32 q;\nst.param.b32 [p], %r0;\ncall (q), odd, (p);\nld.param.b32 %r1, "   \
  "[q];\n}\n"                                                                                            \
  "end:\nst.param.b32 [result], %r1;\nret;\n}\n"                                                         \
  ".func leave(.param .b32 x)\n{\n.reg .b32 %r;\n.reg .pred %p;\nld.param.u32 %r, [x];\n"                \
  "setp.gt.u32 %p, %r, 50;\n@%p exit;\nret;\n}\n"                                                        \
  ".global .align 8 .u64 operations[2] = {twice, plus_5};\n"

#define FUNCTION_CALL(function, argument, result)                                           \
  "{\n.param .b32 p;\n.param .b32 q;\nst.param.b32 [p], " argument ";\ncall (q), " function \
  ", (p);\n"                                                                                \
  "ld.param.b32 " result ", [q];\n}\n"

static uint32_t twice_and_five(const row *r, unsigned block, unsigned thread) {
  (void)r, (void)block;
  return 2 * (2 * thread + 5);
}
static uint32_t some_twice(const row *r, unsigned block, unsigned thread) {
  (void)r, (void)block;
  return thread % 4 < 2 ? 2 * thread : thread + 5;
}
static uint32_t fibonacci(const row *r, unsigned block, unsigned thread) {
  (void)r, (void)block;
  uint32_t a = 0, b = 1;
  for (unsigned k = 0; k < thread % 12; ++k) {
    const uint32_t sum = a + b;
    a = b, b = sum;
  }
  return a;
}
static uint32_t is_even(const row *r, unsigned block, unsigned thread) {
  (void)r, (void)block;
  return thread % 2 == 0;
}
static uint32_t swapped(const row *r, unsigned block, unsigned thread) {
  const uint64_t first = block * r->threads + thread, second = first * 3;
  return (uint32_t)(second ^ first << thread % 9);
}
static uint32_t filled(const row *r, unsigned block, unsigned thread) {
  const uint32_t i = block * r->threads + thread;
  return (i + i % 8) * 1000 + (i + 7 + i % 8);
}
static uint32_t up_to_50(const row *r, unsigned block, unsigned thread) {
  (void)r, (void)block;
  return thread > 50 ? 0xcdcdcdcd : thread + 1;
}

/* %w1: one of two functions, by bit 1 of %t */
#define CHOOSE                                                                                 \
  "mov.u64 %w2, twice;\nmov.u64 %w3, plus_5;\nand.b32 %r1, %t, 2;\nsetp.eq.u32 %p0, %r1, 0;\n" \
  "selp.b64 %w1, %w2, %w3, %p0;\n"
#define CALL_INDIRECTLY(last)                                      \
  "{\n.param .b32 p;\n.param .b32 q;\nst.param.b32 [p], %t;\n"     \
  "prototype: .callprototype (.param .b32 _) _ (.param .b32 _);\n" \
  "list: .calltargets twice, plus_5;\ncall (q), %w1, (p), " last ";\nld.param.b32 %r0, [q];\n}\n"

START_TEST(branches) {
  static const row rows[] = {
      ROW("nested", NESTED, nested),
      ROW("loops of different lengths", COLLATZ, collatz),
      ROW("brx.idx", "setp.eq.u32 %p0, %t, %t;\n" SWITCH, switched),
      ROW("handing on", HAND_ON, handed_on),
      ROW("leaving early", GONE_EARLY, gone_early),
  };
  PTX_THREAD_ROWS("branches", rows);
}
END_TEST

START_TEST(calls) {
  static const row rows[] = {
      ROW("one after the other",
          FUNCTION_CALL("twice", "%t", "%r1") FUNCTION_CALL("plus_5", "%r1", "%r2")
              FUNCTION_CALL("twice", "%r2", "%r0"),
          twice_and_five),
      ROW("in branches",
          "and.b32 %r1, %t, 2;\nsetp.ne.u32 %p0, %r1, 0;\n@%p0 bra other;\n" FUNCTION_CALL(
              "twice", "%t", "%r0") "bra end;\nother:\n" FUNCTION_CALL("plus_5", "%t", "%r0") "end:\n",
          some_twice),
      ROW("recursion", "rem.u32 %r1, %t, 12;\n" FUNCTION_CALL("fibonacci", "%r1", "%r0"), fibonacci),
      ROW("recursion of two", "and.b32 %r1, %t, 15;\n" FUNCTION_CALL("even", "%r1", "%r0"), is_even),
      ROW("structs",
          "cvt.u64.u32 %w1, %i;\nmul.lo.u64 %w2, %w1, 3;\nrem.u32 %r1, %t, 9;\n{\n.param .align 8 .b8 "
          "p[16];\n"
          ".param .b32 s;\n.param .align 16 .b8 q[16];\nst.param.b64 [p], %w1;\nst.param.b64 [p+8], "
          "%w2;\n"
          "st.param.b32 [s], %r1;\ncall (q), swapped, (p, s);\nld.param.v2.b64 {%w3, %w4}, [q];\n}\n"
          "xor.b64 %w5, %w3, %w4;\ncvt.u32.u64 %r0, %w5;\n",
          swapped),
      ROW("pointers to local memory",
          "{\n.local .align 16 .b8 a[32];\n.local .align 16 .b8 b[32];\nmov.u64 %w1, a;\ncvta.local.u64 "
          "%w2, %w1;\n"
          "mov.u64 %w3, b;\ncvta.local.u64 %w4, %w3;\nadd.u32 %r1, %i, 7;\n"
          "{\n.param .b64 p;\n.param .b32 f;\nst.param.b64 [p], %w2;\nst.param.b32 [f], %i;\ncall fill, "
          "(p, f);\n}\n"
          "{\n.param .b64 p;\n.param .b32 f;\nst.param.b64 [p], %w4;\nst.param.b32 [f], %r1;\ncall fill, "
          "(p, f);\n}\n"
          "and.b32 %r2, %i, 7;\nmul.wide.u32 %w5, %r2, 4;\nadd.u64 %w6, %w1, %w5;\nadd.u64 %w7, %w4, "
          "%w5;\n"
          "ld.local.u32 %r3, [%w6];\nld.u32 %r4, [%w7];\nmad.lo.u32 %r0, %r3, 1000, %r4;\n}\n",
          filled),
      ROW("indirect by prototype", CHOOSE CALL_INDIRECTLY("prototype"), some_twice),
      ROW("indirect by targets", CHOOSE CALL_INDIRECTLY("list"), some_twice),
      ROW("indirect by a table",
          "shr.u32 %r1, %t, 1;\nand.b32 %r1, %r1, 1;\nmov.u64 %w2, operations;\nmad.wide.u32 %w2, %r1, "
          "8, %w2;\n"
          "ld.global.u64 %w1, [%w2];\n" CALL_INDIRECTLY("prototype"),
          some_twice),
      ROW("exit within",
          "{\n.param .b32 p;\nst.param.b32 [p], %t;\ncall leave, (p);\n}\nadd.u32 %r0, %t, 1;\n",
          up_to_50),
  };
  PTX_THREAD_ROWS("calls", rows);
}
END_TEST

/* ---- memory from the device's heap */

static uint32_t from_heap(const row *r, unsigned block, unsigned thread) {
  const uint32_t i = block * r->threads + thread;
  return i * 3 + (i ^ 5);
}
#define HEAP \
  ".extern .func (.param .b64 result) malloc(.param .b64 size);\n.extern .func free(.param .b64 at);\n"

START_TEST(heap) {
  static const row rows[] = {
      {"malloc and free",
       "mul.wide.u32 %w1, %t, 8;\nadd.u64 %w1, %w1, 8;\n{\n.param .b64 p;\n.param .b64 q;\nst.param.b64 "
       "[p], %w1;\n"
       "call (q), malloc, (p);\nld.param.b64 %w2, [q];\n}\nmul.lo.u32 %r1, %i, 3;\nxor.b32 %r2, %i, 5;\n"
       "add.u64 %w3, %w2, %w1;\nst.u32 [%w2], %r1;\nst.u32 [%w3+-4], %r2;\nld.u32 %r3, [%w2];\n"
       "ld.u32 %r4, [%w3+-4];\nadd.u32 %r0, %r3, %r4;\n"
       "{\n.param .b64 p;\nst.param.b64 [p], %w2;\ncall free, (p);\n}\n",
       THREADS, BLOCKS, 0, from_heap, HEAP, NULL, false},
  };
  PTX_THREAD_ROWS("heap", rows);
}
END_TEST

/* ---- vprintf */

/* What a program prints to standard output. */
static bool run_printing(const ptx_program *p, char *printed, size_t size) {
  FILE *file = tmpfile();
  (void)fflush(stdout);
  const int saved = dup(STDOUT_FILENO);
  ck_assert(file != NULL && dup2(fileno(file), STDOUT_FILENO) >= 0);
  const bool ran = ptx_run(p);
  (void)fflush(stdout);
  ck_assert(dup2(saved, STDOUT_FILENO) >= 0);
  (void)close(saved);
  rewind(file);
  printed[fread(printed, 1, size - 1, file)] = '\0';
  (void)fclose(file);
  return ran;
}

#define VPRINTF                                                                                        \
  ".extern .func (.param .b32 result) vprintf(.param .b64 format, .param .b64 arguments);\n"           \
  ".global .align 1 .b8 text[] = {116, 104, 114, 101, 97, 100, 32, 37, 100, 58, 32, 37, 117, 32, 37, " \
  "108, "                                                                                              \
  "108, 120, 32, 37, 46, 51, 102, 32, 37, 115, 32, 37, 99, 32, 37, 53, 100, 124, 37, 37, 10, 0};\n"    \
  ".global .align 1 .b8 word[] = {119, 111, 114, 100, 0};\n"

START_TEST(printing) {
  /* "thread %d: %u %llx %.3f %s %c %5d|%%\n" */
  static const char text[] = PTX_HEADER("8.0") VPRINTF PTX_ENTRY
      ".local .align 8 .b8 a[48];\nmov.u64 %w1, a;\ncvta.local.u64 %w2, %w1;\nneg.s32 %r1, %t;\n"
      "st.local.u32 [%w1], %t;\nst.local.u32 [%w1+4], %r1;\nst.local.u64 [%w1+8], 0x123456789abcdef;\n"
      "st.local.f64 [%w1+16], 0d4009333333333333;\nmov.u64 %w3, word;\ncvta.global.u64 %w3, %w3;\n"
      "st.local.u64 [%w1+24], %w3;\nst.local.u32 [%w1+32], 65;\nst.local.u32 [%w1+36], %r1;\n"
      "mov.u64 %w4, text;\ncvta.global.u64 %w4, %w4;\n{\n.param .b64 f;\n.param .b64 v;\n.param .b32 q;\n"
      "st.param.b64 [f], %w4;\nst.param.b64 [v], %w2;\ncall (q), vprintf, (f, v);\nld.param.b32 %r2, "
      "[q];\n}\n"
      "st.global.u32 [%po], %r2;\n" PTX_END;
  uint32_t out[3];
  char printed[1024];
  const ptx_program p = {.test = "printing",
                         .name = "formats",
                         .text = text,
                         .blocks = 1,
                         .threads = 3,
                         .out = out,
                         .out_bytes = sizeof out};
  if (run_printing(&p, printed, sizeof printed)) {
    for (int t = 0; t < 3; ++t) {
      char line[256];
      (void)snprintf(line, sizeof line, "thread %d: %u %llx %.3f %s %c %5d|%%\n", t, (unsigned)-t,
                     0x123456789abcdefULL, 3.15, "word", 'A', -t);
      if (strstr(printed, line) == NULL) ptx_fail("printed is \"%s\", which lacks \"%s\"", printed, line);
      if (out[t] != 7) ptx_fail("vprintf returned %u to thread %d, not 7", out[t], t);
    }
  }
  ptx_end();
}
END_TEST

int main(void) {
  static const suite_test tests[] = {SUITE_TEST(branches), SUITE_TEST(calls), SUITE_TEST(heap),
                                     SUITE_TEST(printing)};
  return PTX_SUITE_RUN("ptx/control", tests);
}
