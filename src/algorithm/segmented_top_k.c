/* jig_segmented_top_k(): see include/jig/segmented_top_k.h and
 * templates/jig/agent/segmented_top_k/segmented_top_k.cuh. */
#include <jig/segmented_top_k.h>
#include <string.h>

#include "algorithm/call_places.h"
#include "algorithm/radix_keys.h"
#include "algorithm/segmented_reduce_plan.h"
#include "algorithm/segmented_top_k_plan.h"
#include "spec/complete.h"
#include "util/error.h"
#include "util/integer.h"

/* ---- the spec */

enum {
  BEGIN_OFFSETS,
  DECOMPOSER,
  END_OFFSETS,
  KEYS_IN,
  KEYS_OUT,
  NUM_SEGMENTS_IN,
  ORDER,
  VALUES_IN,
  VALUES_OUT,
  SLOTS
};

static const slot_schema slots[SLOTS] = {
    [BEGIN_OFFSETS] = SEGMENT_BEGIN_SLOT,
    [DECOMPOSER] = RADIX_DECOMPOSER_SLOT("keys_in"),
    [END_OFFSETS] = SEGMENT_END_SLOT,
    [KEYS_IN] = RADIX_PLACED_KEYS_SLOT("keys_in", "the keys"),
    [KEYS_OUT] = {.name = "keys_out",
                  .kind = SLOT_ITER,
                  .role = ITER_OUTPUT,
                  .places = {"keys_in"},
                  .help = "the k first keys of each segment",
                  .like = "keys_in"},
    [NUM_SEGMENTS_IN] = NUM_SEGMENTS_IN_SLOT,
    [ORDER] = RADIX_ORDER_SLOT,
    [VALUES_IN] = {.name = "values_in",
                   .use = USE_MOVED,
                   .kind = SLOT_ITER,
                   .optional = true,
                   .role = ITER_INPUT,
                   .help = "a value for each key",
                   .option = "values"},
    [VALUES_OUT] = {.name = "values_out",
                    .kind = SLOT_ITER,
                    .optional = true,
                    .role = ITER_OUTPUT,
                    .help = "the values of these keys",
                    .like = "values_in",
                    .follows = true},
};

static jig_status check(const spec *s) {
  static const char *const values[] = {"values_in", "values_out", NULL};
  jig_status status = segmented_reduce_check_spec(s);
  if (status == JIG_SUCCESS) status = spec_check_together(s, values);
  if (status == JIG_SUCCESS) status = spec_check_same_type(s, "keys_out", "keys_in");
  if (status == JIG_SUCCESS) status = spec_check_same_type(s, "values_out", "values_in");
  if (status != JIG_SUCCESS) return status;
  const jig_type *key = &s->slots[KEYS_IN].iter->type;
  const jig_op *decomposer = s->slots[DECOMPOSER].op;
  status = radix_check_key(key, s->slots[ORDER].choice, decomposer, "keys_in");
  return status == JIG_SUCCESS ? radix_check_kind(key, "keys_in", decomposer != NULL, "") : status;
}

static jig_status complete(parsed_spec *p) {
  const spec_slot *slots_of = p->s.slots;
  const jig_status status = radix_complete_order(p, &slots_of[KEYS_IN].iter->type);
  const bool has_values = slots_of[VALUES_IN].iter != NULL && slots_of[VALUES_OUT].iter != NULL;
  if (status == JIG_SUCCESS)
    radix_share_types(parsed_iter(p, "keys_in"), parsed_iter(p, "keys_out"),
                      has_values ? parsed_iter(p, "values_in") : NULL,
                      has_values ? parsed_iter(p, "values_out") : NULL);
  return status;
}

/* What the kernels take beside iterators. */
typedef struct segmented_top_k_values {
  segmented_top_k_call call;
} segmented_top_k_values;

