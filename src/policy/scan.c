/* How scan is tuned.
 *
 * Two kernels: one whose blocks are all resident at once, for small inputs, and one with a block for each
 * tile, or a pipeline in its place. A row of a tile is a vector (whole 16-byte words) for each lane of
 * a warp; rows stay in registers from load to store. What large inputs need is few, large tiles, as each
 * has to find out what comes before it; on an H200 the best hold 64 to 96 KiB and leave room for two
 * blocks a multiprocessor. Small inputs need many small ones: how many of its rows a launch uses is up to
 * the launch. Other GPUs: not measured. */
#include "policy/scan.h"

typedef struct row {
  size_t max_vector_bytes; /* fits vectors up to this size, as accumulators and as they are loaded */
  size_t max_accum_bytes;  /* fits accumulators up to this size */
  chain_tuning single_wave, lookback;
} row;

enum { ANY = 1 << 30, MAX_VECTOR_BYTES = 16 };

/* clang-format off */
static const row table[] = {
    /* vec. accum  single wave   lookback */
    {   16,    4,  {256, 8, 4},  {512,  8, 2}},
    {   16,    8,  {256, 8, 3},  {512,  8, 2}},
    {   16,   16,  {256, 4, 3},  {256,  8, 2}},
    {   32,    8,  {256, 4, 3},  {512,  8, 2}},  /* narrow items, wide accumulators */
    {  ANY,    8,  {256, 4, 3},  {512,  6, 2}},
    {  ANY,   16,  {256, 2, 2},  {256,  4, 2}},
    {   64,   32,  {256, 2, 2},  {256,  4, 2}},
    {  ANY,   64,  {128, 1, 2},  {128,  2, 2}},
    {  ANY,  ANY,  {128, 1, 1},  {128,  1, 1}},
};
/* clang-format on */

/* What a lane takes at once. Of items in memory as much as the wider of in and out has in 16 bytes, so
 * that neighbours store next to each other; but no less than 4 bytes of the input. */
static int vector_items_of(const spec *s) {
  const jig_iter *from = spec_find(s, "in")->iter;
  const uint32_t in = from->type.size, out = spec_find(s, "out")->iter->type.size;
  const uint32_t least = in < 4 ? 4 / in : 1, wanted = MAX_VECTOR_BYTES / (in > out ? in : out);
  const int natural = (int)iter_vector_items(from);
  if (from->kind != JIG_ITER_POINTER || MAX_VECTOR_BYTES % in != 0 || out <= in) return natural;
  return (int)(wanted > least ? wanted : least);
}

static const row *find_row(const spec *s) {
  const jig_iter *in = spec_find(s, "in")->iter;
  const size_t accum = spec_find(s, "accum")->type->size;
  const size_t item = in->type.size > accum ? in->type.size : accum;
  const size_t vector = (size_t)vector_items_of(s) * item;
  const row *r = table;
  while (vector > r->max_vector_bytes || accum > r->max_accum_bytes) ++r;
  return r;
}

static policy make_policy(const spec *s, chain_tuning to, int cluster) {
  return scan_tuning_pack((scan_tuning){.threads = to.threads,
                                        .rows = to.rows,
                                        .min_blocks = to.min_blocks,
                                        .vector_items = vector_items_of(s),
                                        .cluster = cluster});
}

/* ---- the pipeline, from SM 90
 *
 * A tile has a warp tile for each emitter, in rows as above, and a stage holds a tile. On an H200 stages
 * of 40 KiB are best, but for what takes long to compute: fewer tiles take fewer steps. Of 8-byte items,
 * of which a few million are few tiles, smaller ones leave no multiprocessor with one more than others
 * for as long: on an H100 3,000,017 f64 take 21.5 us instead of 22.2. */

typedef struct pipeline_row {
  int max_vector_items, max_accum_bytes;
  int reducers, emitters, stages, stage_kibibytes;
} pipeline_row;

