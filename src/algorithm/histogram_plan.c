/* How a histogram is launched: by a block of each multiprocessor, or fewer for few samples, the first of
 * which clears the counts; behind a launch that does, if they are many. */
#include "algorithm/histogram_plan.h"

#include "algorithm/tile_state.h"
#include "policy/histogram.h"
#include "spec/iterator.h"
#include "spec/type.h"
#include "util/integer.h"

/* How the clearing of the counts is seen to, as jig::HistogramClearing says. */
enum { CLEARED, CLEARS, CLEARS_IN_CLUSTER };

/* More windows than MOST_WINDOWS take longer than adding to the counts at once. */
enum {
  LEAST_UNITS = 256,
  MOST_SMALL_BLOCKS = 16,
  WARP_THREADS = 32,
  MOST_THREADS = 1024,
  FEW_BINS = 1 << 10,
  CLEARED_BINS = 1 << 13,      /* so many are cleared by the first block */
  WARP_CLEARED_BINS = 1 << 11, /* or, where that has to tell each of the others, by a warp of it */
  MOST_WINDOWS = 6,
  MOST_REPLICAS = 32,
  FEW_SAMPLES = 1 << 14, /* of a block, which has four times fewer replicas then */
  MOST_REPLICA_BYTES = 160 * 1024,
  BYTE_VALUES = 256,
  COUNTER_BYTES = 4,
  LEVEL_BYTES = 64 * 1024,
  LEAST_COUNTER_BYTES = 16 * 1024,
  SLOT_BYTES = 8,
  LEAST_CACHE_BITS = 8,
  CACHE_SAMPLES = 1 << 18, /* in a round of a block with a cache */
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
  if (call->row_units > 0) call->row_scale = UINT64_MAX / call->row_units;
}

/* A power of two: what a search tree of the levels between bins has room for. */
static uint64_t tree_levels(uint64_t bins) {
  uint64_t levels = 1;
  while (levels < bins) levels *= 2;
  return levels;
}

