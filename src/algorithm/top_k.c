/* jig_top_k(): see include/jig/top_k.h and templates/jig/agent/top_k*.cuh. */
#include <jig/top_k.h>
#include <string.h>

#include "algorithm/call_places.h"
#include "algorithm/merge_sort.h"
#include "algorithm/radix_keys.h"
#include "algorithm/top_k_search.h"
#include "spec/complete.h"
#include "spec/type.h"
#include "util/error.h"
#include "util/integer.h"

/* ---- the spec */

enum { DECOMPOSER, IS_SORTED, KEYS_IN, KEYS_OUT, NUM_ITEMS_IN, ORDER, VALUES_IN, VALUES_OUT, SLOTS };

static const slot_schema slots[SLOTS] = {
    [DECOMPOSER] = RADIX_DECOMPOSER_SLOT("keys_in"),
    [IS_SORTED] = {.name = "is_sorted",
                   .kind = SLOT_FLAG,
                   .help = "whether the result is in order, which takes a second program",
                   .option = "sorted"},
    [KEYS_IN] = RADIX_PLACED_KEYS_SLOT("keys_in", "the keys"),
    [KEYS_OUT] = {.name = "keys_out",
                  .kind = SLOT_ITER,
                  .role = ITER_OUTPUT,
                  .places = {"keys_in"},
                  .help = "the k first keys",
                  .like = "keys_in"},
    [NUM_ITEMS_IN] = NUM_ITEMS_IN_SLOT,
    [ORDER] = RADIX_ORDER_SLOT,
    [VALUES_IN] = {.name = "values_in",
                   .use = USE_MOVED,
                   .kind = SLOT_ITER,
                   .optional = true,
                   .role = ITER_INPUT,
                   .places = {"values_in"},
                   .help = "a value for each key",
                   .option = "values"},
    [VALUES_OUT] = {.name = "values_out",
                    .kind = SLOT_ITER,
                    .optional = true,
                    .role = ITER_OUTPUT,
                    .places = {"values_in"},
                    .help = "the values of these keys",
                    .like = "values_in",
                    .follows = true},
};

static jig_status check(const spec *s) {
  static const char *const values[] = {"values_in", "values_out", NULL};
  jig_status status = spec_check_together(s, values);
  if (status == JIG_SUCCESS) status = spec_check_same_type(s, "keys_out", "keys_in");
  if (status == JIG_SUCCESS) status = spec_check_same_type(s, "values_out", "values_in");
  if (status != JIG_SUCCESS) return status;
  const jig_type *key = &s->slots[KEYS_IN].iter->type;
  const jig_op *decomposer = s->slots[DECOMPOSER].op;
  status = radix_check_key(key, s->slots[ORDER].choice, decomposer, "keys_in");
  return status == JIG_SUCCESS ? radix_check_kind(key, "keys_in", decomposer != NULL, "") : status;
}

/* What the kernels take beside iterators. */
typedef struct top_k_values {
  top_k_call call;
} top_k_values;

static const kernel_parameter parameters[] = {
    SLOT_PARAMETER(KEYS_IN),
    SLOT_PARAMETER(KEYS_OUT),
    SLOT_PARAMETER(VALUES_IN),
    SLOT_PARAMETER(VALUES_OUT),
    COUNTED_STRUCT_PARAMETER(top_k_values, call, "jig::TopKCall", top_k_call_fields, num_items,
                             NUM_ITEMS_IN),
    {PARAMETERS_END},
};

#define KERNEL_OF(name_, template_, which_)                                                      \
  {                                                                                              \
    .name = "jig_top_k_" #name_, .templates = "jig/kernel/top_k/top_k_" #template_ ".cuh",       \
    .function = "jig::top_k_" #template_                                                         \
                "<jig_policy, jig_num_items_in != 0, jig::top_k_keys<jig_order, jig_keys_in_t, " \
                "jig_decomposer_t>" which_ ">",                                                  \
    .parameters = parameters, .space = &top_k_##name_##_space                                    \
  }
#define KERNEL(name_) KERNEL_OF(name_, name_, "")
static const kernel_row kernels[] = {
    [TOP_K_BLOCK] = KERNEL(block),   [TOP_K_SAMPLE] = KERNEL(sample),
    [TOP_K_PASS] = KERNEL(pass),     [TOP_K_SELECT] = KERNEL(select),
    [TOP_K_GATHER] = KERNEL(gather), [TOP_K_LARGE_BLOCK] = KERNEL_OF(large_block, block, ", true"),
};

