#include "algorithm/top_k_plan.h"

#include "algorithm/tile_state.h"
#include "util/integer.h"

enum {
  CONTROL = 24 * 1024, /* jig::top_k_control_bytes */
  INDEX_BYTES = 8,
  MOST_PACKED = 4,
  PACKED_BYTES = 8,
  /* Standard deviations of how many of the sample are among the k best: so many, and that many items more
   * for small numbers, are as good as never exceeded. */
  DEVIATIONS = 4,
  FEW = 4,
  /* If so many of the sample are candidates, more than a thousandth of all items is: that is dense. */
  DENSE_RANK = 16,
  /* Candidates for each item of the sample, of a large input: see capacity_of(). */
  LEAST_CANDIDATES = 30,
  /* If more than this share of all items are wanted, a sample has one of so many at least, of up to so
   * many in all. On an H100 a sixteenth of 2^28 u32 takes 1080 us by 65,536 samples, 1147 by 16,384; of
   * 2^24 111 by 32,768, 109 by 16,384. */
  MANY_SHARE = 1024,
  LONG_STRETCH = 4096,
  MOST_SAMPLES = 64 * 1024,
  /* Of bytes that are counted: what blocks tell each other is of two of them. */
  BYTES = 256,
  /* Results, at most, that the block writes that adds up what all have counted. */
  COUNTED_FEW = 64 * 1024,
  /* Of a block's, which counts in 32 bits. */
  COUNTED_BITS = 31,
};

#define FIELD(name) PARAMETER_FIELD(top_k_call, name)
const parameter_field top_k_call_fields[] = {FIELD(num_items),
                                             FIELD(k),
                                             FIELD(control),
                                             FIELD(bits),
                                             FIELD(indices),
                                             FIELD(capacity),
                                             FIELD(records),
                                             FIELD(samples),
                                             FIELD(sure_rank),
                                             FIELD(last_rank),
                                             FIELD(is_signed),
                                             FIELD(is_descending),
                                             FIELD(is_dense),
                                             FIELD(index_width),
                                             FIELD(num_items_in),
                                             FIELD(tag),
                                             {NULL}};
#undef FIELD

static uint64_t square_root(uint64_t x) {
  uint64_t root = 0, bit = 1;
  while (bit < (uint64_t)1 << 31 && bit * bit <= x) bit *= 2;
  for (; bit > 0; bit >>= 1)
    if ((root + bit) * (root + bit) <= x) root += bit;
  return root;
}

__extension__ typedef unsigned __int128 uint128;

/* a * b / c, where b / c is at most 1 and the product may be too large. */
static uint64_t share_of(uint64_t a, uint64_t b, uint64_t c) {
  return (uint64_t)((uint128)a * b / c);
}

/* Of a product, in steps of 256; in larger ones where that would be too large. */
static uint64_t rough_root(double a, double b) {
  const double most = (double)((uint64_t)1 << 62);
  double square = a * b / 65536;
  uint64_t step = 256;
  for (; square >= most; square /= 4) step *= 2;
  return (square_root((uint64_t)square) + 1) * step;
}

static const policy *tuning_of(const program *p, const top_k_size *size, int kernel) {
  return &p->kernels[size->first_kernel + kernel].tuning;
}

/* Items that one block or cluster of that kernel looks through. */
static uint64_t most_single(const program *p, const top_k_size *size, int kernel) {
  const top_k_block_tuning tuning = top_k_block_tuning_of(tuning_of(p, size, kernel));
  const unsigned blocks = p->kernels[size->first_kernel + kernel].max_cluster;
  return tuning.cluster > 1 ? (uint64_t)blocks * (unsigned)tuning.cluster_items
                            : (uint64_t)tuning.most_items;
}