static const kernel_parameter parameters[] = {
    SLOT_PARAMETER(KEYS_IN),
    SLOT_PARAMETER(KEYS_OUT),
    SLOT_PARAMETER(VALUES_IN),
    SLOT_PARAMETER(VALUES_OUT),
    SLOT_PARAMETER(BEGIN_OFFSETS),
    SLOT_PARAMETER(END_OFFSETS),
    COUNTED_STRUCT_PARAMETER(segmented_top_k_values, call, "jig::SegmentedTopKCall",
                             segmented_top_k_call_fields, num_segments, NUM_SEGMENTS_IN),
    {PARAMETERS_END},
};

#define KERNEL_OF(name_, templates_, space_, which_)                                                   \
  {                                                                                                    \
    .name = "jig_segmented_top_k_" #name_,                                                             \
    .templates = "jig/kernel/segmented_top_k/segmented_top_k_" #templates_ ".cuh",                     \
    .function = "jig::segmented_top_k_" #templates_                                                    \
                "<jig_policy, jig::top_k_keys<jig_order, jig_keys_in_t, jig_decomposer_t>" which_ ">", \
    .parameters = parameters, .space = &segmented_top_k_##space_##_space                               \
  }
#define KERNEL(name_) KERNEL_OF(name_, name_, name_, "")
static const kernel_row kernels[] = {
    [SEGMENTED_TOP_K_SMALL] = KERNEL(small),
    [SEGMENTED_TOP_K_LARGE] = KERNEL_OF(large, large, large, ", true, true"),
    [SEGMENTED_TOP_K_WHOLE] = KERNEL_OF(whole, large, large, ", true, false"),
    [SEGMENTED_TOP_K_SEARCH] = KERNEL(search),
    [SEGMENTED_TOP_K_EVEN] = KERNEL_OF(even, large, even, ", false, false"),
    [SEGMENTED_TOP_K_ROWS] = KERNEL(rows),
    [SEGMENTED_TOP_K_CLUSTERS] = KERNEL_OF(clusters, rows, clusters, ""),
    [SEGMENTED_TOP_K_LONG_ROWS] = KERNEL_OF(long_rows, rows, long_rows, ""),
};

/* With offsets there are no rows. */
static int count_kernels(const spec *s) {
  return s->slots[BEGIN_OFFSETS].iter == NULL ? SEGMENTED_TOP_K_KERNELS : SEGMENTED_TOP_K_EVEN;
}

/* clang-format off */
#define FIELDS(s, F, R)                                                                                \
  F(s, keys_in) F(s, keys_out) F(s, values_in) F(s, values_out) F(s, num_items) F(s, begin_offsets)    \
  F(s, end_offsets) F(s, num_segments) F(s, segment_size) F(s, k) F(s, choice) F(s, is_sorted)         \
  F(s, decomposer) F(s, num_segments_in) R(s, reserved)
/* clang-format on */
STRUCT_LAYOUT(jig_segmented_top_k_args, 1888, FIELDS);

const algorithm segmented_top_k_algorithm = {
    .schema = {.algorithm = "segmented_top_k",
               .slots = slots,
               .slot_count = SLOTS,
               .check = check,
               .complete = complete},
    .args = &layout_of_jig_segmented_top_k_args,
    .kernels = kernels,
    .kernel_count = SEGMENTED_TOP_K_KERNELS,
    .count_kernels = count_kernels,
};

/* ---- the spec of a call */

enum { MAX_PLACES = 6 };

typedef struct bound_spec {
  spec s;
  const jig_segmented_top_k_args *args;
  jig_iter keys_in, keys_out, values_in, values_out;
  jig_op decomposer;
  uint64_t num_items, results; /* in all */
  segmented_top_k_plan plan;
  call_place places[MAX_PLACES];
  size_t place_count;
} bound_spec;

