/* jig_merge_sort(): see include/jig/merge_sort.h and templates/jig/agent/merge_sort*.cuh. */
#include "algorithm/merge_sort.h"

#include <string.h>

#include "algorithm/call_places.h"
#include "algorithm/gather_places.h"
#include "spec/iterator_memory.h"
#include "spec/type.h"
#include "util/error.h"
#include "util/integer.h"

/* ---- the spec */

enum { COMPARE, KEYS_IN, KEYS_OUT, NUM_ITEMS_IN, VALUES_IN, VALUES_OUT, SLOTS };

static const slot_schema slots[SLOTS] = {
    [COMPARE] = {.name = "compare",
                 .formerly = "op",
                 .kind = SLOT_OP,
                 .optional = true,
                 .arity = 2,
                 .over = {"keys_in"},
                 .orders = true,
                 .help = "whether key a comes before b; left out, less",
                 .option = "op"},
    [KEYS_IN] = {.name = "keys_in",
                 .kind = SLOT_ITER,
                 .role = ITER_INPUT,
                 .places = {"keys_in"},
                 .help = "the keys",
                 .option = "type"},
    [KEYS_OUT] = {.name = "keys_out",
                  .kind = SLOT_ITER,
                  .role = ITER_OUTPUT,
                  .places = {"keys_in"},
                  .help = "the keys in order",
                  .like = "keys_in"},
    [NUM_ITEMS_IN] = NUM_ITEMS_IN_SLOT,
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
                    .help = "the values, in the order of their keys",
                    .like = "values_in",
                    .follows = true},
};

static jig_status check(const spec *s) {
  static const char *const values[] = {"values_in", "values_out", NULL};
  jig_status status = spec_check_together(s, values);
  if (status == JIG_SUCCESS) status = spec_check_same_type(s, "keys_out", "keys_in");
  if (status == JIG_SUCCESS) status = spec_check_same_type(s, "values_out", "values_in");
  if (status != JIG_SUCCESS || s->slots[COMPARE].op != NULL) return status;
  return op_check_order(&s->slots[KEYS_IN].iter->type, "keys_in");
}

/* A kernel parameter; jig::MergeSortPart in device code. */
typedef struct merge_sort_part {
  const void *from;
  void *to, *copies;
  void *splits;
  uint64_t num_items, run, tiles;
  uint32_t step, bracket, ways;
  const uint64_t *num_items_in; /* or NULL */
} merge_sort_part;

#define FIELD(name) PARAMETER_FIELD(merge_sort_part, name)
static const parameter_field part_fields[] = {
    FIELD(from),  FIELD(to),   FIELD(copies),  FIELD(splits), FIELD(num_items),    FIELD(run),
    FIELD(tiles), FIELD(step), FIELD(bracket), FIELD(ways),   FIELD(num_items_in), {NULL}};
#undef FIELD

/* What the kernels take beside iterators and the order. */
typedef struct merge_sort_values {
  merge_sort_part part;
} merge_sort_values;

static const kernel_parameter parameters[] = {
    SLOT_PARAMETER(KEYS_IN),
    SLOT_PARAMETER(VALUES_IN),
    SLOT_PARAMETER(KEYS_OUT),
    SLOT_PARAMETER(VALUES_OUT),
    SLOT_PARAMETER(COMPARE),
    COUNTED_STRUCT_PARAMETER(merge_sort_values, part, "jig::MergeSortPart", part_fields, num_items,
                             NUM_ITEMS_IN),
    {PARAMETERS_END},
};

/* Whether keys or values stay where they are while their places are sorted, and are gathered in the end.
 */
static bool gathers(const spec *s) {
  return spec_has_places(s, KEYS_OUT) || spec_has_places(s, VALUES_OUT);
}

