/* jig_nth_element(): see include/jig/nth_element.h and templates/jig/agent/nth_element/nth_rule.cuh. */
#include <jig/nth_element.h>
#include <string.h>

#include "algorithm/call_places.h"
#include "algorithm/chain.h"
#include "algorithm/radix_keys.h"
#include "algorithm/top_k_search.h"
#include "policy/select.h"
#include "spec/complete.h"
#include "spec/type.h"
#include "util/error.h"
#include "util/integer.h"

/* ---- the spec */

enum { DECOMPOSER, IN, NTH_OUT, NUM_ITEMS_IN, ORDER, OUT, VALUES_IN, VALUES_OUT, SLOTS };

static const slot_schema slots[SLOTS] = {
    [DECOMPOSER] = RADIX_DECOMPOSER_SLOT("in"),
    [IN] = RADIX_PLACED_KEYS_SLOT("in", "the items"),
    [NTH_OUT] = {.name = "nth_out",
                 .kind = SLOT_ITER,
                 .optional = true,
                 .role = ITER_OUTPUT,
                 .places = {"in"},
                 .help = "the nth item",
                 .like = "in"},
    [NUM_ITEMS_IN] = NUM_ITEMS_IN_SLOT,
    [ORDER] = RADIX_ORDER_SLOT,
    [OUT] = {.name = "out",
             .kind = SLOT_ITER,
             .optional = true,
             .role = ITER_OUTPUT,
             .places = {"in"},
             .help = "all items, the nth where it belongs; it or nth_out may be left out",
             .like = "in"},
    [VALUES_IN] = {.name = "values_in",
                   .use = USE_MOVED,
                   .kind = SLOT_ITER,
                   .optional = true,
                   .role = ITER_INPUT,
                   .help = "a value for each item",
                   .option = "values"},
    [VALUES_OUT] = {.name = "values_out",
                    .kind = SLOT_ITER,
                    .optional = true,
                    .role = ITER_OUTPUT,
                    .help = "the values where their items are",
                    .like = "values_in",
                    .follows = true},
};

static jig_status check(const spec *s) {
  static const char *const values[] = {"values_in", "values_out", NULL};
  jig_status status = spec_check_together(s, values);
  if (status == JIG_SUCCESS) status = spec_check_same_type(s, "out", "in");
  if (status == JIG_SUCCESS) status = spec_check_same_type(s, "nth_out", "in");
  if (status == JIG_SUCCESS) status = spec_check_same_type(s, "values_out", "values_in");
  if (status != JIG_SUCCESS) return status;
  const bool has_out = s->slots[OUT].iter != NULL;
  if (!has_out && s->slots[NTH_OUT].iter == NULL)
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "out: missing, and there is no nth_out either");
  if (!has_out && s->slots[VALUES_IN].iter != NULL)
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "values_in: values are only for calls with out");
  const jig_type *key = &s->slots[IN].iter->type;
  const jig_op *decomposer = s->slots[DECOMPOSER].op;
  status = radix_check_key(key, s->slots[ORDER].choice, decomposer, "in");
  return status == JIG_SUCCESS ? radix_check_kind(key, "in", decomposer != NULL, "") : status;
}

/* Items of one size share a program, and values, where pointers lead to all of them. */
static void share_types(jig_iter *in, jig_iter *out, jig_iter *nth_out, jig_iter *values_in,
                        jig_iter *values_out) {
  const bool has_both = out != NULL && nth_out != NULL;
  if (has_both && (nth_out->kind != JIG_ITER_POINTER || !type_identical(&nth_out->type, &in->type)))
    return;
  radix_share_types(in, out != NULL ? out : nth_out, values_in, values_out);
  if (has_both) nth_out->type = in->type;
}

static jig_status complete(parsed_spec *p) {
  const spec_slot *slots_of = p->s.slots;
  const jig_status status = radix_complete_order(p, &slots_of[IN].iter->type);
  const bool has_values = slots_of[VALUES_IN].iter != NULL && slots_of[VALUES_OUT].iter != NULL;
  if (status == JIG_SUCCESS && (slots_of[OUT].iter != NULL || slots_of[NTH_OUT].iter != NULL))
    share_types(parsed_iter(p, "in"), slots_of[OUT].iter != NULL ? parsed_iter(p, "out") : NULL,
                slots_of[NTH_OUT].iter != NULL ? parsed_iter(p, "nth_out") : NULL,
                has_values ? parsed_iter(p, "values_in") : NULL,
                has_values ? parsed_iter(p, "values_out") : NULL);
  return status;
}

/* What the kernels take beside iterators. */
typedef struct nth_element_values {
  chain_values chain; /* first, as all of these kernels find it there */
  top_k_call call;
} nth_element_values;

#define CALL                                                                                        \
  COUNTED_STRUCT_PARAMETER(nth_element_values, call, "jig::TopKCall", top_k_call_fields, num_items, \
                           NUM_ITEMS_IN)
