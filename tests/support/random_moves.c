/* Random calls of what moves items, or makes an item of each. */
#include "random_cases.h"

#include <stdio.h>
#include <string.h>

static bool is_plain_integer(const item_kind *k) {
  return k->words == 1 && !is_floating(k->word) && k->word != JIG_KIND_BOOL;
}

/* Of items of a kind; integers become those of another one, too, or bool. */
static item_kind random_result(const item_kind *k) {
  if (!is_plain_integer(k) || shape_one_in(2)) return *k;
  return shape_one_in(6) ? kind_of_number(JIG_KIND_BOOL) : random_integer();
}

static void convert(const item_kind *from, const void *x, const item_kind *to, void *result) {
  if (from->word == to->word)
    memcpy(result, x, from->type.size);
  else if (to->word == JIG_KIND_BOOL)
    put_integer(to->word, result, 0, get_integer(from->word, x, 0) != 0);
  else
    put_integer(to->word, result, 0, get_integer(from->word, x, 0));
}

static char *converted(const item_kind *from, const void *items, size_t count, const item_kind *to) {
  char *results = host_alloc(count * to->type.size);
  for (size_t i = 0; i < count; ++i) convert(from, item(from, items, i), to, item(to, results, i));
  return results;
}

void random_copy(void) {
  const item_kind k = random_kind(), to = random_result(&k);
  size_t n = data_count(k.type.size), count;
  void *items = new_items(&k, random_mix(), n);
  const bool in_place = may_lie_over(&to, &k) && shape_one_in(3);
  place_output out = place_output_of(&to, n, PLACE_ITEMS);
  jig_copy_args args = {.in = place_input(&k, items, n, in_place ? PLACE_POINTER : PLACE_ANY),
                        .num_items = n};
  const jig_iter same = jig_pointer(args.in.pointer, to.type);
  if (in_place) out = place_output_at(&to, n, &same);
  args.out = out.iter;
  args.num_items_in = place_count(n, &count);
  RUN(jig_copy, &args);
  place_check(&out, converted(&k, items, n, &to), count, !in_place, "out");
}

void random_reverse(void) {
  const item_kind k = random_kind(), to = random_result(&k);
  size_t n = data_count(k.type.size), count;
  void *items = new_items(&k, random_mix(), n);
  const bool in_place = may_lie_over(&to, &k) && shape_one_in(3);
  jig_reverse_args args = {.in = place_input(&k, items, n, in_place ? PLACE_POINTER : PLACE_ANY),
                           .num_items = n};
  const jig_iter same = jig_pointer(args.in.pointer, to.type);
  place_output out = in_place ? place_output_at(&to, n, &same) : place_output_of(&to, n, PLACE_ITEMS);
  args.out = out.iter;
  args.num_items_in = place_count(n, &count);
  RUN(jig_reverse, &args);
  char *wanted = host_alloc(n * to.type.size);
  for (size_t i = 0; i < count; ++i)
    convert(&k, item(&k, items, count - 1 - i), &to, item(&to, wanted, i));
  place_check(&out, wanted, count, !in_place, "out");
}

void random_transform(void) {
  const item_kind k = random_small_kind(), flag = random_number();
  size_t n = data_count(k.type.size), count;
  const uint32_t inputs = 1 + (uint32_t)shape_below(shape_one_in(4) ? 8 : 3);
  fold_kind fold = k.words > 1 ? FOLD_COMPOSE : is_floating(k.word) ? FOLD_MIN : FOLD_XOR;
  if (k.word == JIG_KIND_BOOL) fold = FOLD_OR;
  const bool in_place = shape_one_in(4), stencil = shape_one_in(3);
  jig_iter in[8];
  void *items[8], *flags = new_items(&flag, random_mix(), n);
  for (uint32_t i = 0; i < inputs; ++i) {
    items[i] = new_items(&k, random_mix(), n);
    in[i] = place_input(&k, items[i], n, in_place && i == 0 ? PLACE_POINTER : PLACE_ITEMS);
  }
  place_output out = in_place ? place_output_at(&k, n, &in[0]) : place_output_of(&k, n, PLACE_ITEMS);
  jig_transform_args args = {.in = in, .num_inputs = inputs, .out = out.iter, .num_items = n};
  if (inputs == 2) args.op = fold_op(&k, fold);
  if (inputs >= 3) args.op = jig_op_source("return b;");
  if (stencil) args.stencil = place_input(&flag, flags, n, PLACE_ITEMS);
  if (stencil && shape_one_in(2)) args.predicate = test_op(&flag, false);
  const bool tests_input = !stencil && inputs == 1 && shape_one_in(2);
  if (tests_input) args.predicate = test_op(&k, false);
  args.num_items_in = place_count(n, &count);
  RUN(jig_transform, &args);
  char *wanted = host_alloc(n * k.type.size);
  bool *written = host_alloc(n);
  for (size_t i = 0; i < n; ++i) {
    const bool holds = tests_input                          ? passes(&k, items[0], i, false)
                       : !stencil                           ? true
                       : args.predicate.kind != JIG_OP_NONE ? passes(&flag, flags, i, false)
                       : is_floating(flag.word)             ? get_float(flag.word, flags, i) != 0
                                                            : get_integer(flag.word, flags, i) != 0;
    written[i] = i < count && holds;
    memcpy(item(&k, wanted, i), item(&k, items[inputs >= 3 ? 1 : 0], i), k.type.size);
    if (inputs == 2) fold_item(&k, fold, item(&k, wanted, i), item(&k, items[1], i));
    if (in_place && !written[i]) {
      memcpy(item(&k, wanted, i), item(&k, items[0], i), k.type.size);
      written[i] = true;
    }
  }
  place_check_some(&out, wanted, written, true, "out");
}

