/* What the reduces share, of everything or of segments. */
#ifndef JIG_ALGORITHM_REDUCE_PARTS_H
#define JIG_ALGORITHM_REDUCE_PARTS_H

#include "algorithm/accumulator.h"
#include "spec/canonical.h"

/* Slots of the spec. */
#define REDUCE_ACCUM_SLOT                                                                  \
  {                                                                                        \
    .name = "accum", .use = USE_FOLDED, .kind = SLOT_TYPE, .held = true,                   \
    .help = "the type that folds work in; left out, it follows from op, in, init and out", \
    .option = "accum"                                                                      \
  }
#define REDUCE_IN_SLOT                                                                           \
  {                                                                                              \
    .name = "in", .use = USE_FOLDED, .kind = SLOT_ITER, .role = ITER_INPUT, .help = "the items", \
    .option = "type"                                                                             \
  }
#define REDUCE_INIT_SLOT(where_)                                                                     \
  {                                                                                                  \
    .name = "init", .use = USE_FOLDED, .kind = SLOT_TYPE, .optional = true, .held = true,            \
    .help = "the type of an init that is given by value, and folded in first" where_, .like = "out", \
    .option = "init"                                                                                 \
  }
#define REDUCE_INIT_IN_SLOT                                                                        \
  {                                                                                                \
    .name = "init_in", .use = USE_FOLDED, .kind = SLOT_ITER, .optional = true, .role = ITER_INPUT, \
    .help = "the same, read on the GPU", .like = "out"                                             \
  }
#define REDUCE_OUT_SLOT(help_)                                                                 \
  {                                                                                            \
    .name = "out", .use = USE_FOLDED, .kind = SLOT_ITER, .role = ITER_OUTPUT, .help = (help_), \
    .like = "in", .option = "out-type"                                                         \
  }

/* What an init is read as: of its own type, else the output's; the latter also where there is none. */
jig_type reduce_init_type(const void *init, const jig_type *type, const jig_type *out);

/* Whether the types in these slots go together. */
jig_status reduce_check_spec(const spec *s);

/* Fills in the accumulator of a written spec. */
jig_status reduce_complete(parsed_spec *p);

#endif
