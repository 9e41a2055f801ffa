/* A file that jig run reads items from: raw binary, or .npy; "-" is standard input. What is no regular
 * file, such as a pipe, is read as it is opened, or, where that is asked for, only its beginning. */
#ifndef JIG_CLI_INPUT_H
#define JIG_CLI_INPUT_H

#include "npy.h"
#include "read_ahead.h"

#define INPUT_UNKNOWN UINT64_MAX

typedef struct input {
  const char *path;
  int fd;                 /* -1: closed */
  unsigned char *content; /* of what is no regular file, as far as it has been read; NULL: it is one */
  bool is_open_ended;     /* there is more behind the content */
  read_ahead *ahead;      /* which takes it from there; NULL: none was begun */
  bool is_npy;
  npy_header npy;             /* if it is */
  uint64_t file_size, offset; /* bytes; offset is where the data starts */
  uint64_t count;             /* of items: set by input_select(); INPUT_UNKNOWN: up to the end */
  uint64_t bytes;             /* of data to be read, likewise */
  uint64_t done;              /* of these, what input_next() has read */
} input;

/* All of these return EXIT_OK or, having complained, an exit code. */

/* Opens it and reads what the header of an .npy file says. Of a pipe all, or, if `ahead` is not 0, no
 * more than so many bytes, at least INPUT_LEAST_AHEAD of them. input_close() in any case. */
enum { INPUT_LEAST_AHEAD = 1 << 16 };
int input_open(input *in, const char *path, uint64_t ahead);
void input_close(input *in);

/* The part of a raw file that is wanted. */
typedef struct input_part {
  uint64_t offset, count;
  bool has_offset, has_count;
} input_part;

/* Reads what is left of a pipe. */
int input_read_rest(input *in);

/* Settles how many items of the type are to be read. */
int input_select(input *in, const jig_type *type, const input_part *part);

/* Reads the items: in->bytes bytes. */
int input_read(input *in, void *bytes);

/* Lets what is left of a pipe be read by a thread of its own from now on, so many bytes ahead of
 * input_next(), which is all that may follow; to the end if it is lasting: see read_ahead.h. Nothing
 * happens where there is nothing left, or no thread. */
void input_read_ahead(input *in, uint64_t room, bool is_lasting);

/* Reads the next items, `wanted` bytes or up to the end, which is whole items of that size. */
int input_next(input *in, void *bytes, uint64_t wanted, size_t item_size, uint64_t *got);

#endif
