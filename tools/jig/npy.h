/* NumPy's .npy format, versions 1.0 to 3.0: what a file's header says of the array behind it. */
#ifndef JIG_CLI_NPY_H
#define JIG_CLI_NPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jig/jig.h>

enum { NPY_PREFIX_SIZE = 12, NPY_DTYPE_SIZE = 48, NPY_MAX_FIELDS = 32, NPY_NAME_SIZE = 64 };

/* A field of a structured dtype. */
typedef struct npy_field {
  char name[NPY_NAME_SIZE]; /* "": padding */
  jig_type type;            /* of kind JIG_KIND_NONE: opaque bytes */
  size_t item_size, length; /* length: of an array, 1 otherwise */
  bool is_array;
} npy_field;

typedef struct npy_header {
  char dtype[NPY_DTYPE_SIZE]; /* as the file has it, for messages */
  jig_type type;              /* kind JIG_KIND_NONE: jig has no such type (structured, void, complex) */
  size_t item_size;           /* bytes; 0: not found out (structured, of what is not understood) */
  npy_field fields[NPY_MAX_FIELDS];
  int field_count; /* of a structured dtype that is understood; 0: it is another */
  bool is_void;    /* opaque bytes: any type of that size will do */
  uint64_t count;  /* of items, in C order */
} npy_header;

/* Whether a file that begins with these bytes is one. */
bool npy_is(const unsigned char *prefix, size_t size);

/* How long the header's text is, and where in the file it starts; false if the version is unknown.
 * `prefix` has NPY_PREFIX_SIZE bytes. */
bool npy_measure(const unsigned char *prefix, size_t *start, size_t *length);

/* The header of a file, up to where its data begins, for so many items, and no shorter than that; `descr`
 * is the dtype as a header has it, in quotes or a list. NULL: memory is out. The caller's to free(). */
char *npy_header_text(const char *descr, uint64_t count, size_t least, size_t *length);

/* Reads the text, which ends with a NUL. NULL, or what is wrong with it: static storage. */
const char *npy_parse(const char *text, npy_header *header);

#endif
