/* Scan: every row of its policy, in both modes; of what reduce claims, what differs. What may spill does,
 * as it is tuned now. */
#include <jig/jig.h>
#include <stdio.h>

#include "numbers.h"
#include "specs.h"

static void add_scan(jig_scan_args args, bool may_spill) {
  char *text = NULL;
  (void)jig_scan_spec(&args, &text);
  specs_add(text, may_spill);
}

static void add_scans_of_numbers(void) {
  static const struct {
    jig_type_kind in, accum, out;
    bool may_spill;
  } rows[] = {
      {JIG_KIND_I8, JIG_KIND_NONE, JIG_KIND_I8, false},
      {JIG_KIND_U8, JIG_KIND_U8, JIG_KIND_U8, true},
      {JIG_KIND_I16, JIG_KIND_NONE, JIG_KIND_I32, false},
      {JIG_KIND_F16, JIG_KIND_F16, JIG_KIND_F16, true},
      {JIG_KIND_F32, JIG_KIND_NONE, JIG_KIND_F32, true},
      {JIG_KIND_F32, JIG_KIND_F64, JIG_KIND_F32, true},
      {JIG_KIND_I64, JIG_KIND_NONE, JIG_KIND_I64, true},
      {JIG_KIND_U8, JIG_KIND_F64, JIG_KIND_F64, true},
      {JIG_KIND_U128, JIG_KIND_NONE, JIG_KIND_U128, false},
      {JIG_KIND_I32, JIG_KIND_NONE, JIG_KIND_I64, false}, /* outputs wider than items: prefix sums */
      {JIG_KIND_U32, JIG_KIND_NONE, JIG_KIND_U64, true},
      {JIG_KIND_I8, JIG_KIND_NONE, JIG_KIND_I64, false},
      {JIG_KIND_U16, JIG_KIND_NONE, JIG_KIND_U64, false},
      {JIG_KIND_F16, JIG_KIND_NONE, JIG_KIND_F32, true},
      {JIG_KIND_F32, JIG_KIND_NONE, JIG_KIND_F64, true},
      {JIG_KIND_U64, JIG_KIND_NONE, JIG_KIND_U128, false},
  };
  for (size_t i = 0; i < COUNT_OF(rows); ++i) {
    jig_scan_args args = {.in = jig_pointer(NULL, type_of(rows[i].in)),
                          .out = jig_pointer(NULL, type_of(rows[i].out)),
                          .mode = i % 2 == 0 ? JIG_SCAN_INCLUSIVE : JIG_SCAN_EXCLUSIVE};
    if (rows[i].accum != JIG_KIND_NONE) args.accum_type = type_of(rows[i].accum);
    add_scan(args, rows[i].may_spill);
  }
  const jig_iter bf16 = jig_pointer(NULL, JIG_BF16);
  add_scan((jig_scan_args){.in = bf16, .out = bf16, .op = JIG_MIN, .nan = JIG_NAN_IGNORE, .init = ""},
           true);
}

static void add_scans_of_structs(void) {
  static char definitions[8][64];
  static const struct {
    uint32_t size;
    bool may_spill;
  } rows[] = {{3, true}, {8, false}, {12, false}, {16, false}, {32, false}, {64, false}, {128, true}};
  for (size_t i = 0; i < COUNT_OF(rows); ++i) {
    const uint32_t size = rows[i].size, member = size % 4 == 0 ? 4 : 1;
    (void)snprintf(definitions[i], sizeof definitions[i], "struct s { %s m[%u]; };",
                   member == 4 ? "uint32_t" : "uint8_t", size / member);
    const jig_iter items = jig_pointer(NULL, jig_struct("s", definitions[i], size, member));
    const jig_op op = jig_op_source(
        "for (unsigned i = 0; i < sizeof a.m / sizeof a.m[0]; ++i) a.m[i] ^= b.m[i];\nreturn a;");
    add_scan((jig_scan_args){.in = items,
                             .out = items,
                             .op = op,
                             .mode = i % 2 == 0 ? JIG_SCAN_INCLUSIVE : JIG_SCAN_EXCLUSIVE,
                             .init = i % 2 == 0 ? NULL : ""},
             rows[i].may_spill);
  }
}

static void add_scans_of_iterators(void) {
  const jig_type pair = jig_struct("s", "struct s { float a, b; };", 8, 4);
  const jig_iter plain = jig_pointer(NULL, JIG_F32), strided = jig_strided(NULL, 0, JIG_F32);
  const jig_iter sides[] = {plain, strided}, alike[] = {plain, plain};
  add_scan((jig_scan_args){.in = jig_zip(alike, 2, pair),
                           .out = jig_zip(sides, 2, pair),
                           .op = jig_op_source("return {a.a * b.a, b.a * a.b + b.b};")},
           true);
  add_scan((jig_scan_args){.in = jig_counting(NULL, JIG_I32),
                           .out = jig_discard(JIG_I64),
                           .mode = JIG_SCAN_EXCLUSIVE,
                           .init_in = jig_pointer(NULL, JIG_I64)},
           false);
}

static void add_all(void) {
  specs_go(SPECS_EVERYWHERE);
  add_scans_of_numbers();
  add_scans_of_structs();
  add_scans_of_iterators();
}

const specs_family specs_scan = {add_all};
