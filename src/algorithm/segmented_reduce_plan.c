#include "algorithm/segmented_reduce_plan.h"

#include "algorithm/call_places.h"
#include "algorithm/tile_state.h"
#include "util/error.h"
#include "util/integer.h"

enum {
  /* What bounds temp storage, and how many results the last block of a segment takes; and the former for
   * the kernel for parts, if there are so many. */
  MAX_BLOCKS = 1024,
  MAX_PARTS = 16384,
  /* Items and segments of a block, at least. */
  LEAST_SHARE = 1024,
  /* Segments whose starts a block finds, at least. */
  STARTS_SHARE = 256,
  /* So many have a kernel of their own, more of those that are anywhere. */
  MOST_FEW = 8192,
  MOST_FEW_APART = 16384,
  /* Blocks of a multiprocessor that share out what is long to a segment's own. A block that is launched
   * takes 0.65 ns, though it finds nothing to do. */
  HELPERS = 1,
  /* Segments of a multiprocessor that have a block each, if there are more than threads and they adjoin:
   * all but a few are resident at once. A thread looks at up to so many. */
  MOST_OWN_EIGHTHS = 33,
  MOST_THREAD_SEGMENTS = 3, /* most_thread_segments in device code */
  /* The same of those that have half of a block each. */
  MOST_HALVES = 8,
  MOST_OF_HALVES = 4, /* most_of_halves in device code */
  /* Blocks of a multiprocessor, at most, whose halves take some segments each; and how many segments a
   * helper's thread looks at, at most. */
  BLOCKS_IN_TURN = 4,
  MOST_HELPER_SEGMENTS = 32, /* most_helper_segments in device code */
  /* Of one size: what a block takes by itself, and of how many segments; and of all items, so few that
   * blocks with nothing to do cost less than a search. */
  MOST_OF_BLOCK = 16384,
  MOST_BLOCKS = 1 << 16,
  FEW_ITEMS = 1 << 22,
  WARP_THREADS = 32,
  /* Longer segments of one size, as rows of a warp, are for whole blocks, unless there are many: so many
   * for each multiprocessor. If there are few, those of more than one row are; if there are some more,
   * and a kernel for parts, those of more than two. */
  MOST_GROUP_ROWS = 4,
  FEW_SEGMENTS = 2,
  MOST_ROWS_OF_SOME = 2,
  SOME_SEGMENTS = 5,
  MANY_SEGMENTS = 16,
  MOST_ROWS_OF_MANY = 64,
  MOST_ROWS_BESIDE_PARTS = 8 /* the same if there is a kernel for parts */
};

/* Segments that adjoin have but the first. */
enum { SLOT_PARTIALS, SLOT_STARTS, SLOT_SUMS };

#define FIELD(name) PARAMETER_FIELD(segmented_reduce_call, name)
const parameter_field segmented_reduce_call_fields[] = {
    FIELD(starts), FIELD(num_segments), FIELD(segment_size), FIELD(least_share), FIELD(part_items),
    FIELD(parts),  FIELD(lanes),        FIELD(tiny_vectors), FIELD(tag),         FIELD(num_segments_in),
    {NULL}};
#undef FIELD

/* ---- specs and args */

bool segmented_reduce_is_fixed(const spec *s, int sm) {
  (void)sm;
  return spec_find(s, "begin_offsets")->iter == NULL;
}

static bool may_adjoin(const jig_iter *begins, const jig_iter *ends) {
  return begins->kind == JIG_ITER_POINTER && ends->kind == JIG_ITER_POINTER &&
         begins->type.kind == ends->type.kind;
}

bool segmented_reduce_is_apart(const spec *s, int sm) {
  return !segmented_reduce_is_fixed(s, sm) &&
         !may_adjoin(spec_find(s, "begin_offsets")->iter, spec_find(s, "end_offsets")->iter);
}

int segmented_reduce_count_kernels(const spec *s) {
  if (segmented_reduce_is_fixed(s, 0)) return SEGMENTED_REDUCE_PARTS + segmented_reduce_has_parts(s);
  if (segmented_reduce_is_apart(s, 0)) return SEGMENTED_REDUCE_APART;
  return segmented_reduce_has_more_blocks(s) ? SEGMENTED_REDUCE_KERNELS : SEGMENTED_REDUCE_MORE_BLOCKS;
}

