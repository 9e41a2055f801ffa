/* Nothing to fold: no items, or only such as are passed over. Init, identities, and what is not looked
 * at. */
#include <jig/jig.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "numbers.h"
#include "reduce_support.h"
#include "seed.h"
#include "suite.h"

static const jig_type_kind floating[] = {JIG_KIND_F16, JIG_KIND_BF16, JIG_KIND_F32, JIG_KIND_F64};

/* ---- well-known operators */

static int128 largest_integer(jig_type_kind kind) {
  if (kind == JIG_KIND_BOOL) return 1;
  const int bits = 8 * (int)type_of(kind).size - is_signed(kind);
  return (int128)(~(uint128)0 >> (128 - bits));
}

static void put_integer_identity(jig_op_kind op, jig_type_kind kind, void *to) {
  const int128 largest = largest_integer(kind), smallest = is_signed(kind) ? -largest - 1 : 0;
  const int128 identity = op == JIG_OP_MIN       ? largest
                          : op == JIG_OP_MAX     ? smallest
                          : op == JIG_OP_BIT_AND ? -1 /* of bool, put_integer() makes it 1 */
                                                 : op == JIG_OP_MULTIPLIES || op == JIG_OP_LOGICAL_AND;
  put_integer(kind, to, 0, identity);
}

static void put_float_identity(jig_op_kind op, jig_type_kind kind, void *to) {
  const double identity = op == JIG_OP_PLUS  ? -0.0 /* 0 + -0 would be 0 */
                          : op == JIG_OP_MIN ? (double)INFINITY
                          : op == JIG_OP_MAX ? -(double)INFINITY
                                             : op == JIG_OP_MULTIPLIES || op == JIG_OP_LOGICAL_AND;
  put_float(kind, to, 0, identity);
}

static bool is_bitwise(jig_op_kind op) {
  return op == JIG_OP_BIT_AND || op == JIG_OP_BIT_OR || op == JIG_OP_BIT_XOR;
}

static void check_identity(jig_op_kind op, jig_type_kind kind, jig_nan nan) {
  const jig_type type = type_of(kind);
  unsigned char got[16], wanted[16];
  if (is_floating(kind))
    put_float_identity(op, kind, wanted);
  else
    put_integer_identity(op, kind, wanted);
  reduce_to_host((jig_reduce_args){.in = jig_pointer(NULL, type), .op = {.kind = op}, .nan = nan}, type,
                 got);
  ck_assert_msg(memcmp(got, wanted, type.size) == 0, "operator %d over no %s%s is %s, not %s", (int)op,
                jig_type_name(&type), nan == JIG_NAN_IGNORE ? ", NaNs ignored," : "",
                bits_of(got, type.size), bits_of(wanted, type.size));
}

START_TEST(without_items_the_identity) {
  for (const jig_type_kind *kind = all_kinds; *kind != JIG_KIND_NONE; ++kind) {
    for (jig_op_kind op = JIG_OP_PLUS; op <= JIG_OP_LOGICAL_OR; ++op) {
      if (is_floating(*kind) && is_bitwise(op)) continue;
      if (!test_turn((unsigned)*kind + (unsigned)op)) continue;
      check_identity(op, *kind, JIG_NAN_PROPAGATE);
      if (op == JIG_OP_MIN || op == JIG_OP_MAX) check_identity(op, *kind, JIG_NAN_IGNORE);
    }
  }
}
END_TEST

/* 7, or what is left of it in bool. */
static void put_seven(jig_type_kind kind, void *to) {
  if (is_floating(kind))
    put_float(kind, to, 0, 7);
  else
    put_integer(kind, to, 0, 7);
}

