/* What radix sorts share, whether of everything or of segments. The latter has arguments of its own; what
 * they have in common with a radix sort is given here as jig_radix_sort_args. */
#ifndef JIG_ALGORITHM_RADIX_PARTS_H
#define JIG_ALGORITHM_RADIX_PARTS_H

#include <jig/radix_sort.h>

#include "algorithm/call_places.h"
#include "algorithm/radix_keys.h"
#include "jit/parameter.h"

/* Slots of the spec. */
#define RADIX_KEY_SLOT                                                                   \
  {                                                                                      \
    .name = "key", .kind = SLOT_TYPE, .help = "the type of the keys", .like = "keys_in", \
    .option = "type"                                                                     \
  }
#define RADIX_VALUE_SLOT                                                                        \
  {                                                                                             \
    .name = "value", .kind = SLOT_TYPE, .optional = true, .like = "values_in", .follows = true, \
    .help = "the type of the values, if there are any", .option = "values"                      \
  }
/* An input of another kind than a pointer, of "keys" or "values". */
#define RADIX_INPUT_SLOT(items)                                                   \
  {                                                                               \
    .name = items "_in", .kind = SLOT_ITER, .optional = true, .role = ITER_INPUT, \
    .help = "where " items " come from, if not from a pointer"                    \
  }

/* Whether what is in these slots goes together. */
jig_status radix_check_spec(const spec *s);

/* What types there are in a written spec becomes the types that share programs, and their order. */
jig_status radix_complete(parsed_spec *p);

/* What a spec points to beside the args. Types that are sorted alike share a program: keys are unsigned
 * integers, values are bytes. */
typedef struct radix_parts {
  jig_type key, value; /* value of kind NONE: there are none */
  jig_op decomposer;   /* kind NONE: there is none */
  int order;
} radix_parts;

/* Checks all of the args but values, and what goes into the slots. `who` is what errors begin with. */
jig_status radix_parts_of(const char *who, const jig_radix_sort_args *args, radix_parts *parts);

/* Whether there are such bits of keys that have so many; radix_parts_of() asks as if all of a key
 * counted. */
jig_status radix_check_bits(const char *who, const jig_radix_sort_args *args, int bits);

/* An input that has a slot: it is neither a pointer nor missing. Otherwise NULL. */
const jig_iter *radix_iterator_of(const jig_iter *in);

/* The type, or the operator, or NULL if there is none. */
const jig_type *radix_value_of(const radix_parts *parts);
const jig_op *radix_decomposer_of(const radix_parts *parts);

/* How many passes there are; what is sorted by no bit at all is copied, as by a digit of no bits. */
int radix_passes(int begin_bit, int end_bit);
int radix_passes_of(const jig_radix_sort_args *args);

/* Whether keys have bits that do not count. */
bool radix_is_partial(const jig_radix_sort_args *args);

/* The part of a kernel's parameters that the args tell; jig::RadixSortCall in device code. */
typedef struct radix_sort_call {
  const void *keys_in, *values_in;
  void *keys_out, *values_out, *keys_other, *values_other;
  void *control, *states;
  uint64_t num_items, tag;
  uint32_t state_tiles;
  int32_t begin_bit, end_bit, is_signed, is_descending, portions, keeps_parity;
  const uint64_t *num_items_in; /* or NULL */
  const uint64_t *rows;         /* of rows: their order so far; NULL: as they come */
  int32_t word;                 /* by which they are sorted */
  int32_t local_items, forced_top_passes;
} radix_sort_call;
extern const parameter_field radix_sort_call_fields[];
radix_sort_call radix_call_of(const call *c, const jig_radix_sort_args *args);

/* Where the args' keys and values are; how many of these places there are. */
enum { RADIX_MAX_PLACES = 4 };
size_t radix_places_of(const jig_radix_sort_args *args, call_place places[RADIX_MAX_PLACES]);

#endif
