/* How reduce and arg-reduce are tuned.
 *
 * A vector is what a thread loads at once: whole 16-byte words of items. What counts is bytes in
 * flight, threads x blocks x unroll x 16 a multiprocessor, against its share of the memory's bandwidth
 * times the latency. On SM 90 64 KiB read at the full rate of an H200 (4.5 TB/s); more blocks or longer
 * unrolling gave nothing, and two blocks of 512 threads were better than four of 256. The parts with
 * slower memory need half of that (by that arithmetic; not measured). Larger vectors are unrolled less,
 * larger accumulators get smaller blocks. Architectures differ in nothing but unrolling: threads, vectors
 * of a lane and blocks decide how a fold is associated (policy.h). An operator that keeps its operands in
 * order was fastest on SM 90 when a lane holds 48 to 64 bytes of neighbours. */
#include "policy/reduce.h"

typedef struct row {
  int min_sm;
  size_t max_vector_bytes; /* fits vectors up to this size */
  size_t max_accum_bytes;  /* fits accumulators up to this size */
  reduce_tuning tuning;
} row;

enum { ANY = 1 << 30 };

/* clang-format off */
static const row table[] = {
    /* SM  vec. accum   thr unr vec blk */
    { 75,   16,    8, {512, 2, 4, 2}},  /* GDDR6, 1024 threads a multiprocessor */
    { 75,   16,   16, {512, 2, 3, 2}},
    { 75,   16,   32, {512, 2, 2, 2}},
    { 75,   32,   16, {512, 1, 2, 2}},
    { 75,   32,   32, {256, 2, 2, 2}},
    { 75,   64,   64, {256, 1, 1, 2}},
    { 75,  ANY,  ANY, {128, 1, 1, 2}},
    { 80,   16,    8, {512, 4, 4, 2}},  /* HBM2e, 2048 threads */
    { 80,   16,   16, {512, 4, 3, 2}},
    { 80,   16,   32, {512, 4, 2, 2}},
    { 80,   32,   16, {512, 2, 2, 2}},
    { 80,   32,   32, {256, 4, 2, 2}},
    { 80,   64,   64, {256, 1, 1, 2}},
    { 80,  ANY,  ANY, {128, 1, 1, 2}},
    { 86,   16,    8, {512, 2, 4, 2}},  /* GDDR6, 1536 threads; SM 89 too */
    { 86,   16,   16, {512, 2, 3, 2}},
    { 86,   16,   32, {512, 2, 2, 2}},
    { 86,   32,   16, {512, 1, 2, 2}},
    { 86,   32,   32, {256, 2, 2, 2}},
    { 86,   64,   64, {256, 1, 1, 2}},
    { 86,  ANY,  ANY, {128, 1, 1, 2}},
    { 90,   16,    8, {512, 4, 4, 2}},  /* HBM3, 2048 threads; SM 100 too */
    { 90,   16,   16, {512, 4, 3, 2}},
    { 90,   16,   32, {512, 4, 2, 2}},
    { 90,   32,   16, {512, 2, 2, 2}},
    { 90,   32,   32, {256, 4, 2, 2}},
    { 90,   64,   64, {256, 1, 1, 2}},
    { 90,  ANY,  ANY, {128, 1, 1, 2}},
    {120,   16,    8, {512, 2, 4, 2}},  /* GDDR7, 1536 threads */
    {120,   16,   16, {512, 2, 3, 2}},
    {120,   16,   32, {512, 2, 2, 2}},
    {120,   32,   16, {512, 1, 2, 2}},
    {120,   32,   32, {256, 2, 2, 2}},
    {120,   64,   64, {256, 1, 1, 2}},
    {120,  ANY,  ANY, {128, 1, 1, 2}},
};
/* clang-format on */

/* What an item takes while it waits: as it was loaded, before any transform. */
static size_t item_bytes(const jig_iter *in) {
  const jig_iter *source = iter_source(in);
  size_t item = 0;
  if (source->kind == JIG_ITER_ZIP_TRANSFORM) {
    for (unsigned k = 0; k < iter_base_count(source); ++k) item += item_bytes(iter_base_at(source, k));
    return item;
  }
  item = source->type.size;
  /* What is not loaded is made of a 64-bit index, which takes registers, too; what is loaded item by item
   * has an address for each. */
  if (source->kind != JIG_ITER_POINTER && item < sizeof(uint64_t)) item = sizeof(uint64_t);
  if (iter_loads_each(source) && source->type.size >= sizeof(uint64_t)) item += sizeof(uint64_t);
  return item;
}

policy reduce_policy_for(const jig_iter *in, size_t accum_bytes, int sm) {
  const size_t vector = iter_vector_items(in) * item_bytes(in);
  const row *best = NULL;
  for (const row *r = table; r < table + sizeof table / sizeof table[0]; ++r) {
    bool fits = r->min_sm <= sm && vector <= r->max_vector_bytes && accum_bytes <= r->max_accum_bytes;
    if (fits && (best == NULL || r->min_sm > best->min_sm)) best = r;
  }
  return reduce_tuning_pack(best->tuning);
}

/* An item and its index. Of bytes a vector has so many of both that registers spilled on SM 120. Of items
 * of 16 bytes on an H100 2^14 take 1.44 times as long by 512 threads, 2^20 1.39 times, 2^26 0.97 times.
 */
static policy arg_reduce_policy(const jig_iter *in, int sm) {
  const policy found = reduce_policy_for(in, in->type.size + sizeof(int64_t), sm);
  reduce_tuning to = reduce_tuning_of(&found);
  if (sm >= 120 && in->type.size == 1) to = (reduce_tuning){256, 1, to.lane_vectors, to.min_blocks};
  if (in->type.size == 16) to.threads = 256;
  return reduce_tuning_pack(to);
}

/* Structs of 12 to 64 bytes have vectors of 33 to 64: one of each thread was too little under way. Those
 * that are not whole 16-byte words are unrolled half as much as is said (agent/reduce/reduce.cuh). */
static int unroll_of_structs(const jig_iter *in, int otherwise) {
  const size_t vector = iter_vector_items(in) * in->type.size;
  if (in->kind != JIG_ITER_POINTER || vector <= 32 || vector > 64) return otherwise;
  return vector % 16 == 0 ? 2 : 4;
}

/* Bytes that are loaded one by one, two vectors of them at a time, spilled registers on SM 100. */
static policy fold_policy(const jig_iter *in, size_t accum_bytes, int sm) {
  const jig_iter *source = iter_source(in);
  const policy found = reduce_policy_for(in, accum_bytes, sm);
  reduce_tuning to = reduce_tuning_of(&found);
  if (sm >= 90 && accum_bytes <= in->type.size) to.unroll = unroll_of_structs(in, to.unroll);
  if (sm >= 100 && source->kind == JIG_ITER_STRIDED && source->type.size == 1) to.unroll = 1;
  return reduce_tuning_pack(to);
}

static policy choose(const spec *s, int sm, tuning_told *told) {
  const jig_iter *in = spec_find(s, "in")->iter;
  const spec_slot *accum = spec_find(s, "accum"); /* arg-reduce has none */
  const policy found = accum != NULL ? fold_policy(in, accum->type->size, sm) : arg_reduce_policy(in, sm);
  reduce_tuning to = reduce_tuning_of(&found);
  tuning_take(told, &reduce_space, &to);
  return reduce_tuning_pack(to);
}

const policy_space reduce_space = {.choose = choose, .knobs = {REDUCE_KNOBS(reduce_tuning)}};