jig_status segmented_reduce_check_spec(const spec *s) {
  static const char *const offsets[] = {"begin_offsets", "end_offsets", NULL};
  jig_status status = spec_check_together(s, offsets);
  if (status != JIG_SUCCESS || segmented_reduce_is_fixed(s, 0)) return status;
  status = spec_check_integer(s, "begin_offsets");
  return status == JIG_SUCCESS ? spec_check_integer(s, "end_offsets") : status;
}

static bool is_fixed(const segment_args *args) {
  return args->begin_offsets->kind == JIG_ITER_NONE;
}

jig_status segmented_reduce_check_args(const char *name, const segment_args *args) {
  if (args->segment_size == 0 || is_fixed(args)) return JIG_SUCCESS;
  return error_set(JIG_ERROR_INVALID_ARGUMENT,
                   "%s: segment_size: it is for segments without offsets, which are given", name);
}

/* ---- plans */

/* Whether each segment begins where the one before ends, whatever the offsets are. */
static bool adjoin(const segment_args *args) {
  const jig_iter *begins = args->begin_offsets, *ends = args->end_offsets;
  return is_fixed(args) ||
         (may_adjoin(begins, ends) &&
          (const char *)ends->pointer == (const char *)begins->pointer + begins->type.size);
}

static bool has_parts(const program *p, const segment_args *args) {
  return is_fixed(args) && p->count > SEGMENTED_REDUCE_PARTS;
}

static segmented_reduce_tuning tuning_of(const program *p, int kernel) {
  return segmented_reduce_tuning_of(&p->kernels[kernel].tuning);
}

/* Of segments of one size that are not long: which kernel's they are. */
static int groups_kernel(const segment_args *args) {
  const uint64_t size = args->segment_size, vector = iter_place_items(args->in);
  if (size % vector != 0) return SEGMENTED_REDUCE_ITEMS;
  return size > 0 && size <= 2 * vector ? SEGMENTED_REDUCE_TINY : SEGMENTED_REDUCE_VECTORS;
}

/* Lanes for each segment of one size, if a warp holds it in a few rows, and a launch has room for all;
 * otherwise 0. */
static unsigned lanes_for(const program *p, const segment_args *args) {
  if (args->num_segments > UINT32_MAX) return 0;
  const bool loads_items = groups_kernel(args) == SEGMENTED_REDUCE_ITEMS;
  const unsigned unroll = (unsigned)(loads_items ? tuning_of(p, SEGMENTED_REDUCE_ITEMS).unroll_items
                                                 : tuning_of(p, SEGMENTED_REDUCE_VECTORS).unroll);
  const uint64_t loads = args->segment_size / (loads_items ? 1 : iter_place_items(args->in));
  const bool are_many = args->num_segments >= (uint64_t)p->multiprocessors * MANY_SEGMENTS;
  const bool are_few = args->num_segments <= (uint64_t)p->multiprocessors * FEW_SEGMENTS;
  const bool are_some =
      has_parts(p, args) && args->num_segments <= (uint64_t)p->multiprocessors * SOME_SEGMENTS;
  const uint64_t most = has_parts(p, args) ? MOST_ROWS_BESIDE_PARTS : MOST_ROWS_OF_MANY;
  const uint64_t rows = are_many ? most : are_few ? 1 : are_some ? MOST_ROWS_OF_SOME : MOST_GROUP_ROWS;
  if (loads > WARP_THREADS * unroll * rows) return 0;
  unsigned lanes = 1;
  while (lanes < WARP_THREADS && (uint64_t)lanes * unroll < loads) lanes *= 2;
  return lanes;
}

/* Lanes for each segment; or, if they have one or two vectors, a thread for some. */
static void plan_groups(const program *p, const segment_args *args, unsigned lanes,
                        segmented_reduce_plan *plan) {
  plan->kernel = groups_kernel(args);
  const segmented_reduce_tuning tuning = tuning_of(p, plan->kernel);
  uint64_t each = 1;
  plan->values.call.lanes = (int32_t)lanes;
  if (plan->kernel == SEGMENTED_REDUCE_TINY) {
    const uint64_t vectors = args->segment_size / iter_place_items(args->in);
    plan->values.call.tiny_vectors = (int32_t)vectors;
    each = max_of((unsigned)tuning.tiny_vectors / vectors, 1);
    lanes = 1;
  }
  plan->groups_blocks = ceil_div(product_of(args->num_segments, lanes), each * (unsigned)tuning.threads);
}

/* Whether multiprocessors would be idle, of which all blocks that can be resident are `most`. */
static bool are_idle(uint64_t blocks, uint64_t most) {
  return blocks < most - most / 10;
}