void random_adjacent_difference(void) {
  const item_kind k = random_small_kind();
  size_t n = data_count(k.type.size), count;
  const bool right = shape_one_in(2), in_place = shape_one_in(3),
             xors = k.words == 1 && !is_floating(k.word);
  void *items = new_items(&k, random_mix(), n);
  jig_adjacent_difference_args args = {
      .in = place_input(&k, items, n, in_place ? PLACE_POINTER : PLACE_ANY),
      .num_items = n,
      .op = xors ? JIG_BIT_XOR : jig_op_source("return b;"),
      .direction = right ? JIG_DIFFERENCE_RIGHT : JIG_DIFFERENCE_LEFT};
  place_output out = in_place ? place_output_at(&k, n, &args.in) : place_output_of(&k, n, PLACE_ITEMS);
  args.out = out.iter;
  args.num_items_in = place_count(n, &count);
  RUN(jig_adjacent_difference, &args);
  char *wanted = host_alloc(n * k.type.size);
  for (size_t i = 0; i < count; ++i) {
    char *to = item(&k, wanted, i);
    memcpy(to, item(&k, items, i), k.type.size);
    if (right ? i + 1 == count : i == 0) continue;
    const void *other = item(&k, items, right ? i + 1 : i - 1);
    if (xors)
      fold_item(&k, FOLD_XOR, to, other);
    else
      memcpy(to, other, k.type.size);
  }
  place_check(&out, wanted, count, !in_place, "out");
}

void random_copy_batched(void) {
  const item_kind k = random_kind(), offset = random_counter();
  size_t room = data_count(k.type.size) + 1;
  const item_kind length = random_index(&room);
  size_t ranges = data_one_in(8) ? data_below(2) : data_below(300), count, at = 0;
  char *items = new_items(&k, MIX_BITS, room), *from = host_alloc(ranges * 16),
       *to = host_alloc(ranges * 16), *sizes = host_alloc(ranges * 16);
  size_t *starts = host_alloc(ranges * sizeof *starts), *begins = host_alloc(ranges * sizeof *begins),
         *lengths = host_alloc(ranges * sizeof *lengths);
  for (size_t i = 0; i < ranges; ++i) {
    begins[i] = data_below(room);
    lengths[i] = random_length(room - begins[i]);
    starts[i] = at += data_below(3);
    at += lengths[i];
    put_integer(offset.word, from, i, (int128)begins[i]);
    put_integer(offset.word, to, i, (int128)starts[i]);
    put_integer(length.word, sizes, i,
                lengths[i] == 0 && is_signed(length.word) ? -(int128)data_below(5) : (int128)lengths[i]);
  }
  if (at * k.type.size > 30000000) return;
  if (at == 0) at = 1; /* sizes in device memory say that there are none */
  place_output out = place_output_of(&k, at, PLACE_ITEMS);
  jig_copy_batched_args args = {.in = place_input(&k, items, room, PLACE_ITEMS),
                                .out = out.iter,
                                .in_offsets = place_input(&offset, from, ranges, PLACE_ITEMS),
                                .out_offsets = place_input(&offset, to, ranges, PLACE_ITEMS),
                                .sizes = place_input(&length, sizes, ranges, PLACE_ITEMS),
                                .num_ranges = ranges};
  args.num_ranges_in = place_count(ranges, &count);
  RUN(jig_copy_batched, &args);
  char *wanted = host_alloc(at * k.type.size);
  bool *written = host_alloc(at);
  for (size_t i = 0; i < count; ++i) {
    memcpy(item(&k, wanted, starts[i]), item(&k, items, begins[i]), lengths[i] * k.type.size);
    memset(written + starts[i], 1, lengths[i]);
  }
  place_check_some(&out, wanted, written, true, "out");
}

