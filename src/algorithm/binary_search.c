/* jig_binary_search(): see include/jig/binary_search.h and
 * templates/jig/agent/binary_search/binary_search.cuh. */
#include <jig/binary_search.h>
#include <string.h>

#include "algorithm/call_places.h"
#include "algorithm/tile_state.h"
#include "policy/binary_search.h"
#include "util/error.h"
#include "util/integer.h"

/* ---- the spec */

enum { BOUND, COMPARE, IN, NEEDLES_IN, NUM_ITEMS_IN, NUM_NEEDLES_IN, OUT, UPPER_OUT, SLOTS };

static const char *const bounds[] = {[JIG_BOUND_LOWER] = "lower",
                                     [JIG_BOUND_UPPER] = "upper",
                                     [JIG_BOUND_EQUAL_RANGE] = "equal_range",
                                     NULL};

static const slot_schema slots[SLOTS] = {
    [BOUND] = {.name = "bound",
               .kind = SLOT_CHOICE,
               .choices = bounds,
               .help = "which place of a needle is wanted, the first, the last or both"},
    [COMPARE] = {.name = "compare",
                 .kind = SLOT_OP,
                 .optional = true,
                 .arity = 2,
                 .over = {"in"},
                 .orders = true,
                 .help = "whether item a comes before b; left out, less",
                 .option = "op"},
    [IN] = {.name = "in",
            .kind = SLOT_ITER,
            .role = ITER_INPUT,
            .places = {"in", "needles_in"},
            .help = "items in order",
            .option = "type"},
    [NEEDLES_IN] = {.name = "needles_in",
                    .kind = SLOT_ITER,
                    .role = ITER_INPUT,
                    .places = {"in", "needles_in"},
                    .help = "what is looked for among them",
                    .like = "in",
                    .option = "type"},
    [NUM_ITEMS_IN] = NUM_ITEMS_IN_SLOT,
    [NUM_NEEDLES_IN] = DEVICE_COUNT_SLOT(num_needles),
    [OUT] = {.name = "out",
             .use = USE_COUNTED,
             .kind = SLOT_ITER,
             .role = ITER_OUTPUT,
             .help = "a place for each needle",
             .usually = "i64",
             .option = "index-type"},
    [UPPER_OUT] = {.name = "upper_out",
                   .use = USE_COUNTED,
                   .kind = SLOT_ITER,
                   .optional = true,
                   .role = ITER_OUTPUT,
                   .help = "the upper of both places",
                   .like = "out",
                   .option = "index-type"},
};

static jig_status check(const spec *s) {
  const bool wants_both = s->slots[BOUND].choice == JIG_BOUND_EQUAL_RANGE;
  jig_status status = spec_check_same_type(s, "needles_in", "in");
  if (status == JIG_SUCCESS) status = spec_check_integer(s, "out");
  if (status == JIG_SUCCESS && wants_both != (s->slots[UPPER_OUT].iter != NULL))
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "upper_out: it is %s, where bound is '%s'",
                     wants_both ? "missing" : "given", bounds[s->slots[BOUND].choice]);
  if (status == JIG_SUCCESS && wants_both) status = spec_check_integer(s, "upper_out");
  if (status != JIG_SUCCESS || s->slots[COMPARE].op != NULL) return status;
  return op_check_order(&s->slots[IN].iter->type, "in");
}

/* A warp for each of few needles; blocks with shares of more, of not many more than they have threads,
 * and of so many that those outside of all items are to be told from others. */
enum { SEARCH_FEW, SEARCH_ANY, SEARCH_ROW, SEARCH_MANY, SEARCH_KERNELS };

/* What the kernels take beside iterators and the order. */
typedef struct binary_search_values {
  item_count num_items, num_needles;
  uint64_t share; /* of a block */
  uint32_t tile_needles;
  int sweeps; /* whether warps go along needles that are in order */
} binary_search_values;

