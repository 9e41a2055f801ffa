/* Random calls of what looks for the smallest and the largest item. */
#include "random_cases.h"

#include <string.h>

/* By <, or by an operator: JIG_LESS and JIG_GREATER, which have NaNs last, or of the lowest bits. */
typedef enum extreme_order { BY_DEFAULT, BY_LESS, BY_GREATER, BY_LOW_BITS } extreme_order;
typedef struct extreme_case {
  item_kind k;
  extreme_order order;
  bool ignores;
} extreme_case;

static extreme_case random_extreme(void) {
  extreme_case c = {.k = random_kind(), .ignores = shape_one_in(2)};
  if (shape_one_in(2)) c.order = (extreme_order)shape_below(is_floating(c.k.word) ? 3 : 4);
  return c;
}

static jig_op extreme_op(const extreme_case *c) {
  switch (c->order) {
    case BY_LESS:
      return JIG_LESS;
    case BY_GREATER:
      return JIG_GREATER;
    case BY_LOW_BITS:
      return jig_op_source(c->k.words > 1 ? "return (a.m0 & 7) < (b.m0 & 7);"
                                          : "return (a & 7) < (b & 7);");
    default:
      return (jig_op){JIG_OP_NONE};
  }
}

static bool comes_before(const extreme_case *c, const void *a, const void *b) {
  const jig_type_kind word = c->k.word;
  switch (c->order) {
    case BY_GREATER:
      return compare_items_down(&c->k, a, b) < 0;
    case BY_LOW_BITS:
      return (get_integer(word, a, 0) & 7) < (get_integer(word, b, 0) & 7);
    default:
      return compare_items(&c->k, a, b) < 0;
  }
}

/* The index of the first extreme, SIZE_MAX. By the default order NaN is first, or passed over. */
static size_t extreme(const extreme_case *c, const void *items, size_t first, size_t count,
                      bool largest) {
  const item_kind *k = &c->k;
  size_t best = SIZE_MAX;
  for (size_t i = first; i < first + count; ++i) {
    const void *x = item(k, items, i);
    const bool nan = c->order == BY_DEFAULT && is_floating(k->word) && !equal_items(k, x, x);
    if (nan && c->ignores) continue;
    if (nan) return i;
    const void *other = best == SIZE_MAX ? x : item(k, items, best);
    if (best == SIZE_MAX || (largest ? comes_before(c, other, x) : comes_before(c, x, other))) best = i;
  }
  return best;
}

static int128 index_of(size_t at) {
  return at == SIZE_MAX ? -1 : (int128)at;
}

/* By JIG_GREATER over integers the largest is that of the default order's other direction. */
static bool extreme_of_none(const extreme_case *c, bool largest, void *value) {
  if (c->k.words > 1 || c->order == BY_LOW_BITS) return false;
  if (c->order != BY_DEFAULT && is_floating(c->k.word)) return false;
  return fold_identity(&c->k, largest != (c->order == BY_GREATER) ? FOLD_MAX : FOLD_MIN, value);
}

void random_arg_reduce(void) {
  const extreme_case c = random_extreme();
  const item_kind k = c.k;
  size_t n = data_count(k.type.size), count;
  const item_kind index = random_index(&n);
  void *items = new_items(&k, random_mix(), n);
  const bool largest = shape_one_in(2), wants_value = !shape_one_in(4);
  place_output value = place_output_of(&k, 1, PLACE_ITEMS),
               place = place_output_of(&index, 1, PLACE_ITEMS);
  jig_arg_reduce_args args = {.in = place_input(&k, items, n, PLACE_ANY),
                              .index_out = place.iter,
                              .num_items = n,
                              .op = largest ? JIG_MAX : JIG_MIN,
                              .compare = extreme_op(&c),
                              .nan = c.ignores ? JIG_NAN_IGNORE : JIG_NAN_PROPAGATE};
  if (wants_value) args.value_out = value.iter;
  args.num_items_in = place_count(n, &count);
  RUN(jig_arg_reduce, &args);
  const size_t at = extreme(&c, items, 0, count, largest);
  char none[MOST_ITEM_BYTES];
  const bool written = at != SIZE_MAX || extreme_of_none(&c, largest, none);
  if (wants_value)
    place_check(&value, at != SIZE_MAX ? item(&k, items, at) : none, written, true, "value_out");
  check_number(&place, index_of(at), "index_out");
}