/* A result is sorted as records of bits and indices (jig::TopKRecord), of which no two are equal. */
#define RECORD(bits_) "struct top_k_record { " bits_ " bits; unsigned long long index; };"
#define RECORDS(bits_, size_, align_)   \
  {                                     \
    .kind = JIG_ITER_POINTER, .type = { \
      .kind = JIG_KIND_STRUCT,          \
      .size = (size_),                  \
      .align = (align_),                \
      .name = "top_k_record",           \
      .definition = RECORD(bits_)       \
    }                                   \
  }
#define SORT(...)                                                                    \
  {                                                                                  \
    .keys_in = RECORDS(__VA_ARGS__), .keys_out = RECORDS(__VA_ARGS__), .compare = {  \
      .kind = JIG_OP_SOURCE,                                                         \
      .source = "return a.bits < b.bits || (a.bits == b.bits && a.index < b.index);" \
    }                                                                                \
  }
static const jig_merge_sort_args *sort_for(const jig_type *key) {
  static const jig_merge_sort_args sorts[] = {SORT("unsigned", 16, 8), SORT("unsigned long long", 16, 8),
                                              SORT("unsigned __int128", 32, 16)};
  const size_t bits = radix_bits_bytes(key);
  return &sorts[bits == 4 ? 0 : bits == 8 ? 1 : 2];
}

