/* Algorithms on runs of equal neighbours: what folds values is called with nothing but items of one run
 * and what neighbouring ones come to, the left one first; what tells runs apart, with an item and the
 * next one. */
#include <jig/jig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithm/by_key.h"
#include "by_key_support.h"
#include "gpu.h"
#include "numbers.h"
#include "reduce_support.h"
#include "seed.h"
#include "select_support.h"
#include "spans.h"
#include "suite.h"

enum { SMALL_SIZES = 40, INIT_BEGIN = 7, PLACES = 1 << 16 };

/* ---- runs */

/* Whether a run begins at an item that is a span from that place on; of smaller types the low bits count.
 */
typedef uint8_t head_table[PLACES];

/* Of this length on average; 0: there is but one. */
static void fill_heads(head_table table, size_t average) {
  uint64_t seed = 3 + average;
  for (size_t i = 0; i < PLACES; ++i) table[i] = average > 0 && (next_random(&seed) >> 20) % average == 0;
}

static bool *heads_of(const head_table table, jig_type key, size_t count) {
  bool *heads = malloc(count + 1);
  const size_t mask = (size_t)(span_places(key) - 1) % PLACES;
  for (size_t i = 0; i < count; ++i) heads[i] = i == 0 || table[(SPAN_FIRST + i) & mask];
  return heads;
}

/* Where runs begin, and where the last one ends. */
static size_t *begins_of(const bool *heads, size_t count, size_t *runs) {
  size_t *begins = malloc((count + 1) * sizeof *begins);
  *runs = 0;
  for (size_t i = 0; i < count; ++i)
    if (heads[i]) begins[(*runs)++] = i;
  begins[*runs] = count;
  return begins;
}

typedef enum scan_way { PLAIN, EXCLUSIVE, WITH_INIT, WAYS } scan_way;

/* A value's place: there is a gap before every run or, as all of them begin with the same init, all of
 * them begin where that ends. */
static uint32_t place_of(scan_way way, size_t begin, size_t i, size_t run) {
  return SPAN_FIRST + (uint32_t)(way == PLAIN ? i + run : i - begin);
}

/* ---- keys with values */

typedef struct by_key_case {
  int key, value;   /* of span_types */
  bool transformed; /* values are loaded one by one */
  size_t offset;    /* of both off their alignment, in items */
  scan_way way;     /* of the scan */
} by_key_case;

static jig_type key_of(const by_key_case *c) {
  return span_types[c->key];
}
static jig_type value_of(const by_key_case *c) {
  return span_types[c->value];
}

/* What is on the host, and on the GPU, for one call of a case. */
typedef struct scene {
  watch w;
  size_t count, runs, *begins;
  bool *heads;
  unsigned char *keys_host, *values_host, *wanted;
  void *keys, *values;
  jig_iter stored, keys_in, in;
} scene;

static void open_scene(scene *s, const by_key_case *c, const head_table table, scan_way way,
                       size_t count) {
  *s = (scene){.w = new_watch(count), .count = count, .heads = heads_of(table, key_of(c), count)};
  s->begins = begins_of(s->heads, count, &s->runs);
  s->w.heads = gpu_copy(table, PLACES, 0);
  s->keys_host = new_spans(key_of(c), count);
  s->values_host = malloc(count * value_of(c).size);
  s->wanted = malloc(count * value_of(c).size);
  for (size_t r = 0; r < s->runs; ++r)
    for (size_t i = s->begins[r]; i < s->begins[r + 1]; ++i) {
      const uint32_t place = place_of(way, s->begins[r], i, r);
      put_span(value_of(c), s->values_host, i, (span){place, place + 1, (uint32_t)r});
    }
  s->keys = gpu_copy(s->keys_host, count * key_of(c).size, c->offset * key_of(c).size);
  s->values = gpu_copy(s->values_host, count * value_of(c).size, c->offset * value_of(c).size);
  s->keys_in = jig_pointer(s->keys, key_of(c));
  s->in = s->stored = jig_pointer(s->values, value_of(c));
  if (c->transformed) s->in = jig_iter_transform(&s->stored, watched(span_identity, &s->w), value_of(c));
}

static void close_scene(scene *s, const char *what) {
  check_watch(&s->w, what);
  gpu_free(s->w.heads);
  gpu_free(s->keys);
  gpu_free(s->values);
  free(s->begins);
  free(s->heads);
  free(s->keys_host);
  free(s->values_host);
  free(s->wanted);
}

