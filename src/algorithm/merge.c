/* jig_merge(): see include/jig/merge.h and templates/jig/agent/merge.cuh. */
#include <jig/merge.h>
#include <string.h>

#include "algorithm/by_key.h"
#include "algorithm/packed_args.h"
#include "algorithm/tagged.h"
#include "spec/canonical.h"
#include "util/error.h"
#include "util/integer.h"

/* ---- the spec */

enum {
  FIRST_KEYS_IN,
  FIRST_VALUES_IN,
  KEYS_OUT,
  OP,
  SECOND_KEYS_IN,
  SECOND_VALUES_IN,
  VALUES_OUT,
  SLOTS
};

static const slot_schema slots[SLOTS] = {
    [FIRST_KEYS_IN] = {.name = "first_keys_in", .kind = SLOT_ITER, .role = ITER_INPUT},
    [FIRST_VALUES_IN] = {.name = "first_values_in",
                         .kind = SLOT_ITER,
                         .optional = true,
                         .role = ITER_INPUT},
    [KEYS_OUT] = {.name = "keys_out", .kind = SLOT_ITER, .role = ITER_OUTPUT},
    [OP] = {.name = "op",
            .kind = SLOT_OP,
            .optional = true,
            .arity = 2,
            .over = {"first_keys_in"},
            .orders = true},
    [SECOND_KEYS_IN] = {.name = "second_keys_in", .kind = SLOT_ITER, .role = ITER_INPUT},
    [SECOND_VALUES_IN] = {.name = "second_values_in",
                          .kind = SLOT_ITER,
                          .optional = true,
                          .role = ITER_INPUT},
    [VALUES_OUT] = {.name = "values_out", .kind = SLOT_ITER, .optional = true, .role = ITER_OUTPUT},
};

static jig_status check(const spec *s) {
  static const char *const values[] = {"first_values_in", "second_values_in", "values_out", NULL};
  jig_status status = spec_check_together(s, values);
  if (status == JIG_SUCCESS) status = spec_check_same_type(s, "second_keys_in", "first_keys_in");
  if (status == JIG_SUCCESS) status = spec_check_same_type(s, "keys_out", "first_keys_in");
  if (status == JIG_SUCCESS) status = spec_check_same_type(s, "second_values_in", "first_values_in");
  if (status == JIG_SUCCESS) status = spec_check_same_type(s, "values_out", "first_values_in");
  if (status != JIG_SUCCESS || s->slots[OP].op != NULL) return status;
  return op_check_order(&s->slots[FIRST_KEYS_IN].iter->type, "first_keys_in");
}

static const kernel_row kernels[] = {
    [MERGE_SMALL] = {.name = "jig_merge_small",
                     .templates = "jig/kernel/merge.cuh",
                     .entry = "jig/kernel/merge_small_entry.cuh",
                     .choose_policy = merge_small_policy},
    [MERGE_SPLIT] = {.name = "jig_merge_split",
                     .templates = "jig/kernel/merge.cuh",
                     .entry = "jig/kernel/merge_split_entry.cuh",
                     .choose_policy = merge_split_policy},
    [MERGE_LARGE] = {.name = "jig_merge_large",
                     .templates = "jig/kernel/merge.cuh",
                     .entry = "jig/kernel/merge_large_entry.cuh",
                     .choose_policy = merge_large_policy},
};

const algorithm merge_algorithm = {
    .schema = {.algorithm = "merge", .slots = slots, .slot_count = SLOTS, .check = check},
    .kernels = kernels,
    .kernel_count = MERGE_KERNELS,
};

static void describe(const jig_merge_args *args, spec *s) {
  s->schema = &merge_algorithm.schema;
  memset(s->slots, 0, SLOTS * sizeof s->slots[0]);
  s->slots[FIRST_KEYS_IN].iter = &args->first_keys_in;
  s->slots[FIRST_VALUES_IN].iter = iter_given(&args->first_values_in);
  s->slots[KEYS_OUT].iter = &args->keys_out;
  s->slots[SECOND_KEYS_IN].iter = &args->second_keys_in;
  s->slots[SECOND_VALUES_IN].iter = iter_given(&args->second_values_in);
  s->slots[VALUES_OUT].iter = iter_given(&args->values_out);
  s->slots[OP].op = op_order_given(&args->op);
}

/* ---- launches */

/* Up to so many items for each multiprocessor blocks had better search by themselves than wait for a
 * launch that does. */
enum { SMALL_ITEMS = 16384 };

static bool is_small(const program *p, uint64_t num_items) {
  return num_items <= SMALL_ITEMS * (uint64_t)(unsigned)p->multiprocessors;
}

