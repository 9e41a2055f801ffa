/* NVRTC, opened when first needed: CUDA C++ text to a cubin or PTX. */
#ifndef JIG_JIT_COMPILER_H
#define JIG_JIT_COMPILER_H

#include <stdbool.h>
#include <stddef.h>

#include <jig/status.h>

#include "jit/arch.h"
#include "jit/templates.h"

typedef struct compiler {
  int major, minor;
  char version[16]; /* "13.0" */
  const char *path; /* of the library; may be NULL */
  const int *archs; /* the SMs it can target, ascending */
  int arch_count;
} compiler;

/* The compiler; NULL with JIG_ERROR_NO_COMPILER set if there is none, which is found out once. */
const compiler *compiler_get(void);

/* Whether the compiler has been opened already; never opens it. */
bool compiler_is_open(void);

/* The newest architecture that the compiler knows at or below sm; 0 if there is none. */
int compiler_newest_at_or_below(const compiler *c, int sm);

/* What a kernel costs, as the assembler reports it; -1 where it does not. */
typedef struct kernel_cost {
  int registers, shared_bytes, spill_bytes;
} kernel_cost;

typedef struct compiled {
  unsigned char *payload; /* a cubin, or PTX with its NUL; malloc'ed */
  size_t payload_size;
  kernel_cost cost;
  double ms;
  char *log; /* what the compiler had to say; malloc'ed, may be "" */
} compiled;

/* Every option of jig's own that decides what code comes out, for the key: target aside. Ends with NULL.
 */
extern const char *const compiler_options[];

typedef struct compile_request {
  const char *program;
  const template_file *files; /* all that it may include */
  size_t file_count;
  char *const *options; /* the user's, which come after jig's own; ends with NULL. NULL: none */
  const arch *target;
  unsigned jobs; /* so many threads of the process compile at a time, the others wait */
} compile_request;

/* Compiles a program. On JIG_ERROR_COMPILE the log says why; *result is the caller's to compiled_free()
 * in any case. */
jig_status compiler_compile(const compiler *c, const compile_request *request, compiled *result);
void compiled_free(compiled *result);

/* In the child of a fork(): forgets the compilations that other threads of the parent had under way. */
void compiler_after_fork(void);

#endif
