#include "algorithm/segmented_top_k_plan.h"

#include "util/integer.h"

enum {
  WARP_THREADS = 32,
  CONTROL = 256,    /* sizeof(jig::SegmentedTopKControl) */
  CUT_SEGMENT = 48, /* sizeof(jig::CutSegment) */
  INDEX_BYTES = 8,
  /* Segments that a warp of the first kernel looks at, in lots of one for each lane, as long as all warps
   * that are resident have so many times their part. */
  MAX_LOTS = 4,
  FEW_WAVES = 4,
  /* A part has so many items at least: what it leaves is looked through once more. */
  LEAST_PART = 1 << 16,
  /* Of no more items the kernel for many is as fast as threads that hold more. */
  LONG_ROW = LEAST_PART / 2,
  /* Parts for each block that is resident. */
  PARTS = 4,
  /* Rows of no more parts than that are whole if there are enough of them. */
  MOST_WHOLE = 16,
  /* What numbers of 32 bits have room for, and more. */
  MOST_SHARED = 1 << 30,
  MOST_PART = 1 << 30,
  /* A row of so many takes a thread for each: jig::top_k_row_most_ranked. */
  MOST_RANKED = 128,
};

/* Slots of temp storage. */
enum { SLOT_CONTROL, SLOT_LISTS, SLOT_PARTS, SLOT_CUTS, SLOT_BITS, SLOT_INDICES, SLOT_RECORDS };

#define FIELD(name) PARAMETER_FIELD(segmented_top_k_call, name)
const parameter_field segmented_top_k_call_fields[] = {FIELD(num_segments),
                                                       FIELD(segment_size),
                                                       FIELD(k),
                                                       FIELD(control),
                                                       FIELD(lists),
                                                       FIELD(parts),
                                                       FIELD(cuts),
                                                       FIELD(bits),
                                                       FIELD(indices),
                                                       FIELD(records),
                                                       FIELD(record_count),
                                                       FIELD(part_items),
                                                       FIELD(tag),
                                                       FIELD(capacities),
                                                       FIELD(max_parts),
                                                       FIELD(each),
                                                       FIELD(log_warps),
                                                       FIELD(is_signed),
                                                       FIELD(is_descending),
                                                       FIELD(is_sorted),
                                                       FIELD(are_records_by_segment),
                                                       FIELD(num_segments_in),
                                                       {NULL}};
#undef FIELD

static segmented_top_k_small_tuning small_tuning(const program *p) {
  return segmented_top_k_small_tuning_of(&p->kernels[SEGMENTED_TOP_K_SMALL].tuning);
}

static segmented_top_k_large_tuning large_tuning(const program *p) {
  return segmented_top_k_large_tuning_of(&p->kernels[SEGMENTED_TOP_K_LARGE].tuning);
}

static uint64_t resident_blocks(const program *p, int min_blocks) {
  return (uint64_t)(unsigned)p->multiprocessors * (unsigned)min_blocks;
}

/* What a segment may have that the first kernel sorts. */
static uint64_t small_items(const program *p) {
  return (unsigned)small_tuning(p).small_items;
}

/* Of a block of the second kernel. */
static uint64_t capacity_of(const segmented_top_k_large_tuning *tuning) {
  return (uint64_t)(unsigned)tuning->capacity * ((unsigned)tuning->threads / WARP_THREADS);
}

static uint64_t block_capacity(const program *p) {
  const segmented_top_k_large_tuning tuning = large_tuning(p);
  return capacity_of(&tuning);
}

/* ---- lists: as segmented_top_k_list_of() in segmented_top_k.cuh */

static bool fits(uint64_t length, uint64_t k, uint64_t capacity) {
  return length <= capacity || 2 * min_of(length, min_of(k, capacity)) <= capacity;
}

