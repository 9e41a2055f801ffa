/* How a histogram is launched: few samples by the blocks of one cluster, which clear the counts
 * themselves; more of them by a block of each multiprocessor, behind a launch that clears the counts. */
#include "algorithm/histogram_plan.h"

#include "policy/histogram.h"
#include "spec/iterator.h"
#include "spec/type.h"
#include "util/integer.h"

/* Samples of one block by itself, and of a block of a cluster; more windows than MOST_WINDOWS take longer
 * than adding to the counts at once. */
enum {
  BLOCK_SAMPLES = 1 << 13,
  CLUSTER_BLOCKS = 8,
  CLUSTER_SAMPLES = 1 << 17,
  OLD_BLOCK_SAMPLES = 1 << 14,
  MOST_WINDOWS = 6,
  MOST_REPLICAS = 32,
  MOST_REPLICA_BYTES = 160 * 1024,
  BYTE_VALUES = 256,
  COUNTER_BYTES = 4,
  LEVEL_BYTES = 64 * 1024,
  CLUSTER_COUNTERS = 1 << 16,
  INIT_BLOCKS = 1024
};

bool histogram_converts(const jig_type *counter) {
  return counter->size != 4 && counter->size != 8;
}

uint32_t histogram_word_bytes(const jig_type *counter) {
  return counter->size <= 4 ? 4 : 8;
}

static void plan_rows(const jig_histogram_args *args, const histogram_types *types,
                      const histogram_tuning *tuning, histogram_call *call) {
  const jig_iter *in = &args->samples;
  const uint64_t items = (unsigned)tuning->items, size = in->type.size;
  call->num_row_pixels = args->num_row_pixels;
  call->num_row_pixels_in = args->num_row_pixels_in;
  call->row_samples = args->num_row_pixels * types->channels;
  call->row_stride = args->row_stride == 0 ? call->row_samples : args->row_stride;
  call->num_rows = call->row_samples == 0 ? 0 : args->num_rows;
  if (call->row_stride == call->row_samples && call->num_rows > 1) {
    call->row_samples *= call->num_rows;
    call->num_rows = 1;
  }
  const bool is_single = call->num_rows <= 1;
  call->vectorize = is_single || call->row_stride % items == 0;
  if (in->kind == JIG_ITER_POINTER) {
    const uintptr_t address = (uintptr_t)in->pointer;
    uint64_t head = 0;
    while (head < items && (address + head * size) % 16 != 0) head += types->channels;
    call->vectorize = head < items && (is_single || call->row_stride * size % 16 == 0);
    if (call->vectorize) call->head = (uint32_t)min_of(head, call->row_samples);
  }
  call->row_units = (call->row_samples - call->head) / items;
  call->num_units = call->row_units * call->num_rows;
}

/* A power of two: what a search tree of the levels between bins has room for. */
static uint64_t tree_levels(uint64_t bins) {
  uint64_t levels = 1;
  while (levels < bins) levels *= 2;
  return levels;
}

/* Bytes of shared memory that levels take, behind so many of counters; 0: they stay where they are. */
static uint32_t place_levels(const jig_histogram_args *args, const histogram_types *types,
                             histogram_call *call) {
  uint64_t bytes = 0;
  if (args->bins != JIG_HISTOGRAM_RANGE || args->samples.type.size == 1) return 0;
  for (unsigned c = 0; c < types->active; ++c) {
    call->channels[c].level_offset = (uint32_t)bytes;
    bytes += (tree_levels(args->num_bins[c]) + 1) * types->level.size;
    if (bytes > LEVEL_BYTES) return 0;
    bytes = align_up(bytes, 16);
  }
  return (uint32_t)bytes;
}

