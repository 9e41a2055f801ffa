/* Random calls of what orders items by comparing them. */
#include "random_cases.h"

#include <stdlib.h>
#include <string.h>

typedef struct order_case {
  item_kind key, value;
  bool has_values, down, by_source;
  void *keys, *values;
} order_case;

static order_case random_order(void) {
  order_case c = {.key = random_kind(), .value = random_kind(), .has_values = shape_one_in(2)};
  c.down = c.key.words == 1 && shape_one_in(2);
  c.by_source = c.key.words > 1 && shape_one_in(2);
  return c;
}

static jig_op order_op(const order_case *c) {
  if (c->by_source) return jig_op_source("return a.m0 < b.m0;");
  if (c->down) return JIG_GREATER;
  return shape_one_in(2) ? JIG_LESS : (jig_op){JIG_OP_NONE};
}

static int compare_keys(const order_case *c, const void *a, const void *b) {
  return c->down ? compare_items_down(&c->key, a, b) : compare_items(&c->key, a, b);
}

static int by_compare(const void *context, size_t a, size_t b) {
  const order_case *c = context;
  return compare_keys(c, item(&c->key, c->keys, a), item(&c->key, c->keys, b));
}

void random_merge_sort(void) {
  order_case c = random_order();
  size_t n = data_count(c.key.type.size + c.value.type.size), count;
  c.keys = new_items(&c.key, random_mix(), n);
  c.values = new_items(&c.value, MIX_BITS, n);
  const bool in_place = shape_one_in(3), values_in_place = shape_one_in(3);
  jig_merge_sort_args args = {
      .keys_in = place_input(&c.key, c.keys, n, in_place ? PLACE_POINTER : PLACE_ITEMS),
      .num_items = n,
      .compare = order_op(&c)};
  place_output out = in_place ? place_output_at(&c.key, n, &args.keys_in)
                              : place_output_of(&c.key, n, PLACE_ITEMS),
               values = {0};
  args.keys_out = out.iter;
  if (c.has_values) {
    args.values_in = place_input(&c.value, c.values, n, values_in_place ? PLACE_POINTER : PLACE_ITEMS);
    values = values_in_place ? place_output_at(&c.value, n, &args.values_in)
                             : place_output_of(&c.value, n, PLACE_ITEMS);
    args.values_out = values.iter;
  }
  args.num_items_in = place_count(n, &count);
  RUN(jig_merge_sort, &args);
  size_t *order = indices_in_order(count, by_compare, &c);
  place_check(&out, picked(&c.key, c.keys, order, count), count, !in_place, "keys_out");
  if (c.has_values)
    place_check(&values, picked(&c.value, c.values, order, count), count, !values_in_place, "values_out");
  free(order);
}

/* n keys in order, behind which others may follow. */
static void *sorted_keys(order_case *c, item_mix mix, size_t n) {
  c->keys = new_items(&c->key, mix, n);
  size_t *order = indices_in_order(n, by_compare, c);
  void *keys = picked(&c->key, c->keys, order, n);
  free(order);
  return keys;
}

typedef struct two_inputs {
  size_t most[2], count[2];
  char *keys[2], *values[2];
  const uint64_t *counts[2];
} two_inputs;

static two_inputs random_two(order_case *c) {
  two_inputs t;
  const item_mix mix = random_mix();
  for (int i = 0; i < 2; ++i) {
    t.most[i] = data_count(c->key.type.size + c->value.type.size);
    t.keys[i] = sorted_keys(c, mix, t.most[i]);
    t.values[i] = new_items(&c->value, MIX_BITS, t.most[i]);
    t.counts[i] = place_count(t.most[i], &t.count[i]);
  }
  return t;
}

