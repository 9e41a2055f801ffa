/* LLVM IR of a newer clang to LTO-IR, by libNVVM, which reads IR as LLVM 7 wrote it. */
#ifndef JIG_TESTS_CLANG_IR_H
#define JIG_TESTS_CLANG_IR_H

#include <stdbool.h>
#include <stddef.h>

/* Whether libNVVM is there: beside NVRTC, in the toolkit. */
bool clang_ir_open(void);

/* LTO-IR for SM 75 of the text that `clang -S -emit-llvm` writes for simple functions; malloc'ed. Fails
 * the test if libNVVM does not take it. */
unsigned char *clang_ir_to_lto(const char *ir, size_t *size);

#endif
