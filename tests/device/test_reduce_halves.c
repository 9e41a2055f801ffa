/* Sums of halves over several blocks, to the bit. Of a great many items only so few are not zero that
 * every sum of some of them is exact, in any order: a block that is lost or counted twice shows. */
#include <jig/jig.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "numbers.h"
#include "reduce_support.h"
#include "suite.h"

/* From two blocks to as many as there may be; the last one ends within a run. */
static const size_t sizes[] = {33000, 70001, 300007, 1000003, 4500001};
enum { MAX_ITEMS = 4500001, ROUNDS = 6, START = 3 };

/* Whole numbers up to this are exact, and START more are left for an init. */
static size_t most_ones(jig_type_kind kind) {
  return (kind == JIG_KIND_BF16 ? 256 : 2048) - START;
}

/* Fills with zeros and a few ones, in odd rounds every third of them negative. The sum. */
static int fill_sparsely(jig_type_kind kind, void *items, size_t count, uint64_t seed, bool mixed) {
  int sum = 0;
  memset(items, 0, count * type_of(kind).size);
  for (size_t k = 0; k < most_ones(kind); ++k) {
    const size_t place = next_random(&seed) % count;
    if (get_float(kind, items, place) != 0) continue;
    const int one = mixed && k % 3 == 0 ? -1 : 1;
    put_float(kind, items, place, one);
    sum += one;
  }
  return sum;
}

typedef struct adder {
  const char *name;
  jig_op op;
} adder;

static void check_sum(const adder *by, jig_type_kind kind, const void *device, size_t count,
                      int wanted_sum, uint64_t seed) {
  const jig_type type = type_of(kind);
  uint16_t got, wanted, start;
  for (int with_init = 0; with_init < 2; ++with_init) {
    put_float(kind, &start, 0, START);
    put_float(kind, &wanted, 0, wanted_sum + START * with_init);
    reduce_to_host((jig_reduce_args){.in = jig_pointer(device, type),
                                     .num_items = count,
                                     .op = by->op,
                                     .init = with_init ? &start : NULL},
                   type, &got);
    ck_assert_msg(got == wanted, "the sum of %zu %s by %s%s, seed %llu, is %g (%s), not %g (%s)", count,
                  jig_type_name(&type), by->name, with_init ? " and an init" : "",
                  (unsigned long long)seed, get_float(kind, &got, 0), bits_of(&got, 2),
                  get_float(kind, &wanted, 0), bits_of(&wanted, 2));
  }
}

static void check_sums(jig_type_kind kind) {
  const adder adders[] = {{"plus", JIG_PLUS},
                          {"an operator", jig_op_source("return a + b;")},
                          {"a commutative one", jig_op_commutative(jig_op_source("return a + b;"))}};
  const size_t item = type_of(kind).size;
  void *host = malloc(MAX_ITEMS * item);
  for (size_t s = 0; s < COUNT_OF(sizes); ++s) {
    for (uint64_t round = 0; round < ROUNDS; ++round) {
      const uint64_t seed = 1000 * (s + 1) + round;
      const int sum = fill_sparsely(kind, host, sizes[s], seed, round % 2 == 1);
      /* Half of the rounds with vector loads, half without. */
      void *device = gpu_copy(host, sizes[s] * item, round % 4 < 2 ? 0 : item);
      for (size_t a = 0; a < COUNT_OF(adders); ++a) {
        check_sum(&adders[a], kind, device, sizes[s], sum, seed);
      }
      gpu_free(device);
    }
  }
  free(host);
}

START_TEST(sums_of_f16_lose_no_block) {
  check_sums(JIG_KIND_F16);
}
END_TEST

START_TEST(sums_of_bf16_lose_no_block) {
  check_sums(JIG_KIND_BF16);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(sums_of_f16_lose_no_block),
      SUITE_TEST(sums_of_bf16_lose_no_block),
  };
  return SUITE_RUN("device/reduce_halves", tests, true);
}
