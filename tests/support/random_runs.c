/* Random calls of what looks for runs of equal items. */
#include "random_cases.h"

#include <string.h>

void random_run_length_encode(void) {
  const item_kind key = random_kind(), number = random_integer(), length = random_integer();
  const bool rises = shape_one_in(3);
  size_t n = data_count(key.type.size), count, runs = 0;
  void *keys = keys_in_runs(&key, n);
  place_output unique = place_output_of(&key, n, PLACE_ITEMS),
               lengths = place_output_of(&length, n, PLACE_ITEMS),
               num = place_output_of(&number, 1, PLACE_ITEMS);
  jig_run_length_encode_args args = {.in = place_input(&key, keys, n, PLACE_ANY),
                                     .unique_out = unique.iter,
                                     .lengths_out = lengths.iter,
                                     .num_runs_out = num.iter,
                                     .num_items = n,
                                     .equality = run_op(&key, rises)};
  args.num_items_in = place_count(n, &count);
  RUN(jig_run_length_encode, &args);
  char *wanted_keys = host_alloc(n * key.type.size), *wanted = host_alloc(n * length.type.size);
  for (size_t i = 0, end; i < count; i = end, ++runs) {
    end = run_end(&key, keys, i, count, rises);
    memcpy(item(&key, wanted_keys, runs), item(&key, keys, i), key.type.size);
    put_integer(length.word, wanted, runs, (int128)(end - i));
  }
  place_check(&unique, wanted_keys, runs, true, "unique_out");
  place_check(&lengths, wanted, runs, true, "lengths_out");
  check_number(&num, runs, "num_runs_out");
}

void random_non_trivial_runs(void) {
  const item_kind key = random_kind(), number = random_integer(), length = random_integer();
  const bool rises = shape_one_in(3);
  size_t n = data_count(key.type.size), count, runs = 0;
  void *keys = keys_in_runs(&key, n);
  place_output offsets = place_output_of(&number, n / 2, PLACE_ITEMS),
               lengths = place_output_of(&length, n / 2, PLACE_ITEMS),
               num = place_output_of(&number, 1, PLACE_ITEMS);
  jig_non_trivial_runs_args args = {.in = place_input(&key, keys, n, PLACE_ITEMS),
                                    .offsets_out = offsets.iter,
                                    .lengths_out = lengths.iter,
                                    .num_runs_out = num.iter,
                                    .num_items = n,
                                    .equality = run_op(&key, rises)};
  if (offsets.iter.kind == JIG_ITER_REVERSE || lengths.iter.kind == JIG_ITER_REVERSE) return;
  args.num_items_in = place_count(n, &count);
  RUN(jig_non_trivial_runs, &args);
  char *wanted_offsets = host_alloc(n * number.type.size), *wanted = host_alloc(n * length.type.size);
  for (size_t i = 0, end; i < count; i = end) {
    end = run_end(&key, keys, i, count, rises);
    if (end - i < 2) continue;
    put_integer(number.word, wanted_offsets, runs, (int128)i);
    put_integer(length.word, wanted, runs++, (int128)(end - i));
  }
  place_check(&offsets, wanted_offsets, runs, true, "offsets_out");
  place_check(&lengths, wanted, runs, true, "lengths_out");
  check_number(&num, runs, "num_runs_out");
}

void random_unique(void) {
  const item_kind k = random_kind(), v = random_kind(), number = random_integer();
  size_t n = data_count(k.type.size + v.type.size), count, chosen = 0;
  const bool values = shape_one_in(2), in_place = shape_one_in(4), rises = shape_one_in(3);
  void *keys = keys_in_runs(&k, n), *with = new_items(&v, MIX_BITS, n);
  place_output out = place_output_of(&k, n, PLACE_ITEMS),
               out_values = place_output_of(&v, n, PLACE_ITEMS),
               num = place_output_of(&number, 1, PLACE_ITEMS);
  jig_unique_args args = {.in = place_input(&k, keys, n, in_place ? PLACE_POINTER : PLACE_ITEMS),
                          .num_selected_out = num.iter,
                          .num_items = n,
                          .equality = run_op(&k, rises)};
  if (in_place) out = place_output_at(&k, n, &args.in);
  args.out = out.iter;
  if (values) {
    args.values_in = place_input(&v, with, n, PLACE_ITEMS);
    args.values_out = out_values.iter;
  }
  args.num_items_in = place_count(n, &count);
  RUN(jig_unique, &args);
  char *wanted = host_alloc(n * k.type.size), *wanted_values = host_alloc(n * v.type.size);
  for (size_t i = 0; i < count; i = run_end(&k, keys, i, count, rises), ++chosen) {
    memcpy(item(&k, wanted, chosen), item(&k, keys, i), k.type.size);
    memcpy(item(&v, wanted_values, chosen), item(&v, with, i), v.type.size);
  }
  place_check(&out, wanted, chosen, !in_place, "out");
  if (values) place_check(&out_values, wanted_values, chosen, true, "values_out");
  check_number(&num, chosen, "num_selected_out");
}
