/* NumPy's structured dtypes and jig's structs, one made of the other. */
#ifndef JIG_CLI_NPY_STRUCT_H
#define JIG_CLI_NPY_STRUCT_H

#include "npy.h"

/* The definition of a struct of that name with the header's fields where the file has them: packed,
 * unless C would put them there, too. Malloc'ed, with the struct's alignment; NULL: memory is out, or a
 * field has no name that C could have. */
char *npy_definition(const npy_header *header, const char *name, size_t *align);

/* The dtype of a type's items, as a header has it: opaque bytes where NumPy has no counterpart.
 * Malloc'ed; NULL: memory is out. */
char *npy_descr(const jig_type *type);

#endif
