/* Random calls of reduce, scan, and these by key and of segments. */
#include "random_cases.h"

#include <math.h>
#include <string.h>

typedef struct fold_case {
  item_kind in, out;
  fold_kind fold;
  bool has_init, init_in, exclusive;
  jig_nan nan;
  void *init;
} fold_case;

static bool is_logical(fold_kind fold) {
  return fold == FOLD_LOGICAL_AND || fold == FOLD_LOGICAL_OR;
}

static fold_case random_fold_case(void) {
  fold_case c = {.in = random_small_kind()};
  c.out = c.in;
  c.fold = random_fold(&c.in);
  c.has_init = shape_one_in(2);
  c.init_in = shape_one_in(3);
  if (c.in.words == 1 && !is_floating(c.in.word) && (c.fold == FOLD_PLUS || c.fold == FOLD_MULTIPLIES)) {
    if (shape_one_in(2)) c.out = random_integer();
  }
  c.init = new_items(&c.out, fold_mix(&c.out, c.fold), 1);
  if (is_logical(c.fold)) put_integer(c.out.word, c.init, 0, get_integer(c.out.word, c.init, 0) != 0);
  return c;
}

/* Items as what is folded: logical operators work on bool. */
static void *widened(const fold_case *c, const void *items, size_t count) {
  const item_kind *from = &c->in, *to = &c->out;
  char *wide = host_alloc(count * to->type.size);
  for (size_t i = 0; i < count; ++i) {
    if (is_logical(c->fold))
      put_integer(to->word, wide, i, get_integer(from->word, items, i) != 0);
    else if (from->word == to->word)
      memcpy(item(to, wide, i), item(from, items, i), to->type.size);
    else
      put_integer(to->word, wide, i, get_integer(from->word, items, i));
  }
  return wide;
}

#define SET_INIT(args, c)                                                            \
  do {                                                                               \
    if ((c)->has_init && !(c)->init_in) (args).init = (c)->init;                     \
    if ((c)->has_init && (c)->init_in)                                               \
      (args).init_in = place_input(&(c)->out, (c)->init, 1, PLACE_ITEMS);            \
    if ((c)->has_init) (args).init_type = (c)->out.type;                             \
    if ((c)->has_init && (c)->init_in) (args).init_type = (jig_type){JIG_KIND_NONE}; \
  } while (0)

/* Items first .. first + count - 1 of `wide`; false if nothing is to be written. */
static bool folded(const fold_case *c, const char *wide, size_t first, size_t count, void *acc) {
  const size_t size = c->out.type.size;
  bool any = c->has_init;
  if (any) memcpy(acc, c->init, size);
  if (any && c->nan == JIG_NAN_IGNORE && !equal_items(&c->out, acc, acc)) any = false;
  for (size_t i = first; i < first + count; ++i) {
    const void *x = item(&c->out, wide, i);
    if (c->nan == JIG_NAN_IGNORE && !equal_items(&c->out, x, x)) continue;
    if (any)
      fold_item(&c->out, c->fold, acc, item(&c->out, wide, i));
    else
      memcpy(acc, item(&c->out, wide, i), size);
    any = true;
  }
  return any || fold_identity(&c->out, c->fold, acc);
}

static jig_nan random_nan(fold_case *c) {
  if (is_floating(c->in.word) && (c->fold == FOLD_MIN || c->fold == FOLD_MAX) && shape_one_in(2))
    c->nan = JIG_NAN_IGNORE;
  return c->nan;
}

static jig_determinism random_determinism(void) {
  if (shape_one_in(3)) return JIG_DETERMINISM_GPU_TO_GPU;
  return shape_one_in(4) ? JIG_DETERMINISM_NONE : JIG_DETERMINISM_RUN_TO_RUN;
}