static int also(spec *s, spec *other) {
  if (s->slots[IS_SORTED].choice == 0) return 0;
  const jig_merge_sort_args *sort = sort_for(&s->slots[KEYS_IN].iter->type);
  merge_sort_describe(sort, s->slots[NUM_ITEMS_IN].choice != 0, other);
  return 1;
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

/* clang-format off */
#define FIELDS(s, F, R)                                                             \
  F(s, keys_in) F(s, keys_out) F(s, values_in) F(s, values_out) F(s, num_items) F(s, k) F(s, choice)  \
  F(s, is_sorted) F(s, decomposer) F(s, num_items_in) R(s, reserved)
/* clang-format on */
STRUCT_LAYOUT(jig_top_k_args, 1280, FIELDS);

const algorithm top_k_algorithm = {
    .schema =
        {.algorithm = "top_k", .slots = slots, .slot_count = SLOTS, .check = check, .complete = complete},
    .args = &layout_of_jig_top_k_args,
    .kernels = kernels,
    .kernel_count = TOP_K_KERNELS,
    .also = also,
};

/* ---- a result that is to be sorted */

/* A call for the sort within that of the top-k, and what it needs. */
typedef struct nested_sort {
  call c;
  spec s;
  jig_merge_sort_args args;
  merge_sort_work work;
} nested_sort;

static jig_status plan_sort(call *c, void *user) {
  nested_sort *sort = user;
  return merge_sort_prepare(c, &sort->args, "k", &sort->work);
}

/* It sorts k items, or all if there are less. */
static jig_status prepare_sort(call *c, const jig_top_k_args *args, uint64_t k, nested_sort *sort) {
  sort->c = *c;
  sort->args = *sort_for(&args->keys_in.type);
  sort->args.num_items = k;
  sort->args.num_items_in = args->num_items_in;
  merge_sort_describe(&sort->args, args->num_items_in != NULL, &sort->s);
  const jig_status status = call_program(&sort->c, &sort->s, plan_sort, sort);
  c->in_memory = c->in_memory && sort->c.in_memory;
  c->slow_since = sort->c.slow_since;
  return status;
}

/* In place. */
static jig_status launch_sort(nested_sort *sort, void *records, void *storage) {
  sort->args.keys_in.pointer = sort->args.keys_out.pointer = records;
  sort->c.storage = storage;
  return merge_sort_launch(&sort->c, &sort->args, &sort->work);
}

/* ---- the spec of a call */

enum { MAX_PLACES = 4 };

typedef struct bound_spec {
  spec s;
  const jig_top_k_args *args;
  jig_iter keys_in, keys_out, values_in, values_out;
  jig_op decomposer;
  top_k_size size;
  call_place places[MAX_PLACES];
  size_t place_count;
  nested_sort sort; /* if the result is */
} bound_spec;

static void fill_spec(const jig_top_k_args *args, bound_spec *b) {
  b->keys_in = args->keys_in;
  b->keys_out = args->keys_out;
  b->values_in = args->values_in;
  b->values_out = args->values_out;
  radix_share_types(&b->keys_in, &b->keys_out, &b->values_in, &b->values_out);
  memset(&b->s, 0, sizeof b->s);
  b->s.schema = &top_k_algorithm.schema;
  b->s.slots[KEYS_IN].iter = &b->keys_in;
  b->s.slots[KEYS_OUT].iter = &b->keys_out;
  b->s.slots[VALUES_IN].iter = iter_given(&b->values_in);
  b->s.slots[VALUES_OUT].iter = iter_given(&b->values_out);
  b->s.slots[NUM_ITEMS_IN].choice = args->num_items_in != NULL;
  b->s.slots[ORDER].choice = radix_order_of(&args->keys_in.type, args->decomposer);
  if (args->decomposer == NULL) return;
  b->decomposer = jig_op_source(args->decomposer);
  b->s.slots[DECOMPOSER].op = &b->decomposer;
}

/* ---- launches */

static top_k_call parameters_of(const call *c, const jig_top_k_args *args, const top_k_size *size,
                                const top_k_plan *plan, const temp_layout *temp) {
  top_k_call p = top_k_call_of(size, plan, temp, c->storage);
  p.is_signed = radix_is_signed(&args->keys_in.type);
  p.is_descending = args->choice == JIG_TOP_K_MAX;
  p.num_items_in = args->num_items_in;
  p.tag = engine_tag(c->engine, c->number);
  return p;
}

static jig_status launch_kernels(call *c, bound_spec *b, const temp_layout *temp) {
  const top_k_plan plan = top_k_plan_of(c->program, &c->engine->limits, &b->size);
  const top_k_values values = {parameters_of(c, b->args, &b->size, &plan, temp)};
  jig_status status = top_k_search_launch(c, &b->size, &plan, &values);
  if (status != JIG_SUCCESS || !b->args->is_sorted || plan.counts) return status;
  status =
      launch_sort(&b->sort, values.call.records, temp_address(temp, TOP_K_RECORDS_SLOT + 1, c->storage));
  return status == JIG_SUCCESS ? call_launch(c, TOP_K_GATHER, plan.gather, &values) : status;
}

/* ---- the call */

/* How many of them there are: inputs and outputs in turn. */
static size_t list_places(const jig_top_k_args *args, uint64_t k, call_place places[MAX_PLACES]) {
  const uint64_t n = args->num_items;
  places[0] = (call_place){&args->keys_in, n, "keys_in", false};
  places[1] = (call_place){&args->keys_out, k, "keys_out", true};
  places[2] = (call_place){&args->values_in, n, "values_in", false};
  places[3] = (call_place){&args->values_out, k, "values_out", true};
  return args->values_in.kind != JIG_ITER_NONE ? MAX_PLACES : 2;
}

static jig_status check_counts(const call *c, const call_place *places, size_t count) {
  jig_status status = JIG_SUCCESS;
  for (size_t i = 0; i < count && status == JIG_SUCCESS; ++i)
    status = call_check_counts(c, places[i].is_output ? "k" : "num_items", &places[i], 1);
  return status;
}

static jig_status bind(const char *name, const void *args_, void *bound) {
  const jig_top_k_args *args = args_;
  bound_spec *b = bound;
  jig_status status = call_check_choice(name, "choice", (int)args->choice, JIG_TOP_K_MIN);
  if (status == JIG_SUCCESS) status = call_check_choice(name, "is_sorted", args->is_sorted, 1);
  if (status != JIG_SUCCESS) return status;
  b->args = args;
  b->size = (top_k_size){.num_items = args->num_items,
                         .k = min_of(args->k, args->num_items),
                         .bits_bytes = radix_bits_bytes(&args->keys_in.type)};
  b->place_count = list_places(args, b->size.k, b->places);
  fill_spec(args, b);
  return JIG_SUCCESS;
}

static jig_status prepare(call *c, void *bound, temp_layout *temp) {
  bound_spec *b = bound;
  const jig_type *key = &b->args->keys_in.type;
  jig_status status = check_counts(c, b->places, b->place_count);
  /* What is counted is in order as it is found. */
  const bool is_sorted = b->args->is_sorted && !top_k_counts(c->program, &c->engine->limits, &b->size);
  if (status == JIG_SUCCESS && is_sorted) {
    b->size.record_bytes = sort_for(key)->keys_in.type.size;
    status = prepare_sort(c, b->args, b->size.k, &b->sort);
  }
  if (status != JIG_SUCCESS) return status;
  *temp = top_k_temp(c->program, &c->engine->limits, &b->size);
  top_k_search_needs(c, &b->size);
  if (!is_sorted) return JIG_SUCCESS;
  call_needs(c, TOP_K_GATHER);
  const uint64_t sort_bytes = temp_size(&b->sort.work.temp);
  (void)temp_slot(temp, sort_bytes);
  return call_check_temp(c, "k", sum_of(temp->sizes[TOP_K_RECORDS_SLOT], sort_bytes));
}

static jig_status launch(call *c, void *bound, const temp_layout *temp) {
  bound_spec *b = bound;
  if (b->size.k == 0) return JIG_SUCCESS;
  const jig_status status = call_check_places(c, b->places, b->place_count);
  return status == JIG_SUCCESS ? launch_kernels(c, b, temp) : status;
}

const call_steps top_k_steps = {
    "jig_top_k", CALL_ARGS(jig_top_k_args, num_items), bind, prepare, launch, sizeof(bound_spec)};

jig_status jig_top_k(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                     const jig_top_k_args *args, CUstream stream) {
  bound_spec b;
  return call_run(&top_k_steps, engine, d_temp_storage, temp_storage_bytes, args, stream, &b);
}

/* The text names the sort's program, too, which the call asks for by itself. */
static jig_status bind_with_sort(const char *name, const void *args, void *bound) {
  bound_spec *b = bound;
  const jig_status status = bind(name, args, bound);
  if (status == JIG_SUCCESS) b->s.slots[IS_SORTED].choice = b->args->is_sorted;
  return status;
}

jig_status jig_top_k_spec(const jig_top_k_args *args, char **text) {
  static const call_steps with_sort = {"jig_top_k", CALL_ARGS(jig_top_k_args, num_items), bind_with_sort,
                                       prepare, launch};
  bound_spec b;
  return call_spec(&with_sort, args, text, &b);
}

/* ---- the same by name */

jig_status jig_top_k_max_pairs(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                               jig_iter keys_in, jig_iter keys_out, jig_iter values_in,
                               jig_iter values_out, uint64_t num_items, uint64_t k, CUstream stream) {
  const jig_top_k_args args = {.keys_in = keys_in,
                               .keys_out = keys_out,
                               .values_in = values_in,
                               .values_out = values_out,
                               .num_items = num_items,
                               .k = k};
  return jig_top_k(engine, d_temp_storage, temp_storage_bytes, &args, stream);
}

jig_status jig_top_k_min_pairs(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                               jig_iter keys_in, jig_iter keys_out, jig_iter values_in,
                               jig_iter values_out, uint64_t num_items, uint64_t k, CUstream stream) {
  const jig_top_k_args args = {.keys_in = keys_in,
                               .keys_out = keys_out,
                               .values_in = values_in,
                               .values_out = values_out,
                               .num_items = num_items,
                               .k = k,
                               .choice = JIG_TOP_K_MIN};
  return jig_top_k(engine, d_temp_storage, temp_storage_bytes, &args, stream);
}

jig_status jig_top_k_max_keys(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                              jig_iter keys_in, jig_iter keys_out, uint64_t num_items, uint64_t k,
                              CUstream stream) {
  const jig_iter none = {0};
  return jig_top_k_max_pairs(engine, d_temp_storage, temp_storage_bytes, keys_in, keys_out, none, none,
                             num_items, k, stream);
}

jig_status jig_top_k_min_keys(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                              jig_iter keys_in, jig_iter keys_out, uint64_t num_items, uint64_t k,
                              CUstream stream) {
  const jig_iter none = {0};
  return jig_top_k_min_pairs(engine, d_temp_storage, temp_storage_bytes, keys_in, keys_out, none, none,
                             num_items, k, stream);
}
