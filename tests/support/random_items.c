#include "random_items.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t case_seed, shape_state, data_state;

static uint64_t scrambled(uint64_t x) { /* splitmix64; never 0 */
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  x ^= x >> 31;
  return x != 0 ? x : 1;
}

void random_case(uint64_t seed) {
  case_seed = seed;
  data_state = scrambled(seed + ((uint64_t)1 << 63));
  random_again();
}

void random_again(void) {
  shape_state = scrambled(case_seed);
}

static uint64_t below(uint64_t *state, uint64_t end) {
  return (next_random(state) >> 8) % end;
}

uint64_t shape_below(uint64_t end) {
  return below(&shape_state, end);
}

uint64_t data_below(uint64_t end) {
  return below(&data_state, end);
}

/* ---- kinds */

enum { NUMBERS = 15, STRUCTS = 17, FOLDED_STRUCTS = 9, MAX_FOLDED_WORDS = 5 };

bool may_lie_over(const item_kind *k, const item_kind *other) {
  return k->type.size == other->type.size && k->type.align <= other->type.align;
}

item_kind kind_of_number(jig_type_kind number) {
  return (item_kind){type_of(number), number, 1};
}

item_kind random_number(void) {
  return kind_of_number(all_kinds[shape_below(NUMBERS)]);
}

item_kind random_integer(void) {
  item_kind k;
  do {
    k = random_number();
  } while (is_floating(k.word) || k.word == JIG_KIND_BOOL);
  return k;
}

item_kind random_counter(void) {
  static const jig_type_kind counters[] = {JIG_KIND_I32, JIG_KIND_U32, JIG_KIND_I64, JIG_KIND_U64};
  return kind_of_number(counters[shape_below(COUNT_OF(counters))]);
}

/* Next to what kernels move in one way or another, 16, 64 and 256 bytes, and more aligned than their
 * words are; the first ones are folded, too. */
static const struct {
  jig_type_kind word;
  const char *cxx;
  unsigned words;
  unsigned align; /* 0: that of a word */
} structs[STRUCTS] = {
    {JIG_KIND_U8, "uint8_t", 3, 0},     {JIG_KIND_U8, "uint8_t", 5, 0},
    {JIG_KIND_U16, "uint16_t", 3, 0},   {JIG_KIND_U32, "uint32_t", 2, 0},
    {JIG_KIND_U32, "uint32_t", 3, 0},   {JIG_KIND_U64, "uint64_t", 2, 0},
    {JIG_KIND_U64, "uint64_t", 3, 0},   {JIG_KIND_U64, "uint64_t", 5, 0},
    {JIG_KIND_U64, "uint64_t", 4, 32},  {JIG_KIND_U8, "uint8_t", 17, 0},
    {JIG_KIND_U8, "uint8_t", 65, 0},    {JIG_KIND_U64, "uint64_t", 32, 0},
    {JIG_KIND_U64, "uint64_t", 33, 0},  {JIG_KIND_U32, "uint32_t", 75, 0},
    {JIG_KIND_U32, "uint32_t", 16, 64}, {JIG_KIND_U64, "uint64_t", 48, 128},
    {JIG_KIND_U64, "uint64_t", 512, 0},
};

static item_kind kind_of_struct(size_t number) {
  static char definitions[STRUCTS][4096], names[STRUCTS][32];
  const size_t word = type_of(structs[number].word).size;
  const size_t align = structs[number].align != 0 ? structs[number].align : word;
  char *text = definitions[number];
  if (text[0] == '\0') {
    (void)snprintf(names[number], sizeof names[number], "item%u_%u", (unsigned)word,
                   structs[number].words);
    const char *name = names[number];
    int n = snprintf(text, sizeof definitions[number], "struct alignas(%zu) %s { %s m0", align, name,
                     structs[number].cxx);
    for (unsigned w = 1; w < structs[number].words; ++w) {
      n += snprintf(text + n, sizeof definitions[number] - (size_t)n, ", m%u", w);
    }
    (void)snprintf(text + n, sizeof definitions[number] - (size_t)n,
                   "; };\ninline bool operator==(const %s &a, const %s &b) { return a.m0 == b.m0; }\n"
                   "inline bool operator<(const %s &a, const %s &b) { return a.m0 < b.m0; }\n",
                   name, name, name, name);
  }
  return (item_kind){jig_struct(names[number], text, word * structs[number].words, align),
                     structs[number].word, structs[number].words};
}