/* Perhaps the result goes to the place of the initial value, or of an item. */
static bool put_over_input(jig_reduce_args *args, place_output *out) {
  const item_kind k = out->kind;
  const jig_iter *over = NULL;
  if (out->iter.kind != JIG_ITER_POINTER || out->flips) return false;
  if (args->init_in.kind == JIG_ITER_POINTER && data_one_in(3)) over = &args->init_in;
  if (args->in.kind == JIG_ITER_POINTER && args->num_items > 0 && data_one_in(4)) over = &args->in;
  if (over == NULL || over->type.size != k.type.size || over->type.kind != k.type.kind) return false;
  const size_t i = over == &args->in ? data_below(args->num_items) : 0;
  args->out = jig_pointer((char *)over->pointer + i * k.type.size, k.type);
  *out = place_output_at(&k, 1, &args->out);
  return true;
}

void random_reduce(void) {
  fold_case c = random_fold_case();
  size_t n = data_count(c.in.type.size), count;
  void *items = new_items(&c.in, fold_mix(&c.in, c.fold), n);
  jig_reduce_args args = {
      .in = place_input(&c.in, items, n, PLACE_ITEMS), .num_items = n, .op = fold_op(&c.in, c.fold)};
  place_output out = place_output_of(&c.out, 1, PLACE_ITEMS);
  args.out = out.iter;
  args.nan = random_nan(&c);
  SET_INIT(args, &c);
  args.determinism = random_determinism();
  args.num_items_in = place_count(n, &count);
  const bool over_input = put_over_input(&args, &out);
  RUN(jig_reduce, &args);
  char acc[64];
  const bool written = folded(&c, widened(&c, items, n), 0, count, acc);
  place_check(&out, acc, written, !over_input, "out");
}

static void scan_on_host(const fold_case *c, const char *wide, size_t first, size_t count, char *out,
                         size_t to) {
  const size_t size = c->out.type.size;
  char acc[64];
  bool any = c->has_init;
  if (any) memcpy(acc, c->init, size);
  if (!any && c->exclusive) {
    any = fold_identity(&c->out, c->fold, acc);
    if (c->fold == FOLD_PLUS) memset(acc, 0, size);
  }
  for (size_t i = 0; i < count; ++i) {
    if (c->exclusive) memcpy(item(&c->out, out, to + i), acc, size);
    const void *x = item(&c->out, wide, first + i);
    const bool ignores = c->nan == JIG_NAN_IGNORE;
    if (!any || (ignores && !equal_items(&c->out, acc, acc)))
      memcpy(acc, x, size);
    else if (!ignores || equal_items(&c->out, x, x))
      fold_item(&c->out, c->fold, acc, x);
    any = true;
    if (!c->exclusive) memcpy(item(&c->out, out, to + i), acc, size);
  }
}

static fold_case random_scan_case(void) {
  fold_case c = random_fold_case();
  c.exclusive = shape_one_in(2);
  if (c.exclusive && !fold_is_well_known(c.fold)) c.has_init = true;
  if (c.in.word == JIG_KIND_BOOL && c.fold == FOLD_PLUS) c.fold = FOLD_XOR;
  (void)random_nan(&c);
  return c;
}

void random_scan(void) {
  const fold_case c = random_scan_case();
  size_t n = data_count(c.in.type.size), count;
  void *items = new_items(&c.in, fold_mix(&c.in, c.fold), n);
  const bool in_place = may_lie_over(&c.out, &c.in) && shape_one_in(3);
  jig_scan_args args = {.in = place_input(&c.in, items, n, in_place ? PLACE_POINTER : PLACE_ANY),
                        .num_items = n,
                        .op = fold_op(&c.in, c.fold),
                        .mode = c.exclusive ? JIG_SCAN_EXCLUSIVE : JIG_SCAN_INCLUSIVE};
  if (fold_mix(&c.in, c.fold) == MIX_SMALL && args.in.kind != JIG_ITER_POINTER) {
    items = new_items(&c.in, MIX_SMALL, n);
    args.in = place_input(&c.in, items, n, PLACE_POINTER);
  }
  place_output out = place_output_of(&c.out, n, PLACE_ITEMS);
  if (in_place) {
    args.out = jig_pointer(args.in.pointer, c.out.type);
    out = place_output_at(&c.out, n, &args.out);
  }
  args.out = out.iter;
  SET_INIT(args, &c);
  args.nan = c.nan;
  args.determinism = random_determinism();
  args.num_items_in = place_count(n, &count);
  RUN(jig_scan, &args);
  char *wanted = host_alloc(n * c.out.type.size);
  scan_on_host(&c, widened(&c, items, n), 0, count, wanted, 0);
  place_check(&out, wanted, count, !in_place, "out");
}