static void check_scan_of(const by_key_case *c, const head_table table, size_t count) {
  const scan_way way = c->way;
  char what[128];
  (void)snprintf(what, sizeof what, "scan by key of %zu %s by %s, way %d", count, value_of(c).name,
                 key_of(c).name, way);
  scene s;
  open_scene(&s, c, table, way, count);
  unsigned char init[40];
  put_span(value_of(c), init, 0, (span){INIT_BEGIN, SPAN_FIRST, SPAN_ANY_RUN});
  for (size_t r = 0; r < s.runs; ++r)
    for (size_t i = s.begins[r]; i < s.begins[r + 1]; ++i) {
      const uint32_t begin = way == PLAIN ? place_of(way, s.begins[r], s.begins[r], r) : INIT_BEGIN;
      const bool is_init = way == EXCLUSIVE && i == s.begins[r];
      put_span(value_of(c), s.wanted, i,
               (span){begin, place_of(way, s.begins[r], i, r) + (way != EXCLUSIVE),
                      is_init ? SPAN_ANY_RUN : (uint32_t)r});
    }
  void *out = gpu_alloc(count * value_of(c).size, 0), *got = malloc(count * value_of(c).size);
  const jig_scan_by_key_args args = {.keys_in = s.keys_in,
                                     .values_in = s.in,
                                     .values_out = jig_pointer(out, value_of(c)),
                                     .num_items = count,
                                     .op = watched(span_fold, &s.w),
                                     .equality = watched(span_equality, &s.w),
                                     .mode = way == EXCLUSIVE ? JIG_SCAN_EXCLUSIVE : JIG_SCAN_INCLUSIVE,
                                     .init = way == PLAIN ? NULL : init,
                                     .init_type = value_of(c)};
  run_scan_by_key(&args, 0);
  gpu_read(got, out, count * value_of(c).size);
  gpu_free(out);
  const size_t size = value_of(c).size;
  unsigned char *wanted = s.wanted;
  s.wanted = NULL;
  close_scene(&s, what);
  check_items(got, wanted, size, count, what);
  free(wanted);
  free(got);
}

static void check_reduce_of(const by_key_case *c, const head_table table, size_t count) {
  char what[128];
  (void)snprintf(what, sizeof what, "reduce by key of %zu %s by %s", count, value_of(c).name,
                 key_of(c).name);
  scene s;
  open_scene(&s, c, table, PLAIN, count);
  unsigned char *unique = malloc(s.runs * key_of(c).size);
  for (size_t r = 0; r < s.runs; ++r) {
    const size_t begin = s.begins[r], end = s.begins[r + 1];
    memcpy(unique + r * key_of(c).size, s.keys_host + (end - 1) * key_of(c).size, key_of(c).size);
    put_span(value_of(c), s.wanted, r,
             (span){place_of(PLAIN, begin, begin, r), place_of(PLAIN, begin, end, r), (uint32_t)r});
  }
  check_reduce_by_key((jig_reduce_by_key_args){.keys_in = s.keys_in,
                                               .unique_out = jig_pointer(NULL, key_of(c)),
                                               .values_in = s.in,
                                               .aggregates_out = jig_pointer(NULL, value_of(c)),
                                               .num_items = count,
                                               .op = watched(span_fold, &s.w),
                                               .equality = watched(span_equality, &s.w)},
                      unique, s.wanted, s.runs, 0, what);
  close_scene(&s, what);
  free(unique);
}

static scan_marks marks_of_case(const by_key_case *c) {
  const watch w = {0};
  const jig_iter stored = jig_pointer(NULL, value_of(c)),
                 in = c->transformed
                          ? jig_iter_transform(&stored, watched(span_identity, &w), value_of(c))
                          : stored,
                 keys = jig_pointer(NULL, key_of(c));
  char *text = NULL;
  OK(jig_reduce_by_key_spec(&(jig_reduce_by_key_args){.keys_in = keys,
                                                      .unique_out = keys,
                                                      .values_in = in,
                                                      .aggregates_out = stored,
                                                      .num_runs_out = jig_pointer(NULL, JIG_U64),
                                                      .op = watched(span_fold, &w),
                                                      .equality = watched(span_equality, &w)},
                            &text));
  return chain_marks_of(text, value_of(c).size + 8);
}

/* In a loop over sizes each one has the next of these averages. */
static const size_t averages[] = {3, 40, 0, 1, 2000};