/* By the tuning of either kernel. */
static int list_of(const segmented_top_k_large_tuning *tuning, uint64_t length, uint64_t k) {
  const uint64_t tile = (uint64_t)(unsigned)tuning->items * WARP_THREADS;
  int c = 0;
  if (!fits(length, k, capacity_of(tuning))) return SEGMENTED_TOP_K_CLASSES;
  while (c + 1 < SEGMENTED_TOP_K_CLASSES &&
         (length >= 2 * tile << c || !fits(length, k, (uint64_t)(unsigned)tuning->capacity << c)))
    ++c;
  return c;
}

/* No segment of a list has fewer items than that one more. */
static uint64_t most_below(const program *p, int c, uint64_t k) {
  const segmented_top_k_small_tuning tuning = small_tuning(p);
  const uint64_t small = small_items(p), room = block_capacity(p);
  if (c == 0) return small;
  if (c == SEGMENTED_TOP_K_CLASSES) return fits(UINT64_MAX, k, room) ? UINT64_MAX - 1 : room;
  const uint64_t tile = (2 * (uint64_t)(unsigned)tuning.tile << (c - 1)) - 1;
  const uint64_t capacity = (uint64_t)(unsigned)tuning.capacity << (c - 1);
  return max_of(small, k <= capacity / 2 ? tile : min_of(tile, capacity));
}

/* ---- the first kernel */

static void plan_small(const program *p, const segmented_top_k_size *size, segmented_top_k_plan *plan) {
  const segmented_top_k_small_tuning tuning = small_tuning(p);
  const uint64_t block_warps = (unsigned)tuning.threads / WARP_THREADS;
  const uint64_t warps = resident_blocks(p, tuning.min_blocks) * block_warps * 2;
  uint64_t each = min_of(ceil_div(size->num_segments, warps), WARP_THREADS);
  /* Of very many, a warp has several lots, one after the other. */
  const uint64_t lots = size->num_segments / (warps * WARP_THREADS * FEW_WAVES);
  if (lots > 1) each *= min_of(lots, MAX_LOTS);
  plan->call.each = (int32_t)max_of(each, 1);
  plan->small_blocks = ceil_div(size->num_segments, block_warps * (unsigned)plan->call.each);
}

/* ---- the second kernel */

static uint64_t most_parts(const program *p) {
  return resident_blocks(p, large_tuning(p).min_blocks) * PARTS;
}

static uint64_t least_part(const plan_limits *limits, uint64_t k) {
  const uint64_t limit = limits->segmented_top_k_part_items;
  return max_of(limit > 0 ? limit : LEAST_PART, 4 * k); /* a part is to leave few of its items */
}

/* Segments are cut if that is how to have work for all blocks; not if so much of them is wanted that a
 * block has to search all of it. */
static void plan_parts(const program *p, const plan_limits *limits, const segmented_top_k_size *size,
                       segmented_top_k_plan *plan) {
  const uint64_t most = most_parts(p), least = least_part(limits, size->k);
  plan->call.part_items = MOST_PART;
  if (!fits(UINT64_MAX, size->k, block_capacity(p))) return;
  plan->call.part_items = min_of(max_of(size->num_items / most, least), MOST_PART);
  const uint64_t whole_parts = max_of(most, size->num_items / MOST_PART);
  plan->call.max_parts = (uint32_t)min_of(2 * min_of(size->num_items / least, whole_parts), UINT32_MAX);
}

/* Whether rows are whole though they are longer than a part. A part takes as long as twice as many items
 * of a row, as one block looks through what all have left. */
static bool are_whole(const program *p, const plan_limits *limits, const segmented_top_k_size *size) {
  const uint64_t least = least_part(limits, size->k);
  return size->segment_size <= MOST_WHOLE * least &&
         2 * (size->num_items / least) > (unsigned)p->multiprocessors;
}

static void plan_lists(const program *p, const segmented_top_k_size *size, segmented_top_k_plan *plan) {
  for (int c = 0; c < SEGMENTED_TOP_K_LISTS; ++c) {
    const uint64_t most = min_of(size->num_segments, size->num_items / (most_below(p, c, size->k) + 1));
    plan->call.capacities[c] = (uint32_t)min_of(most, UINT32_MAX);
    plan->has_too_many = plan->has_too_many || most > UINT32_MAX;
  }
}