void random_min_max(void) {
  const extreme_case c = random_extreme();
  const item_kind k = c.k;
  size_t n = data_count(k.type.size), count;
  const item_kind index = random_index(&n);
  void *items = new_items(&k, random_mix(), n);
  const unsigned wants = 1 + (unsigned)shape_below(15);
  place_output value[2], place[2];
  for (int i = 0; i < 2; ++i) {
    value[i] = place_output_of(&k, 1, PLACE_ITEMS);
    place[i] = place_output_of(&index, 1, PLACE_ITEMS);
  }
  jig_min_max_args args = {.in = place_input(&k, items, n, PLACE_ANY),
                           .num_items = n,
                           .compare = extreme_op(&c),
                           .nan = c.ignores ? JIG_NAN_IGNORE : JIG_NAN_PROPAGATE};
  if (wants & 1) args.min_out = value[0].iter;
  if (wants & 2) args.max_out = value[1].iter;
  if (wants & 4) args.min_index_out = place[0].iter;
  if (wants & 8) args.max_index_out = place[1].iter;
  args.num_items_in = place_count(n, &count);
  RUN(jig_min_max, &args);
  for (int i = 0; i < 2; ++i) {
    size_t at = extreme(&c, items, 0, count, i == 1);
    char best[MOST_ITEM_BYTES];
    bool written = c.order != BY_GREATER && extreme_of_none(&c, i == 1, best);
    if (at != SIZE_MAX) {
      written = true;
      memcpy(best, item(&k, items, at), k.type.size);
      /* Where no index is wanted, -0 is smaller than 0. */
      const bool looks_at_zeros = (wants & 12) == 0 && k.words == 1 && c.order == BY_DEFAULT;
      for (size_t j = 0; looks_at_zeros && j < count; ++j) {
        if (equal_items(&k, best, item(&k, items, j)))
          fold_item(&k, i == 1 ? FOLD_MAX : FOLD_MIN, best, item(&k, items, j));
      }
    }
    if (wants & (1u << i)) place_check(&value[i], best, written, true, i == 0 ? "min_out" : "max_out");
    if (wants & (4u << i))
      check_number(&place[i], index_of(at), i == 0 ? "min_index_out" : "max_index_out");
  }
}

void random_segmented_arg_reduce(void) {
  const extreme_case c = random_extreme();
  const item_kind k = c.k, index = random_integer();
  size_t row, count;
  const segment_case s = segments_or_rows(k.type.size, &row, SEGMENTS_OVERLAP);
  void *items = new_items(&k, random_mix(), s.items);
  const bool largest = shape_one_in(2), wants_value = !shape_one_in(4);
  place_output value = place_output_of(&k, s.count, PLACE_ITEMS),
               place = place_output_of(&index, s.count, PLACE_ITEMS);
  jig_segmented_arg_reduce_args args = {.in = place_input(&k, items, s.items, PLACE_ITEMS),
                                        .index_out = place.iter,
                                        .begin_offsets = s.begin_offsets,
                                        .end_offsets = s.end_offsets,
                                        .num_segments = s.count,
                                        .segment_size = row,
                                        .op = largest ? JIG_MAX : JIG_MIN,
                                        .compare = extreme_op(&c),
                                        .nan = c.ignores ? JIG_NAN_IGNORE : JIG_NAN_PROPAGATE};
  if (wants_value) args.value_out = value.iter;
  args.num_segments_in = place_count(s.count, &count);
  RUN(jig_segmented_arg_reduce, &args);
  char *wanted = host_alloc(s.count * k.type.size), *places = host_alloc(s.count * index.type.size);
  bool *written = host_alloc(s.count), *all = host_alloc(s.count);
  memset(all, 1, count);
  for (size_t i = 0; i < count; ++i) {
    const size_t at = extreme(&c, items, (size_t)s.begins[i], segment_length(&s, i), largest);
    written[i] = at != SIZE_MAX || extreme_of_none(&c, largest, item(&k, wanted, i));
    if (at != SIZE_MAX) memcpy(item(&k, wanted, i), item(&k, items, at), k.type.size);
    put_integer(index.word, places, i, at == SIZE_MAX ? -1 : (int128)at - s.begins[i]);
  }
  if (wants_value) place_check_some(&value, wanted, written, true, "value_out");
  place_check_some(&place, places, all, true, "index_out");
}
