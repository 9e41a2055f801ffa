/* Random calls of what looks for the smallest and the largest item. */
#include "random_cases.h"

#include <string.h>

/* By the default order; NaN is first, or passed over. Returns the index of the first extreme, SIZE_MAX.
 */
static size_t extreme(const item_kind *k, const void *items, size_t first, size_t count, bool largest,
                      bool ignores) {
  size_t best = SIZE_MAX;
  for (size_t i = first; i < first + count; ++i) {
    const void *x = item(k, items, i);
    const bool nan = is_floating(k->word) && !equal_items(k, x, x);
    if (nan && ignores) continue;
    if (nan) return i;
    if (best == SIZE_MAX) {
      best = i;
      continue;
    }
    const int order = compare_items(k, x, item(k, items, best));
    if (largest ? order > 0 : order < 0) best = i;
  }
  return best;
}

static bool extreme_of_none(const item_kind *k, bool largest, void *value) {
  return k->words == 1 && fold_identity(k, largest ? FOLD_MAX : FOLD_MIN, value);
}

void random_arg_reduce(void) {
  const item_kind k = random_kind(), index = random_counter();
  size_t n = data_count(k.type.size), count;
  void *items = new_items(&k, random_mix(), n);
  const bool largest = shape_one_in(2), ignores = shape_one_in(2), wants_value = !shape_one_in(4);
  place_output value = place_output_of(&k, 1, PLACE_ITEMS),
               place = place_output_of(&index, 1, PLACE_ITEMS);
  jig_arg_reduce_args args = {.in = place_input(&k, items, n, PLACE_ANY),
                              .index_out = place.iter,
                              .num_items = n,
                              .op = largest ? JIG_MAX : JIG_MIN,
                              .nan = ignores ? JIG_NAN_IGNORE : JIG_NAN_PROPAGATE};
  if (wants_value) args.value_out = value.iter;
  args.num_items_in = place_count(n, &count);
  RUN(jig_arg_reduce, &args);
  const size_t at = extreme(&k, items, 0, count, largest, ignores);
  char none[512];
  const bool written = at != SIZE_MAX || extreme_of_none(&k, largest, none);
  if (wants_value)
    place_check(&value, at != SIZE_MAX ? item(&k, items, at) : none, written, true, "value_out");
  check_number(&place, (uint64_t)at, "index_out");
}

void random_min_max(void) {
  const item_kind k = random_kind(), index = random_counter();
  size_t n = data_count(k.type.size), count;
  void *items = new_items(&k, random_mix(), n);
  const bool ignores = shape_one_in(2);
  const unsigned wants = 1 + (unsigned)shape_below(15);
  place_output value[2], place[2];
  for (int i = 0; i < 2; ++i) {
    value[i] = place_output_of(&k, 1, PLACE_ITEMS);
    place[i] = place_output_of(&index, 1, PLACE_ITEMS);
  }
  jig_min_max_args args = {.in = place_input(&k, items, n, PLACE_ANY),
                           .num_items = n,
                           .nan = ignores ? JIG_NAN_IGNORE : JIG_NAN_PROPAGATE};
  if (wants & 1) args.min_out = value[0].iter;
  if (wants & 2) args.max_out = value[1].iter;
  if (wants & 4) args.min_index_out = place[0].iter;
  if (wants & 8) args.max_index_out = place[1].iter;
  args.num_items_in = place_count(n, &count);
  RUN(jig_min_max, &args);
  for (int i = 0; i < 2; ++i) {
    size_t at = extreme(&k, items, 0, count, i == 1, ignores);
    char best[512];
    bool written = extreme_of_none(&k, i == 1, best);
    if (at != SIZE_MAX) {
      written = true;
      memcpy(best, item(&k, items, at), k.type.size);
      /* Where no index is wanted, -0 is smaller than 0. */
      for (size_t j = 0; (wants & 12) == 0 && k.words == 1 && j < count; ++j) {
        if (equal_items(&k, best, item(&k, items, j)))
          fold_item(&k, i == 1 ? FOLD_MAX : FOLD_MIN, best, item(&k, items, j));
      }
    }
    if (wants & (1u << i)) place_check(&value[i], best, written, true, i == 0 ? "min_out" : "max_out");
    if (wants & (4u << i))
      check_number(&place[i], (uint64_t)at, i == 0 ? "min_index_out" : "max_index_out");
  }
}

void random_segmented_arg_reduce(void) {
  const item_kind k = random_kind(), index = random_counter();
  size_t row, count;
  const segment_case s = segments_or_rows(k.type.size, &row);
  void *items = new_items(&k, random_mix(), s.items);
  const bool largest = shape_one_in(2), ignores = shape_one_in(2), wants_value = !shape_one_in(4);
  place_output value = place_output_of(&k, s.count, PLACE_ITEMS),
               place = place_output_of(&index, s.count, PLACE_ITEMS);
  jig_segmented_arg_reduce_args args = {.in = place_input(&k, items, s.items, PLACE_ITEMS),
                                        .index_out = place.iter,
                                        .begin_offsets = s.begin_offsets,
                                        .end_offsets = s.end_offsets,
                                        .num_segments = s.count,
                                        .segment_size = row,
                                        .op = largest ? JIG_MAX : JIG_MIN,
                                        .nan = ignores ? JIG_NAN_IGNORE : JIG_NAN_PROPAGATE};
  if (wants_value) args.value_out = value.iter;
  args.num_segments_in = place_count(s.count, &count);
  RUN(jig_segmented_arg_reduce, &args);
  char *wanted = host_alloc(s.count * k.type.size), *places = host_alloc(s.count * index.type.size);
  bool *written = host_alloc(s.count), *all = host_alloc(s.count);
  memset(all, 1, count);
  for (size_t i = 0; i < count; ++i) {
    const size_t at = extreme(&k, items, (size_t)s.begins[i], segment_length(&s, i), largest, ignores);
    written[i] = at != SIZE_MAX || extreme_of_none(&k, largest, item(&k, wanted, i));
    if (at != SIZE_MAX) memcpy(item(&k, wanted, i), item(&k, items, at), k.type.size);
    put_integer(index.word, places, i, at == SIZE_MAX ? -1 : (int128)at - s.begins[i]);
  }
  if (wants_value) place_check_some(&value, wanted, written, true, "value_out");
  place_check_some(&place, places, all, true, "index_out");
}
