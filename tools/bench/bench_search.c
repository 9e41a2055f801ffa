/* Cases of jig_find_if() and jig_binary_search(). The peers are in cub_search.cu. */
#include <stdio.h>

#include "cases.h"
#include "gpu.h"

enum { SOURCE_SIZE = 160, FEW = 1024 };

/* ---- find_if: the item that is 0, one in so many thousandths of the input */

typedef struct find_own {
  const char *type;
  unsigned place; /* of 1000; 1000: there is none */
} find_own;

static const find_own *find_own_of(const bench_case *c) {
  return c->own;
}

static uint64_t place_of(const bench_case *c, uint64_t n) {
  return n * find_own_of(c)->place / 1000;
}

static void fill_find(const bench_case *c, const bench_data *data, uint64_t seed) {
  char source[SOURCE_SIZE];
  const size_t bytes = c->in[0].per_item;
  (void)snprintf(source, sizeof source,
                 "typedef unsigned %s item; inline item make(uint64_t r, uint64_t i) {"
                 "  return i == %llu ? item(0) : item(r >> 56 | 1); }",
                 bytes == 1   ? "char"
                 : bytes == 4 ? "int"
                              : "long long",
                 (unsigned long long)place_of(c, data->n));
  gpu_fill(data->in[0], data->n, source, seed);
}

static void arrange_find(const bench_case *c, const bench_data *data) {
  jig_find_if_args *args = data->args;
  *args = (jig_find_if_args){.in = jig_pointer(data->in[0], jig_type_from_name(find_own_of(c)->type)),
                             .out = jig_pointer(data->out[0], JIG_U32),
                             .num_items = data->n,
                             .predicate = jig_op_source("return x == 0;")};
}

static jig_status call_find(const bench_data *data, jig_engine *engine, void *temp, size_t *temp_bytes,
                            CUstream stream) {
  return jig_find_if(engine, temp, temp_bytes, data->args, stream);
}

static jig_status find_spec(const bench_data *data, char **text) {
  return jig_find_if_spec(data->args, text);
}

static uint64_t find_bytes(const bench_case *c, uint64_t n) {
  return place_of(c, n) * c->in[0].per_item + 4;
}

#define FIND_CASE(type_, size_, variant_, place_)                                                    \
  {                                                                                                  \
    .algorithm = "find_if", .type = type_, .variant = variant_, .in = {{size_, 0}}, .out = {{0, 4}}, \
    .fill = fill_find, .arrange = arrange_find, .call = call_find, .spec = find_spec,                \
    .bytes = find_bytes, .own = &(const find_own) {                                                  \
      type_, place_                                                                                  \
    }                                                                                                \
  }

/* ---- binary search: of as many needles as items, or a share of them */

/* Of those that are nearly in order one in a hundred is anywhere. */
typedef enum needle_kind { RANDOM, SORTED, NEARLY_SORTED, FEW_VALUES } needle_kind;

typedef struct search_own {
  const char *type;
  needle_kind needles;
  unsigned share; /* of the items that needles are as many as */
  jig_bound bound;
  unsigned bits; /* items are spread over 2^bits, needles over 2^32 */
} search_own;

static const search_own *search_own_of(const bench_case *c) {
  return c->own;
}

static uint64_t needles_of(const bench_case *c, uint64_t n) {
  return n / search_own_of(c)->share;
}

static const char *const needle_sources[] = {
    [RANDOM] = "r >> 32",
    [SORTED] = "i * STEP + r % STEP",
    [NEARLY_SORTED] = "(r >> 8) % 100 == 0 ? r >> 32 : i * STEP + r % STEP",
    [FEW_VALUES] = "r >> 58 << 26",
};

/* Numbers in order, spread over 2^bits; or others, over 2^32. */
static void fill_numbers(void *out, uint64_t n, const char *type, needle_kind kind, unsigned bits,
                         uint64_t seed) {
  char source[SOURCE_SIZE];
  const unsigned long long step = n > 0 ? (1ull << bits) / n : 1;
  (void)snprintf(source, sizeof source,
                 "typedef %s item; inline item make(uint64_t r, uint64_t i) { return item(%s); }",
                 type[0] == 'f'   ? "double"
                 : type[1] == '6' ? "unsigned long long"
                                  : "unsigned",
                 needle_sources[kind]);
  char text[SOURCE_SIZE + 64];
  (void)snprintf(text, sizeof text, "#define STEP %lluull\n%s", step > 0 ? step : 1, source);
  gpu_fill(out, n, text, seed);
}