/* Each of the segments of one size is cut into as many parts, of so many items. */
static void set_parts(const segment_args *args, uint64_t parts, uint64_t items,
                      segmented_reduce_plan *plan) {
  plan->values.call.parts = (int32_t)parts;
  plan->values.call.part_items = items;
  plan->blocks = (unsigned)(args->num_segments * parts);
}

/* Segments of one size that are a block each, or as many blocks each if these are about as many as can be
 * resident. `most` are. */
static void plan_parts(const program *p, const segment_args *args, uint64_t most,
                       segmented_reduce_plan *plan) {
  const segmented_reduce_tuning tuning =
      segmented_reduce_tuning_of(&p->kernels[SEGMENTED_REDUCE_ANY].tuning);
  const uint64_t unit = (uint64_t)(unsigned)tuning.threads * iter_place_items(args->in);
  const uint64_t n = args->num_segments, size = args->segment_size;
  if (n == 0 || size == 0) return;
  uint64_t parts = min_of(most / n, min_of((unsigned)tuning.threads, ceil_div(size, unit)));
  if (size <= MOST_OF_BLOCK && n <= MOST_BLOCKS) parts = 1;
  if (parts == 0) return;
  const uint64_t items = ceil_div(ceil_div(size, parts), unit) * unit;
  parts = ceil_div(size, items);
  if (size > MOST_OF_BLOCK && are_idle(n * parts, most) && product_of(n, size) > FEW_ITEMS) return;
  set_parts(args, parts, items, plan);
}

/* The same of many or much, which waves of blocks take by a kernel of their own, in the order of their
 * indices: what they read at a time lies together, which the GPU's memory is faster with. */
static bool plan_waves(const program *p, const segment_args *args, uint64_t few_items,
                       segmented_reduce_plan *plan) {
  const uint64_t n = args->num_segments, size = args->segment_size;
  if (!has_parts(p, args) || n == 0 || size == 0) return false;
  const segmented_reduce_tuning tuning = tuning_of(p, SEGMENTED_REDUCE_PARTS);
  const uint64_t unit = (uint64_t)(unsigned)tuning.threads * iter_place_items(args->in);
  const uint64_t resident = (uint64_t)p->multiprocessors * (unsigned)tuning.min_blocks;
  uint64_t parts = 1, items = ceil_div(size, unit) * unit;
  if (size <= MOST_OF_BLOCK) {
    if (n <= (uint64_t)p->multiprocessors * FEW_SEGMENTS || n > INT32_MAX) return false;
  } else {
    const uint64_t total = product_of(n, size);
    if (total <= min_of(few_items, FEW_ITEMS)) return false;
    /* All but a sixteenth, as each segment's last part is counted as a whole one. */
    items = ceil_div(max_of(ceil_div(total, MAX_PARTS - MAX_PARTS / 16), MOST_OF_BLOCK), unit) * unit;
    items = max_of(items, ceil_div(ceil_div(size, (unsigned)tuning.threads), unit) * unit);
    parts = ceil_div(size, items);
    if (product_of(n, parts) > MAX_PARTS || are_idle(n * parts, resident)) return false;
  }
  plan->kernel = SEGMENTED_REDUCE_PARTS;
  set_parts(args, parts, items, plan);
  return true;
}

/* Segments that the kernel for more blocks takes, 0 without it. */
static uint64_t most_of_more_blocks(const program *p, const segment_args *args) {
  if (p->count <= SEGMENTED_REDUCE_MORE_BLOCKS || !adjoin(args)) return 0;
  const unsigned threads = policy_threads(&p->kernels[SEGMENTED_REDUCE_MORE_BLOCKS].tuning);
  return min_of((uint64_t)p->multiprocessors * MOST_OWN_EIGHTHS / 8, threads * MOST_THREAD_SEGMENTS);
}

/* Those that the kernel for halves of blocks takes, 0 without it. */
static uint64_t most_of_halves(const program *p, const segment_args *args) {
  if (p->count <= SEGMENTED_REDUCE_HALF_BLOCKS || !adjoin(args)) return 0;
  const unsigned threads = policy_threads(&p->kernels[SEGMENTED_REDUCE_HALF_BLOCKS].tuning);
  return min_of((uint64_t)p->multiprocessors * MOST_HALVES, threads * MOST_OF_HALVES);
}

