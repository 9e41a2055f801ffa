/* Segmented reduce: segments by offsets and of one size, of numbers and structs; arg-reduces of them.
 * What may spill does, as it is tuned now. */
#include <jig/jig.h>
#include <stdio.h>

#include "numbers.h"
#include "specs.h"

static void add_one(jig_segmented_reduce_args args, jig_type_kind offset, bool may_spill) {
  char *text = NULL;
  if (offset != JIG_KIND_NONE) {
    args.begin_offsets = args.end_offsets = jig_pointer(NULL, type_of(offset));
  } else {
    args.segment_size = 1;
  }
  (void)jig_segmented_reduce_spec(&args, &text);
  specs_add(text, may_spill);
}

/* By offsets, and without. */
static void add(jig_segmented_reduce_args args, jig_type_kind offset, bool may_spill) {
  add_one(args, offset, may_spill);
  add_one(args, JIG_KIND_NONE, may_spill);
}

/* With the same bits on every GPU, where that takes another program. */
static void add_gpu_to_gpu(jig_segmented_reduce_args args, jig_type_kind offset, bool may_spill) {
  if (!is_floating(args.out.type.kind)) return;
  args.determinism = JIG_DETERMINISM_GPU_TO_GPU;
  add(args, offset, may_spill);
}

static void add_arg(jig_iter in, jig_op compare, jig_type_kind offset, bool may_spill) {
  char *text = NULL;
  jig_segmented_arg_reduce_args args = {.in = in,
                                        .value_out = jig_pointer(NULL, in.type),
                                        .index_out = jig_pointer(NULL, JIG_I64),
                                        .op = JIG_MAX,
                                        .compare = compare};
  if (offset != JIG_KIND_NONE) args.begin_offsets = args.end_offsets = jig_pointer(NULL, type_of(offset));
  (void)jig_segmented_arg_reduce_spec(&args, &text);
  specs_add(text, may_spill);
}

/* Offsets that cannot say that segments adjoin. */
static void add_apart(void) {
  const jig_iter items = jig_pointer(NULL, JIG_F32), begins = jig_pointer(NULL, JIG_I32),
                 ends = jig_pointer(NULL, JIG_I64);
  char *text = NULL;
  (void)jig_segmented_reduce_spec(
      &(jig_segmented_reduce_args){
          .in = items, .out = items, .begin_offsets = begins, .end_offsets = ends, .op = JIG_PLUS},
      &text);
  specs_add(text, true);
  text = NULL;
  (void)jig_segmented_arg_reduce_spec(&(jig_segmented_arg_reduce_args){.in = items,
                                                                       .value_out = items,
                                                                       .index_out = ends,
                                                                       .begin_offsets = begins,
                                                                       .end_offsets = ends,
                                                                       .op = JIG_MIN},
                                      &text);
  specs_add(text, true);
}

static void add_numbers(void) {
  static const struct {
    jig_type_kind in, out, offset;
    bool may_spill;
  } rows[] = {
      {JIG_KIND_BOOL, JIG_KIND_I32, JIG_KIND_U32, true}, {JIG_KIND_I8, JIG_KIND_I64, JIG_KIND_I32, true},
      {JIG_KIND_U8, JIG_KIND_U8, JIG_KIND_I64, true},    {JIG_KIND_F16, JIG_KIND_F16, JIG_KIND_I32, true},
      {JIG_KIND_BF16, JIG_KIND_F32, JIG_KIND_U64, true}, {JIG_KIND_F32, JIG_KIND_F32, JIG_KIND_I64, true},
      {JIG_KIND_I64, JIG_KIND_I64, JIG_KIND_I32, true},  {JIG_KIND_F64, JIG_KIND_F64, JIG_KIND_I64, true},
      {JIG_KIND_U128, JIG_KIND_U128, JIG_KIND_U32, true}};
  for (size_t i = 0; i < COUNT_OF(rows); ++i) {
    const jig_segmented_reduce_args args = {.in = jig_pointer(NULL, type_of(rows[i].in)),
                                            .out = jig_pointer(NULL, type_of(rows[i].out)),
                                            .op = i % 3 == 1 ? JIG_MIN : JIG_PLUS};
    add(args, rows[i].offset, rows[i].may_spill);
    add_gpu_to_gpu(args, rows[i].offset, rows[i].may_spill);
    add_arg(args.in, (jig_op)JIG_ZERO, i % 2 == 0 ? rows[i].offset : JIG_KIND_NONE, true);
  }
}

static void add_structs(void) {
  static const uint32_t sizes[] = {3, 8, 12, 16, 64, 256};
  static char definitions[COUNT_OF(sizes)][64], names[COUNT_OF(sizes)][16];
  for (size_t k = 0; k < COUNT_OF(sizes); ++k) {
    const uint32_t member = sizes[k] < 64 ? 1 : 4; /* large ones of bytes take minutes to compile */
    (void)snprintf(names[k], sizeof names[k], "s%u", sizes[k]);
    (void)snprintf(definitions[k], sizeof definitions[k], "struct s%u { %s m[%u]; };", sizes[k],
                   member == 4 ? "uint32_t" : "uint8_t", sizes[k] / member);
    const jig_iter items = jig_pointer(NULL, jig_struct(names[k], definitions[k], sizes[k], member));
    const jig_op op = jig_op_source("return a.m[0] < b.m[1] ? a : b;");
    add((jig_segmented_reduce_args){.in = items,
                                    .out = items,
                                    .op = k % 2 == 0 ? op : jig_op_commutative(op),
                                    .init = k % 3 == 0 ? "" : NULL},
        JIG_KIND_I32, true);
    add_arg(items, jig_op_source("return a.m[0] < b.m[0];"), k % 2 == 0 ? JIG_KIND_I64 : JIG_KIND_NONE,
            true);
  }
}

static void add_all(void) {
  const jig_iter words = jig_pointer(NULL, JIG_U32), places = jig_pointer(NULL, JIG_I64),
                 sums = jig_pointer(NULL, JIG_F32);
  specs_go(SPECS_OF_PRODUCT);
  add_numbers();
  add_structs();
  specs_go(0);
  add_apart();
  add((jig_segmented_reduce_args){.in = jig_permutation(&words, &places), .out = sums}, JIG_KIND_I32,
      true);
  add((jig_segmented_reduce_args){.in = jig_iter_transform(&words, jig_op_source("return x * 0.5f;"),
                                                           JIG_F32),
                                  .out = jig_permutation(&sums, &places),
                                  .init_in = sums},
      JIG_KIND_U32, true);
  add((jig_segmented_reduce_args){.in = jig_strided(NULL, 12, JIG_F32), .out = jig_discard(JIG_F32)},
      JIG_KIND_I64, true);
}

const specs_family specs_segmented_reduce = {add_all};