/* An operator that changes the item it is given. */
void random_for_each(void) {
  const item_kind k = random_kind();
  size_t n = data_count(k.type.size), count;
  char *items = new_items(&k, random_mix(), n);
  jig_for_each_args args = {
      .in = place_input(&k, items, n, PLACE_POINTER), .num_items = n, .op = jig_op_source("x = {};")};
  const place_output out = place_output_at(&k, n, &args.in);
  args.num_items_in = place_count(n, &count);
  RUN(jig_for_each, &args);
  memset(items, 0, count * k.type.size);
  place_check(&out, items, n, true, "in");
}

/* A box of some extents, of not many more places than n in all. */
static uint64_t random_box(uint32_t rank, size_t n, uint64_t extents[8]) {
  uint64_t product = 1;
  for (uint32_t d = 0; d < rank; ++d) {
    const uint64_t most = n / (product > 0 ? product : 1);
    extents[d] = d + 1 == rank ? most : data_one_in(3) ? 1 : data_below(most + 1);
    if (extents[d] == 0 && !data_one_in(8)) extents[d] = 1;
    product *= extents[d];
  }
  return product;
}

/* An operator that stores through its state. */
void random_bulk(void) {
  const item_kind k = kind_of_number(JIG_KIND_U64);
  size_t n = data_count(k.type.size), count;
  uint64_t extents[8];
  const uint32_t rank = shape_one_in(2) ? 0 : 1 + (uint32_t)shape_below(8);
  if (rank > 0) n = random_box(rank, n, extents);
  const place_output out = place_output_of(&k, n, PLACE_POINTER);
  const void *state = out.memory;
  const jig_type type =
      jig_struct("target", "struct target { uint64_t *items; };", sizeof state, sizeof state);
  char text[64];
  (void)snprintf(text, sizeof text, "state.items[i] = 3 * i + 7 * at[0] + at[%u];",
                 rank > 0 ? rank - 1 : 0);
  jig_bulk_args args = {
      .num_items = rank > 0 ? 0 : n,
      .op = jig_op_with_state(jig_op_source(rank > 0 ? text : "state.items[i] = 3 * i;"), &state, type),
      .extents = extents,
      .rank = rank};
  count = n;
  if (rank == 0) args.num_items_in = place_count(n, &count);
  RUN(jig_bulk, &args);
  uint64_t *wanted = host_alloc(n * sizeof *wanted);
  for (size_t i = 0; i < count; ++i) {
    wanted[i] = 3 * i;
    if (rank > 0) wanted[i] += 7 * (i / (n / extents[0])) + i % extents[rank - 1];
  }
  place_check(&out, wanted, count, true, "what the state points to");
}

/* From anywhere to places side by side, or with a few bytes between them. */
void random_memcpy_batched(void) {
  const item_kind byte = kind_of_number(JIG_KIND_U8), address = kind_of_number(JIG_KIND_U64);
  size_t count, at = 0, room = data_count(1) + 1;
  const item_kind length = random_index(&room);
  const size_t buffers = data_one_in(8) ? data_below(2) : data_below(300);
  char *items = new_items(&byte, MIX_BITS, room), *sizes = host_alloc(buffers * length.type.size);
  uint64_t *from = host_alloc(buffers * 8), *to = host_alloc(buffers * 8);
  size_t *lengths = host_alloc(buffers * sizeof *lengths);
  for (size_t i = 0; i < buffers; ++i) {
    from[i] = data_below(room);
    lengths[i] = random_length(room - from[i]);
    to[i] = at += data_below(3);
    at += lengths[i];
    put_integer(length.word, sizes, i, (int128)lengths[i]);
  }
  const place_output out = place_output_of(&byte, at, PLACE_POINTER);
  char *wanted = host_alloc(at), *source = place_copy(items, room, 1);
  bool *written = host_alloc(at);
  jig_memcpy_batched_args args = {.num_buffers = buffers};
  args.num_buffers_in = place_count(buffers, &count);
  for (size_t i = 0; i < buffers; ++i) {
    if (i < count) memcpy(wanted + to[i], items + from[i], lengths[i]);
    if (i < count) memset(written + to[i], 1, lengths[i]);
    from[i] += (uintptr_t)source;
    to[i] += (uintptr_t)out.memory;
  }
  args.sources = place_input(&address, from, buffers, PLACE_ITEMS);
  args.destinations = place_input(&address, to, buffers, PLACE_ITEMS);
  args.sizes = place_input(&length, sizes, buffers, PLACE_ITEMS);
  RUN(jig_memcpy_batched, &args);
  place_check_some(&out, wanted, written, true, "destinations");
}
