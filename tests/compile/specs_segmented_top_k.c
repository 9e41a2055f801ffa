/* Segmented top-k. */
#include <jig/jig.h>

#include "numbers.h"
#include "specs.h"

/* With keys of 4 bytes the kernel for few items keeps a word for each of its lists so, outside of loops
 * over items. */
static void add_segmented_top_k(jig_segmented_top_k_args args, bool may_spill) {
  char *text = NULL;
  if (args.keys_out.kind == JIG_ITER_NONE) args.keys_out = args.keys_in;
  args.values_out = args.values_in;
  args.end_offsets = args.begin_offsets;
  (void)jig_segmented_top_k_spec(&args, &text);
  specs_add(text, may_spill || args.keys_in.type.size == 4);
}

static void add_segmented_top_ks(void) {
  static const jig_type_kind keys[] = {JIG_KIND_U8,  JIG_KIND_F16, JIG_KIND_I32,
                                       JIG_KIND_F32, JIG_KIND_F64, JIG_KIND_U128};
  const jig_type values[] = {JIG_F32, jig_opaque(24, 8)};
  const jig_iter none = {0}, offsets = jig_pointer(NULL, JIG_I64);
  /* A word, outside of loops over items: by itself for doubles on SM 120, beside large values for f16 on
   * SM 90. */
  for (size_t k = 0; k < COUNT_OF(keys); ++k) {
    const jig_iter in = jig_pointer(NULL, type_of(keys[k]));
    add_segmented_top_k(
        (jig_segmented_top_k_args){.keys_in = in, .begin_offsets = k % 2 ? offsets : none},
        keys[k] == JIG_KIND_F64);
    add_segmented_top_k((jig_segmented_top_k_args){.keys_in = in,
                                                   .values_in = jig_pointer(NULL, values[k % 2]),
                                                   .begin_offsets = k % 2 ? none : offsets},
                        keys[k] == JIG_KIND_F16);
  }
  const jig_iter numbers = jig_counting(NULL, JIG_I64);
  add_segmented_top_k(
      (jig_segmented_top_k_args){
          .keys_in = jig_iter_transform(&numbers, jig_op_source("return x * 0.5f;"), JIG_F32),
          .keys_out = jig_discard(JIG_F32),
          .values_in = jig_pointer(NULL, JIG_I64),
          .begin_offsets = jig_iter_transform(&numbers, jig_op_source("return x * 100;"), JIG_I64)},
      false);
  /* With no pointer at all. */
  add_segmented_top_k((jig_segmented_top_k_args){.keys_in = jig_counting(NULL, JIG_U32),
                                                 .keys_out = jig_discard(JIG_U32),
                                                 .begin_offsets = numbers},
                      false);
  const jig_type row = jig_struct("row", "struct row { double d; int m[14]; };", 64, 8);
  add_segmented_top_k(
      (jig_segmented_top_k_args){.keys_in = jig_pointer(NULL, row), .decomposer = "x.m[3], -x.d, x.m[0]"},
      true);
}

static void add_all(void) {
  specs_go(SPECS_OF_PRODUCT);
  add_segmented_top_ks();
}

const specs_family specs_segmented_top_k = {add_all};
