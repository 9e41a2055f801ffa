/* jig_radix_sort(): see include/jig/radix_sort.h and templates/jig/agent/radix_sort*.cuh. */
#include <jig/radix_sort.h>
#include <stdio.h>
#include <string.h>

#include "algorithm/by_key.h"
#include "algorithm/radix_sort_plan.h"
#include "spec/canonical.h"
#include "spec/type.h"
#include "util/error.h"
#include "util/integer.h"

/* ---- the spec */

enum { DECOMPOSER, KEY, ORDER, VALUE, SLOTS };
enum { ORDER_OF_INTEGERS, ORDER_OF_FLOATS, ORDER_OF_FIELDS };
enum { MAX_KEY_BYTES = 64, MAX_FIELD_BYTES = 16 };

static const char *const orders[] = {"integer", "float", "fields", NULL};
static const slot_schema slots[SLOTS] = {
    [DECOMPOSER] = {.name = "decomposer",
                    .kind = SLOT_OP,
                    .optional = true,
                    .arity = 1,
                    .over = {"key"},
                    .lists = true},
    [KEY] = {.name = "key", .kind = SLOT_TYPE},
    [ORDER] = {.name = "order", .kind = SLOT_CHOICE, .choices = orders},
    [VALUE] = {.name = "value", .kind = SLOT_TYPE, .optional = true},
};

static bool is_unsigned(const jig_type *type) {
  return type_is_integer(type) && type->kind >= JIG_KIND_U8 && type->kind <= JIG_KIND_U128;
}

static jig_status check(const spec *s) {
  const jig_type *key = s->slots[KEY].type, *value = s->slots[VALUE].type;
  const jig_op *decomposer = s->slots[DECOMPOSER].op;
  const bool has_fields = s->slots[ORDER].choice == ORDER_OF_FIELDS;
  if (has_fields != (decomposer != NULL) ||
      (has_fields && (decomposer->kind != JIG_OP_SOURCE || op_has_state(decomposer))))
    return error_set(JIG_ERROR_INVALID_ARGUMENT,
                     "decomposer: a list of fields is needed for the order 'fields', and for no other");
  if (key->size > MAX_KEY_BYTES)
    return error_set(JIG_ERROR_UNSUPPORTED, "key: %u bytes are more than %d", key->size,
                     (int)MAX_KEY_BYTES);
  if (!has_fields && !is_unsigned(key))
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "key: it must be an unsigned integer, not %s",
                     jig_type_name(key));
  if (s->slots[ORDER].choice == ORDER_OF_FLOATS && (key->size < 2 || key->size > 8))
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "key: there are no floating-point numbers of %u bytes",
                     key->size);
  if (value != NULL && value->kind != JIG_KIND_OPAQUE)
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "value: its type must be opaque, not %s",
                     jig_type_name(value));
  return JIG_SUCCESS;
}

static const kernel_row kernels[] = {
    [RADIX_SORT_BLOCK] = {.name = "jig_radix_sort_block",
                          .templates = "jig/kernel/radix_sort_block.cuh",
                          .entry = "jig/kernel/radix_sort_block_entry.cuh",
                          .choose_policy = radix_sort_block_policy},
    [RADIX_SORT_HISTOGRAM] = {.name = "jig_radix_sort_histogram",
                              .templates = "jig/kernel/radix_sort_histogram.cuh",
                              .entry = "jig/kernel/radix_sort_histogram_entry.cuh",
                              .choose_policy = radix_sort_histogram_policy},
    [RADIX_SORT_PASS] = {.name = "jig_radix_sort_pass",
                         .templates = "jig/kernel/radix_sort_pass.cuh",
                         .entry = "jig/kernel/radix_sort_pass_entry.cuh",
                         .choose_policy = radix_sort_pass_policy},
};

const algorithm radix_sort_algorithm = {
    .schema = {.algorithm = "radix_sort", .slots = slots, .slot_count = SLOTS, .check = check},
    .kernels = kernels,
    .kernel_count = RADIX_SORT_KERNELS,
};