void random_merge(void) {
  order_case c = random_order();
  two_inputs t = random_two(&c);
  const size_t room = t.most[0] + t.most[1], n = t.count[0] + t.count[1];
  place_output out = place_output_of(&c.key, room, PLACE_ITEMS),
               values = place_output_of(&c.value, room, PLACE_ITEMS);
  jig_merge_args args = {.first_keys_in = place_input(&c.key, t.keys[0], t.most[0], PLACE_ITEMS),
                         .second_keys_in = place_input(&c.key, t.keys[1], t.most[1], PLACE_ITEMS),
                         .keys_out = out.iter,
                         .first_num_items = t.most[0],
                         .second_num_items = t.most[1],
                         .compare = order_op(&c),
                         .first_num_items_in = t.counts[0],
                         .second_num_items_in = t.counts[1]};
  if (c.has_values) {
    args.first_values_in = place_input(&c.value, t.values[0], t.most[0], PLACE_ITEMS);
    args.second_values_in = place_input(&c.value, t.values[1], t.most[1], PLACE_ITEMS);
    args.values_out = values.iter;
  }
  RUN(jig_merge, &args);
  char *both = host_alloc(n * c.key.type.size), *both_values = host_alloc(n * c.value.type.size);
  for (int i = 0; i < 2; ++i) {
    const size_t from = i == 0 ? 0 : t.count[0];
    memcpy(item(&c.key, both, from), t.keys[i], t.count[i] * c.key.type.size);
    memcpy(item(&c.value, both_values, from), t.values[i], t.count[i] * c.value.type.size);
  }
  c.keys = both;
  size_t *order = indices_in_order(n, by_compare, &c);
  place_check(&out, picked(&c.key, both, order, n), n, true, "keys_out");
  if (c.has_values) place_check(&values, picked(&c.value, both_values, order, n), n, true, "values_out");
  free(order);
}

void random_set_operation(void) {
  order_case c = random_order();
  two_inputs t = random_two(&c);
  const jig_set_mode mode = (jig_set_mode)shape_below(4);
  const bool both_kept = mode == JIG_SET_UNION || mode == JIG_SET_SYMMETRIC_DIFFERENCE;
  const size_t smaller = t.most[0] < t.most[1] ? t.most[0] : t.most[1];
  const size_t room = both_kept                      ? t.most[0] + t.most[1]
                      : mode == JIG_SET_INTERSECTION ? smaller
                                                     : t.most[0];
  const bool counts_only = shape_one_in(6);
  const item_kind number = random_counter();
  place_output out = place_output_of(&c.key, room, PLACE_ITEMS),
               values = place_output_of(&c.value, room, PLACE_ITEMS),
               num = place_output_of(&number, 1, PLACE_ITEMS);
  if (counts_only) c.has_values = false;
  jig_set_operation_args args = {.first_keys_in = place_input(&c.key, t.keys[0], t.most[0], PLACE_ITEMS),
                                 .second_keys_in = place_input(&c.key, t.keys[1], t.most[1], PLACE_ITEMS),
                                 .num_items_out = num.iter,
                                 .first_num_items = t.most[0],
                                 .second_num_items = t.most[1],
                                 .compare = order_op(&c),
                                 .mode = mode,
                                 .first_num_items_in = t.counts[0],
                                 .second_num_items_in = t.counts[1]};
  if (!counts_only) args.keys_out = out.iter;
  if (c.has_values) {
    args.first_values_in = place_input(&c.value, t.values[0], t.most[0], PLACE_ITEMS);
    if (both_kept) args.second_values_in = place_input(&c.value, t.values[1], t.most[1], PLACE_ITEMS);
    args.values_out = values.iter;
  }
  RUN(jig_set_operation, &args);
  char *wanted = host_alloc(room * c.key.type.size),
       *wanted_values = host_alloc(room * c.value.type.size);
  size_t kept = 0, i = 0, j = 0;
#define KEEP(which, at)                                                                                 \
  (memcpy(item(&c.key, wanted, kept), item(&c.key, t.keys[which], at), c.key.type.size),                \
   memcpy(item(&c.value, wanted_values, kept), item(&c.value, t.values[which], at), c.value.type.size), \
   ++kept)
  while (i < t.count[0] || j < t.count[1]) {
    const int order = i == t.count[0] ? 1
                      : j == t.count[1]
                          ? -1
                          : compare_keys(&c, item(&c.key, t.keys[0], i), item(&c.key, t.keys[1], j));
    if (order < 0) {
      if (mode != JIG_SET_INTERSECTION) KEEP(0, i);
      ++i;
    } else if (order > 0) {
      if (both_kept) KEEP(1, j);
      ++j;
    } else {
      if (mode == JIG_SET_UNION || mode == JIG_SET_INTERSECTION) KEEP(0, i);
      ++i, ++j;
    }
  }
  if (!counts_only) place_check(&out, wanted, kept, false, "keys_out");
  if (c.has_values) place_check(&values, wanted_values, kept, false, "values_out");
  check_number(&num, kept, "num_items_out");
}

