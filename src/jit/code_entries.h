/* The kernels in what a compiler made, a cubin or PTX: their names and parameters. They are read from the
 * code, so that no driver is needed for it, and old ones, which do not tell, will do. */
#ifndef JIG_JIT_CODE_ENTRIES_H
#define JIG_JIT_CODE_ENTRIES_H

#include <stdbool.h>
#include <stdint.h>

#include "util/text.h"
#include "util/view.h"

/* Whether there is a kernel of that name. */
bool code_has_entry(view code, bool ptx, const char *name);

/* Appends the names of all kernels: "'a', 'b'". */
void code_list_entries(view code, bool ptx, text *out);

/* A kernel's parameters, by their sizes in bytes, malloc'ed; false if that cannot be told. */
typedef struct entry_parameters {
  uint32_t *sizes;
  uint32_t count;
  bool failed; /* there was no memory for them */
} entry_parameters;
bool code_read_parameters(view code, bool ptx, const char *name, entry_parameters *parameters);

#endif
