#include "algorithm.h"

#include <string.h>

#include "algorithm/accumulator.h"
#include "report.h"

#define BIT(option) ((uint64_t)1 << (option))
enum { MAX_VALUE_SIZE = 256 };

/* Specs only ask whether there is an init. */
static const unsigned char any_init[MAX_VALUE_SIZE];

/* ---- reduce */

/* `base` has to outlive the iterator. */
static jig_iter input_of(const request *r, const call_operands *o, jig_iter *base) {
  *base = jig_pointer(o->in, r->item);
  return r->transform.kind != JIG_OP_NONE ? jig_transform(base, r->transform, r->mapped) : *base;
}

static jig_reduce_args reduce_args(const request *r, const call_operands *o, jig_iter *base) {
  return (jig_reduce_args){
      .in = input_of(r, o, base),
      .out = jig_pointer(o->out, r->out),
      .num_items = o->num_items,
      .op = r->op,
      .init = o->init,
      .init_type = r->init_type,
      .accum_type = r->accum,
      .nan = r->nan,
  };
}

static jig_type reduce_accum_type(const request *r) {
  const jig_op op = r->op.kind != JIG_OP_NONE ? r->op : JIG_PLUS;
  return accumulator_type(&r->accum, &op, &r->init_type, &r->mapped, &r->out);
}

static jig_status reduce_spec(const request *r, char **text) {
  const call_operands none = {.init = r->init != NULL ? any_init : NULL};
  jig_iter base;
  jig_reduce_args args = reduce_args(r, &none, &base);
  return jig_reduce_spec(&args, text);
}

static jig_status reduce_call(jig_engine *engine, void *temp, size_t *temp_bytes, const request *r,
                              const call_operands *o, CUstream stream) {
  jig_iter base;
  jig_reduce_args args = reduce_args(r, o, &base);
  return jig_reduce(engine, temp, temp_bytes, &args, stream);
}

/* ---- arg_reduce */

static jig_arg_reduce_args arg_reduce_args(const request *r, const call_operands *o) {
  return (jig_arg_reduce_args){
      .in = jig_pointer(o->in, r->item),
      .value_out = r->wants_value ? jig_pointer(o->out, r->item) : (jig_iter)JIG_ZERO,
      .index_out = jig_pointer(o->index, r->index),
      .num_items = o->num_items,
      .op = r->op,
      .nan = r->nan,
      .compare = r->order,
  };
}

static jig_status arg_reduce_spec(const request *r, char **text) {
  const call_operands none = {0};
  jig_arg_reduce_args args = arg_reduce_args(r, &none);
  return jig_arg_reduce_spec(&args, text);
}

static jig_status arg_reduce_call(jig_engine *engine, void *temp, size_t *temp_bytes, const request *r,
                                  const call_operands *o, CUstream stream) {
  jig_arg_reduce_args args = arg_reduce_args(r, o);
  return jig_arg_reduce(engine, temp, temp_bytes, &args, stream);
}

/* ---- scan. Not for running: what comes out is as long as what goes in. */

static jig_status scan_spec(const request *r, char **text) {
  const call_operands none = {0};
  jig_iter base;
  jig_scan_args args = {
      .in = input_of(r, &none, &base),
      .out = jig_pointer(NULL, r->out),
      .op = r->op,
      .mode = r->exclusive ? JIG_SCAN_EXCLUSIVE : JIG_SCAN_INCLUSIVE,
      .init = r->init != NULL ? any_init : NULL,
      .init_type = r->init_type,
      .accum_type = r->accum,
      .nan = r->nan,
  };
  return jig_scan_spec(&args, text);
}

static jig_status scan_by_key_spec(const request *r, char **text) {
  const call_operands none = {0};
  jig_iter base;
  jig_scan_by_key_args args = {
      .keys_in = jig_pointer(NULL, r->key),
      .values_in = input_of(r, &none, &base),
      .values_out = jig_pointer(NULL, r->out),
      .op = r->op,
      .equality = r->equality,
      .mode = r->exclusive ? JIG_SCAN_EXCLUSIVE : JIG_SCAN_INCLUSIVE,
      .init = r->init != NULL ? any_init : NULL,
      .init_type = r->init_type,
      .accum_type = r->accum,
      .nan = r->nan,
  };
  return jig_scan_by_key_spec(&args, text);
}