void random_scan_by_key(void) {
  fold_case c = random_scan_case();
  const item_kind key = random_small_kind();
  const bool rises = shape_one_in(3);
  size_t n = data_count(c.in.type.size), count;
  void *items = new_items(&c.in, fold_mix(&c.in, c.fold), n), *keys = keys_in_runs(&key, n);
  const bool in_place = may_lie_over(&c.out, &c.in) && shape_one_in(4);
  const bool over_keys = !in_place && may_lie_over(&c.out, &key) && shape_one_in(3);
  jig_scan_by_key_args args = {
      .keys_in = place_input(&key, keys, n, over_keys ? PLACE_POINTER : PLACE_ITEMS),
      .values_in = place_input(&c.in, items, n, in_place ? PLACE_POINTER : PLACE_ITEMS),
      .num_items = n,
      .op = fold_op(&c.in, c.fold),
      .equality = run_op(&key, rises),
      .nan = c.nan,
      .determinism = random_determinism(),
      .mode = c.exclusive ? JIG_SCAN_EXCLUSIVE : JIG_SCAN_INCLUSIVE};
  place_output out = place_output_of(&c.out, n, PLACE_ITEMS);
  if (in_place || over_keys) {
    args.values_out = jig_pointer(over_keys ? args.keys_in.pointer : args.values_in.pointer, c.out.type);
    out = place_output_at(&c.out, n, &args.values_out);
  }
  args.values_out = out.iter;
  SET_INIT(args, &c);
  args.num_items_in = place_count(n, &count);
  RUN(jig_scan_by_key, &args);
  char *wanted = host_alloc(n * c.out.type.size);
  const char *wide = widened(&c, items, n);
  for (size_t i = 0, end; i < count; i = end) {
    end = run_end(&key, keys, i, count, rises);
    scan_on_host(&c, wide, i, end - i, wanted, i);
  }
  place_check(&out, wanted, count, !in_place && !over_keys, "values_out");
}

void random_reduce_by_key(void) {
  fold_case c = random_fold_case();
  c.has_init = false;
  const item_kind key = random_small_kind(), number = random_integer();
  const bool rises = shape_one_in(3);
  size_t n = data_count(c.in.type.size), count, runs = 0;
  void *items = new_items(&c.in, fold_mix(&c.in, c.fold), n), *keys = keys_in_runs(&key, n);
  place_output unique = place_output_of(&key, n, PLACE_ITEMS),
               sums = place_output_of(&c.out, n, PLACE_ITEMS),
               num = place_output_of(&number, 1, PLACE_ITEMS);
  jig_reduce_by_key_args args = {.keys_in = place_input(&key, keys, n, PLACE_ITEMS),
                                 .unique_out = unique.iter,
                                 .values_in = place_input(&c.in, items, n, PLACE_ITEMS),
                                 .aggregates_out = sums.iter,
                                 .num_runs_out = num.iter,
                                 .num_items = n,
                                 .op = fold_op(&c.in, c.fold),
                                 .equality = run_op(&key, rises),
                                 .determinism = random_determinism()};
  args.nan = random_nan(&c);
  args.num_items_in = place_count(n, &count);
  RUN(jig_reduce_by_key, &args);
  char *wanted_keys = host_alloc(n * key.type.size), *wanted = host_alloc(n * c.out.type.size);
  const char *wide = widened(&c, items, n);
  for (size_t i = 0, end; i < count; i = end, ++runs) {
    end = run_end(&key, keys, i, count, rises);
    memcpy(item(&key, wanted_keys, runs), item(&key, keys, end - 1), key.type.size);
    (void)folded(&c, wide, i, end - i, item(&c.out, wanted, runs));
    bool is_nan = c.nan == JIG_NAN_IGNORE; /* a run of nothing else */
    for (size_t j = i; j < end && is_nan; ++j)
      is_nan = !equal_items(&c.out, item(&c.out, wide, j), item(&c.out, wide, j));
    if (is_nan) put_float(c.out.word, wanted, runs, NAN);
  }
  place_check(&unique, wanted_keys, runs, true, "unique_out");
  place_check(&sums, wanted, runs, true, "aggregates_out");
  check_number(&num, runs, "num_runs_out");
}

