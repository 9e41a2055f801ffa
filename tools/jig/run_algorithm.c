#include "run_algorithm.h"

#include <stdio.h>
#include <string.h>

/* ---- calls. What is to be transformed is a pointer; `base` has to outlive the iterator. */

static jig_iter input_of(const spec *s, const call_operands *o, jig_iter *base) {
  jig_iter in = *spec_find(s, "in")->iter;
  jig_iter *pointer = &in;
  if (in.kind != JIG_ITER_POINTER) {
    *base = *in.base;
    in.base = base;
    pointer = base;
  }
  *pointer = jig_pointer(o->in, pointer->type);
  return in;
}

static jig_status reduce(jig_engine *engine, void *temp, size_t *temp_bytes, const spec *s,
                         const call_operands *o, CUstream stream) {
  jig_iter base;
  const spec_slot *op = spec_find(s, "op"), *init = spec_find(s, "init");
  jig_reduce_args args = {
      .in = input_of(s, o, &base),
      .out = jig_pointer(o->out, spec_find(s, "out")->iter->type),
      .num_items = o->num_items,
      .op = *op->op,
      .init = o->init,
      .accum_type = *spec_find(s, "accum")->type,
      .nan = op->ignore_nan ? JIG_NAN_IGNORE : JIG_NAN_PROPAGATE,
  };
  if (init->type != NULL) args.init_type = *init->type;
  return jig_reduce(engine, temp, temp_bytes, &args, stream);
}

static jig_status arg_reduce(jig_engine *engine, void *temp, size_t *temp_bytes, const spec *s,
                             const call_operands *o, CUstream stream) {
  jig_iter base;
  const jig_iter *value = spec_find(s, "value_out")->iter;
  const jig_op *compare = spec_find(s, "compare")->op;
  jig_arg_reduce_args args = {
      .in = input_of(s, o, &base),
      .index_out = jig_pointer(o->index, spec_find(s, "index_out")->iter->type),
      .num_items = o->num_items,
      .op = spec_find(s, "op")->choice == 0 ? JIG_MIN : JIG_MAX,
      .nan = (jig_nan)spec_find(s, "nan")->choice,
  };
  if (value != NULL) args.value_out = jig_pointer(o->out, value->type);
  if (compare != NULL) args.compare = *compare;
  return jig_arg_reduce(engine, temp, temp_bytes, &args, stream);
}

/* ---- the table */

static const runnable table[] = {
    {.name = "reduce", .value = "out", .call = reduce},
    {.name = "arg_reduce", .value = "value_out", .index = "index_out", .call = arg_reduce},
};

const runnable *runnable_named(const char *name) {
  for (size_t i = 0; i < sizeof table / sizeof table[0]; ++i) {
    if (strcmp(table[i].name, name) == 0) return &table[i];
  }
  return NULL;
}

const char *runnable_names(void) {
  static char names[256];
  size_t length = 0;
  for (size_t i = 0; i < sizeof table / sizeof table[0] && length < sizeof names; ++i)
    length +=
        (size_t)snprintf(names + length, sizeof names - length, "%s%s", i > 0 ? ", " : "", table[i].name);
  return names;
}

static jig_type type_in(const spec *s, const char *name) {
  static const jig_type none = {.kind = JIG_KIND_NONE};
  const spec_slot *slot = name != NULL ? spec_find(s, name) : NULL;
  if (slot == NULL) return none;
  return slot->iter != NULL ? slot->iter->type : slot->type != NULL ? *slot->type : none;
}

run_spec run_spec_of(const runnable *algorithm, const request *r) {
  const spec *s = &r->spec.s;
  const jig_iter *in = spec_find(s, "in")->iter;
  return (run_spec){.algorithm = algorithm,
                    .s = s,
                    .item = in->kind == JIG_ITER_POINTER ? in->type : in->base->type,
                    .value = type_in(s, algorithm->value),
                    .index = type_in(s, algorithm->index),
                    .init = type_in(s, "init")};
}