/* Few vectors, what is around the marks, and, if asked for, tiles of more than a group. */
static size_t sizes_of(const scan_marks *m, bool many_tiles, size_t sizes[64]) {
  const size_t warp = 32 * m->vector;
  const size_t some[] = {warp - 1,
                         warp,
                         warp + 1,
                         2 * warp + 3,
                         m->row - 1,
                         m->row,
                         m->row + 1,
                         m->alone,
                         m->alone + 1,
                         m->single_wave,
                         m->single_wave + m->vector,
                         m->single_wave + m->tile + 1};
  size_t count = 0;
  while (count < SMALL_SIZES) {
    sizes[count] = count + 1;
    ++count;
  }
  for (size_t i = 0; i < COUNT_OF(some); ++i) sizes[count++] = some[i];
  /* The last tile whole, and an item more or less. */
  const size_t whole = (m->single_wave / m->tile + 2) * m->tile;
  for (size_t i = 0; i < 3; ++i) sizes[count++] = whole + i - 1;
  if (many_tiles) sizes[count++] = m->single_wave + m->group + 3 * m->tile + m->tile / 2 + 1;
  return count;
}

/* The tables of each average are made once. */
static uint8_t (*tables)[PLACES];

static void open_tables(void) {
  tables = malloc(sizeof(head_table) * COUNT_OF(averages));
  for (size_t i = 0; i < COUNT_OF(averages); ++i) fill_heads(tables[i], averages[i]);
}
static void close_tables(void) {
  free(tables);
}

static void check_case(const by_key_case *c, bool many_tiles) {
  size_t sizes[64];
  const scan_marks m = marks_of_case(c);
  const size_t count = sizes_of(&m, many_tiles, sizes);
  for (size_t i = 0; i < count; ++i) {
    check_scan_of(c, tables[i % COUNT_OF(averages)], sizes[i]);
    check_reduce_of(c, tables[(i + 1) % COUNT_OF(averages)], sizes[i]);
  }
}

/* Keys and values of 4 and 8 bytes, of which bulk copies may bring large inputs to shared memory. */
START_TEST(items_of_one_vector) {
  static const by_key_case cases[] = {{SPAN_4, SPAN_4, false, 0, PLAIN},
                                      {SPAN_8, SPAN_8, false, 0, EXCLUSIVE},
                                      {SPAN_4, SPAN_8, false, 0, WITH_INIT},
                                      {SPAN_8, SPAN_4, false, 1, PLAIN}};
  open_tables();
  for (size_t i = 0; i < COUNT_OF(cases); ++i)
    if (test_turn(i)) check_case(&cases[i], i < 2);
  close_tables();
}
END_TEST

START_TEST(items_of_other_sizes) {
  static const by_key_case cases[] = {
      {SPAN_1, SPAN_2, false, 0, PLAIN},      {SPAN_2, SPAN_1, false, 1, PLAIN},
      {SPAN_8, SPAN_12, false, 0, EXCLUSIVE}, {SPAN_12, SPAN_16, false, 0, WITH_INIT},
      {SPAN_16, SPAN_40, false, 0, PLAIN},    {SPAN_40, SPAN_4, true, 0, EXCLUSIVE}};
  open_tables();
  for (size_t i = 0; i < COUNT_OF(cases); ++i)
    if (test_turn(i)) check_case(&cases[i], i == 3);
  close_tables();
}
END_TEST

/* ---- items alone */

/* Compares, and frees what is on the device. */
static void check_output(void *device, const void *wanted, size_t size, size_t count, const char *what) {
  void *got = malloc(size * count + 1);
  gpu_read(got, device, size * count);
  check_items(got, wanted, size, count, what);
  gpu_free(device);
  free(got);
}

#define RUN(call, args)                           \
  do {                                            \
    size_t bytes = 0;                             \
    OK(call(NULL, NULL, &bytes, &args, NULL));    \
    void *storage = gpu_alloc(bytes, 0);          \
    OK(call(NULL, storage, &bytes, &args, NULL)); \
    GPU(gpu()->cuStreamSynchronize(NULL));        \
    gpu_free(storage);                            \
  } while (0)

static void check_long_runs_of(scene *s, jig_op equality, const uint64_t *begins, const uint64_t *lengths,
                               uint64_t runs, const char *what) {
  void *out = gpu_alloc(runs * 8, 0), *counts = gpu_alloc(runs * 8, 0), *found = gpu_alloc(8, 0);
  const jig_non_trivial_runs_args args = {.in = s->keys_in,
                                          .offsets_out = jig_pointer(out, JIG_U64),
                                          .lengths_out = jig_pointer(counts, JIG_U64),
                                          .num_runs_out = jig_pointer(found, JIG_U64),
                                          .num_items = s->count,
                                          .equality = equality};
  RUN(jig_non_trivial_runs, args);
  check_output(found, &runs, 8, 1, what);
  check_output(out, begins, 8, runs, what);
  check_output(counts, lengths, 8, runs, what);
}

