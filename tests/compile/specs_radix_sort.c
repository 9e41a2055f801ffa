/* Radix sort: keys by values, and structs that are decomposed. */
#include <jig/jig.h>

#include "numbers.h"
#include "specs.h"

static void add_radix_sort(jig_radix_sort_args args, bool may_spill) {
  char *text = NULL;
  args.keys_out = jig_pointer(NULL, args.keys_in.type);
  if (args.values_in.kind != JIG_ITER_NONE) args.values_out = jig_pointer(NULL, args.values_in.type);
  (void)jig_radix_sort_spec(&args, &text);
  specs_add(text, may_spill);
}

static void add_radix_sorts(void) {
  static const jig_type_kind keys[] = {JIG_KIND_U8,  JIG_KIND_F16, JIG_KIND_I32,
                                       JIG_KIND_F32, JIG_KIND_F64, JIG_KIND_U128};
  const jig_type values[] = {JIG_U8, JIG_F32, JIG_I64, jig_opaque(24, 8)};
  for (size_t k = 0; k < COUNT_OF(keys); ++k) {
    const jig_iter in = jig_pointer(NULL, type_of(keys[k]));
    add_radix_sort((jig_radix_sort_args){.keys_in = in}, false);
    for (size_t v = k % 2; v < COUNT_OF(values); v += 2)
      add_radix_sort((jig_radix_sort_args){.keys_in = in, .values_in = jig_pointer(NULL, values[v])},
                     in.type.size > 8);
  }
  const jig_type row = jig_struct("row", "struct row { double d; int m[14]; };", 64, 8);
  add_radix_sort(
      (jig_radix_sort_args){.keys_in = jig_pointer(NULL, row), .decomposer = "x.m[3], -x.d, x.m[0]"},
      true);
}

/* Inputs that are no pointers: keys, values and both. */
static void add_of_iterators(void) {
  static const jig_type_kind keys[] = {JIG_KIND_U8, JIG_KIND_F32, JIG_KIND_U64};
  const jig_type values[] = {JIG_U8, JIG_F32, JIG_I64, jig_opaque(24, 8)};
  for (size_t k = 0; k < COUNT_OF(keys); ++k) {
    const jig_type key = type_of(keys[k]);
    const jig_iter in = jig_pointer(NULL, key), strided = jig_strided(NULL, 256, key);
    const jig_iter numbers = jig_counting(NULL, k % 2 ? JIG_U32 : JIG_U64);
    const jig_iter others = jig_strided(NULL, 256, values[k + 1]);
    add_radix_sort((jig_radix_sort_args){.keys_in = strided}, false);
    add_radix_sort((jig_radix_sort_args){.keys_in = in, .values_in = numbers}, false);
    add_radix_sort((jig_radix_sort_args){.keys_in = strided, .values_in = others}, false);
  }
}

static void add_all(void) {
  specs_go(SPECS_OF_PRODUCT);
  add_radix_sorts();
  add_of_iterators();
}

const specs_family specs_radix_sort = {add_all};
