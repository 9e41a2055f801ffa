/* Compiled operators, made while the tests run by whatever compilers there are. */
#ifndef JIG_TESTS_BINARIES_H
#define JIG_TESTS_BINARIES_H

#include <jig/operator.h>
#include <stdbool.h>

typedef enum binary_maker { BY_NVRTC, BY_NVCC, BY_CLANG, BINARY_MAKERS } binary_maker;

typedef enum binary_kind {
  BINARY_LTO_IR,
  BINARY_PTX,
  BINARY_CUBIN,
  BINARY_OBJECT_LTO, /* what `nvcc -dc -dlto` writes, and without -dlto */
  BINARY_OBJECT_MACHINE,
  BINARY_FATBIN_LTO,
  BINARY_FATBIN_MACHINE,
  BINARY_KINDS
} binary_kind;

typedef struct binary {
  jig_format format;
  unsigned char *data;
  size_t size;
} binary;

/* "nvcc", "a fatbin of LTO-IR": for messages. */
const char *maker_name(binary_maker maker);
const char *binary_kind_name(binary_kind kind);

/* Whether that compiler is there, and whether it makes such a thing at all. */
bool maker_is_there(binary_maker maker);
bool maker_makes(binary_maker maker, binary_kind kind);

/* Whether machine code for one architecture is in it, and nothing else that could be linked. */
bool binary_is_machine_code(binary_kind kind);

/* The first of the compilers that are there and make it; BINARY_MAKERS if there is none, having said so
 * as "skipped: <test> (<why>)". */
binary_maker maker_of(binary_kind kind, const char *test);

/* What comes before the text of functions that are exported: EXPORT, for whatever reads it, C or C++. */
extern const char binary_prelude[];

/* Compiles a source, or returns what was made of the same one before; fails the test if the compiler
 * does. Kept for the life of the program. LTO-IR and PTX are for SM 75, machine code is for `sm`.
 * Thread-safe. */
const binary *binary_make(binary_maker maker, binary_kind kind, const char *source, int sm);

/* The operator of that name in it. */
jig_op binary_op(const binary *b, const char *symbol);

#endif