/* Bytes of shared memory that levels take, behind so many of counters; 0: they stay where they are. */
static uint32_t place_levels(const jig_histogram_args *args, const histogram_types *types,
                             const histogram_tuning *tuning, histogram_call *call) {
  const uint64_t most = min_of(LEVEL_BYTES, (uint32_t)tuning->shared_bytes - LEAST_COUNTER_BYTES);
  uint64_t bytes = 0;
  if (args->bins != JIG_HISTOGRAM_RANGE || args->samples.type.size == 1) return 0;
  for (unsigned c = 0; c < types->active; ++c) {
    call->channels[c].level_offset = (uint32_t)bytes;
    bytes += (tree_levels(args->num_bins[c]) + 1) * types->level.size;
    if (bytes > most) return 0;
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
  call->level_bytes = place_levels(args, types, tuning, call);
  /* One more is for what is in no bin. */
  const uint32_t room = ((uint32_t)tuning->shared_bytes - call->level_bytes) / COUNTER_BYTES - 4;
  const uint64_t windows = ceil_div(call->counters, room);
  call->windows = windows <= MOST_WINDOWS ? (uint32_t)windows : 1;
  call->window = windows <= MOST_WINDOWS ? (uint32_t)ceil_div(call->counters, windows) : 0;
  call->replicas = 1;
}

/* More of them for more samples, as all have to be cleared and added up: so many samples for each. */
static void plan_replicas(const histogram_tuning *tuning, uint64_t samples, uint64_t blocks,
                          histogram_call *call) {
  const uint64_t room = min_of(MOST_REPLICA_BYTES, (uint32_t)tuning->shared_bytes - call->level_bytes);
  const uint64_t each = samples / blocks, least = each > FEW_SAMPLES ? 4 : 16;
  if (call->window == 0) return;
  while (call->replicas < MOST_REPLICAS &&
         ((uint64_t)call->window + 1) * call->replicas * 2 * COUNTER_BYTES <= room &&
         (uint64_t)call->window * call->replicas * 2 * least <= each)
    call->replicas *= 2;
}

/* Slots of a cache: what shared memory has room for, but not many more than a block has samples. */
static void plan_cache(const histogram_tuning *tuning, uint64_t samples, uint64_t blocks,
                       histogram_call *call) {
  const uint64_t room = (uint32_t)tuning->shared_bytes - call->level_bytes;
  if (call->window > 0) return;
  call->cache_bits = LEAST_CACHE_BITS;
  while ((uint64_t)2 * SLOT_BYTES << call->cache_bits <= room &&
         (uint64_t)2 << call->cache_bits <= samples / blocks)
    ++call->cache_bits;
}

/* Units of a block. Larger blocks take longer to begin and to end, and more of them longer to add to the
 * same counts: from MOST_SMALL_BLOCKS on there are twice as many for four times the units. That is a
 * power of two, or between these, by Newton's method, where a thread has one unit. Of more units blocks
 * have one for each of their threads, or if that would be too many blocks, two at least. */
static uint64_t block_units(uint64_t units, uint64_t most_blocks) {
  enum { RATIO = LEAST_UNITS / MOST_SMALL_BLOCKS };
  uint64_t each = LEAST_UNITS;
  while (each <= MOST_THREADS && units > each * each / RATIO) each *= 2;
  if (each > MOST_THREADS) return units <= most_blocks * MOST_THREADS ? MOST_THREADS : 2 * MOST_THREADS;
  if (each == LEAST_UNITS) return each;
  for (int step = 0; step < 2; ++step) each = (each + units / each * RATIO) / 2;
  return each;
}

uint64_t histogram_most_blocks(const program *p) {
  const histogram_tuning tuning = histogram_tuning_of(&p->kernels[HISTOGRAM].tuning);
  return (uint64_t)(unsigned)p->multiprocessors * (unsigned)tuning.min_blocks;
}

/* As many blocks of every multiprocessor as it has room for, or fewer; and how many threads they have. Up
 * to MOST_THREADS units they have one for each; for up to twice as many 512 threads are faster, or for
 * four times as many if bins are few. */
static uint64_t plan_blocks(const program *p, const histogram_tuning *tuning, const histogram_call *call,
                            uint64_t all_bins, unsigned *threads) {
  const uint64_t units = max_of(max_of(call->num_units, call->num_rows), 1);
  const uint64_t most = histogram_most_blocks(p),
                 blocks = min_of(most, ceil_div(units, block_units(units, most)));
  const uint64_t each = max_of(align_up(ceil_div(units, blocks), WARP_THREADS), LEAST_UNITS);
  const uint64_t few = (all_bins <= FEW_BINS ? 4 : 2) * MOST_THREADS;
  const uint64_t wanted = each > MOST_THREADS && each <= few ? MOST_THREADS / 2 : each;
  *threads = (unsigned)min_of(wanted, (unsigned)tuning->threads);
  return blocks;
}

/* A round ends before a counter can overflow; where there is a cache, for it to have room for other bins.
 */
static void plan_rounds(const histogram_tuning *tuning, const plan_limits *limits, uint64_t blocks,
                        histogram_call *call) {
  const uint64_t block_samples =
      min_of(call->window > 0 ? (uint64_t)1 << 30 : CACHE_SAMPLES, limits->histogram_block_samples);
  const uint64_t units = max_of(block_samples / (unsigned)tuning->items, 1) * blocks;
  call->round = (uint32_t)min_of(units, (uint64_t)1 << 31);
}

static void plan_clearing(const program *p, int kernel, const plan_limits *limits, uint64_t blocks,
                          uint64_t all_bins, histogram_call *call) {
  const unsigned cluster = p->kernels[kernel].max_cluster;
  const bool is_cluster = blocks > 1 && blocks <= cluster && blocks <= limits->histogram_max_cluster;
  const uint64_t most = is_cluster || blocks == 1 ? CLEARED_BINS : WARP_CLEARED_BINS;
  if (call->window == 0 || call->windows > 1 || all_bins > most) return; /* CLEARED */
  call->clears = is_cluster ? CLEARS_IN_CLUSTER : CLEARS;
}

/* A thread for each bin, as far as there are not too many. */
static launch_shape bins_shape(const program *p, int kernel, uint64_t all_bins) {
  const uint64_t blocks = ceil_div(all_bins, policy_threads(&p->kernels[kernel].tuning));
  return (launch_shape){.grid = (unsigned)min_of(blocks, INIT_BLOCKS), .pdl = true};
}

/* One is for all calls of bytes and of ranges. */
static int counting_kernel(const jig_histogram_args *args, const histogram_types *types,
                           const histogram_call *call) {
  const jig_type *sample = &args->samples.type;
  const bool has_ways = type_is_integer(sample) && type_is_integer(&types->level);
  if (sample->size == 1 || args->bins == JIG_HISTOGRAM_RANGE) return HISTOGRAM;
  for (unsigned c = 0; has_ways && c < types->active; ++c)
    if (call->channels[c].way != WAY_MULTIPLY) return HISTOGRAM_ANY;
  if (call->window == 0) return HISTOGRAM_ANY;
  return call->windows == 1 ? HISTOGRAM : HISTOGRAM_WINDOW;
}

/* Whether no thread has more than one unit to count in shared memory. */
static bool are_few(const histogram_call *call, uint64_t blocks, unsigned threads) {
  return call->window > 0 && call->windows == 1 &&
         call->num_units <= min_of(blocks * threads, call->round);
}

histogram_plan histogram_plan_of(const program *p, const plan_limits *limits,
                                 const jig_histogram_args *args, const histogram_types *types,
                                 const histogram_call *bins) {
  const histogram_tuning tuning = histogram_tuning_of(&p->kernels[HISTOGRAM].tuning);
  histogram_plan plan = {.call = *bins};
  histogram_call *call = &plan.call;
  plan_rows(args, types, &tuning, call);
  plan_counters(args, types, &tuning, call);
  plan.kernel = counting_kernel(args, types, call);
  uint64_t all_bins = 0;
  for (unsigned c = 0; c < types->active; ++c) all_bins += args->num_bins[c];
  const uint64_t samples = call->row_samples * call->num_rows;
  const uint64_t blocks = plan_blocks(p, &tuning, call, all_bins, &plan.count.threads);
  plan_replicas(&tuning, samples, blocks, call);
  plan_cache(&tuning, samples, blocks, call);
  plan_rounds(&tuning, limits, blocks, call);
  if (plan.kernel == HISTOGRAM && are_few(call, blocks, plan.count.threads)) plan.kernel = HISTOGRAM_FEW;
  plan_clearing(p, plan.kernel, limits, blocks, all_bins, call);
  call->turn = (uint32_t)(((uint64_t)call->window << 16) / blocks);
  const uint64_t counters = ((uint64_t)call->window + 1) * call->replicas;
  const uint32_t counter_bytes = call->window > 0 ? (uint32_t)align_up(counters * COUNTER_BYTES, 16)
                                                  : (uint32_t)SLOT_BYTES << call->cache_bits;
  for (unsigned c = 0; c < types->active; ++c) call->channels[c].level_offset += counter_bytes;
  plan.count.grid = (unsigned)blocks * call->windows;
  plan.count.cluster = call->clears == CLEARS_IN_CLUSTER ? (unsigned)blocks : 0;
  plan.count.pdl = call->clears == CLEARED || samples > MAX_ITEMS_WITHOUT_PDL;
  plan.count.shared_bytes = counter_bytes + call->level_bytes;
  if (call->clears == CLEARED) plan.init = bins_shape(p, HISTOGRAM_INIT, all_bins);
  if (histogram_converts(&types->counter)) plan.convert = bins_shape(p, HISTOGRAM_CONVERT, all_bins);
  return plan;
}
