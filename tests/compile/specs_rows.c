/* Keys that radix sorts do not move, and of which algorithms that select have the places: structs of more
 * than 64 bytes, and for sorts such as are sorted by more than 128 bits. */
#include <jig/jig.h>

#include "numbers.h"
#include "specs.h"

static jig_type row_of(int kind) {
  static const char row100[] = "struct row { unsigned u, rest[24]; };",
                    row4096[] = "struct row { long long n; double d; int rest[1020]; };",
                    row20[] = "struct row { unsigned a, b, c; float d, e; };";
  switch (kind) {
    case 0:
      return jig_struct("row", row100, 100, 4);
    case 1:
      return jig_struct("row", row4096, 4096, 8);
    default:
      return jig_struct("row", row20, 20, 4);
  }
}
static const char *const decomposers[] = {"x.u", "x.n, -x.d", "x.a, x.b, x.c, x.d, x.e"};

/* Words of 128 bits take more registers than some kernels have. */
static void add_sorts(int kind) {
  char *text = NULL;
  const jig_iter keys = jig_pointer(NULL, row_of(kind)), offsets = jig_pointer(NULL, JIG_I32),
                 others = jig_strided(NULL, 8192, row_of(kind)), values = jig_pointer(NULL, JIG_F32);
  const uint64_t count = 0;
  jig_radix_sort_args sort = {.keys_in = keys, .keys_out = keys, .decomposer = decomposers[kind]};
  (void)jig_radix_sort_spec(&sort, &text);
  specs_add(text, false);
  sort.values_in = sort.values_out = values;
  sort.keys_in = others;
  sort.num_items_in = &count;
  (void)jig_radix_sort_spec(&sort, &text);
  specs_add(text, false);
  jig_segmented_sort_args segmented = {.keys_in = kind == 0 ? others : keys,
                                       .keys_out = keys,
                                       .begin_offsets = offsets,
                                       .end_offsets = offsets,
                                       .decomposer = decomposers[kind]};
  if (kind == 1) segmented.values_in = segmented.values_out = values;
  (void)jig_segmented_sort_spec(&segmented, &text);
  specs_add(text, kind > 0);
}

static void add_selections(int kind) {
  char *text = NULL;
  const jig_iter keys = jig_pointer(NULL, row_of(kind)), values = jig_pointer(NULL, JIG_F32);
  jig_top_k_args top_k = {.keys_in = keys, .keys_out = keys, .decomposer = decomposers[kind]};
  if (kind == 0) top_k.values_in = top_k.values_out = values;
  (void)jig_top_k_spec(&top_k, &text);
  specs_add(text, kind > 0);
  const jig_segmented_top_k_args segmented = {
      .keys_in = keys, .keys_out = keys, .decomposer = decomposers[kind]};
  (void)jig_segmented_top_k_spec(&segmented, &text);
  specs_add(text, kind > 0);
  const jig_nth_element_args nth = {
      .in = keys, .out = keys, .nth_out = keys, .decomposer = decomposers[kind]};
  (void)jig_nth_element_spec(&nth, &text);
  specs_add(text, kind > 0);
}

static void add_all(void) {
  specs_go(SPECS_OF_PRODUCT);
  for (int kind = 0; kind < 3; ++kind) add_sorts(kind);
  for (int kind = 0; kind < 2; ++kind) add_selections(kind);
}

const specs_family specs_rows = {add_all};
