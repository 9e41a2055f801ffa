/* Random calls of what orders items by their bits. */
#include "random_cases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FIELDS = 6, MOST_TEXT = 64, WORD_BITS = 128 };

/* Keys: numbers, or structs by some of their words, the most significant first. */
typedef struct radix_case {
  item_kind key, value;
  bool has_values;
  unsigned fields, field[MOST_FIELDS];
  jig_type_kind field_kind[MOST_FIELDS]; /* what a word is taken for */
  char *decomposer;
  int begin_bit, end_bit;
  bool descending;
  uint128 (*bits)[MOST_FIELDS]; /* of each key */
  void *keys, *values;
} radix_case;

/* A word, as it is or as the signed or floating-point number of its bits. */
static jig_type_kind add_field(jig_type_kind word, unsigned number, char text[MOST_TEXT]) {
  static const struct {
    jig_type_kind word, kind;
    const char *before, *behind;
  } others[] = {{JIG_KIND_U8, JIG_KIND_I8, "(int8_t)", ""},
                {JIG_KIND_U16, JIG_KIND_I16, "(int16_t)", ""},
                {JIG_KIND_U32, JIG_KIND_F32, "__uint_as_float(", ")"},
                {JIG_KIND_U64, JIG_KIND_F64, "__longlong_as_double((long long)", ")"}};
  const bool as_is = shape_one_in(2);
  for (size_t i = 0; !as_is && i < COUNT_OF(others); ++i) {
    if (others[i].word != word) continue;
    (void)snprintf(text, MOST_TEXT, "%sx.m%u%s", others[i].before, number, others[i].behind);
    return others[i].kind;
  }
  (void)snprintf(text, MOST_TEXT, "x.m%u", number);
  return word;
}

/* Fields of up to so many bits. */
static void draw_fields(radix_case *c, size_t most_bits) {
  const size_t word = 8 * c->key.type.size / c->key.words, room = most_bits / word;
  const size_t most = room < MOST_FIELDS ? room : MOST_FIELDS;
  c->decomposer = host_alloc(MOST_FIELDS * MOST_TEXT);
  c->fields = 1 + (unsigned)shape_below(c->key.words < most ? c->key.words : most);
  for (unsigned f = 0; f < c->fields; ++f) {
    char text[MOST_TEXT];
    c->field[f] = (unsigned)((f + shape_below(2)) % c->key.words);
    c->field_kind[f] = add_field(c->key.word, c->field[f], text);
    if (f > 0) (void)strcat(c->decomposer, ", ");
    (void)strcat(c->decomposer, text);
  }
}

static radix_case random_radix(size_t *n, size_t most_bits) {
  radix_case c = {.key = random_kind(), .value = random_kind(), .has_values = shape_one_in(2)};
  c.fields = 1;
  c.field_kind[0] = c.key.word;
  if (c.key.words > 1) draw_fields(&c, most_bits);
  const int bits = (int)(8 * c.key.type.size / c.key.words * c.fields);
  if (data_one_in(3)) {
    c.begin_bit = (int)data_below((uint64_t)bits);
    c.end_bit = c.begin_bit + (int)data_below((uint64_t)(bits - c.begin_bit + 1));
    if (c.end_bit == 0) c.begin_bit = 0;
  }
  c.descending = data_one_in(2);
  *n = data_count(c.key.type.size + c.value.type.size);
  c.keys = new_items(&c.key, random_mix(), *n);
  c.values = new_items(&c.value, MIX_BITS, *n);
  return c;
}

/* Ones from bit `begin` to `end`, as far as they are among the `bits` from `first` on. */
static uint128 mask_of(int begin, int end, int first, int bits) {
  const int low = begin > first ? begin - first : 0, high = end - first < bits ? end - first : bits;
  if (low >= high) return 0;
  const uint128 below_high = high < WORD_BITS ? ((uint128)1 << high) - 1 : ~(uint128)0;
  return below_high >> low << low;
}

/* Bits that do not count are zero. */
static void radix_numbers(radix_case *c, size_t n, bool ranged) {
  const int word = (int)(8 * c->key.type.size / c->key.words), all = word * (int)c->fields;
  const int begin = ranged ? c->begin_bit : 0, end = ranged && c->end_bit != 0 ? c->end_bit : all;
  c->bits = host_alloc(n * sizeof *c->bits);
  for (size_t i = 0; i < n; ++i) {
    const char *at = item(&c->key, c->keys, i);
    for (unsigned f = 0; f < c->fields; ++f) {
      const int first = word * (int)(c->fields - 1 - f);
      c->bits[i][f] = radix_bits(c->field_kind[f], at + c->field[f] * (unsigned)word / 8) &
                      mask_of(begin, end, first, word);
    }
  }
}

