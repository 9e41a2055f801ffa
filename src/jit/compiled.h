/* What a compiler or linker makes. */
#ifndef JIG_JIT_COMPILED_H
#define JIG_JIT_COMPILED_H

#include <stddef.h>

/* What a kernel costs, as the assembler reports it; -1 where it does not. */
typedef struct kernel_cost {
  int registers, shared_bytes, spill_bytes;
} kernel_cost;

typedef struct compiled {
  unsigned char *payload; /* a cubin, LTO-IR, or PTX with its NUL; malloc'ed */
  size_t payload_size;
  kernel_cost cost;
  double ms;
  char *log; /* what the compiler had to say; malloc'ed, may be "" */
} compiled;
void compiled_free(compiled *result);

/* Reads the assembler's lines in a log: the most that any kernel takes. */
kernel_cost kernel_cost_read(const char *log);
/* What one of these lines tells. */
kernel_cost kernel_cost_of_line(const char *line, size_t length);

#endif
