/* What first calls have to compile, so that they do not become slower unnoticed: of one call of each
 * algorithm, with few items and with many, how many kernels that takes, and how many bytes these are in
 * the cache, compared with tests/compile/first_calls.csv. Time cannot be compared, but grows with the
 * code. A third of the algorithms each day; all with JIG_TEST_MATRIX=full. The driver has nothing behind
 * it.
 *
 *   RENEW_FIRST_CALLS=1 build/tests/compile/test_first_calls     writes the file anew */
#include <jig/jig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cost_support.h"
#include "count_cases.h"
#include "engine_support.h"
#include "jit/compiler.h"
#include "numbers.h"
#include "reduce_support.h"
#include "seed.h"
#include "store_support.h"
#include "suite.h"

static const char table_path[] = "tests/compile/first_calls.csv";

typedef struct cost {
  char name[64];
  unsigned long long items, bytes;
  unsigned kernels;
} cost;

static struct {
  cost all[128];
  size_t count;
  char compiler[32];
} table;

/* ---- the table */

static void read_table(void) {
  FILE *file = fopen(table_path, "r");
  ck_assert_ptr_nonnull(file);
  ck_assert_int_eq(fscanf(file, "# NVRTC %31s call,items,kernels,bytes ", table.compiler), 1);
  for (cost *c = table.all; table.count < COUNT_OF(table.all); ++c, ++table.count)
    if (fscanf(file, "%63[^,],%llu,%u,%llu ", c->name, &c->items, &c->kernels, &c->bytes) != 4) break;
  ck_assert(feof(file) != 0);
  ck_assert_int_eq(fclose(file), 0);
}

static const cost *find(const char *name, uint64_t items) {
  for (size_t i = 0; i < table.count; ++i)
    if (strcmp(table.all[i].name, name) == 0 && table.all[i].items == items) return &table.all[i];
  return NULL;
}

/* ---- calls */

static cost measure(const count_case *c, uint64_t items) {
  enum { SECOND_COUNT = 64 };
  /* Needles are as many as items, as the number of items says little of a search. */
  const bool is_search = c->arguments[1] != NULL && strcmp(c->arguments[1], "num_needles") == 0;
  cost found = {.items = items};
  size_t bytes = 0;
  engine_setup();
  set_variable("FAKE_MULTIPROCESSORS", "132");
  jig_engine *engine = engine_with((jig_engine_config){.cache_path = "", .background = JIG_SWITCH_OFF});
  OK(c->call(engine, NULL, &bytes, items, is_search ? items : SECOND_COUNT));
  found.kernels = entries_in_cache();
  found.bytes = files_bytes(scratch_path("cache"), ".jig");
  jig_engine_destroy(engine);
  engine_teardown();
  (void)snprintf(found.name, sizeof found.name, "%s", c->name);
  return found;
}

static const uint64_t sizes[] = {1 << 12, 1 << 24};

/* The first case of each function stands for the others, but for a radix sort's pairs, which take a
 * kernel more. */
static bool is_measured(const count_case *c) {
  if (strcmp(c->name, "radix_sort pairs") == 0) return true;
  for (const count_case *other = count_cases; other < c; ++other)
    if (strcmp(other->function, c->function) == 0) return false;
  return true;
}

/* ---- comparing */

static void compare(const cost *found) {
  const cost *known = find(found->name, found->items);
  const bool same_compiler = strcmp(table.compiler, compiler_get()->version) == 0;
  ck_assert_msg(known != NULL, "%s is not in %s: RENEW_FIRST_CALLS=1", found->name, table_path);
  ck_assert_msg(
      found->kernels == known->kernels && (!same_compiler || cost_is_near(found->bytes, known->bytes)),
      "a first call of %s with %llu items compiles %u kernels, %llu bytes, where it was %u, %llu; "
      "if that is as it should be: RENEW_FIRST_CALLS=1",
      found->name, found->items, found->kernels, found->bytes, known->kernels, known->bytes);
}

static bool is_its_turn(unsigned number) {
  enum { TURNS = 3 };
  const char *matrix = getenv("JIG_TEST_MATRIX");
  return (matrix != NULL && strcmp(matrix, "full") == 0) || (number + test_seed()) % TURNS == 0;
}

START_TEST(first_calls_compile_no_more_than_before) {
  unsigned number = 0;
  read_table();
  for (const count_case *c = count_cases; c->name != NULL; ++c) {
    if (!is_measured(c) || !is_its_turn(number++)) continue;
    for (size_t i = 0; i < COUNT_OF(sizes); ++i) {
      const cost found = measure(c, sizes[i]);
      compare(&found);
    }
  }
}
END_TEST

START_TEST(the_table_is_written) {
  FILE *file = fopen(table_path, "w");
  ck_assert_ptr_nonnull(file);
  fprintf(file, "# NVRTC %s\ncall,items,kernels,bytes\n", compiler_get()->version);
  for (const count_case *c = count_cases; c->name != NULL; ++c) {
    for (size_t i = 0; i < COUNT_OF(sizes) && is_measured(c); ++i) {
      const cost found = measure(c, sizes[i]);
      fprintf(file, "%s,%llu,%u,%llu\n", found.name, found.items, found.kernels, found.bytes);
    }
  }
  ck_assert_int_eq(fclose(file), 0);
}
END_TEST

int main(void) {
  static const suite_test comparing = SUITE_TEST(first_calls_compile_no_more_than_before),
                          writing = SUITE_TEST(the_table_is_written);
  return cost_run("compile/first_calls", "RENEW_FIRST_CALLS", &comparing, &writing);
}
