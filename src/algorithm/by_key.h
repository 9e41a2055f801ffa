/* What algorithms share that work on runs of equal neighbouring keys. */
#ifndef JIG_ALGORITHM_BY_KEY_H
#define JIG_ALGORITHM_BY_KEY_H

#include "algorithm/call.h"

/* The slot of what makes two neighbouring keys equal; left out, it is ==. */
#define BY_KEY_EQUALITY_SLOT(keys)                                                                   \
  {                                                                                                  \
    .name = "equality", .kind = SLOT_OP, .optional = true, .arity = 2, .over = {keys}, .test = true, \
    .help = "whether neighbours a and b are equal; left out, ==", .option = "equality"               \
  }

/* Whether keys can be compared that come from slot `keys`. */
jig_status by_key_check_equality(const spec *s, const char *keys);

/* Whether the iterator in that slot is of an integer type, bool not being one. */
jig_status by_key_check_integer(const spec *s, const char *slot);

/* Puts the equality into its slot, unless it is the default. */
void by_key_describe_equality(spec_slot *slot, const jig_op *equality);

/* Where a call reads and writes: `count` items of an iterator. */
typedef struct by_key_place {
  const jig_iter *iter;
  uint64_t count;
  const char *name;
  bool is_output;
} by_key_place;

/* Whether there can be so many items in all of them, which is for `argument` to answer for: "num_items".
 * To be asked in size queries, too. */
jig_status by_key_check_counts(const call *c, const char *argument, const by_key_place *places,
                               size_t count);

/* Whether all of them can be used: they are somewhere, not in the temp storage, and no output overlaps
 * anything else. */
jig_status by_key_check_places(const call *c, const by_key_place *places, size_t count);

/* How many items a lane takes at once of two inputs that are read side by side. */
unsigned by_key_vector_items(const jig_iter *keys, const jig_iter *values);

/* sizeof(jig::OpenRun<T, Count>), the latter of so many bytes. */
size_t by_key_state_bytes(const jig_type *accum, size_t count_bytes);

#endif
