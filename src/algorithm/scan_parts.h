/* What scans share, whether of everything, by key or of segments. */
#ifndef JIG_ALGORITHM_SCAN_PARTS_H
#define JIG_ALGORITHM_SCAN_PARTS_H

#include <jig/scan.h>

#include "algorithm/accumulator.h"
#include "algorithm/call.h"
#include "spec/canonical.h"

/* The choices of a slot "mode". */
extern const char *const scan_modes[];

/* Slots of the spec; results are in slot `out_`. */
#define SCAN_ACCUM_SLOT                                                                           \
  {                                                                                               \
    .name = "accum", .kind = SLOT_TYPE, .held = true, .use = USE_FOLDED,                          \
    .help = "the type that folds work in; left out, it follows from op, init, items and results", \
    .option = "accum"                                                                             \
  }
#define SCAN_INIT_SLOT(out_)                                                                            \
  {                                                                                                     \
    .name = "init", .kind = SLOT_ITER, .optional = true, .role = ITER_INPUT, .use = USE_FOLDED,         \
    .help = "what is folded in first: constant(T) if it is given by value, T if it is read on the GPU", \
    .like = (out_), .option = "init"                                                                    \
  }
#define SCAN_MODE_SLOT                                                                                   \
  {                                                                                                      \
    .name = "mode", .kind = SLOT_CHOICE, .choices = scan_modes, .help = "whether item i is in result i", \
    .option = "exclusive"                                                                                \
  }

/* Whether what is in the slots accum, init, mode and op goes together with what is in slots `in` and
 * `out`, by whatever names; scan_check_spec() has these. */
jig_status scan_check_folds(const spec *s, const char *in, const char *out);
jig_status scan_check_spec(const spec *s);

/* Fills in the accumulator of a written spec, whose items and results are in these slots. */
void scan_complete(parsed_spec *p, const char *in, const char *out);

/* What the args of all scans have: the items' type, the results', and members of these names. */
typedef struct scan_given {
  const jig_type *item, *result;
  const jig_op *op;
  const void *init;
  const jig_type *init_type;
  const jig_iter *init_in;
  const jig_type *accum_type;
  jig_nan nan;
  jig_determinism determinism;
  jig_scan_mode mode;
} scan_given;
#define SCAN_GIVEN(args_, in_, out_)                                                               \
  {                                                                                                \
    &(args_)->in_.type, &(args_)->out_.type, &(args_)->op, (args_)->init, &(args_)->init_type,     \
        &(args_)->init_in, &(args_)->accum_type, (args_)->nan, (args_)->determinism, (args_)->mode \
  }

/* What a spec points to beside the args. */
typedef struct scan_parts {
  const jig_op *op;
  const jig_iter *init; /* NULL: there is none */
  jig_iter init_by_value;
  jig_type accum;
  bool ignore_nan;
  int determinism;
} scan_parts;
void scan_find_parts(const scan_given *given, scan_parts *parts);

/* Whether mode, nan, determinism and the ways of giving an init are there. `name` is the call's. */
jig_status scan_check_choices(const char *name, const scan_given *given);

#endif