static uint64_t tiles_of(const program *p, int kernel, uint64_t num_items) {
  const policy *tuning = &p->kernels[kernel].tuning;
  return ceil_div(num_items, (uint64_t)policy_threads(tuning) * (unsigned)tuning->values[MERGE_ITEMS]);
}

/* Slot 0: where each tile begins in the first input, and the end. */
static temp_layout temp_of(const program *p, uint64_t num_items) {
  temp_layout temp = {0};
  const uint64_t splits = is_small(p, num_items) ? 0 : tiles_of(p, MERGE_LARGE, num_items) + 1;
  (void)temp_slot(&temp, (size_t)splits * sizeof(uint64_t));
  return temp;
}

static jig_status launch(call *c, const jig_merge_args *args, const temp_layout *temp) {
  uint64_t first_count = args->first_num_items, second_count = args->second_num_items;
  const uint64_t n = first_count + second_count;
  void *splits = temp_address(temp, 0, c->storage);
  packed_args packed;
  packed_begin(&packed);
  packed_iter(&packed, &args->first_keys_in);
  packed_iter(&packed, &args->first_values_in);
  packed_iter(&packed, &args->second_keys_in);
  packed_iter(&packed, &args->second_values_in);
  packed_iter(&packed, &args->keys_out);
  packed_iter(&packed, &args->values_out);
  packed_op(&packed, &args->op);
  packed_value(&packed, &first_count);
  packed_value(&packed, &second_count);
  packed_value(&packed, &splits);
  const int kernel = is_small(c->program, n) ? MERGE_SMALL : MERGE_LARGE;
  const uint64_t tiles = tiles_of(c->program, kernel, n);
  if (tiles > INT32_MAX)
    return error_set(JIG_ERROR_UNSUPPORTED, "%s: num_items: a launch cannot have so many blocks",
                     c->name);
  if (kernel == MERGE_LARGE) {
    const unsigned threads = policy_threads(&c->program->kernels[MERGE_SPLIT].tuning);
    const launch_shape shape = {.grid = (unsigned)ceil_div(tiles + 1, threads), .overlap = true};
    jig_status status = call_launch(c, MERGE_SPLIT, shape, packed.parameters);
    if (status != JIG_SUCCESS) return status;
  }
  const launch_shape shape = {.grid = (unsigned)tiles, .overlap = n > MAX_ALONE_ITEMS};
  return call_launch(c, kernel, shape, packed.parameters);
}

/* ---- the call */

static jig_status check_values(const call *c, const jig_merge_args *args) {
  const uint64_t first = args->first_num_items, second = args->second_num_items;
  const by_key_place places[] = {{&args->first_keys_in, first, "first_keys_in", false},
                                 {&args->second_keys_in, second, "second_keys_in", false},
                                 {&args->keys_out, first + second, "keys_out", true},
                                 {&args->first_values_in, first, "first_values_in", false},
                                 {&args->second_values_in, second, "second_values_in", false},
                                 {&args->values_out, first + second, "values_out", true}};
  jig_status status = by_key_check_places(c, places, args->values_out.kind != JIG_ITER_NONE ? 6 : 3);
  return status == JIG_SUCCESS ? call_check_op(c, &args->op, "op") : status;
}

static jig_status run(call *c, const jig_merge_args *args) {
  spec s;
  bool go_on;
  if (args == NULL)
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: args: the pointer is NULL", c->name);
  if (args->first_num_items > UINT64_MAX - args->second_num_items)
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: second_num_items: more than can be counted",
                     c->name);
  describe(args, &s);
  jig_status status = call_program(c, &s);
  if (status != JIG_SUCCESS) return status;
  const uint64_t n = args->first_num_items + args->second_num_items;
  const temp_layout temp = temp_of(c->program, n);
  status = call_temp_storage(c, &temp, &go_on);
  if (!go_on || n == 0) return status;
  status = check_values(c, args);
  return status == JIG_SUCCESS ? launch(c, args, &temp) : status;
}

jig_status jig_merge(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                     const jig_merge_args *args, CUstream stream) {
  call c;
  jig_status status = call_begin(&c, "jig_merge", engine, d_temp_storage, temp_storage_bytes, stream);
  if (status == JIG_SUCCESS) status = run(&c, args);
  return call_end(&c, status);
}

jig_status jig_merge_spec(const jig_merge_args *args, char **text) {
  spec s;
  jig_status status = call_check_spec_query("jig_merge_spec", args, text);
  if (status != JIG_SUCCESS) return status;
  describe(args, &s);
  return spec_write(&s, "jig_merge_spec", text);
}