void random_segmented_reduce(void) {
  fold_case c = random_fold_case();
  size_t row, count;
  const segment_case s = segments_or_rows(c.in.type.size, &row, SEGMENTS_OVERLAP);
  void *items = new_items(&c.in, fold_mix(&c.in, c.fold), s.items);
  place_output out = place_output_of(&c.out, s.count, PLACE_ITEMS);
  jig_segmented_reduce_args args = {.in = place_input(&c.in, items, s.items, PLACE_ITEMS),
                                    .out = out.iter,
                                    .begin_offsets = s.begin_offsets,
                                    .end_offsets = s.end_offsets,
                                    .num_segments = s.count,
                                    .segment_size = row,
                                    .op = fold_op(&c.in, c.fold)};
  args.nan = random_nan(&c);
  SET_INIT(args, &c);
  args.determinism = random_determinism();
  args.num_segments_in = place_count(s.count, &count);
  RUN(jig_segmented_reduce, &args);
  char *wanted = host_alloc(s.count * c.out.type.size);
  bool *written = host_alloc(s.count);
  const char *wide = widened(&c, items, s.items);
  for (size_t i = 0; i < count; ++i) {
    written[i] = folded(&c, wide, (size_t)s.begins[i], segment_length(&s, i), item(&c.out, wanted, i));
  }
  place_check_some(&out, wanted, written, true, "out");
}

void random_segmented_scan(void) {
  const fold_case c = random_scan_case();
  size_t count;
  const segment_case s = random_segments(data_count(c.in.type.size), SEGMENTS_DISJOINT);
  const item_kind offset = random_counter();
  void *items = new_items(&c.in, fold_mix(&c.in, c.fold), s.items);
  const bool in_place = may_lie_over(&c.out, &c.in) && shape_one_in(3),
             elsewhere = !in_place && shape_one_in(3);
  const size_t room = s.items + 2 * s.count;
  size_t *starts = host_alloc(s.count * sizeof *starts);
  char *numbers = host_alloc(s.count * offset.type.size);
  for (size_t i = 0, at = 0; i < s.count; at = starts[i] + segment_length(&s, i), ++i) {
    starts[i] = elsewhere ? at + data_below(3) : (size_t)s.begins[i];
    put_integer(offset.word, numbers, i, (int128)starts[i]);
  }
  place_output out = place_output_of(&c.out, elsewhere ? room : s.items, PLACE_ITEMS);
  jig_segmented_scan_args args = {
      .in = place_input(&c.in, items, s.items, in_place ? PLACE_POINTER : PLACE_ITEMS),
      .begin_offsets = s.begin_offsets,
      .end_offsets = s.end_offsets,
      .num_segments = s.count,
      .op = fold_op(&c.in, c.fold),
      .nan = c.nan,
      .determinism = random_determinism(),
      .mode = c.exclusive ? JIG_SCAN_EXCLUSIVE : JIG_SCAN_INCLUSIVE};
  if (in_place) {
    args.out = jig_pointer(args.in.pointer, c.out.type);
    out = place_output_at(&c.out, s.items, &args.out);
  }
  args.out = out.iter;
  if (elsewhere) args.out_offsets = place_input(&offset, numbers, s.count, PLACE_ITEMS);
  SET_INIT(args, &c);
  args.num_segments_in = place_count(s.count, &count);
  RUN(jig_segmented_scan, &args);
  char *wanted = host_alloc(room * c.out.type.size);
  bool *written = host_alloc(room);
  const char *wide = widened(&c, items, s.items);
  for (size_t i = 0; i < count; ++i) {
    const size_t begin = (size_t)s.begins[i], length = segment_length(&s, i);
    scan_on_host(&c, wide, begin, length, wanted, starts[i]);
    memset(written + starts[i], 1, length);
  }
  place_check_some(&out, wanted, written, !in_place, "out");
}
