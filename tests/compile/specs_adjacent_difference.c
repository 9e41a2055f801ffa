/* Adjacent difference: items of any size, results of other types, both directions, iterators on either
 * side. */
#include <jig/jig.h>
#include <stdio.h>

#include "numbers.h"
#include "specs.h"

static void add(jig_iter in, jig_iter out, jig_op op, bool may_spill) {
  for (int direction = JIG_DIFFERENCE_LEFT; direction <= JIG_DIFFERENCE_RIGHT; ++direction) {
    char *text = NULL;
    (void)jig_adjacent_difference_spec(
        &(jig_adjacent_difference_args){
            .in = in, .out = out, .op = op, .direction = (jig_difference_direction)direction},
        &text);
    specs_add(text, may_spill);
  }
}

static void add_all(void) {
  static const jig_type_kind kinds[] = {JIG_KIND_BOOL, JIG_KIND_I8,  JIG_KIND_F16, JIG_KIND_BF16,
                                        JIG_KIND_I32,  JIG_KIND_F64, JIG_KIND_I128};
  static const uint32_t sizes[] = {3, 12, 16, 64, 256};
  static char definitions[COUNT_OF(sizes)][64], names[COUNT_OF(sizes)][8];
  const jig_op none = JIG_ZERO;
  const jig_iter words = jig_pointer(NULL, JIG_U32), places = jig_pointer(NULL, JIG_I64);
  specs_go(SPECS_OF_PRODUCT);
  for (size_t k = 0; k < COUNT_OF(kinds); ++k) {
    const jig_iter items = jig_pointer(NULL, type_of(kinds[k]));
    add(items, items, none, false);
    add(items, jig_pointer(NULL, JIG_F32), none, false);
  }
  for (size_t k = 0; k < COUNT_OF(sizes); ++k) {
    (void)snprintf(names[k], sizeof names[k], "s%u", sizes[k]);
    (void)snprintf(definitions[k], sizeof definitions[k], "struct s%u { unsigned char m[%u]; };",
                   sizes[k], sizes[k]);
    const jig_iter items = jig_pointer(NULL, jig_struct(names[k], definitions[k], sizes[k], 1));
    add(items, items, jig_op_source("a.m[0] -= b.m[0]; return a;"), sizes[k] > 16);
  }
  specs_go(0);
  add(words, words, JIG_BIT_XOR, false);
  add(words, places, jig_op_source("return (int64_t)a - (int64_t)b;"), false);
  add(jig_permutation(&words, &places), words, none, false);
  add(words, jig_permutation(&words, &places), none, false);
  add(jig_strided(NULL, 12, JIG_F32), jig_discard(JIG_F32), none, false);
  add(jig_iter_transform(&words, jig_op_source("return x * 0.5f;"), JIG_F32), jig_pointer(NULL, JIG_F32),
      none, false);
  add(jig_iter_source(jig_op_source("return i * i;"), JIG_U64), places, none, false);
}

const specs_family specs_adjacent_difference = {add_all};
