/* Small PTX programs, run for many operands and compared with models on the host.
 *
 * A row of a table is a piece of PTX in which registers %d (the result), %a, %b, %c, %e (sources) stand
 * for a thread's operands. For each of them there is a kernel in which even warps execute it together and
 * odd ones in two diverged halves; the last warp is not full.
 *
 * $JIG_PTX_DUMP names a folder: every program's text is written there and nothing is run (no driver is
 * needed). $JIG_PTX_RESULTS names a file to which a line is added for each kernel: suite, test,
 * instruction, hash of the inputs, hash of the results ("~" where they may differ between devices). */
#ifndef SOFTGPU_TEST_PTX_SUPPORT_H
#define SOFTGPU_TEST_PTX_SUPPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpu.h"
#include "numbers.h"
#include "ptx_number.h"
#include "suite.h"

/* ---- tables */

typedef enum value_class {
  VALUE_BITS, /* b32, u32 */
  VALUE_SIGNED,
  VALUE_SMALL, /* amounts of shifting and the like, mostly small */
  VALUE_PRED,
  VALUE_F16, /* also two of them, and so on */
  VALUE_BF16,
  VALUE_F32,
  VALUE_F64,
} value_class;

typedef struct value_type {
  const char *name;
  const char *reg;     /* the type of a register that holds it */
  unsigned bits, size; /* of the value; of the register, in bytes */
  value_class class;
} value_type;
const value_type *value_type_of(const char *name);

enum { SOURCES = 4, CHOICES = 4 };

/* One execution of a row's instruction. Values are raw bits: whole registers, zero-extended. */
typedef struct ptx_case {
  const char *text;                       /* as it was executed */
  const value_type *type;                 /* what $ stands for */
  const value_type *result, *of[SOURCES]; /* of %d; of %a, %b, %c, %e */
  const char *choice[CHOICES];            /* what ?1 to ?4 stand for */
  uint64_t a, b, c, e;
  unsigned index; /* %i */
} ptx_case;

/* The result's bits. */
typedef uint64_t ptx_model(const ptx_case *c);

typedef struct ptx_row {
  const char *text;     /* "add?1.$ %d, %a, %b;"; $b is $'s bit type, $2 the type of twice the width */
  const char *operands; /* types of %d, %a, ...: "$2 $ $ b32" */
  const char *types;    /* what $ stands for, in turn: "u16 s16"; NULL: there is none */
  const char
      *choices; /* what ?1, ?2, ... stand for, every combination: "- .sat | .rn .rz"; "-" is nothing */
  ptx_model *model;
  bool (*accepts)(const ptx_case *c, uint64_t got, uint64_t wanted); /* NULL: the same bits */
  bool (*skips)(const ptx_case *c); /* operands for which the result is not defined; NULL: none */
  const char *version;              /* of PTX; NULL: 8.0 */
  bool varies;                      /* results within the bounds may differ between devices */
  bool (*is_legal)(
      const ptx_case *c); /* NULL: every combination of types and choices is an instruction */
} ptx_row;
#define PTX_ROW(text, operands, types, choices, model) \
  { text, operands, types, choices, model, NULL, NULL, NULL, false, NULL }

/* The kernel also has %i, the thread's number in the grid, and for programs that name them: %pa (the
 * address of its %a in global memory), %ps, %ss, %sl (16-byte aligned scratch of its own, 32 bytes, in
 * global, shared and local memory; the last two 32-bit addresses), %r0 to %r7 (.b32), %w0 to %w7 (.b64),
 * %h0 to %h7 (.b16), %p0 to %p3 (.pred). */
void ptx_rows(const char *test, const ptx_row *rows, size_t count);
#define PTX_ROWS(test, rows) ptx_rows(test, rows, COUNT_OF(rows))

/* Whether the instruction has this dotted part: has(c, ".ftz"). */
bool ptx_has(const ptx_case *c, const char *part);

/* A result's low bits as a number of the type, and the bits a register has for a number: 8-bit values are
 * extended to 16. */
int64_t ptx_signed(const value_type *t, uint64_t bits);
uint64_t ptx_cut(const value_type *t, uint64_t bits);
__int128 ptx_integer(const value_type *t, uint64_t bits);
uint64_t ptx_register(const value_type *t, __int128 value);
__int128 ptx_least(const value_type *t);
__int128 ptx_most(const value_type *t);

/* Of floating-point types; NULL for others. */
const number_format *ptx_format(const value_type *t);

/* The operand values: a type's count-th edge value, the most telling first, false behind the last; and
 * random ones. */
