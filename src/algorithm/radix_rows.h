/* Keys and values that radix sorts do not move themselves, as they are too large: what is sorted in their
 * stead are their indices, by which transforms gather them in the end. Keys like that are rows, of which
 * words are sorted that their fields make (templates/jig/agent/radix_sort/radix_rows.cuh). */
#ifndef JIG_ALGORITHM_RADIX_ROWS_H
#define JIG_ALGORITHM_RADIX_ROWS_H

#include "algorithm/gather_values.h"
#include "algorithm/radix_parts.h"

/* How many bytes of keys and values are moved; each sort says how many. Keys of more are rows, and of 16
 * none is. So are others if their fields have more bits than a word, which only their program knows. */
typedef struct radix_most_moved {
  size_t key, value;
  bool by_index32; /* whether indices are short where they can be */
} radix_most_moved;
enum { RADIX_WORD_BYTES = 16 };
#define RADIX_KEYS_OF(most_moved) \
  "jig::radix_keys<jig_order, jig_key_t, jig_decomposer_t, " #most_moved ">"
#define RADIX_KEYS(most_moved) RADIX_KEYS_OF(most_moved)

typedef struct radix_rows {
  bool gathers_keys, gathers_values;
  const gather_index *index;
  gather_values keys, values;
  /* Of rows: the bits of their fields that count, the words that these are in, and a word's bytes. */
  int begin_bit, end_bit, first_word, last_word, word_bytes;
} radix_rows;

/* What is known without the program; if anything is gathered, `own`, the sort's spec, becomes one of its
 * indices. Those of values alone have 4 bytes, if `most` says so and there are not too many. */
void radix_rows_bind(const radix_parts *parts, radix_most_moved most, uint64_t num_items, spec *own,
                     radix_rows *rows);
bool radix_rows_gather(const radix_rows *rows);

/* What a sort's own program is of, which is told as well, and the others that it takes or may take: how
 * many there are. For a schema's `also`. */
enum { RADIX_MAX_OTHERS = 2 };
int radix_rows_also(spec *own, spec others[RADIX_MAX_OTHERS], radix_most_moved most, bool only_some);

/* Asks the sort's program what it is of, and obtains the others; a size query, too, does. `only_some`:
 * not all items are in a segment. */
jig_status radix_rows_prepare(call *c, const jig_radix_sort_args *args, const radix_parts *parts,
                              bool only_some, radix_rows *rows);

/* Which bits of a word count; and how many passes the word takes that takes most. */
void radix_rows_range(const radix_rows *rows, int word, int *begin_bit, int *end_bit);
int radix_rows_passes(const radix_rows *rows);

/* After the sort, by indices at a pointer. */
jig_status radix_rows_launch(radix_rows *rows, const jig_radix_sort_args *args, void *indices);

#endif
