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

enum { LEAF_VALUES = 2 };

typedef struct leaf {
  char *file; /* malloc'ed, like values; NULL: none is told */
  char *values[LEAF_VALUES];
  int value_count;
  const input_part *part;                 /* of a raw file; NULL: all */
  bool leaves_out_first, leaves_out_last; /* an item: of offsets that are both begins and ends */

  bool is_open;
  input in;
  char *definition; /* of a struct that the file's dtype was made */
  jig_type type;    /* of the file's own items, once it was asked for */

  jig_iter *iter;   /* once it is measured */
  jig_iter buffer;  /* of a file that is no part of an iterator */
  uint64_t skipped; /* bytes before the first item */
  _Alignas(16) unsigned char bytes[LEAF_VALUES][VALUE_MAX_SIZE];
} leaf;

typedef struct leaf_list {
  leaf *leaves;
  int count;
  struct_table *structs; /* to which those of files are added */
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

/* Finds out how many items an iterator has, UINT64_MAX if it has no end, and puts values into it. `name`
 * is what messages begin with. EXIT_OK or a code, having complained. */
int leaves_measure(leaf_list *list, leaf_range range, const char *name, jig_iter *iter, uint64_t *items);

/* Fills iterators that have been measured with device memory. The times of reading and copying, and the
 * bytes, are added up. */
typedef struct leaf_costs {
  double file_ms, transfer_ms;
  uint64_t bytes;
} leaf_costs;
int leaves_upload(leaf_list *list, gpu *g, leaf_costs *costs);

#endif
