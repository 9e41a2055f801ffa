/* Select, unique and the partitions. */
#include <jig/jig.h>
#include <stdio.h>

#include "numbers.h"
#include "specs.h"

static jig_op test_over(jig_type type) {
  return jig_op_source(type.kind == JIG_KIND_STRUCT ? "return x.m[0] < 9;" : "return x < 9;");
}

static void add_select(jig_iter in, jig_iter flags, bool may_spill) {
  char *text = NULL;
  jig_select_args args = {.in = in,
                          .flags = flags,
                          .out = jig_pointer(NULL, in.type),
                          .num_selected_out = jig_pointer(NULL, JIG_I64)};
  if (flags.kind == JIG_ITER_NONE) args.op = test_over(in.type);
  (void)jig_select_spec(&args, &text);
  specs_add(text, may_spill);
}

static void add_unique(jig_iter in, jig_iter values, bool may_spill) {
  char *text = NULL;
  jig_unique_args args = {.in = in,
                          .out = in,
                          .values_in = values,
                          .values_out = values,
                          .num_selected_out = jig_pointer(NULL, JIG_I32)};
  if (in.type.kind == JIG_KIND_STRUCT) args.equality = jig_op_source("return a.m[0] == b.m[0];");
  (void)jig_unique_spec(&args, &text);
  specs_add(text, may_spill);
}

static void add_partitions(jig_iter in, bool may_spill) {
  char *text = NULL;
  (void)jig_partition_spec(
      &(jig_partition_args){
          .in = in, .out = in, .num_selected_out = jig_pointer(NULL, JIG_I32), .op = test_over(in.type)},
      &text);
  specs_add(text, may_spill);
  (void)jig_three_way_partition_spec(
      &(jig_three_way_partition_args){.in = in,
                                      .first_out = in,
                                      .second_out = in,
                                      .unselected_out = jig_discard(in.type),
                                      .num_selected_out = jig_pointer(NULL, JIG_I32),
                                      .first_op = test_over(in.type),
                                      .second_op = test_over(in.type)},
      &text);
  specs_add(text, may_spill);
}

static void add_selections(void) {
  static const jig_type_kind kinds[] = {JIG_KIND_I8, JIG_KIND_F16, JIG_KIND_I32, JIG_KIND_F64,
                                        JIG_KIND_U128};
  static char definitions[4][64];
  static const uint32_t sizes[] = {3, 12, 64, 256};
  const jig_iter none = JIG_ZERO, flags = jig_pointer(NULL, JIG_U8), words = jig_pointer(NULL, JIG_I32);
  for (size_t k = 0; k < COUNT_OF(kinds); ++k) {
    const jig_iter in = jig_pointer(NULL, type_of(kinds[k]));
    add_select(in, none, false);
    add_select(in, flags, false);
    add_unique(in, none, false);
    add_unique(in, words, false);
    add_partitions(in, false);
  }
  for (size_t i = 0; i < COUNT_OF(sizes); ++i) {
    (void)snprintf(definitions[i], sizeof definitions[i], "struct s { uint8_t m[%u]; };", sizes[i]);
    const jig_iter in = jig_pointer(NULL, jig_struct("s", definitions[i], sizes[i], 1));
    add_select(in, none, true);
    add_unique(in, in, true);
    add_partitions(in, true);
  }
  add_select(jig_counting(NULL, JIG_I64), words, false);
}

static void add_all(void) {
  add_selections();
}

const specs_family specs_select = {add_all};
