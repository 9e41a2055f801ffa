/* Algorithms by key with operators and types of the caller's: operators whose operands must keep their
 * order, structs as keys and values, what makes keys equal. */
#include <jig/jig.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "by_key_support.h"
#include "gpu.h"
#include "numbers.h"
#include "reduce_support.h"
#include "suite.h"

/* ---- order: x -> w[0] x + w[1], composed, and sums of the other words */

static void compose_bytes(void *fold, const void *item) {
  uint8_t *x = fold;
  const uint8_t *y = item;
  x[1] = (uint8_t)(x[1] * y[0] + y[1]);
  x[0] = (uint8_t)(x[0] * y[0]);
  x[2] = (uint8_t)(x[2] + y[2]);
}

typedef struct row {
  jig_type type;
  const char *body;
  scan_model model;
  jig_type_kind key;
  bool aligned, thoroughly;
} row;

static const row rows[] = {
    {{.kind = JIG_KIND_STRUCT,
      .size = 8,
      .align = 4,
      .name = "pair",
      .definition = "struct pair { uint32_t w[2]; };"},
     "return {a.w[0] * b.w[0], a.w[1] * b.w[0] + b.w[1]};",
     {8, compose_pair},
     JIG_KIND_I16,
     false,
     true},
    {{.kind = JIG_KIND_STRUCT,
      .size = 8,
      .align = 8,
      .name = "wide",
      .definition = "struct alignas(8) wide { uint32_t w[2]; };"},
     "return {a.w[0] * b.w[0], a.w[1] * b.w[0] + b.w[1]};",
     {8, compose_pair},
     JIG_KIND_I32,
     true,
     true},
    {{.kind = JIG_KIND_STRUCT,
      .size = 64,
      .align = 4,
      .name = "line",
      .definition = "struct line { uint32_t w[16]; };"},
     "line c;\nc.w[0] = a.w[0] * b.w[0];\nc.w[1] = a.w[1] * b.w[0] + b.w[1];\n"
     "for (int i = 2; i < 16; ++i) c.w[i] = a.w[i] + b.w[i];\nreturn c;",
     {64, compose_line},
     JIG_KIND_I16,
     false,
     false},
    {{.kind = JIG_KIND_STRUCT,
      .size = 3,
      .align = 1,
      .name = "triple",
      .definition = "struct triple { uint8_t w[3]; };"},
     "triple c;\nc.w[0] = a.w[0] * b.w[0];\nc.w[1] = a.w[1] * b.w[0] + b.w[1];\nc.w[2] = a.w[2] + "
     "b.w[2];\n"
     "return c;",
     {3, compose_bytes},
     JIG_KIND_I16,
     false,
     false},
};

static unsigned char *new_items(const row *r, size_t count) {
  unsigned char *items = malloc(count * r->type.size);
  fill_random(JIG_KIND_U8, items, count * r->type.size, 3 + count);
  /* An even factor would make, with a few others, all that came before it vanish. */
  for (size_t i = 0; i < count; ++i) items[i * r->type.size] |= 1;
  return items;
}

static void check_order(const row *r, size_t size, size_t average) {
  const size_t bytes = size * r->type.size;
  key_list list = new_keys(r->key, size, average);
  unsigned char *items = new_items(r, size), *wanted = malloc(bytes), init[64];
  memset(init, 5, sizeof init);
  void *keys = gpu_copy(list.keys, size * list.type.size, 0),
       *in = gpu_copy(items, bytes, r->aligned ? 0 : r->type.align);
  char what[128];
  (void)snprintf(what, sizeof what, "%zu of %s, runs of %zu", size, r->type.name, average);
  const int first_way = r->thoroughly ? 0 : 1, last_way = r->thoroughly ? 2 : 1;
  for (int way = first_way; way <= last_way; ++way) {
    const jig_scan_mode mode = way == 1 ? JIG_SCAN_EXCLUSIVE : JIG_SCAN_INCLUSIVE;
    scan_runs_on_host(&r->model, mode, way > 0 ? init : NULL, list.heads, items, size, wanted);
    check_scan_by_key((jig_scan_by_key_args){.keys_in = jig_pointer(keys, list.type),
                                             .values_in = jig_pointer(in, r->type),
                                             .num_items = size,
                                             .op = jig_op_source(r->body),
                                             .mode = mode,
                                             .init = way > 0 ? init : NULL,
                                             .init_type = r->type},
                      r->type, 0, wanted, what);
  }
  const size_t runs = fold_runs_on_host(&r->model, list.heads, items, size, wanted);
  void *unique = keys_of_runs(&list, true);
  check_reduce_by_key((jig_reduce_by_key_args){.keys_in = jig_pointer(keys, list.type),
                                               .unique_out = jig_pointer(NULL, list.type),
                                               .values_in = jig_pointer(in, r->type),
                                               .aggregates_out = jig_pointer(NULL, r->type),
                                               .num_items = size,
                                               .op = jig_op_source(r->body)},
                      unique, wanted, runs, 1, what);
  gpu_free(keys);
  gpu_free(in);
  free(unique);
  free(items);
  free(wanted);
  free_keys(&list);
}