void random_binary_search(void) {
  order_case c = random_order();
  size_t n = data_count(c.key.type.size), m = data_count(c.key.type.size), count, needles;
  const item_kind place = random_index(&n);
  const item_mix mix = random_mix();
  char *keys = sorted_keys(&c, mix, n), *wants = new_items(&c.key, mix, m);
  const jig_bound bound = (jig_bound)shape_below(3);
  place_output out = place_output_of(&place, m, PLACE_ITEMS),
               upper = place_output_of(&place, m, PLACE_ITEMS);
  jig_binary_search_args args = {.in = place_input(&c.key, keys, n, PLACE_ITEMS),
                                 .needles_in = place_input(&c.key, wants, m, PLACE_ITEMS),
                                 .out = out.iter,
                                 .num_items = n,
                                 .num_needles = m,
                                 .compare = order_op(&c),
                                 .bound = bound};
  if (bound == JIG_BOUND_EQUAL_RANGE) args.upper_out = upper.iter;
  args.num_items_in = place_count(n, &count);
  args.num_needles_in = place_count(m, &needles);
  RUN(jig_binary_search, &args);
  char *lower_wanted = host_alloc(m * place.type.size), *upper_wanted = host_alloc(m * place.type.size);
  for (size_t i = 0; i < needles; ++i) {
    const void *needle = item(&c.key, wants, i);
    size_t low[2], high;
    for (int up = 0; up < 2; ++up) {
      for (low[up] = 0, high = count; low[up] < high;) {
        const size_t middle = low[up] + (high - low[up]) / 2;
        const int order = compare_keys(&c, item(&c.key, keys, middle), needle);
        if (order < 0 || (up && order == 0))
          low[up] = middle + 1;
        else
          high = middle;
      }
    }
    put_integer(place.word, lower_wanted, i, (int128)low[0]);
    put_integer(place.word, upper_wanted, i, (int128)low[1]);
  }
  place_check(&out, bound == JIG_BOUND_UPPER ? upper_wanted : lower_wanted, needles, true, "out");
  if (bound == JIG_BOUND_EQUAL_RANGE) place_check(&upper, upper_wanted, needles, true, "upper_out");
}

void random_is_sorted(void) {
  order_case c = random_order();
  size_t n = data_count(c.key.type.size), count, until;
  const item_kind index = random_index(&n);
  char *keys = sorted_keys(&c, random_mix(), n);
  if (n > 1 && data_one_in(2))
    memcpy(item(&c.key, keys, data_below(n)), item(&c.key, keys, data_below(n)), c.key.type.size);
  const jig_sorted_mode mode = (jig_sorted_mode)shape_below(2);
  place_output out = place_output_of(&index, 1, PLACE_ITEMS);
  jig_is_sorted_args args = {.in = place_input(&c.key, keys, n, PLACE_ITEMS),
                             .out = out.iter,
                             .num_items = n,
                             .compare = order_op(&c),
                             .mode = mode};
  args.num_items_in = place_count(n, &count);
  RUN(jig_is_sorted, &args);
  for (until = 1; until < count; ++until) {
    if (compare_keys(&c, item(&c.key, keys, until), item(&c.key, keys, until - 1)) < 0) break;
  }
  if (until > count) until = count;
  check_number(&out, mode == JIG_SORTED ? until == count : until, "out");
}
