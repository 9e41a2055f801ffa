/* jig_top_k(): see include/jig/top_k.h and templates/jig/agent/top_k*.cuh. */
#include <jig/top_k.h>
#include <string.h>

#include "algorithm/by_key.h"
#include "algorithm/merge_sort.h"
#include "algorithm/packed_args.h"
#include "algorithm/radix_keys.h"
#include "algorithm/top_k_plan.h"
#include "spec/complete.h"
#include "spec/type.h"
#include "util/error.h"
#include "util/integer.h"

/* ---- the spec */

enum { DECOMPOSER, IS_SORTED, KEYS_IN, KEYS_OUT, ORDER, VALUES_IN, VALUES_OUT, SLOTS };

static const slot_schema slots[SLOTS] = {
    [DECOMPOSER] = RADIX_DECOMPOSER_SLOT("keys_in"),
    [IS_SORTED] = {.name = "is_sorted",
                   .kind = SLOT_FLAG,
                   .help = "whether the result is in order, which takes a second program",
                   .option = "sorted"},
    [KEYS_IN] =
        {.name = "keys_in", .kind = SLOT_ITER, .role = ITER_INPUT, .help = "the keys", .option = "type"},
    [KEYS_OUT] = {.name = "keys_out",
                  .kind = SLOT_ITER,
                  .role = ITER_OUTPUT,
                  .help = "the k first keys",
                  .like = "keys_in"},
    [ORDER] = RADIX_ORDER_SLOT,
    [VALUES_IN] = {.name = "values_in",
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
  jig_status status = spec_check_together(s, values);
  if (status == JIG_SUCCESS) status = spec_check_same_type(s, "keys_out", "keys_in");
  if (status == JIG_SUCCESS) status = spec_check_same_type(s, "values_out", "values_in");
  if (status != JIG_SUCCESS) return status;
  const jig_type *key = &s->slots[KEYS_IN].iter->type;
  const jig_op *decomposer = s->slots[DECOMPOSER].op;
  status = radix_check_key(key, s->slots[ORDER].choice, decomposer, "keys_in");
  return status == JIG_SUCCESS ? radix_check_kind(key, decomposer != NULL, "") : status;
}

#define KERNEL(name_)                                                                               \
  {                                                                                                 \
    .name = "jig_top_k_" #name_, .templates = "jig/kernel/top_k/top_k_" #name_ ".cuh",              \
    .entry = "jig/kernel/top_k/top_k_" #name_ "_entry.cuh", .choose_policy = top_k_##name_##_policy \
  }
static const kernel_row kernels[] = {
    [TOP_K_BLOCK] = KERNEL(block),   [TOP_K_SAMPLE] = KERNEL(sample), [TOP_K_PASS] = KERNEL(pass),
    [TOP_K_SELECT] = KERNEL(select), [TOP_K_GATHER] = KERNEL(gather),
};

/* TopKKeys::Bits. */
static size_t bits_bytes(const jig_type *key) {
  const size_t size = min_of(key->size, RADIX_MAX_FIELD_BYTES);
  return size <= 4 ? 4 : size <= 8 ? 8 : 16;
}

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
  const size_t bits = bits_bytes(key);
  return &sorts[bits == 4 ? 0 : bits == 8 ? 1 : 2];
}

static bool also(const spec *s, spec *other) {
  if (s->slots[IS_SORTED].choice == 0) return false;
  merge_sort_describe(sort_for(&s->slots[KEYS_IN].iter->type), other);
  return true;
}

/* Types that are treated alike share a program, where no iterator tells of them. */
static void share_type(jig_iter *in, jig_iter *out, jig_type shared) {
  if (in->kind != JIG_ITER_POINTER || out->kind != JIG_ITER_POINTER) return;
  if (!type_equal(&in->type, &out->type)) return; /* which will be an error */
  in->type = out->type = shared;
}

static void share_types(jig_iter *keys_in, jig_iter *keys_out, jig_iter *values_in,
                        jig_iter *values_out) {
  const jig_type *key = &keys_in->type;
  if (type_is_number(key)) share_type(keys_in, keys_out, radix_unsigned(key->size));
  if (values_in == NULL || values_out == NULL) return;
  /* What is wrong with a type is told of the type itself. */
  const jig_type *value = &values_in->type;
  if (value->kind != JIG_KIND_NONE && type_check(value, "values_in") == JIG_SUCCESS)
    share_type(values_in, values_out, jig_opaque(value->size, value->align));
}