static int by_radix(const void *context, size_t a, size_t b) {
  const radix_case *c = context;
  int order = 0;
  for (unsigned f = 0; f < c->fields && order == 0; ++f)
    order = (c->bits[a][f] > c->bits[b][f]) - (c->bits[a][f] < c->bits[b][f]);
  return c->descending ? -order : order;
}

void random_radix_sort(void) {
  size_t n, count;
  radix_case c = random_radix(&n, SIZE_MAX);
  int selector = 0;
  const bool selects = shape_one_in(4);
  const place_rule rule = selects ? PLACE_POINTER : PLACE_ANY;
  place_output out = place_output_of(&c.key, n, PLACE_POINTER),
               values = place_output_of(&c.value, n, PLACE_POINTER);
  jig_radix_sort_args args = {.keys_in = place_input(&c.key, c.keys, n, rule),
                              .keys_out = out.iter,
                              .num_items = n,
                              .order = c.descending ? JIG_SORT_DESCENDING : JIG_SORT_ASCENDING,
                              .begin_bit = c.begin_bit,
                              .end_bit = c.end_bit,
                              .selector = selects ? &selector : NULL,
                              .decomposer = c.decomposer};
  if (c.has_values) {
    args.values_in = place_input(&c.value, c.values, n, rule);
    args.values_out = values.iter;
  }
  args.num_items_in = place_count(n, &count);
  radix_numbers(&c, n, true);
  RUN(jig_radix_sort, &args);
  size_t *order = indices_in_order(count, by_radix, &c);
  if (selects && selector == 0) {
    out = place_output_at(&c.key, n, &args.keys_in);
    values = place_output_at(&c.value, n, &args.values_in);
  }
  place_check(&out, picked(&c.key, c.keys, order, count), count, !selects, "keys_out");
  if (c.has_values)
    place_check(&values, picked(&c.value, c.values, order, count), count, !selects, "values_out");
  free(order);
}

static int by_index(const void *a_, const void *b_) {
  const size_t a = *(const size_t *)a_, b = *(const size_t *)b_;
  return (a > b) - (a < b);
}

/* Items in any order: those of `wanted`, each once. Found by sorting both as bytes. */
static size_t sort_size;
static int by_bytes(const void *a, const void *b) {
  return memcmp(a, b, sort_size);
}
static void check_any_order(const place_output *out, void *wanted, size_t count, const char *what) {
  if (out->memory == NULL) return;
  char *got = host_alloc(out->count * out->size);
  place_read(out, got);
  sort_size = out->size;
  qsort(got, count, out->size, by_bytes);
  qsort(wanted, count, out->size, by_bytes);
  for (size_t i = 0; i < count; ++i) {
    if (!same_item(&out->kind, item(&out->kind, got, i), item(&out->kind, wanted, i))) {
      random_fail("%s: in some order item %zu of %zu is %s, not %s", what, i, count,
                  bits_of(item(&out->kind, got, i), out->size),
                  bits_of(item(&out->kind, wanted, i), out->size));
      return;
    }
  }
}

void random_top_k(void) {
  size_t n, count;
  radix_case c = random_radix(&n, WORD_BITS);
  const bool sorted = shape_one_in(2);
  const size_t k = data_one_in(8)   ? data_below(3)
                   : data_one_in(3) ? data_below(n + 10)
                                    : data_below(n / 16 + 2);
  const size_t most = k < n ? k : n;
  place_output out = place_output_of(&c.key, most, PLACE_ITEMS),
               values = place_output_of(&c.value, most, PLACE_ITEMS);
  jig_top_k_args args = {.keys_in = place_input(&c.key, c.keys, n, PLACE_ITEMS),
                         .keys_out = out.iter,
                         .num_items = n,
                         .k = k,
                         .choice = c.descending ? JIG_TOP_K_MAX : JIG_TOP_K_MIN,
                         .is_sorted = sorted,
                         .decomposer = c.decomposer};
  if (c.has_values) {
    args.values_in = place_input(&c.value, c.values, n, PLACE_ITEMS);
    args.values_out = values.iter;
  }
  args.num_items_in = place_count(n, &count);
  RUN(jig_top_k, &args);
  radix_numbers(&c, n, false);
  size_t *order = indices_in_order(count, by_radix, &c);
  const size_t results = k < count ? k : count;
  void *wanted = picked(&c.key, c.keys, order, results),
       *wanted_values = picked(&c.value, c.values, order, results);
  if (sorted) {
    place_check(&out, wanted, results, true, "keys_out");
    if (c.has_values) place_check(&values, wanted_values, results, true, "values_out");
  } else {
    check_any_order(&out, wanted, results, "keys_out");
    if (c.has_values) check_any_order(&values, wanted_values, results, "values_out");
  }
  free(order);
}