static void fill_spec(const jig_segmented_top_k_args *args, bound_spec *b) {
  b->keys_in = args->keys_in;
  b->keys_out = args->keys_out;
  b->values_in = args->values_in;
  b->values_out = args->values_out;
  radix_share_types(&b->keys_in, &b->keys_out, &b->values_in, &b->values_out);
  memset(&b->s, 0, sizeof b->s);
  b->s.schema = &segmented_top_k_algorithm.schema;
  b->s.slots[BEGIN_OFFSETS].iter = iter_given(&args->begin_offsets);
  b->s.slots[END_OFFSETS].iter = iter_given(&args->end_offsets);
  b->s.slots[KEYS_IN].iter = &b->keys_in;
  b->s.slots[KEYS_OUT].iter = &b->keys_out;
  b->s.slots[VALUES_IN].iter = iter_given(&b->values_in);
  b->s.slots[VALUES_OUT].iter = iter_given(&b->values_out);
  b->s.slots[NUM_SEGMENTS_IN].choice = args->num_segments_in != NULL;
  b->s.slots[ORDER].choice = radix_order_of(&args->keys_in.type, args->decomposer);
  if (args->decomposer == NULL) return;
  b->decomposer = jig_op_source(args->decomposer);
  b->s.slots[DECOMPOSER].op = &b->decomposer;
}

static bool is_fixed(const jig_segmented_top_k_args *args) {
  return args->begin_offsets.kind == JIG_ITER_NONE;
}

static void add_place(bound_spec *b, const jig_iter *iter, uint64_t count, const char *name,
                      bool is_output) {
  if (iter->kind != JIG_ITER_NONE)
    b->places[b->place_count++] = (call_place){iter, count, name, is_output};
}

/* The offsets last. */
static void list_places(const jig_segmented_top_k_args *args, bound_spec *b) {
  b->place_count = 0;
  add_place(b, &args->keys_in, b->num_items, "keys_in", false);
  add_place(b, &args->keys_out, b->results, "keys_out", true);
  add_place(b, &args->values_in, b->num_items, "values_in", false);
  add_place(b, &args->values_out, b->results, "values_out", true);
  add_place(b, &args->begin_offsets, args->num_segments, "begin_offsets", false);
  add_place(b, &args->end_offsets, args->num_segments, "end_offsets", false);
}

static jig_status bind(const char *name, const void *args_, void *bound) {
  const jig_segmented_top_k_args *args = args_;
  bound_spec *b = bound;
  const segment_args segments = {&args->keys_in,     &args->begin_offsets, &args->end_offsets,
                                 args->num_segments, args->segment_size,   args->num_segments_in};
  jig_status status = call_check_choice(name, "choice", (int)args->choice, JIG_TOP_K_MIN);
  if (status == JIG_SUCCESS) status = call_check_choice(name, "is_sorted", args->is_sorted, 1);
  if (status == JIG_SUCCESS) status = segmented_reduce_check_args(name, &segments);
  if (status != JIG_SUCCESS) return status;
  b->args = args;
  b->num_items = is_fixed(args) ? product_of(args->num_segments, args->segment_size) : args->num_items;
  /* k may be more than any segment has: what is not there is not written. */
  const uint64_t longest = is_fixed(args) ? args->segment_size : args->num_items;
  const uint64_t before = args->num_segments > 0 ? args->num_segments - 1 : 0;
  b->results = args->num_segments > 0 ? sum_of(product_of(before, args->k), min_of(args->k, longest)) : 0;
  list_places(args, b);
  fill_spec(args, b);
  return JIG_SUCCESS;
}

/* ---- the call */

/* What tells how many items there are. */
static const char *counts_items(const bound_spec *b) {
  return is_fixed(b->args) ? "num_segments times segment_size" : "num_items";
}

/* Of results there are k for each segment. */
static const char *counts_what(const bound_spec *b, const call_place *place) {
  if (place->is_output) return "num_segments times k";
  if (place->iter == &b->args->begin_offsets || place->iter == &b->args->end_offsets)
    return "num_segments";
  return counts_items(b);
}

static jig_status check_counts(const call *c, const bound_spec *b) {
  jig_status status = JIG_SUCCESS;
  for (size_t i = 0; i < b->place_count && status == JIG_SUCCESS; ++i)
    status = call_check_counts(c, counts_what(b, &b->places[i]), &b->places[i], 1);
  return status;
}