static jig_status complete(parsed_spec *p) {
  const spec_slot *slots_of = p->s.slots;
  const jig_status status = radix_complete_order(p, &slots_of[KEYS_IN].iter->type);
  const bool has_values = slots_of[VALUES_IN].iter != NULL && slots_of[VALUES_OUT].iter != NULL;
  if (status == JIG_SUCCESS)
    share_types(parsed_iter(p, "keys_in"), parsed_iter(p, "keys_out"),
                has_values ? parsed_iter(p, "values_in") : NULL,
                has_values ? parsed_iter(p, "values_out") : NULL);
  return status;
}

const algorithm top_k_algorithm = {
    .schema =
        {.algorithm = "top_k", .slots = slots, .slot_count = SLOTS, .check = check, .complete = complete},
    .kernels = kernels,
    .kernel_count = TOP_K_KERNELS,
    .also = also,
};

/* A spec with what it points to beside the args. */
typedef struct bound_spec {
  spec s;
  jig_iter keys_in, keys_out, values_in, values_out;
  jig_op decomposer;
} bound_spec;

static void bind_spec(const jig_top_k_args *args, bound_spec *d) {
  d->keys_in = args->keys_in;
  d->keys_out = args->keys_out;
  d->values_in = args->values_in;
  d->values_out = args->values_out;
  share_types(&d->keys_in, &d->keys_out, &d->values_in, &d->values_out);
  memset(&d->s, 0, sizeof d->s);
  d->s.schema = &top_k_algorithm.schema;
  d->s.slots[KEYS_IN].iter = &d->keys_in;
  d->s.slots[KEYS_OUT].iter = &d->keys_out;
  d->s.slots[VALUES_IN].iter = iter_given(&d->values_in);
  d->s.slots[VALUES_OUT].iter = iter_given(&d->values_out);
  d->s.slots[ORDER].choice = radix_order_of(&args->keys_in.type, args->decomposer);
  if (args->decomposer == NULL) return;
  d->decomposer = jig_op_source(args->decomposer);
  d->s.slots[DECOMPOSER].op = &d->decomposer;
}

/* ---- sorting a result */

/* In place. */
static jig_merge_sort_args sort_args(const jig_top_k_args *args, uint64_t k, void *records) {
  jig_merge_sort_args sort = *sort_for(&args->keys_in.type);
  sort.keys_in.pointer = sort.keys_out.pointer = records;
  sort.num_items = k;
  return sort;
}

/* A call for the sort within that of the top-k, and what it needs. */
typedef struct nested_sort {
  call c;
  merge_sort_work work;
} nested_sort;

static jig_status prepare_sort(call *c, const jig_top_k_args *args, uint64_t k, nested_sort *sort) {
  const jig_merge_sort_args in_place = sort_args(args, k, NULL);
  sort->c = *c;
  jig_status status = merge_sort_prepare(&sort->c, &in_place, "k", &sort->work);
  c->in_memory = c->in_memory && sort->c.in_memory;
  return status;
}

/* ---- launches */

/* A kernel parameter; jig::TopKCall in device code. */
typedef struct top_k_call {
  uint64_t num_items, k;
  void *control, *bits, *indices;
  uint64_t capacity;
  void *records;
  uint32_t samples, sure_rank, last_rank;
  int32_t is_signed, is_descending, is_dense;
} top_k_call;

static top_k_call parameters_of(const call *c, const jig_top_k_args *args, const top_k_size *size,
                                const top_k_plan *plan, const temp_layout *temp) {
  const jig_type *key = &args->keys_in.type;
  top_k_call p = {.num_items = size->num_items,
                  .k = size->k,
                  .capacity = plan->capacity,
                  .samples = plan->samples,
                  .sure_rank = plan->sure_rank,
                  .last_rank = plan->last_rank,
                  .is_signed = radix_is_signed(key),
                  .is_descending = args->choice == JIG_TOP_K_MAX,
                  .is_dense = plan->is_dense};
  if (size->record_bytes > 0) p.records = temp_address(temp, TOP_K_RECORDS_SLOT, c->storage);
  if (plan->is_single_tile) return p;
  p.control = temp_address(temp, TOP_K_CONTROL_SLOT, c->storage);
  p.bits = temp_address(temp, TOP_K_BITS_SLOT, c->storage);
  p.indices = temp_address(temp, TOP_K_INDICES_SLOT, c->storage);
  return p;
}

static jig_status find(call *c, const top_k_plan *plan, void **parameters) {
  if (plan->is_single_tile) return call_launch(c, TOP_K_BLOCK, plan->block, parameters);
  jig_status status = call_launch(c, TOP_K_SAMPLE, plan->sample, parameters);
  if (status == JIG_SUCCESS) status = call_launch(c, TOP_K_PASS, plan->pass, parameters);
  return status == JIG_SUCCESS ? call_launch(c, TOP_K_SELECT, plan->select, parameters) : status;
}