void random_nth_element(void) {
  size_t n, count;
  radix_case c = random_radix(&n, WORD_BITS);
  if (n == 0) n = 1, c.keys = new_items(&c.key, MIX_BITS, 1), c.values = new_items(&c.value, MIX_BITS, 1);
  const size_t nth = data_one_in(4) ? (data_one_in(2) ? 0 : n - 1) : data_below(n);
  const bool wants_out = shape_below(3) != 0, wants_nth = !wants_out || shape_one_in(2);
  if (!wants_out) c.has_values = false;
  place_output out = place_output_of(&c.key, n, PLACE_ITEMS),
               values = place_output_of(&c.value, n, PLACE_ITEMS),
               item_out = place_output_of(&c.key, 1, PLACE_ITEMS);
  jig_nth_element_args args = {.in = place_input(&c.key, c.keys, n, PLACE_ITEMS),
                               .num_items = n,
                               .nth = nth,
                               .order = c.descending ? JIG_SORT_DESCENDING : JIG_SORT_ASCENDING,
                               .decomposer = c.decomposer};
  if (wants_out) args.out = out.iter;
  if (wants_nth) args.nth_out = item_out.iter;
  if (c.has_values) {
    args.values_in = place_input(&c.value, c.values, n, PLACE_ITEMS);
    args.values_out = values.iter;
  }
  args.num_items_in = place_count(n, &count);
  RUN(jig_nth_element, &args);
  radix_numbers(&c, n, false);
  size_t *order = indices_in_order(count, by_radix, &c);
  const bool written = nth < count;
  if (written) {
    qsort(order, nth, sizeof *order, by_index);
    qsort(order + nth + 1, count - nth - 1, sizeof *order, by_index);
  }
  const size_t results = written ? count : 0;
  if (wants_out) place_check(&out, picked(&c.key, c.keys, order, results), results, true, "out");
  if (c.has_values)
    place_check(&values, picked(&c.value, c.values, order, results), results, true, "values_out");
  if (wants_nth)
    place_check(&item_out, written ? item(&c.key, c.keys, order[nth]) : NULL, written, true, "nth_out");
  free(order);
}

typedef struct radix_segment {
  const radix_case *c;
  size_t begin;
} radix_segment;
static int by_radix_in_segment(const void *context, size_t a, size_t b) {
  const radix_segment *s = context;
  return by_radix(s->c, s->begin + a, s->begin + b);
}

void random_segmented_sort(void) {
  size_t n, count;
  radix_case c = random_radix(&n, SIZE_MAX);
  const segment_case s = random_segments(n, SEGMENTS_DISJOINT);
  if (n == 0) n = 1, c.keys = new_items(&c.key, MIX_BITS, 1), c.values = new_items(&c.value, MIX_BITS, 1);
  int selector = 0;
  const bool selects = shape_one_in(4);
  place_output out = place_output_of(&c.key, n, PLACE_POINTER),
               values = place_output_of(&c.value, n, PLACE_POINTER);
  const place_rule rule = selects ? PLACE_POINTER : PLACE_ITEMS;
  jig_segmented_sort_args args = {.keys_in = place_input(&c.key, c.keys, n, rule),
                                  .keys_out = out.iter,
                                  .num_items = n,
                                  .begin_offsets = s.begin_offsets,
                                  .end_offsets = s.end_offsets,
                                  .num_segments = s.count,
                                  .order = c.descending ? JIG_SORT_DESCENDING : JIG_SORT_ASCENDING,
                                  .begin_bit = c.begin_bit,
                                  .end_bit = c.end_bit,
                                  .selector = selects ? &selector : NULL,
                                  .decomposer = c.decomposer};
  if (c.has_values) {
    args.values_in = place_input(&c.value, c.values, n, rule);
    args.values_out = values.iter;
  }
  args.num_segments_in = place_count(s.count, &count);
  RUN(jig_segmented_sort, &args);
  radix_numbers(&c, n, true);
  char *wanted = host_alloc(n * c.key.type.size), *wanted_values = host_alloc(n * c.value.type.size);
  bool *written = host_alloc(n);
  for (size_t i = 0; i < count; ++i) {
    radix_segment one = {&c, (size_t)s.begins[i]};
    const size_t length = segment_length(&s, i);
    size_t *order = indices_in_order(length, by_radix_in_segment, &one);
    for (size_t j = 0; j < length; ++j) {
      memcpy(item(&c.key, wanted, one.begin + j), item(&c.key, c.keys, one.begin + order[j]),
             c.key.type.size);
      memcpy(item(&c.value, wanted_values, one.begin + j), item(&c.value, c.values, one.begin + order[j]),
             c.value.type.size);
      written[one.begin + j] = true;
    }
    free(order);
  }
  if (selects && selector != 1) random_fail("the selector is %d", selector);
  place_check_some(&out, wanted, written, true, "keys_out");
  if (c.has_values) place_check_some(&values, wanted_values, written, true, "values_out");
}

