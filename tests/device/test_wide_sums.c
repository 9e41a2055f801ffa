/* Sums and products into outputs that are wider than the items do not wrap, in any algorithm that folds:
 * prefix sums of u32 into u64 and the like, by themselves, by key, in segments, and reduced. */
#include <jig/jig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "by_key_support.h"
#include "gpu.h"
#include "numbers.h"
#include "reduce_support.h"
#include "seed.h"
#include "suite.h"

typedef struct widening {
  jig_type_kind in, out;
  jig_op_kind op;
  jig_type_kind key;
} widening;

/* Items, the same converted to the output's type, and the keys and segments that they are in. */
typedef struct scene {
  jig_type in, out;
  jig_op op;
  scan_model model;
  size_t count, segments;
  char *wide, *wanted;
  void *items;
  key_list keys;
  void *d_keys, *d_items, *d_begins, *d_ends;
  uint32_t init;
} scene;

static void multiply_u64(void *fold, const void *item) {
  *(uint64_t *)fold *= *(const uint64_t *)item;
}

/* Numbers that soon leave the narrow type, and whose folds stay exact in the wide one however many there
 * are: floating-point ones by turns of both signs; odd ones for products, since others would soon come to
 * 0. */
static void fill(scene *s) {
  fill_random(s->in.kind, s->items, s->count, 77);
  for (size_t i = 0; i < s->count; ++i) {
    if (is_floating(s->in.kind)) {
      const double number = (double)(1 + i % 7) * (i / 4096 % 2 == 0 ? 1 : -1);
      put_float(s->in.kind, s->items, i, number);
      put_float(s->out.kind, s->wide, i, number);
      continue;
    }
    int128 item = get_integer(s->in.kind, s->items, i);
    if (s->op.kind == JIG_OP_MULTIPLIES) item |= 1;
    put_integer(s->in.kind, s->items, i, item);
    item = get_integer(s->in.kind, s->items, i);
    if (is_floating(s->out.kind))
      put_float(s->out.kind, s->wide, i, (double)item);
    else
      put_integer(s->out.kind, s->wide, i, item);
  }
}

static void begin_segments(scene *s) {
  int64_t *offsets = malloc((s->count + 1) * sizeof *offsets);
  s->segments = 0;
  for (size_t i = 0; i < s->count; ++i)
    if (s->keys.heads[i]) offsets[s->segments++] = (int64_t)i;
  offsets[s->segments] = (int64_t)s->count;
  s->d_begins = gpu_copy(offsets, s->segments * 8, 0);
  s->d_ends = gpu_copy(offsets + 1, s->segments * 8, 0);
  free(offsets);
}

/* Items begin `offset` items off what vectors are aligned to, and keys one more. */
static scene new_scene(const widening *w, size_t count, size_t offset) {
  scene s = {.in = type_of(w->in), .out = type_of(w->out), .count = count, .init = 250};
  s.op.kind = w->op;
  s.model = w->op == JIG_OP_PLUS ? sum_model(s.out) : (scan_model){8, multiply_u64};
  s.items = malloc(count * s.in.size);
  s.wide = malloc(count * s.out.size);
  s.wanted = malloc(count * s.out.size);
  fill(&s);
  s.keys = new_keys(w->key, count, count % 2 == 0 ? 900 : 9);
  s.d_items = gpu_copy(s.items, count * s.in.size, offset * s.in.size);
  s.d_keys = gpu_copy(s.keys.keys, count * s.keys.type.size, (offset + offset / 2) * s.keys.type.size);
  begin_segments(&s);
  return s;
}

static void free_scene(scene *s) {
  gpu_free(s->d_items);
  gpu_free(s->d_keys);
  gpu_free(s->d_begins);
  gpu_free(s->d_ends);
  free_keys(&s->keys);
  free(s->items);
  free(s->wide);
  free(s->wanted);
}

static const char *told(const scene *s, const char *form) {
  static char text[160];
  (void)snprintf(text, sizeof text, "%s: %s of %zu %s into %s", form,
                 s->op.kind == JIG_OP_PLUS ? "sums" : "products", s->count, jig_type_name(&s->in),
                 jig_type_name(&s->out));
  return text;
}

/* ---- each form. An exclusive scan begins with 0 or 1; one with an init begins with a narrow one. */

/* The zero that a floating-point sum begins with has a sign, so that it is given one. */
static const uint32_t zero;
static const void *zero_of(const scene *s) {
  return is_floating(s->out.kind) ? &zero : NULL;
}

static void identity_of(const scene *s, char *init) {
  memset(init, 0, 16);
  if (s->op.kind != JIG_OP_MULTIPLIES) return;
  put_integer(s->out.kind, init, 0, 1);
}