START_TEST(without_items_the_init) {
  for (const jig_type_kind *kind = all_kinds; *kind != JIG_KIND_NONE; ++kind) {
    const jig_type type = type_of(*kind);
    unsigned char seven[16], got[16];
    put_seven(*kind, seven);
    for (jig_op_kind op = JIG_OP_PLUS; op <= JIG_OP_LOGICAL_OR; ++op) {
      if (is_floating(*kind) && is_bitwise(op)) continue;
      const bool logical = op == JIG_OP_LOGICAL_AND || op == JIG_OP_LOGICAL_OR;
      if (logical && *kind != JIG_KIND_BOOL) continue; /* these make 1 of 7 */
      const jig_reduce_args args = {.in = jig_pointer(NULL, type), .op = {.kind = op}, .init = seven};
      reduce_to_host(args, type, got);
      ck_assert_msg(memcmp(got, seven, type.size) == 0, "operator %d over 7 and no %s is %s", (int)op,
                    jig_type_name(&type), bits_of(got, type.size));
    }
  }
}
END_TEST

/* ---- NaNs that are passed over */

static void check_nans_only(jig_type_kind kind, size_t count, bool smallest) {
  const jig_type type = type_of(kind);
  unsigned char *host = malloc(count * type.size), got[8], wanted[8];
  for (size_t i = 0; i < count; ++i) put_float(kind, host, i, NAN);
  put_float(kind, wanted, 0, smallest ? INFINITY : -INFINITY);
  void *device = gpu_copy(host, count * type.size, 0);
  reduce_to_host((jig_reduce_args){.in = jig_pointer(device, type),
                                   .num_items = count,
                                   .op = smallest ? JIG_MIN : JIG_MAX,
                                   .nan = JIG_NAN_IGNORE},
                 type, got);
  ck_assert_msg(memcmp(got, wanted, type.size) == 0, "%s of %zu %s, all NaN and ignored, is %s, not %s",
                smallest ? "min" : "max", count, jig_type_name(&type), bits_of(got, type.size),
                bits_of(wanted, type.size));
  gpu_free(device);
  free(host);
}

START_TEST(nans_alone_are_as_no_items) {
  static const size_t counts[] = {1, 2, 3, 5, 8, 33, 512, 4097, 40009, 300007};
  for (size_t k = 0; k < COUNT_OF(floating); ++k) {
    for (size_t c = 0; c < COUNT_OF(counts); ++c) {
      check_nans_only(floating[k], counts[c], true);
      check_nans_only(floating[k], counts[c], false);
    }
  }
}
END_TEST

/* ---- the caller's operators, which have no identity */

typedef struct pair {
  uint32_t low, high;
} pair;

/* Ordered and commutative operators over a struct, with and without a state. */
static jig_op pair_op(int variant, const uint32_t *state) {
  jig_op op = jig_op_source(variant < 2 ? "return {a.low + b.low, a.high * b.high};"
                                        : "return {a.low + b.low + state, a.high * b.high};");
  if (variant >= 2) op = jig_op_with_state(op, state, JIG_U32);
  return variant % 2 == 0 ? op : jig_op_commutative(op);
}

START_TEST(own_operators_without_items) {
  const jig_type type = jig_struct("pair", "struct pair { uint32_t low, high; };", sizeof(pair), 4);
  const pair init = {123, 456};
  const uint32_t state = 5;
  for (int variant = 0; variant < 4; ++variant) {
    jig_reduce_args args = {.in = jig_pointer(NULL, type), .op = pair_op(variant, &state), .init = &init};
    pair got;
    reduce_to_host(args, type, &got);
    ck_assert_msg(memcmp(&got, &init, sizeof got) == 0, "variant %d: the init {123, 456} became {%u, %u}",
                  variant, got.low, got.high);
    void *out = gpu_alloc(sizeof(pair), 0);
    args.out = jig_pointer(out, type);
    args.init = NULL;
    run_reduce(&args, 0);
    ck_assert_msg(gpu_is_untouched(out, sizeof(pair)), "variant %d: something was written", variant);
    gpu_free(out);
  }
}
END_TEST

/* The init is converted as items are: to the accumulator, and that to the output. */
START_TEST(the_init_alone_is_converted) {
  const double init = 300.75;
  int16_t got;
  for (int commutative = 0; commutative < 2; ++commutative) {
    jig_reduce_args args = {.in = jig_pointer(NULL, JIG_U8),
                            .op = jig_op_source("return a + b;"),
                            .init = &init,
                            .init_type = JIG_F64,
                            .accum_type = JIG_I32};
    args.op.commutative = commutative;
    reduce_to_host(args, JIG_I16, &got);
    ck_assert_int_eq(got, 300);
  }
}
END_TEST

