/* A file that jig run reads items from: raw binary, or .npy; "-" is standard input. What is no regular
 * file, such as a pipe, is read as it is opened. */
#ifndef JIG_CLI_INPUT_H
#define JIG_CLI_INPUT_H

#include "npy.h"

typedef struct input {
  const char *path;
  int fd;                 /* -1: closed */
  unsigned char *content; /* of what is no regular file; NULL: it is one */
  bool is_npy;
  npy_header npy;             /* if it is */
  uint64_t file_size, offset; /* bytes; offset is where the data starts */
  uint64_t count;             /* of items: set by input_select() */
  uint64_t bytes;             /* of data to be read, likewise */
} input;

/* All of these return EXIT_OK or, having complained, an exit code. */

/* Opens it and reads what the header of an .npy file says. input_close() in any case. */
int input_open(input *in, const char *path);
void input_close(input *in);

/* The part of a raw file that is wanted. */
typedef struct input_part {
  uint64_t offset, count;
  bool has_offset, has_count;
} input_part;

/* Settles how many items of the type are to be read. */
int input_select(input *in, const jig_type *type, const input_part *part);

/* Reads the items: in->bytes bytes. */
int input_read(const input *in, void *bytes);

#endif