START_TEST(operands_keep_their_order) {
  static const size_t averages[] = {1, 6, 300};
  for (size_t i = 0; i < COUNT_OF(rows); ++i) {
    char *text = NULL;
    const jig_scan_by_key_args args = {.keys_in = jig_pointer(NULL, type_of(rows[i].key)),
                                       .values_in = jig_pointer(NULL, rows[i].type),
                                       .values_out = jig_pointer(NULL, rows[i].type),
                                       .op = jig_op_source(rows[i].body)};
    OK(jig_scan_by_key_spec(&args, &text));
    const scan_marks m = chain_marks_of(text, rows[i].type.size + 4);
    const size_t sizes[] = {1, m.vector + 1, m.row + 1, 8 * m.row - 1, scan_long_size(&m, (size_t)-1)};
    const size_t count = COUNT_OF(sizes) - !rows[i].thoroughly; /* the last of them takes long */
    for (size_t k = 0; k < count; ++k) check_order(&rows[i], sizes[k], averages[k % 3]);
  }
}
END_TEST

/* ---- what makes keys equal */

/* Sums of ones by such keys are the places of items in their runs, counted from 1. The ones are in memory
 * if the keys are. */
static void check_runs(jig_iter keys, jig_op equality, const bool *heads, size_t count,
                       const char *what) {
  uint32_t *out = gpu_alloc(count * 4, 0), *num_runs = gpu_alloc(4, 0), *got = malloc(count * 4 + 4);
  uint32_t *wanted = malloc(count * 4), runs = 0;
  const uint32_t one = 1;
  for (size_t i = 0; i < count; ++i) got[i] = one;
  void *device_ones = gpu_copy(got, count * 4, 0);
  const jig_iter ones =
      keys.kind == JIG_ITER_POINTER ? jig_pointer(device_ones, JIG_U32) : jig_constant(&one, JIG_U32);
  for (size_t i = 0; i < count; ++i) {
    wanted[i] = heads[i] ? 1 : wanted[i - 1] + 1;
    runs += heads[i];
  }
  const jig_scan_by_key_args scan = {.keys_in = keys,
                                     .values_in = ones,
                                     .values_out = jig_pointer(out, JIG_U32),
                                     .num_items = count,
                                     .equality = equality};
  run_scan_by_key(&scan, 0);
  gpu_read(got, out, count * 4);
  check_items(got, wanted, 4, count, what);
  uint32_t last = 0;
  for (size_t i = 0; i < count; ++i)
    if (i + 1 == count || heads[i + 1]) wanted[last++] = wanted[i];
  for (int way = 0; way < 2; ++way) {
    const jig_reduce_by_key_args reduce = {.keys_in = keys,
                                           .unique_out = jig_discard(keys.type),
                                           .values_in = ones,
                                           .aggregates_out = jig_pointer(out, JIG_U32),
                                           .num_runs_out = jig_pointer(num_runs, JIG_I32),
                                           .num_items = count,
                                           .equality = equality};
    const jig_run_length_encode_args encode = {.in = keys,
                                               .unique_out = jig_discard(keys.type),
                                               .lengths_out = jig_pointer(out, JIG_U32),
                                               .num_runs_out = jig_pointer(num_runs, JIG_I32),
                                               .num_items = count,
                                               .equality = equality};
    if (way == 0) run_reduce_by_key(&reduce, 0);
    if (way == 1) OK(jig_run_length_encode(NULL, NULL, NULL, &encode, NULL));
    gpu_read(got + count, num_runs, 4);
    ck_assert_uint_eq(got[count], runs);
    gpu_read(got, out, runs * 4);
    check_items(got, wanted, 4, runs, what);
  }
  gpu_free(out);
  gpu_free(num_runs);
  gpu_free(device_ones);
  free(got);
  free(wanted);
}