/* Whether outputs can have pairs in between, as records whose values are not told by their places. */
static bool can_be_apart(const spec *s, int sm) {
  (void)sm;
  const jig_iter *keys = s->slots[KEYS_OUT].iter, *values = s->slots[VALUES_OUT].iter;
  return values != NULL && keys->kind == JIG_ITER_POINTER && values->kind == JIG_ITER_POINTER &&
         !type_is_wide(&keys->type) && !merge_sort_record_of(&keys->type, &values->type).has_places;
}

#define KERNEL_FIELDS(name_, function_, space_, arguments_)                                             \
  .name = "jig_merge_sort_" #name_, .templates = "jig/kernel/merge_sort/merge_sort_" #function_ ".cuh", \
  .function = "jig::merge_sort_" #function_ "<jig_policy, jig_num_items_in != 0" arguments_ ">",        \
  .parameters = parameters, .space = &merge_sort_##space_##_space
#define KERNEL(...) \
  { KERNEL_FIELDS(__VA_ARGS__) }
static const kernel_row split_apart = {KERNEL_FIELDS(split_apart, split, split, ", true"),
                                       .fits = can_be_apart};

static const kernel_row kernels[] = {
    [MERGE_SORT_SMALL_BLOCK] = KERNEL(small_block, block, small_block, ""),
    [MERGE_SORT_MERGE] = KERNEL(merge, merge, merge, ""),
    [MERGE_SORT_LARGE_BLOCK] = KERNEL(large_block, block, large_block, ""),
    [MERGE_SORT_SPLIT] = KERNEL(split, split, split, ", false"),
    [MERGE_SORT_MERGE4] = KERNEL(merge4, merge4, merge4, ", false"),
    [MERGE_SORT_MERGE4_APART] = KERNEL(merge4_apart, merge4, merge4, ", true"),
    [MERGE_SORT_GATHER] = {.name = "jig_merge_sort_gather",
                           .templates = "jig/kernel/merge_sort/merge_sort_gather.cuh",
                           .function = "jig::merge_sort_gather<jig_policy, jig_num_items_in != 0>",
                           .parameters = parameters,
                           .space = &gather_space,
                           .instead = &split_apart},
};

static int count_kernels(const spec *s) {
  return gathers(s) ? MERGE_SORT_GATHER + 1 : can_be_apart(s, 0) ? MERGE_SORT_KERNELS : MERGE_SORT_GATHER;
}

/* clang-format off */
#define FIELDS(s, F, R)                                                        \
  F(s, keys_in) F(s, keys_out) F(s, values_in) F(s, values_out) F(s, num_items) F(s, compare)         \
  F(s, num_items_in) R(s, reserved)
/* clang-format on */
STRUCT_LAYOUT(jig_merge_sort_args, 1408, FIELDS);

const algorithm merge_sort_algorithm = {
    .schema = {.algorithm = "merge_sort", .slots = slots, .slot_count = SLOTS, .check = check},
    .args = &layout_of_jig_merge_sort_args,
    .kernels = kernels,
    .kernel_count = MERGE_SORT_KERNELS,
    .count_kernels = count_kernels,
};

void merge_sort_describe(const jig_merge_sort_args *args, bool counted, spec *s) {
  s->schema = &merge_sort_algorithm.schema;
  memset(s->slots, 0, SLOTS * sizeof s->slots[0]);
  s->slots[KEYS_IN].iter = &args->keys_in;
  s->slots[KEYS_OUT].iter = &args->keys_out;
  s->slots[NUM_ITEMS_IN].choice = counted;
  s->slots[VALUES_IN].iter = iter_given(&args->values_in);
  s->slots[VALUES_OUT].iter = iter_given(&args->values_out);
  s->slots[COMPARE].op = op_order_given(&args->compare);
}

/* ---- launches */

