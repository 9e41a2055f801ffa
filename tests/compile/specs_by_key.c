/* By key, runs, segments. */
#include <jig/jig.h>

#include "numbers.h"
#include "specs.h"

/* Both modes of a scan and a reduce of values by keys; and the scan of segments of values. */
static void add_by_key(jig_iter keys, jig_iter values, jig_op op, jig_type accum, bool may_spill) {
  char *text = NULL;
  const jig_iter out = jig_pointer(NULL, accum), number = jig_pointer(NULL, JIG_I32);
  for (int mode = JIG_SCAN_INCLUSIVE; mode <= JIG_SCAN_EXCLUSIVE; ++mode) {
    const void *init = mode == JIG_SCAN_EXCLUSIVE ? "" : NULL;
    (void)jig_scan_by_key_spec(&(jig_scan_by_key_args){.keys_in = keys,
                                                       .values_in = values,
                                                       .values_out = out,
                                                       .op = op,
                                                       .mode = (jig_scan_mode)mode,
                                                       .init = init,
                                                       .accum_type = accum},
                               &text);
    specs_add(text, may_spill);
    (void)jig_segmented_scan_spec(&(jig_segmented_scan_args){.in = values,
                                                             .out = out,
                                                             .begin_offsets = number,
                                                             .end_offsets = number,
                                                             .op = op,
                                                             .mode = (jig_scan_mode)mode,
                                                             .init = init,
                                                             .accum_type = accum},
                                  &text);
    specs_add(text, may_spill);
  }
  jig_reduce_by_key_args reduce = {.keys_in = keys,
                                   .unique_out = jig_discard(keys.type),
                                   .values_in = values,
                                   .aggregates_out = out,
                                   .num_runs_out = number,
                                   .op = op,
                                   .accum_type = accum};
  (void)jig_reduce_by_key_spec(&reduce, &text);
  specs_add(text, may_spill);
  if (!is_floating(accum.kind)) return;
  reduce.determinism = JIG_DETERMINISM_GPU_TO_GPU;
  (void)jig_reduce_by_key_spec(&reduce, &text);
  specs_add(text, may_spill);
}

/* The lengths of runs of 16-byte keys: on SM 120 the single wave keeps a word for its end, what the
 * counter of blocks has answered. Fewer blocks at a time would spare that. */
static void add_runs(jig_iter in, bool may_spill) {
  char *text = NULL;
  const jig_iter number = jig_pointer(NULL, JIG_I64);
  (void)jig_run_length_encode_spec(
      &(jig_run_length_encode_args){
          .in = in, .unique_out = jig_discard(in.type), .lengths_out = number, .num_runs_out = number},
      &text);
  specs_add(text, may_spill || in.type.size == 16);
  (void)jig_non_trivial_runs_spec(
      &(jig_non_trivial_runs_args){
          .in = in, .offsets_out = number, .lengths_out = number, .num_runs_out = number},
      &text);
  specs_add(text, may_spill);
}

/* How many keys each run has, the count being all that registers hold of the values: SM 90 has failed to
 * find registers for the flags. */
static void add_counts_of_keys(jig_iter keys, jig_op equality) {
  char *text = NULL;
  (void)jig_reduce_by_key_spec(&(jig_reduce_by_key_args){.keys_in = keys,
                                                         .unique_out = jig_discard(keys.type),
                                                         .values_in = jig_constant("", JIG_U32),
                                                         .aggregates_out = jig_pointer(NULL, JIG_U32),
                                                         .num_runs_out = jig_pointer(NULL, JIG_I32),
                                                         .equality = equality},
                               &text);
  specs_add(text, false);
}

static void add_all_by_key(void) {
  static const struct {
    jig_type_kind key, value, accum;
    bool may_spill;
  } rows[] = {
      {JIG_KIND_I32, JIG_KIND_I32, JIG_KIND_I32, false},
      {JIG_KIND_I32, JIG_KIND_F64, JIG_KIND_F64, true},
      {JIG_KIND_I32, JIG_KIND_U32, JIG_KIND_U64, true},
      {JIG_KIND_I32, JIG_KIND_F32, JIG_KIND_F64, true},
      {JIG_KIND_I8, JIG_KIND_U8, JIG_KIND_I32, true},
      {JIG_KIND_U64, JIG_KIND_F32, JIG_KIND_F32, true},
      {JIG_KIND_F16, JIG_KIND_BF16, JIG_KIND_F32, true},
      {JIG_KIND_I128, JIG_KIND_I128, JIG_KIND_I128, true},
  };
  for (size_t i = 0; i < COUNT_OF(rows); ++i) {
    const jig_iter keys = jig_pointer(NULL, type_of(rows[i].key));
    add_by_key(keys, jig_pointer(NULL, type_of(rows[i].value)), JIG_PLUS, type_of(rows[i].accum),
               rows[i].may_spill);
    add_runs(keys, false);
  }
  const jig_type line =
      jig_struct("line",
                 "struct line { int w[16];\n  __device__ bool operator==(const line &o) "
                 "const { return w[0] == o.w[0]; } };",
                 64, 4);
  add_by_key(jig_pointer(NULL, line), jig_pointer(NULL, line), jig_op_source("return b;"), line, true);
  add_runs(jig_pointer(NULL, line), true);
  add_runs(jig_counting(NULL, JIG_U64), false);
  add_counts_of_keys(jig_pointer(NULL, JIG_F32), (jig_op)JIG_ZERO);
  add_counts_of_keys(jig_counting(NULL, JIG_I32), jig_op_source("return a / 10 == b / 10;"));
}

static void add_all(void) {
  add_all_by_key();
}

const specs_family specs_by_key = {add_all};
