/* What the cases of random calls share. */
#include "random_cases.h"

#include <string.h>

#include "spec/type.h"

size_t random_limit = 20000;

/* 0, 1, some, about a power of two or a small multiple, anything. */
size_t data_count(size_t item_size) {
  const size_t limit = random_limit / (item_size > 1024 ? 64 : item_size > 64 ? 16 : 1);
  size_t n = 0;
  switch (data_below(8)) {
    case 0:
      return data_below(3);
    case 1:
      return data_below(130);
    case 2:
    case 3:
      n = ((size_t)1 << data_below(15)) * (2 * data_below(4) + 1) + data_below(3) - 1;
      return n <= limit ? n : limit;
    case 4:
      return data_below(1000);
    default:
      return data_below(limit);
  }
}

item_kind random_index(size_t *count) {
  const item_kind k = shape_one_in(3) ? random_integer() : random_counter();
  const uint64_t largest = type_largest(&k.type);
  if (*count > largest) *count = largest;
  return k;
}

void *new_items(const item_kind *k, item_mix mix, size_t count) {
  void *items = host_alloc(count * k->type.size);
  fill_items(k, mix, items, count);
  return items;
}

jig_op run_op(const item_kind *k, bool rises) {
  if (!rises) return (jig_op){JIG_OP_NONE};
  const bool is_half = k->word == JIG_KIND_F16 || k->word == JIG_KIND_BF16;
  return jig_op_source(is_half ? "return !(float(b) < float(a));" : "return !(b < a);");
}

static bool are_of_one_run(const item_kind *k, const void *a, const void *b, bool rises) {
  if (!rises) return equal_items(k, a, b);
  return !equal_items(k, a, a) || !equal_items(k, b, b) || compare_items(k, b, a) >= 0;
}

size_t run_end(const item_kind *k, const void *keys, size_t i, size_t count, bool rises) {
  size_t end = i + 1;
  while (end < count && are_of_one_run(k, item(k, keys, end - 1), item(k, keys, end), rises)) ++end;
  return end;
}

void *keys_in_runs(const item_kind *k, size_t count) {
  return new_items(k, data_one_in(3) ? MIX_FEW : MIX_RUNS, count);
}

void check_number(const place_output *out, int128 number, const char *what) {
  uint128 wanted = 0;
  put_integer(out->kind.word, &wanted, 0, number);
  place_check(out, &wanted, 1, true, what);
}

/* A test, and what it says: of words whether the lowest bit is set, of floating-point numbers x < 1. */
jig_op test_op(const item_kind *k, bool other) {
  if (k->words > 1) return jig_op_source(other ? "return x.m0 & 2;" : "return x.m0 & 1;");
  if (k->word == JIG_KIND_F16 || k->word == JIG_KIND_BF16)
    return jig_op_source(other ? "return float(x) > 0.f;" : "return float(x) < 1.f;");
  if (is_floating(k->word)) return jig_op_source(other ? "return x > 0;" : "return x < 1;");
  return jig_op_source(other ? "return (x & 2) != 0;" : "return (x & 1) != 0;");
}

bool passes(const item_kind *k, const void *items, size_t i, bool other) {
  if (is_floating(k->word)) {
    const double x = get_float(k->word, items, i);
    return other ? x > 0 : x < 1;
  }
  return ((uint128)get_integer(k->word, items, i * k->words) & (other ? 2 : 1)) != 0;
}

void *picked(const item_kind *k, const void *items, const size_t *order, size_t count) {
  char *copy = host_alloc(count * k->type.size);
  for (size_t i = 0; i < count; ++i) memcpy(item(k, copy, i), item(k, items, order[i]), k->type.size);
  return copy;
}

/* Items of an output that has only some of them: those that are not written are poison. */
void place_check_some(const place_output *out, const void *wanted, const bool *written, bool keeps,
                      const char *what) {
  if (out->memory == NULL) return;
  char *got = host_alloc(out->count * out->size);
  unsigned char poison[MOST_ITEM_BYTES];
  memset(poison, 0xa5, sizeof poison);
  place_read(out, got);
  place_output plain = *out;
  for (size_t i = 0; i < out->count; ++i) {
    const char *x = item(&out->kind, got, i);
    if (written[i] ? same_item(&out->kind, x, item(&out->kind, wanted, i))
                   : !keeps || out->flips || memcmp(x, poison, out->size) == 0)
      continue;
    random_fail("%s: item %zu of %zu is %s, not %s", what, i, plain.count, bits_of(x, out->size),
                written[i] ? bits_of(item(&out->kind, wanted, i), out->size) : "left alone");
    return;
  }
}