/* A spec with what it points to beside the args. */
typedef struct described {
  spec s;
  jig_type key, value;
  jig_op decomposer;
} described;

/* ---- what the spec does not have of the args */

static jig_status check_pointer(const char *who, const char *name, const jig_iter *iter) {
  char what[96];
  if (iter->kind == JIG_ITER_POINTER) {
    (void)snprintf(what, sizeof what, "%s: %s", who, name);
    return type_check(&iter->type, what);
  }
  return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: %s: %s", who, name,
                   iter->kind == JIG_ITER_NONE ? "missing" : "it must be a pointer");
}

static jig_status check_pair(const char *who, const char *in_name, const jig_iter *in,
                             const char *out_name, const jig_iter *out) {
  jig_status status = check_pointer(who, in_name, in);
  if (status == JIG_SUCCESS) status = check_pointer(who, out_name, out);
  if (status != JIG_SUCCESS || type_equal(&in->type, &out->type)) return status;
  return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: %s: its type must be that of %s, %s, not %s", who,
                   out_name, in_name, jig_type_name(&in->type), jig_type_name(&out->type));
}

static bool has_values(const jig_radix_sort_args *args) {
  return args->values_in.kind != JIG_ITER_NONE || args->values_out.kind != JIG_ITER_NONE;
}

/* A key's; of one that is decomposed, no less than its fields have. */
static int bits_of_key(const jig_radix_sort_args *args) {
  const size_t size = args->keys_in.type.size;
  return 8 * (int)(args->decomposer != NULL ? min_of(size, MAX_FIELD_BYTES) : size);
}

/* The bits that count end here. */
static int end_bit(const jig_radix_sort_args *args) {
  return args->end_bit != 0 ? args->end_bit : bits_of_key(args);
}

static bool is_partial(const jig_radix_sort_args *args) {
  return args->begin_bit > 0 || end_bit(args) < bits_of_key(args);
}

static jig_status check_bits(const char *who, const jig_radix_sort_args *args) {
  const int bits = bits_of_key(args), end = end_bit(args);
  if (end < 0 || end > bits)
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: end_bit: it is %d, and keys have %d bits", who,
                     args->end_bit, bits);
  if (args->begin_bit < 0 || args->begin_bit > end)
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: begin_bit: it is %d, and the end is %d", who,
                     args->begin_bit, end);
  return JIG_SUCCESS;
}

static jig_status check_args(const char *who, const jig_radix_sort_args *args) {
  jig_status status = check_pair(who, "keys_in", &args->keys_in, "keys_out", &args->keys_out);
  if (status == JIG_SUCCESS && has_values(args))
    status = check_pair(who, "values_in", &args->values_in, "values_out", &args->values_out);
  if (status != JIG_SUCCESS) return status;
  const jig_type *key = &args->keys_in.type;
  if (args->decomposer != NULL ? key->kind != JIG_KIND_STRUCT : !type_is_number(key))
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: keys_in: %s", who,
                     args->decomposer != NULL
                         ? "keys must be structs if there is a decomposer"
                         : "keys must be of a built-in type, or there has to be a decomposer");
  return check_bits(who, args);
}

/* Types that are sorted alike share a program: keys are unsigned integers, values are bytes. */
static jig_type key_type(size_t size) {
  switch (size) {
    case 1:
      return JIG_U8;
    case 2:
      return JIG_U16;
    case 4:
      return JIG_U32;
    case 8:
      return JIG_U64;
    default:
      return JIG_U128;
  }
}