bool top_k_counts(const program *p, const plan_limits *limits, const top_k_size *size) {
  /* A search for one item, whose kernels are among others, has no such kernel. */
  if (size->first_kernel != TOP_K_BLOCK || size->num_items > limits->top_k_most_single) return false;
  return top_k_block_tuning_of(tuning_of(p, size, TOP_K_LARGE_BLOCK)).counts != 0 &&
         size->num_items <= (uint64_t)p->multiprocessors << COUNTED_BITS;
}

bool top_k_writes_apart(const program *p, const plan_limits *limits, const top_k_size *size) {
  return size->k > COUNTED_FEW && top_k_counts(p, limits, size);
}

int top_k_single_kernel(const program *p, const plan_limits *limits, const top_k_size *size) {
  if (size->num_items > limits->top_k_most_single) return -1;
  if (top_k_counts(p, limits, size)) return TOP_K_LARGE_BLOCK;
  if (size->num_items <= most_single(p, size, TOP_K_BLOCK)) return size->first_kernel + TOP_K_BLOCK;
  /* A search for one item, whose kernels are among others, has no other one. */
  if (size->first_kernel != TOP_K_BLOCK || size->num_items > most_single(p, size, TOP_K_LARGE_BLOCK))
    return -1;
  return TOP_K_LARGE_BLOCK;
}

/* One on each multiprocessor, at most. */
static unsigned counting_blocks(const program *p, const top_k_size *size) {
  const top_k_block_tuning tuning = top_k_block_tuning_of(tuning_of(p, size, TOP_K_LARGE_BLOCK));
  const uint64_t each = (uint64_t)(unsigned)tuning.threads * (unsigned)tuning.few_items;
  return (unsigned)min_of(ceil_div(size->num_items, each), (uint64_t)p->multiprocessors);
}

/* Whether a larger sample pays, as bounds would have many candidates between them. */
static bool are_many(uint64_t num_items, uint64_t k) {
  return k > num_items / MANY_SHARE;
}

/* A power of two. */
static uint32_t samples_of(const program *p, const top_k_size *size) {
  const top_k_sample_tuning tuning = top_k_sample_tuning_of(tuning_of(p, size, TOP_K_SAMPLE));
  const uint64_t wanted = size->num_items / (unsigned)tuning.stretch;
  const uint64_t usual = (unsigned)tuning.most_samples, many = size->num_items / LONG_STRETCH;
  const uint64_t most =
      are_many(size->num_items, size->k) ? min_of(max_of(usual, many), MOST_SAMPLES) : usual;
  uint32_t samples = 1;
  while (samples * 2 <= most && samples * 2 <= wanted) samples *= 2;
  return samples;
}

/* Between the ranks of the two bounds are 2 * DEVIATIONS standard deviations, sqrt(k * (1 - k / n) * s)
 * of the input's items, if each of the sample stands for s. That is exceeded by a few deviations of its
 * own now and then, which matters if there are few; and s changes by steps, which the size must not. */
static uint64_t candidates_for(uint64_t n, uint64_t wanted, uint64_t stretch) {
  const uint64_t k = min_of(wanted, n / 2); /* the same for more, though it takes less */
  const uint64_t spread = rough_root((double)share_of(k, n - k, n), (double)stretch);
  const uint64_t deviations = product_of(spread, 2 * DEVIATIONS * 6) / 5;
  return min_of(sum_of(deviations, product_of(stretch, LEAST_CANDIDATES)), n);
}

/* Where a sample is larger, no less than where k is just small enough for it not to be. */
static uint64_t capacity_of(const program *p, const top_k_size *size) {
  const top_k_sample_tuning tuning = top_k_sample_tuning_of(tuning_of(p, size, TOP_K_SAMPLE));
  const uint64_t n = size->num_items, shortest = 2 * (uint64_t)tuning.stretch;
  const uint64_t longest = max_of(n / (unsigned)tuning.most_samples, shortest);
  if (!are_many(n, size->k)) return candidates_for(n, size->k, longest);
  const uint64_t shorter = max_of(n / MOST_SAMPLES, 2 * LONG_STRETCH);
  return max_of(candidates_for(n, n / MANY_SHARE, longest),
                candidates_for(n, size->k, min_of(longest, shorter)));
}

