/* Search: find_if in all modes, binary search for every bound, minimum and maximum with and without
 * indices; items of any size, orders, iterators on either side. */
#include <jig/jig.h>
#include <stdio.h>

#include "numbers.h"
#include "specs.h"

static void add_find(jig_iter in, jig_op predicate, int mode, jig_type out) {
  char *text = NULL;
  const jig_find_if_args args = {
      .in = in, .out = jig_pointer(NULL, out), .predicate = predicate, .mode = (jig_find_mode)mode};
  (void)jig_find_if_spec(&args, &text);
  specs_add(text, false);
}

static void add_search(jig_iter in, jig_iter needles, jig_op compare, int bound, jig_type out) {
  char *text = NULL;
  jig_binary_search_args args = {.in = in,
                                 .needles_in = needles,
                                 .out = jig_pointer(NULL, out),
                                 .compare = compare,
                                 .bound = (jig_bound)bound};
  if (bound == JIG_BOUND_EQUAL_RANGE) args.upper_out = jig_pointer(NULL, out);
  (void)jig_binary_search_spec(&args, &text);
  specs_add(text, in.type.size > 16);
}

static void add_min_max(jig_iter in, jig_op compare, bool with_index) {
  char *text = NULL;
  jig_min_max_args args = {
      .in = in, .min_out = jig_pointer(NULL, in.type), .compare = compare, .nan = JIG_NAN_PROPAGATE};
  if (with_index)
    args.max_index_out = jig_pointer(NULL, JIG_I64);
  else
    args.max_out = jig_pointer(NULL, in.type);
  (void)jig_min_max_spec(&args, &text);
  specs_add(text, in.type.size > 16);
}

static void add_all(void) {
  static const jig_type_kind kinds[] = {JIG_KIND_BOOL, JIG_KIND_I8,  JIG_KIND_U16, JIG_KIND_F16,
                                        JIG_KIND_I32,  JIG_KIND_F32, JIG_KIND_F64, JIG_KIND_U128};
  static const uint32_t sizes[] = {3, 12, 64, 256};
  static char definitions[COUNT_OF(sizes)][64], names[COUNT_OF(sizes)][16];
  const jig_op none = JIG_ZERO, order = jig_op_source("return a.m[0] < b.m[0];");
  const jig_iter words = jig_pointer(NULL, JIG_U32), places = jig_pointer(NULL, JIG_I64);
  specs_go(SPECS_OF_PRODUCT);
  for (size_t k = 0; k < COUNT_OF(kinds); ++k) {
    const jig_iter items = jig_pointer(NULL, type_of(kinds[k]));
    add_find(items, none, (int)k % 5, JIG_I32);
    add_search(items, items, k % 2 == 0 ? none : JIG_GREATER, (int)k % 3, JIG_U32);
    add_min_max(items, none, k % 2 == 0);
    if (k % 3 == 0) add_min_max(items, JIG_LESS, k % 2 == 1);
  }
  for (size_t k = 0; k < COUNT_OF(sizes); ++k) {
    const uint32_t member = sizes[k] < 64 ? 1 : 4; /* large ones of bytes take minutes to compile */
    (void)snprintf(names[k], sizeof names[k], "s%u", sizes[k]);
    (void)snprintf(definitions[k], sizeof definitions[k], "struct s%u { %s m[%u]; };", sizes[k],
                   member == 4 ? "uint32_t" : "uint8_t", sizes[k] / member);
    const jig_iter items = jig_pointer(NULL, jig_struct(names[k], definitions[k], sizes[k], member));
    add_find(items, jig_op_source("return x.m[0];"), (int)k % 5, JIG_I64);
    add_search(items, items, order, (int)k % 3, JIG_I64);
    add_min_max(items, order, k % 2 == 0);
  }
  specs_go(0);
  add_find(jig_permutation(&words, &places), jig_op_source("return x > 7;"), JIG_FIND_IF_NOT, JIG_U8);
  add_find(jig_iter_source(jig_op_source("return i * i;"), JIG_U64), none, JIG_FIND_ANY_OF, JIG_BOOL);
  add_search(jig_strided(NULL, 12, JIG_F32), jig_pointer(NULL, JIG_F32), none, JIG_BOUND_EQUAL_RANGE,
             JIG_I64);
  add_search(words, jig_permutation(&words, &places), jig_op_source("return a > b;"), JIG_BOUND_UPPER,
             JIG_U64);
  add_min_max(jig_iter_reverse(&words, 100), none, true);
}

const specs_family specs_search = {add_all};
