/* Batched copies: bytes, items of every size as bytes, conversions, and iterators on all sides. */
#include <jig/jig.h>

#include "numbers.h"
#include "specs.h"

static void add_memcpy(jig_iter addresses, jig_iter sizes) {
  char *text = NULL;
  (void)jig_memcpy_batched_spec(
      &(jig_memcpy_batched_args){.sources = addresses, .destinations = addresses, .sizes = sizes}, &text);
  specs_add(text, false);
}

static void add(jig_iter in, jig_iter out, jig_type offset) {
  const jig_iter offsets = jig_pointer(NULL, offset);
  char *text = NULL;
  (void)jig_copy_batched_spec(
      &(jig_copy_batched_args){
          .in = in, .out = out, .in_offsets = offsets, .out_offsets = offsets, .sizes = offsets},
      &text);
  specs_add(text, false);
}

static void add_all(void) {
  static const jig_type_kind kinds[] = {JIG_KIND_I8, JIG_KIND_BF16, JIG_KIND_F32, JIG_KIND_F64,
                                        JIG_KIND_U128};
  static const jig_type_kind sizes[] = {JIG_KIND_U8, JIG_KIND_I32, JIG_KIND_U64, JIG_KIND_I128};
  const jig_iter words = jig_pointer(NULL, JIG_U32), places = jig_pointer(NULL, JIG_I64);
  const jig_iter pair[] = {words, words};
  const jig_iter addresses = jig_pointer(NULL, JIG_U64);
  const jig_type two = jig_struct("two", "struct two { unsigned a, b; };", 8, 4);
  const jig_type large = jig_opaque(256, 4);
  specs_go(SPECS_OF_PRODUCT);
  for (size_t from = 0; from < COUNT_OF(kinds); ++from)
    for (size_t to = 0; to < COUNT_OF(kinds); ++to)
      add(jig_pointer(NULL, type_of(kinds[from])), jig_pointer(NULL, type_of(kinds[to])), JIG_I64);
  specs_go(0);
  for (size_t k = 0; k < COUNT_OF(sizes); ++k)
    add_memcpy(addresses, jig_pointer(NULL, type_of(sizes[k])));
  add_memcpy(jig_iter_transform(&places, jig_op_source("return x * 512;"), JIG_U64),
             jig_constant("", JIG_U8));
  add(jig_pointer(NULL, large), jig_pointer(NULL, large), JIG_I32);
  add(jig_strided(NULL, 512, large), jig_pointer(NULL, large), JIG_I32);
  add(jig_permutation(&words, &places), words, JIG_U32);
  add(words, jig_permutation(&words, &places), JIG_U16);
  add(jig_zip(pair, 2, two), jig_zip(pair, 2, two), JIG_I64);
  add(jig_iter_transform(&words, jig_op_source("return x * 0.5f;"), JIG_F32), jig_discard(JIG_F32),
      JIG_I32);
}

const specs_family specs_copy_batched = {add_all};
