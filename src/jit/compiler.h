/* NVRTC, opened when first needed: CUDA C++ text to a cubin or PTX. */
#ifndef JIG_JIT_COMPILER_H
#define JIG_JIT_COMPILER_H

#include <stdbool.h>
#include <stddef.h>

#include <jig/status.h>

#include "jit/arch.h"
#include "jit/compiled.h"
#include "jit/jobs.h"
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

/* Whether this process has compiled anything with it. */
bool compiler_has_compiled(void);

/* In the child of a fork() that came while the compiler was at work: it holds locks that nobody will let
 * go of. */
void compiler_lose(void);

/* The newest architecture that the compiler knows at or below sm; 0 if there is none. */
int compiler_newest_at_or_below(const compiler *c, int sm);

/* Every option of jig's own that decides what code comes out, for the key: target aside. Ends with NULL.
 */
extern const char *const compiler_options[];
/* And one of what is relocatable. */
extern const char compiler_relocatable[];

typedef struct compile_request {
  const char *program;
  const template_file *files; /* all that it may include */
  size_t file_count;
  char *const *options; /* the user's, which come after jig's own; ends with NULL. NULL: none */
  const arch *target;
  bool relocatable;            /* for the linker, but the target's cubin or PTX */
  bool lto;                    /* LTO-IR for the linker, instead of the target's cubin or PTX */
  unsigned jobs;               /* see jobs_begin() */
  background_work *background; /* once it stops, given up with some error; NULL: somebody waits */
} compile_request;

/* Compiles a program. The error of one that does not compile is that of diagnose(). *result is the
 * caller's to compiled_free() in any case. */
jig_status compiler_compile(const compiler *c, const compile_request *request, compiled *result);

#endif
