#include "scan_support.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "algorithm/selection.h"
#include "gpu.h"
#include "numbers.h"
#include "policy/scan.h"
#include "program_support.h"
#include "reduce_support.h"
#include "spec/canonical.h"

void run_scan(const jig_scan_args *args, size_t storage_offset) {
  size_t bytes = 0;
  OK(jig_scan(NULL, NULL, &bytes, args, NULL));
  ck_assert_uint_ge(bytes, 1);
  void *storage = gpu_alloc(bytes, storage_offset);
  OK(jig_scan(NULL, storage, &bytes, args, NULL));
  GPU(gpu()->cuStreamSynchronize(NULL));
  gpu_free(storage);
}

/* ---- sizes */

program scan_program(const jig_scan_args *args, int sm, int multiprocessors, chain_size *size) {
  char *text = NULL;
  parsed_spec parsed;
  OK(jig_scan_spec(args, &text));
  OK(spec_parse(text, algorithm_schema, &parsed));
  const program p = program_of(&parsed.s, sm, multiprocessors);
  *size = (chain_size){0, spec_find(&parsed.s, "accum")->type->size, .has_cluster = true};
  parsed_spec_free(&parsed);
  jig_free(text);
  return p;
}

static program scan_program_here(const jig_scan_args *args, chain_size *size) {
  int count;
  const device_info *dev = driver_devices(&count);
  return scan_program(args, dev->sm, dev->multiprocessors, size);
}

chain_plan scan_plan_for(const jig_scan_args *args, uint64_t num_items) {
  chain_size size;
  const program p = scan_program_here(args, &size);
  size.num_items = num_items;
  return chain_plan_of(&p, &size);
}

/* The most items of which `is` holds, given that it holds up to somewhere. */
static size_t most_items(const program *p, chain_size size, bool (*is)(const chain_plan *plan)) {
  uint64_t yes = 1, no = (uint64_t)1 << 40;
  while (no - yes > 1) {
    size.num_items = yes + (no - yes) / 2;
    const chain_plan plan = chain_plan_of(p, &size);
    *(is(&plan) ? &yes : &no) = size.num_items;
  }
  return yes;
}

static bool is_cluster(const chain_plan *plan) {
  return plan->form == CHAIN_IS_CLUSTER;
}

static bool is_single_wave(const chain_plan *plan) {
  return plan->form == CHAIN_IS_SINGLE_WAVE || is_cluster(plan);
}

static bool is_short_wave(const chain_plan *plan) {
  return plan->kernel == CHAIN_SINGLE_WAVE || is_cluster(plan);
}

static bool is_alone(const chain_plan *plan) {
  return is_single_wave(plan) && plan->shape.grid == 1;
}

/* A tile of a look-back or pipeline: the difference that one more of them makes. */
static size_t tile_items(const program *p, chain_size size) {
  size_t begin = 0, end = (size_t)1 << 40;
  size.num_items = end;
  const uint64_t tiles = chain_plan_of(p, &size).tiles;
  while (end - begin > 1) {
    size.num_items = begin + (end - begin) / 2;
    *(chain_plan_of(p, &size).tiles < tiles ? &begin : &end) = size.num_items;
  }
  return begin / (tiles - 1);
}

static scan_marks marks_of(const program *p, chain_size size) {
  scan_marks m = {.vector = chain_vector_items(p, CHAIN_SINGLE_WAVE)};
  m.row = m.vector * policy_threads(&p->kernels[CHAIN_SINGLE_WAVE].tuning);
  m.alone = most_items(p, size, is_alone);
  m.cluster = size.has_cluster ? most_items(p, size, is_cluster) : m.alone;
  m.single_wave = most_items(p, size, is_single_wave);
  m.short_wave = most_items(p, size, is_short_wave);
  m.tile = tile_items(p, size);
  m.group = 32 * m.tile;
  return m;
}

scan_marks scan_marks_of(const jig_scan_args *args) {
  chain_size size;
  const program p = scan_program_here(args, &size);
  return marks_of(&p, size);
}

scan_marks chain_marks_of(char *spec_text, size_t state_bytes) {
  const program p = program_here(spec_text);
  return marks_of(&p,
                  (chain_size){0, state_bytes, .has_runs = true, .has_cluster = p.count > CHAIN_CLUSTER});
}

scan_marks selection_marks_of(char *spec_text) {
  const program p = program_here(spec_text);
  return marks_of(&p, (chain_size){0, sizeof(uint64_t), .has_cluster = true,
                                   .another = p.count > SELECTION_LONG_WAVE ? SELECTION_LONG_WAVE : 0});
}

