/* What scans share, whether of everything, by key or of segments. Those of the latter two have arguments
 * of their own; what they have in common with a scan is given here as jig_scan_args. */
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

/* What a spec points to beside the args. */
typedef struct scan_parts {
  jig_op op;
  jig_iter init; /* kind JIG_ITER_NONE: there is none */
  jig_type accum;
  bool ignore_nan;
  int determinism;
} scan_parts;
scan_parts scan_parts_of(const jig_scan_args *args);

/* Whether mode, nan, determinism and the ways of giving an init are there. `name` is the call's. */
jig_status scan_check_choices(const char *name, const jig_scan_args *args);

#endif
