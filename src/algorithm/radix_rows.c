#include "algorithm/radix_rows.h"

#include <string.h>

#include "spec/type.h"
#include "util/error.h"
#include "util/integer.h"

enum { WORD_BITS = 8 * RADIX_WORD_BYTES };

/* Whether there may be more bits than a word has; one field has no more. */
static bool may_be_long(const jig_type *key, const jig_op *decomposer) {
  return decomposer != NULL && decomposer->kind == JIG_OP_SOURCE && key->size > RADIX_WORD_BYTES &&
         strchr(decomposer->source, ',') != NULL;
}

/* ---- specs */

static spec_slot *slot_of(spec *s, const char *name) {
  return &s->slots[spec_find(s, name) - s->slots];
}

static void sort_indices(const gather_index *index, spec *own) {
  slot_of(own, "value")->type = &index->type;
  slot_of(own, "values_in")->iter = &index->counted;
}

/* A sort of rows has long ones (jig::RowIndices). */
static const gather_index *index_of(radix_most_moved most, bool is_row, uint64_t num_items) {
  return most.by_index32 && !is_row && num_items <= UINT32_MAX ? &gather_index32 : &gather_index64;
}

void radix_rows_bind(const radix_parts *parts, radix_most_moved most, uint64_t num_items, spec *own,
                     radix_rows *rows) {
  const jig_type *value = radix_value_of(parts);
  /* What is gathered is described when the call is prepared. */
  rows->begin_bit = rows->end_bit = rows->first_word = rows->last_word = rows->word_bytes = 0;
  rows->gathers_keys = parts->key.size > most.key;
  rows->gathers_values = value != NULL && (rows->gathers_keys || value->size > most.value);
  rows->index = index_of(most, rows->gathers_keys, num_items);
  if (radix_rows_gather(rows)) sort_indices(rows->index, own);
}

bool radix_rows_gather(const radix_rows *rows) {
  return rows->gathers_keys || rows->gathers_values;
}

/* Gathers items that are of that type and come from there, or from a pointer. */
static void describe(gather_values *g, const jig_type *type, const jig_iter *from,
                     const gather_index *index, bool only_some, bool counted, spec *other) {
  const jig_iter pointer = jig_pointer(NULL, *type);
  gather_describe(g, from != NULL ? from : &pointer, index, only_some, counted);
  *other = g->s;
}

int radix_rows_also(spec *own, spec others[RADIX_MAX_OTHERS], radix_most_moved most, bool only_some) {
  static _Thread_local gather_values keys, values; /* as long as whoever asked looks at them */
  const jig_type *key = spec_find(own, "key")->type;
  const spec_slot *value = spec_find(own, "value"), *values_in = spec_find(own, "values_in");
  const spec_slot *counted = spec_find(own, "num_items_in");
  const bool is_counted = counted != NULL && counted->choice != 0;
  const bool is_row = key->size > most.key;
  const bool may_gather = is_row || may_be_long(key, spec_find(own, "decomposer")->op);
  const bool is_large = value->type != NULL && value->type->size > most.value;
  const gather_index *index = index_of(most, may_gather, 0);
  int count = 0;
  if (may_gather)
    describe(&keys, key, spec_find(own, "keys_in")->iter, index, only_some, is_counted, &others[count++]);
  if (value->type != NULL && (may_gather || is_large))
    describe(&values, value->type, values_in->iter, index, only_some, is_counted, &others[count++]);
  if (is_row || is_large) sort_indices(index, own);
  return count;
}

/* ---- calls */

static int bits_of(int field_bits) {
  return (int)max_of((uint64_t)field_bits, WORD_BITS);
}

/* Bits that fields do not have are zero. */
static void set_range(const jig_radix_sort_args *args, int field_bits, radix_rows *rows) {
  const int end = args->end_bit != 0 ? args->end_bit : bits_of(field_bits);
  rows->begin_bit = args->begin_bit;
  rows->end_bit = (int)min_of((uint64_t)end, (uint64_t)field_bits);
  if (rows->begin_bit >= rows->end_bit) rows->begin_bit = rows->end_bit = 0;
  rows->first_word = rows->begin_bit / WORD_BITS;
  rows->last_word = rows->end_bit > 0 ? (rows->end_bit - 1) / WORD_BITS : 0;
}

/* Until a kernel is loaded that tells, a word: which kernels are needed hardly depends on it, and the
 * call is planned again. */
static void guess_fields(const jig_radix_sort_args *args, radix_rows *rows) {
  rows->word_bytes = RADIX_WORD_BYTES;
  set_range(args, WORD_BITS, rows);
}

/* What its fields are. */
static jig_status ask_program(const call *c, const jig_radix_sort_args *args, const radix_parts *parts,
                              radix_rows *rows) {
  size_t bytes;
  const jig_status status = program_field_bytes(c->program, &bytes);
  if (status != JIG_SUCCESS) return error_prefix(status, "%s", c->name);
  rows->word_bytes = bytes <= 4 ? 4 : bytes <= 8 ? 8 : RADIX_WORD_BYTES;
  if (bytes > RADIX_WORD_BYTES) {
    rows->gathers_keys = true;
    rows->gathers_values = radix_value_of(parts) != NULL;
  }
  set_range(args, 8 * (int)bytes, rows);
  return radix_check_bits(c->name, args, bits_of(8 * (int)bytes));
}

jig_status radix_rows_prepare(call *c, const jig_radix_sort_args *args, const radix_parts *parts,
                              bool only_some, radix_rows *rows) {
  jig_status status = JIG_SUCCESS;
  const bool counted = args->num_items_in != NULL;
  const bool asks = radix_decomposer_of(parts) != NULL && parts->key.size > RADIX_WORD_BYTES;
  if (asks && atomic_load(&c->program->loaded) == 0)
    guess_fields(args, rows);
  else if (asks)
    status = ask_program(c, args, parts, rows);
  if (status == JIG_SUCCESS && rows->gathers_keys) {
    gather_describe(&rows->keys, &args->keys_in, rows->index, only_some, counted);
    status = gather_prepare(c, &rows->keys, args->num_items);
  }
  if (status != JIG_SUCCESS || !rows->gathers_values) return status;
  gather_describe(&rows->values, &args->values_in, rows->index, only_some, counted);
  return gather_prepare(c, &rows->values, args->num_items);
}

void radix_rows_range(const radix_rows *rows, int word, int *begin_bit, int *end_bit) {
  const int first = word * WORD_BITS;
  *begin_bit = rows->begin_bit > first ? rows->begin_bit - first : 0;
  *end_bit = rows->end_bit < first + WORD_BITS ? rows->end_bit - first : WORD_BITS;
}

int radix_rows_passes(const radix_rows *rows) {
  int most = 1;
  for (int word = rows->first_word; word <= rows->last_word; ++word) {
    int begin_bit, end_bit;
    radix_rows_range(rows, word, &begin_bit, &end_bit);
    const int passes = radix_passes(begin_bit, end_bit);
    if (passes > most) most = passes;
  }
  return most;
}

jig_status radix_rows_launch(radix_rows *rows, const jig_radix_sort_args *args, void *indices) {
  const item_count count = {args->num_items, args->num_items_in};
  jig_status status = JIG_SUCCESS;
  rows->keys.values.pointer = args->keys_in.pointer;
  rows->values.values.pointer = args->values_in.pointer;
  if (rows->gathers_keys) status = gather_launch(&rows->keys, indices, &args->keys_out, count);
  return status == JIG_SUCCESS && rows->gathers_values
             ? gather_launch(&rows->values, indices, &args->values_out, count)
             : status;
}