/* Results that are longer than shared memory, to be sorted. They are numbered by segments' results or by
 * items, whichever are fewer. */
static void plan_records(const program *p, const segmented_top_k_size *size, segmented_top_k_plan *plan) {
  const uint64_t results = product_of(size->num_segments, size->k), room = block_capacity(p);
  if (!size->is_sorted || size->k <= room || size->num_items <= room) return;
  plan->call.are_records_by_segment = results < size->num_items;
  plan->call.record_count = min_of(results, size->num_items);
  plan->record_bytes = size->bits_bytes > INDEX_BYTES ? 32 : 16;
}

static unsigned large_blocks(const program *p, const segmented_top_k_large_tuning *tuning,
                             uint64_t wanted) {
  return (unsigned)min_of(wanted, resident_blocks(p, tuning->min_blocks));
}

static unsigned search_blocks(const program *p, uint64_t wanted) {
  const segmented_top_k_search_tuning tuning =
      segmented_top_k_search_tuning_of(&p->kernels[SEGMENTED_TOP_K_SEARCH].tuning);
  return (unsigned)min_of(wanted, resident_blocks(p, tuning.min_blocks));
}

/* Of one size, and not cut: all belong into one list, and are shared out by their numbers. */
static void plan_shares(const program *p, const segmented_top_k_size *size, segmented_top_k_plan *plan) {
  const segmented_top_k_large_tuning tuning =
      segmented_top_k_large_tuning_of(&p->kernels[SEGMENTED_TOP_K_EVEN].tuning);
  const int c = list_of(&tuning, size->segment_size, size->k);
  if (c == SEGMENTED_TOP_K_CLASSES) {
    plan->search_blocks = search_blocks(p, size->num_segments);
    return;
  }
  const unsigned groups = (unsigned)tuning.threads / WARP_THREADS >> c;
  plan->call.log_warps = c;
  plan->large_blocks = large_blocks(p, &tuning, ceil_div(size->num_segments, groups));
}

static void plan_listed(const program *p, const segmented_top_k_size *size, segmented_top_k_plan *plan) {
  const segmented_top_k_large_tuning tuning = large_tuning(p);
  plan->lists = true;
  plan_lists(p, size, plan);
  plan->large_blocks =
      large_blocks(p, &tuning, max_of((uint64_t)plan->call.capacities[0] + plan->call.max_parts, 1));
  plan->search_blocks = search_blocks(p, plan->call.capacities[SEGMENTED_TOP_K_CLASSES]);
}

/* ---- rows that are held */

static segmented_top_k_rows_tuning rows_tuning(const program *p, int kernel) {
  return segmented_top_k_rows_tuning_of(&p->kernels[kernel].tuning);
}

/* What a block holds. */
static uint64_t rows_held(const program *p) {
  const segmented_top_k_rows_tuning tuning = rows_tuning(p, SEGMENTED_TOP_K_ROWS);
  return (uint64_t)(unsigned)tuning.threads * (unsigned)tuning.items;
}

/* So many blocks of so many threads for each row, if the GPU does not have to take more turns. */
static launch_shape rows_shape(const program *p, const segmented_top_k_size *size,
                               const segmented_top_k_rows_tuning *tuning, uint64_t threads,
                               uint64_t blocks, uint64_t turns) {
  enum { RESIDENT_THREADS = 1024 };
  const uint64_t most = size->is_sorted ? (unsigned)tuning->capacity / 2 : UINT64_MAX;
  const bool holds = blocks * threads * (unsigned)tuning->items >= size->segment_size;
  const uint64_t resident = (uint64_t)(unsigned)p->multiprocessors * RESIDENT_THREADS / threads;
  if (!holds || size->num_segments > resident * turns / blocks || size->k > most)
    return (launch_shape){0};
  return (launch_shape){.grid = (unsigned)(size->num_segments * blocks),
                        .threads = (unsigned)threads,
                        .pdl = true,
                        .cluster = (unsigned)blocks};
}