static int compare_sizes(const void *a, const void *b) {
  const size_t x = *(const size_t *)a, y = *(const size_t *)b;
  return (x > y) - (x < y);
}

size_t scan_sizes(const scan_marks *m, size_t most, size_t sizes[SCAN_MAX_SIZES]) {
  const size_t warp = 32 * m->vector, tiles = m->single_wave / m->tile + 1,
               groups = m->single_wave / m->group + 1;
  const size_t marks[] = {2,
                          m->vector,
                          warp,
                          2 * warp,
                          m->row,
                          2 * m->row,
                          m->alone,
                          m->alone + m->row,
                          m->alone + 2 * m->row,
                          10 * m->row,
                          m->cluster,
                          m->single_wave,
                          m->short_wave,
                          tiles * m->tile,
                          (tiles + 1) * m->tile,
                          (tiles + 1) * m->tile + m->tile / 2, /* a last tile that ends between warps */
                          groups * m->group,
                          groups * m->group + m->tile,
                          (groups + 1) * m->group,
                          (groups + 2) * m->group};
  size_t count = 0;
  for (size_t i = 0; i < COUNT_OF(marks); ++i) {
    for (size_t size = marks[i] - 1; size <= marks[i] + 1; ++size)
      if (size <= most) sizes[count++] = size;
    if (marks[i] + m->vector + 3 <= most) sizes[count++] = marks[i] + m->vector + 3;
  }
  qsort(sizes, count, sizeof *sizes, compare_sizes);
  size_t kept = 0;
  for (size_t i = 0; i < count; ++i)
    if (kept == 0 || sizes[i] != sizes[kept - 1]) sizes[kept++] = sizes[i];
  return kept;
}

size_t scan_long_size(const scan_marks *m, size_t most) {
  const size_t groups = 3 * m->group, begin = m->single_wave > groups ? m->single_wave : groups;
  const size_t size = begin + 5 * m->tile + m->tile / 3 + m->vector / 2 + 1;
  return size < most ? size : most;
}

/* ---- the host's side */

void compose_pair(void *fold, const void *item) {
  uint32_t *x = fold;
  const uint32_t *y = item;
  x[1] = x[1] * y[0] + y[1];
  x[0] *= y[0];
}

void compose_line(void *fold, const void *item) {
  uint32_t *x = fold;
  const uint32_t *y = item;
  compose_pair(fold, item);
  for (int i = 2; i < 16; ++i) x[i] += y[i];
}

void scan_on_host(const scan_model *model, jig_scan_mode mode, const void *init, const void *in,
                  size_t count, void *out) {
  const size_t size = model->size;
  const char *item = in;
  char *to = out;
  _Alignas(16) char fold[256];
  bool exists = init != NULL;
  if (exists) memcpy(fold, init, size);
  for (size_t i = 0; i < count; ++i, item += size, to += size) {
    if (mode == JIG_SCAN_EXCLUSIVE) memcpy(to, fold, size);
    if (exists)
      model->apply(fold, item);
    else
      memcpy(fold, item, size);
    exists = true;
    if (mode == JIG_SCAN_INCLUSIVE) memcpy(to, fold, size);
  }
}

void check_items(const void *got, const void *wanted, size_t size, size_t count, const char *what) {
  const char *g = got, *w = wanted;
  if (memcmp(g, w, size * count) == 0) return;
  size_t i = 0, wrong = 0;
  while (memcmp(g + i * size, w + i * size, size) == 0) ++i;
  for (size_t k = i; k < count; ++k) wrong += memcmp(g + k * size, w + k * size, size) != 0;
  ck_abort_msg("%s: item %zu of %zu is %s, not %s; %zu are wrong", what, i, count,
               bits_of(g + i * size, size), bits_of(w + i * size, size), wrong);
}

void check_scan(jig_scan_args args, jig_type out_type, size_t out_offset, const void *wanted,
                const char *what) {
  const size_t bytes = (size_t)args.num_items * out_type.size;
  void *out = gpu_alloc(bytes, out_offset), *got = malloc(bytes + 1);
  args.out = jig_pointer(out, out_type);
  run_scan(&args, 0);
  gpu_read(got, out, bytes);
  check_items(got, wanted, out_type.size, (size_t)args.num_items, what);
  gpu_free(out);
  free(got);
}
