#include "items.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "numbers.h"

const item_type item_types[] = {
    {"u8", JIG_KIND_U8, 1, 1},        {"u16", JIG_KIND_U16, 2, 1},
    {"i32", JIG_KIND_I32, 4, 1},      {"f64", JIG_KIND_F64, 8, 1},
    {"i128", JIG_KIND_I128, 16, 1},   {"3 bytes", JIG_KIND_U8, 3, 3},
    {"2 words", JIG_KIND_U32, 8, 2},  {"3 words", JIG_KIND_U32, 12, 3},
    {"4 words", JIG_KIND_U32, 16, 4}, {"16 words", JIG_KIND_U32, 64, 16},
};
const size_t item_type_count = COUNT_OF(item_types);

static const char *name_of(jig_type_kind kind) {
  static const char *const names[] = {
#define NAME(kind, name, cxx, size) [kind] = cxx,
      JIG_TYPE_MAP(NAME)
#undef NAME
  };
  return names[kind];
}

void items_source(const item_type *type, char *source, size_t size) {
  if (type->words == 1) {
    (void)snprintf(source, size,
                   "#include <jig/core/operator.cuh>\nusing item = %s;\nusing item_op = jig::plus;\n",
                   name_of(type->kind));
    return;
  }
  (void)snprintf(source, size,
                 "#include <jig/core/types.cuh>\n"
                 "struct item { %s w[%d]; };\n"
                 "struct item_op { static constexpr bool commutative = false;\n"
                 "  item operator()(const item &p, const item &q) const {\n"
                 "    item r;\n"
                 "    r.w[0] = p.w[0] * q.w[0];\n"
                 "    r.w[1] = q.w[0] * p.w[1] + q.w[1];\n"
                 "    for (int k = 2; k < %d; ++k) r.w[k] = p.w[k] + q.w[k];\n"
                 "    return r;\n"
                 "  } };\n",
                 name_of(type->kind), type->words, type->words);
}

void *items_random(const item_type *type, size_t count, uint64_t seed) {
  void *items = malloc(count * type->size);
  fill_random(type->kind, items, count * (size_t)type->words, seed);
  /* An even factor would make, with a few others, all that came before it vanish. */
  if (type->words > 1) {
    for (size_t i = 0; i < count; ++i) *(unsigned char *)item_at(type, items, i) |= 1;
  }
  return items;
}

void *item_at(const item_type *type, const void *items, size_t i) {
  return (unsigned char *)(uintptr_t)items + i * type->size;
}

static void combine_maps(const item_type *type, const void *a, const void *b, void *result) {
  const jig_type_kind kind = type->kind;
  const uint64_t m = (uint64_t)get_integer(kind, b, 0);
  uint64_t w[16] = {(uint64_t)get_integer(kind, a, 0) * m,
                    (uint64_t)get_integer(kind, a, 1) * m + (uint64_t)get_integer(kind, b, 1)};
  for (size_t k = 2; k < (size_t)type->words; ++k) {
    w[k] = (uint64_t)get_integer(kind, a, k) + (uint64_t)get_integer(kind, b, k);
  }
  for (size_t k = 0; k < (size_t)type->words; ++k) put_integer(kind, result, k, w[k]);
}

void items_combine(const item_type *type, const void *a, const void *b, void *result) {
  if (type->words > 1) {
    combine_maps(type, a, b, result);
  } else if (is_floating(type->kind)) {
    put_float(type->kind, result, 0, get_float(type->kind, a, 0) + get_float(type->kind, b, 0));
  } else {
    const uint128 sum = (uint128)get_integer(type->kind, a, 0) + (uint128)get_integer(type->kind, b, 0);
    put_integer(type->kind, result, 0, (int128)sum);
  }
}