/* Those that the kernel for few takes. */
static uint64_t most_of_few(const program *p, const segment_args *args, const plan_limits *limits) {
  uint64_t most = MOST_FEW_APART;
  if (!is_fixed(args) && adjoin(args)) {
    const unsigned threads = policy_threads(&p->kernels[SEGMENTED_REDUCE_FEW].tuning);
    most = min_of(MOST_FEW, threads * MOST_HELPER_SEGMENTS);
  }
  return min_of(most, limits->segmented_reduce_most_few);
}

static int kernel_for(const program *p, const segment_args *args, uint64_t most_few) {
  const uint64_t n = args->num_segments;
  const bool are_others = !adjoin(args) && p->count > SEGMENTED_REDUCE_APART;
  if (is_fixed(args) || n > most_few) return are_others ? SEGMENTED_REDUCE_APART : SEGMENTED_REDUCE_ANY;
  const unsigned threads = policy_threads(&p->kernels[SEGMENTED_REDUCE_BLOCKS].tuning);
  if (n <= threads) return SEGMENTED_REDUCE_BLOCKS;
  if (n <= most_of_more_blocks(p, args)) return SEGMENTED_REDUCE_MORE_BLOCKS;
  if (n <= most_of_halves(p, args)) return SEGMENTED_REDUCE_HALF_BLOCKS;
  return are_others ? SEGMENTED_REDUCE_FEW_APART : SEGMENTED_REDUCE_FEW;
}

/* Blocks that have segments of their own, and beside them some that share out long ones. */
static void plan_helpers(const program *p, const segment_args *args, segmented_reduce_plan *plan) {
  uint64_t owners = args->num_segments;
  switch (plan->kernel) {
    case SEGMENTED_REDUCE_BLOCKS:
    case SEGMENTED_REDUCE_MORE_BLOCKS:
      break;
    case SEGMENTED_REDUCE_HALF_BLOCKS:
      owners = ceil_div(owners, 2);
      break;
    case SEGMENTED_REDUCE_FEW:
      if (!plan->adjoins) return;
      owners = min_of(ceil_div(owners, 2), (uint64_t)p->multiprocessors * BLOCKS_IN_TURN);
      break;
    default:
      return;
  }
  plan->values.call.parts = (int32_t)min_of((unsigned)p->multiprocessors * HELPERS, MAX_BLOCKS);
  plan->blocks = (unsigned)(owners + (unsigned)plan->values.call.parts);
}

static void plan_blocks(const program *p, const segment_args *args, const plan_limits *limits,
                        segmented_reduce_plan *plan) {
  plan->adjoins = adjoin(args);
  plan->kernel = kernel_for(p, args, most_of_few(p, args, limits));
  const segmented_reduce_tuning tuning = segmented_reduce_tuning_of(&p->kernels[plan->kernel].tuning);
  const uint64_t most = min_of((uint64_t)p->multiprocessors * (unsigned)tuning.min_blocks, MAX_BLOCKS);
  plan->blocks = (unsigned)most;
  plan->values.call.least_share = LEAST_SHARE;
  if (is_fixed(args)) {
    const uint64_t items = product_of(args->num_segments, args->segment_size);
    plan->blocks =
        (unsigned)max_of(min_of(most, ceil_div(sum_of(items, args->num_segments), LEAST_SHARE)), 1);
    if (!plan_waves(p, args, limits->segmented_reduce_few_items, plan)) plan_parts(p, args, most, plan);
    return;
  }
  const int kernel = plan->kernel;
  plan_helpers(p, args, plan);
  if (plan->adjoins || (kernel != SEGMENTED_REDUCE_ANY && kernel != SEGMENTED_REDUCE_APART)) return;
  const uint64_t shares = ceil_div(args->num_segments, STARTS_SHARE);
  plan->starts_blocks = (unsigned)min_of(shares, min_of((unsigned)p->multiprocessors * 4u, MAX_BLOCKS));
}

/* Never fewer of more segments. */
static uint64_t partials_of(const program *p, const segment_args *args) {
  if (!has_parts(p, args)) return MAX_BLOCKS;
  const uint64_t parts = product_of(args->num_segments, ceil_div(args->segment_size, MOST_OF_BLOCK));
  return max_of(min_of(parts, MAX_PARTS), MAX_BLOCKS);
}