static jig_status launch(call *c, const jig_top_k_args *args, const bound_spec *d, const top_k_size *size,
                         const temp_layout *temp, nested_sort *sort) {
  const top_k_plan plan = top_k_plan_of(c->program, &c->engine->limits, size);
  top_k_call p = parameters_of(c, args, size, &plan, temp);
  packed_args packed;
  packed_begin(&packed);
  packed_iter(&packed, &d->keys_in);
  packed_iter(&packed, &d->keys_out);
  packed_iter(&packed, &d->values_in);
  packed_iter(&packed, &d->values_out);
  packed_value(&packed, &p);
  jig_status status = find(c, &plan, packed.parameters);
  if (status != JIG_SUCCESS || !args->is_sorted) return status;
  const jig_merge_sort_args in_place = sort_args(args, size->k, p.records);
  sort->c.storage = temp_address(temp, TOP_K_RECORDS_SLOT + 1, c->storage);
  status = merge_sort_launch(&sort->c, &in_place, &sort->work);
  return status == JIG_SUCCESS ? call_launch(c, TOP_K_GATHER, plan.gather, packed.parameters) : status;
}

/* ---- the call */

enum { MAX_PLACES = 4 };

/* How many of them there are: inputs and outputs in turn. */
static size_t list_places(const jig_top_k_args *args, uint64_t k, by_key_place places[MAX_PLACES]) {
  const uint64_t n = args->num_items;
  places[0] = (by_key_place){&args->keys_in, n, "keys_in", false};
  places[1] = (by_key_place){&args->keys_out, k, "keys_out", true};
  places[2] = (by_key_place){&args->values_in, n, "values_in", false};
  places[3] = (by_key_place){&args->values_out, k, "values_out", true};
  return args->values_in.kind != JIG_ITER_NONE ? MAX_PLACES : 2;
}

static jig_status check_counts(const call *c, const by_key_place *places, size_t count) {
  jig_status status = JIG_SUCCESS;
  for (size_t i = 0; i < count && status == JIG_SUCCESS; ++i)
    status = by_key_check_counts(c, places[i].is_output ? "k" : "num_items", &places[i], 1);
  return status;
}

static jig_status run(call *c, const jig_top_k_args *args) {
  by_key_place places[MAX_PLACES];
  bound_spec d;
  nested_sort sort;
  bool go_on;
  jig_status status = call_check_args(c, LAYOUT(jig_top_k_args), args);
  if (status != JIG_SUCCESS) return status;
  status = call_check_choice(c, "choice", (int)args->choice, JIG_TOP_K_MIN);
  if (status == JIG_SUCCESS) status = call_check_choice(c, "is_sorted", args->is_sorted, 1);
  if (status != JIG_SUCCESS) return status;
  bind_spec(args, &d);
  status = call_program(c, &d.s);
  if (status != JIG_SUCCESS) return status;
  top_k_size size = {.num_items = args->num_items,
                     .k = min_of(args->k, args->num_items),
                     .bits_bytes = bits_bytes(&args->keys_in.type)};
  const size_t place_count = list_places(args, size.k, places);
  status = check_counts(c, places, place_count);
  if (status != JIG_SUCCESS) return status;
  if (args->is_sorted) {
    size.record_bytes = sort_for(&args->keys_in.type)->keys_in.type.size;
    status = prepare_sort(c, args, size.k, &sort);
    if (status != JIG_SUCCESS) return status;
  }
  temp_layout temp = top_k_temp(c->program, &size);
  if (args->is_sorted) {
    (void)temp_slot(&temp, temp_size(&sort.work.temp));
    status = call_check_temp(c, "k", sum_of(temp.sizes[TOP_K_RECORDS_SLOT], temp_size(&sort.work.temp)));
    if (status != JIG_SUCCESS) return status;
  }
  status = call_temp_storage(c, &temp, &go_on);
  if (!go_on || size.k == 0) return status;
  status = by_key_check_places(c, places, place_count);
  return status == JIG_SUCCESS ? launch(c, args, &d, &size, &temp, &sort) : status;
}

jig_status jig_top_k(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                     const jig_top_k_args *args, CUstream stream) {
  call c;
  jig_status status = call_begin(&c, "jig_top_k", engine, d_temp_storage, temp_storage_bytes, stream);
  if (status == JIG_SUCCESS) status = run(&c, args);
  return call_end(&c, status);
}

jig_status jig_top_k_spec(const jig_top_k_args *args, char **text) {
  bound_spec d;
  jig_status status = call_check_spec_query("jig_top_k_spec", LAYOUT(jig_top_k_args), args, text);
  if (status != JIG_SUCCESS) return status;
  bind_spec(args, &d);
  d.s.slots[IS_SORTED].choice = args->is_sorted;
  return spec_write(&d.s, "jig_top_k_spec", text);
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