static temp_layout counting_temp(const program *p, const plan_limits *limits, const top_k_size *size) {
  temp_layout temp = {0};
  const unsigned blocks = counting_blocks(p, size);
  (void)temp_slot(&temp, blocks > 1 ? (size_t)(blocks - 1) * (BYTES / 2) * tile_state_bytes(8) : 0);
  (void)temp_slot(&temp, top_k_writes_apart(p, limits, size) ? BYTES * sizeof(uint64_t) : 0);
  (void)temp_slot(&temp, 0);
  (void)temp_slot(&temp, 0);
  return temp;
}

temp_layout top_k_temp(const program *p, const plan_limits *limits, const top_k_size *size) {
  temp_layout temp = {0};
  if (top_k_counts(p, limits, size)) return counting_temp(p, limits, size);
  const bool is_single = top_k_single_kernel(p, limits, size) >= 0;
  const uint64_t candidates = is_single ? 0 : capacity_of(p, size);
  (void)temp_slot(&temp, is_single ? 0 : CONTROL);
  /* jig::top_k_packs: bits of up to 4 bytes have the index behind them. */
  const bool packs = size->bits_bytes <= MOST_PACKED;
  (void)temp_slot(&temp, product_of(candidates, packs ? PACKED_BYTES : size->bits_bytes));
  (void)temp_slot(&temp, packs ? 0 : product_of(candidates, INDEX_BYTES));
  (void)temp_slot(&temp, product_of(size->k, size->record_bytes));
  return temp;
}

/* ---- the sample's bounds */

static void find_ranks(top_k_plan *plan, const top_k_size *size) {
  enum { FRACTION = 256 };
  const uint64_t n = size->num_items, k = size->k;
  const uint64_t expected = share_of((uint64_t)plan->samples * FRACTION, k, n);
  const uint64_t variance = share_of(expected, n - k, n);
  const uint64_t margin = DEVIATIONS * square_root(variance * FRACTION) + (FEW + 1) * (uint64_t)FRACTION;
  const uint64_t last = (expected + margin) / FRACTION;
  plan->last_rank = last > plan->samples ? 0 : (uint32_t)last;
  plan->sure_rank = expected > margin ? (uint32_t)((expected - margin) / FRACTION) : 0;
  plan->is_dense = plan->last_rank == 0 || plan->last_rank > DENSE_RANK;
}

static void mislead(top_k_plan *plan, top_k_mistake mistake) {
  if (mistake == TOP_K_FINDS_TOO_FEW) plan->sure_rank = 0, plan->last_rank = 1;
  if (mistake == TOP_K_TAKES_TOO_MANY) plan->sure_rank = plan->last_rank = plan->samples;
  if (mistake == TOP_K_KEEPS_TOO_MANY) plan->sure_rank = plan->last_rank = 0;
}

/* ---- the whole */

/* Twice the blocks until each thread has few items, if there can be so many in a cluster. */
static launch_shape cluster_shape(const loaded_kernel *k, uint64_t items, unsigned few) {
  const uint64_t each = (uint64_t)policy_threads(&k->tuning) * few;
  const unsigned most = k->max_cluster;
  unsigned blocks = 1;
  while (blocks < most && blocks * each < items) blocks *= 2;
  return (launch_shape){.grid = blocks, .cluster = blocks, .pdl = true};
}

/* What one block holds it takes by itself. */
static launch_shape block_shape(const program *p, const top_k_size *size, int kernel) {
  const loaded_kernel *k = &p->kernels[kernel];
  const top_k_block_tuning tuning = top_k_block_tuning_of(&k->tuning);
  const bool is_one = size->num_items <= (uint64_t)tuning.cluster_items;
  launch_shape shape = cluster_shape(k, is_one ? 1 : size->num_items, (unsigned)tuning.few_items);
  shape.pdl = size->num_items > MAX_ITEMS_WITHOUT_PDL;
  return shape;
}

