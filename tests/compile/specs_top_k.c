/* Top-k. */
#include <jig/jig.h>

#include "numbers.h"
#include "specs.h"

static void add_top_k(jig_top_k_args args, bool may_spill) {
  char *text = NULL;
  if (args.keys_out.kind == JIG_ITER_NONE) args.keys_out = args.keys_in;
  args.values_out = args.values_in;
  (void)jig_top_k_spec(&args, &text);
  specs_add(text, may_spill);
}

static void add_top_ks(void) {
  static const jig_type_kind keys[] = {JIG_KIND_U8,  JIG_KIND_F16, JIG_KIND_I32,
                                       JIG_KIND_F32, JIG_KIND_F64, JIG_KIND_U128};
  const jig_type values[] = {JIG_F32, jig_opaque(24, 8)};
  for (size_t k = 0; k < COUNT_OF(keys); ++k) {
    const jig_iter in = jig_pointer(NULL, type_of(keys[k]));
    add_top_k((jig_top_k_args){.keys_in = in}, false);
    add_top_k((jig_top_k_args){.keys_in = in, .values_in = jig_pointer(NULL, values[k % 2])}, false);
  }
  const jig_iter numbers = jig_counting(NULL, JIG_I64);
  add_top_k((jig_top_k_args){.keys_in =
                                 jig_iter_transform(&numbers, jig_op_source("return x * 0.5f;"), JIG_F32),
                             .keys_out = jig_discard(JIG_F32),
                             .values_in = jig_pointer(NULL, JIG_I64)},
            true); /* some words in the kernel of larger blocks, on SM 9.0 */
  const jig_type row = jig_struct("row", "struct row { double d; int m[14]; };", 64, 8);
  add_top_k((jig_top_k_args){.keys_in = jig_pointer(NULL, row), .decomposer = "x.m[3], -x.d, x.m[0]"},
            true);
}

static void add_all(void) {
  specs_go(SPECS_OF_PRODUCT);
  add_top_ks();
}

const specs_family specs_top_k = {add_all};