static jig_status describe(const char *who, const jig_radix_sort_args *args, described *d) {
  jig_status status = check_args(who, args);
  if (status != JIG_SUCCESS) return status;
  const jig_type *key = &args->keys_in.type, *value = &args->values_in.type;
  memset(&d->s, 0, sizeof d->s);
  d->s.schema = &radix_sort_algorithm.schema;
  d->key = args->decomposer != NULL ? *key : key_type(key->size);
  d->s.slots[KEY].type = &d->key;
  d->s.slots[ORDER].choice = type_is_integer(key) ? ORDER_OF_INTEGERS : ORDER_OF_FLOATS;
  if (args->decomposer != NULL) {
    d->decomposer = jig_op_source(args->decomposer);
    d->s.slots[DECOMPOSER].op = &d->decomposer;
    d->s.slots[ORDER].choice = ORDER_OF_FIELDS;
  }
  if (!has_values(args)) return JIG_SUCCESS;
  d->value = jig_opaque(value->size, value->align);
  d->s.slots[VALUE].type = &d->value;
  return JIG_SUCCESS;
}

/* ---- launches */

/* Kernel parameters; jig::RadixSortCall and jig::RadixSortPart in device code. */
typedef struct radix_sort_call {
  const void *keys_in, *values_in;
  void *keys_out, *values_out, *keys_other, *values_other;
  void *control, *states;
  uint64_t num_items, tag;
  uint32_t state_tiles;
  int32_t begin_bit, end_bit, is_signed, is_descending, portions, keeps_parity;
} radix_sort_call;

typedef struct radix_sort_part {
  uint64_t first_item;
  uint32_t num_items;
  int32_t pass, portion, rows;
} radix_sort_part;

static bool is_signed_integer(const jig_type *type) {
  return type->kind >= JIG_KIND_I8 && type->kind <= JIG_KIND_I128;
}

static radix_sort_call parameters_of(call *c, const jig_radix_sort_args *args,
                                     const radix_sort_plan *plan, const temp_layout *temp) {
  radix_sort_call p = {.keys_in = args->keys_in.pointer,
                       .values_in = args->values_in.pointer,
                       .keys_out = args->keys_out.pointer,
                       .values_out = args->values_out.pointer,
                       .num_items = args->num_items,
                       .tag = engine_tag(c->engine, c->number),
                       .state_tiles = plan->state_tiles,
                       .begin_bit = args->begin_bit,
                       .end_bit = end_bit(args),
                       .is_signed = is_signed_integer(&args->keys_in.type),
                       .is_descending = args->order == JIG_SORT_DESCENDING,
                       .portions = plan->portions,
                       .keeps_parity = args->selector != NULL};
  if (plan->is_alone) return p;
  p.control = temp_address(temp, 0, c->storage);
  p.states = temp_address(temp, 1, c->storage);
  p.keys_other = temp_address(temp, 2, c->storage);
  p.values_other = temp_address(temp, 3, c->storage);
  return p;
}

/* Of two buffers the last pass writes the one or the other. */
static void use_buffers(radix_sort_call *p, const jig_radix_sort_args *args, int selected) {
  p->keys_out = selected ? args->keys_out.pointer : args->keys_in.pointer;
  p->values_out = selected ? args->values_out.pointer : args->values_in.pointer;
  p->keys_other = selected ? args->keys_in.pointer : args->keys_out.pointer;
  p->values_other = selected ? args->values_in.pointer : args->values_out.pointer;
}

static jig_status launch_pass(call *c, const radix_sort_plan *plan, radix_sort_call *p, int pass) {
  jig_status status = JIG_SUCCESS;
  for (int portion = 0; portion < plan->portions && status == JIG_SUCCESS; ++portion) {
    const uint64_t first = (uint64_t)portion * plan->portion_items;
    const uint64_t items = min_of(p->num_items - first, plan->portion_items);
    radix_sort_part part = {first, (uint32_t)items, pass, portion, plan->rows};
    void *parameters[] = {p, &part};
    status = call_launch(c, RADIX_SORT_PASS, radix_sort_pass_shape(c->program, plan, items), parameters);
  }
  return status;
}