void random_segmented_top_k(void) {
  size_t n, count, row;
  radix_case c = random_radix(&n, WORD_BITS);
  const segment_case s = segments_or_rows(c.key.type.size + c.value.type.size, &row, SEGMENTS_DISJOINT);
  n = s.items;
  c.keys = new_items(&c.key, random_mix(), n);
  c.values = new_items(&c.value, MIX_BITS, n);
  const bool sorted = shape_one_in(2);
  const size_t k = data_one_in(8) ? data_below(2) : data_one_in(8) ? data_below(3000) : data_below(60);
  const size_t room = s.count * k;
  place_output out = place_output_of(&c.key, room, PLACE_ITEMS),
               values = place_output_of(&c.value, room, PLACE_ITEMS);
  if (room * (c.key.type.size + c.value.type.size) > 40000000) return;
  jig_segmented_top_k_args args = {.keys_in = place_input(&c.key, c.keys, n, PLACE_ITEMS),
                                   .keys_out = out.iter,
                                   .num_items = s.begin_offsets.kind != JIG_ITER_NONE ? n : 0,
                                   .begin_offsets = s.begin_offsets,
                                   .end_offsets = s.end_offsets,
                                   .num_segments = s.count,
                                   .segment_size = row,
                                   .k = k,
                                   .choice = c.descending ? JIG_TOP_K_MAX : JIG_TOP_K_MIN,
                                   .is_sorted = sorted,
                                   .decomposer = c.decomposer};
  if (c.has_values) {
    args.values_in = place_input(&c.value, c.values, n, PLACE_ITEMS);
    args.values_out = values.iter;
  }
  args.num_segments_in = place_count(s.count, &count);
  RUN(jig_segmented_top_k, &args);
  radix_numbers(&c, n, false);
  char *wanted = host_alloc(room * c.key.type.size),
       *wanted_values = host_alloc(room * c.value.type.size);
  bool *written = host_alloc(room);
  char *got = host_alloc(room * c.key.type.size), *got_values = host_alloc(room * c.value.type.size);
  if (!sorted && out.memory != NULL) place_read(&out, got);
  if (!sorted && values.memory != NULL) place_read(&values, got_values);
  for (size_t i = 0; i < count; ++i) {
    radix_segment one = {&c, (size_t)s.begins[i]};
    const size_t length = segment_length(&s, i), results = k < length ? k : length;
    size_t *order = indices_in_order(length, by_radix_in_segment, &one);
    for (size_t j = 0; j < results; ++j) {
      memcpy(item(&c.key, wanted, i * k + j), item(&c.key, c.keys, one.begin + order[j]),
             c.key.type.size);
      memcpy(item(&c.value, wanted_values, i * k + j), item(&c.value, c.values, one.begin + order[j]),
             c.value.type.size);
      written[i * k + j] = true;
    }
    free(order);
    if (sorted) continue;
    sort_size = c.key.type.size;
    qsort(item(&c.key, wanted, i * k), results, sort_size, by_bytes);
    qsort(item(&c.key, got, i * k), results, sort_size, by_bytes);
    sort_size = c.value.type.size;
    qsort(item(&c.value, wanted_values, i * k), results, sort_size, by_bytes);
    qsort(item(&c.value, got_values, i * k), results, sort_size, by_bytes);
    bool right = true;
    for (size_t j = 0; j < results; ++j) {
      right = right && (out.memory == NULL ||
                        same_item(&c.key, item(&c.key, got, i * k + j), item(&c.key, wanted, i * k + j)));
      right = right && (values.memory == NULL || !c.has_values ||
                        same_item(&c.value, item(&c.value, got_values, i * k + j),
                                  item(&c.value, wanted_values, i * k + j)));
    }
    if (!right) {
      random_fail("segment %zu of %zu, of %zu items at %zu: other results of %zu", i, count, length,
                  one.begin, k);
      return;
    }
  }
  if (!sorted) return;
  place_check_some(&out, wanted, written, true, "keys_out");
  if (c.has_values) place_check_some(&values, wanted_values, written, true, "values_out");
}
