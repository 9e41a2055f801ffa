/* What arg-reduces share: which item they are to find. */
#ifndef JIG_ALGORITHM_ARG_ORDER_H
#define JIG_ALGORITHM_ARG_ORDER_H

#include "algorithm/call.h"
#include "spec/complete.h"

extern const char *const arg_order_ops[], *const arg_order_nans[];

#define ARG_COMPARE_SLOT                                                                   \
  {                                                                                        \
    .name = "compare", .formerly = "order", .kind = SLOT_OP, .optional = true, .arity = 2, \
    .over = {"in"}, .orders = true, .own_default = true,                                   \
    .help = "whether item a comes before b; left out, <", .option = "op"                   \
  }
#define ARG_NAN_SLOT                                                 \
  {                                                                  \
    .name = "nan", .kind = SLOT_CHOICE, .choices = arg_order_nans,   \
    .help = "what becomes of NaNs, without compare", .option = "nan" \
  }
#define ARG_OP_SLOT                                                                 \
  {                                                                                 \
    .name = "op", .kind = SLOT_CHOICE, .choices = arg_order_ops,                    \
    .help = "whether the first item in order is found, or the last", .option = "op" \
  }
#define ARG_INDEX_SLOT                                                                       \
  {                                                                                          \
    .name = "index_out", .kind = SLOT_ITER, .role = ITER_OUTPUT,                             \
    .help = "the index of the item that is found", .usually = "i64", .option = "index-type", \
    .use = USE_COUNTED                                                                       \
  }
#define ARG_VALUE_SLOT                                                                               \
  {                                                                                                  \
    .name = "value_out", .kind = SLOT_ITER, .optional = true, .role = ITER_OUTPUT, .places = {"in"}, \
    .help = "the item", .like = "in", .follows = true, .option = "value"                             \
  }

/* For a schema's `check` and `complete`. */
jig_status arg_order_check(const spec *s);
jig_status arg_order_check_items(const spec *s); /* whether items and order go together */
void arg_order_complete(parsed_spec *p);

/* How args say it. */
typedef struct arg_order {
  const jig_op *op, *compare;
  jig_nan nan;
  jig_determinism determinism;
} arg_order;

/* Fills slots "compare", "nan" and "op" for items of a type; checks choices. `name` is the call's. */
jig_status arg_order_bind(const char *name, const arg_order *order, const jig_type *item,
                          spec_slot *compare, spec_slot *nan, spec_slot *op);

/* Whether an output has room for the indices of so many items, and for all ones, which is no index: it
 * says that nothing was found. */
jig_status arg_order_check_index(const call *c, const jig_type *type, const char *name,
                                 uint64_t num_items);

/* The temp storage for accumulators of so many items of a type, each with its index. */
temp_layout arg_order_temp(uint64_t num_items, const jig_type *item, size_t items);

#endif