static void plan_counters(const jig_histogram_args *args, const histogram_types *types,
                          const histogram_tuning *tuning, histogram_call *call) {
  const bool is_byte = args->samples.type.size == 1;
  for (unsigned c = 0; c < types->active; ++c) {
    call->channels[c].bins = (uint32_t)args->num_bins[c];
    call->channels[c].counts = args->counts[c];
    call->channels[c].levels = args->levels[c];
    call->channels[c].first = call->counters;
    call->counters += is_byte ? BYTE_VALUES : (uint32_t)args->num_bins[c];
  }
  call->level_bytes = place_levels(args, types, call);
  const uint32_t room = ((uint32_t)tuning->shared_bytes - call->level_bytes) / COUNTER_BYTES;
  const uint64_t windows = ceil_div(call->counters, room);
  call->windows = windows <= MOST_WINDOWS ? (uint32_t)windows : 1;
  call->window = windows <= MOST_WINDOWS ? (uint32_t)ceil_div(call->counters, windows) : 0;
  call->replicas = 1;
}

/* More of them for more samples, as all have to be cleared and added up. */
static void plan_replicas(const histogram_tuning *tuning, uint64_t samples, uint64_t blocks,
                          histogram_call *call) {
  const uint64_t room = min_of(MOST_REPLICA_BYTES, (uint32_t)tuning->shared_bytes - call->level_bytes);
  if (call->window == 0) return;
  while (call->replicas < MOST_REPLICAS &&
         (uint64_t)call->window * call->replicas * 2 * COUNTER_BYTES <= room &&
         (uint64_t)call->window * call->replicas * 2 <= samples / blocks / 4)
    call->replicas *= 2;
}

/* Whether the blocks of one cluster do it; and how many. */
static unsigned cluster_blocks(const program *p, const histogram_call *call, uint64_t samples,
                               uint64_t all_bins) {
  const unsigned most = p->kernels[HISTOGRAM].max_cluster < CLUSTER_BLOCKS
                            ? p->kernels[HISTOGRAM].max_cluster
                            : CLUSTER_BLOCKS;
  unsigned blocks = 1;
  if (call->windows > 1 || all_bins > CLUSTER_COUNTERS) return 0;
  if (samples > (most < CLUSTER_BLOCKS ? OLD_BLOCK_SAMPLES : CLUSTER_SAMPLES)) return 0;
  while (blocks < most && (uint64_t)blocks * BLOCK_SAMPLES < samples) blocks *= 2;
  return blocks;
}

histogram_plan histogram_plan_of(const program *p, const jig_histogram_args *args,
                                 const histogram_types *types) {
  const histogram_tuning tuning = histogram_tuning_of(&p->kernels[HISTOGRAM].tuning);
  histogram_plan plan = {0};
  histogram_call *call = &plan.call;
  plan_rows(args, types, &tuning, call);
  plan_counters(args, types, &tuning, call);
  uint64_t all_bins = 0;
  for (unsigned c = 0; c < types->active; ++c) all_bins += args->num_bins[c];
  const uint64_t samples = call->row_samples * call->num_rows;
  const unsigned cluster = cluster_blocks(p, call, samples, all_bins);
  const uint64_t useful =
      ceil_div(max_of(max_of(call->num_units, call->num_rows), 1), (unsigned)tuning.threads);
  const uint64_t blocks = cluster > 0 ? cluster : min_of((unsigned)p->multiprocessors, useful);
  plan_replicas(&tuning, samples, blocks, call);
  call->is_cluster = cluster > 0;
  const uint32_t counter_bytes =
      (uint32_t)align_up((size_t)call->window * call->replicas * COUNTER_BYTES, 16);
  for (unsigned c = 0; c < types->active; ++c) call->channels[c].level_offset += counter_bytes;
  plan.count = (launch_shape){.grid = (unsigned)blocks * call->windows,
                              .pdl = cluster == 0,
                              .shared_bytes = counter_bytes + call->level_bytes,
                              .cluster = cluster};
  const launch_shape all = {.grid = (unsigned)min_of(ceil_div(all_bins, 256), INIT_BLOCKS), .pdl = true};
  if (cluster == 0) plan.init = all;
  if (histogram_converts(&types->counter)) plan.convert = all;
  return plan;
}