enum { LEAST_THREADS = 256 };

/* Some may take half as many more. Of one-byte keys so many are equal that rows may take several times as
 * long as by the kernel for many. */
static uint64_t turns_of(const segmented_top_k_size *size, const segmented_top_k_rows_tuning *tuning,
                         bool may_be_more) {
  const uint64_t waves = (unsigned)tuning->waves;
  return may_be_more && size->key_bytes > 1 ? waves + waves / 2 : waves;
}

/* A thread for each item, and no room for a list. Of more items than a warp has lanes the kernel for many
 * takes so long that there may be more turns, the more the shorter keys are. */
static launch_shape ranked_shape(const program *p, const segmented_top_k_size *size,
                                 const segmented_top_k_rows_tuning *tuning) {
  enum { WIDEST_BITS = 16 };
  const uint64_t bits = size->bits_bytes, item_bytes = 2 * bits; /* sizeof(jig::TopKItem) */
  const bool is_long = size->segment_size > WARP_THREADS && size->segment_size <= 2 * WARP_THREADS;
  const uint64_t turns =
      turns_of(size, tuning, is_long && bits <= 4) * (is_long ? WIDEST_BITS / bits : 1);
  launch_shape shape = rows_shape(p, size, tuning, LEAST_THREADS, 1, turns);
  shape.threads = (unsigned)(ceil_div(size->segment_size, WARP_THREADS) * WARP_THREADS);
  shape.shared_bytes = (unsigned)tuning->shared_bytes - (unsigned)tuning->capacity * (unsigned)item_bytes;
  return shape;
}

/* As many threads as it takes, or fewer for short rows that would take several turns, of which there may
 * be a few before the kernel for many is faster. */
static launch_shape block_shape(const program *p, const segmented_top_k_size *size) {
  enum { MORE_TURNS = 512 }; /* of fewer items some are slower by more turns */
  const segmented_top_k_rows_tuning tuning = rows_tuning(p, SEGMENTED_TOP_K_ROWS);
  if (size->segment_size <= MOST_RANKED) return ranked_shape(p, size, &tuning);
  uint64_t threads = LEAST_THREADS;
  while (threads * (unsigned)tuning.few_items < size->segment_size &&
         2 * threads <= (unsigned)tuning.threads)
    threads *= 2;
  const launch_shape one_turn = rows_shape(p, size, &tuning, threads, 1, 1);
  if (threads > LEAST_THREADS || one_turn.grid > 0) return one_turn;
  const uint64_t most_short = MOST_RANKED * (unsigned)tuning.items;
  if (size->segment_size > most_short)
    return rows_shape(p, size, &tuning, threads, 1, (unsigned)tuning.waves);
  const bool may_be_more = size->bits_bytes <= 8 && size->segment_size >= MORE_TURNS;
  return rows_shape(p, size, &tuning, MOST_RANKED, 1, turns_of(size, &tuning, may_be_more));
}

/* Clusters do not come to lie on all multiprocessors; with more blocks some have two, and others none. */
static uint64_t room_for_clusters(const program *p) {
  return (uint64_t)(unsigned)p->multiprocessors * 7 / 8;
}

/* Blocks of a cluster: as long as threads have more than a few items, and the GPU has others. */
static uint64_t cluster_blocks(const program *p, const segmented_top_k_size *size,
                               const segmented_top_k_rows_tuning *tuning, int kernel) {
  const uint64_t most = p->kernels[kernel].max_cluster, threads = (unsigned)tuning->threads;
  const uint64_t resident =
      size->segment_size > LONG_ROW / 2 ? room_for_clusters(p) : (unsigned)p->multiprocessors;
  uint64_t blocks = 1;
  while (blocks < most && (blocks * threads * (unsigned)tuning->items < size->segment_size ||
                           (blocks * threads * (unsigned)tuning->few_items < size->segment_size &&
                            2 * blocks * size->num_segments <= resident)))
    blocks *= 2;
  return blocks;
}