static void check_unique_of(scene *s, jig_type type, jig_op equality, const void *firsts,
                            const char *what) {
  void *out = gpu_alloc(s->runs * type.size, 0), *found = gpu_alloc(8, 0);
  const uint64_t runs = s->runs;
  const jig_unique_args args = {.in = s->keys_in,
                                .out = jig_pointer(out, type),
                                .num_selected_out = jig_pointer(found, JIG_U64),
                                .num_items = s->count,
                                .equality = equality};
  RUN(jig_unique, args);
  check_output(found, &runs, 8, 1, what);
  check_output(out, firsts, type.size, runs, what);
}

/* Run-length encoding, and the runs of two and more, or unique. */
static void check_runs_of(int type_index, const head_table table, size_t count) {
  const jig_type type = span_types[type_index];
  char what[128];
  (void)snprintf(what, sizeof what, "runs of %zu %s", count, type.name);
  const by_key_case c = {type_index, type_index, false, count % 3 == 1, PLAIN};
  scene s;
  open_scene(&s, &c, table, PLAIN, count);
  unsigned char *firsts = malloc(s.runs * type.size);
  uint64_t *lengths = malloc(s.runs * 8), *long_begins = malloc(s.runs * 8),
           *long_lengths = malloc(s.runs * 8);
  uint64_t long_runs = 0, runs = s.runs;
  for (size_t r = 0; r < s.runs; ++r) {
    memcpy(firsts + r * type.size, s.keys_host + s.begins[r] * type.size, type.size);
    lengths[r] = s.begins[r + 1] - s.begins[r];
    if (lengths[r] == 1) continue;
    long_begins[long_runs] = s.begins[r];
    long_lengths[long_runs++] = lengths[r];
  }
  const jig_op equality = watched(span_equality, &s.w);
  void *out = gpu_alloc(s.runs * type.size, 0), *counts = gpu_alloc(s.runs * 8, 0),
       *found = gpu_alloc(8, 0);
  const jig_run_length_encode_args encode = {.in = s.keys_in,
                                             .unique_out = jig_pointer(out, type),
                                             .lengths_out = jig_pointer(counts, JIG_U64),
                                             .num_runs_out = jig_pointer(found, JIG_U64),
                                             .num_items = count,
                                             .equality = equality};
  RUN(jig_run_length_encode, encode);
  check_output(found, &runs, 8, 1, what);
  check_output(out, firsts, type.size, s.runs, what);
  check_output(counts, lengths, 8, s.runs, what);

  if (test_turn((unsigned)type_index))
    check_long_runs_of(&s, equality, long_begins, long_lengths, long_runs, what);
  else
    check_unique_of(&s, type, equality, firsts, what);
  close_scene(&s, what);
  free(firsts);
  free(lengths);
  free(long_begins);
  free(long_lengths);
}

START_TEST(items_alone) {
  open_tables();
  for (int type = 0; type < SPAN_TYPES; ++type) {
    const watch w = {0};
    const jig_iter in = jig_pointer(NULL, span_types[type]), number = jig_pointer(NULL, JIG_U64);
    char *encode = NULL, *unique = NULL;
    OK(jig_run_length_encode_spec(&(jig_run_length_encode_args){.in = in,
                                                                .unique_out = in,
                                                                .lengths_out = number,
                                                                .num_runs_out = number,
                                                                .equality = watched(span_equality, &w)},
                                  &encode));
    OK(jig_unique_spec(
        &(jig_unique_args){
            .in = in, .out = in, .num_selected_out = number, .equality = watched(span_equality, &w)},
        &unique));
    const scan_marks marks[] = {chain_marks_of(encode, 16), select_marks_of(unique)};
    for (size_t k = 0; k < COUNT_OF(marks); ++k) {
      size_t sizes[64];
      const size_t count = sizes_of(&marks[k], type == SPAN_4 && k == 0, sizes);
      for (size_t i = k * SMALL_SIZES; i < count; ++i)
        check_runs_of(type, tables[i % COUNT_OF(averages)], sizes[i]);
    }
  }
  close_tables();
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(items_of_one_vector),
      SUITE_TEST(items_of_other_sizes),
      SUITE_TEST(items_alone),
  };
  return SUITE_RUN("device/operand_domain_runs", tests, true);
}
