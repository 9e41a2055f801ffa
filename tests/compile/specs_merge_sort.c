/* Merge sort and merge. */
#include <jig/jig.h>
#include <stdio.h>

#include "numbers.h"
#include "specs.h"

static void add_sorts(jig_iter keys, jig_iter values, jig_op op, bool may_spill) {
  char *text = NULL;
  (void)jig_merge_sort_spec(
      &(jig_merge_sort_args){
          .keys_in = keys, .keys_out = keys, .values_in = values, .values_out = values, .compare = op},
      &text);
  specs_add(text, may_spill);
  (void)jig_merge_spec(&(jig_merge_args){.first_keys_in = keys,
                                         .second_keys_in = keys,
                                         .keys_out = keys,
                                         .first_values_in = values,
                                         .second_values_in = values,
                                         .values_out = values,
                                         .compare = op},
                       &text);
  specs_add(text, may_spill);
}

static void add_all_sorts(void) {
  static const jig_type_kind kinds[] = {JIG_KIND_U8, JIG_KIND_F16, JIG_KIND_U32, JIG_KIND_F64,
                                        JIG_KIND_U128};
  const jig_iter none = JIG_ZERO, words = jig_pointer(NULL, JIG_U32), wide = jig_pointer(NULL, JIG_U128);
  const jig_op by_type = JIG_ZERO;
  for (size_t k = 0; k < COUNT_OF(kinds); ++k) {
    const jig_iter keys = jig_pointer(NULL, type_of(kinds[k]));
    add_sorts(keys, none, by_type, false);
    add_sorts(keys, words, by_type, false);
    add_sorts(keys, wide, by_type, false);
    add_sorts(keys, none, JIG_GREATER, false);
  }
  static char definitions[4][64];
  static const uint32_t sizes[] = {3, 12, 64, 256};
  for (size_t i = 0; i < COUNT_OF(sizes); ++i) {
    (void)snprintf(definitions[i], sizeof definitions[i], "struct s { uint8_t m[%u]; };", sizes[i]);
    const jig_iter keys = jig_pointer(NULL, jig_struct("s", definitions[i], sizes[i], 1));
    add_sorts(keys, none, jig_op_source("return a.m[0] < b.m[0];"), true);
  }
}

static void add_all(void) {
  specs_go(SPECS_OF_PRODUCT);
  add_all_sorts();
}

const specs_family specs_merge_sort = {add_all};