static jig_status launch_pass(call *c, const merge_sort_pass *pass, void *splits,
                              merge_sort_values *values) {
  merge_sort_part *part = &values->part;
  jig_status status = JIG_SUCCESS;
  const bool has_splits = pass->split.grid > 0, is_apart = part->from == NULL;
  const int split = is_apart ? MERGE_SORT_SPLIT_APART : MERGE_SORT_SPLIT;
  part->tiles = pass->tiles;
  part->ways = pass->ways;
  part->splits = has_splits ? splits : NULL;
  part->step = pass->bracket;
  part->bracket = 0;
  if (pass->bracket > 0) status = call_launch(c, split, pass->coarse, values);
  part->step = 1;
  part->bracket = pass->bracket;
  if (status == JIG_SUCCESS && has_splits) status = call_launch(c, split, pass->split, values);
  return status == JIG_SUCCESS
             ? call_launch(c, is_apart ? MERGE_SORT_MERGE4_APART : pass->kernel, pass->shape, values)
             : status;
}

static void need_kernels(call *c, const merge_sort_size *size, const merge_sort_plan *plan) {
  uint64_t run = plan->run;
  call_needs(c, plan->block);
  if (size->gathers) call_needs(c, MERGE_SORT_GATHER);
  for (int i = 0; i < plan->passes; ++i) {
    const merge_sort_pass pass = merge_sort_pass_of(c->program, size->num_items, run);
    const bool is_apart = size->is_apart && (plan->passes - i) % 2 == 0;
    call_needs(c, is_apart ? MERGE_SORT_MERGE4_APART : pass.kernel);
    if (pass.split.grid > 0 || pass.bracket > 0)
      call_needs(c, is_apart ? MERGE_SORT_SPLIT_APART : MERGE_SORT_SPLIT);
    run *= pass.ways;
  }
}

/* Two places are written in turn, the last pass writing the second, or the output in its stead. */
jig_status merge_sort_launch(call *c, const jig_merge_sort_args *args, const merge_sort_work *work) {
  const merge_sort_size *size = &work->size;
  const temp_layout *temp = &work->temp;
  const merge_sort_plan plan = work->plan;
  void *places[2] = {temp_address(temp, 0, c->storage), size->stores_to_records ? args->keys_out.pointer
                                                        : size->is_apart
                                                            ? NULL
                                                            : temp_address(temp, 1, c->storage)};
  merge_sort_values values = {
      .part = {.num_items = size->num_items,
               .num_items_in = args->num_items_in,
               .copies = size->copied_bytes > 0 ? temp_address(temp, 2, c->storage) : NULL}};
  merge_sort_part *part = &values.part;
  jig_status status = JIG_SUCCESS;
  const bool has_places = size->stores_to_records || size->gathers;
  for (int i = 0; i <= plan.passes && status == JIG_SUCCESS; ++i) {
    const bool is_last = i == plan.passes;
    part->to = is_last && !has_places ? NULL : places[(plan.passes - i) % 2 == 0];
    if (i == 0) {
      status = call_launch(c, plan.block, plan.block_shape, &values);
      part->run = plan.run;
    } else {
      const merge_sort_pass pass = merge_sort_pass_of(c->program, size->num_items, part->run);
      status = launch_pass(c, &pass, temp_address(temp, 3, c->storage), &values);
      part->run *= pass.ways;
    }
    part->from = part->to;
  }
  if (status != JIG_SUCCESS || !size->gathers) return status;
  const uint64_t item_bytes = max_of(args->keys_in.type.size, args->values_in.type.size);
  return call_launch(c, MERGE_SORT_GATHER,
                     gather_all_shape(c->program, MERGE_SORT_GATHER, size->num_items, item_bytes),
                     &values);
}

/* ---- the call */

/* The output may be in the place of its input. */
static jig_status check_apart(const call *c, const call_place *output, const call_place *other,
                              const jig_iter *own_input) {
  if (other->iter == own_input && iter_reads_in_place(other->iter, output->iter, output->count))
    return JIG_SUCCESS;
  return call_check_apart(c, output->iter, output->count, output->name, other->iter, other->count,
                          other->name);
}