static const kernel_parameter parameters[] = {
    SLOT_PARAMETER(IN),
    SLOT_PARAMETER(NEEDLES_IN),
    SLOT_PARAMETER(OUT),
    SLOT_PARAMETER(UPPER_OUT),
    SLOT_PARAMETER(COMPARE),
    COUNT_PARAMETER(binary_search_values, num_items, NUM_ITEMS_IN),
    COUNT_PARAMETER(binary_search_values, num_needles, NUM_NEEDLES_IN),
    VALUE_PARAMETER(binary_search_values, share, "uint64_t"),
    VALUE_PARAMETER(binary_search_values, tile_needles, "uint32_t"),
    VALUE_PARAMETER(binary_search_values, sweeps, "int"),
    {PARAMETERS_END},
};
static const kernel_row kernels[] = {
    [SEARCH_FEW] = {.name = "jig_binary_search_few",
                    .templates = "jig/kernel/binary_search/binary_search.cuh",
                    .function = "jig::binary_search_few<jig_policy, jig_bound>",
                    .parameters = parameters,
                    .space = &binary_search_few_space},
    [SEARCH_ANY] = {.name = "jig_binary_search",
                    .templates = "jig/kernel/binary_search/binary_search.cuh",
                    .function = "jig::binary_search<jig_policy, jig_bound, jig::share_any>",
                    .parameters = parameters,
                    .space = &binary_search_space},
    [SEARCH_ROW] = {.name = "jig_binary_search_row",
                    .templates = "jig/kernel/binary_search/binary_search.cuh",
                    .function = "jig::binary_search<jig_policy, jig_bound, jig::share_row>",
                    .parameters = parameters,
                    .space = &binary_search_row_space},
    [SEARCH_MANY] = {.name = "jig_binary_search_many",
                     .templates = "jig/kernel/binary_search/binary_search.cuh",
                     .function = "jig::binary_search<jig_policy, jig_bound, jig::share_many>",
                     .parameters = parameters,
                     .space = &binary_search_space},
};

/* A thread has one needle of large items anyway; and of needles with two places none are told from
 * others. */
static int count_kernels(const spec *s) {
  if (s->slots[IN].iter->type.size > 8) return SEARCH_ROW;
  return s->slots[BOUND].choice == JIG_BOUND_EQUAL_RANGE ? SEARCH_MANY : SEARCH_KERNELS;
}

/* clang-format off */
#define FIELDS(s, F, R)                                                              \
  F(s, in) F(s, needles_in) F(s, out) F(s, upper_out) F(s, num_items) F(s, num_needles) F(s, compare) \
  F(s, bound) R(s, reserved32) F(s, num_items_in) F(s, num_needles_in) R(s, reserved)
/* clang-format on */
STRUCT_LAYOUT(jig_binary_search_args, 1424, FIELDS);

const algorithm binary_search_algorithm = {
    .schema = {.algorithm = "binary_search", .slots = slots, .slot_count = SLOTS, .check = check},
    .args = &layout_of_jig_binary_search_args,
    .kernels = kernels,
    .kernel_count = SEARCH_KERNELS,
    .count_kernels = count_kernels,
};

/* ---- the call */

enum { MAX_PLACES = 4 };

typedef struct search_plan {
  int kernel;
  launch_shape shape;
} search_plan;

typedef struct bound_spec {
  spec s;
  const jig_binary_search_args *args;
  call_place places[MAX_PLACES];
  size_t place_count;
  search_plan plan;
  binary_search_values values;
} bound_spec;

static jig_status bind(const char *name, const void *args_, void *bound) {
  const jig_binary_search_args *args = args_;
  bound_spec *b = bound;
  spec *s = &b->s;
  b->args = args;
  b->places[0] = (call_place){&args->in, args->num_items, "in", false};
  b->places[1] = (call_place){&args->needles_in, args->num_needles, "needles_in", false};
  b->places[2] = (call_place){&args->out, args->num_needles, "out", true};
  b->places[3] = (call_place){&args->upper_out, args->num_needles, "upper_out", true};
  b->place_count = MAX_PLACES - (args->upper_out.kind == JIG_ITER_NONE);
  s->schema = &binary_search_algorithm.schema;
  memset(s->slots, 0, SLOTS * sizeof s->slots[0]);
  s->slots[BOUND].choice = (int)args->bound;
  s->slots[COMPARE].op = op_order_given(&args->compare);
  s->slots[IN].iter = &args->in;
  s->slots[NEEDLES_IN].iter = &args->needles_in;
  s->slots[NUM_ITEMS_IN].choice = args->num_items_in != NULL;
  s->slots[NUM_NEEDLES_IN].choice = args->num_needles_in != NULL;
  s->slots[OUT].iter = &args->out;
  s->slots[UPPER_OUT].iter = iter_given(&args->upper_out);
  return call_check_choice(name, "bound", (int)args->bound, JIG_BOUND_EQUAL_RANGE);
}