/* A program may be used by calls whose segments adjoin, and by others. */
static temp_layout layout(const program *p, const segment_args *args, size_t accum_bytes) {
  temp_layout temp = {0};
  (void)temp_slot(&temp, partials_of(p, args) * tile_state_bytes(accum_bytes));
  if (adjoin(args)) return temp;
  (void)temp_slot(&temp, product_of(sum_of(args->num_segments, 1), sizeof(uint64_t)));
  (void)temp_slot(&temp, MAX_BLOCKS * tile_state_bytes(sizeof(uint64_t)));
  return temp;
}

static jig_status check_counts(const call *c, const segment_args *args) {
  const uint64_t n = args->num_segments;
  if (is_fixed(args))
    return call_check_count(c, "num_segments times segment_size", product_of(n, args->segment_size),
                            args->in, "in");
  jig_status status = call_check_count(c, "num_segments", n, args->begin_offsets, "begin_offsets");
  return status == JIG_SUCCESS ? call_check_count(c, "num_segments", n, args->end_offsets, "end_offsets")
                               : status;
}

jig_status segmented_reduce_prepare(call *c, const segment_args *args, size_t accum_bytes,
                                    segmented_reduce_plan *plan) {
  const program *p = c->program;
  *plan = (segmented_reduce_plan){.values.call = {.num_segments = args->num_segments,
                                                  .segment_size = args->segment_size,
                                                  .num_segments_in = args->num_segments_in}};
  jig_status status = check_counts(c, args);
  if (status != JIG_SUCCESS) return status;
  /* Lanes need none, but fewer segments of that size may be for blocks, and it never shrinks as counts
   * grow. */
  plan->temp = layout(p, args, accum_bytes);
  const unsigned lanes = is_fixed(args) ? lanes_for(p, args) : 0;
  if (lanes > 0) {
    plan_groups(p, args, lanes, plan);
    call_needs(c, plan->kernel);
    return call_check_blocks(c, "num_segments", plan->groups_blocks);
  }
  plan_blocks(p, args, &c->engine->limits, plan);
  if (plan->starts_blocks > 0) call_needs(c, SEGMENTED_REDUCE_STARTS);
  call_needs(c, plan->kernel);
  return call_check_temp(c, "num_segments", temp_size(&plan->temp));
}

/* ---- calls */

/* With offsets the items are somewhere: how many there are is only known where the offsets are. */
jig_status segmented_reduce_check_values(const call *c, const segment_args *args, const jig_iter *out,
                                         const char *out_name) {
  const uint64_t n = args->num_segments;
  const call_place places[] = {
      {out, n, out_name, true},
      {args->in, is_fixed(args) ? n * args->segment_size : iter_known_items(args->in), "in", false},
      {args->begin_offsets, n, "begin_offsets", false},
      {args->end_offsets, n, "end_offsets", false}};
  return call_check_places(c, places, is_fixed(args) ? 2 : 4);
}

static jig_status find_starts(call *c, const segmented_reduce_plan *plan) {
  const size_t bytes = MAX_BLOCKS * tile_state_bytes(sizeof(uint64_t));
  jig_status status = JIG_SUCCESS;
  if (plan->starts_blocks > 1) status = call_clear_for_graph(c, plan->values.sums, bytes);
  if (status != JIG_SUCCESS) return status;
  return call_launch(c, SEGMENTED_REDUCE_STARTS, (launch_shape){.grid = plan->starts_blocks, .pdl = true},
                     &plan->values);
}

/* Somebody more likely waits for what one block does than queues more of the kind, but not in a graph. */
static launch_shape shape_of(const call *c, uint64_t blocks) {
  return (launch_shape){.grid = (unsigned)blocks, .pdl = blocks > 1 || call_is_captured(c)};
}

jig_status segmented_reduce_launch(call *c, segmented_reduce_plan *plan) {
  if (plan->groups_blocks > 0)
    return call_launch(c, plan->kernel, shape_of(c, plan->groups_blocks), &plan->values);
  plan->values.call.tag = engine_tag(c->engine, c->number);
  plan->values.partials = temp_address(&plan->temp, SLOT_PARTIALS, c->storage);
  jig_status status = JIG_SUCCESS;
  if (!plan->adjoins) plan->values.call.starts = temp_address(&plan->temp, SLOT_STARTS, c->storage);
  if (plan->starts_blocks > 0) {
    plan->values.sums = temp_address(&plan->temp, SLOT_SUMS, c->storage);
    status = find_starts(c, plan);
  }
  if (status != JIG_SUCCESS) return status;
  return call_launch(c, plan->kernel, shape_of(c, plan->blocks), &plan->values);
}