/* clang-format off */
static const pipeline_row pipeline_table[] = {
    {  2,   8, 8, 16, 6, 32},
    {  8,   8, 8, 16, 5, 40},
    {  8,  16, 8, 16, 4, 48},
    {ANY, ANY, 6, 12, 5, 36}, /* long vectors take more registers */
};
/* clang-format on */

enum { PIPELINE_OTHER_BYTES = 8 * 1024, PIPELINE_MAX_STATE_BYTES = 16 };

bool scan_pipeline_fits(const spec *s, int sm) {
  return pipeline_can_copy_vectors(spec_find(s, "in")->iter, sm) &&
         spec_find(s, "accum")->type->size <= PIPELINE_MAX_STATE_BYTES;
}

static pipeline_row find_pipeline_row(const spec *s, int sm) {
  const int vector_items = vector_items_of(s), accum = (int)spec_find(s, "accum")->type->size;
  const pipeline_row *r = pipeline_table;
  /* For SM 100 conversions take more registers than for SM 90. */
  const bool converts = sm >= 100 && (int)spec_find(s, "in")->iter->type.size < accum;
  while (vector_items > r->max_vector_items || accum > r->max_accum_bytes ||
         (converts && r->emitters > 12))
    ++r;
  return *r;
}

static policy choose_pipeline(const spec *s, int sm, tuning_told *told) {
  const int vector_items = vector_items_of(s);
  const int vector_bytes = vector_items * (int)spec_find(s, "in")->iter->type.size;
  pipeline_row r = find_pipeline_row(s, sm);
  tuning_take(told, &scan_pipeline_space, &r);
  const int stage_bytes = r.stage_kibibytes * 1024;
  return pipeline_tuning_pack(
      (pipeline_tuning){.threads = (r.reducers + r.emitters + CHAIN_OTHER_WARPS) * 32,
                        .rows = stage_bytes / (r.emitters * 32 * vector_bytes),
                        .min_blocks = 1,
                        .vector_items = vector_items,
                        .stages = r.stages,
                        .shared_bytes = r.stages * stage_bytes + PIPELINE_OTHER_BYTES,
                        .reducers = r.reducers});
}

const policy_space scan_pipeline_space = {
    .choose = choose_pipeline,
    .knobs = {PIPELINE_KNOBS(pipeline_row),
              KNOB(pipeline_row, stage_kibibytes, 16, 20, 24, 28, 32, 36, 40, 44, 48, 56, 64)},
    .allows = pipeline_allows};

/* ---- everywhere */

static policy choose_single_wave(const spec *s, int sm, tuning_told *told) {
  chain_tuning to = find_row(s)->single_wave;
  (void)sm;
  tuning_take(told, &scan_single_wave_space, &to);
  return make_policy(s, to, 1);
}

const policy_space scan_single_wave_space = {.choose = choose_single_wave,
                                             .knobs = {SINGLE_WAVE_KNOBS(chain_tuning)}};

static policy choose_cluster(const spec *s, int sm, tuning_told *told) {
  const size_t accum = spec_find(s, "accum")->type->size;
  chain_tuning to = find_row(s)->single_wave;
  to.rows = chain_cluster_rows(to.rows, accum);
  tuning_take(told, &scan_cluster_space, &to);
  return make_policy(s, to, spec_is_gpu_to_gpu(s) ? 1 : chain_cluster(sm, accum));
}

const policy_space scan_cluster_space = {.choose = choose_cluster,
                                         .knobs = {CLUSTER_KNOBS(chain_tuning)}};

static policy choose_lookback(const spec *s, int sm, tuning_told *told) {
  chain_tuning to = find_row(s)->lookback;
  (void)sm;
  tuning_take(told, &scan_lookback_space, &to);
  return make_policy(s, to, 1);
}

const policy_space scan_lookback_space = {.choose = choose_lookback,
                                          .knobs = {LOOKBACK_KNOBS(chain_tuning)}};