static jig_status launch(call *c, const jig_radix_sort_args *args, const radix_sort_size *size,
                         const temp_layout *temp) {
  const radix_sort_plan plan = radix_sort_plan_of(c->program, size);
  radix_sort_call p = parameters_of(c, args, &plan, temp);
  const int selected = plan.is_alone || size->passes % 2 == 1;
  if (plan.is_alone) {
    int rows = plan.rows;
    void *parameters[] = {&p, &rows};
    if (args->selector != NULL) *args->selector = 1;
    return call_launch(c, RADIX_SORT_BLOCK, plan.alone, parameters);
  }
  if (args->selector != NULL) {
    use_buffers(&p, args, selected);
    *args->selector = selected;
  }
  void *parameters[] = {&p};
  jig_status status = call_launch(c, RADIX_SORT_HISTOGRAM, plan.histogram, parameters);
  for (int pass = 0; pass < size->passes && status == JIG_SUCCESS; ++pass)
    status = launch_pass(c, &plan, &p, pass);
  return status;
}

/* ---- the call */

static jig_status check_values(const call *c, const jig_radix_sort_args *args) {
  const uint64_t n = args->num_items;
  const bool overwrites = args->selector != NULL;
  const by_key_place places[] = {{&args->keys_in, n, "keys_in", overwrites},
                                 {&args->keys_out, n, "keys_out", true},
                                 {&args->values_in, n, "values_in", overwrites},
                                 {&args->values_out, n, "values_out", true}};
  return by_key_check_places(c, places, has_values(args) ? 4 : 2);
}

/* What is sorted by no bit at all is copied: as by a digit of no bits, which is the same for all. */
static int passes_of(const jig_radix_sort_args *args) {
  const int passes = (int)ceil_div((uint64_t)(end_bit(args) - args->begin_bit), 8);
  return passes > 0 ? passes : 1;
}

static jig_status run(call *c, const jig_radix_sort_args *args) {
  described d;
  bool go_on;
  if (args == NULL)
    return error_set(JIG_ERROR_INVALID_ARGUMENT, "%s: args: the pointer is NULL", c->name);
  jig_status status = call_check_choice(c, "order", (int)args->order, JIG_SORT_DESCENDING);
  if (status == JIG_SUCCESS) status = describe(c->name, args, &d);
  if (status == JIG_SUCCESS) status = call_program(c, &d.s);
  if (status != JIG_SUCCESS) return status;
  const radix_sort_size size = {.num_items = args->num_items,
                                .key_bytes = d.key.size,
                                .value_bytes = has_values(args) ? d.value.size : 0,
                                .passes = passes_of(args),
                                .has_buffers = args->selector != NULL,
                                .is_partial = is_partial(args)};
  const temp_layout temp = radix_sort_temp(c->program, &size);
  status = call_temp_storage(c, &temp, &go_on);
  if (!go_on) return status;
  status = check_values(c, args);
  if (status != JIG_SUCCESS) return status;
  if (args->num_items > 0) return launch(c, args, &size, &temp);
  if (args->selector != NULL) *args->selector = 0;
  return JIG_SUCCESS;
}

jig_status jig_radix_sort(jig_engine *engine, void *d_temp_storage, size_t *temp_storage_bytes,
                          const jig_radix_sort_args *args, CUstream stream) {
  call c;
  jig_status status =
      call_begin(&c, "jig_radix_sort", engine, d_temp_storage, temp_storage_bytes, stream);
  if (status == JIG_SUCCESS) status = run(&c, args);
  return call_end(&c, status);
}

jig_status jig_radix_sort_spec(const jig_radix_sort_args *args, char **text) {
  described d;
  jig_status status = call_check_spec_query("jig_radix_sort_spec", args, text);
  if (status == JIG_SUCCESS) status = describe("jig_radix_sort_spec", args, &d);
  return status == JIG_SUCCESS ? spec_write(&d.s, "jig_radix_sort_spec", text) : status;
}
