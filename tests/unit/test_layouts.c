/* The public structs: whatever is reserved in one that the library is given has to be zero, wherever it
 * lies; in what the library fills in it is. And the table of docs/abi-structs.md is that of the structs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine_support.h"
#include "jit/algorithm.h"
#include "jit/compiler.h"
#include "numbers.h"
#include "reduce_support.h"
#include "spec/layout.h"
#include "suite.h"
#include "util/text.h"

/* ---- args */

enum { MOST_BYTES_OF_STRUCT = 4096 };
typedef union any_struct {
  max_align_t alignment;
  unsigned char bytes[MOST_BYTES_OF_STRUCT];
} any_struct;

typedef struct taker {
  const char *function;
  const char *name;                   /* of the struct in errors */
  const struct_layout *const *layout; /* NULL: its algorithm's args */
  const char *algorithm;
  jig_status (*take)(const void *value);
} taker;

/* clang-format off */
#define ALGORITHMS(X)                                                                               \
  X(reduce) X(arg_reduce) X(scan) X(scan_by_key) X(segmented_scan) X(reduce_by_key)                 \
  X(run_length_encode) X(non_trivial_runs) X(select) X(unique) X(partition) X(three_way_partition)  \
  X(merge) X(merge_sort) X(radix_sort) X(segmented_sort) X(top_k) X(copy) X(adjacent_difference)    \
  X(memcpy_batched) X(copy_batched) X(transform) X(for_each) X(bulk) X(histogram)                   \
  X(segmented_reduce) X(segmented_arg_reduce) X(find_if) X(binary_search) X(min_max)             \
  X(set_operation) X(is_sorted) X(reverse) X(segmented_top_k) X(nth_element)
/* clang-format on */
#define TAKE(algorithm)                                                \
  static jig_status call_##algorithm(const void *value) {              \
    size_t bytes = 0;                                                  \
    return jig_##algorithm(NULL, NULL, &bytes, value, NULL);           \
  }                                                                    \
  static jig_status spec_##algorithm(const void *value) {              \
    char *written = NULL;                                              \
    const jig_status status = jig_##algorithm##_spec(value, &written); \
    jig_free(written);                                                 \
    return status;                                                     \
  }
ALGORITHMS(TAKE)

static jig_status make_engine(const void *value) {
  jig_engine *engine = NULL;
  const jig_status status = jig_engine_create(&engine, value);
  jig_engine_destroy(engine);
  return status;
}

static jig_status make_engine_with_header(const void *value) {
  const jig_engine_config config = {.headers = value, .header_count = 1};
  return make_engine(&config);
}

/* The pointers of a struct of zeros are NULL, which is told only after what is reserved. */
static jig_status spec_of_kernel(const void *value) {
  char *written;
  return jig_kernel_spec(value, &written);
}

static jig_status spec_of_text(const void *value) {
  const jig_kernel_config config = {.entry = "k", .source = "x", .texts = value, .text_count = 1};
  return spec_of_kernel(&config);
}

static jig_status spec_of_definition(const void *value) {
  jig_definition named = *(const jig_definition *)value;
  named.name = "N";
  const jig_kernel_config config = {
      .entry = "k", .source = "x;", .definitions = &named, .definition_count = 1};
  return spec_of_kernel(&config);
}