enum { MAX_PLACES = 4 };

/* How many of them there are. */
static size_t list_places(const jig_merge_sort_args *args, call_place places[MAX_PLACES]) {
  const uint64_t n = args->num_items;
  places[0] = (call_place){&args->keys_in, n, "keys_in", false};
  places[1] = (call_place){&args->keys_out, n, "keys_out", true};
  places[2] = (call_place){&args->values_in, n, "values_in", false};
  places[3] = (call_place){&args->values_out, n, "values_out", true};
  return args->values_in.kind != JIG_ITER_NONE ? 4 : 2;
}

static jig_status check_values(const call *c, const jig_merge_sort_args *args) {
  call_place places[MAX_PLACES];
  const size_t count = list_places(args, places);
  /* What each has to be by itself; how they may overlap is another matter here. */
  jig_status status = JIG_SUCCESS;
  for (size_t i = 0; i < count && status == JIG_SUCCESS; ++i)
    status = call_check_places(c, &places[i], 1);
  for (size_t i = 1; i < count; i += 2) {
    for (size_t k = 0; k < count && status == JIG_SUCCESS; ++k)
      if (k != i) status = check_apart(c, &places[i], &places[k], places[i - 1].iter);
  }
  return status == JIG_SUCCESS ? call_check_op(c, &args->compare, "compare") : status;
}

enum { KEYS_COPY = 4, VALUES_COPY = 5 }; /* slots behind those of merge_sort_temp() */

/* Large values are fetched from the input when the output is written. If that may be the same memory,
 * they are copied before; where other iterators than pointers write is not looked at. */
static size_t copied_bytes(const jig_merge_sort_args *args, const merge_sort_record *record) {
  const jig_iter *in = &args->values_in, *out = &args->values_out;
  if (!record->has_places) return 0;
  const size_t size = in->type.size;
  const bool is_apart =
      out->kind == JIG_ITER_POINTER &&
      !iter_overlaps(in, args->num_items, out->pointer, product_of(args->num_items, size));
  return is_apart ? 0 : size;
}

/* The same of what kernels only know the places of, keys and values alike. */
static uint64_t bytes_to_copy(const jig_iter *in, const jig_iter *out, uint64_t num_items) {
  const bool copies = in->kind != JIG_ITER_NONE && call_has_to_copy(in, out, num_items);
  return copies ? product_of(num_items, in->type.size) : 0;
}

static merge_sort_size size_of(const spec *s, const jig_merge_sort_args *args) {
  const jig_iter *values = iter_given(&args->values_in);
  const jig_type key = type_held(&args->keys_in.type);
  const jig_type value = values != NULL ? type_held(&values->type) : (jig_type)JIG_ZERO;
  const merge_sort_record record = merge_sort_record_of(&key, values != NULL ? &value : NULL);
  return (merge_sort_size){.num_items = args->num_items,
                           .record_bytes = record.bytes,
                           .copied_bytes = copied_bytes(args, &record),
                           .gathers = gathers(s),
                           .stores_to_records = values == NULL &&
                                                args->keys_out.kind == JIG_ITER_POINTER &&
                                                !type_is_wide(&args->keys_in.type)};
}

jig_status merge_sort_prepare(call *c, const jig_merge_sort_args *args, const char *argument,
                              merge_sort_work *work) {
  call_place places[MAX_PLACES];
  const jig_status status = call_check_counts(c, argument, places, list_places(args, places));
  if (status != JIG_SUCCESS) return status;
  work->size = size_of(c->s, args);
  work->plan = merge_sort_plan_of(c->program, args->num_items);
  const plan_limits *limits = &c->engine->limits;
  work->size.is_apart =
      can_be_apart(c->s, 0) && work->plan.is_by_four && args->num_items >= limits->merge_sort_least_apart;
  work->temp = merge_sort_temp(&work->plan, limits, &work->size);
  (void)temp_slot(&work->temp, bytes_to_copy(&args->keys_in, &args->keys_out, args->num_items));
  (void)temp_slot(&work->temp, bytes_to_copy(&args->values_in, &args->values_out, args->num_items));
  need_kernels(c, &work->size, &work->plan);
  return call_check_blocks(c, argument, work->plan.blocks);
}