#define COUNTED "jig_num_items_in != 0"
#define PARTITION                                                                                       \
  SLOT_PARAMETER(IN), SLOT_PARAMETER(OUT), SLOT_PARAMETER(VALUES_IN), SLOT_PARAMETER(VALUES_OUT), CALL, \
      CHAIN_NUM_ITEMS
static const kernel_parameter single_wave_parameters[] = {PARTITION, CHAIN_SINGLE_WAVE_PARAMETERS};
static const kernel_parameter lookback_parameters[] = {PARTITION,
                                                       CHAIN_LOOKBACK_PARAMETERS("jig::class_counts<2>")};
static const kernel_parameter pipeline_parameters[] = {PARTITION, CHAIN_PIPELINE_PARAMETERS};
static const kernel_parameter search_parameters[] = {
    SLOT_PARAMETER(IN), SLOT_PARAMETER(NTH_OUT), CALL, {PARAMETERS_END}};

#define KEYS "jig::top_k_keys<jig_order, jig_in_t, jig_decomposer_t>"
#define CHAINED(chain_) "jig::nth_element<jig_policy, jig::" chain_ "<jig::class_counts<2>>, " KEYS ">"
static const kernel_row pipeline = {.name = "jig_nth_element_pipeline",
                                    .templates = "jig/kernel/nth_element/nth_element_pipeline.cuh",
                                    .function = CHAINED("PipelineChain"),
                                    .parameters = pipeline_parameters,
                                    .space = &select_pipeline_space,
                                    .fits = select_pipeline_fits};

#define SEARCH(name_)                                                                                    \
  {                                                                                                      \
    .name = "jig_nth_element_" #name_, .templates = "jig/kernel/nth_element/nth_element_" #name_ ".cuh", \
    .function = "jig::nth_element_" #name_ "<jig_policy, " COUNTED ", " KEYS ">",                        \
    .parameters = search_parameters, .space = &top_k_##name_##_space                                     \
  }
enum { FIRST_SEARCH = CHAIN_KERNELS, KERNELS = FIRST_SEARCH + TOP_K_SELECT + 1 };
static const kernel_row kernels[KERNELS] = {
    [CHAIN_SINGLE_WAVE] = {.name = "jig_nth_element_single_wave",
                           .templates = "jig/kernel/nth_element/nth_element.cuh",
                           .function = CHAINED("SingleWaveChain"),
                           .parameters = single_wave_parameters,
                           .space = &select_single_wave_space},
    [CHAIN_LARGE] = {.name = "jig_nth_element_lookback",
                     .templates = "jig/kernel/nth_element/nth_element.cuh",
                     .function = CHAINED("LookbackChain"),
                     .parameters = lookback_parameters,
                     .space = &select_lookback_space,
                     .instead = &pipeline},
    [FIRST_SEARCH + TOP_K_BLOCK] = SEARCH(block),
    [FIRST_SEARCH + TOP_K_SAMPLE] = SEARCH(sample),
    [FIRST_SEARCH + TOP_K_PASS] = SEARCH(pass),
    [FIRST_SEARCH + TOP_K_SELECT] = SEARCH(select),
};

/* clang-format off */
#define FIELDS(s, F, R)                                                                             \
  F(s, in) F(s, out) F(s, values_in) F(s, values_out) F(s, nth_out) F(s, num_items) F(s, nth)       \
  F(s, order) R(s, reserved32) F(s, decomposer) F(s, num_items_in) R(s, reserved)
/* clang-format on */
STRUCT_LAYOUT(jig_nth_element_args, 1576, FIELDS);

const algorithm nth_element_algorithm = {
    .schema = {.algorithm = "nth_element",
               .slots = slots,
               .slot_count = SLOTS,
               .check = check,
               .complete = complete},
    .args = &layout_of_jig_nth_element_args,
    .kernels = kernels,
    .kernel_count = KERNELS,
};

/* ---- the spec of a call */

enum { MAX_PLACES = 5 };

typedef struct bound_spec {
  spec s;
  const jig_nth_element_args *args;
  jig_iter in, out, nth_out, values_in, values_out;
  jig_op decomposer;
  top_k_size size;
  chain_size chain;
  temp_layout chain_temp, search_temp;
  call_place places[MAX_PLACES];
  size_t place_count;
} bound_spec;

static void fill_spec(const jig_nth_element_args *args, bound_spec *b) {
  b->in = args->in;
  b->out = args->out;
  b->nth_out = args->nth_out;
  b->values_in = args->values_in;
  b->values_out = args->values_out;
  const jig_iter *out = iter_given(&b->out), *nth_out = iter_given(&b->nth_out);
  if (out != NULL || nth_out != NULL)
    share_types(&b->in, out != NULL ? &b->out : NULL, nth_out != NULL ? &b->nth_out : NULL, &b->values_in,
                &b->values_out);
  memset(&b->s, 0, sizeof b->s);
  b->s.schema = &nth_element_algorithm.schema;
  b->s.slots[IN].iter = &b->in;
  b->s.slots[OUT].iter = out;
  b->s.slots[NTH_OUT].iter = nth_out;
  b->s.slots[VALUES_IN].iter = iter_given(&b->values_in);
  b->s.slots[VALUES_OUT].iter = iter_given(&b->values_out);
  b->s.slots[NUM_ITEMS_IN].choice = args->num_items_in != NULL;
  b->s.slots[ORDER].choice = radix_order_of(&args->in.type, args->decomposer);
  if (args->decomposer == NULL) return;
  b->decomposer = jig_op_source(args->decomposer);
  b->s.slots[DECOMPOSER].op = &b->decomposer;
}