static const taker takers[] = {
#define TAKER_ROWS(algorithm)                                      \
  {"jig_" #algorithm, "args", NULL, #algorithm, call_##algorithm}, \
      {"jig_" #algorithm "_spec", "args", NULL, #algorithm, spec_##algorithm},
    ALGORITHMS(TAKER_ROWS){"jig_engine_create", "config", &layouts[LAYOUT_OF_jig_engine_config], NULL,
                           make_engine},
    {"config", "headers", &layouts[LAYOUT_OF_jig_header], NULL, make_engine_with_header},
    {"jig_kernel_spec", "config", &layouts[LAYOUT_OF_jig_kernel_config], NULL, spec_of_kernel},
    {"jig_kernel_spec", "texts", &layouts[LAYOUT_OF_jig_kernel_text], NULL, spec_of_text},
    {"jig_kernel_spec", "definition of N", &layouts[LAYOUT_OF_jig_definition], NULL, spec_of_definition},
};

static const struct_layout *layout_of(const taker *t) {
  if (t->algorithm == NULL) return *t->layout;
  for (const algorithm *const *row = algorithm_table; *row != NULL; ++row)
    if (strcmp((*row)->schema.algorithm, t->algorithm) == 0) return (*row)->args;
  return NULL;
}

static const struct_layout *layout_of_kind(field_kind kind) {
  return kind == FIELD_TYPE ? LAYOUT(jig_type) : kind == FIELD_OP ? LAYOUT(jig_op) : LAYOUT(jig_iter);
}

/* Fills every word that is reserved, one after the other, in a struct that lies at an offset in the one
 * that is given, and is called `place` in errors. Returns how many there are. */
static int poke(const taker *t, any_struct *value, size_t at, const struct_layout *layout,
                const char *place) {
  int words = 0;
  for (size_t i = 0; i < layout->field_count; ++i) {
    const struct_field *field = &layout->fields[i];
    const bool is_outer = layout == layout_of(t);
    char inner[256], wanted[384];
    (void)snprintf(inner, sizeof inner, "%s%s%s", is_outer ? "" : place, is_outer ? "" : ": ",
                   field->name);
    if (field->kind == FIELD_TYPE || field->kind == FIELD_OP || field->kind == FIELD_ITER)
      words += poke(t, value, at + field->offset, layout_of_kind(field->kind), inner);
    if (field->kind != FIELD_RESERVED) continue;
    (void)snprintf(wanted, sizeof wanted, "%s: %s: reserved is not zero: made for a newer jig",
                   t->function, place);
    for (size_t k = 0; k < field->size; k += sizeof(uint32_t)) {
      uint32_t *word = (void *)(value->bytes + at + field->offset + k);
      *word = (uint32_t)1 << (words % 32);
      const jig_status status = t->take(value);
      ck_assert_msg(
          status == JIG_ERROR_INVALID_ARGUMENT && strncmp(jig_last_error(), wanted, strlen(wanted)) == 0,
          "%s at %zu of %s: %s: %s", t->function, at + field->offset + k, layout_of(t)->name,
          jig_status_name(status), jig_last_error());
      *word = 0;
      ++words;
    }
  }
  return words;
}

START_TEST(every_algorithm_is_called) {
  for (const algorithm *const *row = algorithm_table; *row != NULL; ++row) {
    size_t i = 0;
    while (i < COUNT_OF(takers) &&
           (takers[i].algorithm == NULL || strcmp(takers[i].algorithm, (*row)->schema.algorithm) != 0))
      ++i;
    ck_assert_msg(i < COUNT_OF(takers), "%s: not in ALGORITHMS", (*row)->schema.algorithm);
  }
}
END_TEST

START_TEST(what_is_reserved_has_to_be_zero) {
  for (size_t i = 0; i < COUNT_OF(takers); ++i) {
    static any_struct value;
    memset(&value, 0, sizeof value);
    ck_assert_uint_le(layout_of(&takers[i])->size, sizeof value);
    ck_assert_int_ge(poke(&takers[i], &value, 0, layout_of(&takers[i]), takers[i].name), 4);
    (void)takers[i].take(&value);
    ck_assert_ptr_null(strstr(jig_last_error(), "reserved"));
  }
}
END_TEST

static void refuses_base(const jig_iter *iter, const char *wanted) {
  const jig_reduce_args args = {.in = *iter, .out = jig_pointer(NULL, JIG_I32)};
  char *written = NULL;
  FAILS(jig_reduce_spec(&args, &written), JIG_ERROR_INVALID_ARGUMENT, wanted);
}

START_TEST(bases_of_iterators_count) {
  const jig_type pair = jig_struct("pair", "struct pair { int a, b; };", 8, 4);
  jig_iter good = jig_pointer(NULL, JIG_I32), bad = good, second = good, zip[2] = {good, good};
  bad.reserved[1] = 1;
  second.type.reserved32 = 1;
  zip[1].op.reserved[0] = 1;
  const jig_iter reversed = jig_iter_reverse(&bad, 8), of_zip = jig_zip(zip, 2, pair),
                 permuted = jig_permutation(&good, &second), deep = jig_iter_reverse(&reversed, 8),
                 transformed = jig_iter_transform(&of_zip, jig_op_source("return x.a;"), JIG_I32);
  refuses_base(&reversed, "jig_reduce_spec: in: reserved is not zero");
  refuses_base(&deep, "jig_reduce_spec: in: reserved is not zero");
  refuses_base(&transformed, "jig_reduce_spec: in: base 2 of 'zip': reserved is not zero");
  refuses_base(&permuted, "jig_reduce_spec: in: indices of 'permutation': reserved is not zero");
}
END_TEST

/* ---- what the library fills in */

static bool is_zero(const uint64_t *words, size_t count) {
  uint64_t bits = 0;
  for (size_t i = 0; i < count; ++i) bits |= words[i];
  return bits == 0;
}
#define ZERO(array) ck_assert(is_zero(array, COUNT_OF(array)))

static int look(void *user, const jig_cache_entry *entry) {
  ZERO(entry->reserved);
  ++*(int *)user;
  return 0;
}

START_TEST(what_is_reserved_comes_as_zero) {
  if (compiler_get() == NULL) {
    printf("skipped: unit/layouts: what_is_reserved_comes_as_zero (no NVRTC)\n");
    return;
  }
  engine_setup();
  jig_engine *engine = engine_with((jig_engine_config){0});
  const jig_reduce_args args = {.in = jig_pointer(NULL, JIG_I32), .out = jig_pointer(NULL, JIG_I32)};
  char *written = NULL;
  int entries = 0;
  jig_engine_stats stats;
  jig_prewarm_result result;
  memset(&stats, 0xff, sizeof stats);
  OK(jig_engine_get_stats(engine, &stats));
  ZERO(stats.reserved);
  OK(jig_reduce_spec(&args, &written));
  for (int hit = 0; hit < 2; ++hit) {
    memset(&result, 0xff, sizeof result);
    OK(jig_prewarm(engine, written, "sm_90", &result));
    ck_assert_int_eq(result.hit, hit);
    ck_assert_uint_eq(strlen(result.key), 32);
    ZERO(result.reserved);
  }
  OK(jig_cache_walk(engine, look, &entries));
  ck_assert_int_gt(entries, 0);
  jig_free(written);
  jig_engine_destroy(engine);
  engine_teardown();
}
END_TEST

/* Types, operators and iterators that functions and macros make may be given to calls. */
START_TEST(what_is_made_is_zero) {
  const jig_iter base = jig_pointer("", JIG_I32);
  const jig_op ops[] = {JIG_PLUS,
                        JIG_WELL_KNOWN_OP(JIG_OP_LESS),
                        jig_op_of_kind(JIG_OP_MAX),
                        jig_op_from_name("min"),
                        jig_op_source(""),
                        jig_op_function("", ""),
                        jig_op_binary(JIG_FORMAT_PTX, "", 1, ""),
                        jig_op_by_pointer(JIG_MIN),
                        jig_op_with_state(JIG_MIN, "", JIG_F32),
                        jig_op_with_device_state(JIG_MIN, "", jig_struct("", "", 1, 1)),
                        jig_op_commutative(JIG_MIN)};
  const jig_iter iters[] = {base,
                            jig_device_pointer(0, jig_opaque(4, 4)),
                            jig_counting(NULL, jig_type_from_name("i8")),
                            jig_counting_by(NULL, NULL, jig_type_of_kind(JIG_KIND_F64)),
                            jig_constant(NULL, JIG_BOOL),
                            jig_iter_transform(&base, JIG_PLUS, JIG_I8),
                            jig_strided("", 4, JIG_I8),
                            jig_iter_reverse(&base, 1),
                            jig_permutation(&base, &base),
                            jig_zip(&base, 1, JIG_I8),
                            jig_transform_output(&base, JIG_PLUS, JIG_I8),
                            jig_discard(JIG_I8),
                            jig_iter_source(JIG_PLUS, JIG_I8),
                            jig_iter_shuffle(3, 5, JIG_I8)};
  for (size_t i = 0; i < COUNT_OF(ops); ++i) ck_assert_uint_eq(LAYOUT(jig_op)->reserved(&ops[i]), 0);
  for (size_t i = 0; i < COUNT_OF(iters); ++i)
    ck_assert_uint_eq(LAYOUT(jig_iter)->reserved(&iters[i]), 0);
}
END_TEST

/* ---- docs/abi-structs.md, which RENEW_ABI=1 has written anew; `make abi` does */

static void add_struct(text *t, const struct_layout *layout) {
  text_format(t, "\n## `%s`: %zu\n\n| field | offset | size |\n| --- | --- | --- |\n", layout->name,
              layout->size);
  for (size_t k = 0; k < layout->field_count; ++k) {
    const struct_field *field = &layout->fields[k];
    text_format(t, "| `%s` | %u | %u |\n", field->name, field->offset, field->size);
  }
}

static char *table_of_structs(void) {
  text t = {0};
  text_add(
      &t,
      "# The public structs\n\n"
      "Offsets and sizes in bytes, on 64-bit machines. `make abi` writes this file; what it means is in\n"
      "[abi.md](abi.md).\n");
  for (size_t i = 0; i < LAYOUTS; ++i) add_struct(&t, layouts[i]);
  for (const algorithm *const *row = algorithm_table; *row != NULL; ++row) add_struct(&t, (*row)->args);
  return text_take(&t);
}

START_TEST(documented_structs_are_the_structs) {
  static const char path[] = "docs/abi-structs.md";
  char *table = table_of_structs();
  const size_t length = strlen(table);
  if (getenv("RENEW_ABI") != NULL) {
    FILE *out = fopen(path, "w");
    ck_assert(out != NULL && fwrite(table, 1, length, out) == length && fclose(out) == 0);
  }
  char *found = calloc(1, 2 * length);
  FILE *in = fopen(path, "r");
  ck_assert_msg(in != NULL, "%s is not there: run this at the top of the tree", path);
  const size_t read = fread(found, 1, 2 * length - 1, in);
  (void)fclose(in);
  ck_assert_msg(read == length && memcmp(found, table, length) == 0,
                "%s is not what the structs are: run make abi, if they are meant to be", path);
  free(found);
  free(table);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(every_algorithm_is_called), SUITE_TEST(what_is_reserved_has_to_be_zero),
      SUITE_TEST(bases_of_iterators_count),  SUITE_TEST(what_is_reserved_comes_as_zero),
      SUITE_TEST(what_is_made_is_zero),      SUITE_TEST(documented_structs_are_the_structs),
  };
  return SUITE_RUN("unit/layouts", tests, false);
}