START_TEST(equality_of_the_callers) {
  enum { COUNT = 5003 };
  static bool tens[COUNT], sevens[COUNT];
  const int32_t seven = 7;
  for (size_t i = 0; i < COUNT; ++i) {
    tens[i] = i % 10 == 0;
    sevens[i] = i % 7 == 0;
  }
  const jig_iter keys = jig_counting(NULL, JIG_I32);
  check_runs(keys, jig_op_source("return a / 10 == b / 10;"), tens, COUNT, "tens");
  check_runs(keys, jig_op_with_state(jig_op_source("return a / state == b / state;"), &seven, JIG_I32),
             sevens, COUNT, "sevens");
  /* A key and the one after it, in this order. */
  check_runs(keys, jig_op_source("return b == a + 1 && b % 10 != 0;"), tens, COUNT, "successors");
  const jig_iter by_ten = jig_iter_transform(&keys, jig_op_source("return short(x / 10);"), JIG_I16);
  check_runs(by_ten, (jig_op){.kind = JIG_OP_NONE}, tens, COUNT, "computed keys");
}
END_TEST

START_TEST(structs_as_keys) {
  enum { COUNT = 3001 };
  struct name {
    char bytes[12];
  } *names = calloc(COUNT, sizeof *names);
  static bool heads[COUNT];
  for (int i = 0; i < COUNT; ++i) {
    char text[32] = "";
    (void)snprintf(text, sizeof text, "key %d", i / 3);
    memcpy(names[i].bytes, text, sizeof names[i].bytes);
    heads[i] = i % 3 == 0;
  }
  const char *definition =
      "struct name {\n  char bytes[12];\n"
      "  __device__ bool operator == (const name &other) const {\n"
      "    for (int i = 0; i < 12; ++i) if (bytes[i] != other.bytes[i]) return false;\n"
      "    return true;\n  }\n};";
  const jig_type type = jig_struct("name", definition, 12, 1);
  void *device = gpu_copy(names, COUNT * sizeof *names, 0);
  check_runs(jig_pointer(device, type), (jig_op){.kind = JIG_OP_NONE}, heads, COUNT, "names");
  const jig_type plain = jig_struct("name", "struct name { char bytes[12]; };", 12, 1);
  check_runs(jig_pointer(device, plain),
             jig_op_source("return a.bytes[6] == b.bytes[6] && "
                           "a.bytes[5] == b.bytes[5] && a.bytes[4] == b.bytes[4] "
                           "&& a.bytes[7] == b.bytes[7];"),
             heads, COUNT, "names by four letters");
  gpu_free(device);
  free(names);
}
END_TEST

static void check_nans(size_t count) {
  float *keys = malloc(count * sizeof *keys);
  bool *heads = malloc(count * sizeof *heads);
  for (size_t i = 0; i < count; ++i) {
    keys[i] = i % 5 < 2 ? NAN : i % 5 == 2 ? -0.0F : 0.0F;
    heads[i] = i % 5 < 3;
  }
  void *device = gpu_copy(keys, count * sizeof *keys, 0);
  check_runs(jig_pointer(device, JIG_F32), (jig_op){.kind = JIG_OP_NONE}, heads, count, "NaNs");
  gpu_free(device);
  free(keys);
  free(heads);
}

/* Also where tiles end among them, at the input's end too. */
START_TEST(nans_are_runs_by_themselves) {
  char *text = NULL;
  const jig_scan_by_key_args args = {.keys_in = jig_pointer(NULL, JIG_F32),
                                     .values_in = jig_pointer(NULL, JIG_U32),
                                     .values_out = jig_pointer(NULL, JIG_U32)};
  OK(jig_scan_by_key_spec(&args, &text));
  const scan_marks m = chain_marks_of(text, 8);
  check_nans(700);
  check_nans((m.single_wave / m.tile + 2) * m.tile);
  check_nans(m.single_wave + 2 * m.tile + 1);
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(operands_keep_their_order),
      SUITE_TEST(equality_of_the_callers),
      SUITE_TEST(structs_as_keys),
      SUITE_TEST(nans_are_runs_by_themselves),
  };
  return SUITE_RUN("device/by_key_operators", tests, true);
}