static jig_status check_plan(const call *c, const bound_spec *b) {
  const segmented_top_k_plan *plan = &b->plan;
  if (plan->has_too_many)
    return error_set(JIG_ERROR_UNSUPPORTED, "%s: %s: more than there are lists for", c->name,
                     counts_items(b));
  if (plan->is_too_long)
    return error_set(JIG_ERROR_UNSUPPORTED,
                     "%s: k: so many are not found in segments of more than 2^32 items", c->name);
  const jig_status status =
      plan->has_small ? call_check_blocks(c, "num_segments", plan->small_blocks) : JIG_SUCCESS;
  return status == JIG_SUCCESS ? call_check_temp(c, counts_items(b), temp_size(&plan->temp)) : status;
}

static bool is_empty(const bound_spec *b) {
  return b->args->k == 0 || b->num_items == 0 || b->args->num_segments == 0;
}

static int large_kernel(const segmented_top_k_plan *plan) {
  if (!plan->lists) return SEGMENTED_TOP_K_EVEN;
  return plan->call.max_parts > 0 ? SEGMENTED_TOP_K_LARGE : SEGMENTED_TOP_K_WHOLE;
}

static jig_status prepare(call *c, void *bound, temp_layout *temp) {
  bound_spec *b = bound;
  const jig_segmented_top_k_args *args = b->args;
  jig_status status = check_counts(c, b);
  if (status != JIG_SUCCESS) return status;
  const segmented_top_k_size size = {.num_items = b->num_items,
                                     .num_segments = args->num_segments,
                                     .segment_size = is_fixed(args) ? args->segment_size : 0,
                                     .k = args->k,
                                     .key_bytes = args->keys_in.type.size,
                                     .bits_bytes = radix_bits_bytes(&args->keys_in.type),
                                     .is_sorted = args->is_sorted != 0};
  b->plan = segmented_top_k_plan_of(c->program, &c->engine->limits, &size);
  if (b->plan.has_small || is_empty(b)) call_needs(c, SEGMENTED_TOP_K_SMALL);
  if (b->plan.large_blocks > 0) call_needs(c, large_kernel(&b->plan));
  if (b->plan.search_blocks > 0) call_needs(c, SEGMENTED_TOP_K_SEARCH);
  if (b->plan.rows.grid > 0) call_needs(c, b->plan.rows_kernel);
  status = is_empty(b) ? JIG_SUCCESS : check_plan(c, b);
  if (status == JIG_SUCCESS) *temp = b->plan.temp;
  return status;
}

static jig_status launch_kernels(call *c, const bound_spec *b) {
  const segmented_top_k_plan *plan = &b->plan;
  const jig_type *key = &b->args->keys_in.type;
  segmented_top_k_values values = {plan->call};
  segmented_top_k_place(plan, c->storage, &values.call);
  values.call.tag = engine_tag(c->engine, c->number);
  values.call.is_signed = radix_is_signed(key);
  values.call.is_descending = b->args->choice == JIG_TOP_K_MAX;
  values.call.is_sorted = b->args->is_sorted;
  values.call.num_segments_in = b->args->num_segments_in;
  if (plan->rows.grid > 0) return call_launch(c, plan->rows_kernel, plan->rows, &values);
  jig_status status = JIG_SUCCESS;
  if (plan->has_small) {
    const launch_shape shape = {.grid = (unsigned)plan->small_blocks,
                                .pdl = plan->small_blocks > 1 || plan->lists};
    status = call_launch(c, SEGMENTED_TOP_K_SMALL, shape, &values);
  }
  if (status == JIG_SUCCESS && plan->large_blocks > 0)
    status = call_launch(c, large_kernel(plan), (launch_shape){.grid = plan->large_blocks, .pdl = true},
                         &values);
  if (status == JIG_SUCCESS && plan->search_blocks > 0)
    status = call_launch(c, SEGMENTED_TOP_K_SEARCH,
                         (launch_shape){.grid = plan->search_blocks, .pdl = true}, &values);
  return status;
}

static jig_status launch(call *c, void *bound, const temp_layout *temp) {
  const bound_spec *b = bound;
  (void)temp; /* the plan has it */
  if (is_empty(b)) return JIG_SUCCESS;
  const jig_status status = call_check_places(c, b->places, b->place_count);
  return status == JIG_SUCCESS ? launch_kernels(c, b) : status;
}