static binary_search_values values_of(const jig_binary_search_args *args) {
  return (binary_search_values){.num_items = {args->num_items, args->num_items_in},
                                .num_needles = {args->num_needles, args->num_needles_in}};
}

enum { WARP_THREADS = 32 };

/* How many needles of its share a block takes at once. Few more than it has threads are found by one of
 * each at a time: a thread that looks for several looks for as many as it has room for. */
static uint64_t tile_needles_of(const binary_search_tuning *tuning, uint64_t share) {
  const uint64_t threads = (unsigned)tuning->threads;
  const uint64_t most = 2 * share <= 3 * threads ? threads : threads * (unsigned)tuning->needles;
  const uint64_t even = ceil_div(share, ceil_div(share, most)), rows = ceil_div(even, threads) * threads;
  /* All but the last tile are whole if others would leave warps without needles. */
  return even > threads && rows - even >= WARP_THREADS ? rows : even;
}

/* Blocks of a kernel for shares, whose values are completed. */
static search_plan shares_of(const program *p, int kernel, binary_search_values *values) {
  const uint64_t n = values->num_needles.limit;
  const binary_search_tuning tuning = binary_search_tuning_of(&p->kernels[kernel].tuning);
  const uint64_t resident = (uint64_t)(unsigned)p->multiprocessors * (unsigned)tuning.min_blocks;
  const uint64_t blocks = min_of(ceil_div(n, (unsigned)tuning.threads), resident);
  const uint64_t items = values->num_items.limit;
  values->share = ceil_div(n, blocks);
  values->tile_needles = (uint32_t)tile_needles_of(&tuning, values->share);
  values->sweeps =
      tuning.sweep_rows > 0 && values->share > (unsigned)tuning.threads && items >> 2 <= n && items > 0;
  return (search_plan){kernel,
                       {.grid = (unsigned)ceil_div(n, values->share), .pdl = n > MAX_ITEMS_WITHOUT_PDL}};
}

/* Whether such blocks take one needle of each thread at a time, without more ado. */
static bool are_rows(const program *p, const binary_search_values *values) {
  const binary_search_tuning tuning = binary_search_tuning_of(&p->kernels[SEARCH_ROW].tuning);
  const uint64_t threads = (unsigned)tuning.threads;
  return values->tile_needles <= threads && 2 * values->share <= threads * (unsigned)tuning.needles &&
         !values->sweeps;
}

/* Whether they take so many that a look at some of them does not take longer than it saves. */
static bool are_many(const program *p, const binary_search_values *values) {
  const binary_search_tuning tuning = binary_search_tuning_of(&p->kernels[SEARCH_MANY].tuning);
  return 2 * values->share > (uint64_t)(unsigned)tuning.threads * (unsigned)tuning.needles;
}

/* The values are completed. */
static search_plan plan_of(const call *c, binary_search_values *values) {
  const program *p = c->program;
  const uint64_t n = values->num_needles.limit, multiprocessors = (unsigned)p->multiprocessors;
  const bool pdl = n > MAX_ITEMS_WITHOUT_PDL;
  const binary_search_few_tuning few = binary_search_few_tuning_of(&p->kernels[SEARCH_FEW].tuning);
  const uint64_t warps = (unsigned)few.threads / WARP_THREADS;
  /* As long as there is a warp for each needle, they are found sooner than a sample of the range is
   * loaded. */
  if (n <= multiprocessors * (unsigned)few.min_blocks * warps)
    return (search_plan){SEARCH_FEW, {.grid = (unsigned)ceil_div(n, warps), .pdl = pdl}};
  if (p->count > SEARCH_ROW) {
    const search_plan plan = shares_of(p, SEARCH_ROW, values);
    if (are_rows(p, values)) return plan;
  }
  if (p->count > SEARCH_MANY) {
    const search_plan plan = shares_of(p, SEARCH_MANY, values);
    if (are_many(p, values)) return plan;
  }
  return shares_of(p, SEARCH_ANY, values);
}