/* Whether threads of one block would have many items of a row, where clusters of so many blocks leave
 * half of the GPU to itself. */
static bool prefers_clusters(const program *p, const segmented_top_k_size *size, uint64_t blocks) {
  const segmented_top_k_rows_tuning tuning = rows_tuning(p, SEGMENTED_TOP_K_ROWS);
  const uint64_t few = (uint64_t)(unsigned)tuning.threads * (unsigned)tuning.few_items;
  return blocks > 1 && size->segment_size > few &&
         2 * blocks * size->num_segments <= (unsigned)p->multiprocessors;
}

/* Rows that would be cut otherwise may take several turns. */
static launch_shape clusters_shape(const program *p, const segmented_top_k_size *size, int kernel) {
  const segmented_top_k_rows_tuning tuning = rows_tuning(p, kernel);
  const uint64_t blocks = cluster_blocks(p, size, &tuning, kernel);
  if (blocks == 1) return (launch_shape){0};
  return rows_shape(p, size, &tuning, (unsigned)tuning.threads, blocks,
                    size->segment_size > LEAST_PART ? (unsigned)tuning.waves : 1);
}

/* By fewer blocks that hold more; rows that would not be cut otherwise if each block has a
 * multiprocessor. */
static launch_shape long_shape(const program *p, const segmented_top_k_size *size) {
  if (size->segment_size <= LONG_ROW) return (launch_shape){0};
  const launch_shape shape = clusters_shape(p, size, SEGMENTED_TOP_K_LONG_ROWS);
  const bool is_wanted = size->segment_size > LEAST_PART || shape.grid <= (unsigned)p->multiprocessors;
  return is_wanted ? shape : (launch_shape){0};
}

static void take_rows(int kernel, launch_shape shape, segmented_top_k_plan *plan) {
  plan->rows_kernel = kernel;
  plan->rows = shape;
}

/* Of one size, and few: each is held by a block, or a cluster if that is faster or it does not fit. */
static void plan_rows(const program *p, const segmented_top_k_size *size, segmented_top_k_plan *plan) {
  if (size->segment_size == 0 || size->num_segments == 0) return;
  const launch_shape clusters = clusters_shape(p, size, SEGMENTED_TOP_K_CLUSTERS);
  const bool is_full = clusters.grid == 0 || clusters.grid > room_for_clusters(p);
  const launch_shape fewer = is_full ? long_shape(p, size) : (launch_shape){0};
  take_rows(SEGMENTED_TOP_K_ROWS, block_shape(p, size), plan);
  if (clusters.grid > 0 &&
      (size->segment_size > rows_held(p) || prefers_clusters(p, size, clusters.cluster)))
    take_rows(SEGMENTED_TOP_K_CLUSTERS, clusters, plan);
  if (fewer.grid > 0) take_rows(SEGMENTED_TOP_K_LONG_ROWS, fewer, plan);
  if (plan->rows.grid == 0) return;
  plan->has_small = false;
  plan->large_blocks = plan->search_blocks = 0;
}

/* ---- temp storage */

static temp_layout layout(const segmented_top_k_size *size, const segmented_top_k_plan *plan) {
  temp_layout temp = {0};
  uint64_t listed = 0;
  for (int c = 0; c < SEGMENTED_TOP_K_LISTS; ++c) listed += plan->call.capacities[c];
  const uint64_t parts = plan->call.max_parts, candidates = product_of(parts, size->k);
  (void)temp_slot(&temp, plan->lists ? CONTROL : 0);
  (void)temp_slot(&temp, product_of(listed, sizeof(uint64_t)));
  (void)temp_slot(&temp, product_of(parts, sizeof(uint64_t)));
  (void)temp_slot(&temp, product_of(parts / 2, CUT_SEGMENT));
  (void)temp_slot(&temp, product_of(candidates, size->bits_bytes));
  (void)temp_slot(&temp, product_of(candidates, INDEX_BYTES));
  (void)temp_slot(&temp, product_of(product_of(plan->call.record_count, 2), plan->record_bytes));
  return temp;
}