bool ptx_edge(const value_type *t, size_t index, uint64_t *bits);
uint64_t ptx_random(const value_type *t, uint64_t *seed);

/* ---- programs of other kinds */

#define PTX_HEADER(version) ".version " version "\n.target sm_90\n.address_size 64\n"
/* A kernel `test`, from its opening brace on; %in, %out (.b64) and %n (.b32) are its parameters; %t
 * (%tid.x), %lane, %warp and %cta (.x), %i (in the grid), %pi and %po: addresses of the thread's own
 * 32-bit words in them. */
#define PTX_REGISTERS                                                                           \
  ".reg .b64 %in, %out, %pi, %po, %w<32>;\n.reg .b32 %n, %t, %lane, %warp, %cta, %i, %r<64>;\n" \
  ".reg .b16 %h<16>;\n.reg .f32 %f<16>;\n.reg .f64 %g<16>;\n.reg .pred %p<16>;\n"
#define PTX_PROLOGUE                                                                               \
  "ld.param.u64 %in, [p_in];\nld.param.u64 %out, [p_out];\nld.param.u32 %n, [p_n];\n"              \
  "cvta.to.global.u64 %in, %in;\ncvta.to.global.u64 %out, %out;\n"                                 \
  "mov.u32 %t, %tid.x;\nmov.u32 %cta, %ctaid.x;\nmov.u32 %lane, %laneid;\nshr.u32 %warp, %t, 5;\n" \
  "mov.u32 %i, %ntid.x;\nmad.lo.u32 %i, %i, %cta, %t;\n"                                           \
  "mad.wide.u32 %pi, %i, 4, %in;\nmad.wide.u32 %po, %i, 4, %out;\n"
#define PTX_PARAMS ".param .u64 p_in, .param .u64 p_out, .param .u32 p_n"
#define PTX_ENTRY ".visible .entry test(" PTX_PARAMS ")\n{\n" PTX_REGISTERS PTX_PROLOGUE
#define PTX_END "ret;\n}\n"

typedef struct ptx_program {
  const char *test, *name; /* name tells the programs of a test apart */
  const char *text;
  unsigned blocks, threads, cluster;    /* cluster 0: none is asked for */
  unsigned blocks_yz[2], threads_yz[2]; /* 0: 1 */
  unsigned shared_bytes;                /* dynamic */
  const void *in;
  size_t in_bytes;
  void *out; /* filled with what the kernel left there; the kernel finds 0xcd bytes */
  size_t out_bytes;
  uint32_t n;
  void *more[6]; /* further parameters behind %n, up to a NULL */
  bool varies;   /* as in ptx_row */
} ptx_program;

/* Runs it. False if nothing was run ($JIG_PTX_DUMP), or if it failed, which is noted. */
bool ptx_run(const ptx_program *p);

/* Programs in which every thread leaves one word in %r0. Its word in shared memory `words` (of 1024) has
 * address %r31; %r30 is that of the first one, %r29 the number of threads in the block. */
typedef struct ptx_thread_row {
  const char *name, *text;
  unsigned threads, blocks, cluster;
  uint32_t (*wanted)(const struct ptx_thread_row *row, unsigned block, unsigned thread);
  const char *declarations; /* in front of the kernel; NULL: none */
  const char *version;      /* of PTX; NULL: 8.0 */
  bool varies;
} ptx_thread_row;
/* %in points to PTX_WORDS words: ptx_word(0), ptx_word(1), ... */
enum { PTX_WORDS = 4096 };
uint32_t ptx_word(unsigned index);
void ptx_thread_rows(const char *test, const ptx_thread_row *rows, size_t count);
#define PTX_THREAD_ROWS(test, rows) ptx_thread_rows(test, rows, COUNT_OF(rows))

/* Notes a failure: what the test goes on after. */
void ptx_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* How many there have been since the last ptx_end(). */
unsigned ptx_failures(void);
/* Fails the test if there were any since the last call. */
void ptx_end(void);
/* Compares words and notes the first few that differ. */
void ptx_same(const char *what, const uint32_t *got, const uint32_t *wanted, size_t count);

/* An entry point that the driver table lacks. */
void *ptx_symbol(const char *name);
#define CALL(function) ((__typeof__(&function))ptx_function(SYMBOL_NAME(function)))
#define SYMBOL_NAME(symbol) #symbol
void (*ptx_function(const char *name))(void);

/* suite_run() with a GPU, or without anything if programs are only written to a folder. */
int ptx_suite_run(const char *suite, const suite_test *tests, size_t count);
#define PTX_SUITE_RUN(suite, tests) ptx_suite_run(suite, tests, COUNT_OF(tests))

#endif