/* ---- what there is no need for: items and states that are not there */

/* Either is fine: it works, or says what is missing. Never is anything but the result written. */
static void check_harmless(jig_reduce_args args, uint32_t wanted, const char *what) {
  uint32_t *out = gpu_alloc(sizeof *out, 0), got;
  args.out = jig_pointer(out, JIG_U32);
  size_t bytes = 0;
  OK(jig_reduce(NULL, NULL, &bytes, &args, NULL));
  void *storage = gpu_alloc(bytes, 0);
  const jig_status status = jig_reduce(NULL, storage, &bytes, &args, NULL);
  if (status == JIG_SUCCESS) {
    gpu_read(&got, out, sizeof got);
    ck_assert_msg(got == wanted, "%s: the result is %u, not %u", what, got, wanted);
  } else {
    ck_assert_msg(status == JIG_ERROR_INVALID_ARGUMENT && strstr(jig_last_error(), "NULL") != NULL,
                  "%s: %s: %s", what, jig_status_name(status), jig_last_error());
    ck_assert_msg(gpu_is_untouched(out, sizeof *out), "%s: a refused call has written", what);
  }
  gpu_free(storage);
  gpu_free(out);
}

START_TEST(what_is_not_there_is_not_touched) {
  const uint32_t init = 9;
  const jig_iter nowhere = jig_pointer(NULL, JIG_U32), no_value = jig_constant(NULL, JIG_U32);
  const jig_op shift = jig_op_with_state(jig_op_source("return x + state;"), NULL, JIG_U32);
  const jig_iter shifted = jig_iter_transform(&nowhere, shift, JIG_U32);
  const jig_iter twice = jig_iter_transform(&shifted, shift, JIG_U32);
  const jig_iter constant = jig_iter_transform(&no_value, shift, JIG_U32);
  const jig_iter all[] = {nowhere, no_value, shifted, twice, constant};
  static const char *const names[] = {"a NULL pointer", "a NULL constant",
                                      "a NULL state over a NULL pointer", "two NULL states",
                                      "a NULL state over a NULL constant"};
  for (size_t i = 0; i < COUNT_OF(all); ++i) {
    check_harmless((jig_reduce_args){.in = all[i]}, 0, names[i]);
    check_harmless((jig_reduce_args){.in = all[i], .init = &init}, 9, names[i]);
    check_harmless((jig_reduce_args){.in = all[i], .init = &init, .op = jig_op_source("return a + b;")},
                   9, names[i]);
  }
}
END_TEST

START_TEST(arg_reduce_does_without_too) {
  const jig_iter nowhere = jig_pointer(NULL, JIG_I32);
  const jig_op shift = jig_op_with_state(jig_op_source("return x + state;"), NULL, JIG_I32);
  int64_t *index = gpu_alloc(sizeof *index, 0), got;
  const jig_arg_reduce_args args = {.in = jig_iter_transform(&nowhere, shift, JIG_I32),
                                    .index_out = jig_pointer(index, JIG_I64)};
  size_t bytes = 0;
  OK(jig_arg_reduce(NULL, NULL, &bytes, &args, NULL));
  void *storage = gpu_alloc(bytes, 0);
  const jig_status status = jig_arg_reduce(NULL, storage, &bytes, &args, NULL);
  ck_assert_msg(status == JIG_SUCCESS || status == JIG_ERROR_INVALID_ARGUMENT, "%s: %s",
                jig_status_name(status), jig_last_error());
  gpu_read(&got, index, sizeof got);
  ck_assert_msg(status != JIG_SUCCESS || got == -1, "of no items the least is at %lld", (long long)got);
  gpu_free(storage);
  gpu_free(index);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(without_items_the_identity),  SUITE_TEST(without_items_the_init),
      SUITE_TEST(nans_alone_are_as_no_items),  SUITE_TEST(own_operators_without_items),
      SUITE_TEST(the_init_alone_is_converted), SUITE_TEST(what_is_not_there_is_not_touched),
      SUITE_TEST(arg_reduce_does_without_too),
  };
  return SUITE_RUN("device/reduce_empty", tests, true);
}
