/* Segmented sort. */
#include <jig/jig.h>

#include "numbers.h"
#include "specs.h"

static void add_segmented_sort(jig_segmented_sort_args args, bool may_spill) {
  char *text = NULL;
  args.keys_out = jig_pointer(NULL, args.keys_in.type);
  if (args.values_in.kind != JIG_ITER_NONE) args.values_out = jig_pointer(NULL, args.values_in.type);
  args.begin_offsets = jig_pointer(NULL, JIG_I32);
  args.end_offsets = jig_pointer(NULL, JIG_I64);
  (void)jig_segmented_sort_spec(&args, &text);
  specs_add(text, may_spill);
}

static void add_segmented_sorts(void) {
  static const jig_type_kind keys[] = {JIG_KIND_U8, JIG_KIND_F16, JIG_KIND_F32, JIG_KIND_U64,
                                       JIG_KIND_U128};
  const jig_type values[] = {JIG_F32, jig_opaque(24, 8)};
  for (size_t k = 0; k < COUNT_OF(keys); ++k) {
    const jig_iter in = jig_pointer(NULL, type_of(keys[k]));
    add_segmented_sort((jig_segmented_sort_args){.keys_in = in}, in.type.size > 4);
    add_segmented_sort(
        (jig_segmented_sort_args){.keys_in = in, .values_in = jig_pointer(NULL, values[k % 2])}, true);
  }
  const jig_type row = jig_struct("row", "struct row { double d; int m[14]; };", 64, 8);
  add_segmented_sort(
      (jig_segmented_sort_args){.keys_in = jig_pointer(NULL, row), .decomposer = "x.m[3], -x.d, x.m[0]"},
      true);
}

/* Inputs that are no pointers: keys, values and both. */
static void add_of_iterators(void) {
  static const jig_type_kind keys[] = {JIG_KIND_U8, JIG_KIND_F32, JIG_KIND_U64};
  const jig_type values[] = {JIG_F32, JIG_I64, jig_opaque(24, 8)};
  for (size_t k = 0; k < COUNT_OF(keys); ++k) {
    const jig_type key = type_of(keys[k]);
    const jig_iter in = jig_pointer(NULL, key), strided = jig_strided(NULL, 256, key);
    const jig_iter numbers = jig_counting(NULL, k % 2 ? JIG_U32 : JIG_U64);
    const jig_iter others = jig_strided(NULL, 256, values[k]);
    add_segmented_sort((jig_segmented_sort_args){.keys_in = strided}, key.size > 4);
    add_segmented_sort((jig_segmented_sort_args){.keys_in = in, .values_in = numbers}, true);
    add_segmented_sort((jig_segmented_sort_args){.keys_in = strided, .values_in = others}, true);
  }
}

static void add_all(void) {
  specs_go(SPECS_OF_PRODUCT);
  add_segmented_sorts();
  add_of_iterators();
}

const specs_family specs_segmented_sort = {add_all};