static void check_scans(scene *s) {
  char init[16];
  jig_scan_args args = {.in = jig_pointer(s->d_items, s->in), .num_items = s->count, .op = s->op};
  scan_on_host(&s->model, JIG_SCAN_INCLUSIVE, NULL, s->wide, s->count, s->wanted);
  check_scan(args, s->out, 0, s->wanted, told(s, "inclusive"));
  identity_of(s, init);
  args.mode = JIG_SCAN_EXCLUSIVE;
  args.init = zero_of(s);
  args.init_type = JIG_U32;
  scan_on_host(&s->model, JIG_SCAN_EXCLUSIVE, init, s->wide, s->count, s->wanted);
  check_scan(args, s->out, 0, s->wanted, told(s, "exclusive"));
  if (is_floating(s->out.kind))
    put_float(s->out.kind, init, 0, s->init);
  else
    put_integer(s->out.kind, init, 0, s->init);
  args.init = &s->init;
  scan_on_host(&s->model, JIG_SCAN_EXCLUSIVE, init, s->wide, s->count, s->wanted);
  check_scan(args, s->out, 0, s->wanted, told(s, "exclusive from a u32"));
}

static void check_scans_by_key(scene *s) {
  char init[16];
  jig_scan_by_key_args args = {.keys_in = jig_pointer(s->d_keys, s->keys.type),
                               .values_in = jig_pointer(s->d_items, s->in),
                               .num_items = s->count,
                               .op = s->op};
  scan_runs_on_host(&s->model, JIG_SCAN_INCLUSIVE, NULL, s->keys.heads, s->wide, s->count, s->wanted);
  check_scan_by_key(args, s->out, 0, s->wanted, told(s, "inclusive by key"));
  identity_of(s, init);
  args.mode = JIG_SCAN_EXCLUSIVE;
  args.init = zero_of(s);
  args.init_type = JIG_U32;
  scan_runs_on_host(&s->model, JIG_SCAN_EXCLUSIVE, init, s->keys.heads, s->wide, s->count, s->wanted);
  check_scan_by_key(args, s->out, 0, s->wanted, told(s, "exclusive by key"));
}

static void check_segmented(scene *s, jig_scan_mode mode) {
  char init[16], *got = malloc(s->count * s->out.size);
  void *out = gpu_alloc(s->count * s->out.size, 0);
  const jig_segmented_scan_args args = {.in = jig_pointer(s->d_items, s->in),
                                        .out = jig_pointer(out, s->out),
                                        .begin_offsets = jig_pointer(s->d_begins, JIG_I64),
                                        .end_offsets = jig_pointer(s->d_ends, JIG_I64),
                                        .num_segments = s->segments,
                                        .op = s->op,
                                        .mode = mode,
                                        .init = mode == JIG_SCAN_EXCLUSIVE ? zero_of(s) : NULL,
                                        .init_type = JIG_U32};
  size_t bytes = 0;
  OK(jig_segmented_scan(NULL, NULL, &bytes, &args, NULL));
  void *temp = gpu_alloc(bytes, 0);
  OK(jig_segmented_scan(NULL, temp, &bytes, &args, NULL));
  GPU(gpu()->cuStreamSynchronize(NULL));
  gpu_read(got, out, s->count * s->out.size);
  identity_of(s, init);
  scan_runs_on_host(&s->model, mode, mode == JIG_SCAN_EXCLUSIVE ? init : NULL, s->keys.heads, s->wide,
                    s->count, s->wanted);
  check_items(got, s->wanted, s->out.size, s->count, told(s, "segmented"));
  gpu_free(temp);
  gpu_free(out);
  free(got);
}

static void check_runs(scene *s) {
  void *unique = keys_of_runs(&s->keys, true);
  const size_t runs = fold_runs_on_host(&s->model, s->keys.heads, s->wide, s->count, s->wanted);
  check_reduce_by_key((jig_reduce_by_key_args){.keys_in = jig_pointer(s->d_keys, s->keys.type),
                                               .unique_out = jig_pointer(NULL, s->keys.type),
                                               .values_in = jig_pointer(s->d_items, s->in),
                                               .aggregates_out = jig_pointer(NULL, s->out),
                                               .num_items = s->count,
                                               .op = s->op},
                      unique, s->wanted, runs, 0, told(s, "reduced by key"));
  free(unique);
}

static void check_reduces(scene *s) {
  char got[16], *const total = s->wanted + (s->count - 1) * s->out.size;
  jig_reduce_args args = {.in = jig_pointer(s->d_items, s->in), .num_items = s->count, .op = s->op};
  scan_on_host(&s->model, JIG_SCAN_INCLUSIVE, NULL, s->wide, s->count, s->wanted);
  reduce_to_host(args, s->out, got);
  check_items(got, total, s->out.size, 1, told(s, "reduced"));
  void *out = gpu_alloc(s->out.size, 0);
  args.out = jig_pointer(out, s->out);
  OK(jig_transform_reduce(NULL, NULL, NULL, &args, jig_op_source("return x;"), s->in, NULL));
  GPU(gpu()->cuStreamSynchronize(NULL));
  gpu_read(got, out, s->out.size);
  check_items(got, total, s->out.size, 1, told(s, "transformed and reduced"));
  gpu_free(out);
}

