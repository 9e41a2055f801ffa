/* Copy: between types of any two sizes, and iterators on either side. */
#include <jig/jig.h>

#include "numbers.h"
#include "specs.h"

static void add(jig_iter in, jig_iter out) {
  char *text = NULL;
  (void)jig_copy_spec(&(jig_copy_args){.in = in, .out = out}, &text);
  /* Eight 32-bit integers at a time to 16-bit floats do so, 32 bytes on SM 9.0. */
  specs_add(text, in.type.kind == JIG_KIND_I32 && out.type.size == 2);
}

static void add_all(void) {
  static const jig_type_kind kinds[] = {JIG_KIND_I8,  JIG_KIND_F16, JIG_KIND_BF16,
                                        JIG_KIND_I32, JIG_KIND_F64, JIG_KIND_U128};
  const jig_iter words = jig_pointer(NULL, JIG_U32), places = jig_pointer(NULL, JIG_I64);
  const jig_iter zero = jig_constant("", JIG_U8), pair[] = {words, words};
  const jig_type two = jig_struct("two", "struct two { unsigned a, b; };", 8, 4);
  specs_go(SPECS_OF_PRODUCT);
  for (size_t from = 0; from < COUNT_OF(kinds); ++from)
    for (size_t to = 0; to < COUNT_OF(kinds); ++to)
      add(jig_pointer(NULL, type_of(kinds[from])), jig_pointer(NULL, type_of(kinds[to])));
  specs_go(0);
  add(zero, jig_pointer(NULL, JIG_U8));
  add(jig_permutation(&words, &places), words);
  add(words, jig_permutation(&words, &places));
  add(jig_zip(pair, 2, two), jig_zip(pair, 2, two));
  add(jig_iter_source(jig_op_source("return i * 3;"), JIG_U64), jig_pointer(NULL, JIG_U64));
  add(jig_iter_transform(&words, jig_op_source("return x * 0.5f;"), JIG_F32), jig_discard(JIG_F32));
}

const specs_family specs_copy = {add_all};
