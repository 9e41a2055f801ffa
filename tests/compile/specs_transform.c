/* Transform: inputs of any sizes beside each other, all items or some, iterators on either side; what is
 * called for each item or index. */
#include <jig/jig.h>

#include "numbers.h"
#include "specs.h"

static void add(const jig_iter *in, uint32_t num_inputs, jig_iter out, jig_op op, jig_iter stencil) {
  char *text = NULL;
  (void)jig_transform_spec(
      &(jig_transform_args){.in = in, .num_inputs = num_inputs, .out = out, .op = op, .stencil = stencil},
      &text);
  specs_add(text, false);
}

static void add_each(jig_iter in, const char *op, jig_for_each_mode mode) {
  char *text = NULL;
  (void)jig_for_each_spec(&(jig_for_each_args){.in = in, .op = jig_op_source(op), .mode = mode}, &text);
  specs_add(text, false);
}

static void add_bulk(const char *op, uint32_t rank) {
  char *text = NULL;
  (void)jig_bulk_spec(&(jig_bulk_args){.op = jig_op_source(op), .rank = rank}, &text);
  specs_add(text, false);
}

static void add_all(void) {
  static const jig_type_kind kinds[] = {JIG_KIND_I8,  JIG_KIND_F16, JIG_KIND_BF16,
                                        JIG_KIND_I32, JIG_KIND_F64, JIG_KIND_U128};
  const jig_iter none = {0}, words = jig_pointer(NULL, JIG_U32), flags = jig_pointer(NULL, JIG_U8);
  const jig_type two = jig_struct("two", "struct two { unsigned a, b; };", 8, 4);
  const jig_op sum = jig_op_source("return a + b;");
  specs_go(SPECS_OF_PRODUCT);
  for (size_t from = 0; from < COUNT_OF(kinds); ++from) {
    for (size_t to = 0; to < COUNT_OF(kinds); ++to) {
      const jig_iter in[] = {jig_pointer(NULL, type_of(kinds[from])),
                             jig_pointer(NULL, type_of(kinds[to]))};
      if (to != from && (kinds[from] == JIG_KIND_U128 || kinds[to] == JIG_KIND_U128)) continue;
      add(in, 2, in[1], jig_op_source("return float(a) < float(b) ? b : b + b;"), none);
    }
  }
  specs_go(0);
  for (size_t k = 0; k < COUNT_OF(kinds); ++k) {
    const jig_iter in[] = {jig_pointer(NULL, type_of(kinds[k])), jig_pointer(NULL, type_of(kinds[k]))};
    add(in, 2, in[0], JIG_PLUS, flags);
    add_each(in[0], "x = x + x;", JIG_FOR_EACH_REFERENCE);
    add_each(in[0], "if (float(x) == 3.0f) __trap();", JIG_FOR_EACH_COPY);
  }
  const jig_iter all[] = {words, flags, jig_counting(NULL, JIG_I64),    jig_permutation(&words, &words),
                          words, words, jig_strided(NULL, 12, JIG_F32), jig_constant("", JIG_U8)};
  add(all, 8, words, jig_op_source("return a + b + c + d + e + f + unsigned(g) + h;"), none);
  static const struct {
    const char *definition;
    uint32_t size, align;
  } odd[] = {{"struct odd { float m[3]; };", 12, 4},
             {"struct odd { double m[3]; };", 24, 8},
             {"struct odd { unsigned short m[3]; };", 6, 2},
             {"struct odd { double m[6]; };", 48, 8}};
  for (size_t k = 0; k < COUNT_OF(odd); ++k) {
    const jig_iter one =
        jig_pointer(NULL, jig_struct("odd", odd[k].definition, odd[k].size, odd[k].align));
    const jig_iter in[] = {one, one, words};
    add(in, 1, one, jig_op_source("for (auto &m : x.m) m *= 2; return x;"), none);
    add(in, 3, one,
        jig_op_source(
            "for (int k = 0; k < sizeof a.m / sizeof a.m[0]; ++k) a.m[k] += b.m[k] * c; return a;"),
        none);
  }
  const jig_iter outs[] = {words, words};
  add(all, 2, jig_zip(outs, 2, two), jig_op_source("return two{a, b};"), none);
  add(all, 2, jig_permutation(&words, &words), sum, none);
  add(all, 1, jig_discard(JIG_F32), jig_op_source("return x * 0.5f;"), words);
  add_each(jig_zip_transform(all, 2, sum, JIG_U32), "if (x == 3) __trap();", JIG_FOR_EACH_COPY);
  add_bulk("if (i == 3) __trap();", 0);
  add_bulk("if (at[0] == 3) __trap();", 1);
  add_bulk("if (at[7] + at[3] == 3) __trap();", 8);
}

const specs_family specs_transform = {add_all};