const call_steps segmented_top_k_steps = {
    "jig_segmented_top_k", CALL_ARGS(jig_segmented_top_k_args, num_segments), bind, prepare, launch,
    sizeof(bound_spec)};

jig_status jig_segmented_top_k(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                               const jig_segmented_top_k_args *args, CUstream stream) {
  bound_spec b;
  return call_run(&segmented_top_k_steps, engine, d_temp_storage, temp_storage_bytes, args, stream, &b);
}

jig_status jig_segmented_top_k_spec(const jig_segmented_top_k_args *args, char **text) {
  bound_spec b;
  return call_spec(&segmented_top_k_steps, args, text, &b);
}

/* ---- the same by name */

static jig_status call_pairs(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                             jig_top_k_choice choice, jig_iter keys_in, jig_iter keys_out,
                             jig_iter values_in, jig_iter values_out, uint64_t num_items,
                             uint64_t num_segments, jig_iter begin_offsets, jig_iter end_offsets,
                             uint64_t k, CUstream stream) {
  const jig_segmented_top_k_args args = {.keys_in = keys_in,
                                         .keys_out = keys_out,
                                         .values_in = values_in,
                                         .values_out = values_out,
                                         .num_items = num_items,
                                         .begin_offsets = begin_offsets,
                                         .end_offsets = end_offsets,
                                         .num_segments = num_segments,
                                         .k = k,
                                         .choice = choice};
  return jig_segmented_top_k(engine, d_temp_storage, temp_storage_bytes, &args, stream);
}

jig_status jig_segmented_top_k_max_pairs(jig_engine *engine, void *d_temp_storage,
                                         size_t *temp_storage_bytes, jig_iter keys_in, jig_iter keys_out,
                                         jig_iter values_in, jig_iter values_out, uint64_t num_items,
                                         uint64_t num_segments, jig_iter begin_offsets,
                                         jig_iter end_offsets, uint64_t k, CUstream stream) {
  return call_pairs(engine, d_temp_storage, temp_storage_bytes, JIG_TOP_K_MAX, keys_in, keys_out,
                    values_in, values_out, num_items, num_segments, begin_offsets, end_offsets, k,
                    stream);
}

jig_status jig_segmented_top_k_min_pairs(jig_engine *engine, void *d_temp_storage,
                                         size_t *temp_storage_bytes, jig_iter keys_in, jig_iter keys_out,
                                         jig_iter values_in, jig_iter values_out, uint64_t num_items,
                                         uint64_t num_segments, jig_iter begin_offsets,
                                         jig_iter end_offsets, uint64_t k, CUstream stream) {
  return call_pairs(engine, d_temp_storage, temp_storage_bytes, JIG_TOP_K_MIN, keys_in, keys_out,
                    values_in, values_out, num_items, num_segments, begin_offsets, end_offsets, k,
                    stream);
}

jig_status jig_segmented_top_k_max_keys(jig_engine *engine, void *d_temp_storage,
                                        size_t *temp_storage_bytes, jig_iter keys_in, jig_iter keys_out,
                                        uint64_t num_items, uint64_t num_segments, jig_iter begin_offsets,
                                        jig_iter end_offsets, uint64_t k, CUstream stream) {
  const jig_iter none = {0};
  return call_pairs(engine, d_temp_storage, temp_storage_bytes, JIG_TOP_K_MAX, keys_in, keys_out, none,
                    none, num_items, num_segments, begin_offsets, end_offsets, k, stream);
}

jig_status jig_segmented_top_k_min_keys(jig_engine *engine, void *d_temp_storage,
                                        size_t *temp_storage_bytes, jig_iter keys_in, jig_iter keys_out,
                                        uint64_t num_items, uint64_t num_segments, jig_iter begin_offsets,
                                        jig_iter end_offsets, uint64_t k, CUstream stream) {
  const jig_iter none = {0};
  return call_pairs(engine, d_temp_storage, temp_storage_bytes, JIG_TOP_K_MIN, keys_in, keys_out, none,
                    none, num_items, num_segments, begin_offsets, end_offsets, k, stream);
}