static jig_status prepare(call *c, void *bound, temp_layout *temp) {
  bound_spec *b = bound;
  const jig_binary_search_args *args = b->args;
  (void)temp; /* none is needed */
  jig_status status = call_check_counts(c, "num_items", b->places, 1);
  if (status == JIG_SUCCESS)
    status = call_check_counts(c, "num_needles", b->places + 1, b->place_count - 1);
  if (status == JIG_SUCCESS) status = call_check_index(c, &args->out.type, "out", args->num_items);
  if (status == JIG_SUCCESS && args->upper_out.kind != JIG_ITER_NONE)
    status = call_check_index(c, &args->upper_out.type, "upper_out", args->num_items);
  if (status != JIG_SUCCESS) return status;
  b->values = values_of(args);
  b->plan = plan_of(c, &b->values);
  call_needs(c, b->plan.kernel);
  return JIG_SUCCESS;
}

static jig_status launch(call *c, void *bound, const temp_layout *temp) {
  const bound_spec *b = bound;
  const jig_binary_search_args *args = b->args;
  (void)temp;
  if (args->num_needles == 0) return JIG_SUCCESS;
  jig_status status = call_check_places(c, b->places, b->place_count);
  if (status == JIG_SUCCESS) status = call_check_op(c, &args->compare, "compare");
  return status == JIG_SUCCESS ? call_launch(c, b->plan.kernel, b->plan.shape, &b->values) : status;
}

const call_steps binary_search_steps = {"jig_binary_search",
                                        CALL_PAIR_ARGS(jig_binary_search_args, num_items, num_needles),
                                        bind,
                                        prepare,
                                        launch,
                                        sizeof(bound_spec)};

jig_status jig_binary_search(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                             const jig_binary_search_args *args, CUstream stream) {
  bound_spec b;
  return call_run(&binary_search_steps, engine, d_temp_storage, temp_storage_bytes, args, stream, &b);
}

jig_status jig_binary_search_spec(const jig_binary_search_args *args, char **text) {
  bound_spec b;
  return call_spec(&binary_search_steps, args, text, &b);
}

/* ---- the same by name */

static jig_binary_search_args args_of(jig_bound bound, jig_iter in, uint64_t num_items,
                                      jig_iter needles_in, uint64_t num_needles, jig_iter out,
                                      jig_op compare) {
  return (jig_binary_search_args){.in = in,
                                  .needles_in = needles_in,
                                  .out = out,
                                  .num_items = num_items,
                                  .num_needles = num_needles,
                                  .compare = compare,
                                  .bound = bound};
}

jig_status jig_lower_bound(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                           jig_iter in, uint64_t num_items, jig_iter needles_in, uint64_t num_needles,
                           jig_iter out, jig_op compare, CUstream stream) {
  const jig_binary_search_args args =
      args_of(JIG_BOUND_LOWER, in, num_items, needles_in, num_needles, out, compare);
  return jig_binary_search(engine, d_temp_storage, temp_storage_bytes, &args, stream);
}

jig_status jig_upper_bound(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                           jig_iter in, uint64_t num_items, jig_iter needles_in, uint64_t num_needles,
                           jig_iter out, jig_op compare, CUstream stream) {
  const jig_binary_search_args args =
      args_of(JIG_BOUND_UPPER, in, num_items, needles_in, num_needles, out, compare);
  return jig_binary_search(engine, d_temp_storage, temp_storage_bytes, &args, stream);
}

jig_status jig_equal_range(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                           jig_iter in, uint64_t num_items, jig_iter needles_in, uint64_t num_needles,
                           jig_iter lower_out, jig_iter upper_out, jig_op compare, CUstream stream) {
  jig_binary_search_args args =
      args_of(JIG_BOUND_EQUAL_RANGE, in, num_items, needles_in, num_needles, lower_out, compare);
  args.upper_out = upper_out;
  return jig_binary_search(engine, d_temp_storage, temp_storage_bytes, &args, stream);
}

jig_status jig_partition_point(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                               jig_iter in, uint64_t num_items, jig_iter out, jig_op predicate,
                               CUstream stream) {
  const bool fails = false;
  return jig_lower_bound(engine, d_temp_storage, temp_storage_bytes,
                         jig_iter_transform(&in, predicate, JIG_BOOL), num_items,
                         jig_constant(&fails, JIG_BOOL), 1, out, JIG_GREATER, stream);
}
