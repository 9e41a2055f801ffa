/* Random calls of what tests items. */
#include "random_cases.h"

#include <string.h>

/* By flags, by a test of flags, or by a test of the items. */
typedef struct chosen_case {
  item_kind in, flag;
  bool has_flags, has_op;
  void *items, *flags;
} chosen_case;

static bool chooses(const chosen_case *c, size_t i) {
  if (!c->has_flags) return passes(&c->in, c->items, i, false);
  if (c->has_op) return passes(&c->flag, c->flags, i, false);
  if (is_floating(c->flag.word)) return get_float(c->flag.word, c->flags, i) != 0;
  return get_integer(c->flag.word, c->flags, i) != 0;
}

static chosen_case random_chosen(size_t *n) {
  chosen_case c = {.in = random_kind(), .flag = random_number(), .has_flags = shape_one_in(2)};
  c.has_op = !c.has_flags || shape_one_in(2);
  *n = data_count(c.in.type.size);
  c.items = new_items(&c.in, random_mix(), *n);
  c.flags = new_items(&c.flag, random_mix(), *n);
  return c;
}

void random_select(void) {
  size_t n, count, chosen = 0;
  const chosen_case c = random_chosen(&n);
  const item_kind number = random_integer();
  const bool over_flags = c.has_flags && may_lie_over(&c.in, &c.flag) && shape_one_in(2);
  const bool in_place = !over_flags && shape_one_in(4);
  place_output out = place_output_of(&c.in, n, PLACE_ITEMS),
               num = place_output_of(&number, 1, PLACE_ITEMS);
  jig_select_args args = {.in = place_input(&c.in, c.items, n, in_place ? PLACE_POINTER : PLACE_ITEMS),
                          .num_selected_out = num.iter,
                          .num_items = n};
  if (c.has_flags)
    args.flags = place_input(&c.flag, c.flags, n, over_flags ? PLACE_POINTER : PLACE_ITEMS);
  if (c.has_op) args.op = test_op(c.has_flags ? &c.flag : &c.in, false);
  const jig_iter at_flags = jig_pointer(args.flags.pointer, c.in.type);
  if (in_place || over_flags) out = place_output_at(&c.in, n, in_place ? &args.in : &at_flags);
  args.out = out.iter;
  args.num_items_in = place_count(n, &count);
  RUN(jig_select, &args);
  char *wanted = host_alloc(n * c.in.type.size);
  for (size_t i = 0; i < count; ++i) {
    if (chooses(&c, i)) memcpy(item(&c.in, wanted, chosen++), item(&c.in, c.items, i), c.in.type.size);
  }
  place_check(&out, wanted, chosen, !in_place && !over_flags, "out");
  check_number(&num, chosen, "num_selected_out");
}

void random_partition(void) {
  size_t n, count, chosen = 0, others = 0;
  const chosen_case c = random_chosen(&n);
  const item_kind number = random_integer();
  const bool two = shape_one_in(2);
  place_output out = place_output_of(&c.in, n, PLACE_ITEMS),
               rest = place_output_of(&c.in, n, PLACE_ITEMS),
               num = place_output_of(&number, 1, PLACE_ITEMS);
  jig_partition_args args = {.in = place_input(&c.in, c.items, n, PLACE_ITEMS),
                             .out = out.iter,
                             .num_selected_out = num.iter,
                             .num_items = n};
  if (c.has_flags) args.flags = place_input(&c.flag, c.flags, n, PLACE_ITEMS);
  if (c.has_op) args.op = test_op(c.has_flags ? &c.flag : &c.in, false);
  if (two) args.unselected_out = rest.iter;
  args.num_items_in = place_count(n, &count);
  RUN(jig_partition, &args);
  char *wanted = host_alloc(n * c.in.type.size), *wanted_rest = host_alloc(n * c.in.type.size);
  for (size_t i = 0; i < count; ++i) {
    const void *x = item(&c.in, c.items, i);
    if (chooses(&c, i))
      memcpy(item(&c.in, wanted, chosen++), x, c.in.type.size);
    else if (two)
      memcpy(item(&c.in, wanted_rest, others++), x, c.in.type.size);
    else
      memcpy(item(&c.in, wanted, count - 1 - others++), x, c.in.type.size);
  }
  place_check(&out, wanted, two ? chosen : count, true, "out");
  if (two) place_check(&rest, wanted_rest, others, true, "unselected_out");
  check_number(&num, chosen, "num_selected_out");
}

void random_three_way_partition(void) {
  const item_kind k = random_kind(), number = random_integer();
  size_t n = data_count(k.type.size), count, counts[3] = {0};
  void *items = new_items(&k, random_mix(), n);
  place_output out[3], num = place_output_of(&number, 2, PLACE_ITEMS);
  char *wanted[3];
  for (int i = 0; i < 3; ++i) {
    out[i] = place_output_of(&k, n, PLACE_ITEMS);
    wanted[i] = host_alloc(n * k.type.size);
  }
  jig_three_way_partition_args args = {.in = place_input(&k, items, n, PLACE_ITEMS),
                                       .first_out = out[0].iter,
                                       .second_out = out[1].iter,
                                       .unselected_out = out[2].iter,
                                       .num_selected_out = num.iter,
                                       .num_items = n,
                                       .first_op = test_op(&k, false),
                                       .second_op = test_op(&k, true)};
  args.num_items_in = place_count(n, &count);
  RUN(jig_three_way_partition, &args);
  for (size_t i = 0; i < count; ++i) {
    const int to = passes(&k, items, i, false) ? 0 : passes(&k, items, i, true) ? 1 : 2;
    memcpy(item(&k, wanted[to], counts[to]++), item(&k, items, i), k.type.size);
  }
  for (int i = 0; i < 3; ++i)
    place_check(&out[i], wanted[i], counts[i], true,
                i == 0   ? "first_out"
                : i == 1 ? "second_out"
                         : "unselected_out");
  uint64_t numbers[2] = {0};
  for (size_t i = 0; i < 2; ++i) put_integer(number.word, numbers, i, (int128)counts[i]);
  place_check(&num, numbers, 2, true, "num_selected_out");
}

void random_find_if(void) {
  const item_kind k = random_kind();
  size_t n = data_count(k.type.size), count, yes = SIZE_MAX, no = SIZE_MAX;
  const item_kind index = random_index(&n);
  void *items = new_items(&k, random_mix(), n);
  const jig_find_mode mode = (jig_find_mode)shape_below(5);
  for (size_t i = 0; data_one_in(2) && i + 1 < n; ++i)
    memcpy(item(&k, items, i + 1), item(&k, items, i), k.type.size);
  place_output out = place_output_of(&index, 1, PLACE_ITEMS);
  jig_find_if_args args = {.in = place_input(&k, items, n, PLACE_ANY),
                           .out = out.iter,
                           .num_items = n,
                           .predicate = test_op(&k, false),
                           .mode = mode};
  args.num_items_in = place_count(n, &count);
  RUN(jig_find_if, &args);
  for (size_t i = count; i-- > 0;) *(passes(&k, items, i, false) ? &yes : &no) = i;
  const uint64_t wanted[] = {yes == SIZE_MAX ? count : yes, no == SIZE_MAX ? count : no, yes != SIZE_MAX,
                             no == SIZE_MAX, yes == SIZE_MAX};
  check_number(&out, wanted[mode], "out");
}