void segmented_top_k_place(const segmented_top_k_plan *plan, void *storage, segmented_top_k_call *call) {
  const temp_layout *temp = &plan->temp;
  if (plan->record_bytes > 0) call->records = temp_address(temp, SLOT_RECORDS, storage);
  if (!plan->lists) return;
  call->control = temp_address(temp, SLOT_CONTROL, storage);
  uint64_t *list = temp_address(temp, SLOT_LISTS, storage);
  for (int c = 0; c < SEGMENTED_TOP_K_LISTS; ++c) {
    call->lists[c] = list;
    list += call->capacities[c];
  }
  call->parts = temp_address(temp, SLOT_PARTS, storage);
  call->cuts = temp_address(temp, SLOT_CUTS, storage);
  call->bits = temp_address(temp, SLOT_BITS, storage);
  call->indices = temp_address(temp, SLOT_INDICES, storage);
}

/* ---- the whole */

static segmented_top_k_plan plan_one(const program *p, const plan_limits *limits,
                                     const segmented_top_k_size *size) {
  segmented_top_k_plan plan = {
      .call = {.num_segments = size->num_segments, .segment_size = size->segment_size, .k = size->k}};
  const uint64_t longest = size->segment_size > 0 ? size->segment_size : size->num_items;
  const bool is_fixed = size->segment_size > 0;
  plan.is_too_long = longest > UINT32_MAX && !fits(longest, size->k, block_capacity(p));
  if (longest > small_items(p)) {
    plan_parts(p, limits, size, &plan);
    plan_records(p, size, &plan);
    plan.has_too_many = is_fixed && size->num_segments > MOST_SHARED;
    if (is_fixed &&
        (longest <= plan.call.part_items || plan.call.max_parts == 0 || are_whole(p, limits, size))) {
      plan.call.max_parts = 0;
      plan_shares(p, size, &plan);
    } else {
      plan_listed(p, size, &plan);
    }
  }
  plan.has_small = longest <= small_items(p) || plan.lists;
  if (plan.has_small) plan_small(p, size, &plan);
  plan.temp = layout(size, &plan);
  plan_rows(p, size, &plan);
  return plan;
}

/* Fewer segments, or results, may be cut where as many as there are are not. Whether there are others,
 * and the most of these. */
static bool most_cut(const program *p, const plan_limits *limits, segmented_top_k_size *size) {
  const uint64_t most_k = block_capacity(p) / 2, multiprocessors = (unsigned)p->multiprocessors;
  bool are_fewer = size->k > most_k;
  size->k = min_of(size->k, most_k);
  const uint64_t least = least_part(limits, size->k);
  if (size->segment_size <= least) return are_fewer;
  if (are_whole(p, limits, size)) {
    /* As many rows, and items, as may be cut, of whatever size. */
    size->num_segments = min_of(size->num_segments, multiprocessors);
    size->num_items = min_of(size->num_items, multiprocessors * least);
    size->segment_size = 0;
    are_fewer = true;
  } else if (size->num_segments >= most_parts(p)) {
    size->num_segments = most_parts(p) - 1;
    size->num_items = product_of(size->num_segments, size->segment_size);
    are_fewer = true;
  }
  return are_fewer;
}

/* Temp storage never shrinks as counts grow, so that it is asked for in any case. */
segmented_top_k_plan segmented_top_k_plan_of(const program *p, const plan_limits *limits,
                                             const segmented_top_k_size *size) {
  segmented_top_k_plan plan = plan_one(p, limits, size);
  segmented_top_k_size fewer = *size;
  if (!most_cut(p, limits, &fewer)) return plan;
  const segmented_top_k_plan other = plan_one(p, limits, &fewer);
  for (int i = 0; i < plan.temp.slots; ++i) temp_share(&plan.temp, i, other.temp.sizes[i]);
  return plan;
}