typedef struct bound_spec {
  spec s;
  const jig_merge_sort_args *args;
  merge_sort_work work;
  jig_iter keys, values; /* the copies of those inputs that are overwritten too soon */
} bound_spec;

static jig_status bind(const char *name, const void *args, void *bound) {
  bound_spec *b = bound;
  (void)name;
  b->args = args;
  merge_sort_describe(b->args, b->args->num_items_in != NULL, &b->s);
  return JIG_SUCCESS;
}

static jig_status prepare(call *c, void *bound, temp_layout *temp) {
  bound_spec *b = bound;
  const jig_status status = merge_sort_prepare(c, b->args, "num_items", &b->work);
  if (status == JIG_SUCCESS) *temp = b->work.temp;
  return status;
}

/* Puts copies in the place of those inputs that need it. */
static jig_status copy_inputs(call *c, bound_spec *b, const temp_layout *temp) {
  const jig_merge_sort_args *args = b->args;
  const uint64_t n = args->num_items;
  jig_status status = JIG_SUCCESS;
  if (temp->sizes[KEYS_COPY] > 0) {
    b->s.slots[KEYS_IN].iter = &b->keys;
    status = call_copy_input(c, &args->keys_in, n, "keys_in", temp_address(temp, KEYS_COPY, c->storage),
                             &b->keys);
  }
  if (status != JIG_SUCCESS || temp->sizes[VALUES_COPY] == 0) return status;
  b->s.slots[VALUES_IN].iter = &b->values;
  return call_copy_input(c, &args->values_in, n, "values_in", temp_address(temp, VALUES_COPY, c->storage),
                         &b->values);
}

static jig_status launch(call *c, void *bound, const temp_layout *temp) {
  bound_spec *b = bound;
  jig_status status = check_values(c, b->args);
  if (status == JIG_SUCCESS) status = copy_inputs(c, b, temp);
  return status == JIG_SUCCESS ? merge_sort_launch(c, b->args, &b->work) : status;
}

const call_steps merge_sort_steps = {
    "jig_merge_sort",  CALL_WORK_ARGS(jig_merge_sort_args, num_items), bind, prepare, launch,
    sizeof(bound_spec)};

jig_status jig_merge_sort(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                          const jig_merge_sort_args *args, CUstream stream) {
  bound_spec b;
  return call_run(&merge_sort_steps, engine, d_temp_storage, temp_storage_bytes, args, stream, &b);
}

jig_status jig_merge_sort_spec(const jig_merge_sort_args *args, char **text) {
  bound_spec b;
  return call_spec(&merge_sort_steps, args, text, &b);
}

/* ---- the same by name */

jig_status jig_merge_sort_pairs(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                                jig_iter keys_in, jig_iter keys_out, jig_iter values_in,
                                jig_iter values_out, uint64_t num_items, jig_op compare,
                                CUstream stream) {
  const jig_merge_sort_args args = {.keys_in = keys_in,
                                    .keys_out = keys_out,
                                    .values_in = values_in,
                                    .values_out = values_out,
                                    .num_items = num_items,
                                    .compare = compare};
  return jig_merge_sort(engine, d_temp_storage, temp_storage_bytes, &args, stream);
}

jig_status jig_merge_sort_keys(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                               jig_iter keys_in, jig_iter keys_out, uint64_t num_items, jig_op compare,
                               CUstream stream) {
  const jig_iter none = {0};
  return jig_merge_sort_pairs(engine, d_temp_storage, temp_storage_bytes, keys_in, keys_out, none, none,
                              num_items, compare, stream);
}
