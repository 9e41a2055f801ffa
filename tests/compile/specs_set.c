/* Set operations in all modes, with and without values; where order ends; reversal: items of any size,
 * orders, iterators on either side. */
#include <jig/jig.h>
#include <stdio.h>

#include "numbers.h"
#include "specs.h"

/* f16 beside values: on SM 90 the single wave keeps a word while it loads a tile, stored and loaded once.
 * Of 17 rows instead of 19 it would not, but other keys of up to 4 bytes have the same. */
static bool may_spill(jig_type key, jig_type value) {
  return key.size > 16 || (key.kind == JIG_KIND_F16 && value.kind != JIG_KIND_NONE);
}

static void add_set(jig_iter first, jig_iter second, jig_type value, jig_op compare, int mode) {
  char *text = NULL;
  jig_set_operation_args args = {.first_keys_in = first,
                                 .second_keys_in = second,
                                 .keys_out = jig_pointer(NULL, first.type),
                                 .num_items_out = jig_pointer(NULL, JIG_I64),
                                 .compare = compare,
                                 .mode = (jig_set_mode)mode};
  if (value.kind != JIG_KIND_NONE)
    args.first_values_in = args.second_values_in = args.values_out = jig_pointer(NULL, value);
  (void)jig_set_operation_spec(&args, &text);
  specs_add(text, may_spill(first.type, value));
}

static void add_sorted(jig_iter in, jig_op compare, int mode) {
  char *text = NULL;
  const jig_is_sorted_args args = {
      .in = in, .out = jig_pointer(NULL, JIG_I64), .compare = compare, .mode = (jig_sorted_mode)mode};
  (void)jig_is_sorted_spec(&args, &text);
  specs_add(text, in.type.size > 16);
}

static void add_reverse(jig_iter in, jig_iter out) {
  char *text = NULL;
  const jig_reverse_args args = {.in = in, .out = out};
  (void)jig_reverse_spec(&args, &text);
  specs_add(text, in.type.size > 16);
}

static void add_all(void) {
  static const jig_type_kind kinds[] = {JIG_KIND_BOOL, JIG_KIND_I8,  JIG_KIND_U16, JIG_KIND_F16,
                                        JIG_KIND_I32,  JIG_KIND_F32, JIG_KIND_F64, JIG_KIND_U128};
  static const uint32_t sizes[] = {3, 12, 64, 128, 256};
  static char definitions[COUNT_OF(sizes)][64], names[COUNT_OF(sizes)][16];
  const jig_op none = JIG_ZERO, order = jig_op_source("return a.m[0] < b.m[0];");
  const jig_type nothing = {0};
  const jig_iter words = jig_pointer(NULL, JIG_U32), places = jig_pointer(NULL, JIG_I64);
  specs_go(SPECS_OF_PRODUCT);
  for (size_t k = 0; k < COUNT_OF(kinds); ++k) {
    const jig_iter items = jig_pointer(NULL, type_of(kinds[k]));
    add_set(items, items, k % 2 == 0 ? nothing : JIG_U64, k % 3 == 0 ? JIG_GREATER : none, (int)k % 4);
    add_sorted(items, k % 3 == 1 ? JIG_GREATER : none, (int)k % 2);
    add_reverse(items, items);
  }
  for (size_t k = 0; k < COUNT_OF(sizes); ++k) {
    const uint32_t member = sizes[k] < 64 ? 1 : 4; /* large ones of bytes take minutes to compile */
    (void)snprintf(names[k], sizeof names[k], "s%u", sizes[k]);
    (void)snprintf(definitions[k], sizeof definitions[k], "struct s%u { %s m[%u]; };", sizes[k],
                   member == 4 ? "uint32_t" : "uint8_t", sizes[k] / member);
    const jig_type type = jig_struct(names[k], definitions[k], sizes[k], member);
    const jig_iter items = jig_pointer(NULL, type);
    add_set(items, items, k % 2 == 0 ? type : nothing, order, (int)k % 4);
    add_sorted(items, order, (int)k % 2);
    add_reverse(items, items);
  }
  specs_go(0);
  add_set(jig_permutation(&words, &places), words, JIG_U8, jig_op_source("return a > b;"), JIG_SET_UNION);
  add_set(jig_counting(NULL, JIG_I64), jig_strided(NULL, 24, JIG_I64), nothing, none, JIG_SET_DIFFERENCE);
  add_sorted(jig_iter_source(jig_op_source("return i * i;"), JIG_U64), none, JIG_SORTED_UNTIL);
  add_sorted(jig_strided(NULL, 12, JIG_F32), none, JIG_SORTED);
  add_reverse(jig_iter_shuffle(100, 3, JIG_U32), jig_pointer(NULL, JIG_I64));
  add_reverse(jig_iter_transform(&words, jig_op_source("return x * 0.5f;"), JIG_F32),
              jig_pointer(NULL, JIG_F32));
}

const specs_family specs_set = {add_all};