item_kind random_kind(void) {
  if (shape_one_in(2)) return kind_of_struct(shape_below(STRUCTS));
  return random_number();
}

item_kind random_small_kind(void) {
  if (shape_one_in(4)) return kind_of_struct(shape_below(FOLDED_STRUCTS));
  return random_number();
}

/* ---- what is in memory */

item_mix random_mix(void) {
  static const item_mix mixes[] = {MIX_BITS, MIX_FEW, MIX_RUNS, MIX_EXTREMES};
  return mixes[data_below(COUNT_OF(mixes))];
}

static void put_bits(jig_type_kind kind, void *at) {
  uint128 bits = (uint128)next_random(&data_state) << 64 | next_random(&data_state);
  if (kind == JIG_KIND_BOOL) bits &= 1;
  memcpy(at, &bits, type_of(kind).size);
}

static void put_extreme(jig_type_kind kind, void *at) {
  static const double floats[] = {INFINITY, -INFINITY, NAN,  0.,   -0.,   1,
                                  -1,       65504,     1e-7, 3e38, -3e38, 1e-320};
  const size_t bits = 8 * type_of(kind).size;
  if (is_floating(kind)) {
    put_float(kind, at, 0, floats[data_below(COUNT_OF(floats))]);
    return;
  }
  const uint128 top = (uint128)1 << (bits - 1);
  const uint128 values[] = {0, 1, top, top - 1, ~(uint128)0, top + 1};
  put_integer(kind, at, 0, (int128)values[data_below(COUNT_OF(values))]);
  if (kind == JIG_KIND_BOOL) put_bits(kind, at);
}

/* So that the sum of any neighbours is exact, in bf16 as well: the sum of all until now, which is there,
 * stays within 100. */
static void put_small(jig_type_kind kind, int *sum, void *at) {
  if (!is_floating(kind)) {
    put_bits(kind, at); /* exact in any case */
    return;
  }
  int x = (int)data_below(5) - 2;
  if (abs(*sum + x) > 100) x = -x;
  *sum += x;
  put_float(kind, at, 0, x);
}

static void put_word(jig_type_kind kind, item_mix mix, int *sum, void *at) {
  const uint64_t few = data_below(6);
  switch (mix) {
    case MIX_EXTREMES:
      put_extreme(kind, at);
      break;
    case MIX_SMALL:
      put_small(kind, sum, at);
      break;
    case MIX_BITS:
      put_bits(kind, at);
      break;
    default:
      if (is_floating(kind))
        put_float(kind, at, 0, few == 5 ? NAN : (double)few / 2 - 1);
      else
        put_integer(kind, at, 0, (int128)few - 2);
      break;
  }
}

void fill_items(const item_kind *k, item_mix mix, void *items, size_t count) {
  const size_t word = k->type.size / k->words;
  uint64_t left = 0;
  int sum = 0;
  for (size_t i = 0; i < count; ++i) {
    char *at = item(k, items, i);
    for (unsigned w = 0; w < k->words; ++w) {
      put_word(k->word, w == 0 || mix == MIX_SMALL ? mix : MIX_BITS, &sum, at + w * word);
    }
    if (mix == MIX_RUNS && i > 0 && left > 0) memcpy(at, item(k, items, i - 1), word);
    if (left == 0)
      left = data_one_in(50) ? data_below(3000) : data_below(8);
    else
      --left;
  }
}

static bool is_nan(jig_type_kind kind, const void *at) {
  return is_floating(kind) && isnan(get_float(kind, at, 0));
}

bool same_item(const item_kind *k, const void *a, const void *b) {
  if (memcmp(a, b, k->type.size) == 0) return true;
  return k->words == 1 && is_nan(k->word, a) && is_nan(k->word, b);
}

