/* Where jig run's iterators read: what the command line says for each iterator that has memory, a value
 * or a count of its own, the leaves of what others are made of.
 *
 *   in=@a.npy                       a pointer to the items of a file
 *   in=f32@a.bin                    the same of a raw file
 *   in='zip(@a.npy, @b.npy) as pair'
 *   values_in='counting(u32, 5)'    what follows the type: where it starts, counting_by's step,
 * constant's value, strided's bytes to the next item and to the first, shuffle's count and seed */
#ifndef JIG_CLI_LEAVES_H
#define JIG_CLI_LEAVES_H

#include "gpu.h"
#include "input.h"
#include "text_reader.h"
#include "value.h"

enum { LEAF_VALUES = 2, LEAF_MAX_IN_STEP = 16 };

typedef struct leaf {
  char *file; /* malloc'ed, like values; NULL: none is told */
  char *values[LEAF_VALUES];
  int value_count;
  const input_part *part;                 /* of a raw file; NULL: all */
  bool leaves_out_first, leaves_out_last; /* an item: of offsets that are both begins and ends */

  uint64_t ahead; /* of a pipe, how many bytes are read when it is opened; 0: all */
  bool is_open;
  input in;
  char *definition; /* of a struct that the file's dtype was made */
  jig_type type;    /* of the file's own items, once it was asked for */

  jig_iter *iter;   /* once it is measured, of a file */
  jig_iter *counts; /* the same of what counts, if it is in step */
  bool in_step;     /* item i of all is made of its item i: it can be read in chunks */
  jig_iter buffer;  /* of a file that is no part of an iterator */
  uint64_t skipped; /* bytes before the first item */
  _Alignas(16) unsigned char bytes[LEAF_VALUES][VALUE_MAX_SIZE];
} leaf;

typedef struct leaf_list {
  leaf *leaves;
  int count;
  struct_table *structs; /* to which those of files are added */
  uint64_t ahead;        /* what leaves that are added have */
} leaf_list;

/* What is told of a slot: leaves `first` to `first + count - 1` of a list. */
typedef struct leaf_range {
  int first, count;
} leaf_range;

/* One more; NULL having complained. */
leaf *leaves_add(leaf_list *list);
void leaves_free(leaf_list *list);

/* Takes "@FILE" or "T@FILE", or a type alone, and all of the text if it is no part of another iterator;
 * the type as specs have it. json_null(): it is not told, as a raw file is by itself. NULL having
 * complained. Where the reader has no list of leaves, it is a type. */
json_t *leaf_read(text_reader *r);

/* Takes what follows the type within parentheses. False having complained. */
bool leaf_read_values(text_reader *r);

/* Leaves about which nothing is told, for an iterator that is JSON. False having complained. */
bool leaf_skip_all(text_reader *r, const json_t *iter);

/* Opens a leaf's file; EXIT_OK or a code, having complained. */
int leaf_open(leaf *l);

/* The type of the items of an open file as it says itself, of kind JIG_KIND_NONE if it does not. */
jig_type leaf_type(leaf_list *list, leaf *l);

/* Whether items can be had in chunks: item i depends on nothing but the items i of the leaves that are in
 * step, and on memory that stays. */
bool leaves_have_steps(const jig_iter *iter);

/* Finds out how many items an iterator has, UINT64_MAX if it has no end, or if it is not known yet, and
 * puts values into it. `name` is what messages begin with. `in_step`: it will be read in chunks;
 * otherwise all of a pipe is read here, unless so many items of it are wanted. EXIT_OK or a code, having
 * complained. */
int leaves_measure(leaf_list *list, leaf_range range, const char *name, bool in_step, jig_iter *iter,
                   uint64_t *items);

/* Whether the end of one of them is not known. */
bool leaves_are_open_ended(const leaf_list *list, leaf_range range);

/* Fills iterators that have been measured with device memory; not those in step if `chunks`. The times of
 * reading and copying, and the bytes, are added up. */
typedef struct leaf_costs {
  double file_ms, transfer_ms;
  uint64_t bytes;
} leaf_costs;
int leaves_upload(leaf_list *list, gpu *g, bool chunks, leaf_costs *costs);

#endif