static void fill_search(const bench_case *c, const bench_data *data, uint64_t seed) {
  const search_own *o = search_own_of(c);
  fill_numbers(data->in[0], data->n, o->type, SORTED, o->bits, seed);
  fill_numbers(data->in[1], needles_of(c, data->n), o->type, o->needles, 32, seed + 1);
}

static void arrange_search(const bench_case *c, const bench_data *data) {
  const search_own *o = search_own_of(c);
  jig_binary_search_args *args = data->args;
  const jig_type type = jig_type_from_name(o->type);
  *args = (jig_binary_search_args){.in = jig_pointer(data->in[0], type),
                                   .needles_in = jig_pointer(data->in[1], type),
                                   .out = jig_pointer(data->out[0], JIG_U32),
                                   .num_items = data->n,
                                   .num_needles = needles_of(c, data->n),
                                   .bound = o->bound};
  if (o->bound == JIG_BOUND_EQUAL_RANGE) args->upper_out = jig_pointer(data->out[1], JIG_U32);
}

static jig_status call_search(const bench_data *data, jig_engine *engine, void *temp, size_t *temp_bytes,
                              CUstream stream) {
  return jig_binary_search(engine, temp, temp_bytes, data->args, stream);
}

static jig_status search_spec(const bench_data *data, char **text) {
  return jig_binary_search_spec(data->args, text);
}

#define SEARCH_CASE(algorithm_, type_, size_, variant_, needles_, share_, bound_, uppers_, bits_)     \
  {                                                                                                   \
    .algorithm = algorithm_, .type = type_, .variant = variant_,                                      \
    .in = {{size_, 0}, {size_, 64, .share = share_}}, .out = {{4, 0, .share = share_}, {uppers_, 0}}, \
    .fill = fill_search, .arrange = arrange_search, .call = call_search, .spec = search_spec,         \
    .own = &(const search_own) {                                                                      \
      type_, needles_, share_, bound_, bits_                                                          \
    }                                                                                                 \
  }
#define LOWER(type_, size_, variant_, needles_, share_) \
  SEARCH_CASE("lower_bound", type_, size_, variant_, needles_, share_, JIG_BOUND_LOWER, 0, 32)

static const bench_case cases[] = {
    FIND_CASE("u32", 4, "none", 1000),
    FIND_CASE("u32", 4, "half", 500),
    FIND_CASE("u32", 4, "hundredth", 10),
    FIND_CASE("u32", 4, "first", 0),
    FIND_CASE("u8", 1, "none", 1000),
    FIND_CASE("u64", 8, "none", 1000),
    LOWER("u32", 4, "random", RANDOM, 1),
    LOWER("u32", 4, "sorted", SORTED, 1),
    LOWER("u64", 8, "random", RANDOM, 1),
    LOWER("u64", 8, "sorted", SORTED, 1),
    LOWER("f64", 8, "random", RANDOM, 1),
    LOWER("u32", 4, "few_random", RANDOM, FEW),
    LOWER("u32", 4, "few_sorted", SORTED, FEW),
    /* Three quarters of the needles are behind all items. */
    SEARCH_CASE("lower_bound", "u32", 4, "random_behind", RANDOM, 1, JIG_BOUND_LOWER, 0, 30),
    LOWER("u32", 4, "nearly_sorted", NEARLY_SORTED, 1),
    LOWER("u32", 4, "few_values", FEW_VALUES, 1),
    SEARCH_CASE("upper_bound", "u32", 4, "sorted", SORTED, 1, JIG_BOUND_UPPER, 0, 32),
    SEARCH_CASE("upper_bound", "u32", 4, "random", RANDOM, 1, JIG_BOUND_UPPER, 0, 32),
    SEARCH_CASE("equal_range", "u32", 4, "sorted", SORTED, 1, JIG_BOUND_EQUAL_RANGE, 4, 32),
};

const bench_family bench_search = {cases, sizeof cases / sizeof cases[0]};