bool equal_items(const item_kind *k, const void *a, const void *b) {
  if (is_nan(k->word, a) || is_nan(k->word, b)) return false;
  return compare_items(k, a, b) == 0;
}

static int compare_words(jig_type_kind kind, const void *a, const void *b) {
  if (is_floating(kind)) {
    const double x = get_float(kind, a, 0), y = get_float(kind, b, 0);
    return (x > y) - (x < y);
  }
  const int128 x = get_integer(kind, a, 0), y = get_integer(kind, b, 0);
  if (is_signed(kind)) return (x > y) - (x < y);
  return ((uint128)x > (uint128)y) - ((uint128)x < (uint128)y);
}

static int with_nans_last(const item_kind *k, const void *a, const void *b, int sign) {
  const bool x = is_nan(k->word, a), y = is_nan(k->word, b);
  return x || y ? x - y : sign * compare_words(k->word, a, b);
}

int compare_items(const item_kind *k, const void *a, const void *b) {
  return with_nans_last(k, a, b, 1);
}

int compare_items_down(const item_kind *k, const void *a, const void *b) {
  return with_nans_last(k, a, b, -1);
}

uint128 radix_bits(jig_type_kind number, const void *at) {
  const size_t size = type_of(number).size, bits = 8 * size;
  const uint128 sign = (uint128)1 << (bits - 1);
  const uint128 all = sign | (sign - 1);
  uint128 value = 0;
  memcpy(&value, at, size);
  if (!is_floating(number)) return is_signed(number) ? value ^ sign : value;
  if (value == sign) value = 0; /* -0 */
  return (value & sign) != 0 ? ~value & all : value | sign;
}

/* ---- folds */

bool fold_is_well_known(fold_kind fold) {
  return fold < FOLD_LAST;
}

fold_kind random_fold(const item_kind *k) {
  if (k->words > 1) return shape_one_in(4) ? FOLD_LAST : FOLD_COMPOSE;
  if (!is_floating(k->word)) return (fold_kind)shape_below(FOLD_COMPOSE);
  static const fold_kind folds[] = {FOLD_PLUS, FOLD_MIN, FOLD_MAX, FOLD_LAST};
  return folds[shape_below(COUNT_OF(folds))];
}

/* Kept for the program's life. */
static const char *compose_body(const item_kind *k) {
  static char bodies[sizeof(uint64_t) + 1][MAX_FOLDED_WORDS + 1][256];
  char *text = bodies[type_of(k->word).size][k->words];
  int n = snprintf(text, sizeof bodies[0][0], "%s r; r.m0 = a.m0 * b.m0; r.m1 = a.m1 * b.m0 + b.m1;",
                   k->type.name);
  for (unsigned w = 2; w < k->words; ++w) {
    n += snprintf(text + n, sizeof bodies[0][0] - (size_t)n, " r.m%u = a.m%u + b.m%u;", w, w, w);
  }
  (void)snprintf(text + n, sizeof bodies[0][0] - (size_t)n, " return r;");
  return text;
}

jig_op fold_op(const item_kind *k, fold_kind fold) {
  static const jig_op_kind known[] = {JIG_OP_PLUS,    JIG_OP_MULTIPLIES,  JIG_OP_MIN,
                                      JIG_OP_MAX,     JIG_OP_BIT_AND,     JIG_OP_BIT_OR,
                                      JIG_OP_BIT_XOR, JIG_OP_LOGICAL_AND, JIG_OP_LOGICAL_OR};
  if (fold_is_well_known(fold)) return jig_op_of_kind(known[fold]);
  if (fold == FOLD_COMPOSE) return jig_op_source(compose_body(k));
  return jig_op_source(k->words > 1 ? "return b.m0 != 0 ? b : a;"
                       : k->word == JIG_KIND_F16 || k->word == JIG_KIND_BF16
                           ? "return float(b) != 0.f ? b : a;"
                           : "return b != 0 ? b : a;");
}

item_mix fold_mix(const item_kind *k, fold_kind fold) {
  if (fold == FOLD_PLUS && is_floating(k->word)) return MIX_SMALL;
  return random_mix();
}

static bool is_zero(jig_type_kind kind, const void *at) {
  return is_floating(kind) ? get_float(kind, at, 0) == 0 : get_integer(kind, at, 0) == 0;
}