static void check_all(const widening *w, size_t count) {
  scene s = new_scene(w, count, 0);
  check_scans(&s);
  check_scans_by_key(&s);
  check_segmented(&s, JIG_SCAN_INCLUSIVE);
  check_segmented(&s, JIG_SCAN_EXCLUSIVE);
  check_runs(&s);
  check_reduces(&s);
  free_scene(&s);
}

/* Beyond what a single wave of blocks takes, and less. */
static void check_sizes(const widening *w) {
  const jig_scan_args args = {.in = jig_pointer(NULL, type_of(w->in)),
                              .out = jig_pointer(NULL, type_of(w->out))};
  const scan_marks marks = scan_marks_of(&args);
  check_all(w, 1);
  check_all(w, 5 * marks.row + 3);
  check_all(w, marks.single_wave + marks.tile + 7);
}

START_TEST(offsets_of_more_than_32_bits) {
  check_sizes(&(widening){JIG_KIND_U32, JIG_KIND_U64, JIG_OP_PLUS, JIG_KIND_I32});
  check_sizes(&(widening){JIG_KIND_I32, JIG_KIND_I64, JIG_OP_PLUS, JIG_KIND_I32});
}
END_TEST

START_TEST(small_items_into_long_outputs) {
  static const widening sums[] = {{JIG_KIND_I8, JIG_KIND_I64, JIG_OP_PLUS, JIG_KIND_I32},
                                  {JIG_KIND_U64, JIG_KIND_U128, JIG_OP_PLUS, JIG_KIND_I32}};
  static const widening products[] = {{JIG_KIND_U8, JIG_KIND_U64, JIG_OP_MULTIPLIES, JIG_KIND_I32},
                                      {JIG_KIND_I16, JIG_KIND_I64, JIG_OP_MULTIPLIES, JIG_KIND_I32}};
  check_sizes(&sums[test_turn(0)]);
  check_sizes(&products[test_turn(1)]);
}
END_TEST

/* Sums of halves past 2048, and of floats past 2^24, are not exact. */
START_TEST(halves_and_floats) {
  static const widening halves[] = {{JIG_KIND_F16, JIG_KIND_F32, JIG_OP_PLUS, JIG_KIND_I32},
                                    {JIG_KIND_BF16, JIG_KIND_F64, JIG_OP_PLUS, JIG_KIND_I32}};
  check_sizes(&halves[test_turn(0)]);
  check_all(&(widening){JIG_KIND_U32, JIG_KIND_F64, JIG_OP_PLUS, JIG_KIND_I32}, 100000);
}
END_TEST

/* On SM 90 pipelines serve what is beyond a single wave, with values that lie apart. */
START_TEST(by_key_at_every_boundary) {
  static const widening rows[] = {
      {JIG_KIND_U32, JIG_KIND_U64, JIG_OP_PLUS, JIG_KIND_I32},
      {JIG_KIND_F32, JIG_KIND_F64, JIG_OP_PLUS, JIG_KIND_U64},
  };
  for (size_t r = 0; r < COUNT_OF(rows); ++r) {
    const jig_iter keys = jig_pointer(NULL, type_of(rows[r].key)),
                   in = jig_pointer(NULL, type_of(rows[r].in)),
                   out = jig_pointer(NULL, type_of(rows[r].out));
    char *text = NULL;
    OK(jig_scan_by_key_spec(&(jig_scan_by_key_args){.keys_in = keys, .values_in = in, .values_out = out},
                            &text));
    const scan_marks m = chain_marks_of(text, 16);
    const size_t beyond = (m.single_wave / m.tile + 1) * m.tile;
    const size_t sizes[] = {m.alone + 1, m.single_wave, beyond - 1,
                            beyond,      beyond + 1,    beyond + m.tile / 3};
    for (size_t i = 0; i < COUNT_OF(sizes); ++i) {
      scene s = new_scene(&rows[r], sizes[i], i % 3);
      check_scans_by_key(&s);
      check_runs(&s);
      free_scene(&s);
    }
  }
}
END_TEST

int main(void) {
  static const suite_test tests[] = {
      SUITE_TEST(offsets_of_more_than_32_bits),
      SUITE_TEST(small_items_into_long_outputs),
      SUITE_TEST(halves_and_floats),
      SUITE_TEST(by_key_at_every_boundary),
  };
  return SUITE_RUN("device/wide_sums", tests, true);
}
