/* Segmented sort. */
#include <jig/jig.h>

#include "numbers.h"
#include "specs.h"

static void add_segmented_sort(jig_segmented_sort_args args, bool may_spill) {
  char *text = NULL;
  args.keys_out = args.keys_in;
  args.values_out = args.values_in;
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

static void add_all(void) {
  specs_go(SPECS_OF_PRODUCT);
  add_segmented_sorts();
}

const specs_family specs_segmented_sort = {add_all};