static void compose(const item_kind *k, void *acc, const void *x) {
  const uint128 scale = (uint128)get_integer(k->word, x, 0);
  for (unsigned w = 0; w < k->words; ++w) {
    const uint128 a = (uint128)get_integer(k->word, acc, w), b = (uint128)get_integer(k->word, x, w);
    put_integer(k->word, acc, w, (int128)(w == 0 ? a * b : w == 1 ? a * scale + b : a + b));
  }
}

/* -0 is the smaller of two zeros. */
static bool is_less(jig_type_kind kind, const void *a, const void *b) {
  const int order = compare_words(kind, a, b);
  if (order != 0 || !is_floating(kind)) return order < 0;
  return signbit(get_float(kind, a, 0)) != 0 && signbit(get_float(kind, b, 0)) == 0;
}

static void take_extreme(const item_kind *k, bool smallest, void *acc, const void *x) {
  if (is_nan(k->word, acc)) return;
  const bool takes =
      is_nan(k->word, x) || (smallest ? is_less(k->word, x, acc) : is_less(k->word, acc, x));
  if (takes) memmove(acc, x, k->type.size);
}

static uint128 fold_integers(fold_kind fold, uint128 a, uint128 b) {
  switch (fold) {
    case FOLD_PLUS:
      return a + b;
    case FOLD_MULTIPLIES:
      return a * b;
    case FOLD_AND:
      return a & b;
    case FOLD_OR:
      return a | b;
    case FOLD_XOR:
      return a ^ b;
    case FOLD_LOGICAL_AND:
      return a != 0 && b != 0;
    default:
      return a != 0 || b != 0;
  }
}

void fold_item(const item_kind *k, fold_kind fold, void *acc, const void *x) {
  if (fold == FOLD_COMPOSE) {
    compose(k, acc, x);
  } else if (fold == FOLD_LAST) {
    if (!is_zero(k->word, x)) memmove(acc, x, k->type.size);
  } else if (fold == FOLD_MIN || fold == FOLD_MAX) {
    take_extreme(k, fold == FOLD_MIN, acc, x);
  } else if (is_floating(k->word)) {
    put_float(k->word, acc, 0, get_float(k->word, acc, 0) + get_float(k->word, x, 0));
  } else {
    const uint128 a = (uint128)get_integer(k->word, acc, 0), b = (uint128)get_integer(k->word, x, 0);
    put_integer(k->word, acc, 0, (int128)fold_integers(fold, a, b));
  }
}

bool fold_identity(const item_kind *k, fold_kind fold, void *acc) {
  const size_t bits = 8 * k->type.size;
  if (!fold_is_well_known(fold)) return false;
  if (is_floating(k->word)) {
    put_float(k->word, acc, 0, fold == FOLD_PLUS ? -0. : fold == FOLD_MIN ? INFINITY : -INFINITY);
    return true;
  }
  const uint128 top = (uint128)1 << (bits - 1);
  int128 value = 0;
  if (fold == FOLD_MULTIPLIES || fold == FOLD_LOGICAL_AND) value = 1;
  if (fold == FOLD_AND) value = -1;
  if (fold == FOLD_MIN) value = (int128)(is_signed(k->word) ? top - 1 : ~(uint128)0);
  if (fold == FOLD_MAX) value = (int128)(is_signed(k->word) ? top : 0);
  put_integer(k->word, acc, 0, value);
  return true;
}

/* ---- orders */

static item_order sort_order;
static const void *sort_context;

static int by_order(const void *a_, const void *b_) {
  const size_t a = *(const size_t *)a_, b = *(const size_t *)b_;
  const int order = sort_order(sort_context, a, b);
  return order != 0 ? order : (a > b) - (a < b);
}

size_t *indices_in_order(size_t count, item_order order, const void *context) {
  size_t *indices = malloc((count + 1) * sizeof *indices);
  for (size_t i = 0; i < count; ++i) indices[i] = i;
  sort_order = order;
  sort_context = context;
  qsort(indices, count, sizeof *indices, by_order);
  return indices;
}