static unsigned resident_blocks(const program *p, const top_k_size *size, int kernel) {
  const top_k_tuning tuning = top_k_tuning_of(tuning_of(p, size, kernel));
  const uint64_t tile = (uint64_t)(unsigned)tuning.threads * (unsigned)tuning.items;
  const uint64_t most = (uint64_t)p->multiprocessors * (unsigned)tuning.min_blocks;
  return (unsigned)min_of(ceil_div(size->num_items, tile), most);
}

/* Whole clusters, of which the first one may be all that is needed. */
static launch_shape select_shape(const program *p, const top_k_size *size) {
  const unsigned blocks = resident_blocks(p, size, TOP_K_SELECT);
  const unsigned cluster = p->kernels[size->first_kernel + TOP_K_SELECT].max_cluster;
  return (launch_shape){
      .grid = blocks < cluster ? cluster : blocks / cluster * cluster, .cluster = cluster, .pdl = true};
}

static unsigned gatherers(const program *p, const top_k_size *size) {
  const uint64_t wanted = ceil_div(size->k, policy_threads(tuning_of(p, size, TOP_K_GATHER)));
  return (unsigned)min_of(wanted, (uint64_t)p->multiprocessors * 8);
}

top_k_plan top_k_plan_of(const program *p, const plan_limits *limits, const top_k_size *size) {
  top_k_plan plan = {.single_kernel = top_k_single_kernel(p, limits, size),
                     .counts = top_k_counts(p, limits, size),
                     .writes_apart = top_k_writes_apart(p, limits, size)};
  const bool pdl = size->num_items > MAX_ITEMS_WITHOUT_PDL;
  if (plan.counts)
    plan.block = (launch_shape){.grid = counting_blocks(p, size), .pdl = pdl};
  else if (plan.single_kernel >= 0)
    plan.block = block_shape(p, size, plan.single_kernel);
  /* A search for one item, whose kernels are among others, has nothing to gather. */
  if (size->first_kernel == TOP_K_BLOCK)
    plan.gather = (launch_shape){.grid = gatherers(p, size), .pdl = pdl};
  if (plan.single_kernel >= 0) return plan;
  plan.capacity = capacity_of(p, size);
  plan.samples = samples_of(p, size);
  find_ranks(&plan, size);
  mislead(&plan, limits->top_k_forced_mistake);
  plan.index_width = limits->top_k_least_index_width;
  while (plan.index_width < 64 && (size->num_items - 1) >> plan.index_width > 0) ++plan.index_width;
  plan.sample = cluster_shape(&p->kernels[size->first_kernel + TOP_K_SAMPLE], plan.samples, 2);
  plan.pass = (launch_shape){.grid = resident_blocks(p, size, TOP_K_PASS), .pdl = true};
  plan.select = select_shape(p, size);
  return plan;
}

top_k_call top_k_call_of(const top_k_size *size, const top_k_plan *plan, const temp_layout *temp,
                         void *storage) {
  top_k_call p = {.num_items = size->num_items,
                  .k = size->k,
                  .capacity = plan->capacity,
                  .samples = plan->samples,
                  .sure_rank = plan->sure_rank,
                  .last_rank = plan->last_rank,
                  .is_dense = plan->is_dense,
                  .index_width = plan->index_width};
  if (size->record_bytes > 0) p.records = temp_address(temp, TOP_K_RECORDS_SLOT, storage);
  if (plan->counts) {
    p.control = temp_address(temp, TOP_K_CONTROL_SLOT, storage);
    if (plan->writes_apart) p.bits = temp_address(temp, TOP_K_BITS_SLOT, storage);
  }
  if (plan->single_kernel >= 0) return p;
  p.control = temp_address(temp, TOP_K_CONTROL_SLOT, storage);
  p.bits = temp_address(temp, TOP_K_BITS_SLOT, storage);
  p.indices = temp_address(temp, TOP_K_INDICES_SLOT, storage);
  return p;
}