static jig_status segmented_scan_spec(const request *r, char **text) {
  const call_operands none = {0};
  jig_iter base;
  jig_segmented_scan_args args = {
      .in = input_of(r, &none, &base),
      .out = jig_pointer(NULL, r->out),
      .begin_offsets = jig_pointer(NULL, JIG_I64),
      .end_offsets = jig_pointer(NULL, JIG_I64),
      .op = r->op,
      .mode = r->exclusive ? JIG_SCAN_EXCLUSIVE : JIG_SCAN_INCLUSIVE,
      .init = r->init != NULL ? any_init : NULL,
      .init_type = r->init_type,
      .accum_type = r->accum,
      .nan = r->nan,
  };
  return jig_segmented_scan_spec(&args, text);
}

static jig_status reduce_by_key_spec(const request *r, char **text) {
  const call_operands none = {0};
  jig_iter base;
  jig_reduce_by_key_args args = {
      .keys_in = jig_pointer(NULL, r->key),
      .unique_out = jig_pointer(NULL, r->key),
      .values_in = input_of(r, &none, &base),
      .aggregates_out = jig_pointer(NULL, r->out),
      .num_runs_out = jig_pointer(NULL, JIG_I64),
      .op = r->op,
      .equality = r->equality,
      .accum_type = r->accum,
      .nan = r->nan,
  };
  return jig_reduce_by_key_spec(&args, text);
}

/* ---- runs */

static jig_status run_length_encode_spec(const request *r, char **text) {
  const call_operands none = {0};
  jig_iter base;
  jig_run_length_encode_args args = {
      .in = input_of(r, &none, &base),
      .unique_out = jig_pointer(NULL, r->mapped),
      .lengths_out = jig_pointer(NULL, JIG_I64),
      .num_runs_out = jig_pointer(NULL, JIG_I64),
      .equality = r->equality,
  };
  return jig_run_length_encode_spec(&args, text);
}

static jig_status non_trivial_runs_spec(const request *r, char **text) {
  const call_operands none = {0};
  jig_iter base;
  jig_non_trivial_runs_args args = {
      .in = input_of(r, &none, &base),
      .offsets_out = jig_pointer(NULL, JIG_I64),
      .lengths_out = jig_pointer(NULL, JIG_I64),
      .num_runs_out = jig_pointer(NULL, JIG_I64),
      .equality = r->equality,
  };
  return jig_non_trivial_runs_spec(&args, text);
}

/* ---- select and its kin. Not for running either. */

static jig_iter pointer_or_none(jig_type type) {
  return type.kind != JIG_KIND_NONE ? jig_pointer(NULL, type) : (jig_iter)JIG_ZERO;
}

static jig_status select_spec(const request *r, char **text) {
  const call_operands none = {0};
  jig_iter base;
  jig_select_args args = {
      .in = input_of(r, &none, &base),
      .flags = pointer_or_none(r->flags),
      .out = jig_pointer(NULL, r->out),
      .num_selected_out = jig_pointer(NULL, r->count),
      .op = r->op,
  };
  return jig_select_spec(&args, text);
}

static jig_status unique_spec(const request *r, char **text) {
  const call_operands none = {0};
  jig_iter base;
  jig_unique_args args = {
      .in = input_of(r, &none, &base),
      .out = jig_pointer(NULL, r->out),
      .values_in = pointer_or_none(r->values),
      .values_out = pointer_or_none(r->values),
      .num_selected_out = jig_pointer(NULL, r->count),
      .equality = r->op,
  };
  return jig_unique_spec(&args, text);
}

static jig_status partition_spec(const request *r, char **text) {
  const call_operands none = {0};
  jig_iter base;
  jig_partition_args args = {
      .in = input_of(r, &none, &base),
      .flags = pointer_or_none(r->flags),
      .out = jig_pointer(NULL, r->out),
      .num_selected_out = jig_pointer(NULL, r->count),
      .op = r->op,
  };
  return jig_partition_spec(&args, text);
}

static jig_status three_way_partition_spec(const request *r, char **text) {
  const call_operands none = {0};
  jig_iter base;
  jig_three_way_partition_args args = {
      .in = input_of(r, &none, &base),
      .first_out = jig_pointer(NULL, r->out),
      .second_out = jig_pointer(NULL, r->out),
      .unselected_out = jig_pointer(NULL, r->out),
      .num_selected_out = jig_pointer(NULL, r->count),
      .first_op = r->op,
      .second_op = r->second_op,
  };
  return jig_three_way_partition_spec(&args, text);
}