static void add_place(bound_spec *b, const jig_iter *iter, uint64_t count, const char *name,
                      bool is_output) {
  if (iter->kind != JIG_ITER_NONE)
    b->places[b->place_count++] = (call_place){iter, count, name, is_output};
}

static void list_places(const jig_nth_element_args *args, bound_spec *b) {
  const uint64_t n = args->num_items;
  b->place_count = 0;
  add_place(b, &args->in, n, "in", false);
  add_place(b, &args->out, n, "out", true);
  add_place(b, &args->values_in, n, "values_in", false);
  add_place(b, &args->values_out, n, "values_out", true);
  add_place(b, &args->nth_out, n > 0 ? 1 : 0, "nth_out", true);
}

static jig_status bind(const char *name, const void *args_, void *bound) {
  const jig_nth_element_args *args = args_;
  bound_spec *b = bound;
  const jig_status status = call_check_choice(name, "order", (int)args->order, JIG_SORT_DESCENDING);
  if (status != JIG_SUCCESS) return status;
  b->args = args;
  b->size = (top_k_size){.num_items = args->num_items,
                         .k = args->num_items > 0 ? min_of(args->nth, args->num_items - 1) + 1 : 0,
                         .bits_bytes = radix_bits_bytes(&args->in.type),
                         .first_kernel = FIRST_SEARCH};
  list_places(args, b);
  fill_spec(args, b);
  return JIG_SUCCESS;
}

/* ---- the call */

/* Slots behind those of the chain. */
enum { FOUND_BYTES = 32 }; /* jig::NthFound, at most */

static jig_status prepare(call *c, void *bound, temp_layout *temp) {
  bound_spec *b = bound;
  const jig_nth_element_args *args = b->args;
  jig_status status = call_check_counts(c, "num_items", b->places, b->place_count);
  if (status != JIG_SUCCESS) return status;
  if (args->nth >= args->num_items && args->num_items > 0)
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: nth: it is %llu, of %llu items", c->name,
                     (unsigned long long)args->nth, (unsigned long long)args->num_items);
  if (args->out.kind != JIG_ITER_NONE) {
    b->chain = (chain_size){args->num_items, 2 * sizeof(uint64_t)};
    status = chain_prepare(c, &b->chain, &b->chain_temp);
    if (status != JIG_SUCCESS) return status;
  }
  b->search_temp = top_k_temp(c->program, &c->engine->limits, &b->size);
  top_k_search_needs(c, &b->size);
  (void)temp_slot(temp, args->out.kind != JIG_ITER_NONE ? temp_size(&b->chain_temp) : 0);
  (void)temp_slot(temp, temp_size(&b->search_temp));
  (void)temp_slot(temp, FOUND_BYTES);
  return call_check_temp(c, "num_items", temp_size(temp));
}

static jig_status launch(call *c, void *bound, const temp_layout *temp) {
  const bound_spec *b = bound;
  const jig_nth_element_args *args = b->args;
  jig_status status = call_check_places(c, b->places, b->place_count);
  if (status != JIG_SUCCESS) return status;
  const top_k_plan plan = top_k_plan_of(c->program, &c->engine->limits, &b->size);
  nth_element_values values = {
      .chain = {.num_items = {args->num_items, args->num_items_in}},
      .call = top_k_call_of(&b->size, &plan, &b->search_temp, temp_address(temp, 1, c->storage))};
  values.call.records = temp_address(temp, 2, c->storage);
  values.call.is_signed = radix_is_signed(&args->in.type);
  values.call.is_descending = args->order == JIG_SORT_DESCENDING;
  values.call.num_items_in = args->num_items_in;
  status = top_k_search_launch(c, &b->size, &plan, &values);
  if (status != JIG_SUCCESS || args->out.kind == JIG_ITER_NONE) return status;
  /* Of the call's temp storage the chain's is the first. */
  return chain_launch(c, &b->chain, &b->chain_temp, &values.chain);
}

const call_steps nth_element_steps = {
    "jig_nth_element", CALL_WORK_ARGS(jig_nth_element_args, num_items), bind, prepare, launch,
    sizeof(bound_spec)};

jig_status jig_nth_element(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                           const jig_nth_element_args *args, CUstream stream) {
  bound_spec b;
  return call_run(&nth_element_steps, engine, d_temp_storage, temp_storage_bytes, args, stream, &b);
}

jig_status jig_nth_element_spec(const jig_nth_element_args *args, char **text) {
  bound_spec b;
  return call_spec(&nth_element_steps, args, text, &b);
}