/* ---- sorts. Not for running either. */

static jig_status radix_sort_spec(const request *r, char **text) {
  const jig_radix_sort_args args = {.keys_in = jig_pointer(NULL, r->item),
                                    .keys_out = jig_pointer(NULL, r->item),
                                    .values_in = pointer_or_none(r->values),
                                    .values_out = pointer_or_none(r->values),
                                    .decomposer = r->decomposer};
  return jig_radix_sort_spec(&args, text);
}

static jig_status segmented_sort_spec(const request *r, char **text) {
  const jig_iter offsets = jig_pointer(NULL, JIG_I32);
  const jig_segmented_sort_args args = {.keys_in = jig_pointer(NULL, r->item),
                                        .keys_out = jig_pointer(NULL, r->item),
                                        .values_in = pointer_or_none(r->values),
                                        .values_out = pointer_or_none(r->values),
                                        .begin_offsets = offsets,
                                        .end_offsets = offsets,
                                        .decomposer = r->decomposer};
  return jig_segmented_sort_spec(&args, text);
}

static jig_status merge_sort_spec(const request *r, char **text) {
  const call_operands none = {0};
  jig_iter base;
  const jig_merge_sort_args args = {.keys_in = input_of(r, &none, &base),
                                    .keys_out = jig_pointer(NULL, r->mapped),
                                    .values_in = pointer_or_none(r->values),
                                    .values_out = pointer_or_none(r->values),
                                    .compare = r->op};
  return jig_merge_sort_spec(&args, text);
}

static jig_status merge_spec(const request *r, char **text) {
  const call_operands none = {0};
  jig_iter base;
  const jig_iter keys = input_of(r, &none, &base), values = pointer_or_none(r->values);
  const jig_merge_args args = {.first_keys_in = keys,
                               .second_keys_in = keys,
                               .keys_out = jig_pointer(NULL, r->mapped),
                               .first_values_in = values,
                               .second_values_in = values,
                               .values_out = values,
                               .compare = r->op};
  return jig_merge_spec(&args, text);
}

static jig_status top_k_spec(const request *r, char **text) {
  const call_operands none = {0};
  jig_iter base;
  const jig_top_k_args args = {.keys_in = input_of(r, &none, &base),
                               .keys_out = jig_pointer(NULL, r->mapped),
                               .values_in = pointer_or_none(r->values),
                               .values_out = pointer_or_none(r->values),
                               .is_sorted = r->sorted,
                               .decomposer = r->decomposer};
  return jig_top_k_spec(&args, text);
}

/* ---- the table */

#define KEY_OPTIONS (BIT(SPEC_KEY_TYPE) | BIT(SPEC_EQUALITY))
#define SELECTION_OPTIONS                                                                        \
  (BIT(SPEC_TYPE) | BIT(SPEC_STRUCT) | BIT(SPEC_OP_SOURCE) | BIT(SPEC_OP_FUNCTION) |             \
   BIT(SPEC_OP_BINARY) | BIT(SPEC_BY_POINTER) | BIT(SPEC_TRANSFORM) | BIT(SPEC_TRANSFORM_TYPE) | \
   BIT(SPEC_OUT_TYPE) | BIT(SPEC_COUNT_TYPE))
#define FOLD_OPTIONS                                                                              \
  ~(BIT(SPEC_NO_VALUE) | BIT(SPEC_INDEX_TYPE) | BIT(SPEC_EXCLUSIVE) | BIT(SPEC_FLAGS) |           \
    BIT(SPEC_VALUES) | BIT(SPEC_SECOND_OP_SOURCE) | BIT(SPEC_COUNT_TYPE) | BIT(SPEC_DECOMPOSER) | \
    BIT(SPEC_SORTED) | KEY_OPTIONS)
#define SCAN_OPTIONS ((FOLD_OPTIONS & ~BIT(SPEC_COMMUTATIVE)) | BIT(SPEC_EXCLUSIVE))
#define RADIX_SORT_OPTIONS (BIT(SPEC_TYPE) | BIT(SPEC_STRUCT) | BIT(SPEC_VALUES) | BIT(SPEC_DECOMPOSER))
#define SORT_OPTIONS                                                                                \
  (BIT(SPEC_TYPE) | BIT(SPEC_STRUCT) | BIT(SPEC_OP) | BIT(SPEC_OP_SOURCE) | BIT(SPEC_OP_FUNCTION) | \
   BIT(SPEC_OP_BINARY) | BIT(SPEC_BY_POINTER) | BIT(SPEC_TRANSFORM) | BIT(SPEC_TRANSFORM_TYPE) |    \
   BIT(SPEC_VALUES))
#define RUN_OPTIONS                                                                     \
  (BIT(SPEC_TYPE) | BIT(SPEC_STRUCT) | BIT(SPEC_TRANSFORM) | BIT(SPEC_TRANSFORM_TYPE) | \
   BIT(SPEC_EQUALITY))

static const cli_algorithm table[] = {
    {.name = "reduce",
     .options = FOLD_OPTIONS,
     .accum_type = reduce_accum_type,
     .spec = reduce_spec,
     .call = reduce_call},
    {.name = "arg_reduce",
     .options = BIT(SPEC_TYPE) | BIT(SPEC_STRUCT) | BIT(SPEC_OP) | BIT(SPEC_OP_SOURCE) |
                BIT(SPEC_OP_FUNCTION) | BIT(SPEC_OP_BINARY) | BIT(SPEC_BY_POINTER) | BIT(SPEC_NAN) |
                BIT(SPEC_NO_VALUE) | BIT(SPEC_INDEX_TYPE),
     .has_index = true,
     .takes_order = true,
     .spec = arg_reduce_spec,
     .call = arg_reduce_call},
    {.name = "scan", .options = SCAN_OPTIONS, .spec = scan_spec},
    {.name = "segmented_scan", .options = SCAN_OPTIONS, .spec = segmented_scan_spec},
    {.name = "scan_by_key", .options = SCAN_OPTIONS | KEY_OPTIONS, .spec = scan_by_key_spec},
    {.name = "reduce_by_key",
     .options =
         (FOLD_OPTIONS & ~(BIT(SPEC_INIT) | BIT(SPEC_INIT_TYPE) | BIT(SPEC_COMMUTATIVE))) | KEY_OPTIONS,
     .spec = reduce_by_key_spec},
    {.name = "run_length_encode", .options = RUN_OPTIONS, .spec = run_length_encode_spec},
    {.name = "non_trivial_runs", .options = RUN_OPTIONS, .spec = non_trivial_runs_spec},
    {.name = "select", .options = SELECTION_OPTIONS | BIT(SPEC_FLAGS), .spec = select_spec},
    {.name = "unique", .options = SELECTION_OPTIONS | BIT(SPEC_VALUES), .spec = unique_spec},
    {.name = "partition", .options = SELECTION_OPTIONS | BIT(SPEC_FLAGS), .spec = partition_spec},
    {.name = "three_way_partition",
     .options = SELECTION_OPTIONS | BIT(SPEC_SECOND_OP_SOURCE),
     .spec = three_way_partition_spec},
    {.name = "radix_sort", .options = RADIX_SORT_OPTIONS, .spec = radix_sort_spec},
    {.name = "segmented_sort", .options = RADIX_SORT_OPTIONS, .spec = segmented_sort_spec},
    {.name = "merge_sort", .options = SORT_OPTIONS, .spec = merge_sort_spec},
    {.name = "merge", .options = SORT_OPTIONS, .spec = merge_spec},
    {.name = "top_k",
     .options = BIT(SPEC_TYPE) | BIT(SPEC_STRUCT) | BIT(SPEC_TRANSFORM) | BIT(SPEC_TRANSFORM_TYPE) |
                BIT(SPEC_VALUES) | BIT(SPEC_DECOMPOSER) | BIT(SPEC_SORTED),
     .spec = top_k_spec},
};

const cli_algorithm *algorithm_named(const char *name) {
  for (size_t i = 0; i < sizeof table / sizeof table[0]; ++i) {
    if (strcmp(table[i].name, name) == 0) return &table[i];
  }
  return NULL;
}

const char *algorithm_names(void) {
  return ALGORITHM_NAMES;
}

int request_spec(const request *r, char **text) {
  jig_status status = r->algorithm->spec(r, text);
  if (status == JIG_SUCCESS) return EXIT_OK;
  int code = jig_failure(status);
  return status == JIG_ERROR_INVALID_ARGUMENT || status == JIG_ERROR_UNSUPPORTED ? EXIT_USAGE : code;
}
